"""Addresses of a run's pages, made by one object that knows the chosen set."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from django.http import QueryDict
from django.urls import reverse

# Parameters of an address that are conditions of a set. KINDS of webapp.core.documents.conditions
# says which conditions there are: these are their PARAMETERS and FORM_FIELDS, written a second time
# because that package stands on this one. tests/webapp/core/documents/test_new_condition.py fails
# where both differ.
CONDITIONS = ("q", "from", "to", "has", "with", "least", "between", "in", "match", "only")
# Of fields of the form that end in the name of a field of the corpus
BEGINNINGS = ("low:", "high:", "in:")
KEPT_PARAMETERS = ("families",)  # beside the set: how a reader wants the pages of a run


def is_condition(name: str) -> bool:
    """Whether a parameter of an address says which documents are meant."""
    return name in CONDITIONS or name.startswith(BEGINNINGS)


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
        one out. asked: a query string that was made elsewhere, instead, with its "?" or
        without."""
        query_string = asked.removeprefix("?")
        if not query_string:
            query_string = urlencode(
                [(key, value) for key, value in query.items() if value not in (None, "")]
            )
        path = reverse(name, args=[self.run, *arguments])
        return self.with_set(f"{path}?{query_string}" if query_string else path)

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
