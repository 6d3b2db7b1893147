"""The documents of a set in an order: a page of them, and what stands before and after one.

No page sorts the corpus. By the corpus's order, by date and by the share of a topic the whole
corpus is kept in order, in files that reading and training leave behind (metadata.columns,
inference.evidence); a set takes its documents out of them once, and a web process keeps the last
few sets. A place in a list is then looked up by halving.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import regex

from inference.errors import Invalid
from webapp.core.documents import fields, search
from webapp.core.documents.selection import Selection
from webapp.core.results import evidence
from webapp.platform.storage.cache import BoundedCache

ORDERS = {
    "order": "order of the corpus",
    "relevance": "relevance",
    "date": "oldest first",
    "newest": "newest first",
}
_TOPIC = regex.compile(r"T(\d{1,5})", regex.ASCII)
FIRST_MATCHES = 2_000  # matches of a search that are put in order before others are asked for
_LAST = 1e12  # the key of a document without a date
# Bytes of lists that a web process keeps: at ten million documents the last three of a whole corpus
_KEPT_BYTES = 128 << 20
_lists = BoundedCache(_KEPT_BYTES)


class Neighbours(NamedTuple):
    """Numbers, or None at an end; place: from 1 on, 0 where the document is not in the list."""

    previous: int | None
    next: int | None
    place: int


class _Part(NamedTuple):
    """Documents one after the other, by key, then by number. numbers: gives their numbers, which
    may have to be made first. key: of a document, by its number."""

    length: int
    numbers: Callable[[], np.ndarray]
    key: Callable[[int], float]

    def at(self, i: int) -> int:
        return int(self.numbers()[i])

    def place(self, key: float, number: int, find: Callable = bisect_left) -> int:
        """The first document that does not come before a key and a number; with bisect_right the
        first behind them."""
        numbers = self.numbers()
        key_of = self.key
        return find(
            range(self.length),
            (key, number),
            key=lambda i: (key_of(int(numbers[i])), int(numbers[i])),
        )


class Listing:
    """selection's documents by `by`: "order", "relevance", "date", "newest", or "T07", largest
    share first.

    by: "" for relevance where there is a search, else the corpus's order. Raises Invalid for an
    order that there is not.
    """

    def __init__(self, selection: Selection, by: str = ""):
        self.selection = selection
        self.default = "relevance" if selection.q else "order"
        self.by = by or self.default
        self.topic = _topic(self.by, selection)
        if (
            self.topic is None
            and self.by not in ORDERS
            or self.by == "relevance"
            and not selection.q
        ):
            raise Invalid(
                "by",
                f"“by” in the address must be {', '.join(ORDERS)} (of a search), or a topic such as"
                f" T07; got “{by[:50]}”.",
            )

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """What of an address describes the list: the set and, where it is not the usual one, the
        order."""
        return self.selection.parameters + ([("by", self.by)] if self.by != self.default else [])

    @property
    def plain(self) -> bool:
        """All documents in the corpus's order: nothing is to be sorted or looked up."""
        return not self.selection and self.by == "order"

    def page(self, after: tuple[float, int] | None, limit: int) -> tuple[list[int], str | None]:
        """Numbers behind a place, at most `limit`; and the place behind which the next page
        begins."""
        if self.plain:
            first = after[1] + 1 if after else 0
            plain = list(range(max(first, 0), min(first + limit, self.selection.count)))
            return plain, (
                f"0,{plain[-1]}" if plain and plain[-1] + 1 < self.selection.count else None
            )
        if self.by == "order" and self.selection.span:  # no list is made of a page of it
            numbers = fields.next_of(
                self.selection.version, self.selection.span, after[1] + 1 if after else 0, limit + 1
            )
            return numbers[:limit], f"0.0,{numbers[limit - 1]}" if len(numbers) > limit else None
        page: list[int] = []
        last = 0.0  # the key of the page's last document
        for part in self._parts():
            first = part.place(*after, bisect_right) if after else 0
            # else the parts that follow are behind it as a whole
            after = after if first == part.length else None
            if first == part.length:
                continue
            next_numbers = part.numbers()[first : first + limit + 1 - len(page)].tolist()
            last = part.key(next_numbers[: limit - len(page)][-1]) if len(page) < limit else last
            page += next_numbers
            if len(page) > limit:
                return page[:limit], f"{last!r},{page[limit - 1]}"
        return page, None

    def around(self, number: int) -> Neighbours:
        """The documents before and after one, and its place in the list; place 0, without
        neighbours, where the list doesn't have it."""
        if self.plain:
            last = self.selection.count - 1
            return Neighbours(
                number - 1 if number > 0 else None,
                number + 1 if number < last else None,
                number + 1,
            )
        before = 0
        parts = self._parts()
        for n, part in enumerate(parts):
            at = part.place(part.key(number), number)
            if at < part.length and part.at(at) == number:
                left = [other_part for other_part in parts[:n] if other_part.length]
                right = [other_part for other_part in parts[n + 1 :] if other_part.length]
                previous = None
                if at > 0:
                    previous = part.at(at - 1)
                elif left:
                    previous = left[-1].at(-1)
                following = None
                if at + 1 < part.length:
                    following = part.at(at + 1)
                elif right:
                    following = right[0].at(0)
                return Neighbours(previous, following, before + at + 1)
            before += part.length
        return Neighbours(None, None, 0)

    def _parts(self) -> list[_Part]:
        """The list, in one part or in two."""
        if self.topic is not None:
            return self._by_topic(self.topic)
        if self.by in ("date", "newest"):
            return [self._by_date()]
        if self.by == "relevance":
            return self._by_relevance()
        numbers = self.selection.numbers
        assert numbers is not None  # a list of all documents is plain
        return [_Part(len(numbers), lambda: numbers, lambda number: 0.0)]

    def _kept(
        self, make: Callable[[], tuple[np.ndarray, ...]], *about: object
    ) -> tuple[np.ndarray, ...]:
        """Arrays of this list, made where this process has them no more. about: what they depend on
        beside the set."""
        return _lists.get_or_set((self.selection.key, *about), make)

    def _by_date(self) -> _Part:
        days = fields.dates(self.selection.version)
        newest = self.by == "newest"

        def key(number: int) -> float:
            day = float(days[number])
            if day == 0:
                return _LAST
            return -day if newest else day

        ordered = fields.by_date(self.selection.version, newest)
        if self.selection.span and ordered is not None:
            first = fields.first_position(self.selection.version, self.selection.span, newest)
            length = self.selection.count
            return _Part(length, lambda: ordered[first : first + length], key)

        def make() -> tuple[np.ndarray]:
            numbers = self.selection.numbers
            if numbers is None:
                return (fields.put_in_order(days, newest) if ordered is None else ordered,)
            return (numbers[fields.put_in_order(days[numbers], newest)],)

        return _Part(self.selection.count, lambda: self._kept(make, self.by)[0], key)

    def _by_topic(self, topic: int) -> list[_Part]:
        """Documents that have some of the topic, the largest share first; then the others."""
        selection = self.selection
        # A corpus alone has no topics
        assert selection.run is not None and selection.version is not None
        run_evidence = evidence.of(selection.run)
        parts = selection.run_view.labels.parts(topic)
        mask = selection.mask

        def key(number: int) -> float:
            topic_tokens = sum(run_evidence.tokens(number, part) for part in parts)
            first = run_evidence.bow.first_token
            return -(topic_tokens / max(int(first[number + 1] - first[number]), 1))

        def having() -> tuple[np.ndarray, ...]:
            if len(parts) == 1:
                holders = np.asarray(
                    run_evidence.by_share[
                        slice(*run_evidence.topic_ptr[parts[0] : parts[0] + 2].tolist())
                    ]
                )
                return (holders if mask is None else holders[mask[holders]],)
            topic_tokens = run_evidence.held(parts)
            holders = np.flatnonzero(
                topic_tokens if mask is None else np.where(mask, topic_tokens, 0)
            ).astype(np.int32)
            return (
                holders[
                    np.argsort(
                        -(topic_tokens[holders] / run_evidence.lengths[holders]), kind="stable"
                    )
                ],
            )

        run = (selection.run.snapshot_id, *parts)
        single = len(parts) == 1 and mask is None  # then the file itself is the list
        first = having()[0] if single else self._kept(having, "with", run)[0]

        def lacking() -> tuple[np.ndarray]:
            lacks = np.ones(selection.version.documents, bool) if mask is None else mask.copy()
            lacks[first] = False
            return (np.flatnonzero(lacks).astype(np.int32),)

        return [
            _Part(len(first), lambda: first, key),
            _Part(
                selection.count - len(first), lambda: self._kept(lacking, "without", run)[0], key
            ),
        ]

    def _by_relevance(self) -> list[_Part]:
        """Better matches first: the FIRST_MATCHES best ones, and the others, which are put in order
        when they are asked for."""
        numbers = self.selection.numbers
        assert numbers is not None  # there is a search

        def make() -> tuple[np.ndarray, ...]:
            keys = -search.open_index(self.selection.corpus).rank(self.selection.q, numbers)
            first, remaining = _first_places(keys)
            return keys, numbers[first[np.argsort(keys[first], kind="stable")]], remaining

        keys, first, remaining = self._kept(make, "relevance")

        def others() -> tuple[np.ndarray]:
            return (numbers[remaining[np.argsort(keys[remaining], kind="stable")]],)

        def key(number: int) -> float:
            at = int(np.searchsorted(numbers, number))
            return float(keys[at]) if at < len(numbers) and numbers[at] == number else _LAST

        return [
            _Part(len(first), lambda: first, key),
            _Part(len(remaining), lambda: self._kept(others, "behind")[0], key),
        ]


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


def _topic(by: str, selection: Selection) -> int | None:
    match = _TOPIC.fullmatch(by)
    if not match or not selection.run:
        return None
    if int(match[1]) >= selection.run.topics:
        raise Invalid(
            "by", f"Run {selection.run.pk} has topics 0 to {selection.run.topics - 1}, got {by}."
        )
    return int(match[1])
