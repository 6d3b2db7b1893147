"""This page with something changed: its links to itself."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict

BEGINNING = "after"  # the parameter that says where a list begins


@dataclass(frozen=True)
class PageQuery:
    """query: the page's own. A view that declares `page_query: PageQuery` gets it
    (webapp.platform.pages.typed)."""

    query: QueryDict

    def url(self, **changes: object) -> str:
        """The query string with some parameters changed, from "?" on; None or "" takes one out. A
        list that changes begins anew, unless `after` is among the changes."""
        parameters: list[tuple[str, object]] = []
        for name, values in self.query.lists():
            if name not in changes and name != BEGINNING:
                parameters += [(name, value) for value in values]
        parameters += changes.items()
        with_value = [(name, value) for name, value in parameters if value not in (None, "")]
        return "?" + urlencode(with_value)

    def following(self, after: object) -> str | None:
        """The next page of a list, which begins at `after`; None if that is None: nothing
        follows."""
        return None if after is None else self.url(after=after)


@dataclass(frozen=True)
class Offer:
    """One of several ways to show the page. here: whether it is the present one."""

    said: str
    url: str
    here: bool
