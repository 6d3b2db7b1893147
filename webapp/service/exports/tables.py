"""The tables of a run: typed columns, and rows a block at a time, so that no table is ever held
whole."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from itertools import chain
from operator import attrgetter
from types import NoneType
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np

from inference.errors import Invalid
from webapp.analysis.families import family_cuts
from webapp.analysis.words import concordance, patterns, queries as words_of, senses
from webapp.core.documents import document_groups, fields, sums
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence, measures
from webapp.core.results.labels import Labels
from webapp.models import Edit, Run
from webapp.platform.accounts import embargo
from webapp.platform.drawing.numbers import topic_label
from webapp.platform.storage.sql import rows, rows_as, tuples
from webapp.service.exports.deposit_form import DepositForm

WIDE_WORDS = 20  # of a topic in the wide form
# Columns that the wide form may have: spreadsheets and Postgres take more, readers don't
MAX_WORDS = 1000
BLOCK_DOCUMENTS = 2_000  # in a block
LOOKED_THROUGH = 50  # times as many documents are looked through at once for those that are chosen
# Topics whose shares stand beside documents: each holds a column of the corpus in memory
MAX_TOPICS = 50
CELLS = 200_000  # in a block of a wide table
LARGEST_OFFSET = 2**31 - 1  # characters


Row = TypeVar("Row", bound=tuple)


class Column(NamedTuple):
    name: str
    type: type  # int, float or str


Block = Sequence[tuple]  # rows


class ExportTable(NamedTuple):
    columns: list[Column]
    blocks: Iterator[Block]

    @classmethod
    def begun(cls, columns: Iterable[Column], blocks: Iterator[Block]) -> "ExportTable":
        """Its first block is made at once: what can't be made is refused before anything is
        sent."""
        first = next(blocks, [])
        return cls(list(columns), chain([first], blocks))


@dataclass(frozen=True)
class ExportSource:
    """What is asked for: a run, and where it matters a set of documents, or what else the address
    says."""

    run: Run
    selection: RunSelection
    words: int = WIDE_WORDS
    by: str = ""
    word: str = ""
    pattern: str = ""
    families: int | None = None
    # whose shares stand beside documents; of hits of a pattern the one that they are in
    topics: tuple[int, ...] = ()
    deposit: DepositForm | None = None  # as it was answered


def columns_of(row_class: type[tuple]) -> list[Column]:
    """The columns of a table whose rows are a NamedTuple: its fields, in their order. The column of
    `float | None` is one of numbers."""
    return [Column(name, _cell_type(hint)) for name, hint in get_type_hints(row_class).items()]


def _cell_type(hint: Any) -> type:
    of_union = [member for member in get_args(hint) if member is not NoneType]
    return of_union[0] if of_union else hint


def table(
    row_class: type[Row],
) -> Callable[
    [Callable[[ExportSource], Iterator[list[Row]]]], Callable[[ExportSource], ExportTable]
]:
    """Decorate a function that yields the blocks of a table: it returns the table, whose columns
    are the fields of its rows."""
    columns = columns_of(row_class)

    def decorate(
        blocks: Callable[[ExportSource], Iterator[list[Row]]],
    ) -> Callable[[ExportSource], ExportTable]:
        @wraps(blocks)
        def make_table(source: ExportSource) -> ExportTable:
            return ExportTable.begun(columns, blocks(source))

        return make_table

    return decorate


def _by_number(row_class: type[Row], sql: str, owner: int) -> Iterator[list[Row]]:
    """Read the rows of a query, a block at a time, in the order of its first column, a number.

    sql: its two parameters are `owner`, such as a run's number, and the number after which the
    block begins."""
    after = -1
    while records := rows_as(row_class, sql, [owner, after]):
        yield records
        after = records[-1][0]


class _TopicWord(NamedTuple):
    topic: int
    rank: int  # from 1 on
    word: str
    weight: float
    tokens: int
    documents: int
    label: str
    name: str


@table(_TopicWord)
def topics_long(source: ExportSource) -> Iterator[list[_TopicWord]]:
    run = source.run
    labels = source.selection.view.labels
    for k in range(run.topics):
        yield rows_as(
            _TopicWord,
            "SELECT tw.topic, tw.rank + 1 AS rank, w.word, tw.weight, tw.tokens, tw.documents,"
            " %s AS label, %s AS name"
            " FROM topic_word tw JOIN word w ON w.version_id = %s AND w.number = tw.word"
            " WHERE tw.snapshot_id = %s AND tw.topic = %s ORDER BY tw.rank",
            [labels.label(k), labels.name(k), run.version_id, run.snapshot_id, k],
        )


class _WideTopic(NamedTuple):
    """A topic, before its first words."""

    topic: int
    share: float
    coherence: float
    label: str
    name: str


def topics_wide(source: ExportSource) -> ExportTable:
    """A row for each topic, with its first words in columns of their own."""
    count = source.words
    if not 1 <= count <= MAX_WORDS:
        raise Invalid("words", f"“words” must be from 1 to {MAX_WORDS}, got {count}.")
    first_words = [Column(f"word_{n}", str) for n in range(1, count + 1)]
    columns = [*columns_of(_WideTopic), *first_words]
    return ExportTable.begun(columns, _wide_blocks(source))


def _wide_blocks(source: ExportSource) -> Iterator[Block]:
    run = source.run
    count = source.words
    labels = source.selection.view.labels
    step = max(1, CELLS // count)
    for first in range(0, run.topics, step):
        span = (first, first + step)
        words = _first_words(run, span, count)
        of_topics = tuples(
            "SELECT number, share, coherence FROM webapp_topic WHERE snapshot_id = %s AND"
            " number >= %s AND number < %s ORDER BY number",
            [run.snapshot_id, *span],
        )
        block = []
        for k, share, coherence in of_topics:
            topic = _WideTopic(
                topic=k,
                share=share,
                coherence=coherence,
                label=labels.label(k),
                name=labels.name(k),
            )
            missing = [None] * (count - len(words[k]))
            block.append((*topic, *words[k], *missing))
        yield block


def _first_words(run: Run, span: tuple[int, int], count: int) -> dict[int, list[str]]:
    """Topic -> its first words, of the topics from one to before another."""
    records = tuples(
        "SELECT tw.topic, w.word FROM topic_word tw JOIN word w ON w.version_id = %s AND"
        " w.number = tw.word WHERE tw.snapshot_id = %s AND tw.topic >= %s AND tw.topic < %s"
        " AND tw.rank < %s ORDER BY tw.topic, tw.rank",
        [run.version_id, run.snapshot_id, *span, count],
    )
    words: dict[int, list[str]] = defaultdict(list)
    for k, word in records:
        words[k].append(word)
    return words


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
_NAMES = {  # columns of the database -> ours
    "source_id": "id",
    "title": "title",
    "date_text": "date",
    "file": "file",
    "place": "place",
    "digest": "sha256",
}


def selected(source: ExportSource, size: int = BLOCK_DOCUMENTS) -> Iterator[np.ndarray]:
    """Numbers of the documents that are asked for, ascending, a block at a time."""
    mask = source.selection.mask
    documents = source.run.version.documents
    step = size * LOOKED_THROUGH
    for first in range(0, documents, step):
        end = min(first + step, documents)
        if mask is None:
            numbers = np.arange(first, end)
        else:
            numbers = first + np.flatnonzero(mask[first:end])
        for i in range(0, len(numbers), size):
            yield numbers[i : i + size]


def about(run: Run, numbers: np.ndarray, *further_fields: str) -> dict[int, dict]:
    """What is known of documents, without their texts: document, id, title, date, file, place,
    sha256, part, whole (the number of its first section), and `further_fields`, columns of
    webapp.platform.accounts.embargo.about."""
    rows = embargo.about(run.corpus, numbers.tolist(), "part", *_NAMES, *further_fields)
    by_document = {}
    for d, row in rows.items():
        values: Mapping[str, object] = row
        cells = {name: values[column] for column, name in _NAMES.items()}
        cells |= {name: values[name] for name in further_fields}
        cells |= {"document": d, "part": row["part"], "whole": d - row["part"] + 1}
        by_document[d] = cells
    return by_document


def _cells(row: dict, columns: list[Column]) -> tuple:
    return tuple(row[column.name] for column in columns)


def documents(source: ExportSource, documents_in_block: int = BLOCK_DOCUMENTS) -> ExportTable:
    """A row for each document, its number first, with a column for the share of each topic asked
    for, merged topics in their targets."""
    labels = source.selection.view.labels
    of_conditions = [k for k, _ in source.selection.topics]
    topics = list(dict.fromkeys([*of_conditions, *source.topics]))  # each once
    shares = [Column(f"share of {labels.title(k)}", float) for k in topics]
    columns = [*_DOCUMENT, Column("tokens", int), *shares, *_PLACE, Column("metadata", str)]
    return ExportTable.begun(columns, _document_blocks(source, topics, documents_in_block))


def _document_blocks(
    source: ExportSource, topics: list[int], documents_in_block: int
) -> Iterator[Block]:
    assigned = evidence.of(source.run)
    labels = source.selection.view.labels
    tokens_of_topics = [assigned.mixtures.tokens_held(labels.merged_topics(k)) for k in topics]
    for numbers in selected(source, documents_in_block):
        block = []
        for d, row in _describe_documents(source.run, numbers, "metadata"):
            length = int(assigned.lengths[d])
            shares = [float(tokens[d] / max(1, length)) for tokens in tokens_of_topics]
            document = _cells(row, _DOCUMENT)
            block.append((*document, length, *shares, *_cells(row, _PLACE), row["metadata"]))
        yield block


def _describe_documents(
    run: Run, numbers: np.ndarray, *further_fields: str
) -> Iterator[tuple[int, dict]]:
    """`about` of documents, in their order. further_fields: as there."""
    by_document = about(run, numbers, *further_fields)
    for d in numbers.tolist():
        yield d, by_document[d]


def document_topics(source: ExportSource) -> ExportTable:
    """A row for each document and topic that it has."""
    columns = [*_DOCUMENT, *columns_of(_TopicOfDocument), *_PLACE]
    return ExportTable.begun(columns, _document_topic_blocks(source))


class _TopicOfDocument(NamedTuple):
    topic: int
    tokens: int
    share: float


def _document_topic_blocks(source: ExportSource) -> Iterator[Block]:
    assigned = evidence.of(source.run)
    for numbers in selected(source):
        block = []
        for d, row in _describe_documents(source.run, numbers):
            document = _cells(row, _DOCUMENT)
            place_cells = _cells(row, _PLACE)
            block += [(*document, *topic, *place_cells) for topic in _mixture(assigned, d)]
        yield block


def _mixture(assigned: evidence.Evidence, d: int) -> list[_TopicOfDocument]:
    """The topics of a document, the largest first."""
    topics, tokens = assigned.mixtures.of_document(d)
    order = np.argsort(-tokens, kind="stable")
    length = int(assigned.lengths[d])
    pairs = zip(topics[order].tolist(), tokens[order].tolist(), strict=True)
    return [_TopicOfDocument(topic=k, tokens=count, share=count / length) for k, count in pairs]


class _TopicOfSection(NamedTuple):
    """section: from 1 on. start: the character at which its first word that counts begins. share:
    of the section."""

    section: int
    start: int
    topic: int
    tokens: int
    share: float


def section_topics(source: ExportSource) -> ExportTable:
    """A row for each section and topic that it has."""
    columns = [*_DOCUMENT, *columns_of(_TopicOfSection)]
    return ExportTable.begun(columns, _section_blocks(source))


def _section_blocks(source: ExportSource) -> Iterator[Block]:
    assigned = evidence.of(source.run)
    for numbers in selected(source):
        block = []
        for d, row in _describe_documents(source.run, numbers):
            document = _cells(row, _DOCUMENT)
            block += [(*document, *section) for section in _sections(assigned, d)]
        yield block


def _sections(assigned: evidence.Evidence, d: int) -> Iterator[_TopicOfSection]:
    """Section by section, the largest topic of each first."""
    bow = assigned.section_bow
    rows = range(d, d + 1)
    if bow.first_row is not None:
        rows = range(*bow.first_row[d : d + 2].tolist())
    for section, row in enumerate(rows, 1):
        pairs = slice(bow.indptr[row], bow.indptr[row + 1])
        tokens = np.bincount(
            assigned.token_topics.topics[pairs], bow.counts[pairs], minlength=assigned.K
        )
        tokens = tokens.astype(np.int64)
        length = int(tokens.sum())
        start = 0
        if bow.offsets is not None:
            start = int(bow.offsets_of(row).min(initial=LARGEST_OFFSET))
        in_use = np.count_nonzero(tokens)
        for k in np.argsort(-tokens, kind="stable")[:in_use].tolist():
            count = int(tokens[k])
            yield _TopicOfSection(
                section=section, start=start, topic=k, tokens=count, share=count / length
            )


def document_topics_wide(source: ExportSource) -> ExportTable:
    """A row for each document, with a column for the share of each topic."""
    shares = [Column(topic_label(k), float) for k in range(source.run.topics)]
    columns = [*_DOCUMENT, Column("tokens", int), *_PLACE, *shares]
    return ExportTable.begun(columns, _wide_document_blocks(source))


def _wide_document_blocks(source: ExportSource) -> Iterator[Block]:
    assigned = evidence.of(source.run)
    K = source.run.topics
    for numbers in selected(source, max(1, CELLS // K)):
        block = []
        for d, row in _describe_documents(source.run, numbers):
            shares = [0.0] * K
            for topic in _mixture(assigned, d):
                shares[topic.topic] = topic.share
            length = int(assigned.lengths[d])
            block.append((*_cells(row, _DOCUMENT), length, *_cells(row, _PLACE), *shares))
        yield block


def groupings(run: Run) -> list[str]:
    """What topics can be counted by: the period that fits the dates first, then the others, then
    the categories."""
    categories = [category.name for category in fields.categories(run.version)]
    finest = document_groups.best_period(run.version)
    if not finest:
        return categories
    periods = document_groups.countable_periods(run.version)
    periods.sort(key=lambda period: period != finest)
    return [*periods, *categories]


class _TopicOfGroup(NamedTuple):
    """A topic in a period or value. share: of the words there; None where there are none."""

    topic: int
    label: str
    name: str
    tokens: int
    documents: int
    share: float | None
    tokens_of_all_topics: int


def topic_time(source: ExportSource) -> ExportTable:
    """A row for each topic and period or value of a category."""
    run = source.run
    by = source.by or next(iter(groupings(run)), None)
    if by is None:
        raise Invalid(
            "by",
            f"No document of “{run.corpus.name}” has a date or a category, so there is nothing to"
            " count by.",
        )
    columns = columns_of(_TopicOfGroup)
    own_names = [column.name for column in columns]
    groups = Column(name_of_field(by, own_names), str)
    return ExportTable.begun([groups, *columns], _blocks_by_group(source, by))


def name_of_field(field: str, own_names: Iterable[str]) -> str:
    """The name of the column of a field of the texts, beside columns of the table's own: no two of
    a table have one name, of which JSON would keep the last alone."""
    return f"{field} (field)" if field in own_names else field


def _blocks_by_group(source: ExportSource, by: str) -> Iterator[Block]:
    run = source.run
    labels = source.selection.view.labels
    groups = document_groups.read_groups(run.version, by)
    group = source.selection.group(groups.group)
    tokens, documents = evidence.of(run).mixtures.sums(group, len(groups.labels))
    for g, name in enumerate(groups.labels):
        total = int(tokens[g].sum())
        block = []
        for k in range(run.topics):
            count = int(tokens[g, k])
            topic = _TopicOfGroup(
                topic=k,
                label=labels.label(k),
                name=labels.name(k),
                tokens=count,
                documents=int(documents[g, k]),
                share=count / total if total else None,
                tokens_of_all_topics=total,
            )
            block.append((name, *topic))
        yield block


_CURATED = [
    Column("topic", int),
    Column("label", str),
    Column("name", str),
    Column("background", int),
    Column("group", str),
    Column("hidden", int),
    Column("into", int),
]
_MEASURES = [
    Column("share", float),
    Column("tokens", int),
    Column("documents", int),
    Column("coherence", float),
    *(Column(name, float) for name in measures.MEASURED),
    Column("floor", float),
    Column("floor_mass", float),
    Column("x", float),
    Column("y", float),
]


def diagnostics(source: ExportSource) -> ExportTable:
    """A row for each topic: what readers say of it, and what is measured."""
    columns = [*_CURATED, *_MEASURES]
    return ExportTable.begun(columns, iter([_diagnostics_block(source)]))


def _diagnostics_block(source: ExportSource) -> Block:
    labels = source.selection.view.labels
    measured_of_topics = rows(
        f"SELECT number, {', '.join(column.name for column in _MEASURES)} FROM webapp_topic WHERE"
        " snapshot_id = %s ORDER BY number",
        [source.run.snapshot_id],
    )
    block = []
    for measured in measured_of_topics:
        k = measured["number"]
        curated = {
            "topic": k,
            "label": labels.label(k),
            "name": labels.name(k),
            "background": int(labels.is_background(k)),
            "group": labels.group(k),
            "hidden": int(labels.is_hidden(k)),
            "into": int(labels.into[k]),
        }
        block.append((*_cells(curated, _CURATED), *_cells(measured, _MEASURES)))
    return block


class _FamilyTopic(NamedTuple):
    """A topic of a family. tokens, share: the topic's own."""

    family: int
    family_name: str
    family_tokens: int
    family_documents: int
    family_share: float
    family_phrases: str
    topic: int
    label: str
    name: str
    hidden: int
    tokens: int
    share: float


