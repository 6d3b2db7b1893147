"""Rows of cells, whatever file they stand in: which row names the columns, which column holds what,
a document a row."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

from webapp.intake import metadata as metadata_types
from webapp.intake.readers import headers, html_cells, roles
from webapp.intake.readers.base import (
    MAX_COLUMNS,
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
from webapp.intake.readers.rows import Row

SAMPLE_ROWS = 50


def beginning(rows: Iterable[Row], most: int) -> list[Row]:
    """The first rows, at most so many, and of about SAMPLE_CHARACTERS; those whose cells are lost
    are left out."""
    first: list[Row] = []
    characters = 0
    for row in itertools.islice(rows, most):
        first += [row._replace(cells=[clean(cell) for cell in row.cells])] if row.cells else []
        characters += sum(map(len, row.cells)) if row.cells else MAX_TEXT
        if characters > SAMPLE_CHARACTERS and first:
            break
    return first


def sniff_below(rows: list[Row], name: str, options: Options, known: dict) -> Sniff:
    """What the rows of a table seem to be that may have titles and notes above its header. rows:
    the first, up to SAMPLE_ROWS more than webapp.intake.readers.headers.ROWS; known: `header` and
    `header_row`, where they are not to be guessed."""
    at = (
        headers.place(rows, name, known)
        if known.get("header") is not False or known.get("header_row")
        else 0
    )
    row = rows[at].line if at else 0
    header = True if at or known.get("header_row") else known.get("header")
    body = [list(row.cells or []) for row in rows[at : at + SAMPLE_ROWS]]
    return sniff(body, name, replace(options, header_row=row), header)


def sniff(rows: list[list[str]], name: str, options: Options, header: bool | None) -> Sniff:
    """What the first rows seem to be; `header`: whether the first names the columns, None to
    guess."""
    if not (width := max(map(len, rows), default=0)):
        raise Unreadable(
            f"“{name}” has no rows: only blank lines. Choose a file that has text in it."
        )
    check_width(width, name)
    header = headers.guess(rows) if header is None else header
    columns = names(rows[0] if header else [], width)
    body = rows[1:] if header else rows
    places = roles.guess(columns, body or rows)
    options = replace(
        options,
        header=header,
        **places,
        **metadata_types.describe(columns, body, places["date"]),
        names=tuple(columns),
    )
    texts = [
        row[options.text] for row in body if options.text is not None and options.text < len(row)
    ]
    options = replace(options, html=html_cells.guess(texts))
    preview = [
        [cell[:PREVIEW_CELL] for cell in row] + [""] * (width - len(row))
        for row in body[:PREVIEW_ROWS]
    ]
    return Sniff(
        options,
        columns,
        preview,
        None if body else f"“{name}” has a row of names and no row below it.",
    )


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
    rows: Iterable[Row], name: str, options: Options, counted: str = "row {} (line {})"
) -> Iterator[Document | Problem]:
    """A document a row. counted: what a row's place is called, by its number and its line."""
    if options.text is None:
        raise Unreadable(
            f"“{name}”: no column was chosen for the text. Choose the one that holds it."
        )
    columns, width, number = list(options.names), None, 0
    for line, cells, damage in rows:
        if width is None and options.header_row and _is_above(line, cells, options):
            continue
        lost_row = bool(damage) and not cells
        if width is None and not lost_row:
            width = len(cells)
            check_width(width, name)
            if options.header:
                columns = names(cells, width)
                options = by_name(options, columns, name)
                continue
        number += 1
        place = counted.format(number, line)
        if damage:
            yield Problem(
                name, place, f"“{name}”, {place}: {damage}. Correct the file there.", lost_row
            )
        if lost_row:
            continue
        text, wide, given = options.text or 0, width or 0, len(cells)
        lost = given <= text
        if lost or (given != wide and not damage):
            done = "it has no text and was left out" if lost else "it was kept as it is"
            if given > wide and not lost:
                cells, done = _surplus(cells, wide, options)
            expected = max(wide, text + 1)
            yield Problem(
                name,
                place,
                f"“{name}”, {place}: expected {expected} columns, found {given}; {done}.",
                lost,
            )
        if not lost:
            yield from document(cells, cells[text], columns, name, place, options)
    if width is None and options.header_row:
        raise Unreadable(
            f"“{name}”: none of its first {headers.ROWS} rows has the column"
            f" “{options.column('text')}”, which was chosen for the text."
        )


