"""Tables: .csv and .tsv, one document a row."""

import csv
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tasks.readers import roles
from tasks.readers.dates import parse_date
from tasks.readers.model import (
    MAX_FIELD,
    MAX_FIELDS,
    MAX_ID,
    MAX_TEXT,
    MAX_TITLE,
    PREVIEW_CELL,
    PREVIEW_ROWS,
    Document,
    Options,
    Problem,
    Sniff,
    Unreadable,
)  # fmt: skip
from tasks.readers.opening import clean, decoded, extension, guess_encoding, head, opened

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_ROWS = 50
MAX_COLUMNS = 2_000
REPLACED = "\ufffd"

csv.field_size_limit(MAX_TEXT)


def sniff(path: Path, name: str, options: Options, known: dict) -> Sniff:
    sample = head(path, name)
    options = replace(options, encoding=known.get("encoding") or guess_encoding(sample))
    options = replace(options, delimiter=known.get("delimiter") or _guess_delimiter(path, name, options))
    rows = _first_rows(path, name, options)
    if not rows:
        raise Unreadable(f"“{name}” has no rows: only blank lines. Choose a file that has text in it.")
    width = max(map(len, rows))
    if width > MAX_COLUMNS:
        raise Unreadable(f"“{name}” has {width:,} columns; at most {MAX_COLUMNS:,} can be read. Is it a table of documents?")
    header = known.get("header")
    header = _guess_header(rows) if header is None else header
    columns = [f"column {i + 1}" for i in range(width)]
    if header:
        columns = [cell.strip() or columns[i] for i, cell in enumerate(rows[0])] + columns[len(rows[0]) :]
    body = rows[1:] if header else rows
    options = replace(options, header=header, **roles.guess(columns, body or rows), names=tuple(columns))
    preview = [[cell[:PREVIEW_CELL] for cell in row] + [""] * (width - len(row)) for row in body[:PREVIEW_ROWS]]
    problem = None if body else f"“{name}” has a row of names and no row below it."
    if width == 1 and extension(name) != ".txt" and len(body) < 2:
        problem = problem or f"“{name}” seems to be one single cell. Is it a table with one document a row?"
    return Sniff(options, columns, preview, problem)


def _dialect(path: Path, name: str, delimiter: str) -> dict:
    """Commas come with quotes. Tabs often come without: there a quotation mark is a letter, unless whole cells are quoted."""
    if delimiter == "\t":
        sample = head(path, name).decode("latin-1")
        cells = [cell for line in sample.splitlines()[:200] for cell in line.split("\t")]
        if not any(len(cell) > 1 and cell.startswith('"') and cell.endswith('"') for cell in cells):
            return {"delimiter": delimiter, "quoting": csv.QUOTE_NONE}
    return {"delimiter": delimiter}


def _first_rows(path: Path, name: str, options: Options) -> list[list[str]]:
    with opened(path, name) as file:
        reader = csv.reader(decoded(file, options.encoding), **_dialect(path, name, options.delimiter))
        try:
            return [[clean(c) for c in row] for row in itertools.islice(reader, SAMPLE_ROWS) if any(cell.strip() for cell in row)]
        except csv.Error as error:
            raise Unreadable(_csv_error(name, reader.line_num, error)) from None


def _csv_error(name: str, line: int, error: csv.Error) -> str:
    if "field larger" in str(error):
        return (
            f"“{name}”, line {line}: a cell has more than {MAX_TEXT:,} characters. Most likely a quotation mark was opened "
            "and never closed. Mend the file there, or cut the text into smaller documents."
        )
    return f"“{name}”, line {line}: this is no row of a table ({error}). Mend the file there."


def _guess_delimiter(path: Path, name: str, options: Options) -> str:
    """The one that cuts the first rows into the same number of cells, the more the better."""
    if extension(name) in (".tsv", ".tab"):
        return "\t"
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        try:
            widths = [len(row) for row in _first_rows(path, name, replace(options, delimiter=delimiter))]
        except Unreadable:
            continue
        if widths and max(widths) > 1:
            usual = max(set(widths), key=widths.count)
            score = (widths.count(usual) / len(widths) if usual > 1 else 0.0, usual)
            if score > best_score:
                best, best_score = delimiter, score
    return best


def _guess_header(rows: list[list[str]]) -> bool:
    """Whether the first row names the columns: known names, or short labels over cells of another kind."""
    first = [cell.strip() for cell in rows[0]]
    if len(rows) < 2 or not all(first) or len(set(first)) < len(first) or any(len(cell) > 60 for cell in first):
        return False
    if any(_number_or_date(cell) for cell in first):
        return False
    if any(roles.known(cell) for cell in first):
        return True
    for i, label in enumerate(first):
        below = [row[i].strip() for row in rows[1:] if i < len(row) and row[i].strip()]
        if below and all(map(_number_or_date, below)):
            return True
        if below and sum(map(len, below)) / len(below) > max(60, 3 * len(label)):
            return True
    return False


