"""Where a pattern of words occurs in a set of documents of a run (inference.index.patterns), and
its lines."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.index.hits import Hits, sample
from webapp.analysis.words import concordance
from webapp.analysis.words.concordance import Cut, Line, Lines, Order, Place
from webapp.analysis.words.shapes import PatternGroup
from webapp.core.documents import facets, fields, search
from webapp.core.documents.selection import RunSelection
from webapp.core.results import evidence
from webapp.platform.accounts import embargo
from webapp.platform.storage.cache import BoundedCache, weight

ORDERS: dict[Order, str] = {
    "document": "by document",
    "sample": "spread evenly",
    "left": "by the words before",
    "right": "by the words after",
}
TOPIC = "run-topic"  # groups hits by the topic of a word of theirs; no field is called so
MOST_LOOKED_AT = 1_000  # documents among which a reader under embargo is shown lines
VALUES = 12  # of a category, or topics, that are counted, those with most hits
# What it is called, its set, documents with hits, hits of each, and the parameters of its page
Group = tuple[str, RunSelection, np.ndarray, np.ndarray, list[tuple[str, str]]]
_hits = BoundedCache(32 << 20, lambda hits: weight([hits.codes, hits.documents, hits.counts]))


class Told(NamedTuple):
    """How many hits there are, and documents that have some, as far as who asks may know."""

    hits: int
    documents: int


def told(selection: RunSelection, hits: Hits) -> Told:
    """Raises Invalid where a reader under embargo asks for what too few documents have: whether
    there is any would tell which word follows which."""
    corpus = selection.run.corpus
    exact = np.array([len(hits.documents), hits.counts.sum(dtype=np.int64)], np.int64)
    documents, tokens = embargo.rounded(corpus, exact).tolist()
    if embargo.readers(corpus) and not documents:
        raise Invalid(
            "pattern",
            "The texts of this corpus are under embargo: where a pattern occurs in few documents, or"
            f" in none, that is not told. Ask for what more than {2 * embargo.STEP} documents have.",
        )
    return Told(max(tokens, documents), documents)


def hits(selection: RunSelection, text: str, topic: int | None) -> Hits:
    """topic: to which a word of each hit is assigned; None for any or none. Raises Invalid for what
    can't be understood, or takes too long, and where the corpus has no index."""
    view, index = selection.view, search.open_index(selection.run.corpus)
    if not (view.run.final and concordance.has_places(view.run)):
        raise Invalid(
            "run",
            "Patterns are found when the run has ended, in a corpus of which it was noted where"
            " words are.",
        )
    pattern = search.pattern(selection.run.corpus, text)
    chosen, parts = (
        (selection, [])
        if topic is None
        else (selection.with_topic(topic), view.labels.parts(topic))
    )
    return _hits.get_or_set(
        (index.made, view.run.snapshot_id, *chosen.key, topic, text),
        lambda: Hits(
            index,
            pattern,
            evidence.of(view.run),
            np.isin(np.arange(view.run.topics if parts else 0), parts),
            np.ones(view.run.version.documents, bool) if chosen.mask is None else chosen.mask,
        ),
    )


def page(
    selection: RunSelection, hits: Hits, order: str, first: int, limit: int = concordance.PAGE
) -> Lines:
    """Lines `first` and following. Where there are more than an order by context takes, it is that
    of an even sample. Readers under embargo are given those of one page that may be shown."""
    if embargo.readers(selection.run.corpus):
        lines = _shown(selection, hits, limit) if not first else []
        return Lines(lines, len(lines), len(lines), 0)
    counts = np.minimum(hits.counts, embargo.lines(selection.run.corpus) or 2**31 - 1)
    ends = np.cumsum(counts, dtype=np.int64)
    shown, kept_back = (
        int(ends[-1]) if len(ends) else 0,
        int((hits.counts - counts).sum(dtype=np.int64)),
    )
    numbers = (
        range(shown)
        if order == "document"
        else sample(hits.documents, counts, concordance.SORTED).tolist()
    )

    def cut(first: int, limit: int) -> list[Cut]:
        return _cut(selection, hits, _tokens(ends, numbers[first : first + limit]))

    return concordance.ordered(selection, cut, len(numbers), kept_back, order, first, limit)


def _shown(selection: RunSelection, hits: Hits, limit: int) -> list[Line]:
    """Lines of which something may be shown, in the documents' order. Those of which nothing may
    would tell by their number whether a text that is used up has the pattern. Raises Invalid, as
    `told`."""
    told(selection, hits)
    shown = list[Line]()
    for block in range(0, min(len(hits.documents), MOST_LOOKED_AT), limit or 1):
        places = [(i, 0) for i in range(block, min(block + limit, len(hits.documents)))]
        lines = concordance.lines_of(selection, _cut(selection, hits, places))
        shown += [line for line in lines if line.at is not None]
        if len(shown) >= limit:
            break
    return shown[:limit]


