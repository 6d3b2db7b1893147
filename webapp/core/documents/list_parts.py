"""The parts of a list of documents, each in an order of its own: by date, by the share of a topic, by
relevance, or the corpus's own.

What has to be put in order is made where it is first asked for, and a web process keeps the last few
orders.
"""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from webapp.core.documents import document_days, search
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import evidence
from webapp.intake.metadata.columns import put_in_order
from webapp.platform.storage.cache import BoundedCache

FIRST_MATCHES = 2_000  # matches of a search that are put in order before others are asked for
LAST_KEY = 1e12  # of a document without a date, or that the search does not find
# Bytes of orders that a web process keeps: at ten million documents the last three of a whole corpus
_KEPT_BYTES = 128 << 20
kept_orders = BoundedCache(_KEPT_BYTES)


class ListPart(ABC):
    """Documents one after the other, by key, then by number. length: how many they are."""

    length: int

    @abstractmethod
    def numbers(self) -> np.ndarray:
        """int[length]: numbers of the documents in their order, which may have to be made first."""

    @abstractmethod
    def key(self, number: int) -> float:
        """By what a document is ordered, also one that another part has."""

    def number(self, place: int) -> int:
        """The document at a place; places below 0 are counted from the end."""
        return int(self.numbers()[place])

    def place(self, key: float, number: int, find: Callable = bisect_left) -> int:
        """The first document that does not come before a key and a number; with bisect_right the
        first behind them."""
        numbers = self.numbers()
        return find(
            range(self.length),
            (key, number),
            key=lambda i: (self.key(int(numbers[i])), int(numbers[i])),
        )


class InCorpusOrder(ListPart):
    """Documents of a set in the order of the corpus."""

    def __init__(self, selection: Selection):
        numbers = selection.numbers
        assert numbers is not None, "a list of all documents in their order has no parts"
        self._numbers = numbers
        self.length = len(numbers)

    def numbers(self) -> np.ndarray:
        """int32[length], ascending."""
        return self._numbers

    def key(self, number: int) -> float:
        """The same of all: their numbers alone order them."""
        return 0.0


class ByDate(ListPart):
    """Documents of a set, the oldest or the newest first; those without a date last."""

    def __init__(self, selection: Selection, newest: bool):
        self.selection = selection
        self.newest = newest
        self.length = selection.count
        self._days = document_days.read_days(selection.version)
        # All documents as reading left them in this order; None where it didn't
        self._corpus_order = document_days.order_by_day(selection.version, newest)

    def numbers(self) -> np.ndarray:
        """int32[length]; of some days a part of the corpus's order, which needs no sorting."""
        if self.selection.is_only_days and self._corpus_order is not None:
            days = self.selection.day_range
            first = document_days.first_place(self.selection.version, days, self.newest)
            return self._corpus_order[first : first + self.length]
        name = "newest" if self.newest else "date"
        return kept_orders.get_or_set((self.selection.key, name), self._sort)

    def _sort(self) -> np.ndarray:
        numbers = self.selection.numbers
        if numbers is not None:
            return numbers[put_in_order(self._days[numbers], self.newest)]
        if self._corpus_order is not None:
            return self._corpus_order
        return put_in_order(self._days, self.newest)

    def key(self, number: int) -> float:
        """Its day."""
        day = float(self._days[number])
        if day == 0:
            return LAST_KEY
        return -day if self.newest else day


class HavingTopic(ListPart):
    """Documents of a set that have some of a topic, the largest share first.

    topics: the topic, and those that were merged into it. order_key: of what is kept of this order.
    """

    def __init__(self, selection: RunSelection, topic: int):
        self.selection = selection
        self.topics = selection.view.labels.merged_topics(topic)
        self.order_key = (selection.run.snapshot_id, *self.topics)
        self._evidence = evidence.of(selection.run)
        self._holders = self._find_holders()
        self.length = len(self._holders)

    def _find_holders(self) -> np.ndarray:
        if len(self.topics) == 1 and self.selection.mask is None:
            return self._sort()  # training left the order itself
        return kept_orders.get_or_set((self.selection.key, "with", self.order_key), self._sort)

    def _sort(self) -> np.ndarray:
        return _holders_by_share(self._evidence, self.topics, self.selection.mask)

    def numbers(self) -> np.ndarray:
        """int32[length]."""
        return self._holders

    def key(self, number: int) -> float:
        """The topic's share of the document's words, below 0."""
        tokens = self._evidence.mixtures.tokens
        topic_tokens = sum(tokens(number, topic) for topic in self.topics)
        first = self._evidence.document_bow.first_token
        return -(topic_tokens / max(int(first[number + 1] - first[number]), 1))


