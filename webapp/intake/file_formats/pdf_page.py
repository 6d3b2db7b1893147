"""The text of a page of a PDF: its columns one after another, without marks of notes; and how many
of its letters have no name, so that nobody can say which they are.
"""

import itertools
import statistics
from typing import NamedTuple

import pypdfium2
import pypdfium2.raw as pdfium
import regex

from webapp.intake.file_formats import hyphens, note_marks
from webapp.intake.file_formats.base import REPLACED, clean

# pdfium's mark of a word that is broken at the end of a line
_HYPHEN = regex.compile(r"[\x02\xad\ufffe]\r?\n?")
# What pdfium gives for letters that a font numbers and does not name; and private characters, which
# mean something in one font alone
_NAMELESS = regex.compile(r"[\x00\x01\x03-\x08\x0b\x0e-\x1f\ufffd\ue000-\uf8ff]")
_MAY_MARK = regex.compile(r"(?<=[\p{L}.,;:!?’”\"»)\]])(?:\d{1,3}|[*†‡])(?=[\s.,;:!?’”\"»)]|\Z)")
_RAISED = 0.85  # of the size of the letters before it: what is smaller is raised, or lowered
_CONTEXT = 12  # characters before a mark by which it is found in a column
MIN_LINES = 4  # that lie beside others, where a page has columns
_GUTTER = 0.5  # of a line's height: so wide is the space between columns, at least
_COLUMN = 0.15  # of the page's width: so wide are the lines of a column, on average
_MOST_RECTANGLES = 2_000  # of a page that is looked at for columns
_RUNNING_LINE_GAP = 1.5  # of a line's height: so far are headers and footers from the text
_MOST_APART = 4  # parts of lines in a header or footer
_MOST_COLUMNS = 3  # divisions of a page, each into two


class Page(NamedTuple):
    """text: with line feeds. nameless: letters in it that are shown as REPLACED."""

    text: str
    nameless: int


