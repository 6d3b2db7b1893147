"""JSON (.json): a list of objects, an object that holds one, an object a line, or a single object,
which is one document.

A file that fits is read as a whole; of a larger one the first list of objects is read an object at
a time.
"""

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TextIO

import regex

from webapp.intake.file_formats import cells, column_roles, jsonl
from webapp.intake.file_formats.base import (
    MAX_TEXT,
    SAMPLE_CHARACTERS,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    decoded,
    guess_encoding,
    head,
    opened,
)
from webapp.intake.file_formats.jsonl import DEEP, TOO_DEEP, document, keys, sniffed, value_of
from webapp.intake.metadata.missing import is_missing

MOST_WHOLE_CHARACTERS = 10_000_000  # characters of a file that is read as a whole
MAX_DEPTH = 4  # of the list of objects, in objects
# values before the list of objects, and lists around it
MOST_BEFORE = 100_000
MOST_LISTS = 1_000
SAMPLE = 50  # objects by which it is guessed what the fields are
KIND_SAMPLE = 1_000  # by which the kinds of their values are guessed
WHOLE_FILE = "the whole file"  # the path of a list that is all there is
LONGEST_ABOUT = 100  # characters of what is said of a list of objects by the object that holds it
LISTS = 100  # of a file that are offered
LEAST_WORDS = 3  # of an object's longest string, on average, in a list of objects with texts
NO_TEXTS = (
    "“{name}”: none of its first {count:,} objects has the field “{field}”, in which others have"
    " their texts; it was left out."
)
# texts that stand in one object, and characters of most of them
FEWEST_TEXTS = 3
SHORTEST_TEXT = 60
ONE = (
    "“{name}” is one object, and would be one document: its text is one field, and the others are"
    " about it. If each field is a document, save them as a list of objects."
)
_SPACE = regex.compile(r"[\s,\ufeff]*")
# What stands before the list in an archive of X, whose files are scripts
_SCRIPT = regex.compile(r"\A\ufeff?\s*window\.YTD\.[\w.\-]+\s*=\s*")
_DECODER = json.JSONDecoder(parse_int=jsonl._Number, parse_float=jsonl._Number)


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    options = replace(
        options, encoding=fixed_options.get("encoding") or guess_encoding(head(path, name))
    )
    if _is_lines(path, name, options):
        return jsonl.sniff(path, name, options, fixed_options)
    options = replace(options, sheet=fixed_options.get("sheet") or options.sheet)
    objects = []
    characters = 0
    problem = None
    lists = Lists()
    values = _values(path, name, options, lambda n: None, lists)
    for value in itertools.islice(values, KIND_SAMPLE):
        objects += [value] if isinstance(value, dict) else []
        problem = value if isinstance(value, Problem) else problem
        characters += len(str(value)[:SAMPLE_CHARACTERS])
        if characters > SAMPLE_CHARACTERS and objects:
            break
        if len(objects) >= SAMPLE and characters > jsonl.KIND_CHARACTERS:
            break
    if not objects:
        raise Unreadable(
            problem.message
            if problem
            else (
                f'“{name}”: expected a list of JSON objects, such as [{{"text": "…"}}, …], or an'
                " object that holds one. Save it so, or as CSV."
            )
        )
    is_one_object = (
        len(objects) == 1
        and sum(
            isinstance(text, str) and len(text) >= SHORTEST_TEXT for text in objects[0].values()
        )
        > 1
    )
    note = ONE.format(name=name) if is_one_object else None
    options = replace(options, sheet=options.sheet if options.sheet in lists.names else "")
    return replace(sniffed(objects, name, options, note), sheets=lists.offered())


