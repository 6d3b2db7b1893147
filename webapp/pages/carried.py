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
        asked = _asked(unescape(match[2] or ""), chosen)
        return f'href="{match[1]}?{escape(asked)}{match[3] or ""}"' if asked else match[0]

    return link.sub(with_set, html)


def carried_json(answer: bytes, run_id: int, query: QueryDict) -> bytes:
    """The .json twin of such a page with the set in the same links: the values that are, as a whole, an address of a
    page of that run."""
    chosen = conditions(query)
    if not chosen:
        return answer
    link = re.compile(rb'"(/runs/%d/(?:[^"?#\\\s]*/)?)(\?[^"#\\\s]*)?(#[^"\\\s]*)?"(?!:)' % run_id)

    def with_set(match: re.Match) -> bytes:
        asked = _asked((match[2] or b"").decode(), chosen)
        return b'"%b?%b%b"' % (match[1], asked.encode(), match[3] or b"") if asked else match[0]

    return link.sub(with_set, answer)


def _asked(own: str, chosen: list[tuple[str, str]]) -> str:
    """The query of a link, "?…" or "", with the set; "" where it says itself which documents it means."""
    present = parse_qsl(own[1:], keep_blank_values=True)
    return "" if any(is_condition(name) for name, _ in present) else urlencode(present + chosen)
