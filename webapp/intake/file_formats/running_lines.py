"""Lines that run through the pages of a file, as headers, footers, page numbers and stamps do: they
are no part of the text, and what they were is said.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import regex

from webapp.intake.file_formats.base import Problem

EDGE_LINES = 2  # lines at the top and at the bottom of a page that may be such
MIN_PAGES = 3  # that have it
SHARE = 0.6  # of the pages with text, at least
MAX_LINE = 200  # characters
_QUOTED = 60  # characters of a line that is quoted
_MOST_QUOTED = 2  # such lines
_NUMBER = regex.compile(r"\d+|\b[ivxlc]+\b", regex.I)


class Running(NamedTuple):
    """example: as it is on the first page that has it. pages: that have it, `of` those with
    text."""

    example: str
    pages: int
    of: int


def without_running(pages: list[str]) -> tuple[list[str], list[Running]]:
    """Pages without the lines that run through them, and these, the most frequent first."""
    filled = sum(bool(page.strip()) for page in pages)
    least = max(MIN_PAGES, SHARE * filled)
    counts_of_lines: Counter[tuple[bool, str]] = Counter()
    examples: dict[tuple[bool, str], str] = {}
    for page in pages:
        edges = list(_edges(page.split("\n")))
        counts_of_lines.update({line.key for line in edges})
        for line in edges:
            examples.setdefault(line.key, line.text)
    often = {key for key, count in counts_of_lines.items() if count >= least}
    if not often:
        return pages, []
    shortened = [_without(page, often) for page in pages]
    dropped: Counter = Counter()
    for _, keys in shortened:
        dropped.update(keys)
    running = {key for key, count in dropped.items() if count >= least}
    if not running:
        return pages, []
    quoted_lines = [
        Running(examples[key], count, filled)
        for key, count in dropped.most_common()
        if key in running
    ]
    return [_without(page, running)[0] for page in pages], quoted_lines


def report_left_out(name: str, running: list[Running]) -> Iterator[Problem]:
    """What of a file was left out; nothing where no line was."""
    if running:
        message = (
            f"“{name}”: {quoted(running)} was left out, as a line that runs through the pages."
        )
        count = sum(line.pages for line in running)
        yield Problem(name, "", message, False, "running", count)


def quoted(running: list[Running]) -> str:
    """The lines that run through pages, with the number of pages."""
    parts = [f"“{_short(line)}” on {line.pages:,} of {line.of:,} pages" for line in running]
    unquoted = len(running) - _MOST_QUOTED
    if unquoted > 0:
        parts[_MOST_QUOTED:] = [f"{unquoted} more such lines"]
    return " and ".join(parts)


def _short(line: Running) -> str:
    ellipsis = "…" if len(line.example) > _QUOTED else ""
    return line.example[:_QUOTED] + ellipsis


class _Edge(NamedTuple):
    """A line near the top or the bottom of a page. key: (whether at the top, the line without its
    numbers)."""

    place: int
    key: tuple[bool, str]
    text: str


def _edges(lines: list[str]) -> Iterator[_Edge]:
    """One line more than may be left out at the top, and at the bottom: each from outside to
    inside."""
    filled = [line_number for line_number, line in enumerate(lines) if line.strip()]
    top = filled[: EDGE_LINES + 1]
    bottom = filled[::-1][: EDGE_LINES + 1]
    for filled_lines, is_top in ((top, True), (bottom, False)):
        for line_number in filled_lines:
            text = " ".join(lines[line_number].split())[: MAX_LINE + 1]
            yield _Edge(line_number, (is_top, _NUMBER.sub("0", text.lower())), text)


def _without(page: str, running: set[tuple[bool, str]]) -> tuple[str, set[tuple[bool, str]]]:
    """The page without them, and which they were. Where more than EDGE_LINES lines follow each
    other the pages have the same text, which stays, unless it is all of this page."""
    lines = page.split("\n")
    edges = list(_edges(lines))
    dropped: dict[int, tuple[bool, str]] = {}
    for is_top in (True, False):
        side = [line for line in edges if line.key[0] == is_top]
        running_side = list(itertools.takewhile(lambda line: line.key in running, side))
        short = all(len(line.text) <= MAX_LINE for line in running_side)
        if short and (len(running_side) <= EDGE_LINES or len(side) == sum(map(bool, lines))):
            dropped |= {line.place: line.key for line in running_side}
    remaining = "\n".join(
        line for line_number, line in enumerate(lines) if line_number not in dropped
    )
    return remaining, set(dropped.values())