@table(_FamilyTopic)
def families(source: ExportSource) -> Iterator[list[_FamilyTopic]]:
    """A row for each topic, at the cut that is asked for. Documents of a family have any of its
    topics."""
    selection = source.selection
    labels = selection.view.labels
    by_topic = sums.of_selection(selection)
    tokens = by_topic.topic_tokens[0]
    share = np.nan_to_num(by_topic.shares[0])
    for number, family in enumerate(family_cuts.count_families(selection, source.families), 1):
        phrases = "; ".join(family.phrases)
        yield [
            _FamilyTopic(
                family=number,
                family_name=family.name,
                family_tokens=family.tokens,
                family_documents=family.documents,
                family_share=family.share,
                family_phrases=phrases,
                topic=k,
                label=labels.label(k),
                name=labels.name(k),
                hidden=int(labels.is_hidden(k)),
                tokens=int(tokens[k]),
                share=float(share[k]),
            )
            for k in family.topics
        ]


def curation(source: ExportSource) -> ExportTable:
    """What readers say at present; curation.services reads it back."""
    columns = [Column("topic", int), *(Column(field, str) for field in Edit.Field.values)]
    return ExportTable.begun(columns, iter([_present_curation(source.selection.view.labels)]))


def _present_curation(labels: Labels) -> Block:
    block = []
    for k in labels.edited():
        present = labels.present(k)
        block.append((k, *(present[field] or None for field in Edit.Field.values)))
    return block


