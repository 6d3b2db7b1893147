"""This page with something changed: its links to itself."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict


@dataclass(frozen=True)
class Here:
    """A view that declares `here: Here` gets it (webapp.pages.typed). kept: the parameters that links to itself keep, and
    whether with all values or with the last one. Where a list begins is none of them: a changed list begins anew."""

    query: QueryDict
    kept: tuple[tuple[str, bool], ...]

    def url(self, **changes: object) -> str:
        """None or "" takes a parameter out."""
        asked: dict[str, object] = {
            name: self.query.getlist(name) if several else self.query.get(name) for name, several in self.kept
        }
        given = [(name, value) for name, value in (asked | changes).items() if value not in (None, "")]
        return "?" + urlencode(given, doseq=True)
