"""Spreadsheets (.xlsx, .ods): one document a row of a sheet. A formula gives the value that was
stored with it."""

import datetime
import io
from collections.abc import Callable, Iterator
from dataclasses import replace

import python_calamine as calamine
import regex

from webapp.intake.file_formats import cells, column_roles, header_rows
from webapp.intake.file_formats.base import (
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    clean,
    content,
    count_of,
    opened,
    unreadable,
)
from webapp.intake.file_formats.rows import Row
from webapp.intake.metadata.dates import parse_date

# bytes: a sheet is read as a whole, within the memory of the process that does it
MAX_FILE = 300 << 20
ALL = "*"  # the sheet that stands for all that have texts: no sheet can be called so
MOST_SHEETS = 200  # that are offered, and looked into
# words of a row's text, on average: beyond it the sheet with more rows is the one that is meant
ENOUGH_WORDS = 20
MOST_MERGED = 1_000_000
_YEAR = regex.compile(r"1[4-9]\d\d|20[0-3]\d", regex.ASCII)


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    """By the sheet that was chosen, else by the one with most words in its texts; where others have
    texts in a column of the same name, all of them are read (ALL)."""
    with opened(path, name) as file:
        book = _book(file, name)
        asked_sheet = fixed_options.get("sheet") or options.sheet
        offered = tuple(clean(sheet) for sheet in book.sheet_names[:MOST_SHEETS])
        if asked_sheet not in ("", ALL):
            sniffed = _sniff_sheet(
                book, asked_sheet, name, replace(options, sheet=asked_sheet), fixed_options
            )
            return replace(sniffed, sheets=_offered(offered))
        sniffs = _sniff_sheets(book, name, options, fixed_options)
        rows = {sheet: book.get_sheet_by_name(sheet).height for sheet in sniffs}
    wordiest = max(
        sniffs, key=lambda sheet: min(_wordiness(sniffs[sheet]), ENOUGH_WORDS) * rows[sheet]
    )
    text = sniffs[wordiest].options.column("text")
    alike = [sheet for sheet in sniffs if _has_texts(sniffs[sheet], text)]
    proposed_sheet = ALL if len(alike) > 1 else wordiest
    if len(offered) == 1:
        proposed_sheet = ""
    sniffed = sniffs[wordiest]
    return replace(
        sniffed, options=replace(sniffed.options, sheet=proposed_sheet), sheets=_offered(offered)
    )


def _offered(sheets: tuple[str, ...]) -> tuple[str, ...]:
    return (ALL, *sheets) if len(sheets) > 1 else sheets


def _sniff_sheets(
    book: calamine.CalamineWorkbook, name: str, options: Options, fixed_options: dict
) -> dict[str, Sniff]:
    """What each sheet seems to be, of those that have rows. Raises Unreadable where none has."""
    sniffs: dict[str, Sniff] = {}
    first = None
    for sheet in book.sheet_names[:MOST_SHEETS]:
        try:
            sniffs[sheet] = _sniff_sheet(book, sheet, name, options, fixed_options)
        except Unreadable as error:
            first = first or error
    if not sniffs:
        raise first or Unreadable(f"“{name}” has no sheet.")
    return sniffs


def _sniff_sheet(
    book: calamine.CalamineWorkbook, sheet: str, name: str, options: Options, fixed_options: dict
) -> Sniff:
    rows = _rows(book, sheet, name, None)
    return cells.sniff_below(
        cells.beginning(rows, cells.SAMPLE_ROWS + header_rows.ROWS), name, options, fixed_options
    )


def _wordiness(sniffed: Sniff) -> float:
    return column_roles.words(sniffed.options, sniffed.rows)


def _has_texts(sniffed: Sniff, text: str | None) -> bool:
    """Whether a sheet has texts in a column of that name."""
    return sniffed.options.column("text") == text and _wordiness(sniffed) >= column_roles.FEW_WORDS


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    with opened(path, name, advance) as file:
        book = _book(file, name)
    names = book.sheet_names
    if not names:
        raise Unreadable(f"“{name}” has no sheet.")
    if options.sheet != ALL:
        # Those of another file may have no sheet of that name
        sheet_read = options.sheet if options.sheet in names else names[0]
        yield from _before_1900(book, [sheet_read], name)
        rows = _rows(book, sheet_read, name, options.text)
        yield from cells.documents(rows, name, options, "row {1}")
        yield from _not_read(book, [sheet for sheet in names if sheet != sheet_read], name)
        return
    yield from _before_1900(book, names, name)
    unlike = []
    for sheet in names:
        try:
            yield from _of_sheet(book, sheet, name, options)
        except Unreadable:
            unlike.append(sheet)
    yield from _not_read(book, unlike, name)


