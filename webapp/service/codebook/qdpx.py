"""Codes from a project of the REFI-QDA standard 1.0 (.qdpx), as MAXQDA, NVivo, ATLAS.ti and
QualCoder save it: a zip of texts, and of project.qde, which has coders, codes, and what was coded
of each text. webapp.service.codebook.exports writes one."""

import hashlib
import io
import unicodedata
from contextlib import closing
from pathlib import PurePath
from typing import NamedTuple

from inference.errors import Invalid
from webapp.intake.readers.base import MAX_TEXT, Unreadable, clean, nothing
from webapp.intake.readers.copies import Copy
from webapp.intake.readers.markup import Handler, parse
from webapp.intake.readers.package import package, small

NAME, FOLDER = "project.qde", "sources/"
MOST_MARKUP, MOST_TEXTS = 20_000_000, 200_000_000  # bytes, unpacked
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
    handler, name, left, texts = _Found(), "The project", MOST_TEXTS, list[Text]()
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
                    f" {MOST_MARKUP // 1_000_000} MB.",
                )
            parse(io.BufferedReader(io.BytesIO(markup)), handler, name)
            inside = {entry.lower(): entry for entry in archive.namelist()}
            for about, marks, written, described in handler.sources:
                path = FOLDER + about.get("plainTextPath", "").removeprefix("internal://").lower()
                raw = small(archive, inside.get(path, path), MAX_TEXT) or "".join(written).encode()
                if (left := left - len(raw)) < 0:
                    raise Invalid(
                        "codes",
                        f"The project’s texts have more than {MOST_TEXTS // 1_000_000} MB, the"
                        " most.",
                    )
                named = [mark._replace(coder=handler.users.get(mark.coder, "")) for mark in marks]
                description = "".join(described).strip()
                probability = (
                    description.removeprefix(PROBABILITY)
                    if description.startswith(PROBABILITY)
                    else ""
                )
                texts.append(Text(_names(about.get("name", "")), _digests(raw), named, probability))
    except Unreadable as error:
        raise Invalid("codes", error.message) from None
    return Project(handler.codes, texts, handler.others)


def _names(name: str) -> list[str]:
    name = unicodedata.normalize("NFC", name).strip()
    return [name, PurePath(name).stem] if name else []


def _digests(raw: bytes) -> list[bytes]:
    text = clean(raw.decode("utf-8-sig", "replace")).replace("\r\n", "\n")
    return (
        [hashlib.sha256(each.encode()).digest() for each in dict.fromkeys((text, text.strip()))]
        if text
        else []
    )


class _Source(NamedTuple):
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
        self.elements = self.others = 0
        self.open: list[str] = []
        self.above: list[str] = []  # names of the codes that are open
        self.coder, self.remark, self.into = "", list[str](), list[str]()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if self.elements > MOST_ELEMENTS:
            raise Unreadable(
                f"The project has more than {MOST_ELEMENTS:,} elements of XML, which is the most."
            )
        guid, name, parent = (
            attributes.get("guid", ""),
            attributes.get("name", ""),
            self.open[-1] if self.open else "",
        )
        self.into = []
        if tag == "User":
            self.users[guid] = name or attributes.get("id", "")
        elif tag == "Code":
            self.codes[guid] = name, self.above[-1] if self.above else ""
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
