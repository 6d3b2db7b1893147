"""Rows of a table, of a file that may be damaged. The csv module tells neither of a quotation mark
that is never closed, which swallows all rows after it, nor of a line without an end, which fills
the memory: here both cost no more than their own row."""

import csv
import itertools
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple, TextIO

import regex

from webapp.intake.file_formats.base import MAX_TEXT, lines

# of a file's rows: mending reads lines again, up to MAX_TEXT of them, and must not take hours
MOST_MENDED = 100
# stands alone after a whole row, and within a cell whose quotation mark is open
_END = "\0end of file\0"
_EXCEL = regex.compile(r"sep=(.)\r?\n?")  # a first line in which Excel names the delimiter

_ESCAPED = regex.compile(r'\\(["\\])')

csv.field_size_limit(MAX_TEXT)

MENDED = "a quotation mark is opened and not closed; its row was taken to end with its line"
OPEN = (
    "a quotation mark is opened and never closed, so that its cell holds all that follows in the"
    " file; it was kept as it is"
)
TOO_LONG = (
    f"a cell or line has more than {MAX_TEXT:,} characters; it was left out. Most likely a"
    " quotation mark was opened and never closed"
)


class _LineTooLong(Exception):
    """Raised through the csv module, which would wait for more of a cell whose end was passed
    over."""


class Row(NamedTuple):
    line: int  # of the file, from 1, where it begins
    cells: list[str]  # empty where they are lost
    damage: str | None  # the end of a sentence


def unescaped(line: str) -> str:
    """A line in which quotation marks within cells are doubled, as the csv module reads them."""
    if "\\" not in line:
        return line
    return _ESCAPED.sub(lambda match: '""' if match[1] == '"' else match[1], line)


class Rows:
    """Iterates over the rows of a file, or of its first `limit` lines; blank ones are left out.
    begin: the line of the first row that is as wide as the table. escapes: whether quotation marks
    within cells stand behind a backslash, and a backslash behind another."""

    def __init__(
        self,
        file: TextIO,
        dialect: dict,
        limit: int | None = None,
        begin: int = 0,
        escapes: bool = False,
    ):
        self.dialect = dialect
        self.begin = begin
        self.source: Iterator[tuple[str, bool]] = itertools.islice(lines(file, MAX_TEXT), limit)
        if escapes:
            self.source = ((unescaped(line), is_complete) for line, is_complete in self.source)
        self.again: deque[str] = deque()  # lines that are to be read once more
        self.held: list[str] = []  # lines of the present row
        self.number = self.first = 0  # of lines delivered, and of the present row's first
        self.mended = 0

    def __iter__(self) -> Iterator[Row]:
        reader = self._reader(True)
        strict = True
        width = None
        while True:
            self.held = []
            error = ""
            cut = 0
            cells: list[str] = []
            try:
                cells = next(reader, [_END])  # none: the end was within a cell that was too long
            except csv.Error as problem:
                error = str(problem)
            except _LineTooLong:
                cut = self.number
            line = self.first
            if cells == [_END]:
                return
            is_open = bool(cells) and cells[-1].endswith(_END)
            if is_open:
                cells[-1] = cells[-1].removesuffix(_END)
            if (not cells or is_open or (width and len(cells) != width)) and (
                mended := self._mend(width)
            ):
                yield Row(line, mended, MENDED)
                if cut:
                    yield Row(cut, [], TOO_LONG)
                reader = self._reader(True)
                strict = True
                continue
            too_long = error and "field larger" in error
            # Such as "a" b: taken as it is, now that it hides no other row
            if error and strict and not too_long:
                self._push_back(self.held)
                reader = self._reader(False)
                strict = False
                continue
            if too_long:
                self._pass_over()
            if too_long or cut:
                yield Row(line, [], TOO_LONG)
            elif error:
                yield Row(line, [], f"it is not a row of a table ({error}); it was left out")
            elif any(cell.strip() for cell in cells):
                # A row of one cell may be a title above the table
                if line >= self.begin and (width or 1) == 1:
                    width = len(cells)
                yield Row(line, cells, OPEN if is_open else None)
            if not cells or not strict:
                reader = self._reader(True)
                strict = True

    def _reader(self, strict: bool):
        """The csv module's; a strict one objects where letters follow a closing quotation mark,
        most often of another cell."""
        return csv.reader(self._deliver(), strict=strict, **self.dialect)

    def _push_back(self, held_lines: list[str]) -> None:
        self.again.extendleft(reversed(held_lines))
        self.number -= len(held_lines)

    def _pass_over(self) -> None:
        """The rest of a cell that is too long, up to its quotation mark."""
        if (
            self.dialect.get("quoting") == csv.QUOTE_NONE
            or sum(line.count('"') for line in self.held) % 2 == 0
        ):
            return
        for line in self._deliver():
            self.held.clear()
            if line == _END or line.count('"') % 2:
                return

    def _deliver(self) -> Iterator[str]:
        """Lines for the csv module, which takes twenty times as long as this for one that is blank:
        those between rows are left out."""
        while True:
            line, is_complete = (
                (self.again.popleft(), True) if self.again else next(self.source, (None, True))
            )
            if line is None:
                yield _END
                return
            self.number += 1
            if not self.held:
                if line in ("\n", "\r\n", "\r") or (self.number == 1 and _EXCEL.fullmatch(line)):
                    continue
                self.first = self.number
            if not is_complete:
                raise _LineTooLong
            self.held.append(line)
            yield line

    def _mend(self, width: int | None) -> list[str] | None:
        """The row's first line as the row, when it and the next line are rows by themselves; the
        others will be read again.

        A text of several lines that is cut off with the file has no such next line and stays one
        cell.
        """
        if self.mended == MOST_MENDED or len(self.held) < 2 or not width or width < 2:
            return None
        first = self._alone(self.held[0].rstrip("\r\n") + '"')
        second = self._alone(self.held[1])
        if len(first) != width or len(second) != width:
            return None
        self.mended += 1
        self._push_back(self.held[1:])
        return first

    def _alone(self, line: str) -> list[str]:
        try:
            return next(csv.reader([line], **self.dialect), [])
        except csv.Error:
            return []
