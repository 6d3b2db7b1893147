"""Books (.epub): one document a book, its chapters in the order in which they are read."""

import posixpath
import zipfile
from collections.abc import Callable, Iterator
from urllib.parse import unquote

import regex

from webapp.intake.file_formats import encoding_labels
from webapp.intake.file_formats.base import (
    MAX_TEXT,
    SAMPLE,
    Document,
    Options,
    Problem,
    Source,
    Unreadable,
    guess_encoding,
)
from webapp.intake.file_formats.html import FLAT, add
from webapp.intake.file_formats.markup import Fields, Handler, part
from webapp.intake.file_formats.prose import Prose
from webapp.intake.file_formats.zip_document import package, small

MAX_CHAPTERS = 20_000
_DECLARED = regex.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")
_NOT_ASCII = regex.compile(rb"[\x80-\xff]")
_OF_FILE = {"modification", "conversion"}  # events of the file, and not of the book


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    with package(path, name, advance) as archive:
        described = _Values("rootfile", "full-path")
        locked = _Values("CipherReference", "URI")
        book = _Book()
        part(archive, "META-INF/container.xml", described, name)
        # Fonts often, chapters where a shop protects them
        part(archive, "META-INF/encryption.xml", locked, name)
        description = next(filter(None, described.values), "")
        unreadable = set(map(unquote, locked.values))
        if not description or not part(archive, description, book, name):
            raise Unreadable(
                f"“{name}” is not an EPUB book: it does not say where its text is. Save or download"
                " it again."
            )
        prose = Prose(name)
        missing = []
        chapters = [book.parts[part] for part in book.order if part in book.parts]
        folder = posixpath.dirname(description)
        for href in chapters[:MAX_CHAPTERS]:
            chapter, _, _ = href.partition("#")
            inside = posixpath.normpath(posixpath.join(folder, unquote(chapter)))
            if inside in unreadable:
                raise Unreadable(f"“{name}” is protected against copying (DRM); it was left out.")
            if not _chapter(archive, inside, prose):
                missing.append(inside)
    for inside in missing[:100]:
        yield Problem(
            name,
            inside,
            f"“{name}”: its part “{inside}” is missing or empty and was left out.",
            False,
            "part",
        )
    if prose.flat:
        yield Problem(name, "", f"“{name}”: in a chapter {FLAT}.", False)
    metadata = {
        "author": book.all("creator"),
        "language": book.first("language"),
        "subject": book.all("subject"),
        "publisher": book.first("publisher"),
    }
    yield prose.document(book.first("title"), book.first("date")[:10], metadata)


def _chapter(archive: zipfile.ZipFile, inside: str, prose: Prose) -> bool:
    raw = small(archive, inside, 4 * MAX_TEXT + 1)
    if raw is None or len(raw) > 4 * MAX_TEXT:
        return False
    text = raw.decode(_encoding(raw), "replace").removeprefix("\ufeff")
    prose.paragraph()
    return add(text, prose, has_roles=True) is not None or prose.flat


def _encoding(raw: bytes) -> str:
    """The encoding that a chapter names, where it is another one than UTF-8; else what it reads
    like."""
    sample = raw[:SAMPLE]
    if sample.isascii() and b"\0" not in sample:
        first = _NOT_ASCII.search(raw)
        sample = raw[first.start() : first.start() + SAMPLE] if first else sample
    guessed = guess_encoding(sample)
    declared = _DECLARED.search(raw, endpos=encoding_labels.WITHIN)
    label = encoding_labels.believed(declared[1].decode(), sample) if declared else None
    if label in (None, "utf-8") or guessed.startswith(("utf-16", "utf-32")):
        return guessed
    return label


class _Values(Handler):
    """The values of an attribute of some elements."""

    def __init__(self, tag: str, attribute: str):
        self.tag = tag
        self.attribute = attribute
        self.values: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == self.tag and len(self.values) < MAX_CHAPTERS:
            self.values.append(attributes.get(self.attribute, ""))


class _Book(Fields):
    """The description: what the book says of itself, its parts and their order."""

    def __init__(self):
        super().__init__("title", "creator", "date", "language", "subject", "publisher")
        self.parts: dict[str, str] = {}
        self.order: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "date" and attributes.get("event") in _OF_FILE:
            return
        super().start(tag, attributes)
        if (
            tag == "item"
            and "html" in attributes.get("media-type", "")
            and len(self.parts) < MAX_CHAPTERS
        ):
            self.parts[attributes.get("id", "")] = attributes.get("href", "")
        elif tag == "itemref" and len(self.order) < MAX_CHAPTERS:
            self.order.append(attributes.get("idref", ""))
