"""Rows of cells, whatever file they stand in: which row names the columns, which column holds what,
a document a row."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

from webapp.intake import metadata as metadata_types
from webapp.intake.file_formats import column_roles, header_rows, html_cells
from webapp.intake.file_formats.base import (
    MAX_COLUMNS,
    MAX_DATE,
    MAX_FIELD,
    MAX_FIELDS,
    MAX_ID,
    MAX_NAME,
    MAX_TEXT,
    MAX_TITLE,
    PREVIEW_CELL,
    PREVIEW_ROWS,
    SAMPLE_CHARACTERS,
    Document,
    Options,
    Problem,
    Sniff,
    Unreadable,
    clean,
    repairs,
)
from webapp.intake.file_formats.rows import Row
from webapp.intake.metadata.column_names import names_people
from webapp.intake.metadata.missing import is_missing

SAMPLE_ROWS = 50  # by which it is guessed what the columns are
BROKEN = "line ends in its text, which nothing quotes, broke it; its lines were joined again"
MOST_BROKEN = 10_000  # lines of a row that line ends in its text have broken
LONGER = 0.9  # of the rows that are longer than the header by one cell, where rows have names
KIND_CHARACTERS = 1_000_000  # of them, at most, behind those by which the header is found
KIND_ROWS = 1_000  # by which the kinds of their values are guessed: the first may be alike


class KeptFields:
    """The fields that the documents of one file keep: each column with its first value, as long as
    there is room. Columns without values take none."""

    def __init__(self) -> None:
        self.kept: set[str] = set()
        self.dropped: dict[str, None] = {}

    def keeps(self, name: str) -> bool:
        if name in self.kept:
            return True
        if len(self.kept) < MAX_FIELDS:
            self.kept.add(name)
            return True
        self.dropped[name] = None
        return False

    def problems(self, file: str) -> Iterator[Problem]:
        """At the end of a file: which columns had no room."""
        if not self.dropped:
            return
        names = ", ".join(f"“{name}”" for name in list(self.dropped)[:20])
        further = f" and {len(self.dropped) - 20:,} more" if len(self.dropped) > 20 else ""
        yield Problem(
            file,
            "",
            f"“{file}”: a document keeps {MAX_FIELDS} fields; {names}{further} were not kept.",
            False,
            "columns",
            len(self.dropped),
        )


def beginning(rows: Iterable[Row], limit: int, characters_behind: int | None = None) -> list[Row]:
    """The first rows, at most so many, and of about SAMPLE_CHARACTERS; those whose cells are lost
    are left out. characters_behind: as many are enough behind the first rows, by which only the
    kinds of columns are guessed."""
    first: list[Row] = []
    characters = 0
    for row in itertools.islice(rows, limit):
        if row.cells:
            first.append(row._replace(cells=[clean(cell) for cell in row.cells]))
            characters += sum(map(len, row.cells))
        else:
            characters += MAX_TEXT
        if characters > SAMPLE_CHARACTERS and first:
            break
        enough = len(first) >= SAMPLE_ROWS + header_rows.ROWS
        if characters_behind and enough and characters > characters_behind:
            break
    return first


def _cells_in(column: int | None, rows: list[list[str]]) -> list[str]:
    if column is None:
        return []
    return [row[column] for row in rows if column < len(row)]


def sniff_below(rows: list[Row], name: str, options: Options, fixed_options: dict) -> Sniff:
    """What the rows of a table seem to be that may have titles and notes above its header. rows:
    the first, up to SAMPLE_ROWS more than webapp.intake.file_formats.header_rows.ROWS;
    fixed_options: `header` and `header_row`, where they are not to be guessed."""
    at = (
        header_rows.header_position(rows[: SAMPLE_ROWS + header_rows.ROWS], name, fixed_options)
        if fixed_options.get("header") is not False or fixed_options.get("header_row")
        else 0
    )
    row = rows[at].line if at else 0
    header = True if at or fixed_options.get("header_row") else fixed_options.get("header")
    body = [list(row.cells or []) for row in rows[at:]]
    return sniff(body, name, replace(options, header_row=row), header)


def sniff(rows: list[list[str]], name: str, options: Options, header: bool | None) -> Sniff:
    """What the first rows seem to be; `header`: whether the first names the columns, None to
    guess."""
    further_rows = rows[SAMPLE_ROWS:]
    rows = rows[:SAMPLE_ROWS]
    if row_names := has_row_names(rows):
        rows = [["", *rows[0]], *rows[1:]]
        header = True if header is None else header
    width = max(map(len, rows), default=0)
    if not width:
        raise Unreadable(
            f"“{name}” has no rows: only blank lines. Choose a file that has text in it."
        )
    check_width(width, name)
    header = header_rows.guess(rows) if header is None else header
    columns = names(rows[0] if header else [], width)
    body = rows[1:] if header else rows
    columns_of_roles = column_roles.guess(columns, body or rows)
    options = replace(
        options,
        header=header,
        **columns_of_roles,
        **metadata_types.describe(columns, body + further_rows, columns_of_roles["date"]),
        names=tuple(columns),
        row_names=row_names,
    )
    texts = _cells_in(options.text, body)
    further_texts = _cells_in(options.text, further_rows)
    options = replace(options, html=html_cells.guess(texts, further_texts))
    preview = []
    for row in body[:PREVIEW_ROWS]:
        shown = [cell[:PREVIEW_CELL] for cell in row]
        preview.append(shown + [""] * (width - len(row)))
    return Sniff(
        options,
        columns,
        preview,
        None if body else f"“{name}” has a row of names and no row below it.",
    )


def has_row_names(rows: list[list[str]]) -> bool:
    """Whether each row begins with a cell of which the first row has no name, as R writes tables:
    the first row has one cell less, and the first cells of the others are all different."""
    below = rows[1:]
    if not below or len(rows[0]) < 1:
        return False
    longer = sum(len(row) == len(rows[0]) + 1 for row in below)
    if all(not row[-1].strip() for row in below if row):
        return False  # each line ends with a comma
    first = [row[0] for row in below if row]
    labels = all(0 < len(cell) <= header_rows.LABEL for cell in first)
    return longer >= LONGER * len(below) and labels and len(set(first)) == len(first)


def check_width(width: int, name: str) -> None:
    """Raises Unreadable where a table has more columns than can be read."""
    if width > MAX_COLUMNS:
        raise Unreadable(
            f"“{name}” has {width:,} columns; at most {MAX_COLUMNS:,} can be read. Is it a table of"
            " documents?"
        )


def names(cells: list[str], width: int) -> list[str]:
    """Names of the columns, all different and none empty: roles and metadata are found by them."""
    unique: dict[str, None] = {}
    for i in range(width):
        name = (clean(cells[i]).strip()[:MAX_NAME] if i < len(cells) else "") or f"column {i + 1}"
        while name in unique:
            name = f"{name} ({i + 1})"
        unique[name] = None
    return list(unique)


def documents(
    rows: Iterable[Row], name: str, options: Options, place_pattern: str = "row {} (line {})"
) -> Iterator[Document | Problem]:
    """A document a row. place_pattern: what a row's place is called, by its number and its line."""
    if options.text is None:
        raise Unreadable(
            f"“{name}”: no column was chosen for the text. Choose the one that holds it."
        )
    columns = list(options.names)
    width = None
    number = 0
    fields = KeptFields()
    for line, cells, damage in mended(rows, options):
        if width is None and options.header_row and _is_above(line, cells, options):
            continue
        lost_row = bool(damage) and not cells
        if width is None and not lost_row:
            if options.header and options.row_names:
                cells = ["", *cells]
            width = len(cells)
            check_width(width, name)
            if options.header:
                columns = names(cells, width)
                options = by_name(options, columns, name)
                continue
        number += 1
        place_in_file = place_pattern.format(number, line)
        if damage:
            message = f"“{name}”, {place_in_file}: {damage}. Correct the file there."
            yield Problem(name, place_in_file, message, lost_row, "" if lost_row else "row")
        if lost_row:
            continue
        text = options.text or 0
        wide = width or 0
        while len(cells) > wide and not cells[-1].strip():
            cells = cells[:-1]  # lines that end with a comma
        cell_count = len(cells)
        lost = cell_count <= text
        if lost or (cell_count != wide and not damage):
            done = "it has no text and was left out" if lost else "it was kept as it is"
            if cell_count > wide and not lost:
                cells, done = _surplus(cells, wide, options)
            expected = max(wide, text + 1) if lost else wide
            yield Problem(
                name,
                place_in_file,
                f"“{name}”, {place_in_file}: expected {expected} columns, found {cell_count}; {done}.",
                lost,
                "" if lost else "row",
            )
        if not lost:
            yield from document(cells, cells[text], columns, name, place_in_file, options, fields)
    yield from fields.problems(name)
    if width is None and options.header_row:
        raise Unreadable(
            f"“{name}”: none of its first {header_rows.ROWS} rows has the column"
            f" “{options.column('text')}”, which was chosen for the text."
        )


