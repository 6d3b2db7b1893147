"""XML as it streams by, for formats that are made of it. Nothing outside the file is loaded;
entities that a file defines are not expanded, so that a small file can't become a large one; what
is kept is up to the handler."""

import html
import io
import zipfile
from collections import deque
from collections.abc import Iterator
from typing import cast
from xml.parsers import expat

import regex

from webapp.intake.file_formats import encoding_labels
from webapp.intake.file_formats.base import (
    REPLACE,
    SAMPLE,
    Unreadable,
    by_mark,
    check_encoding,
    damage,
)

MAX_MARKUP = 1 << 30  # bytes of one file of XML: more tags than any text has
MAX_DEPTH = 1_000
_DECLARED = regex.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_CHUNK = 1 << 16


class Handler:
    """What is told of a file's elements and texts, in their order; a handler overrides what it
    needs."""

    def start(self, tag: str, attributes: dict[str, str]) -> None: ...
    def end(self, tag: str) -> None: ...
    def text(self, text: str) -> None: ...


class Result:
    """What was wrong with a file that could be read."""

    unknown: int = 0  # entities that are defined nowhere, or by the file itself
    replaced: int = 0  # bytes that are no characters


def parse(file: io.BufferedReader, handler: Handler, name: str) -> None:
    """Feed a handler with elements, by their names without namespaces. Raises Unreadable where the
    file is no XML."""
    deque(walk(file, handler, name, Result()), 0)


def _believed(label: str, sample: bytes) -> str:
    """An encoding that is not known stays as it is, to be refused by its name."""
    return encoding_labels.believed(label, sample) or label


def _local_name(name: str) -> str:
    """Without its namespace, behind which the parser puts a space."""
    return name.rpartition(" ")[2]


def _with_local_names(attributes: dict[str, str]) -> dict[str, str]:
    return {_local_name(name): value for name, value in attributes.items()}


def walk(file: io.BufferedReader, handler: Handler, name: str, result: Result) -> Iterator[None]:
    """Parses a file a piece at a time, and yields after each, so that what a handler has finished
    can be taken from it."""
    sample = file.peek(SAMPLE)
    start = sample[:512]
    declared = _DECLARED.match(start)
    encoding = (
        by_mark(start)
        or {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}.get(start[:2])
        or (declared and _believed(declared[1].decode(), sample))
        or "utf-8"
    )
    if encoding.lower().replace("-", "") == "utf16" and not by_mark(start):
        encoding = "utf-8"  # what says so in ASCII is not UTF-16
    text = io.TextIOWrapper(file, check_encoding(encoding), errors=REPLACE, newline="")
    damage.count = 0
    parser = expat.ParserCreate("utf-8", " ")
    parser.buffer_text = True
    parser.buffer_size = _CHUNK
    # So that names of characters as HTML has them are told and not refused
    parser.UseForeignDTD(True)
    depth = 0
    size = 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise Unreadable(
                f"“{name}” has elements more than {MAX_DEPTH:,} deep in each other, as no text has;"
                " it was left out."
            )
        handler.start(_local_name(tag), _with_local_names(attributes))

    def finish(tag: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(_local_name(tag))

    def entity(reference: str) -> None:
        if reference.startswith("&") and reference.endswith(";"):
            character = html.unescape(reference)
            if character == reference:
                result.unknown += 1
            else:
                handler.text(character)

    parser.StartElementHandler = begin
    parser.EndElementHandler = finish
    parser.CharacterDataHandler = handler.text
    parser.DefaultHandler = entity  # being there it keeps entities from being expanded
    parser.SkippedEntityHandler = lambda name, is_parameter: (
        None if is_parameter else entity(f"&{name};")
    )
    try:
        while chunk := text.read(_CHUNK):
            size += len(chunk)
            if size > MAX_MARKUP:
                raise Unreadable(
                    f"“{name}” holds more than {MAX_MARKUP >> 20:,} MB of XML; it was left out. Cut"
                    " it into parts."
                )
            result.replaced = damage.count
            parser.Parse(chunk.encode("utf-8", "replace"), False)
            yield
        parser.Parse(b"", True)
        yield
    except expat.ExpatError as error:
        why = expat.errors.messages.get(error.code, "damaged")
        raise Unreadable(
            f"“{name}” is not well-formed XML (line {error.lineno}, column {error.offset + 1}:"
            f" {why}); it was left out. Correct it there."
        ) from None
    finally:
        text.detach()


def part(archive: zipfile.ZipFile, inside: str, handler: Handler, name: str) -> bool:
    """Feed a handler with an entry of a file that is an archive of XML, such as .docx; False where
    there is none."""
    try:
        with archive.open(inside) as entry:
            parse(io.BufferedReader(cast("io.RawIOBase", entry)), handler, name)
    except KeyError:
        return False
    except RuntimeError as error:  # zipfile's, for what is encrypted
        raise Unreadable(
            f"“{name}” is protected by a password ({error}). Save it without one."
        ) from None
    return True


class Fields(Handler):
    """A handler that collects the text of some elements, wherever they are: names -> what they
    hold."""

    def __init__(self, *names: str):
        self.texts: dict[str, list[str]] = {tag: [] for tag in names}
        self.open: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in self.texts and len(self.texts[tag]) < 100:
            self.texts[tag].append("")
            self.open.append(tag)

    def end(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def text(self, text: str) -> None:
        if self.open and len(self.texts[self.open[-1]][-1]) < 1000:
            self.texts[self.open[-1]][-1] += text

    def first(self, *tags: str) -> str:
        return next((text for tag in tags for text in self.texts[tag] if text.strip()), "")

    def all(self, tag: str) -> str:
        return "; ".join(text.strip() for text in self.texts[tag] if text.strip())
