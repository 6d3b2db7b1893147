"""METS: which files are the pages of one document, and in which order. The files of pages (ALTO,
PAGE, hOCR, text) are read each by itself, and get the fields DOCUMENT and PAGE, by which
webapp.intake.ingest.shaping.joining joins them.

A METS is hostile as any file is, and is read before a worker process reads its pages: so only by
patterns, within a bound.
"""

from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import NamedTuple
from urllib.parse import unquote

import regex

from webapp.intake.file_formats.base import Document, Problem, Source, Unreadable, opened
from webapp.intake.file_formats.prose import line

DOCUMENT = "METS document"
PAGE = "METS page"
MOST_METS_BYTES = (
    32 << 20
)  # bytes of a METS, of which no more are looked at: no pattern goes past a “<”
MOST_PAGES = 100_000
_ROOT = regex.compile(r"<(?:[\w.-]+:)?mets[\s>]")
_LABEL = regex.compile(r"<(?:[\w.-]+:)?mets\s[^<>]{0,4000}?\bLABEL\s*=\s*[\"']([^\"'<>]{1,500})")
_TITLE = regex.compile(r"<(?:[\w.-]+:)?title(?:\s[^<>]{0,200})?>([^<]{1,500})<")
_DATE = regex.compile(r"<(?:[\w.-]+:)?dateIssued(?:\s[^<>]{0,200})?>([^<]{4,40})<")
_FILE = regex.compile(
    r"<(?:[\w.-]+:)?file\s[^<>]{0,1000}?\bID\s*=\s*[\"']([^\"'<>]{1,200})|"
    r"<(?:[\w.-]+:)?FLocat\s[^<>]{0,1000}?href\s*=\s*[\"']([^\"'<>]{1,1000})"
)
_PHYSICAL = regex.compile(
    r"<(?:[\w.-]+:)?structMap\s[^<>]{0,500}?\bTYPE\s*=\s*[\"']PHYSICAL[\"']", regex.I
)
_END = regex.compile(r"</(?:[\w.-]+:)?structMap>", regex.I)
_POINTER = regex.compile(r"\bFILEID\s*=\s*[\"']([^\"'<>]{1,200})")


class Position(NamedTuple):
    """Where a page is in its document. number: from 1."""

    document: str
    date: str
    number: int


def is_mets(name: str) -> bool:
    """Whether a file may be one, by its name."""
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    return "mets" in last and last.endswith(".xml")


def pages(source: Source, name: str) -> dict[str, Position]:
    """The positions of the files that a METS names, by the ends of their paths; none of another
    file."""
    try:
        with opened(source, name) as file:
            text = file.read(MOST_METS_BYTES).decode("utf-8", "replace")
    except Unreadable:
        return {}
    if not _ROOT.search(text[:8192]):
        return {}
    title = _LABEL.search(text) or _TITLE.search(text)
    document = line(unescape(title[1])) if title else name.rpartition("/")[2]
    issued = _DATE.search(text)
    date = line(issued[1]) if issued else ""
    if date and date not in document:
        document = f"{document}, {date}"
    paths: dict[str, str] = {}
    identifier = ""
    for match in _FILE.finditer(text):
        identifier = match[1] or identifier
        if match[2]:
            paths.setdefault(identifier, unquote(unescape(match[2])).replace("\\", "/"))
    order = list(paths)
    if physical := _PHYSICAL.search(text):
        end = _END.search(text, physical.end())
        order = _POINTER.findall(text, physical.end(), end.start() if end else len(text))
    by_name: dict[str, Position] = {}
    for number, pointer in enumerate(order[:MOST_PAGES], 1):
        if path := paths.get(pointer):
            by_name.setdefault(path.rpartition("/")[2], Position(document, date, number))
    return by_name


def placed(items: Iterator[Document | Problem], position: Position) -> Iterator[Document | Problem]:
    """The documents of a page, with their position."""
    for item in items:
        if isinstance(item, Document):
            fields = {DOCUMENT: position.document, PAGE: str(position.number)}
            item = replace(item, date=item.date or position.date, metadata=fields | item.metadata)
        yield item
