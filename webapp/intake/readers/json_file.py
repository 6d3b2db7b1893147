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

from webapp.intake.readers import jsonl, roles
from webapp.intake.readers.base import (
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
from webapp.intake.readers.jsonl import DEEP, TOO_DEEP, document, keys, sniffed, value_of

WHOLE = 10_000_000  # characters of a file that is read as a whole
MAX_DEPTH = 4  # of the list of objects, in objects
MOST_BEFORE, MOST_LISTS = 100_000, 1_000  # values before the list of objects, and lists around it
SAMPLE = 50
FEWEST, SHORTEST = 3, 60  # texts that stand in one object, and characters of most of them
ONE = (
    "“{name}” is one object, and would be one document: its text is one field, and the others are"
    " about it. If each field is a document, save them as a list of objects."
)
_SPACE = regex.compile(r"[\s,\ufeff]*")
_DECODER = json.JSONDecoder(parse_int=jsonl._Number, parse_float=jsonl._Number)


def sniff(path: Source, name: str, options: Options, known: dict) -> Sniff:
    options = replace(options, encoding=known.get("encoding") or guess_encoding(head(path, name)))
    if _is_lines(path, name, options):
        return jsonl.sniff(path, name, options, known)
    objects, characters, problem = [], 0, None
    for value in itertools.islice(_values(path, name, options, lambda n: None), SAMPLE):
        objects += [value] if isinstance(value, dict) else []
        problem = value if isinstance(value, Problem) else problem
        characters += len(str(value)[:SAMPLE_CHARACTERS])
        if characters > SAMPLE_CHARACTERS and objects:
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
    one = (
        len(objects) == 1
        and sum(isinstance(text, str) and len(text) >= SHORTEST for text in objects[0].values()) > 1
    )
    return sniffed(objects, name, options, ONE.format(name=name) if one else None)


def read(path: Source, name: str, options: Options, advance) -> Iterator[Document | Problem]:
    if _is_lines(path, name, options):
        yield from jsonl.read(path, name, options, advance)
        return
    chosen = keys(name, options)
    for number, value in enumerate(_values(path, name, options, advance), 1):
        if isinstance(value, Problem):
            yield value
        else:
            yield from document(value, chosen, name, f"object {number}", options)


def _is_lines(path: Source, name: str, options: Options) -> bool:
    """Whether the file is JSON lines under another name: its first two lines are objects."""
    with opened(path, name) as file:
        text = decoded(file, options.encoding)
        first, second = text.readline(WHOLE), text.readline(WHOLE)
    return (
        second.lstrip().startswith("{")
        and first.lstrip("\ufeff ").startswith("{")
        and isinstance(value_of(first), dict)
    )


def _values(path: Source, name: str, options: Options, advance) -> Iterator:
    """The objects, or what stands in their places; a Problem where the file can't be read on."""
    with opened(path, name, advance) as file:
        text = decoded(file, options.encoding)
        start = text.read(WHOLE)
        rest = text.read(1)
        whole = None if rest else value_of(start.removeprefix("\ufeff"))
        if whole is not None and whole is not DEEP:
            yield from _list(whole, name)
        else:
            yield from _stream(_Buffer(start + rest, text), name)


def _list(value, name: str) -> list:
    """What a whole file holds: the longest list of objects, or texts that stand in one object,
    unless the file is one document itself."""
    if isinstance(value, dict) and any(
        isinstance(text, str) and roles.is_text(key) for key, text in value.items()
    ):
        return [value]
    longest = max(_lists(value, 0), key=len, default=[])
    if documents := longest or _texts(value) or ([value] if isinstance(value, dict) else []):
        return documents
    raise Unreadable(
        f"“{name}”: expected a list of JSON objects, but there is none in it. Save it so, or as"
        " CSV."
    )


def _texts(value, depth: int = 0) -> list[dict]:
    """Documents that are named by their keys, or stand in a list without names: {"a": "…", "b":
    "…"}, {"a": {…}, …}, ["…", "…"]."""
    if isinstance(value, list):
        return [{"text": text} for text in value] if _are_texts(value) else []
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
        len(values) >= FEWEST
        and all(isinstance(text, str) for text in values)
        and sum(len(text) >= SHORTEST for text in values) > len(values) / 2
    )


def _lists(value, depth: int) -> Iterator[list]:
    if isinstance(value, list) and any(isinstance(item, dict) for item in value[:100]):
        yield value
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        for item in value.values():
            yield from _lists(item, depth + 1)


class _Buffer:
    """Text that is read on as it is needed."""

    def __init__(self, start: str, file: TextIO):
        self.text, self.file, self.at, self.ended = start, file, 0, False

    def more(self) -> bool:
        """Read on, as much again as is held; False at the end, or where one value is too long."""
        self.text, self.at = self.text[self.at :], 0
        if len(self.text) > 2 * MAX_TEXT or self.ended:
            return False
        piece = self.file.read(max(1 << 20, len(self.text)))
        self.ended = not piece
        self.text += piece
        return bool(piece)

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


def _stream(text: _Buffer, name: str) -> Iterator:
    number = 0
    try:
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
        place, wrong = (
            f"object {number}",
            TOO_DEEP if str(error) == TOO_DEEP else f"it is not JSON ({error})",
        )
        yield Problem(
            name,
            place,
            f"“{name}”, {place}: {wrong}; it and what follows in the file were left out. Correct"
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
