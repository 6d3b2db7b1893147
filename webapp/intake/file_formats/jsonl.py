"""JSON lines: .jsonl, one object a line."""

import itertools
import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace

import orjson
import regex

from webapp.intake import metadata as metadata_types
from webapp.intake.file_formats import cells, column_roles, html_cells
from webapp.intake.file_formats.base import (
    MAX_FIELD,
    MAX_ID,
    MAX_NAME,
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
from webapp.intake.metadata.column_names import names_people
from webapp.intake.metadata.missing import is_missing

SAMPLE_LINES = 50
KIND_CHARACTERS = 1_000_000  # of them, at most, behind the first SAMPLE_LINES
KIND_LINES = 1_000  # by which the kinds of fields are guessed: the first may be alike
MOST_KEYS = 1_000  # of the first objects
MAX_DEPTH = 20  # of lists in lists that are joined
FIELD_DEPTH = 4  # of fields within fields that have a name of their own, as “author.name”
# Fields of a piece of a text; a list of objects with others is one of documents
PIECE_FIELDS = {
    "text",
    "type",
    "href",
    "url",
    "user_id",
    "language",
    "document_id",
    "collapsed",
    "style",
}
# Of a post in the older form of X: its whole text, where “text” has its first 140 characters
WHOLE_POST = "extended_tweet.full_text"
PIECES = 1_000  # of a list that are looked at to see whether they are the pieces of a text
# “<@U02AB>”, “<#C02AB|general>”, “<!here>” and “<https://example.org|site>” in texts of Slack
_SLACK = regex.compile(
    r"<(?:[@!#][\w^-]{1,40}|(?P<address>(?:https?://|mailto:)[^<>|\s]{1,2000}))(?:\|(?P<label>[^<>|]{1,500}))?>"
)
TOO_DEEP = "it is nested too deeply"


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    options = replace(
        options, encoding=fixed_options.get("encoding") or guess_encoding(head(path, name))
    )
    objects = []
    looked_at = 0
    broken = 0
    deep = 0
    characters = 0
    with opened(path, name) as file:
        for line, _ in itertools.islice(
            lines(decoded(file, options.encoding), MAX_TEXT), KIND_LINES
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
            if looked_at >= SAMPLE_LINES and characters > KIND_CHARACTERS:
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
    objects = [flat(value) for value in objects]
    keys_in_order = itertools.chain.from_iterable(objects)
    columns = list(dict.fromkeys(map(clean, keys_in_order)))[:MOST_KEYS]
    if not columns:
        raise Unreadable(
            f"“{name}”: its first objects have no fields. Choose a file whose objects hold texts."
        )
    rows = [_cells_of(value, columns) for value in objects]
    filled_columns = _filled(columns, rows)
    if filled_columns:
        columns = filled_columns
        rows = [_cells_of(value, columns) for value in objects]
    columns_of_roles = column_roles.guess(columns, rows[:SAMPLE_LINES])
    options = replace(
        options,
        **columns_of_roles,
        **metadata_types.describe(columns, rows, columns_of_roles["date"]),
        names=tuple(columns),
    )
    options = replace(
        options,
        html=options.text is not None and html_cells.guess(row[options.text] for row in rows),
    )
    preview = []
    for row in rows[:PREVIEW_ROWS]:
        preview.append([clean(cell)[:PREVIEW_CELL] for cell in row])
    return Sniff(options, columns, preview, problem)


def _cells_of(value: dict, columns: list[str]) -> list[str]:
    return [as_cell(value.get(column)) for column in columns]


def _filled(columns: list[str], rows: list[list[str]]) -> list[str]:
    """The columns that are not empty in all rows."""
    return [column for place, column in enumerate(columns) if any(row[place] for row in rows)]


class _Number(str):
    """A number as it is written: some have no place in a machine's."""


DEEP = object()  # stands for a value that is nested too deeply to be read


def value_of(line: str):
    """The value that a line holds; None where it is no JSON, DEEP where nobody can tell."""
    try:
        return orjson.loads(line)
    except ValueError:
        # Halves of surrogate pairs and numbers beyond a double: nothing that should lose a document
        try:
            return json.loads(line, parse_int=_Number, parse_float=_Number)
        except RecursionError:
            return DEEP
        except ValueError:
            return None


def flat(value: dict) -> dict:
    """An object with the fields of its fields beside them, named as “author.name”."""
    if not any(isinstance(item, dict) for item in value.values()):
        return value
    flattened: dict = {}
    waiting = deque([("", value, 0)])
    while waiting:
        before, fields, depth = waiting.popleft()
        for key, item in fields.items():
            if isinstance(item, dict) and depth < FIELD_DEPTH:
                waiting.append((f"{before}{key}.", item, depth + 1))
            else:
                flattened.setdefault(f"{before}{key}", item)
    return flattened


def joined_pieces(value: list) -> str | None:
    """The text that a list of pieces is, as messengers write one with links and bold words:
    strings, and objects with a “text”; None for another list."""
    texts: list[str] = []
    for item in value[:PIECES]:
        if isinstance(item, dict) and not item.keys() <= PIECE_FIELDS:
            return None
        text = item.get("text") if isinstance(item, dict) else item
        if not isinstance(text, str):
            return None
    for item in value:
        text = item.get("text") if isinstance(item, dict) else item
        if isinstance(text, str):
            texts.append(text)
    are_pieces = any(isinstance(item, dict) for item in value[:PIECES])
    return "".join(texts) if are_pieces else None


def as_cell(value, depth: int = 0) -> str:
    """A value as a cell: text as it is, pieces of a text and lists joined, nothing as nothing.
    depth: of the lists that it is in."""
    match value:
        case None:
            return ""
        case str():
            return value
        case list() if (text := joined_pieces(value)) is not None:
            return text
        case list() if depth < MAX_DEPTH:
            return "; ".join(as_cell(item, depth + 1) for item in value)
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
    columns_of_roles = {role: options.column(role) for role in ROLES}
    return {role: column for role, column in columns_of_roles.items() if column is not None}


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    keys_of_roles = keys(name, options)
    fields = cells.KeptFields()
    with opened(path, name, advance) as file:
        for number, (line, is_complete) in enumerate(
            lines(decoded(file, options.encoding), MAX_TEXT), 1
        ):
            if not is_complete:
                yield Problem(
                    name,
                    f"line {number}",
                    f"“{name}”, line {number}: it has more than {MAX_TEXT:,} characters; it was"
                    " left out. Cut it into parts.",
                    True,
                )
            elif line.strip():
                place_in_file = f"line {number}"
                yield from document(
                    value_of(line), keys_of_roles, name, place_in_file, options, fields
                )
    yield from fields.problems(name)


def _text(value):
    """What a field holds as a document's text: pieces of one joined, paragraphs line by line."""
    if not isinstance(value, list):
        return value
    if all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return joined_pieces(value) if joined_pieces(value) is not None else value


def _without_marks(match: regex.Match) -> str:
    """What a mark of Slack shows: the label of an address or channel, nobody's code."""
    return match["label"] or match["address"] or ""


def _why_no_text(text) -> tuple[str, str]:
    """Why a field holds no text, as the end of a sentence, and the kind of the Problem."""
    if text is None:
        return "is missing", "empty"
    if type(text) is str:
        if not text.strip():
            return "is empty", "empty"
        return f"is “{text.strip()}”, a mark of a missing text", "mark"
    if isinstance(text, _Number | int | float):
        return "is not a text (a number)", "empty"
    return f"is not a text ({type(text).__name__})", "empty"


def document(
    value,
    keys: dict[str, str],
    name: str,
    place_in_file: str,
    options: Options,
    fields: cells.KeptFields,
) -> Iterator[Document | Problem]:
    """value: of a line or an element of a list; None where it is no JSON."""
    if not isinstance(value, dict):
        wrong = (
            "it is not JSON, or it is cut off" if value is None else "it is JSON, but not an object"
        )
        wrong = TOO_DEEP if value is DEEP else wrong
        yield Problem(
            name,
            place_in_file,
            f"“{name}”, {place_in_file}: expected a JSON object, but {wrong}; it was left out.",
            True,
        )
        return
    value = flat(value)
    text = _text(value.get(keys["text"]))
    whole_post = value.get(WHOLE_POST) if keys["text"] == "text" else None
    if isinstance(whole_post, str):
        text = whole_post
    if isinstance(text, str) and _SLACK.search(text):
        text = _SLACK.sub(_without_marks, text)
    cleaned = clean(text) if isinstance(text, str) else ""
    missing = options.missing and is_missing(cleaned)
    if isinstance(text, _Number) or not cleaned.strip() or missing:
        wrong, kind = _why_no_text(text)
        sentence = (
            f"“{name}”, {place_in_file}: its field “{keys['text']}” {wrong}; it was left out."
        )
        yield Problem(name, place_in_file, sentence, True, kind)
        return

    def cell(role: str, limit: int) -> str:
        if role not in keys:
            return ""
        written = clean(as_cell(value.get(keys[role]))).strip()[:limit]
        return "" if cells.marked_missing(written, keys[role], options) else written

    used = {key for role, key in keys.items() if role != "title" or not names_people(key)}
    metadata: dict[str, str] = {}
    for key, item in value.items():
        column = clean(key)[:MAX_NAME]
        if key in used or item in (None, "", []):
            continue
        written = clean(as_cell(item))[:MAX_FIELD]
        missing = not written or cells.marked_missing(written, column, options)
        if not missing and fields.keeps(column):
            metadata[column] = written
    about = cell("title", MAX_TITLE), cell("date", 60), cell("id", MAX_ID)
    yield from cells.cleaned(
        text, Document(cleaned, *about, metadata, name, place_in_file), options
    )
