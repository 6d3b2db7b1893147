"""Sums of topics over the documents of a range of days, without a look at the documents.

What a share and its interval need of a group of documents are sums over them (explore.bands). Kept
are these sums over all documents before a day, for the first day of each year or month, or for each
day: a range of days is the difference of two rows, and only documents of days between two such
edges are looked at. All sums are of whole numbers, so they are those of a pass over the documents,
to the bit.

Documents without a date have the day 0, so the days 0 ... FOREVER are all documents.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from inference.documents import arrays as arrays_of
from inference.runtime.arrays import frozen
from inference.runtime.jit import njit
from inference.topic_sums import (
    ALL_DOCUMENTS,
    ALL_SQUARES,
    ALL_WITH_WORDS,
    ALL_WORDS,
    MEASURES,
    MEASURES_OF_ALL,
)

FOREVER = 1 << 40
MOST_BYTES = 128 << 20  # of a run's sums
ROW_BYTES = 6  # of a topic of a document
_SUM_BYTES = 8  # an int64
_MONTHS = 12  # of a year
LOOKED_AT_ONE_IN = 8  # ranges look at one in so many documents themselves, at most
_FILE = "day_sums"


class Mixtures(Protocol):
    """What is read of inference.evidence.mixtures.DocumentMixtures, which reads this module."""

    @property
    def K(self) -> int: ...

    @property
    def doc_ptr(self) -> np.ndarray: ...

    @property
    def doc_topics(self) -> np.ndarray: ...

    @property
    def doc_tokens(self) -> np.ndarray: ...

    @property
    def lengths(self) -> np.ndarray: ...


class HasTopicDocuments(Protocol):
    """What is read of inference.evidence.topic_documents.TopicDocuments."""

    @property
    def mixtures(self) -> Mixtures: ...

    @property
    def topic_ptr(self) -> np.ndarray: ...

    @property
    def by_share(self) -> np.ndarray: ...


# Days a ... b - 1 -> int32: their documents, in any order
Documents = Callable[[int, int], np.ndarray]


class Ranges(NamedTuple):
    """Sums of G ranges of days, and as the last those of all documents.

    whole: float64[G + 1, 4], its columns topic_sums.ALL_DOCUMENTS, ALL_WITH_WORDS, ALL_WORDS and
    ALL_SQUARES. by_topic: float64[T, G + 1, M], the measures of topic_sums.MEASURES that were asked
    for, of the topics that were asked for.
    """

    whole: np.ndarray
    by_topic: np.ndarray

    @property
    def of_worded(self) -> np.ndarray:
        """float64[G + 1, 3]: `whole` without ALL_DOCUMENTS, as explore.bands.of_sums takes it."""
        return self.whole[:, ALL_WITH_WORDS:]


class DaySums:
    """Made by `write`. edges: int64[S + 1], days; of_days: int64[S + 1, 4] and by_topic: int64[5, S
    + 1, K], mapped, sums over the documents before each edge."""

    def __init__(self, edges: np.ndarray, of_days: np.ndarray, by_topic: np.ndarray):
        self.edges = edges
        self.whole = of_days
        self.by_topic = by_topic

    @classmethod
    def write(
        cls,
        folder: Path,
        days: np.ndarray,
        K: int,
        doc_ptr: np.ndarray,
        doc_topics: np.ndarray,
        doc_tokens: np.ndarray,
        lengths: np.ndarray,
    ) -> None:
        """days: int32[D], 0 for none; doc_ptr, doc_topics, doc_tokens, lengths: as in
        explore.bands.shares. Writes nothing where no document has a date, or where sums by year
        would take more than the documents' topics themselves: those are soon read then."""
        arrays = arrays_of(doc_ptr, doc_topics, doc_tokens, lengths)
        days = frozen(days, np.int32)
        edges = edges_of_days(days, len(doc_topics), K)
        if edges is None:
            return
        totals = np.zeros((len(edges), MEASURES_OF_ALL), np.int64)
        by_topic = np.zeros((len(MEASURES), len(edges), K), np.int64)
        _count(days, edges, totals, by_topic, *arrays)
        np.cumsum(totals, axis=0, out=totals)
        np.cumsum(by_topic, axis=1, out=by_topic)
        for name, array in (("edges", edges), ("whole", totals), ("of", by_topic)):
            np.save(folder / f"{_FILE}_{name}.npy", array)

    @classmethod
    def open(cls, folder: Path) -> "DaySums | None":
        """None where none were written."""
        if not (folder / f"{_FILE}_of.npy").exists():
            return None
        edges = np.load(folder / f"{_FILE}_edges.npy")
        totals = np.load(folder / f"{_FILE}_whole.npy")
        return cls(edges, totals, np.load(folder / f"{_FILE}_of.npy", mmap_mode="r"))

    def ranges(
        self,
        spans: Sequence[tuple[int, int]],
        topic_documents: HasTopicDocuments,
        documents: Documents,
        days: np.ndarray,
        topics: Sequence[int] | np.ndarray,
        column_of_topic: np.ndarray,
        measures: Sequence[int] = MEASURES,
    ) -> Ranges | None:
        """Sums over the documents of G spans of days, a ... b - 1 each, ascending, none in two.

        days: int32[D]. column_of_topic: int32[K], the topic that each is counted as: of topics that
        others are parts of, the documents are looked at. None where so many documents lie between
        the edges that a pass over all is quicker."""
        days = frozen(days, np.int32)
        bounds = np.array(spans, np.int64).reshape(-1, 2)
        low = np.searchsorted(self.edges, bounds[:, 0], "left")
        high = np.searchsorted(self.edges, bounds[:, 1], "right") - 1
        has_no_edge = low > high
        begins_between = self.edges[np.minimum(low, high)] != bounds[:, 0]
        ends_between = self.edges[high] != bounds[:, 1]
        outer = []
        for g in np.flatnonzero(has_no_edge | begins_between | ends_between).tolist():
            for part in self._outside(*spans[g], int(low[g]), int(high[g])):
                outer.append((g, documents(*part)))
        looked_at = sum(len(documents_outside) for _, documents_outside in outer)
        if looked_at * LOOKED_AT_ONE_IN > len(days):
            return None
        low = np.append(np.minimum(low, high), 0)
        high = np.append(high, len(self.edges) - 1)
        topic_numbers = np.asarray(topics, np.int64)
        columns = np.array(measures, np.int64)
        totals = (self.whole[high] - self.whole[low]).astype(np.float64)
        by_topic = np.empty((len(topics), len(low), len(columns)))
        for m, rows in enumerate(self.by_topic[measure] for measure in measures):
            by_topic[:, :, m] = (rows[high][:, topic_numbers] - rows[low][:, topic_numbers]).T
        mixtures = topic_documents.mixtures
        slot = np.full(mixtures.K, -1, np.int64)
        slot[topic_numbers] = np.arange(len(topics))
        arrays = (
            mixtures.doc_ptr,
            mixtures.doc_topics,
            mixtures.doc_tokens,
            frozen(mixtures.lengths, np.int64),
        )
        for g, documents_outside in outer:
            numbers = frozen(documents_outside, np.int32)
            _add(numbers, g, slot, columns, totals, by_topic, *arrays)
        starts = np.ascontiguousarray(bounds[:, 0])
        ends = np.ascontiguousarray(bounds[:, 1])
        for t, k in enumerate(topic_numbers.tolist()):
            parts = np.flatnonzero(column_of_topic == k)
            if parts.tolist() != [k]:
                by_topic[t] = 0.0
                _fold(
                    parts,
                    np.isin(np.arange(mixtures.K), parts),
                    starts,
                    ends,
                    days,
                    topic_documents.topic_ptr,
                    topic_documents.by_share,
                    columns,
                    by_topic[t],
                    *arrays,
                )
        return Ranges(totals, by_topic)

    def _outside(self, begin: int, end: int, low: int, high: int) -> Iterator[tuple[int, int]]:
        """The days of a span that lie before its first edge and behind its last."""
        if low > high:
            yield begin, end
            return
        last = int(self.edges[high])
        first = int(self.edges[low])
        if begin < first:
            yield begin, first
        if last < end and high + 1 < len(self.edges):
            yield last, end


