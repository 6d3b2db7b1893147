"""The tables of a run: typed columns, and rows a block at a time, so that no table is ever held
whole."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from itertools import chain
from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from webapp.analysis.findings import families as cuts
from webapp.analysis.words import concordance, patterns, queries as words_of, senses
from webapp.core.documents import fields, sums
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, labels as topic_labels
from webapp.models import Run
from webapp.platform.accounts import embargo
from webapp.platform.drawing.numbers import topic_label
from webapp.platform.storage.sql import tuples
from webapp.service.exports.deposit_form import DepositForm

WORDS = 20  # of a topic in the wide form
MAX_WORDS = (
    1000  # columns that the wide form may have: spreadsheets and Postgres take more, readers don't
)
DOCUMENTS = 2_000  # in a block
MAX_TOPICS = (
    50  # whose shares stand beside documents, each of which holds a column of the corpus in memory
)
CELLS = 200_000  # in a block of a wide table


class Column(NamedTuple):
    name: str
    type: type  # int, float or str


Block = list[tuple]  # rows


class Table(NamedTuple):
    columns: list[Column]
    blocks: Iterator[Block]


@dataclass(frozen=True)
class Wanted:
    """What is asked for: a run, and where it matters a set of documents, or what else the address
    says."""

    run: Run
    selection: RunSelection
    words: int = WORDS
    by: str = ""
    word: str = ""
    pattern: str = ""
    families: int | None = None
    topics: tuple[
        int, ...
    ] = ()  # whose shares stand beside documents; of hits of a pattern the one that they are in
    deposit: DepositForm | None = None  # as it was answered


def table(
    *columns: Column,
) -> Callable[[Callable[[Wanted], Iterator[Block]]], Callable[[Wanted], Table]]:
    """Of a function that yields the blocks of a table with these columns, one that returns it. The
    first block is made at once: what can't be made is refused before anything is sent."""

    def decorate(blocks: Callable[[Wanted], Iterator[Block]]) -> Callable[[Wanted], Table]:
        @wraps(blocks)
        def made(wanted: Wanted) -> Table:
            rest = blocks(wanted)
            return Table(list(columns), chain([next(rest, [])], rest))

        return made

    return decorate


def _by_number(sql: str, owner: int) -> Iterator[Block]:
    """The rows of a query, some at a time. sql: its parameters are `owner` and the number, of the
    first column, behind which they begin."""
    after = -1
    while records := tuples(sql, [owner, after]):
        yield records
        after = records[-1][0]


@table(
    Column("topic", int),
    Column("rank", int),
    Column("word", str),
    Column("weight", float),
    Column("tokens", int),
    Column("documents", int),
    Column("label", str),
    Column("name", str),
)
def topics_long(wanted: Wanted) -> Iterator[Block]:
    run, labels = wanted.run, topic_labels.read(wanted.run)
    for k in range(run.topics):
        records = tuples(
            "SELECT tw.topic, tw.rank + 1, w.word, tw.weight, tw.tokens, tw.documents FROM"
            " topic_word tw JOIN word w ON w.version_id = %s AND w.number = tw.word WHERE"
            " tw.snapshot_id = %s AND tw.topic = %s ORDER BY tw.rank",
            [run.version_id, run.snapshot_id, k],
        )
        yield [(*row, labels.label(k), labels.name(k)) for row in records]