class _StoredEdit(NamedTuple):
    """A row of models.Edit."""

    id: int
    topic: int
    field: str
    value: str
    by: str
    at: datetime
    undone_at: datetime | None
    undone_by: str


class _CurationEdit(NamedTuple):
    edit: int
    topic: int
    field: str
    value: str
    by: str
    at: str
    undone_at: str | None
    undone_by: str | None


@table(_CurationEdit)
def curation_history(source: ExportSource) -> Iterator[list[_CurationEdit]]:
    for stored_edits in _by_number(
        _StoredEdit,
        "SELECT id, topic, field, value, by, at, undone_at, undone_by FROM webapp_edit WHERE run_id"
        " = %s AND id > %s ORDER BY id LIMIT 5000",
        source.run.pk,
    ):
        yield [_edit_row(stored) for stored in stored_edits]


def _edit_row(stored: _StoredEdit) -> _CurationEdit:
    return _CurationEdit(
        edit=stored.id,
        topic=stored.topic,
        field=stored.field,
        value=stored.value,
        by=stored.by,
        at=stored.at.isoformat(),
        undone_at=stored.undone_at.isoformat() if stored.undone_at else None,
        undone_by=stored.undone_by or None,
    )


class _StoredAnswer(NamedTuple):
    """A row of models.Answer. item: from 1 on."""

    id: int
    reader: str
    kind: str
    topic: int
    seed: int
    item: int
    payload: str
    at: datetime