def edges_of_days(days: np.ndarray, rows: int, K: int) -> np.ndarray | None:
    """int64[S + 1]: 0, then the first day of each day, month or year, whichever is the shortest
    whose sums take no more than the rows, and of the one behind the last. None where no document
    has a date, or the sums of years take more. days: int32[D], 0 for none. rows: topics that the
    documents have together."""
    dated = days[days > 0] if len(days) else days
    if not len(dated):
        return None
    first = date.fromordinal(int(dated.min()))
    last = date.fromordinal(int(dated.max()))
    room = most_bytes(rows) // (len(MEASURES) * _SUM_BYTES * K)
    january_of_first = _MONTHS * first.year
    january_of_last = _MONTHS * last.year
    months = range(january_of_first + first.month - 1, january_of_last + last.month + 1)
    years = range(january_of_first, january_of_last + _MONTHS + 1, _MONTHS)
    for periods, first_day in (
        (range(first.toordinal(), last.toordinal() + 2), int),
        (months, _first_day),
        (years, _first_day),
    ):
        if len(periods) + 1 <= room:
            return np.array([0, *map(first_day, periods)], np.int64)
    return None


def most_bytes(rows: int) -> int:
    """The most bytes of a run's sums, where its documents have so many topics together."""
    return min(rows * ROW_BYTES, MOST_BYTES)


