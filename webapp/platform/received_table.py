"""A small table that somebody uploads: CSV with a line of column names, such as labels of topics or
codes of documents."""

import csv
import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from inference.errors import Invalid
from webapp.platform.received import NO_TEXT, is_text
from webapp.platform.storage import csv_cells

DELIMITERS = ",;\t"  # a spreadsheet writes what its country uses


class ReceivedRow(NamedTuple):
    """line: of the file, from 1, at which the row ends: lines may be blank, and a cell may have
    several. cells: by the names of their columns, without white space at both ends, and as they
    were before a program that writes CSV made them safe; "" where a short row lacks one."""

    line: int
    cells: dict[str, str]


@dataclass(frozen=True)
class ReceivedTable:
    """columns: the names of the known columns that the table has, in small letters. rows: those of
    which a known column says something; read once. To read them raises Invalid, which names the
    line."""

    columns: frozenset[str]
    rows: Iterator[ReceivedRow]


def read(content: bytes, field: str, known_columns: Collection[str]) -> ReceivedTable:
    """The known columns of a table, whatever others it has.

    content: the file, UTF-8. field: of the form, which Invalid names. known_columns: in small
    letters; the file may write them otherwise. Raises Invalid where the content is no text, or
    where the first line names a known column twice.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(
            field,
            f"The table must be UTF-8 text; byte {error.start:,} is not. Save it as “CSV UTF-8”.",
        ) from None
    lines = _split_lines(text, field)
    _, header = next(lines, (1, []))
    places = _find_places(header, field, known_columns)
    return ReceivedTable(frozenset(places), _read_rows(lines, places, field))


def _split_lines(text: str, field: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row, with the line at which it ends."""
    first_line = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=first_line.count)
    # No DictReader: it fills each short row up to the width of the first
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            yield reader.line_num, cells
    except csv.Error as error:
        raise Invalid(
            field, f"Line {reader.line_num:,}: the table is not CSV here ({error})."
        ) from None


def _find_places(header: list[str], field: str, known_columns: Collection[str]) -> dict[str, int]:
    """Where the known columns are, from 0."""
    places: dict[str, int] = {}
    for place, written_name in enumerate(header):
        name = written_name.strip().lower()
        if name not in known_columns:
            continue
        if name in places:
            raise Invalid(
                field,
                f"The first line names the column “{name}” twice. Leave one of the two out.",
            )
        places[name] = place
    return places


def _read_rows(
    lines: Iterator[tuple[int, list[str]]], places: dict[str, int], field: str
) -> Iterator[ReceivedRow]:
    for line, row in lines:
        cells = {}
        for name, place in places.items():
            cell = row[place] if place < len(row) else ""
            cells[name] = csv_cells.unsafe(cell.strip())
        if not all(map(is_text, cells.values())):
            raise Invalid(field, f"Line {line:,} can't be read: {NO_TEXT}.")
        if any(cells.values()):
            yield ReceivedRow(line, cells)