def mended(rows: Iterable[Row], options: Options) -> Iterator[Row]:
    """The rows of a text file, those that a line end in their text has broken as one again: a row
    that ends in its text, with those behind it up to the rest of its cells. What is not such a row
    stays as it is."""
    text = options.text
    if not options.delimiter or text is None:
        yield from rows
        return
    wide = 0
    held_rows: list[Row] = []  # the beginning of a row, and what followed it
    for row in rows:
        if not wide:
            # Rows above the header have few cells
            wide = len(row.cells) + options.row_names if row.line >= options.header_row else 0
            yield row
            continue
        cell_count = len(row.cells)
        if held_rows and cell_count in (1, wide - text) and cell_count < wide:
            held_rows.append(row)
            if cell_count > 1 and text < wide - 1:
                yield _one_row(held_rows, text)
                held_rows = []
            elif len(held_rows) > MOST_BROKEN:
                yield from held_rows
                held_rows = []
            continue
        yield from _end_held_rows(held_rows, text, wide)
        held_rows = []
        if cell_count == text + 1 and not row.damage:
            held_rows = [row]
        else:
            yield row
    yield from _end_held_rows(held_rows, text, wide)


def _end_held_rows(held_rows: list[Row], text: int, wide: int) -> Iterator[Row]:
    """Rows that were held where no rest of the first came: one, where the text is the last cell."""
    if len(held_rows) > 1 and text == wide - 1 and wide > 1:
        yield _one_row(held_rows, text)
    else:
        yield from held_rows


