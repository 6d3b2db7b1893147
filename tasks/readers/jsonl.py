"""JSON lines: .jsonl, one object a line."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import orjson

from tasks.readers import roles
from tasks.readers.model import (
    MAX_FIELD,
    MAX_FIELDS,
    MAX_ID,
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
from tasks.readers.opening import Source, clean, decoded, guess_encoding, head, lines, opened, repairs

SAMPLE_LINES = 50


def sniff(path: Source, name: str, options: Options, known: dict) -> Sniff:
    options = replace(options, encoding=known.get("encoding") or guess_encoding(head(path, name)))
    objects, broken, characters = [], 0, 0
    with opened(path, name) as file:
        for line, _ in itertools.islice(lines(decoded(file, options.encoding), MAX_TEXT), SAMPLE_LINES):
            value = _object(line)
            if isinstance(value, dict):
                objects.append(value)
            elif line.strip():
                broken += 1
            characters += len(line)
            if characters > SAMPLE_CHARACTERS and objects:
                break
    if not objects:
        raise Unreadable(
            f"“{name}”: expected one JSON object a line, such as {{\"text\": \"…\"}}, but none of the first lines is one. "
            "Save it as JSON lines, or as CSV."
        )
    columns = list(dict.fromkeys(key for value in objects for key in value))[:1000]
    rows = [[_string(value.get(column)) for column in columns] for value in objects]
    options = replace(options, **roles.guess(columns, rows), names=tuple(columns))
    preview = [[clean(cell)[:PREVIEW_CELL] for cell in row] for row in rows[:PREVIEW_ROWS]]
    problem = f"{broken} of the first {SAMPLE_LINES} lines are no JSON objects; such lines are left out." if broken else None
    return Sniff(options, columns, preview, problem)


def _object(line: str):
    try:
        return orjson.loads(line)
    except ValueError:
        return None


def _string(value) -> str:
    """A value as a cell: text as it is, lists joined, nothing as nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(_string(item) for item in value)
    return orjson.dumps(value).decode()


def read(path: Source, name: str, options: Options, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
    if options.text is None or options.text >= len(options.names):
        raise Unreadable(f"“{name}”: no field was chosen for the text. Choose the one that holds it.")
    keys = {role: options.names[i] for role in ("text", "title", "date", "id") if (i := getattr(options, role)) is not None}
    with opened(path, name, advance) as file:
        for number, (line, whole) in enumerate(lines(decoded(file, options.encoding), MAX_TEXT), 1):
            if not whole:
                sentence = f"“{name}”, line {number}: it has more than {MAX_TEXT:,} characters; it was left out. Cut it into parts."
                yield Problem(name, f"line {number}", sentence, True)
            elif line.strip():
                yield from _document(line, keys, name, f"line {number}", options.encoding)


def _document(line: str, keys: dict[str, str], name: str, place: str, encoding: str) -> Iterator[Document | Problem]:
    value = _object(line)
    if not isinstance(value, dict):
        found = "it is no JSON at all, or cut off" if value is None else "it is JSON, but no object"
        yield Problem(name, place, f"“{name}”, {place}: expected a JSON object, but {found}; it was left out.", True)
        return
    text = value.get(keys["text"])
    if not isinstance(text, str) or not clean(text).strip():
        found = "is missing" if text is None else "is empty" if isinstance(text, str) else f"is no text ({type(text).__name__})"
        yield Problem(name, place, f"“{name}”, {place}: its field “{keys['text']}” {found}; it was left out.", True)
        return
    if done := repairs(text, encoding):
        yield Problem(name, place, f"“{name}”, {place}: {done}.", False)

    def cell(role: str, most: int) -> str:
        return clean(_string(value.get(keys[role]))).strip()[:most] if role in keys else ""

    others = [key for key in value if key not in keys.values()][:MAX_FIELDS]
    metadata = {clean(key)[:100]: clean(_string(value[key]))[:MAX_FIELD] for key in others if value[key] not in (None, "", [])}
    yield Document(clean(text), cell("title", MAX_TITLE), cell("date", 60), cell("id", MAX_ID), metadata, name, place)