class Lists:
    """The lists of objects in a file, as they are offered: by their paths, such as “data.posts”."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}  # -> how many objects it has
        self.chosen = ""

    def offered(self) -> tuple[str, ...]:
        """The one that is read, then the others; none where there is but one."""
        if len(self.names) < 2:
            return ()
        other_lists = [name for name in self.names if name != self.chosen]
        return (self.chosen, *other_lists)[:LISTS]


def read(path: Source, name: str, options: Options, advance) -> Iterator[Document | Problem]:
    if _is_lines(path, name, options):
        yield from jsonl.read(path, name, options, advance)
        return
    keys_of_roles = keys(name, options)
    fields = cells.KeptFields()
    values = _values(path, name, options, advance, Lists())
    first = list(itertools.islice(values, SAMPLE))
    if _lacks_texts(first, keys_of_roles["text"]):
        sentence = NO_TEXTS.format(name=name, count=len(first), field=keys_of_roles["text"])
        yield Problem(name, "", sentence, True, "no text field")
        return
    for number, value in enumerate(itertools.chain(first, values), 1):
        if isinstance(value, Problem):
            yield value
        else:
            yield from document(value, keys_of_roles, name, f"object {number}", options, fields)
    yield from fields.problems(name)


def _lacks_texts(objects: list, field: str) -> bool:
    """Whether the first objects of a file are others than those that have the texts: several, of
    which none has the field."""
    rows = [value for value in objects if isinstance(value, dict)]
    return (
        bool(rows)
        and len(objects) == len(rows)
        and not any(field in jsonl.flat(value) for value in rows)
    )


def _is_lines(path: Source, name: str, options: Options) -> bool:
    """Whether the file is JSON lines under another name: its first two lines are objects."""
    with opened(path, name) as file:
        text = decoded(file, options.encoding)
        first = text.readline(MOST_WHOLE_CHARACTERS)
        second = text.readline(MOST_WHOLE_CHARACTERS)
    return (
        second.lstrip().startswith("{")
        and first.lstrip("\ufeff ").startswith("{")
        and isinstance(value_of(first), dict)
    )


def _values(path: Source, name: str, options: Options, advance, lists: Lists) -> Iterator:
    """The objects, or what stands in their places; a Problem where the file can't be read on.
    lists: is told of the lists that there are."""
    with opened(path, name, advance) as file:
        text = decoded(file, options.encoding)
        start = _SCRIPT.sub("", text.read(MOST_WHOLE_CHARACTERS), 1)
        next_character = text.read(1)
        document = None if next_character else value_of(start.removeprefix("\ufeff"))
        if document is not None and document is not DEEP:
            yield from _list(document, name, options.sheet, lists)
            return
        skipped = _without_texts(path, name, options)
        yield from _stream(_Buffer(start + next_character, text), name, skipped)


def _without_texts(path: Source, name: str, options: Options) -> int:
    """How many lists of objects of a large file stand before the first that has texts; 0 where none
    has any, or its beginning can't be read."""
    with opened(path, name) as file:
        text = decoded(file, options.encoding)
        buffer = _Buffer(_SCRIPT.sub("", text.read(1 << 10), 1), text)
        try:
            for number in range(LISTS):
                if not _enter(buffer):
                    return 0
                first: list = []
                while len(first) < SAMPLE and buffer.next() not in ("]", ""):
                    first.append(buffer.value())
                if _has_texts(first):
                    return number
                _leave(buffer)
        except ValueError:
            return 0
    return 0


def _leave(text: "_Buffer") -> None:
    """Go past what is left of the list that was entered. Raises ValueError."""
    while text.next() not in ("]", ""):
        text.value()


def _list(value, name: str, list_name: str, named_lists: Lists) -> list:
    """What a whole file holds: the list that is wanted, or the list of objects that has most words
    in texts, or texts that stand in one object, unless the file is one document itself."""
    if isinstance(value, dict) and any(
        isinstance(text, str) and column_roles.is_text(key) and not is_missing(text)
        for key, text in value.items()
    ):
        return [value]
    if rows := _rows_of_columns(value):
        return rows
    lists = dict(itertools.islice(_lists(value, 0, ""), LISTS))
    named_lists.names = {path: len(items) for path, items in lists.items()}
    if lists:
        named_lists.chosen = (
            list_name if list_name in lists else max(lists, key=lambda path: _words(lists[path]))
        )
        return lists[named_lists.chosen]
    if documents := _texts(value) or ([value] if isinstance(value, dict) else []):
        return documents
    raise Unreadable(
        f"“{name}”: expected a list of JSON objects, but there is none in it. Save it so, or as"
        " CSV."
    )


