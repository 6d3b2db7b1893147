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
from webapp.analysis.words.concordance import CutLine, Line, LinePlace, Lines, Order
from webapp.analysis.words.shapes import PatternGroup
from webapp.core.documents import document_groups, facets, search
from webapp.core.documents.selection import RunSelection
from webapp.core.documents.shapes import Bar
from webapp.core.results import evidence
from webapp.models import Corpus
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
UNLIMITED = 2**31 - 1  # lines of a document, where no embargo bounds them
Parameters = list[tuple[str, str]]
_hits = BoundedCache(32 << 20, lambda hits: weight([hits.codes, hits.documents, hits.counts]))


class Group(NamedTuple):
    """A group of hits. documents: those with hits in it; counts: hits of each. more: parameters
    that its page has beside those of this one."""

    label: str
    selection: RunSelection
    documents: np.ndarray
    counts: np.ndarray
    more: Parameters


class Hit(NamedTuple):
    """A hit in a document, as inference.index.hits.Hits.places gives it: characters of the
    document's text at which it begins, at which its last word does, and at which the next word of
    the text does; the topic of its first word that has one, and how certain that is: -1 where none
    has."""

    at: int
    last_word: int
    next_word: int
    topic: int
    certainty: int


class Told(NamedTuple):
    """How many hits there are, and documents that have some, as far as who asks may know."""

    hits: int
    documents: int


def limit_to_embargo(selection: RunSelection, hits: Hits) -> Told:
    """Raises Invalid where a reader under embargo asks for what too few documents have: whether
    there is any would tell which word follows which."""
    corpus = selection.run.corpus
    exact = np.array([len(hits.documents), hits.counts.sum(dtype=np.int64)], np.int64)
    documents, tokens = embargo.rounded(corpus, exact).tolist()
    if embargo.readers(corpus) and not documents:
        raise Invalid(
            "pattern",
            "The texts of this corpus are under embargo: where a pattern occurs in few documents,"
            " or in none, that is not told. Ask for what more than"
            f" {2 * embargo.COUNT_STEP} documents have.",
        )
    return Told(max(tokens, documents), documents)


def hits(selection: RunSelection, text: str, topic: int | None) -> Hits:
    """topic: to which a word of each hit is assigned; None for any or none. Raises Invalid for what
    can't be understood, or takes too long, and where the corpus has no index."""
    view = selection.view
    index = search.open_index(selection.run.corpus)
    if not view.run.final or not concordance.has_places(view.run):
        raise Invalid(
            "run",
            "Patterns are found when the run has ended, in a corpus of which it was noted where"
            " words are.",
        )
    pattern = search.pattern(selection.run.corpus, text)
    in_topics = np.zeros(0, bool)  # of any topic, or none
    searched = selection
    if topic is not None:
        searched = selection.with_topic(topic)
        in_topics = np.isin(np.arange(view.run.topics), view.labels.merged_topics(topic))

    def find() -> Hits:
        documents = searched.mask
        if documents is None:
            documents = np.ones(view.run.version.documents, bool)
        return Hits(index, pattern, evidence.of(view.run), in_topics, documents)

    key = (index.made, view.run.snapshot_id, *searched.key, topic, text)
    return _hits.get_or_set(key, find)


def offered_orders(corpus: Corpus) -> dict[Order, str]:
    """The orders that may be asked for, with what pages call them; readers under embargo are given
    lines in the documents' order alone (`page`)."""
    if not embargo.readers(corpus):
        return ORDERS
    return {"document": ORDERS["document"]}


def page(
    selection: RunSelection, hits: Hits, order: str, first: int, limit: int = concordance.PAGE
) -> Lines:
    """Lines `first` and following. Where there are more than an order by context takes, it is that
    of an even sample. Readers under embargo are given those of one page that may be shown."""
    if embargo.readers(selection.run.corpus):
        lines = _shown_lines(selection, hits, limit) if not first else []
        return Lines(lines, len(lines), len(lines), 0)
    counts = np.minimum(hits.counts, embargo.most_lines(selection.run.corpus) or UNLIMITED)
    ends = np.cumsum(counts, dtype=np.int64)
    kept_back = int((hits.counts - counts).sum(dtype=np.int64))
    numbers: Sequence[int]
    if order == "document":
        numbers = range(int(ends[-1]) if len(ends) else 0)
    else:
        numbers = sample(hits.documents, counts, concordance.SORTED).tolist()

    def cut(first: int, limit: int) -> list[CutLine]:
        return _cut_lines(selection, hits, _tokens(ends, numbers[first : first + limit]))

    return concordance.ordered(selection, cut, len(numbers), kept_back, order, first, limit)


def _shown_lines(selection: RunSelection, hits: Hits, limit: int) -> list[Line]:
    """Lines of which something may be shown, in the documents' order. Those of which nothing may
    would tell by their number whether a text that is used up has the pattern. Raises Invalid, as
    `limit_to_embargo`."""
    limit_to_embargo(selection, hits)
    lines_shown: list[Line] = []
    for block in range(0, min(len(hits.documents), MOST_LOOKED_AT), limit or 1):
        hit_places = [(i, 0) for i in range(block, min(block + limit, len(hits.documents)))]
        lines = concordance.lines_of(selection, _cut_lines(selection, hits, hit_places))
        lines_shown += [line for line in lines if line.at is not None]
        if len(lines_shown) >= limit:
            break
    return lines_shown[:limit]


