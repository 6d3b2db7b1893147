"""The documents of a set in an order: a page of them, and what stands before and after one."""

from typing import NamedTuple

import numpy as np
import regex

from inference.errors import Invalid
from webapp.documents import fields, search
from webapp.documents.selection import Selection
from webapp.results import evidence
from webapp.storage.cache import BoundedCache

ORDERS = {"order": "order of the corpus", "relevance": "relevance", "date": "oldest first", "newest": "newest first"}
_TOPIC = regex.compile(r"T(\d{1,5})", regex.ASCII)
_LAST = 1e12  # the key of a document without a date
_ranks = BoundedCache(8)


class Neighbours(NamedTuple):
    """Numbers, or None at an end; place: from 1 on, 0 where the document is not in the list."""

    previous: int | None
    next: int | None
    place: int


class Listing:
    """selection's documents by `by`: "order", "relevance", "date", "newest", or "T07", largest share first.

    by: "" for relevance where there is a search, else the corpus's order. Raises Invalid for an order that there is
    not.
    """

    def __init__(self, selection: Selection, by: str = ""):
        self.selection = selection
        self.default = "relevance" if selection.q else "order"
        self.by = by or self.default
        self.topic = _topic(self.by, selection)
        if self.topic is None and self.by not in ORDERS or self.by == "relevance" and not selection.q:
            raise Invalid(
                "by",
                f"“by” in the address must be {', '.join(ORDERS)} (of a search), or a topic such as T07; got “{by[:50]}”.",
            )

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """What of an address describes the list: the set and, where it is not the usual one, the order."""
        return self.selection.parameters + ([("by", self.by)] if self.by != self.default else [])

    @property
    def plain(self) -> bool:
        """All documents in the corpus's order: nothing is to be sorted or looked up."""
        return self.selection.mask is None and self.by == "order"

    def page(self, after: tuple[float, int] | None, limit: int) -> tuple[list[int], str | None]:
        """Numbers behind a place, at most `limit`; and the place behind which the next page begins."""
        if self.plain:
            first = after[1] + 1 if after else 0
            page = list(range(max(first, 0), min(first + limit, self.selection.count)))
            return page, f"0,{page[-1]}" if page and page[-1] + 1 < self.selection.count else None
        numbers, keys = self._sorted()
        if after:
            behind = (keys > after[0]) | ((keys == after[0]) & (numbers > after[1]))
            numbers, keys = numbers[behind], keys[behind]
        if len(numbers) > limit:
            last = np.partition(keys, limit)[limit]  # of equals those with the lowest numbers, which come first already
            near = np.concatenate([np.flatnonzero(keys < last), np.flatnonzero(keys == last)])[: limit + 1]
            numbers, keys = numbers[near], keys[near]
        order = np.lexsort((numbers, keys))
        numbers, keys = numbers[order], keys[order]
        following = f"{float(keys[limit - 1])!r},{numbers[limit - 1]}" if len(numbers) > limit else None
        return numbers[:limit].tolist(), following

    def around(self, number: int) -> Neighbours:
        if self.plain:
            last = self.selection.count - 1
            return Neighbours(number - 1 if number > 0 else None, number + 1 if number < last else None, number + 1)
        numbers, keys = self._sorted()
        at = int(np.searchsorted(numbers, number))
        if at == len(numbers) or numbers[at] != number:
            return Neighbours(None, None, 0)
        before = (keys < keys[at]) | ((keys == keys[at]) & (numbers < number))
        after = ~before
        after[at] = False
        place = int(np.count_nonzero(before)) + 1
        return Neighbours(_extreme(numbers[before], keys[before], -1), _extreme(numbers[after], keys[after], 0), place)

    def _sorted(self) -> tuple[np.ndarray, np.ndarray]:
        """(numbers int64 ascending, keys float64): the list is by key, then number."""
        mask = self.selection.mask
        numbers = np.arange(self.selection.count) if mask is None else np.flatnonzero(mask)
        return numbers, self._keys(numbers)

    def _keys(self, numbers: np.ndarray) -> np.ndarray:
        version, run = self.selection.version, self.selection.run
        if self.topic is not None:
            counted = evidence.of(run)
            held = counted.held(self.selection.view.labels.parts(self.topic))[numbers]
            return -(held / np.maximum(counted.lengths[numbers], 1))
        if self.by in ("date", "newest"):
            days = fields.dates(version)[numbers].astype(np.float64)
            return np.where(days == 0, _LAST, days if self.by == "date" else -days)
        return _relevance(self.selection, numbers) if self.by == "relevance" else np.zeros(len(numbers))


def _extreme(numbers: np.ndarray, keys: np.ndarray, end: int) -> int | None:
    """The first (0) or last (-1) of a list."""
    if not len(numbers):
        return None
    return int(numbers[keys == (keys.min() if end == 0 else keys.max())][end])


def _topic(by: str, selection: Selection) -> int | None:
    match = _TOPIC.fullmatch(by)
    if not match or not selection.run:
        return None
    if int(match[1]) >= selection.run.topics:
        raise Invalid("by", f"Run {selection.run.pk} has topics 0 to {selection.run.topics - 1}, got {by}.")
    return int(match[1])


def _relevance(selection: Selection, numbers: np.ndarray) -> np.ndarray:
    """Less for better matches."""
    return _ranks.get_or_set(
        selection.key, lambda: -search.of(selection.corpus).rank(selection.q, numbers).astype(np.float64)
    )