def topics_wide(wanted: Wanted) -> Table:
    run, labels, count = wanted.run, topic_labels.read(wanted.run), wanted.words
    if not 1 <= count <= MAX_WORDS:
        raise Invalid("words", f"“words” must be from 1 to {MAX_WORDS}, got {count}.")
    columns = [
        *(Column("topic", int), Column("share", float), Column("coherence", float)),
        *(Column("label", str), Column("name", str)),
        *(Column(f"word_{n}", str) for n in range(1, count + 1)),
    ]

    def blocks():
        step = max(1, CELLS // count)
        for first in range(0, run.topics, step):
            span = [run.snapshot_id, first, first + step]
            known = tuples(
                "SELECT number, share, coherence FROM webapp_topic WHERE snapshot_id = %s AND"
                " number >= %s AND number < %s ORDER BY number",
                span,
            )
            words: dict[int, list[str | None]] = {k: [] for k, _, _ in known}
            for k, word in tuples(
                "SELECT tw.topic, w.word FROM topic_word tw JOIN word w ON w.version_id = %s AND"
                " w.number = tw.word WHERE tw.snapshot_id = %s AND tw.topic >= %s AND tw.topic < %s"
                " AND tw.rank < %s ORDER BY tw.topic, tw.rank",
                [run.version_id, *span, count],
            ):
                words[k].append(word)
            yield [
                (
                    k,
                    share,
                    coherence,
                    labels.label(k),
                    labels.name(k),
                    *words[k],
                    *[None] * (count - len(words[k])),
                )
                for k, share, coherence in known
            ]

    return Table(columns, blocks())


# whole: the document that is the first section of the same whole; part: which of its sections this
# one is, from 1 on.
_DOCUMENT = [
    Column("document", int),
    Column("whole", int),
    Column("part", int),
    Column("id", str),
    Column("title", str),
    Column("date", str),
]
_PLACE = [Column("file", str), Column("place", str), Column("sha256", str)]


def selected(wanted: Wanted, size: int = DOCUMENTS) -> Iterator[np.ndarray]:
    """Numbers of the documents that are asked for, ascending, a block at a time."""
    mask = wanted.selection.mask
    for first in range(0, wanted.run.version.documents, size * 50):
        end = min(first + size * 50, wanted.run.version.documents)
        numbers = np.arange(first, end) if mask is None else first + np.flatnonzero(mask[first:end])
        yield from (numbers[i : i + size] for i in range(0, len(numbers), size))


def about(run: Run, numbers: np.ndarray, *more: str) -> dict[int, dict]:
    """What is known of documents, without their texts: document, id, title, date, file, place,
    sha256, part, whole (the number of its first section), and `more` columns of
    webapp.platform.accounts.embargo.about."""
    columns = {
        "source_id": "id",
        "title": "title",
        "date_text": "date",
        "file": "file",
        "place": "place",
        "digest": "sha256",
    }
    return {
        d: (
            {name: row[column] for column, name in columns.items()}
            | {"document": d, "part": row["part"], "whole": d - row["part"] + 1}
            | {name: row[name] for name in more}
        )
        for d, row in embargo.about(run.corpus, numbers.tolist(), "part", *columns, *more).items()
    }


def _cells(row: dict, columns: list[Column]) -> tuple:
    return tuple(row[column.name] for column in columns)


def documents(wanted: Wanted) -> Table:
    """With a column for the share of each topic that is asked for, merged topics in their
    targets."""
    assigned = evidence.of(wanted.run)
    lengths, labels = assigned.lengths, wanted.selection.view.labels
    chosen = list(dict.fromkeys([*(k for k, _ in wanted.selection.topics), *wanted.topics]))
    names = [Column(f"share of {labels.title(k)}", float) for k in chosen]
    held = [assigned.held(labels.parts(k)) for k in chosen]

    def blocks():
        for numbers in selected(wanted):
            known = about(wanted.run, numbers, "metadata")
            yield [
                (
                    *_cells(row, _DOCUMENT),
                    int(lengths[d]),
                    *(float(tokens[d] / max(1, lengths[d])) for tokens in held),
                    *_cells(row, _PLACE),
                    row["metadata"],
                )
                for d in numbers.tolist()
                if (row := known[d])
            ]

    return Table(
        [*_DOCUMENT, Column("tokens", int), *names, *_PLACE, Column("metadata", str)], blocks()
    )


@table(*_DOCUMENT, Column("topic", int), Column("tokens", int), Column("share", float), *_PLACE)
def document_topics(wanted: Wanted) -> Iterator[Block]:
    assigned = evidence.of(wanted.run)
    for numbers in selected(wanted):
        known = about(wanted.run, numbers)
        yield [
            (*_cells(row, _DOCUMENT), k, n, n / length, *_cells(row, _PLACE))
            for d in numbers.tolist()
            if (row := known[d])
            for k, n, length in _mixture(assigned, d)
        ]


def _mixture(of_run: evidence.Evidence, d: int) -> list[tuple[int, int, int]]:
    """(topic, tokens, tokens of the document), the largest topic first."""
    topics, tokens = of_run.mixture(d)
    order = np.argsort(-tokens, kind="stable")
    return [
        (k, n, int(of_run.lengths[d]))
        for k, n in zip(topics[order].tolist(), tokens[order].tolist(), strict=True)
    ]


@table(
    *_DOCUMENT,
    Column("section", int),
    Column("start", int),
    Column("topic", int),
    Column("tokens", int),
    Column("share", float),
)
def section_topics(wanted: Wanted) -> Iterator[Block]:
    assigned = evidence.of(wanted.run)
    for numbers in selected(wanted):
        known = about(wanted.run, numbers)
        yield [
            (*_cells(known[d], _DOCUMENT), *row)
            for d in numbers.tolist()
            for row in _sections(assigned, d)
        ]


def _sections(of_run: evidence.Evidence, d: int) -> Iterator[tuple[int, int, int, int, float]]:
    """(section from 1, the character at which its first word that counts begins, topic, tokens,
    share of the section), the largest topic of each first."""
    bow = of_run.rows
    ends = [d, d + 1] if bow.first_row is None else bow.first_row[d : d + 2].tolist()
    for section, row in enumerate(range(*ends), 1):
        span = slice(bow.indptr[row], bow.indptr[row + 1])
        tokens = np.bincount(of_run.topics[span], bow.counts[span], minlength=of_run.K).astype(
            np.int64
        )
        start = int(bow.offsets_of(row).min(initial=2**31 - 1)) if bow.offsets is not None else 0
        for k in np.argsort(-tokens, kind="stable")[: np.count_nonzero(tokens)].tolist():
            yield section, start, k, int(tokens[k]), int(tokens[k]) / int(tokens.sum())


def document_topics_wide(wanted: Wanted) -> Table:
    assigned, K = evidence.of(wanted.run), wanted.run.topics
    columns = [
        *_DOCUMENT,
        Column("tokens", int),
        *_PLACE,
        *(Column(topic_label(k), float) for k in range(K)),
    ]

    def blocks():
        for numbers in selected(wanted, max(1, CELLS // K)):
            known = about(wanted.run, numbers)
            block = []
            for d in numbers.tolist():
                row, length, shares = known[d], int(assigned.lengths[d]), [0.0] * K
                for k, n, _ in _mixture(assigned, d):
                    shares[k] = n / length
                block.append((*_cells(row, _DOCUMENT), length, *_cells(row, _PLACE), *shares))
            yield block

    return Table(columns, blocks())


def kinds(run: Run) -> list[str]:
    """What topics can be counted by: the period that fits the dates first, then the others, then
    the categories."""
    best = fields.period(run.version)
    periods = [best, *(period for period in fields.PERIODS if period != best)] if best else []
    return periods + [category.name for category in fields.categories(run.version)]


def topic_time(wanted: Wanted) -> Table:
    run, curated = wanted.run, topic_labels.read(wanted.run)
    by = wanted.by or next(iter(kinds(run)), None)
    if by is None:
        raise Invalid(
            "by",
            f"No document of “{run.corpus.name}” has a date or a category, so there is nothing to"
            " count by.",
        )
    groups = fields.groups(run.version, by)
    tokens, having = evidence.of(run).sums(wanted.selection.group(groups.group), len(groups.labels))
    columns = [
        Column(by, str),
        Column("topic", int),
        Column("label", str),
        Column("name", str),
        Column("tokens", int),
        Column("documents", int),
        Column("share", float),
        Column("tokens_of_all_topics", int),
    ]

    def blocks():
        labels = [(curated.label(k), curated.name(k)) for k in range(run.topics)]
        for g, name in enumerate(groups.labels):
            total = int(tokens[g].sum())
            row = zip(
                range(run.topics), labels, tokens[g].tolist(), having[g].tolist(), strict=True
            )
            yield [
                (name, k, *label, n, documents, n / total if total else None, total)
                for k, label, n, documents in row
            ]

    return Table(columns, blocks())


_MEASURES = ("share", "tokens", "documents", "coherence", "npmi", "exclusivity", "effective_words", "document_entropy",
             "rank_1_documents", "uniform_distance", "corpus_distance", "floor", "floor_mass", "x", "y")  # fmt: skip


@table(
    Column("topic", int),
    Column("label", str),
    Column("name", str),
    Column("background", int),
    Column("group", str),
    Column("hidden", int),
    Column("into", int),
    *(Column(name, int if name in ("tokens", "documents") else float) for name in _MEASURES),
)
def diagnostics(wanted: Wanted) -> Iterator[Block]:
    run, curated = wanted.run, topic_labels.read(wanted.run)
    yield [
        (
            k,
            curated.label(k),
            curated.name(k),
            int(curated.background(k)),
            curated.group(k),
            int(curated.hidden(k)),
            int(curated.into[k]),
            *values,
        )
        for k, *values in tuples(
            f"SELECT number, {', '.join(_MEASURES)} FROM webapp_topic WHERE snapshot_id = %s ORDER"
            " BY number",
            [run.snapshot_id],
        )
    ]


@table(
    Column("family", int),
    Column("family_name", str),
    Column("family_tokens", int),
    Column("family_documents", int),
    Column("family_share", float),
    Column("family_phrases", str),
    Column("topic", int),
    Column("label", str),
    Column("name", str),
    Column("hidden", int),
    Column("tokens", int),
    Column("share", float),
)
def families(wanted: Wanted) -> Iterator[Block]:
    """A row for each topic, at the cut that is asked for. Documents of a family have any of its
    topics."""
    selection, labels = wanted.selection, wanted.selection.view.labels
    counted = sums.of_selection(selection)
    tokens, share = counted.tokens[0], np.nan_to_num(counted.shares[0])
    for number, family in enumerate(cuts.counted(selection, wanted.families), 1):
        own = (
            number,
            family.name,
            family.tokens,
            family.documents,
            family.share,
            "; ".join(family.phrases),
        )
        yield [
            (
                *own,
                k,
                labels.label(k),
                labels.name(k),
                int(labels.hidden(k)),
                int(tokens[k]),
                float(share[k]),
            )
            for k in family.topics
        ]


_SAID = ("label", "note", "group", "colour", "hidden", "into", "beside")


@table(Column("topic", int), *(Column(name, str) for name in _SAID))
def curation(wanted: Wanted) -> Iterator[Block]:
    """What readers say at present; curation.services reads it back."""
    labels = topic_labels.read(wanted.run)
    yield [(k, *(labels.present(k)[name] or None for name in _SAID)) for k in labels.edited()]


@table(
    *(
        Column(name, int if name in ("edit", "topic") else str)
        for name in ("edit", "topic", "field", "value", "by", "at", "undone_at", "undone_by")
    )
)
def curation_history(wanted: Wanted) -> Iterator[Block]:
    for records in _by_number(
        "SELECT id, topic, field, value, by, at, undone_at, undone_by FROM webapp_edit WHERE run_id"
        " = %s AND id > %s ORDER BY id LIMIT 5000",
        wanted.run.pk,
    ):
        yield [
            (*row[:5], row[5].isoformat(), row[6].isoformat() if row[6] else None, row[7] or None)
            for row in records
        ]


_ANSWERS = {
    "label": str,
    "confidence": int,
    "document": int,
    "share": float,
    "stratum": str,
    "fits": str,
    "log_odds": float,
}


@table(
    *(Column(name, str) for name in ("reader", "kind")),
    *(Column(name, int) for name in ("topic", "seed", "item")),
    *(Column(name, kind) for name, kind in _ANSWERS.items()),
    Column("intruder", str),
    Column("chosen", str),
    Column("at", str),
)
def reading(wanted: Wanted) -> Iterator[Block]:
    """Every answer of the reading protocol, with what was shown: item counts the passages of a
    topic from 1 on."""
    for records in _by_number(
        "SELECT id, reader, kind, topic, seed, item + 1, payload, at FROM webapp_answer WHERE"
        " run_id = %s AND id > %s ORDER BY id LIMIT 5000",
        wanted.run.pk,
    ):
        yield [
            (
                *(*key, *(answer.get(name) for name in _ANSWERS)),
                *(
                    str(answer["shown"][answer[name]]) if answer.get("shown") else None
                    for name in ("intruder", "chosen")
                ),
                at.isoformat(),
            )
            for key, answer, at in (
                (key, json.loads(payload), at) for _, *key, payload, at in records
            )
        ]


@table(Column("number", int), Column("word", str), Column("tokens", int), Column("documents", int))
def words(wanted: Wanted) -> Iterator[Block]:
    """The vocabulary."""
    return _by_number(
        "SELECT number, word, tokens, documents FROM word WHERE version_id = %s AND number > %s"
        " ORDER BY number LIMIT 20000",
        wanted.run.version_id,
    )


_LINE = [
    Column("topic", int),
    Column("certainty", float),
    Column("document", int),
    Column("title", str),
    Column("date", str),
    Column("at", int),
    Column("before", str),
    Column("word", str),
    Column("after", str),
]


@table(*_LINE)
def lines(wanted: Wanted) -> Iterator[Block]:
    """Every line of a word, or of a pattern of words, with the topic that it was given to there."""
    run = wanted.run
    entry = words_of.word(run.version, wanted.word) if wanted.word else None
    if entry is None and not wanted.pattern:
        raise Invalid(
            "word",
            f"Say a word of the vocabulary with ?word=, or a ?pattern=; got “{wanted.word[:50]}”.",
        )
    if not concordance.has_places(run):
        raise Invalid(
            "word",
            "This corpus was read by a version that did not note where words stand. Upload it"
            " again.",
        )
    for block in (
        patterns.every(
            wanted.selection,
            patterns.hits(wanted.selection, wanted.pattern, next(iter(wanted.topics), None)),
        )
        if entry is None
        else concordance.every(
            wanted.selection, senses.uses(wanted.selection.view, entry, wanted.selection)
        )
    ):
        yield [tuple(getattr(line, column.name) for column in _LINE) for line in block]