def _number_or_date(cell: str) -> bool:
    try:
        float(cell)
        return True
    except ValueError:
        return parse_date(cell) is not None


class _Lines:
    """Lines on their way to the csv module, which does not tell of a quotation mark that is never closed."""

    def __init__(self, file, quotes: bool):
        self.file, self.quotes, self.open = file, quotes, False

    def __iter__(self) -> Iterator[str]:
        for line in self.file:
            if self.quotes and line.count('"') % 2:
                self.open = not self.open
            yield line


def read(path: Path, name: str, options: Options, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
    if options.text is None:
        raise Unreadable(f"“{name}”: no column was chosen for the text. Choose the one that holds it.")
    if options.delimiter is None:  # a table inside a collection of other files: read as it seems to be
        found = sniff(path, name, options, {"encoding": options.encoding})
        options = found.options
    with opened(path, name, advance) as file:
        dialect = _dialect(path, name, options.delimiter)
        lines = _Lines(decoded(file, options.encoding), dialect.get("quoting") != csv.QUOTE_NONE)
        reader = csv.reader(lines, **dialect)
        yield from _documents(reader, lines, name, options)


def _documents(reader, lines: _Lines, name: str, options: Options) -> Iterator[Document | Problem]:
    names, width, number, first_line = list(options.names), None, 0, 1
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield Problem(name, f"line {reader.line_num}", _csv_error(name, reader.line_num, error), True)
            continue
        if row is None:
            break
        line, first_line = first_line, reader.line_num + 1
        if not any(cell.strip() for cell in row):
            continue
        if width is None:
            width = len(row)
            if options.header:
                names = [cell.strip() for cell in row]
                options = _by_name(options, names, name)
                continue
        number += 1
        place = f"row {number} (line {line})"
        if len(row) != width:
            lost = len(row) <= options.text
            done = "it has no text and was left out" if lost else "it was kept as it is"
            yield Problem(name, place, f"“{name}”, {place}: expected {width} columns, found {len(row)}; {done}.", lost)
            if lost:
                continue
        yield from _document(row, names, name, place, options)
    if lines.open:
        yield Problem(
            name, place if number else "", f"“{name}”: a quotation mark is opened and never closed, most likely in the last row "
            f"that was read (row {number}), which then holds all that follows it. Mend the file there.", False,
        )  # fmt: skip


def _by_name(options: Options, names: list[str], name: str) -> Options:
    """The chosen columns where this file has them: one of several files may have another order, or fewer."""
    if not options.names or names == list(options.names[: len(names)]):
        return options
    places = {}
    for role in ("text", "title", "date", "id"):
        chosen = getattr(options, role)
        wanted = options.names[chosen] if chosen is not None else None
        places[role] = names.index(wanted) if wanted in names else None
    if places["text"] is None:
        wanted = options.names[options.text]
        raise Unreadable(f"“{name}” has no column “{wanted}”, which was chosen for the text; it has {', '.join(names)[:200]}.")
    return replace(options, **places)


def _document(row: list[str], names: list[str], name: str, place: str, options: Options) -> Iterator[Document | Problem]:
    raw = row[options.text]
    text = clean(raw)
    if not text.strip():
        yield Problem(name, place, f"“{name}”, {place}: the text is empty; it was left out.", True)
        return
    if REPLACED in text:
        yield Problem(
            name, place, f"“{name}”, {place}: some bytes are no characters in {options.encoding}; each is shown as {REPLACED}. "
            "Choose another encoding if many are wrong.", False,
        )  # fmt: skip
    elif len(text) < len(raw):
        yield Problem(name, place, f"“{name}”, {place}: {len(raw) - len(text):,} control characters were taken out of the text.", False)

    def cell(i: int | None, most: int) -> str:
        return clean(row[i]).strip()[:most] if i is not None and i < len(row) else ""

    used = {options.text, options.title, options.date, options.id}
    others = [i for i in range(len(row)) if i not in used][:MAX_FIELDS]
    metadata = {clean(names[i])[:100] if i < len(names) else f"column {i + 1}": cell(i, MAX_FIELD) for i in others if row[i].strip()}
    yield Document(
        text, cell(options.title, MAX_TITLE), cell(options.date, 60), cell(options.id, MAX_ID), metadata, name, place
    )
