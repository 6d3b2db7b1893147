"""Spreadsheets (.xlsx, .ods): one document a row of a sheet. A formula gives the value that was
stored with it."""

import datetime
import io
from collections.abc import Callable, Iterator
from dataclasses import replace

import python_calamine as calamine

from webapp.intake.readers import cells, headers
from webapp.intake.readers.base import (
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    clean,
    content,
    opened,
    unreadable,
)
from webapp.intake.readers.rows import Row

MAX_FILE = (
    300 << 20
)  # bytes: a sheet is read as a whole, within the memory of the process that does it


def sniff(path: Source, name: str, options: Options, known: dict) -> Sniff:
    with opened(path, name) as file:
        book = _book(file, name)
        sheets = tuple(clean(sheet) for sheet in book.sheet_names[:200])
        options = replace(options, sheet=known.get("sheet") or options.sheet)
        rows = cells.beginning(_rows(book, name, options), cells.SAMPLE_ROWS + headers.ROWS)
    return replace(cells.sniff_below(rows, name, options, known), sheets=sheets)


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    with opened(path, name, advance) as file:
        yield from cells.documents(
            _rows(_book(file, name), name, options), name, options, "row {1}"
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


def _rows(book: calamine.CalamineWorkbook, name: str, options: Options) -> Iterator[Row]:
    """The rows that are not blank, by their numbers in the sheet. Those of another file may have no
    sheet of that name."""
    names = book.sheet_names
    if not names:
        raise Unreadable(f"“{name}” has no sheet.")
    title = options.sheet if options.sheet in names else names[0]
    with unreadable(
        (calamine.CalamineError,),
        lambda error: (
            f"“{name}”: its sheet “{clean(title)}” can't be read ({clean(str(error))[:120]}). Save"
            " it again, or as CSV."
        ),
    ):
        sheet = book.get_sheet_by_name(title)
        cells.check_width(sheet.total_width, name)
        for number, values in enumerate(sheet.iter_rows(), 1):
            row = [_cell(value) for value in values]
            if any(map(str.strip, row)):
                yield Row(number, row, None)


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
