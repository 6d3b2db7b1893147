"""Tables: .csv and .tsv, one document a row."""

import csv
import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

from tasks.readers import roles
from tasks.readers.dates import parse_date
from tasks.readers.model import (
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
)  # fmt: skip
from tasks.readers.opening import Source, clean, decoded, extension, guess_encoding, head, opened, repairs
from tasks.readers.rows import Rows

DELIMITERS = (",", ";", "\t", "|")
SAMPLE_ROWS = 50
MAX_COLUMNS = 2_000


def sniff(path: Source, name: str, options: Options, known: dict) -> Sniff:
    sample = head(path, name)
    options = replace(options, encoding=known.get("encoding") or guess_encoding(sample))
    options = replace(options, delimiter=known.get("delimiter") or _guess_delimiter(path, name, options))
    if len(options.delimiter) != 1 or options.delimiter in '"\r\n':
        raise Unreadable(f"“{name}”: columns can be separated by one character only, such as a comma, not by “{options.delimiter[:20]}”.")
    rows = _first_rows(path, name, options)
    if not rows:
        raise Unreadable(f"“{name}” has no rows: only blank lines. Choose a file that has text in it.")
    width = max(map(len, rows))
    if width > MAX_COLUMNS:
        raise Unreadable(f"“{name}” has {width:,} columns; at most {MAX_COLUMNS:,} can be read. Is it a table of documents?")
    header = known.get("header")
    header = _guess_header(rows) if header is None else header
    columns = _names(rows[0] if header else [], width)
    body = rows[1:] if header else rows
    options = replace(options, header=header, **roles.guess(columns, body or rows), names=tuple(columns))
    preview = [[cell[:PREVIEW_CELL] for cell in row] + [""] * (width - len(row)) for row in body[:PREVIEW_ROWS]]
    problem = None if body else f"“{name}” has a row of names and no row below it."
    if width == 1 and extension(name) != ".txt" and len(body) < 2:
        problem = problem or f"“{name}” seems to be one single cell. Is it a table with one document a row?"
    return Sniff(options, columns, preview, problem)


def _names(cells: list[str], width: int) -> list[str]:
    """Names of the columns, all different and none empty: roles and metadata are found by them."""
    names: list[str] = []
    for i in range(width):
        name = (clean(cells[i]).strip()[:MAX_NAME] if i < len(cells) else "") or f"column {i + 1}"
        names.append(f"{name} ({i + 1})" if name in names else name)
    return names


def _dialect(path: Source, name: str, delimiter: str) -> dict:
    """Commas come with quotes. Tabs often come without: there a quotation mark is a letter, unless whole cells are quoted."""
    if delimiter == "\t":
        sample = head(path, name).decode("latin-1")
        cells = [cell for line in sample.splitlines()[:200] for cell in line.split("\t")]
        if not any(len(cell) > 1 and cell.startswith('"') and cell.endswith('"') for cell in cells):
            return {"delimiter": delimiter, "quoting": csv.QUOTE_NONE}
    return {"delimiter": delimiter}


def _first_rows(path: Source, name: str, options: Options) -> list[list[str]]:
    rows, characters = [], 0
    with opened(path, name) as file:
        for row in itertools.islice(Rows(decoded(file, options.encoding), _dialect(path, name, options.delimiter)), SAMPLE_ROWS):
            rows += [[clean(cell) for cell in row.cells]] if row.cells else []
            characters += sum(map(len, row.cells or [])) or MAX_TEXT
            if characters > SAMPLE_CHARACTERS and rows:
                break
    return rows


def _guess_delimiter(path: Source, name: str, options: Options) -> str:
    """The one that cuts the first rows into the same number of cells, the more the better."""
    if extension(name) in (".tsv", ".tab"):
        return "\t"
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        widths = [len(row) for row in _first_rows(path, name, replace(options, delimiter=delimiter))]
        if widths and max(widths) > 1:
            usual = max(set(widths), key=widths.count)
            score = (widths.count(usual) / len(widths) if usual > 1 else 0.0, usual)
            if score > best_score:
                best, best_score = delimiter, score
    return best


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
    try:
        float(cell)
        return True
    except ValueError:
        return parse_date(cell) is not None


def read(path: Source, name: str, options: Options, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
    if options.text is None:
        raise Unreadable(f"“{name}”: no column was chosen for the text. Choose the one that holds it.")
    with opened(path, name, advance) as file:
        rows = Rows(decoded(file, options.encoding), _dialect(path, name, options.delimiter))
        yield from _documents(rows, name, options)


def _documents(rows: Rows, name: str, options: Options) -> Iterator[Document | Problem]:
    names, width, number = list(options.names), None, 0
    for line, cells, damage in rows:
        if width is None and cells is not None:
            width = len(cells)
            if options.header:
                names = _names(cells, width)
                options = _by_name(options, names, name)
                continue
        number += 1
        place = f"row {number} (line {line})"
        if damage:
            yield Problem(name, place, f"“{name}”, {place}: {damage}. Mend the file there.", cells is None)
        if cells is None:
            continue
        lost = len(cells) <= options.text
        if lost or (len(cells) != width and not damage):
            done = "it has no text and was left out" if lost else "it was kept as it is"
            expected = max(width, options.text + 1)
            yield Problem(name, place, f"“{name}”, {place}: expected {expected} columns, found {len(cells)}; {done}.", lost)
        if not lost:
            yield from _document(cells, names, name, place, options)


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
    if done := repairs(raw, options.encoding):
        yield Problem(name, place, f"“{name}”, {place}: {done}.", False)

    def cell(i: int | None, most: int) -> str:
        return clean(row[i]).strip()[:most] if i is not None and i < len(row) else ""

    used = {options.text, options.title, options.date, options.id}
    others = [i for i in range(len(row)) if i not in used][:MAX_FIELDS]
    metadata = {names[i] if i < len(names) else f"column {i + 1}": cell(i, MAX_FIELD) for i in others if row[i].strip()}
    yield Document(
        text, cell(options.title, MAX_TITLE), cell(options.date, 60), cell(options.id, MAX_ID), metadata, name, place
    )
