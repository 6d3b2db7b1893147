"""Passages that a page gives its Pin button, to be kept below the chart: as the text of a field of its
form. The texts are looked for in the documents when they are pinned, and not believed."""

from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from inference.errors import Invalid

PASSAGES = 5  # the most of a page: a notebook quotes, and the page has the others


@dataclass(frozen=True)
class SentPassage:
    document: int
    quote: str


def write_passages(passages: Iterable[SentPassage]) -> str:
    """The first ones; "" where there are none."""
    first_passages = list(passages)[:PASSAGES]
    return orjson.dumps(first_passages).decode() if first_passages else ""


def read_passages(text: str) -> list[SentPassage]:
    """What a form sent. Raises Invalid."""
    if not text:
        return []
    try:
        return _passages_of(orjson.loads(text))
    except (orjson.JSONDecodeError, KeyError, TypeError):
        raise Invalid(
            "passages",
            "The passages that came with the page must be a list such as"
            ' [{"document": 3, "quote": "words"}].',
        ) from None


def _passages_of(items: object) -> list[SentPassage]:
    """Raises KeyError or TypeError for what is no list of passages."""
    if not isinstance(items, list):
        raise TypeError
    if len(items) > PASSAGES:
        raise Invalid("passages", f"A page is pinned with at most {PASSAGES} passages.")
    passages = []
    for item in items:
        document = item["document"]
        quote = item["quote"]
        if (
            not isinstance(document, int)
            or isinstance(document, bool)
            or not isinstance(quote, str)
        ):
            raise TypeError
        passages.append(SentPassage(document, quote))
    return passages