def _tokens(ends: np.ndarray, numbers: Sequence[int]) -> list[tuple[int, int]]:
    """Which of the documents, and which of its hits, some lines are. ends: lines up to each
    document, its own included."""
    return [concordance.tokens_of(np.arange(len(ends)), ends, n, 1)[0] for n in numbers]


def by_group(
    selection: RunSelection, hits: Hits, by: str, own_parameters: Parameters
) -> list[PatternGroup]:
    """The values of a category, or the topics, with most hits. own_parameters: parameters of the
    page."""
    if by == TOPIC:
        groups = _of_topics(selection, hits, dict(own_parameters)["pattern"])
    else:
        groups = _of_values(selection, hits, by)
    lengths = hits.index.stream.lengths
    rows: list[PatternGroup] = []
    tallest: list[float] = []  # bar of each row, in hits of so many words
    for group in groups:
        parameters = own_parameters + group.more
        numbers = group.selection.numbers
        if numbers is None:
            words = lengths[: selection.version.documents]  # others were added later
        else:
            words = lengths[numbers]
        tokens = int(group.counts.sum())
        years, tallest_of_group = facets.rates(
            group.selection, group.documents, group.counts, lengths, parameters, selection
        )
        row = PatternGroup(
            label=group.label,
            url=group.selection.address(without=None, **dict(parameters)),
            hits=tokens,
            documents=len(group.documents),
            rate=facets.RATE_WORDS * tokens / int(words.sum(dtype=np.int64)),
            years=years,
        )
        rows.append(row)
        tallest.append(tallest_of_group)
    # Each row's bars are parts of its own tallest: now of that of all rows
    top = max(tallest, default=0.0) or 1.0
    return [
        replace(row, years=_scale_bars(row.years, highest, top))
        for row, highest in zip(rows, tallest, strict=True)
    ]


def _scale_bars(bars: list[Bar], highest: float, top: float) -> list[Bar]:
    return [replace(rate_bar, part=rate_bar.part * highest / top) for rate_bar in bars]


def _of_values(selection: RunSelection, hits: Hits, by: str) -> Iterator[Group]:
    groups = document_groups.read_groups(selection.version, by)
    group_of_hits = groups.group[hits.documents]  # -1 for none
    counts = np.bincount(group_of_hits + 1, hits.counts, len(groups.labels) + 1)[1:]
    value_count = min(VALUES, np.count_nonzero(counts))
    for g in np.argsort(-counts, kind="stable")[:value_count].tolist():
        is_inside = group_of_hits == g
        yield Group(
            label=groups.labels[g],
            selection=selection.within(groups, g),
            documents=hits.documents[is_inside],
            counts=hits.counts[is_inside],
            more=[],
        )


def _of_topics(selection: RunSelection, of_all: Hits, text: str) -> Iterator[Group]:
    """Those that most hits of a sample have a word of, counted in all. text: the pattern."""
    labels = selection.view.labels
    sampled = sample(of_all.documents, of_all.counts, concordance.SORTED).tolist()
    topics: Counter[int] = Counter()
    for i, nth in _tokens(np.cumsum(of_all.counts, dtype=np.int64), sampled):
        hit = Hit(*of_all.places(int(of_all.documents[i]), nth + 1)[nth].tolist())
        if hit.topic >= 0:
            topics[int(labels.into[hit.topic])] += 1
    hits_of_topic = [(k, hits(selection, text, k)) for k, _ in topics.most_common(VALUES)]
    hits_of_topic.sort(key=lambda pair: -int(pair[1].counts.sum()))
    for k, of_topic in hits_of_topic:
        yield Group(
            label=labels.title(k),
            selection=selection,
            documents=of_topic.documents,
            counts=of_topic.counts,
            more=[("topic", str(k))],
        )


def all_lines(selection: RunSelection, hits: Hits, size: int = 1_000) -> Iterator[list[Line]]:
    """All lines, in the documents' order, a block at a time: under an embargo each block is a
    write."""
    if embargo.readers(selection.run.corpus):
        yield _shown_lines(selection, hits, size)
        return
    for first in range(0, page(selection, hits, "document", 0, 0).total, size):
        yield page(selection, hits, "document", first, size).lines


def _cut_lines(selection: RunSelection, hits: Hits, tokens: list[tuple[int, int]]) -> list[CutLine]:
    """tokens: (which of the documents, which of its hits), ascending."""
    last_of_document = dict(tokens)
    hits_of_document = {
        i: hits.places(int(hits.documents[i]), last + 1).tolist()
        for i, last in last_of_document.items()
    }
    targets = selection.view.labels.into
    hits_found: list[Hit] = []
    word_places: list[LinePlace] = []
    for i, nth in tokens:
        hit = Hit(*hits_of_document[i][nth])
        topic = None if hit.topic < 0 else int(targets[hit.topic])
        hits_found.append(hit)
        word_places.append(LinePlace(int(hits.documents[i]), hit.at, topic, max(hit.certainty, 0)))

    def stops(texts_read: list[embargo.Piece]) -> list[list[int]]:
        """Where the last word ends, which may be followed by what is no word."""
        last_words = [
            cut_text.text[hit.last_word - cut_text.first : hit.next_word - cut_text.first]
            for cut_text, hit in zip(texts_read, hits_found, strict=True)
        ]
        lengths = hits.index.extents(last_words)
        return [
            [hit.last_word - cut_text.first + length]
            for cut_text, hit, length in zip(texts_read, hits_found, lengths, strict=True)
        ]

    return concordance.cut_at(selection.run, word_places, stops)
