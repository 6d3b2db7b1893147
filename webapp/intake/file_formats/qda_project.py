"""Projects of the REFI-QDA standard 1.0 (.qdpx): a zip of texts, and of project.qde, which has
coders, codes, and what was coded of each text. What it says of codes is asked by
webapp.service.codebook.qdpx, through the sandbox; it is no format of which a corpus is made."""

import hashlib
import io
import unicodedata
import zipfile
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, NamedTuple

from webapp.intake.file_formats.base import MAX_TEXT, Source, Unreadable, clean, nothing
from webapp.intake.file_formats.markup import Handler, parse
from webapp.intake.file_formats.zip_document import package, small

NAME = "project.qde"
FOLDER = "sources/"
MEGABYTE = 1_000_000
MOST_MARKUP = 20 * MEGABYTE  # unpacked
MOST_TEXTS = 200 * MEGABYTE  # all together, unpacked
MOST_ELEMENTS = 500_000
MOST_SOURCES = 50_000  # texts
LONGEST_REMARK = 6_000  # characters: more than is kept, with what stands before it
NOBODY = -1  # the number of the coder, or of the code above, where there is none


def read(path: Source, name: str) -> dict[str, Any]:
    """What a project says, as JSON has it. Names, remarks and ids stand in it once, however often a
    project refers to them: else a small one could become very large.

    coders: their names. codes: [id, name, number of the code above or NOBODY]. remarks: texts.
    texts: of each text "names" by which it may be known, "digests" (sha256 of its text as a
    document may have it, in hexadecimal), "description", and "marks": [number of the coder or
    NOBODY, id of the code, number of the remark], each once. others: how many sources are no texts.

    Raises Unreadable.
    """
    project = _Project()
    with package(path, name, nothing) as archive:
        markup = small(archive, NAME, MOST_MARKUP + 1)
        if markup is None or len(markup) > MOST_MARKUP:
            raise Unreadable(
                f"A REFI-QDA project has a file {NAME} of at most {MOST_MARKUP // MEGABYTE} MB."
            )
        parse(io.BufferedReader(io.BytesIO(markup)), project, name)
        texts = _texts(archive, project)
    return {
        "coders": list(project.coders.values()),
        "codes": [[code.id, code.name, code.above] for code in project.codes],
        "remarks": ["".join(remark).strip()[:LONGEST_REMARK] for remark in project.remarks],
        "texts": texts,
        "others": project.others,
    }


def _texts(archive: zipfile.ZipFile, project: "_Project") -> list[dict[str, Any]]:
    """Raises Unreadable where they are too large together."""
    entries = {entry.lower(): entry for entry in archive.namelist()}
    numbers = {guid: number for number, guid in enumerate(project.coders)}
    texts = []
    size = 0
    for source in project.sources:
        content = _content(archive, entries, source)
        size += len(content)
        if size > MOST_TEXTS:
            raise Unreadable(
                f"The project’s texts have more than {MOST_TEXTS // MEGABYTE} MB, the most."
            )
        marks = [[numbers.get(mark.coder, NOBODY), mark.code, mark.remark] for mark in source.marks]
        text = {
            "names": _names(source.about.get("name", "")),
            "digests": _digests(content),
            "description": "".join(source.described).strip(),
            "marks": marks,
        }
        texts.append(text)
    return texts


def _content(archive: zipfile.ZipFile, entries: dict[str, str], source: "_TextSource") -> bytes:
    """The text of a source: its own file in the zip, else what the project itself has of it.
    entries: names of files in small letters -> as they are."""
    path = FOLDER + source.about.get("plainTextPath", "").removeprefix("internal://").lower()
    in_file = small(archive, entries.get(path, path), MAX_TEXT)
    return in_file or "".join(source.content).encode()


def _names(name: str) -> list[str]:
    name = unicodedata.normalize("NFC", name).strip()
    return [name, PurePath(name).stem] if name else []


def _digests(raw: bytes) -> list[str]:
    text = clean(raw.decode("utf-8-sig", "replace")).replace("\r\n", "\n")
    if not text:
        return []
    variants = dict.fromkeys((text, text.strip()))
    return [hashlib.sha256(variant.encode()).hexdigest() for variant in variants]


class _Code(NamedTuple):
    """above: the number of the code above it, or NOBODY."""

    id: str
    name: str
    above: int


class _Mark(NamedTuple):
    """What a coder said of a text, or of a passage. coder, code: their ids; remark: its number."""

    coder: str
    code: str
    remark: int


@dataclass(frozen=True)
class _TextSource:
    """about: the attributes of its element. marks: each once. content, described: pieces of both
    texts."""

    about: dict[str, str]
    marks: dict[_Mark, None] = field(default_factory=dict)
    content: list[str] = field(default_factory=list)
    described: list[str] = field(default_factory=list)


class _Project(Handler):
    """What a project says of coders, of codes and of sources that are texts."""

    def __init__(self) -> None:
        self.coders: dict[str, str] = {}  # id -> name
        self.codes: list[_Code] = []
        self.sources: list[_TextSource] = []
        self.remarks: list[list[str]] = []  # pieces of each
        self.elements = 0
        self.others = 0
        self.open: list[str] = []  # names of elements
        self.above: list[int] = []  # numbers of the codes that are open
        self.coder = ""
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
            self.coders[guid] = name or attributes.get("id", "")
        elif tag == "Code":
            code_above = self.above[-1] if self.above else NOBODY
            self.above.append(len(self.codes))
            self.codes.append(_Code(guid, name, code_above))
        elif tag == "TextSource":
            self._begin_text(attributes)
        elif tag.endswith("Source"):
            self.others += 1
        elif "TextSource" in self.open:
            self._of_text(tag, parent, attributes)
        self.open.append(tag)

    def _begin_text(self, attributes: dict[str, str]) -> None:
        if len(self.sources) == MOST_SOURCES:
            raise Unreadable(
                f"The project has more than {MOST_SOURCES:,} texts, which is the most."
            )
        self.sources.append(_TextSource(attributes))
        self.remarks.append([])

    def _of_text(self, tag: str, parent: str, attributes: dict[str, str]) -> None:
        source = self.sources[-1]
        if tag == "PlainTextContent":
            self.into = source.content
        elif tag == "PlainTextSelection":
            self.remarks.append([])
        elif tag == "Description":
            self.into = source.described if parent == "TextSource" else self.remarks[-1]
        elif tag == "Coding":
            self.coder = attributes.get("creatingUser", "")
            if parent != "PlainTextSelection":
                self.remarks.append([])
        elif tag == "CodeRef":
            code = attributes.get("targetGUID", "")
            source.marks[_Mark(self.coder, code, len(self.remarks) - 1)] = None

    def end(self, tag: str) -> None:
        self.into = []
        self.open.pop()
        if tag == "Code":
            self.above.pop()

    def text(self, text: str) -> None:
        self.into.append(text)
