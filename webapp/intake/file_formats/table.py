"""Tables: .csv and .tsv, one document a row."""

import csv
import io
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from webapp.intake.file_formats import cells, column_roles, header_rows
from webapp.intake.file_formats.base import (
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    decoded,
    extension,
    guess_encoding,
    head,
    lines,
    opened,
)
from webapp.intake.file_formats.rows import Row, Rows
from webapp.intake.metadata.column_names import names_people

SAMPLE_LINES = 100_000  # of a file that are looked at: it may begin with any number of blank ones
_TRIED = 1 << 18  # characters by which it is known whether quotation marks enclose cells
_FEWEST_NAMES = 3  # of columns in a first row
_USUAL_NAMES = 2  # of these, at least, are such as columns often have
DELIMITERS = (",", ";", "\t", "|")


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    options = replace(
        options, encoding=fixed_options.get("encoding") or guess_encoding(head(path, name))
    )
    delimiter = fixed_options.get("delimiter") or _guess_delimiter(path, name, options)
    options = replace(options, delimiter=delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise Unreadable(
            f"“{name}”: columns can be separated by one character only, such as a comma, not by"
            f" “{delimiter[:20]}”."
        )
    options = replace(options, escapes=_has_escapes(path, name, options))
    rows = _first_rows(path, name, options, cells.KIND_ROWS)
    beyond = len(rows) < 2 and _has_more(path, name, options)
    if beyond and not rows:
        raise Unreadable(
            f"“{name}”: its first {SAMPLE_LINES:,} lines are blank. Take them out, and upload it"
            " again."
        )
    sniffed = cells.sniff_below(rows, name, options, fixed_options)
    if beyond and not sniffed.rows:
        blank = (
            f"“{name}” has a row of names, and only blank lines below it in its first"
            f" {SAMPLE_LINES:,} lines"
        )
        return replace(
            sniffed, problem=f"{blank}: what the columns hold was guessed by their names alone."
        )
    if len(sniffed.columns) == 1 and extension(name) != ".txt" and len(sniffed.rows) < 2:
        return replace(
            sniffed,
            problem=sniffed.problem
            or f"“{name}” seems to be one single cell. Is it a table with one document per row?",
        )
    return sniffed


def _dialect(path: Source, name: str, options: Options) -> dict[str, Any]:
    """Commas come with quotes. Tabs often come without: there a quotation mark is a letter, unless
    whole cells are quoted, or rows are whole only where cells are that go over several lines."""
    delimiter = options.delimiter or ","
    if delimiter != "\t":
        return {"delimiter": delimiter}
    quoted: dict[str, Any] = {"delimiter": delimiter}
    plain: dict[str, Any] = {"delimiter": delimiter, "quoting": csv.QUOTE_NONE}
    parts = [
        part
        for line in head(path, name).decode("latin-1").splitlines()[:200]
        for part in line.split("\t")
    ]
    if any(len(part) > 1 and part.startswith('"') and part.endswith('"') for part in parts):
        return quoted
    if not any(part.startswith('"') for part in parts):
        return plain
    with opened(path, name) as file:
        text = io.StringIO(decoded(file, options.encoding).read(_TRIED))
    rows = []
    for dialect in (quoted, plain):
        text.seek(0)
        rows.append(cells.beginning(Rows(text, dialect, SAMPLE_LINES), cells.SAMPLE_ROWS))
    return quoted if _regular(rows[0][:-1]) > _regular(rows[1][:-1]) else plain


def _first_rows(
    path: Source, name: str, options: Options, limit: int = cells.SAMPLE_ROWS
) -> list[Row]:
    with opened(path, name) as file:
        return cells.beginning(
            Rows(
                decoded(file, options.encoding),
                _dialect(path, name, options),
                SAMPLE_LINES,
                escapes=options.escapes,
            ),
            limit,
            cells.KIND_CHARACTERS if limit > cells.SAMPLE_ROWS + header_rows.ROWS else None,
        )


def _has_escapes(path: Source, name: str, options: Options) -> bool:
    """Whether quotation marks within cells stand behind a backslash, as MySQL and Spark write them:
    the first rows are then more regular than where they are doubled."""
    if (
        b'\\"' not in head(path, name)
        or options.delimiter == "\t"
        and not _quoted(path, name, options)
    ):
        return False
    plain = _regular(_first_rows(path, name, replace(options, escapes=False)))
    return _regular(_first_rows(path, name, replace(options, escapes=True))) > plain


def _quoted(path: Source, name: str, options: Options) -> bool:
    return "quoting" not in _dialect(path, name, options)


def _regular(rows: list[Row]) -> float:
    """The share of the rows that are as wide as most are, and not damaged."""
    widths = [len(row.cells) for row in rows]
    usual = max(set(widths), key=widths.count, default=0)
    good = sum(len(row.cells) == usual and not row.damage for row in rows)
    return good / max(1, len(rows)) if usual > 1 else 0.0


def _has_more(path: Source, name: str, options: Options) -> bool:
    """Whether anything stands behind the lines that are looked at."""
    with opened(path, name) as file:
        text = decoded(file, options.encoding)
        # Behind them
        next(itertools.islice(lines(text, 1 << 16), SAMPLE_LINES, SAMPLE_LINES), None)
        return any(block.strip() for block in iter(lambda: text.read(1 << 20), ""))


def _guess_delimiter(path: Source, name: str, options: Options) -> str:
    """The one that cuts the first rows into the same number of cells, the more the better. Where
    most of them are one cell, as titles above a short table are, the one that does so with those
    below the last of these. But where one alone cuts the first row into names, and others into as
    many cells, it is that: texts may have broken the rows."""
    if extension(name) in (".tsv", ".tab"):
        return "\t"
    likeliest = ","
    best_score = (0.0, 0)
    below = ","
    below_score = (0, 0)
    names: list[str] = []
    for delimiter in DELIMITERS:
        rows = _first_rows(path, name, replace(options, delimiter=delimiter))
        widths = [len(row.cells) for row in rows]
        if _begins_with_names(rows):
            names.append(delimiter)
        if widths and max(widths) > 1:
            usual = max(set(widths), key=widths.count)
            score = (widths.count(usual) / len(widths) if usual > 1 else 0.0, usual)
            if score > best_score:
                likeliest = delimiter
                best_score = score
            table = list(itertools.dropwhile(lambda width: width == 1, widths))
            if len(table) > 1 and len(set(table)) == 1 and (len(table), table[0]) > below_score:
                below = delimiter
                below_score = (len(table), table[0])
    if len(names) == 1:
        return names[0]
    return likeliest if best_score[0] else below


def _begins_with_names(rows: list[Row]) -> bool:
    """Whether the first row has names of columns, some of them usual ones, and another row as many
    cells."""
    if len(rows) < 2:
        return False
    cells_of = [cell.strip() for cell in rows[0].cells]
    if len(set(cells_of)) < max(_FEWEST_NAMES, len(cells_of)):
        return False
    if not all(0 < len(cell) <= header_rows.LABEL for cell in cells_of):
        return False
    usual = sum(column_roles.has_role(cell) or names_people(cell) for cell in cells_of)
    return usual >= _USUAL_NAMES and any(len(row.cells) == len(cells_of) for row in rows[1:])


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    with opened(path, name, advance) as file:
        yield from cells.documents(
            Rows(
                decoded(file, options.encoding),
                _dialect(path, name, options),
                begin=options.header_row,
                escapes=options.escapes,
            ),
            name,
            options,
        )
