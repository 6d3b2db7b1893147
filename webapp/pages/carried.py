"""The chosen documents go along: every link of a page to another page of the same run carries the conditions that the
page's own address has, so that a set is lost nowhere until it is taken off."""

import re
from html import escape, unescape
from urllib.parse import parse_qsl, urlencode

from django.http import QueryDict

NAMES = ("q", "has", "from", "to", "between", "in", "only", "with", "least")
_TYPED = ("in:", "low:", "high:")  # fields of the form, by the name of a field of the corpus


def is_condition(name: str) -> bool:
    """Whether a parameter of an address says which documents are meant."""
    return name in NAMES or name.startswith(_TYPED)


def conditions(query: QueryDict) -> list[tuple[str, str]]:
    """The parameters of an address that describe the set."""
    return [(name, value) for name, values in query.lists() if is_condition(name) for value in values if value.strip()]


def carried(html: str, run_id: int, query: QueryDict) -> str:
    """A page of a run with the set in each link to a page of that run.

    A link that says itself which documents it means stays as it is, and so do relative ones ("?…"): they are this page
    with something changed.
    """
    chosen = conditions(query)
    if not chosen:
        return html
    link = re.compile(rf'href="(/runs/{run_id:d}/(?:[^"?#]*/)?)(\?[^"#]*)?(#[^"]*)?"')

    def with_set(match: re.Match) -> str:
        path, own, place = match[1], unescape(match[2] or "?")[1:], match[3] or ""
        present = parse_qsl(own, keep_blank_values=True)
        if any(is_condition(name) for name, _ in present):
            return match[0]
        return f'href="{path}?{escape(urlencode(present + chosen))}{place}"'

    return link.sub(with_set, html)
