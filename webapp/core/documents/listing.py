"""The documents of a set in an order: a page of them, and what stands before and after one.

No page sorts the corpus. By the corpus's order, by date and by the share of a topic the whole
corpus is kept in order, in files that reading and training leave behind (metadata.columns,
inference.evidence); a set takes its documents out of them once, and a web process keeps the last
few sets. A place in a list is then looked up by halving.
"""

from bisect import bisect_right
from typing import NamedTuple
from urllib.parse import urlencode

from inference.errors import Invalid
from webapp.core.documents import document_days
from webapp.core.documents.list_parts import (
    BestMatches,
    ByDate,
    HavingTopic,
    InCorpusOrder,
    LackingTopic,
    ListPart,
    OtherMatches,
    number_before,
    number_behind,
)
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import topic_numbers
from webapp.platform.drawing.numbers import topic_label

ORDERS = {
    "order": "order of the corpus",
    "relevance": "relevance",
    "date": "oldest first",
    "newest": "newest first",
}


class Neighbours(NamedTuple):
    """Numbers, or None at an end; place: from 1 on, 0 where the document is not in the list."""

    previous: int | None
    next: int | None
    place: int


class ListPage(NamedTuple):
    """numbers: of the documents; next: the place behind which the next page begins, as addresses
    write it; None at the end."""

    numbers: list[int]
    next: str | None


class Listing:
    """The documents of a selection in an order.

    by: the order: one of ORDERS; a topic, such as "T07", the largest share first; or "" for
    relevance where the selection has a search, else for the order of the corpus. Raises Invalid for
    an order that there is not.
    """

    def __init__(self, selection: Selection, by: str = ""):
        self.selection = selection
        self.default = "relevance" if selection.q else "order"
        self.by = by or self.default
        self.topic = None
        if selection.run and topic_numbers.is_written(self.by):
            self.topic = topic_numbers.read(self.by, selection.run, "by")
            self.by = topic_label(self.topic)  # 7 is T07
        is_known = self.topic is not None or self.by in ORDERS
        if not is_known or (self.by == "relevance" and not selection.q):
            raise Invalid(
                "by",
                f"“by” in the address must be {', '.join(ORDERS)} (of a search), or a topic such as"
                f" T07; got “{by[:50]}”.",
            )

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """What of an address describes the list: the set and, where it is not the usual one, the
        order."""
        if self.by == self.default:
            return self.selection.parameters
        return [*self.selection.parameters, ("by", self.by)]

    def query_string(self, *further: tuple[str, str]) -> str:
        """The parameters and further ones as an address ends with them, from "?" on; "" where there
        are none."""
        parameters = [*self.parameters, *further]
        return f"?{urlencode(parameters)}" if parameters else ""

    @property
    def plain(self) -> bool:
        """All documents in the corpus's order: nothing is to be sorted or looked up."""
        return not self.selection.has_conditions and self.by == "order"

    def page(self, after: tuple[float, int] | None, limit: int) -> ListPage:
        """At most `limit` documents behind a place, the key and the number of a document."""
        if self.plain:
            return self._page_of_corpus(after, limit)
        if self.by == "order" and self.selection.is_only_days:
            return self._page_of_days(after, limit)
        return self._page_of_parts(after, limit)

    def _page_of_corpus(self, after: tuple[float, int] | None, limit: int) -> ListPage:
        """Of all documents in the corpus's order, which are counted on."""
        first = max(after[1] + 1, 0) if after else 0
        end = min(first + limit, self.selection.count)
        has_more = first < end < self.selection.count
        return ListPage(list(range(first, end)), _place(0.0, end - 1) if has_more else None)

    def _page_of_days(self, after: tuple[float, int] | None, limit: int) -> ListPage:
        """Of the documents of some days in the corpus's order, without a list of all of them."""
        first = after[1] + 1 if after else 0
        version = self.selection.version
        numbers = document_days.next_documents(version, self.selection.day_range, first, limit + 1)
        has_more = len(numbers) > limit
        return ListPage(numbers[:limit], _place(0.0, numbers[limit - 1]) if has_more else None)

    def _page_of_parts(self, after: tuple[float, int] | None, limit: int) -> ListPage:
        """Of one part after the other: the next is made only where those before it don't fill the
        page, and tell whether another page follows."""
        numbers: list[int] = []
        last_key = 0.0  # of the last document of the page
        for part in self._parts():
            first = part.place(*after, bisect_right) if after else 0
            if first == part.length:
                continue  # the place is behind this part, or the part is empty
            after = None  # parts that follow are behind the place as a whole
            of_part = part.numbers()[first : first + limit + 1 - len(numbers)].tolist()
            on_page = of_part[: limit - len(numbers)]
            if on_page:
                last_key = part.key(on_page[-1])
            numbers += of_part
            if len(numbers) > limit:
                return ListPage(numbers[:limit], _place(last_key, numbers[limit - 1]))
        return ListPage(numbers, None)

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
            place = part.place(part.key(number), number)
            if place < part.length and part.number(place) == number:
                return Neighbours(
                    previous=number_before(parts[: n + 1], place),
                    next=number_behind(parts[n:], place),
                    place=before + place + 1,
                )
            before += part.length
        return Neighbours(None, None, 0)

    def _parts(self) -> list[ListPart]:
        """The list, in one part or in two."""
        if isinstance(self.selection, RunSelection) and self.topic is not None:
            having = HavingTopic(self.selection, self.topic)
            return [having, LackingTopic(having)]
        if self.by in ("date", "newest"):
            return [ByDate(self.selection, newest=self.by == "newest")]
        if self.by == "relevance":
            best = BestMatches(self.selection)
            return [best, OtherMatches(best)]
        return [InCorpusOrder(self.selection)]


def _place(key: float, number: int) -> str:
    """A place in a list, as addresses write it."""
    return f"{key!r},{number}"
