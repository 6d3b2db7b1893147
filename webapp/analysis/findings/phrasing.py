"""Patterns of sentences, filled with their parts."""

from collections.abc import Sequence
from string import Formatter

from webapp.analysis.findings.shapes import Part


def fill(pattern: str, **parts: Part | Sequence[Part]) -> list[Part]:
    """The pattern with its parts in their places, neighbouring texts as one. Raises KeyError for a
    part that is not given."""
    pieces: list[Part] = []
    for text, name, _, _ in Formatter().parse(pattern):
        given = parts[name] if name else ""
        for piece in (text, *(given if isinstance(given, (list, tuple)) else [given])):
            if isinstance(piece, str) and pieces and isinstance(pieces[-1], str):
                pieces[-1] += piece
            elif piece:
                pieces.append(piece)
    return pieces