def _rows_of_columns(value) -> list[dict]:
    """The rows of a table that is written by its columns, as pandas and R do: {"text": {"0": "…"},
    …}, {"columns": […], "data": [[…], …]}, {"text": ["…", …], …}; none of anything else."""
    if not isinstance(value, dict) or len(value) < 2:
        return []
    if "columns" in value and "data" in value:
        return _named_rows(value["columns"], value["data"])
    columns = [_column(column) for column in value.values()]
    sizes = {len(column) for column in columns}
    if len(sizes) > 1 or sizes <= {0, 1}:
        return []
    numbers = {tuple(column) for column in value.values() if isinstance(column, dict)}
    if len(numbers) > 1:
        return []
    rows = _named_rows(list(value), list(map(list, zip(*columns, strict=True))))
    return rows if _has_texts(rows) else []


def _column(value) -> list:
    """The cells of a column, by their numbers or in their order; none of anything else."""
    if isinstance(value, dict) and all(key.isdecimal() for key in value):
        value = list(value.values())
    if not isinstance(value, list):
        return []
    holds_others = any(isinstance(cell, dict | list) for cell in value)
    return [] if holds_others else value


def _named_rows(names, rows) -> list[dict]:
    """Each row by the names of its cells; none where they do not fit."""
    if not isinstance(names, list) or not isinstance(rows, list):
        return []
    named_rows = []
    for row in rows:
        if not isinstance(row, list) or len(row) != len(names):
            return []
        named_rows.append(dict(zip(map(str, names), row, strict=True)))
    return named_rows


def _words(items: list) -> float:
    """How many words a list has in the texts of its objects, by the first of them; below 1, and the
    more the longer it is, where it has no texts."""
    mean = _mean_words(items)
    if mean < LEAST_WORDS:
        return len(items) / (1 + len(items))
    return mean * len(items)


def _has_texts(items: list) -> bool:
    return _mean_words(items) >= LEAST_WORDS


def _mean_words(items: list) -> float:
    """Words of the longest string of each of the first objects, on average."""
    first = [jsonl.flat(item) for item in items[:SAMPLE] if isinstance(item, dict)]
    longest = [max(map(_count_words, item.values()), default=0) for item in first]
    return sum(longest) / max(1, len(longest))


def _count_words(value) -> int:
    if isinstance(value, list):
        value = jsonl.joined_pieces(value)
    if not isinstance(value, str):
        return 0
    return sum(any(map(str.isalpha, word)) for word in value[:10_000].split())


def _texts(value, depth: int = 0) -> list[dict]:
    """Documents that are named by their keys, or stand in a list without names: {"a": "…", "b":
    "…"}, {"a": {…}, …}, ["…", "…"]."""
    if isinstance(value, list) and _are_texts(value):
        return [{"text": text} for text in value]
    if not isinstance(value, dict) or depth == MAX_DEPTH:
        return []
    if len(value) > 1 and all(isinstance(item, dict) for item in value.values()):
        return [{"id": key} | item for key, item in value.items()]
    if _are_texts(list(value.values())):
        return [{"id": key, "text": text} for key, text in value.items()]
    return max((_texts(item, depth + 1) for item in value.values()), key=len, default=[])


def _are_texts(values: list) -> bool:
    """Whether values are documents of one collection, and not what one document has."""
    return (
        len(values) >= FEWEST_TEXTS
        and all(isinstance(text, str) for text in values)
        and sum(len(text) >= SHORTEST_TEXT for text in values) > len(values) / 2
    )


def _lists(value, depth: int, path: str) -> Iterator[tuple[str, list]]:
    """(path, list) of each list of objects; where its objects have no texts, but lists of objects
    that may have, these, each joined to one."""
    if isinstance(value, list) and any(isinstance(item, dict) for item in value[:100]):
        yield path or WHOLE_FILE, value
        if depth < MAX_DEPTH and not _has_texts(value):
            for key in _keys_of_lists(value):
                inner = _joined(value, key)
                yield from _lists(inner, depth + 1, f"{path}.{key}" if path else key)
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        for key, item in value.items():
            yield from _lists(item, depth + 1, f"{path}.{key}" if path else str(key))