class _Line(NamedTuple):
    """A part of a line, in points from the left and from the bottom."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        return max(1.0, self.top - self.bottom)

    def beside(self, line: "_Line") -> bool:
        """Whether they are parts of one line."""
        shared = min(self.top, line.top) - max(self.bottom, line.bottom)
        return shared > 0.5 * min(self.height, line.height)


def page_text(text: pypdfium2.PdfTextPage, width: float) -> Page:
    """width: of the page, in points."""
    raw = text.get_text_range() if text.count_chars() else ""
    marks = _note_marks(text) if _MAY_MARK.search(raw) else []
    columns = _columns(text, width)
    if columns:
        raw = "\n".join(_column_text(text, column) for column in columns)
    nameless = _NAMELESS.search(raw) is not None or REPLACED in raw
    count = _nameless(text) if nameless else 0
    raw = _without(marks, raw)
    if count:
        raw = _NAMELESS.sub(REPLACED, raw)
    raw = _HYPHEN.sub(_whole, raw).replace("\r\n", "\n").replace("\f", "\n")
    if columns:
        raw, _ = hyphens.joined(raw)
    return Page(clean(raw), count)


def _whole(hyphen: regex.Match) -> str:
    """A hyphen stays before a capital: “Anglo-Saxon”."""
    begin, end = hyphen.span()
    letters = hyphen.string
    capital = letters[end : end + 1].isupper() and letters[begin - 1 : begin].islower()
    return "-" if capital else ""


def _nameless(text: pypdfium2.PdfTextPage) -> int:
    """Letters that the PDF does not name."""
    count = 0
    for position in range(text.count_chars()):
        character = chr(pdfium.FPDFText_GetUnicode(text.raw, position))
        failed = pdfium.FPDFText_HasUnicodeMapError(text.raw, position) == 1
        count += failed or bool(_NAMELESS.match(character))
    return count


def _note_marks(text: pypdfium2.PdfTextPage) -> list[str]:
    """The marks of notes of a page in their order, each with what is before it."""
    codes = [
        pdfium.FPDFText_GetUnicode(text.raw, position) for position in range(text.count_chars())
    ]
    letters = "".join(chr(code) if code < 0x110000 else REPLACED for code in codes)
    marks = []
    for match in _MAY_MARK.finditer(letters):
        begin, end = match.span()
        size = pdfium.FPDFText_GetFontSize(text.raw, begin)
        before = pdfium.FPDFText_GetFontSize(text.raw, begin - 1)
        context = letters[max(0, begin - _CONTEXT) : begin]
        small = size < _RAISED * before and _is_raised(text, begin)
        if small and note_marks.is_mark(match[0], context.split()[-1]):
            marks.append(letters[max(0, begin - _CONTEXT) : end])
    return marks


def _is_raised(text: pypdfium2.PdfTextPage, position: int) -> bool:
    """Whether a character is above the middle of the one before it: “H₂O” has none such."""
    _, bottom, _, top = text.get_charbox(position)
    _, before_bottom, _, before_top = text.get_charbox(position - 1, loose=True)
    return (bottom + top) / 2 > (before_bottom + before_top) / 2


def _without(marks: list[str], raw: str) -> str:
    """The text without these marks, each of which ends with one."""
    position = 0
    parts = []
    for marked_text in marks:
        mark = marked_text[len(marked_text.rstrip("0123456789*†‡")) :]
        start = raw.find(marked_text.replace("\x02", "\ufffe"), position)
        if start < 0:
            continue
        end = start + len(marked_text)
        parts.append(raw[position : end - len(mark)])
        position = end
    return "".join([*parts, raw[position:]])


def _columns(text: pypdfium2.PdfTextPage, width: float) -> list[list[_Line]]:
    """The lines of each column in the order of reading; none where the page has one."""
    count = text.count_rects()
    if not 2 * MIN_LINES <= count <= _MOST_RECTANGLES:
        return []
    lines = [_Line(*text.get_rect(number)) for number in range(count)]
    header, body, footer = _apart(lines)
    columns = _divided(body, width, _MOST_COLUMNS)
    return [part for part in (header, *columns, footer) if part] if len(columns) > 1 else []


def _apart(lines: list[_Line]) -> tuple[list[_Line], list[_Line], list[_Line]]:
    """The lines at the top and at the bottom of a page that are apart from all others."""
    by_height = sorted(lines, key=lambda line: -line.top)
    first = _until_gap(by_height)
    last = _until_gap(by_height[first:][::-1])
    header = by_height[:first]
    footer = by_height[len(by_height) - last :]
    body = [line for line in lines if line not in header and line not in footer]
    return header, body, footer


def _until_gap(lines: list[_Line]) -> int:
    """How many of the first lines are apart from what follows; 0 where none are. lines: from one
    end of a page to the other."""
    for line_number, (line, following) in enumerate(
        itertools.pairwise(lines[: _MOST_APART + 1]), 1
    ):
        between = max(line.bottom - following.top, following.bottom - line.top)
        if between > _RUNNING_LINE_GAP * line.height:
            return line_number
    return 0


def _divided(lines: list[_Line], width: float, depth: int) -> list[list[_Line]]:
    gutter = _gutter(lines, width) if depth else None
    if gutter is None:
        return [lines] if lines else []
    columns: list[list[_Line]] = []
    band: list[_Line] = []
    for line in lines:
        if line.left < gutter < line.right:  # a heading over both columns ends what is above it
            columns += _sides(band, gutter, width, depth)
            columns.append([line])
            band = []
        else:
            band.append(line)
    return columns + _sides(band, gutter, width, depth)


def _sides(band: list[_Line], gutter: float, width: float, depth: int) -> list[list[_Line]]:
    left = [line for line in band if line.right <= gutter]
    right = [line for line in band if line.right > gutter]
    return _divided(left, width, depth - 1) + _divided(right, width, depth - 1)


def _gutter(lines: list[_Line], width: float) -> float | None:
    """Where a page is divided into columns whose lines are given beside each other; None where
    it is not, or its columns come one after the other."""
    pairs = [
        (first, second)
        for first, second in zip(lines, lines[1:], strict=False)
        if first.beside(second) and second.left - first.right > _GUTTER * first.height
    ]
    if len(pairs) < MIN_LINES:
        return None
    # The most frequent place between them, that few lines cross
    middle = statistics.median(second.left for _, second in pairs)
    near = [pair for pair in pairs if pair[0].right < middle - 0.1 <= pair[1].left + 2]
    if len(near) < MIN_LINES:
        return None
    middle_of_gutter = (max(first.right for first, _ in near) + middle) / 2
    crossing = sum(line.left < middle_of_gutter < line.right for line in lines)
    wide = [statistics.mean(pair[side].right - pair[side].left for pair in near) for side in (0, 1)]
    if min(wide) < _COLUMN * width or crossing > len(near):
        return None
    return middle_of_gutter


def _column_text(text: pypdfium2.PdfTextPage, lines: list[_Line]) -> str:
    parts: list[str] = []
    before: _Line | None = None
    for line in lines:
        if before is not None and line.beside(before):
            attached = line.left - before.right < 0.15 * line.height
            parts.append("" if attached else " ")
        elif before is not None:
            parts.append("\n")
        parts.append(text.get_text_bounded(*line).replace("\r\n", "\n"))
        before = line
    return "".join(parts).replace(" \n", "\n")