class _ReadingAnswer(NamedTuple):
    """What a reader answered. item: of the passages of a topic, from 1 on. label to log_odds: of
    the answer, those that its kind has. intruder, chosen: words or topics, as they were shown."""

    reader: str
    kind: str
    topic: int
    seed: int
    item: int
    label: str | None
    confidence: int | None
    document: int | None
    share: float | None
    stratum: str | None
    fits: str | None
    log_odds: float | None
    intruder: str | None
    chosen: str | None
    at: str


@table(_ReadingAnswer)
def reading(source: ExportSource) -> Iterator[list[_ReadingAnswer]]:
    """Every answer of the reading protocol, with what was shown."""
    for stored_answers in _by_number(
        _StoredAnswer,
        "SELECT id, reader, kind, topic, seed, item + 1 AS item, payload, at FROM webapp_answer"
        " WHERE run_id = %s AND id > %s ORDER BY id LIMIT 5000",
        source.run.pk,
    ):
        yield [_answer_row(stored) for stored in stored_answers]


def _answer_row(stored: _StoredAnswer) -> _ReadingAnswer:
    answer = json.loads(stored.payload)
    intruder = chosen_word = None
    if answer.get("shown"):
        intruder = str(answer["shown"][answer["intruder"]])
        chosen_word = str(answer["shown"][answer["chosen"]])
    return _ReadingAnswer(
        reader=stored.reader,
        kind=stored.kind,
        topic=stored.topic,
        seed=stored.seed,
        item=stored.item,
        label=answer.get("label"),
        confidence=answer.get("confidence"),
        document=answer.get("document"),
        share=answer.get("share"),
        stratum=answer.get("stratum"),
        fits=answer.get("fits"),
        log_odds=answer.get("log_odds"),
        intruder=intruder,
        chosen=chosen_word,
        at=stored.at.isoformat(),
    )


