"""Patterns of sentences, filled with their parts."""

from collections.abc import Sequence
from string import Formatter

from webapp.core.results.links import TopicLink

SentencePart = str | TopicLink


def fill(pattern: str, **parts: SentencePart | Sequence[SentencePart]) -> list[SentencePart]:
    """The pattern with its parts in their places, neighbouring texts as one. Raises KeyError for a
    part that is not given."""
    filled: list[SentencePart] = []
    for text, name, _, _ in Formatter().parse(pattern):
        value = parts[name] if name else ""
        for part in (text, *(value if isinstance(value, (list, tuple)) else [value])):
            if isinstance(part, str) and filled and isinstance(filled[-1], str):
                filled[-1] += part
            elif part:
                filled.append(part)
    return filled