def _surplus(cells: list[str], width: int, options: Options) -> tuple[list[str], str]:
    """The cells of a row that has more of them than there are columns, and what becomes of the
    surplus ones, as the end of a sentence."""
    more, text = len(cells) - width, options.text or 0
    many = f"{more} surplus cells were" if more > 1 else "surplus cell was"
    if options.surplus and options.delimiter:
        joined = options.delimiter.join(cells[text : text + more + 1])
        return [*cells[:text], joined, *cells[text + more + 1 :]], f"its {many} joined to the text"
    sentence = f"its {many} kept as {'fields of their own' if more > 1 else 'a field of its own'}"
    if options.delimiter:
        sentence += "; if the text was cut there, choose that surplus cells belong to the text"
    return cells, sentence


def _is_above(line: int, cells: list[str], options: Options) -> bool:
    """Whether a row stands above the header. Several exports may each have another number of such
    rows: the header is then the row with the names."""
    chosen = options.column("text")
    if not cells:
        return line < options.header_row
    if line >= options.header_row:
        return line <= headers.ROWS and chosen not in names(cells, len(options.names))
    written = {clean(cell).strip() for cell in cells}
    many = 2 * len(written.intersection(options.names)) >= max(3, len(options.names))
    return not (many and chosen in written)


def by_name(options: Options, columns: list[str], name: str) -> Options:
    """The chosen columns where this file has them: one of several files may have another order, or
    fewer."""
    if not options.names or columns == list(options.names[: len(columns)]):
        return options
    places = options.places(columns)
    if places["text"] is None:
        raise Unreadable(
            f"“{name}” has no column “{options.column('text')}”, which was chosen for the text; it"
            f" has {', '.join(columns)[:200]}."
        )
    return replace(options, **places)


def document(
    row: list[str], raw: str, columns: list[str], name: str, place: str, options: Options
) -> Iterator[Document | Problem]:
    """The document of a row, and what is wrong with it. raw: its text as it stands in the file."""
    text, too_long = clean(raw), len(raw) > MAX_TEXT
    if too_long or not text.strip():
        why = f"has more than {MAX_TEXT:,} characters" if too_long else "is empty"
        yield Problem(name, place, f"“{name}”, {place}: the text {why}; it was left out.", True)
        return

    def cell(i: int | None, most: int) -> str:
        return clean(row[i]).strip()[:most] if i is not None and i < len(row) else ""

    used = {options.text, options.title, options.date, options.id}
    others = [i for i in range(len(row)) if i not in used][:MAX_FIELDS]
    metadata = {
        columns[i] if i < len(columns) else f"column {i + 1}": cell(i, MAX_FIELD)
        for i in others
        if row[i].strip()
    }
    about = cell(options.title, MAX_TITLE), cell(options.date, 60), cell(options.id, MAX_ID)
    yield from cleaned(raw, Document(text, *about, metadata, name, place), options)


def cleaned(raw: str, document: Document, options: Options) -> Iterator[Document | Problem]:
    """A document of a row or an object, without tags where its texts are HTML; and what was changed
    in its text. raw: the text as it stands in the file, which `clean` has made the document's."""
    where = f"“{document.file}”, {document.place}"
    if done := repairs(raw, document.text, options.encoding):
        yield Problem(document.file, document.place, f"{where}: {done}.", False)
    if options.html:
        text, headings = html_cells.as_text(document.text)
        title = html_cells.line(document.title) or document.title
        if not text.strip():
            yield Problem(document.file, document.place, html_cells.EMPTY.format(where), True)
            return
        document = replace(document, text=text, title=title, headings=headings)
    yield document
