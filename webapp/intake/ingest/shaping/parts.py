"""Rows of a table that are parts of wholes: “A speech — part 1 of 6”, or a column “part” beside
equal titles."""

from collections.abc import Sequence
from typing import NamedTuple

import regex

from webapp.intake.file_formats import Document

COLUMNS = ("part", "part no", "part number", "teil", "partie", "parte", "deel", "część", "часть")
_PART_OF = r"(\d{1,6})(?: ?(?:of|/|von|sur|de|van|z|из) ?\d{1,6})?"  # “2 of 6”, or “2”
_NUMBER = regex.compile(rf"(?:\p{{L}}+\.? )?{_PART_OF}", regex.ASCII)
_TITLE = regex.compile(
    rf"(\S.*?)[(\[]?\b(?:part|pt\.?|teil|partie|parte|deel|część|часть) {_PART_OF}[)\]]?"
    r"|(\S.*?)[(\[](\d{1,6}) ?(?:of|/|von) ?\d{1,6}[)\]]",
    regex.I,
)
# Of the rows that are parts, and wholes of several parts there are at least
_PARTS_SHARE = 0.9
_WHOLES = 2


class PlaceInWhole(NamedTuple):
    whole: str  # its title, else id
    number: int  # from 1


def place_in_whole(document: Document) -> PlaceInWhole | None:
    """By the end of its title, else by a column that is called so."""
    if match := _TITLE.fullmatch(document.title.strip()):
        title, number = filter(None, match.groups())
        if whole := title.rstrip(" \t,;:·—–-"):
            return PlaceInWhole(whole, int(number))
    name = next((name for name in document.metadata if name.casefold().strip() in COLUMNS), "")
    match = _NUMBER.fullmatch(document.metadata.get(name, "").strip())
    whole = document.title or document.source_id
    return PlaceInWhole(whole, int(match[1])) if match and whole else None


def are_parts(parts: Sequence[PlaceInWhole | None]) -> bool:
    """Whether most rows are parts, of several wholes, and the parts of each are numbered from 1 on;
    of the last one some may be to come."""
    wholes: dict[str, list[int]] = {}
    for part in filter(None, parts):
        wholes.setdefault(part.whole, []).append(part.number)
    in_turn = all(
        sorted(numbers) == list(range(1, len(numbers) + 1)) for numbers in wholes.values()
    )
    if not in_turn:
        return False
    several = sum(len(numbers) > 1 for numbers in wholes.values())
    if several < _WHOLES or several * 2 <= len(wholes):
        return False
    return sum(map(len, wholes.values())) >= _PARTS_SHARE * len(parts)