class _VocabularyWord(NamedTuple):
    number: int
    word: str
    tokens: int
    documents: int


@table(_VocabularyWord)
def words(source: ExportSource) -> Iterator[list[_VocabularyWord]]:
    """The vocabulary."""
    return _by_number(
        _VocabularyWord,
        "SELECT number, word, tokens, documents FROM word WHERE version_id = %s AND number > %s"
        " ORDER BY number LIMIT 20000",
        source.run.version_id,
    )


class _LineRow(NamedTuple):
    """Attributes of webapp.analysis.words.shapes.Line."""

    topic: int
    certainty: float
    document: int
    title: str
    date: str
    at: int
    before: str
    word: str
    after: str


@table(_LineRow)
def lines(source: ExportSource) -> Iterator[list[_LineRow]]:
    """Every line of a word, or of a pattern of words, with the topic that it was given to there."""
    run = source.run
    entry = words_of.word(run.version, source.word) if source.word else None
    if entry is None and not source.pattern:
        raise Invalid(
            "word",
            f"Say a word of the vocabulary with ?word=, or a ?pattern=; got “{source.word[:50]}”.",
        )
    if not concordance.has_places(run):
        raise Invalid(
            "word",
            "This corpus was read by a version that did not note where words stand. Upload it"
            " again.",
        )
    selection = source.selection
    if entry is None:
        topic = next(iter(source.topics), None)
        hits = patterns.hits(selection, source.pattern, topic)
        blocks = patterns.all_lines(selection, hits)
    else:
        blocks = concordance.all_lines(selection, senses.uses(selection.view, entry, selection))
    cells_of = attrgetter(*_LineRow._fields)
    for block in blocks:
        yield [_LineRow._make(cells_of(line)) for line in block]