def _first_day(month: int) -> int:
    """The first day of a month, as an ordinal; months are counted from year 0 on."""
    year, month_of_year = divmod(month, _MONTHS)
    if year > date.max.year:
        return date.max.toordinal() + 1
    return date(year, month_of_year + 1, 1).toordinal()


@njit(cache=True, nogil=True)
def _put_length(row, length):
    """Add a document of so many words to the measures of all documents."""
    row[ALL_DOCUMENTS] += 1
    if length > 0:
        row[ALL_WITH_WORDS] += 1
        row[ALL_WORDS] += length
        row[ALL_SQUARES] += length * length


@njit(cache=True, nogil=True)
def _count(days, edges, of_days, by_topic, doc_ptr, doc_topics, doc_tokens, lengths):
    """Add each document to the row of the first edge that is behind its day.

    days: int32[D], 0 for none. edges: int64[S + 1], as edges_of_days gives them. of_days
    (int64[S + 1, 4]) and by_topic (int64[5, S + 1, K]), the measures of all documents and of each
    topic by edge, are added to. doc_ptr, doc_topics, doc_tokens, lengths: as in
    documents.DocumentTopics."""
    begin = edges[1]
    row = np.empty(edges[-1] - begin, np.int64)
    for s in range(1, len(edges) - 1):
        row[edges[s] - begin : edges[s + 1] - begin] = s + 1
    for d in range(len(days)):
        s = row[days[d] - begin] if days[d] > 0 else 1
        length = lengths[d]
        _put_length(of_days[s], length)
        if length == 0:
            continue
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            x = np.int64(doc_tokens[j])
            values = (np.int64(1), x, length, x * x, x * length)
            for m in MEASURES:
                by_topic[m, s, doc_topics[j]] += values[m]


@njit(cache=True, nogil=True)
def _put(row, columns, x, length):
    """Add a document with x tokens of a topic to the measures that are wanted. row: float64[M], is
    added to. columns: int64[M], which of MEASURES they are. x, length: float, tokens."""
    values = (1.0, x, length, x * x, x * length)
    for i in range(len(columns)):
        row[i] += values[columns[i]]


@njit(cache=True, nogil=True)
def _add(documents, g, slot, columns, of_days, by_topic, doc_ptr, doc_topics, doc_tokens, lengths):
    """Add some documents to range g.

    documents: int32[n]. slot: int64[K], each topic's row in by_topic, -1 for none. columns:
    int64[M], which of MEASURES are wanted. of_days: float64[G + 1, 4] and by_topic: float64[T, G +
    1, M], as Ranges has them, are added to. doc_ptr, doc_topics, doc_tokens, lengths: as in
    documents.DocumentTopics."""
    for d in documents:
        length = float(lengths[d])
        _put_length(of_days[g], length)
        if length == 0:
            continue
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            t = slot[doc_topics[j]]
            if t >= 0:
                _put(by_topic[t, g], columns, float(doc_tokens[j]), length)


@njit(cache=True, nogil=True)
def _fold(
    parts,
    is_part,
    starts,
    ends,
    days,
    topic_ptr,
    by_share,
    columns,
    by_topic,
    doc_ptr,
    doc_topics,
    doc_tokens,
    lengths,
):
    """Add the documents of some topics together, each once, to the range that their day is in and
    to the last row. parts: int64, the same topics as is_part: bool[K]. by_topic: float64[G + 1,
    M]."""
    for k in parts:
        for d in by_share[topic_ptr[k] : topic_ptr[k + 1]]:
            x = 0.0
            first = -1
            for j in range(doc_ptr[d], doc_ptr[d + 1]):
                if is_part[doc_topics[j]]:
                    first = doc_topics[j] if first < 0 else first
                    x += doc_tokens[j]
            if first != k:  # it is met in the list of the first of these topics that it has
                continue
            length = float(lengths[d])
            _put(by_topic[-1], columns, x, length)
            g = np.searchsorted(starts, days[d], "right") - 1
            if g >= 0 and days[d] < ends[g]:
                _put(by_topic[g], columns, x, length)


@njit(cache=True, nogil=True)
def in_span(days, begin, end, first, limit):
    """int32, ascending: of the documents from `first` on the first of the days begin ... end - 1,
    at most so many."""
    numbers = np.empty(limit, np.int32)
    n = 0
    for d in range(max(first, 0), len(days)):
        if n == limit:
            break
        if begin <= days[d] < end:
            numbers[n] = d
            n += 1
    return numbers[:n]