def _one_row(held_rows: list[Row], text: int) -> Row:
    first, *following = held_rows
    lines = [first.cells[text], *(row.cells[0] for row in following)]
    cells = [*first.cells[:text], "\n".join(lines), *following[-1].cells[1:]]
    return Row(first.line, cells, BROKEN)


def _surplus(cells: list[str], width: int, options: Options) -> tuple[list[str], str]:
    """The cells of a row that has more of them than there are columns, and what becomes of the
    surplus ones, as the end of a sentence."""
    surplus = len(cells) - width
    text = options.text or 0
    surplus_cells = f"{surplus} surplus cells were" if surplus > 1 else "surplus cell was"
    if options.surplus and options.delimiter:
        joined = options.delimiter.join(cells[text : text + surplus + 1])
        return [
            *cells[:text],
            joined,
            *cells[text + surplus + 1 :],
        ], f"its {surplus_cells} joined to the text"
    sentence = f"its {surplus_cells} kept as {'fields of their own' if surplus > 1 else 'a field of its own'}"
    if options.delimiter:
        sentence += "; if the text was cut there, choose that surplus cells belong to the text"
    return cells, sentence


def _is_above(line: int, cells: list[str], options: Options) -> bool:
    """Whether a row stands above the header. Several exports may each have another number of such
    rows: the header is then the row with the names."""
    text_column = options.column("text")
    if not cells:
        return line < options.header_row
    if line >= options.header_row:
        return line <= header_rows.ROWS and text_column not in names(cells, len(options.names))
    written = {clean(cell).strip() for cell in cells}
    has_most_names = 2 * len(written.intersection(options.names)) >= max(3, len(options.names))
    return not (has_most_names and text_column in written)


