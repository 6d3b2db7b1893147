"""Addresses of a run's pages, made by one object that knows the chosen set."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from django.http import QueryDict
from django.urls import reverse

NAMES = ("q", "has", "from", "to", "between", "in", "match", "only", "with", "least")
KEPT_PARAMETERS = ("families",)  # beside the set: how a reader wants the pages of a run


def is_condition(name: str) -> bool:
    """Whether a parameter of an address says which documents are meant."""
    # Fields of the form, by the name of a field of the corpus
    return name in NAMES or name.startswith(("in:", "low:", "high:"))


def conditions(query: QueryDict) -> tuple[tuple[str, str], ...]:
    """The parameters of an address that describe the set, as they came; and those of
    KEPT_PARAMETERS."""
    parameters: list[tuple[str, str]] = []
    for name, values in query.lists():
        if is_condition(name) or name in KEPT_PARAMETERS:
            parameters += [(name, value) for value in values if value.strip()]
    return tuple(parameters)


@dataclass(frozen=True)
class RunLinks:
    """Makes the addresses of a run's pages. Each carries along the set of documents that is chosen
    on this page, so that the set is lost nowhere until the reader takes it off.

    run: its number. chosen: the conditions of this page's address (`conditions`).
    """

    run: int
    chosen: tuple[tuple[str, str], ...] = ()

    def __call__(self, name: str, *arguments: object, asked: str = "", **query: object) -> str:
        """The address of a page by its name in webapp.urls. query: parameters; None or "" leaves
        one out. asked: a query string that was made elsewhere, instead."""
        asked = asked or urlencode(
            [(key, value) for key, value in query.items() if value not in (None, "")]
        )
        return self.with_set(reverse(name, args=[self.run, *arguments]) + (asked and f"?{asked}"))

    def with_set(self, url: str) -> str:
        """An address of a page of this run, with the set, unless it says itself which documents it
        means, and with what is KEPT_PARAMETERS, unless it says that itself. A file's stays as it
        is."""
        if not self.chosen:
            return url
        url, mark, fragment = url.partition("#")
        path, _, own_query = url.partition("?")
        own_parameters = parse_qsl(own_query, keep_blank_values=True)
        own_set = any(is_condition(name) for name, _ in own_parameters)
        set_parameters = [
            (k, v)
            for k, v in self.chosen
            if not (own_set if is_condition(k) else k in dict(own_parameters))
        ]
        if path.endswith("/") and set_parameters:
            url = f"{path}?{urlencode((*own_parameters, *set_parameters))}"
        return url + mark + fragment