class LackingTopic(ListPart):
    """The documents of a set that have none of a topic, in the order of the corpus."""

    def __init__(self, having: HavingTopic):
        self.having = having
        self.selection = having.selection
        self.length = self.selection.count - having.length

    def numbers(self) -> np.ndarray:
        """int32[length], ascending."""
        key = (self.selection.key, "without", self.having.order_key)
        return kept_orders.get_or_set(key, self._find)

    def _find(self) -> np.ndarray:
        mask = self.selection.mask
        lacks = np.ones(self.selection.version.documents, bool) if mask is None else mask.copy()
        lacks[self.having.numbers()] = False
        return np.flatnonzero(lacks).astype(np.int32)

    def key(self, number: int) -> float:
        """As those that have the topic: a share of 0."""
        return self.having.key(number)


class BestMatches(ListPart):
    """The FIRST_MATCHES documents that match a search best, better ones first.

    matches: int32[M], ascending, all documents that the search finds. keys: float[M], of each.
    remaining: int64, places in both of those that are not among the best.
    """

    def __init__(self, selection: Selection):
        matches = selection.numbers
        assert matches is not None, "a search is a condition"
        self.selection = selection
        self.matches = matches
        self.keys, self._best, self.remaining = kept_orders.get_or_set(
            (selection.key, "relevance"), self._rank
        )
        self.length = len(self._best)

    def _rank(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        index = search.open_index(self.selection.corpus)
        keys = -index.rank(self.selection.q, self.matches)
        best, remaining = _first_places(keys)
        return keys, self.matches[best[np.argsort(keys[best], kind="stable")]], remaining

    def numbers(self) -> np.ndarray:
        """int32[length]."""
        return self._best

    def key(self, number: int) -> float:
        """How relevant it is, below 0."""
        place = int(np.searchsorted(self.matches, number))
        is_match = place < len(self.matches) and self.matches[place] == number
        return float(self.keys[place]) if is_match else LAST_KEY


class OtherMatches(ListPart):
    """The documents that a search finds behind the best ones; they are put in order when somebody
    asks for them."""

    def __init__(self, best: BestMatches):
        self.best = best
        self.length = len(best.remaining)

    def numbers(self) -> np.ndarray:
        """int32[length]."""
        return kept_orders.get_or_set((self.best.selection.key, "behind"), self._sort)

    def _sort(self) -> np.ndarray:
        remaining = self.best.remaining
        return self.best.matches[remaining[np.argsort(self.best.keys[remaining], kind="stable")]]

    def key(self, number: int) -> float:
        """As those of the best."""
        return self.best.key(number)


def number_before(parts: list[ListPart], place: int) -> int | None:
    """The document before a place of the last part; None where that is the beginning."""
    if place > 0:
        return parts[-1].number(place - 1)
    nonempty = [part for part in parts[:-1] if part.length]
    return nonempty[-1].number(-1) if nonempty else None


def number_behind(parts: list[ListPart], place: int) -> int | None:
    """The document behind a place of the first part; None where that is the end."""
    if place + 1 < parts[0].length:
        return parts[0].number(place + 1)
    nonempty = [part for part in parts[1:] if part.length]
    return nonempty[0].number(0) if nonempty else None


def _holders_by_share(
    run_evidence: evidence.Evidence, parts: list[int], mask: np.ndarray | None
) -> np.ndarray:
    """int32[n]: the documents of a set that have some of a topic, the largest share first. parts:
    the topics that were merged into it. mask: bool[D], the set; None for all documents."""
    if len(parts) == 1:
        topic_documents = run_evidence.topic_documents
        begin, end = topic_documents.topic_ptr[parts[0] : parts[0] + 2].tolist()
        holders = np.asarray(topic_documents.by_share[begin:end])
        return holders if mask is None else holders[mask[holders]]
    topic_tokens = run_evidence.mixtures.tokens_held(parts)
    if mask is not None:
        topic_tokens = np.where(mask, topic_tokens, 0)
    holders = np.flatnonzero(topic_tokens).astype(np.int32)
    shares = topic_tokens[holders] / run_evidence.lengths[holders]
    return holders[np.argsort(-shares, kind="stable")]


def _first_places(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(places of the FIRST_MATCHES least keys, of equals the first; places of the others), int64,
    ascending both."""
    if len(keys) <= FIRST_MATCHES:
        return np.arange(len(keys)), np.zeros(0, np.int64)
    limit = np.partition(keys, FIRST_MATCHES)[FIRST_MATCHES]
    below = np.flatnonzero(keys < limit)
    equal = np.flatnonzero(keys == limit)
    first = np.sort(np.concatenate([below, equal[: FIRST_MATCHES - len(below)]]))
    return first, np.delete(np.arange(len(keys)), first)