def by_name(options: Options, columns: list[str], name: str) -> Options:
    """The chosen columns where this file has them: one of several files may have another order, or
    fewer."""
    if not options.names or columns == list(options.names[: len(columns)]):
        return options
    columns_of_roles = options.places(columns)
    if columns_of_roles["text"] is None:
        raise Unreadable(
            f"“{name}” has no column “{options.column('text')}”, which was chosen for the text; it"
            f" has {', '.join(columns)[:200]}."
        )
    return replace(options, **columns_of_roles)


def document(
    row: list[str],
    raw: str,
    columns: list[str],
    name: str,
    place_in_file: str,
    options: Options,
    fields: KeptFields,
) -> Iterator[Document | Problem]:
    """The document of a row, and what is wrong with it. raw: its text as it stands in the file."""
    text = clean(raw)
    too_long = len(raw) > MAX_TEXT
    if too_long or not text.strip() or (options.missing and is_missing(text)):
        yield Problem(name, place_in_file, *_no_text(text, too_long, f"“{name}”, {place_in_file}"))
        return

    def cell(i: int | None, limit: int) -> str:
        if i is None or i >= len(row):
            return ""
        value = clean(row[i]).strip()[:limit]
        column = columns[i] if i < len(columns) else ""
        return "" if marked_missing(value, column, options) else value

    used = {options.text, options.date, options.id}
    if not (options.title is not None and names_people(options.column("title") or "")):
        used.add(options.title)  # who spoke stays a field though it gives titles
    metadata: dict[str, str] = {}
    for i in range(len(row)):
        column = columns[i] if i < len(columns) else f"column {i + 1}"
        if i in used or not row[i] or column in fields.dropped:
            continue
        value = cell(i, MAX_FIELD)
        if value and fields.keeps(column):
            metadata[column] = value
    title = cell(options.title, MAX_TITLE)
    date = cell(options.date, MAX_DATE)
    source_id = cell(options.id, MAX_ID)
    row_document = Document(text, title, date, source_id, metadata, name, place_in_file)
    yield from cleaned(raw, row_document, options)


def marked_missing(value: str, column: str, options: Options) -> bool:
    """Whether a value is a mark of a missing one, in a column in which it can't be a code."""
    return options.missing and column not in options.codes and is_missing(value)


def _no_text(text: str, too_long: bool, where: str) -> tuple[str, bool, str]:
    """Why a row has no text: the end of a Problem."""
    if too_long:
        why = f"has more than {MAX_TEXT:,} characters"
        return f"{where}: the text {why}; it was left out.", True, "too long"
    if not text.strip():
        return f"{where}: the text is empty; it was left out.", True, "empty"
    mark = text.strip()
    return f"{where}: the text is “{mark}”, a mark of a missing one; it was left out.", True, "mark"


def cleaned(raw: str, document: Document, options: Options) -> Iterator[Document | Problem]:
    """A document of a row or an object, without tags where its texts are HTML; and what was changed
    in its text. raw: the text as it stands in the file, which `clean` has made the document's."""
    where = f"“{document.file}”, {document.place}"
    if done := repairs(raw, document.text, options.encoding):
        yield Problem(document.file, document.place, f"{where}: {done}.", False, "characters")
    if options.html:
        text, headings = html_cells.as_text(document.text)
        title = html_cells.line(document.title) or document.title
        if not text.strip():
            yield Problem(document.file, document.place, html_cells.EMPTY.format(where), True)
            return
        document = replace(document, text=text, title=title, headings=headings)
    yield document
