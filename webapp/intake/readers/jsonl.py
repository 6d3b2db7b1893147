"""JSON lines: .jsonl, one object a line."""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import orjson

from webapp.intake import metadata as metadata_types
from webapp.intake.readers import cells, html_cells, roles
from webapp.intake.readers.base import (
    MAX_FIELD,
    MAX_FIELDS,
    MAX_ID,
    MAX_TEXT,
    MAX_TITLE,
    PREVIEW_CELL,
    PREVIEW_ROWS,
    ROLES,
    SAMPLE_CHARACTERS,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    clean,
    decoded,
    guess_encoding,
    head,
    lines,
    opened,
)

SAMPLE_LINES = 50
MAX_DEPTH = 20  # of lists in lists that are joined
TOO_DEEP = "it is nested too deeply"


def sniff(path: Source, name: str, options: Options, known: dict) -> Sniff:
    options = replace(options, encoding=known.get("encoding") or guess_encoding(head(path, name)))
    objects, looked_at, broken, deep, characters = [], 0, 0, 0, 0
    with opened(path, name) as file:
        for line, _ in itertools.islice(
            lines(decoded(file, options.encoding), MAX_TEXT), SAMPLE_LINES
        ):
            value = value_of(line)
            looked_at += 1
            if isinstance(value, dict):
                objects.append(value)
            elif line.strip():
                broken += 1
                deep += value is DEEP
            characters += len(line)
            if characters > SAMPLE_CHARACTERS and objects:
                break
    if not objects and deep:
        raise Unreadable(
            f"“{name}” can't be read as JSON lines: {TOO_DEEP}. Save it again, or as CSV."
        )
    if not objects:
        raise Unreadable(
            f'“{name}”: expected one JSON object a line, such as {{"text": "…"}}, but none of the'
            " first lines is one. Save it as JSON lines, or as CSV."
        )
    problem = (
        f"{broken} of the first {looked_at} lines can’t be read as JSON objects; such lines are"
        " left out."
        if broken
        else None
    )
    return sniffed(objects, name, options, problem)


def sniffed(objects: list[dict], name: str, options: Options, problem: str | None = None) -> Sniff:
    """What the first objects seem to be. Raises Unreadable where none has a field."""
    columns = list(dict.fromkeys(clean(key) for value in objects for key in value))[:1000]
    if not columns:
        raise Unreadable(
            f"“{name}”: its first objects have no fields. Choose a file whose objects hold texts."
        )
    rows = [[_string(value.get(column)) for column in columns] for value in objects]
    places = roles.guess(columns, rows)
    options = replace(
        options,
        **places,
        **metadata_types.describe(columns, rows, places["date"]),
        names=tuple(columns),
    )
    options = replace(
        options,
        html=options.text is not None and html_cells.guess(row[options.text] for row in rows),
    )
    return Sniff(
        options,
        columns,
        [[clean(cell)[:PREVIEW_CELL] for cell in row] for row in rows[:PREVIEW_ROWS]],
        problem,
    )


class _Number(str):
    """A number as it is written: some have no place in a machine's."""


DEEP = object()  # stands for a value that is nested too deeply to be read


def value_of(line: str):
    """The value that a line holds; None where it is no JSON, DEEP where nobody can tell."""
    try:
        return orjson.loads(line)
    except (
        ValueError
    ):  # halves of surrogate pairs and numbers beyond a double: nothing that should lose a document
        try:
            return json.loads(line, parse_int=_Number, parse_float=_Number)
        except RecursionError:
            return DEEP
        except ValueError:
            return None


def _string(value, depth: int = 0) -> str:
    """A value as a cell: text as it is, lists joined, nothing as nothing."""
    match value:
        case None:
            return ""
        case str():
            return value
        case list() if depth < MAX_DEPTH:
            return "; ".join(_string(item, depth + 1) for item in value)
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # halves of surrogate pairs, or too deep
        try:
            return json.dumps(value, ensure_ascii=False)
        except RecursionError:
            return "…"


def keys(name: str, options: Options) -> dict[str, str]:
    """The chosen fields, by their roles."""
    if options.text is None or options.text >= len(options.names):
        raise Unreadable(
            f"“{name}”: no field was chosen for the text. Choose the one that holds it."
        )
    return {role: column for role in ROLES if (column := options.column(role)) is not None}


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    chosen = keys(name, options)
    with opened(path, name, advance) as file:
        for number, (line, whole) in enumerate(lines(decoded(file, options.encoding), MAX_TEXT), 1):
            if not whole:
                yield Problem(
                    name,
                    f"line {number}",
                    f"“{name}”, line {number}: it has more than {MAX_TEXT:,} characters; it was"
                    " left out. Cut it into parts.",
                    True,
                )
            elif line.strip():
                yield from document(value_of(line), chosen, name, f"line {number}", options)


def document(
    value, keys: dict[str, str], name: str, place: str, options: Options
) -> Iterator[Document | Problem]:
    """value: of a line or an element of a list; None where it is no JSON."""
    if not isinstance(value, dict):
        wrong = (
            "it is not JSON, or it is cut off" if value is None else "it is JSON, but not an object"
        )
        wrong = TOO_DEEP if value is DEEP else wrong
        yield Problem(
            name,
            place,
            f"“{name}”, {place}: expected a JSON object, but {wrong}; it was left out.",
            True,
        )
        return
    text = value.get(keys["text"])
    if (
        not isinstance(text, str)
        or isinstance(text, _Number)
        or not (cleaned := clean(text)).strip()
    ):
        kind = "a number" if isinstance(text, _Number | int | float) else type(text).__name__
        wrong = (
            "is missing"
            if text is None
            else "is empty"
            if type(text) is str
            else f"is not a text ({kind})"
        )
        yield Problem(
            name,
            place,
            f"“{name}”, {place}: its field “{keys['text']}” {wrong}; it was left out.",
            True,
        )
        return

    def cell(role: str, most: int) -> str:
        return clean(_string(value.get(keys[role]))).strip()[:most] if role in keys else ""

    others = [key for key in value if key not in keys.values()][:MAX_FIELDS]
    metadata = {
        clean(key)[:100]: clean(_string(value[key]))[:MAX_FIELD]
        for key in others
        if value[key] not in (None, "", [])
    }
    about = cell("title", MAX_TITLE), cell("date", 60), cell("id", MAX_ID)
    yield from cells.cleaned(text, Document(cleaned, *about, metadata, name, place), options)