def _keys_of_lists(items: list) -> list[str]:
    """Fields of some objects that hold lists of objects."""
    keys: dict[str, None] = {}
    for item in items[:SAMPLE]:
        for key, inner in item.items() if isinstance(item, dict) else ():
            if isinstance(inner, list) and any(isinstance(part, dict) for part in inner[:100]):
                keys[key] = None
    return list(keys)


def _joined(items: list, key: str) -> list[dict]:
    """The objects of a field of all objects, as one list; each with what its owner says of itself
    in a word or a number, as “in.name”."""
    joined: list[dict] = []
    for item in items:
        inner = item.get(key) if isinstance(item, dict) else None
        if not isinstance(inner, list):
            continue
        about = {
            f"in.{name}": value
            for name, value in item.items()
            if isinstance(value, str | int | float) and len(str(value)) <= LONGEST_ABOUT
        }
        joined += [part | about for part in inner if isinstance(part, dict)]
    return joined


class _Buffer:
    """Text that is read on as it is needed."""

    def __init__(self, start: str, file: TextIO):
        self.text = start
        self.file = file
        self.at = 0
        self.ended = False

    def more(self) -> bool:
        """Read on, as much again as is held; False at the end, or where one value is too long."""
        self.text = self.text[self.at :]
        self.at = 0
        if len(self.text) > 2 * MAX_TEXT or self.ended:
            return False
        block = self.file.read(max(1 << 20, len(self.text)))
        self.ended = not block
        self.text += block
        return bool(block)

    def next(self) -> str:
        """The next character that is no space or comma, "" at the end."""
        while True:
            self.at = _SPACE.match(self.text, self.at).end()
            if self.at < len(self.text) or not self.more():
                return self.text[self.at : self.at + 1]

    def value(self):
        """The value here. Raises ValueError."""
        self.next()
        while True:
            try:
                decoded, self.at = _DECODER.raw_decode(self.text, self.at)
                return decoded
            except RecursionError:
                raise ValueError(TOO_DEEP) from None
            except json.JSONDecodeError as error:  # at the end of what is held, more may mend it
                if (
                    not ("Unterminated" in error.msg or error.pos > len(self.text) - 16)
                    or not self.more()
                ):
                    raise ValueError(error.msg) from None


def _stream(text: _Buffer, name: str, skipped: int) -> Iterator:
    """The objects of a list. skipped: how many lists of objects stand before it."""
    number = 0
    try:
        for _ in range(skipped):
            _enter(text)
            _leave(text)
        if not _enter(text):
            raise ValueError("there is no list of objects in it")
        while (character := text.next()) not in ("]", ""):
            number += 1
            yield text.value()
        if character == "":
            raise ValueError("it ends in the middle")
    except ValueError as error:
        if not number:
            raise Unreadable(
                f"“{name}” is not readable JSON: {error}. Save it again, or as CSV."
            ) from None
        place_in_file = f"object {number}"
        wrong = TOO_DEEP if str(error) == TOO_DEEP else f"it is not JSON ({error})"
        yield Problem(
            name,
            place_in_file,
            f"“{name}”, {place_in_file}: {wrong}; it and what follows in the file were left out. Correct"
            " the file there.",
            True,
        )


def _enter(text: _Buffer) -> bool:
    """Go into the first list of objects, past what stands before it. Raises ValueError where that
    is too much."""
    depth = lists = 0
    for _ in range(MOST_BEFORE):
        match text.next():
            case "[":
                text.at += 1
                lists += 1
                if lists > MOST_LISTS:
                    raise ValueError(TOO_DEEP)
                if text.next() == "{":
                    return True
            case "":
                return False
            case "{" if depth < MAX_DEPTH:
                text.at += 1
                depth += 1
            case "]" | "}" | ":" as character:
                text.at += 1
                depth -= character == "}"
                lists -= character == "]"
            case _:
                text.value()
    raise ValueError(f"no list of objects begins within its first {MOST_BEFORE:,} values")
