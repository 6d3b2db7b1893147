"""Rows of cells, whatever file they stand in: which row names the columns, which column holds what, a document a
row."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from webapp import metadata as metadata_types
from webapp.metadata.dates import parse_date
from webapp.metadata.number import parse_number
from webapp.readers import roles
from webapp.readers.model import (  # fmt: skip
    MAX_COLUMNS,
    MAX_FIELD,
    MAX_FIELDS,
    MAX_ID,
    MAX_NAME,
    MAX_TEXT,
    MAX_TITLE,
    PREVIEW_CELL,
    PREVIEW_ROWS,
    Document,
    Options,
    Problem,
    Sniff,
    Unreadable,
)
from webapp.readers.opening import clean, repairs
from webapp.readers.rows import Row

SAMPLE_ROWS = 50


def sniff(rows: list[list[str]], name: str, options: Options, header: bool | None) -> Sniff:
    """What the first rows seem to be; `header`: whether the first names the columns, None to guess."""
    if not rows:
        raise Unreadable(f"“{name}” has no rows: only blank lines. Choose a file that has text in it.")
    width = max(map(len, rows))
    if width > MAX_COLUMNS:
        raise Unreadable(
            f"“{name}” has {width:,} columns; at most {MAX_COLUMNS:,} can be read. Is it a table of documents?"
        )
    header = _guess_header(rows) if header is None else header
    columns = names(rows[0] if header else [], width)
    body = rows[1:] if header else rows
    places = roles.guess(columns, body or rows)
    options = replace(
        options, header=header, **places, **metadata_types.describe(columns, body, places["date"]), names=tuple(columns)
    )
    preview = [[cell[:PREVIEW_CELL] for cell in row] + [""] * (width - len(row)) for row in body[:PREVIEW_ROWS]]
    return Sniff(options, columns, preview, None if body else f"“{name}” has a row of names and no row below it.")


def names(cells: list[str], width: int) -> list[str]:
    """Names of the columns, all different and none empty: roles and metadata are found by them."""
    unique: dict[str, None] = {}
    for i in range(width):
        name = (clean(cells[i]).strip()[:MAX_NAME] if i < len(cells) else "") or f"column {i + 1}"
        while name in unique:
            name = f"{name} ({i + 1})"
        unique[name] = None
    return list(unique)


def _guess_header(rows: list[list[str]]) -> bool:
    """Whether the first row names the columns: known names, or short labels over cells of another kind."""
    first = [cell.strip() for cell in rows[0]]
    if any(len(cell) > 60 or _number_or_date(cell) for cell in first):
        return False
    if sum(map(roles.known, first)) >= (1 if len(rows) > 1 else 2):
        return True
    if len(rows) < 2 or not all(first) or len(set(first)) < len(first):
        return False
    for i, label in enumerate(first):
        below = [row[i].strip() for row in rows[1:] if i < len(row) and row[i].strip()]
        if below and all(map(_number_or_date, below)):
            return True
        if below and sum(map(len, below)) / len(below) > max(60, 3 * len(label)):
            return True
    return False


def _number_or_date(cell: str) -> bool:
    return parse_number(cell) is not None or parse_date(cell, "dmy") is not None


def documents(
    rows: Iterable[Row], name: str, options: Options, counted: str = "row {} (line {})"
) -> Iterator[Document | Problem]:
    """A document a row. counted: what a row's place is called, by its number and its line."""
    if options.text is None:
        raise Unreadable(f"“{name}”: no column was chosen for the text. Choose the one that holds it.")
    columns, width, number = list(options.names), None, 0
    for line, cells, damage in rows:
        if width is None and cells is not None:
            width = len(cells)
            if width > MAX_COLUMNS:
                raise Unreadable(
                    f"“{name}” has {width:,} columns; at most {MAX_COLUMNS:,} can be read. Is it a table of documents?"
                )
            if options.header:
                columns = names(cells, width)
                options = by_name(options, columns, name)
                continue
        number += 1
        place = counted.format(number, line)
        if damage:
            yield Problem(name, place, f"“{name}”, {place}: {damage}. Mend the file there.", cells is None)
        if cells is None:
            continue
        lost = len(cells) <= options.text
        if lost or (len(cells) != width and not damage):
            done = "it has no text and was left out" if lost else "it was kept as it is"
            expected = max(width, options.text + 1)
            yield Problem(
                name, place, f"“{name}”, {place}: expected {expected} columns, found {len(cells)}; {done}.", lost
            )
        if not lost:
            yield from document(cells, columns, name, place, options)


def by_name(options: Options, columns: list[str], name: str) -> Options:
    """The chosen columns where this file has them: one of several files may have another order, or fewer."""
    if not options.names or columns == list(options.names[: len(columns)]):
        return options
    places = {}
    for role in ("text", "title", "date", "id"):
        chosen = getattr(options, role)
        wanted = options.names[chosen] if chosen is not None else None
        places[role] = columns.index(wanted) if wanted in columns else None
    if places["text"] is None:
        wanted = options.names[options.text]
        raise Unreadable(
            f"“{name}” has no column “{wanted}”, which was chosen for the text; it has {', '.join(columns)[:200]}."
        )
    return replace(options, **places)


def document(
    row: list[str], columns: list[str], name: str, place: str, options: Options
) -> Iterator[Document | Problem]:
    raw = row[options.text]
    if len(raw) > MAX_TEXT:
        yield Problem(
            name, place, f"“{name}”, {place}: the text has more than {MAX_TEXT:,} characters; it was left out.", True
        )
        return
    text = clean(raw)
    if not text.strip():
        yield Problem(name, place, f"“{name}”, {place}: the text is empty; it was left out.", True)
        return
    if done := repairs(raw, text, options.encoding):
        yield Problem(name, place, f"“{name}”, {place}: {done}.", False)

    def cell(i: int | None, most: int) -> str:
        return clean(row[i]).strip()[:most] if i is not None and i < len(row) else ""

    used = {options.text, options.title, options.date, options.id}
    others = [i for i in range(len(row)) if i not in used][:MAX_FIELDS]
    metadata = {
        columns[i] if i < len(columns) else f"column {i + 1}": cell(i, MAX_FIELD) for i in others if row[i].strip()
    }
    yield Document(
        text, cell(options.title, MAX_TITLE), cell(options.date, 60), cell(options.id, MAX_ID), metadata, name, place
    )
