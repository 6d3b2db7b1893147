"""Codes from a project of the REFI-QDA standard 1.0 (.qdpx), as MAXQDA, NVivo, ATLAS.ti and
QualCoder save it: a zip of texts, and of project.qde, which has coders, codes, and what was coded
of each text. webapp.service.codebook.exports writes one."""

import hashlib
import io
import unicodedata
import zipfile
from contextlib import closing
from pathlib import PurePath
from typing import NamedTuple

from inference.errors import Invalid
from webapp.intake.readers.base import MAX_TEXT, Unreadable, clean, nothing
from webapp.intake.readers.copies import Copy
from webapp.intake.readers.markup import Handler, parse
from webapp.intake.readers.package import package, small

NAME = "project.qde"
FOLDER = "sources/"
MEGABYTE = 1_000_000
MOST_MARKUP = 20 * MEGABYTE  # unpacked
MOST_TEXTS = 200 * MEGABYTE  # all together, unpacked
MOST_ELEMENTS = 500_000
UNSURE = "(unsure)"  # how a remark begins
PROBABILITY = "probability "  # how the description of a text begins


class Mark(NamedTuple):
    """What a coder said of a text, or of a passage. code: its guid. remark: pieces of it."""

    coder: str
    code: str
    remark: list[str]


class Text(NamedTuple):
    """names: it may be known by; digests: sha256 of its text, as a document may have it."""

    names: list[str]
    digests: list[bytes]
    marks: list[Mark]
    probability: str


class Project(NamedTuple):
    """codes: guid -> (name, name of the code above it). others: how many sources are no texts."""

    codes: dict[str, tuple[str, str]]
    texts: list[Text]
    others: int


def folded(name: str) -> str:
    """A name by which another program may write it."""
    return unicodedata.normalize("NFC", name).strip().casefold()


def read(content: bytes) -> Project:
    """Raises Invalid."""
    name = "The project"
    handler = _Found()
    try:
        with (
            closing(Copy(io.BytesIO(content), name, len(content))) as copy,
            package(copy, name, nothing) as archive,
        ):
            markup = small(archive, NAME, MOST_MARKUP + 1)
            if markup is None or len(markup) > MOST_MARKUP:
                raise Invalid(
                    "codes",
                    f"A REFI-QDA project has a file {NAME} of at most"
                    f" {MOST_MARKUP // MEGABYTE} MB.",
                )
            parse(io.BufferedReader(io.BytesIO(markup)), handler, name)
            texts = _texts(archive, handler)
    except Unreadable as error:
        raise Invalid("codes", error.message) from None
    return Project(handler.codes, texts, handler.others)


def _texts(archive: zipfile.ZipFile, project: "_Found") -> list[Text]:
    """Raises Invalid where they are too large together."""
    entries = {entry.lower(): entry for entry in archive.namelist()}
    texts = []
    size = 0
    for source in project.sources:
        content = _content(archive, entries, source)
        size += len(content)
        if size > MOST_TEXTS:
            raise Invalid(
                "codes",
                f"The project’s texts have more than {MOST_TEXTS // MEGABYTE} MB, the most.",
            )
        text = Text(
            names=_names(source.about.get("name", "")),
            digests=_digests(content),
            marks=[mark._replace(coder=project.users.get(mark.coder, "")) for mark in source.marks],
            probability=_probability("".join(source.described).strip()),
        )
        texts.append(text)
    return texts


def _content(archive: zipfile.ZipFile, entries: dict[str, str], source: "_Source") -> bytes:
    """The text of a source: its own file in the zip, else what the project itself has of it.
    entries: names of files in small letters -> as they are."""
    path = FOLDER + source.about.get("plainTextPath", "").removeprefix("internal://").lower()
    in_file = small(archive, entries.get(path, path), MAX_TEXT)
    return in_file or "".join(source.content).encode()


def _probability(description: str) -> str:
    if not description.startswith(PROBABILITY):
        return ""
    return description.removeprefix(PROBABILITY)


def _names(name: str) -> list[str]:
    name = unicodedata.normalize("NFC", name).strip()
    return [name, PurePath(name).stem] if name else []


def _digests(raw: bytes) -> list[bytes]:
    text = clean(raw.decode("utf-8-sig", "replace")).replace("\r\n", "\n")
    if not text:
        return []
    variants = dict.fromkeys((text, text.strip()))
    return [hashlib.sha256(variant.encode()).digest() for variant in variants]


class _Source(NamedTuple):
    """about: the attributes of its element. content, described: pieces of both texts."""

    about: dict[str, str]
    marks: list[Mark]
    content: list[str]
    described: list[str]


class _Found(Handler):
    """What a project says of coders, of codes and of sources that are texts."""

    def __init__(self) -> None:
        self.users: dict[str, str] = {}
        self.codes: dict[str, tuple[str, str]] = {}
        self.sources: list[_Source] = []
        self.elements = 0
        self.others = 0
        self.open: list[str] = []  # names of elements
        self.above: list[str] = []  # names of the codes that are open
        self.coder = ""
        self.remark: list[str] = []
        self.into: list[str] = []  # where text goes that comes now

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if self.elements > MOST_ELEMENTS:
            raise Unreadable(
                f"The project has more than {MOST_ELEMENTS:,} elements of XML, which is the most."
            )
        guid = attributes.get("guid", "")
        name = attributes.get("name", "")
        parent = self.open[-1] if self.open else ""
        self.into = []
        if tag == "User":
            self.users[guid] = name or attributes.get("id", "")
        elif tag == "Code":
            code_above = self.above[-1] if self.above else ""
            self.codes[guid] = (name, code_above)
            self.above.append(name)
        elif tag == "TextSource":
            self.sources.append(_Source(attributes, [], [], []))
        elif tag.endswith("Source"):
            self.others += 1
        elif "TextSource" in self.open:
            self._of_text(tag, parent, attributes)
        self.open.append(tag)

    def _of_text(self, tag: str, parent: str, attributes: dict[str, str]) -> None:
        source = self.sources[-1]
        if tag == "PlainTextContent":
            self.into = source.content
        elif tag == "PlainTextSelection":
            self.remark = []
        elif tag == "Description":
            self.into = source.described if parent == "TextSource" else self.remark
        elif tag == "Coding":
            self.coder = attributes.get("creatingUser", "")
            self.remark = self.remark if parent == "PlainTextSelection" else []
        elif tag == "CodeRef":
            source.marks.append(Mark(self.coder, attributes.get("targetGUID", ""), self.remark))

    def end(self, tag: str) -> None:
        self.into = []
        self.open.pop()
        if tag == "Code":
            self.above.pop()

    def text(self, text: str) -> None:
        self.into.append(text)
