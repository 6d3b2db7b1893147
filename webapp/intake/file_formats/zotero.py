"""Libraries that Zotero exports as RDF (.rdf), with the files of their items in a folder beside
them or without: one document an item, its abstract the text. Where the files are uploaded with it,
it is the table about them (webapp.intake.ingest.shaping.table)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from webapp.intake.file_formats import cells
from webapp.intake.file_formats.base import (
    MAX_FIELD,
    MAX_TEXT,
    Document,
    Options,
    Problem,
    Sniff,
    Source,
    Unreadable,
    count_of,
    nothing,
    opened,
)
from webapp.intake.file_formats.markup import Handler, Result, walk
from webapp.intake.file_formats.prose import line
from webapp.intake.file_formats.rows import Row

MOST_ITEMS = 500_000
COLUMNS = "title abstract author date journal type publisher language keywords url file".split()
_NO_ITEMS = {"attachment", "note", "annotation"}
_COLUMN_OF = {  # elements of an item -> columns
    "title": "title",
    "abstract": "abstract",
    "date": "date",
    "itemType": "type",
    "language": "language",
}
_PEOPLE = ("authors", "editors", "contributors", "interviewees", "directors")  # the best first


@dataclass
class _Item:
    """What is said of a thing. links: ids of others, its files and what it is part of."""

    about: str
    fields: dict[str, str] = field(default_factory=dict)
    people: dict[str, list[str]] = field(default_factory=dict)
    keywords: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    path: str = ""  # of an attachment's file
    container: str = ""  # the title of what it is part of
    part_of: str = ""  # the id of that

    @property
    def author(self) -> str:
        names = next((self.people[role] for role in _PEOPLE if self.people.get(role)), [])
        return "; ".join(names)


class _Library(Handler):
    """items: by their ids, in the order of the file."""

    def __init__(self, name: str):
        self.name = name
        self.items: dict[str, _Item] = {}
        self.path: list[str] = []
        self.item = _Item("")
        self.letters: list[str] = []
        self.surname = ""
        self.is_library = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.path.append(tag)
        self.letters = []
        target = attributes.get("resource", "")
        depth = len(self.path)
        if depth == 1:
            self.is_library = tag == "RDF"
        elif depth == 2:
            about = attributes.get("about", "") or f"item {len(self.items)}"
            self.item = self.items.setdefault(about, _Item(about))
            if len(self.items) > MOST_ITEMS:
                raise Unreadable(f"“{self.name}” holds more than {MOST_ITEMS:,} items. Divide it.")
        elif depth == 3 and target and tag == "link":
            self.item.links.append(target)
        elif depth == 3 and target and tag == "isPartOf":
            self.item.part_of = target
        elif depth == 3 and target and tag in ("resource", "path"):
            self.item.path = target

    def end(self, tag: str) -> None:
        text = line("".join(self.letters))
        self.letters = []
        inner = self.path[2:]
        self.path.pop()
        if not text or not inner:
            return
        role = inner[0]
        if len(inner) == 1 and tag in _COLUMN_OF:
            self.item.fields.setdefault(_COLUMN_OF[tag], text)
        elif len(inner) == 1 and tag == "subject":
            self.item.keywords.append(text)
        elif len(inner) == 1 and tag == "path":
            self.item.path = text
        elif role == "isPartOf" and tag == "title":
            self.item.container = self.item.container or text
        elif role == "publisher" and tag == "name":
            self.item.fields.setdefault("publisher", text)
        elif role == "identifier" and tag == "value":
            self.item.fields.setdefault("url", text)
        elif role == "subject":
            self.item.keywords.append(text)
        else:
            self._person(role, tag, text)

    def _person(self, role: str, tag: str, text: str) -> None:
        """Surnames come before given names."""
        if role not in _PEOPLE:
            return
        names = self.item.people.setdefault(role, [])
        if tag in ("surname", "name"):
            names.append(text)
        elif tag in ("givenName", "givenname") and names:
            names[-1] = f"{names[-1]}, {text}"

    def text(self, text: str) -> None:
        self.letters.append(text)

    def rows(self) -> Iterator[list[str]]:
        for item in self.items.values():
            kind = item.fields.get("type", "")
            if not kind or kind in _NO_ITEMS:
                continue
            linked = [self.items[link] for link in item.links if link in self.items]
            container = self.items.get(item.part_of)
            journal = container.fields.get("title", "") if container else ""
            values = item.fields | {
                "author": item.author,
                "journal": item.container or journal,
                "keywords": "; ".join(item.keywords),
                "file": "; ".join(attachment.path for attachment in linked if attachment.path),
            }
            title = values.get("title", "")
            values["abstract"] = values.get("abstract", "") or title
            yield [values.get(column, "")[: _longest(column)] for column in COLUMNS]

    def without_abstract(self) -> int:
        return sum(
            bool(item.fields.get("type")) and item.fields["type"] not in _NO_ITEMS
            for item in self.items.values()
            if "abstract" not in item.fields
        )


def _longest(column: str) -> int:
    return MAX_TEXT if column == "abstract" else MAX_FIELD


def sniff(path: Source, name: str, options: Options, fixed_options: dict) -> Sniff:
    rows = [list(COLUMNS), *_library(path, name, nothing).rows()]
    sniffed = cells.sniff(rows, name, replace(options, header=True), True)
    columns_of_fields = {"text": "abstract", "title": "title", "date": "date"}
    columns_of_roles: dict[str, Any] = {
        role: COLUMNS.index(column) for role, column in columns_of_fields.items()
    }
    return replace(sniffed, options=replace(sniffed.options, id=None, **columns_of_roles))


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    library = _library(path, name, advance)
    rows = (Row(number, row, None) for number, row in enumerate([list(COLUMNS), *library.rows()]))
    yield from cells.documents(rows, name, replace(options, header=True), "item {}")
    if bare := library.without_abstract():
        message = f"“{name}”: {count_of(bare, 'item has', 'items have')} no abstract; the title is the text."
        yield Problem(name, "", message, False, "no abstract", bare)


def _library(path: Source, name: str, advance: Callable[[int], None]) -> _Library:
    library = _Library(name)
    with opened(path, name, advance) as file:
        for _ in walk(file, library, name, Result()):
            pass
    if not library.is_library or not any(library.rows()):
        raise Unreadable(
            f"“{name}” was expected to be a library that Zotero exported as RDF, but holds none of"
            " its items. Export it again, as “Zotero RDF” or CSV."
        )
    return library