def _of_sheet(
    book: calamine.CalamineWorkbook, sheet: str, name: str, options: Options
) -> Iterator[Document | Problem]:
    """The documents of one of several sheets, with its name as a field, and as their date where it
    is one and no column has dates. Raises Unreadable where it has no such column of texts."""
    title = clean(sheet)
    day = date_of_sheet(title) if options.date is None else ""
    rows = _rows(book, sheet, name, options.text)
    for item in cells.documents(rows, name, options, f"sheet “{title}”, row {{1}}"):
        if isinstance(item, Document):
            item.metadata = {"sheet": title} | item.metadata
            if day and not item.date:
                item.date = day
                item.dated = "sheet"
        yield item


def date_of_sheet(title: str) -> str:
    """The date that the name of a sheet is, "" for none: 1999, May 2004, 2019-Q3."""
    year = _YEAR.fullmatch(title.strip())
    if title.strip().isdecimal() and not year:
        return ""
    day = parse_date(title)
    return day.isoformat() if day else ""


def _before_1900(
    book: calamine.CalamineWorkbook, sheets: list[str], name: str
) -> Iterator[Problem]:
    """That dates before 1900 are lost, which a spreadsheet does not know: as numbers below 0 they
    come as midnight."""
    midnight = datetime.time()
    count = 0
    for title in sheets:
        for row in book.get_sheet_by_name(title).iter_rows():
            count += sum(type(value) is datetime.time and value == midnight for value in row)
    if count:
        sentence = (
            f"“{name}”: {count_of(count, 'cell holds', 'cells hold')} the time 00:00:00, as dates before 1900 come, which"
            " Excel does not know. Save these dates as text."
        )
        yield Problem(name, "", sentence, False, "midnight", count)


def _not_read(book: calamine.CalamineWorkbook, sheets: list[str], name: str) -> Iterator[Problem]:
    """That some sheets are not read, of those that have rows."""
    filled = [sheet for sheet in sheets if book.get_sheet_by_name(sheet).height > 1]
    if filled:
        titles = ", ".join(f"“{clean(sheet)}”" for sheet in filled[:20])
        yield Problem(
            name,
            "",
            f"“{name}”: not read {'is the sheet' if len(filled) == 1 else 'are the sheets'}"
            f" {titles}. Choose another sheet to read it.",
            False,
            "sheet",
            len(filled),
        )


def _book(file, name: str) -> calamine.CalamineWorkbook:
    raw = content(file, MAX_FILE)
    if raw is None:
        raise Unreadable(
            f"“{name}” is larger than {MAX_FILE >> 20} MB; it was left out. Save the sheet as CSV,"
            " which can be of any size."
        )
    try:
        return calamine.load_workbook(io.BytesIO(raw))
    except calamine.PasswordError:
        raise Unreadable(
            f"“{name}” is protected by a password; it was left out. Save it without one."
        ) from None
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise Unreadable(
            f"“{name}” is not a spreadsheet, or is damaged ({clean(str(error))[:120]}). Save it"
            " again, or as CSV."
        ) from None


def _rows(
    book: calamine.CalamineWorkbook, title: str, name: str, text: int | None
) -> Iterator[Row]:
    """The rows of a sheet that are not blank, by their numbers in it. What stands in a cell that is
    merged with those below stands in all of them, but for the column of the text, which would be
    read more than once."""

    def why(error: Exception) -> str:
        return (
            f"“{name}”: its sheet “{clean(title)}” can't be read ({clean(str(error))[:120]}). Save"
            " it again, or as CSV."
        )

    with unreadable((calamine.CalamineError,), why):
        sheet = book.get_sheet_by_name(title)
        cells.check_width(sheet.total_width, name)
        merged = _Merged(sheet, text)
        for number, values in enumerate(sheet.iter_rows(), 1):
            row = merged.filled(number - 1, [_cell(value) for value in values])
            if any(map(str.strip, row)):
                yield Row(number, row, None)


class _Merged:
    """The cells of a sheet that are merged with those below."""

    def __init__(self, sheet: calamine.CalamineSheet, text: int | None):
        self.begin: dict[int, list[tuple[int, int]]] = {}  # first row -> (column, last row)
        for (top, left), (bottom, _) in (sheet.merged_cell_ranges or [])[:MOST_MERGED]:
            if bottom > top and left != text:
                self.begin.setdefault(top, []).append((left, bottom))
        self.open: dict[int, tuple[int, str]] = {}  # column -> (last row, what stands in it)

    def filled(self, number: int, row: list[str]) -> list[str]:
        """A row, counted from 0, with what the cells above that are merged with its have."""
        for column, (last, value) in list(self.open.items()):
            if number > last:
                del self.open[column]
            elif column < len(row) and not row[column]:
                row[column] = value
        for column, last in self.begin.get(number, ()):
            if column < len(row):
                self.open[column] = (last, row[column])
        return row


def _cell(value) -> str:
    match value:
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
        case datetime.datetime():
            return (
                value.date().isoformat()
                if value.time() == datetime.time()
                else value.isoformat(" ")
            )
        case datetime.date() | datetime.time():
            return value.isoformat()
        case _:
            return str(value)