def _tokens(ends: np.ndarray, numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Which of the documents, and which of its hits, some lines are. ends: lines up to each
    document, its own included."""
    return [concordance.tokens_of(np.arange(len(ends)), ends, n, 1)[0] for n in numbers]


def by_group(
    selection: RunSelection, hits: Hits, by: str, own: list[tuple[str, str]]
) -> list[PatternGroup]:
    """The values of a category, or the topics, with most hits. own: parameters of the page."""
    made, lengths = list[tuple[PatternGroup, float]](), hits.index.stream.lengths
    for label, chosen, documents, counts, more in (_of_topics if by == TOPIC else _of_values)(
        selection, hits, by, own
    ):
        tokens, words = (
            int(counts.sum()),
            lengths if chosen.numbers is None else lengths[chosen.numbers],
        )
        years, most = facets.rates(chosen, documents, counts, lengths, own + more, selection)
        made.append(
            (
                PatternGroup(
                    label,
                    chosen.address(without=None, **dict(own + more)),
                    tokens,
                    len(documents),
                    facets.PER * tokens / int(words.sum(dtype=np.int64)),
                    years,
                ),
                most,
            )
        )
    top = max((most for _, most in made), default=0.0) or 1.0
    return [
        replace(row, years=[replace(bar, part=bar.part * most / top) for bar in row.years])
        for row, most in made
    ]


def _of_values(
    selection: RunSelection, hits: Hits, by: str, own: list[tuple[str, str]]
) -> Iterator[Group]:
    groups = fields.groups(selection.version, by)
    of_hits = groups.group[hits.documents]
    counts = np.bincount(of_hits + 1, hits.counts, len(groups.labels) + 1)[1:]
    for g in np.argsort(-counts, kind="stable")[: min(VALUES, np.count_nonzero(counts))].tolist():
        inside = of_hits == g
        yield (
            groups.labels[g],
            selection.within(groups, g),
            hits.documents[inside],
            hits.counts[inside],
            [],
        )


def _of_topics(
    selection: RunSelection, pattern: Hits, by: str, own: list[tuple[str, str]]
) -> Iterator[Group]:
    """Those that most hits of a sample have a word of, counted in all."""
    labels, lines = (
        selection.view.labels,
        sample(pattern.documents, pattern.counts, concordance.SORTED).tolist(),
    )
    tokens = _tokens(np.cumsum(pattern.counts, dtype=np.int64), lines)
    given = [int(pattern.places(int(pattern.documents[i]), n + 1)[n, 3]) for i, n in tokens]
    seen = Counter(int(labels.into[k]) for k in given if k >= 0).most_common(VALUES)
    counted = [(k, hits(selection, dict(own)["pattern"], k)) for k, _ in seen]
    for k, each in sorted(counted, key=lambda pair: -int(pair[1].counts.sum())):
        yield labels.title(k), selection, each.documents, each.counts, [("topic", str(k))]


def every(selection: RunSelection, hits: Hits, size: int = 1_000) -> Iterator[list[Line]]:
    """All lines, in the documents' order, a block at a time: under an embargo each block is a
    write."""
    if embargo.readers(selection.run.corpus):
        yield _shown(selection, hits, size)
        return
    for first in range(0, page(selection, hits, "document", 0, 0).total, size):
        yield page(selection, hits, "document", first, size).lines


def _cut(selection: RunSelection, hits: Hits, tokens: list[tuple[int, int]]) -> list[Cut]:
    """tokens: (which of the documents, which of its hits), ascending."""
    of_document = {
        i: hits.places(int(hits.documents[i]), nth + 1).tolist() for i, nth in dict(tokens).items()
    }
    rows = [(int(hits.documents[i]), *of_document[i][nth]) for i, nth in tokens]

    def stops(pieces: list[embargo.Piece]) -> list[list[int]]:
        lengths = hits.index.extents(
            [
                piece.text[row[2] - piece.first : row[3] - piece.first]
                for piece, row in zip(pieces, rows, strict=True)
            ]
        )
        return [
            [row[2] - piece.first + length]
            for piece, row, length in zip(pieces, rows, lengths, strict=True)
        ]

    places = [
        Place(
            document,
            at,
            None if topic < 0 else int(selection.view.labels.into[topic]),
            max(certainty, 0),
        )
        for document, at, *_, topic, certainty in rows
    ]
    return concordance.cut_at(selection.run, places, stops)
