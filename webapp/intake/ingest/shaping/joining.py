"""Very short documents made one: all of an author and a day, say. Exact wherever they stand in the
files: they are sorted on disk."""

import contextlib
import heapq
import itertools
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from io import StringIO
from pathlib import Path
from typing import BinaryIO

import orjson

from webapp.intake.file_formats import Document, Problem, mets, parse_date, running_lines
from webapp.intake.file_formats.base import MAX_ID, MAX_TEXT, MAX_TITLE
from webapp.intake.ingest.shaping.options import Shaping
from webapp.intake.ingest.shaping.parts import PlaceInWhole, place_in_whole

# Characters of a document that is not joined: it is no short one, and many are held at once
LONG_CHARACTERS = 1_000_000
# As many characters in both
BETWEEN_TEXTS = "\n\n"
BETWEEN_PAGES = "\n\f"
_PERIOD_CHARACTERS = {"year": 4, "month": 7, "day": 10}  # characters of an ISO date

MEMORY = 32 << 20  # bytes of lines that are held
LINE_OVERHEAD = 64  # bytes that Python takes for each, beside the line
MOST_FILES_OF_LEVEL = 16  # of `Lines`: each takes a line's memory, and a process may have some 100


class Lines(contextlib.AbstractContextManager["Lines"]):
    """Lines of bytes, each with its end, to be had in their order, though they are more than memory
    holds: runs of them are sorted, written to files without a name in `folder`, and merged. These
    are gone with the process."""

    def __init__(self, folder: Path, memory: int = MEMORY):
        self.folder = folder
        self.memory = memory
        self.held: list[bytes] = []
        self.size = 0
        # levels[i]: files that were merged i times; a line is written once a level
        self.levels: list[list[BinaryIO]] = []

    def add(self, line: bytes) -> None:
        self.held.append(line)
        self.size += len(line) + LINE_OVERHEAD
        if self.size >= self.memory:
            self._spill()

    def sorted(self) -> Iterator[bytes]:
        self.held.sort()
        yield from heapq.merge(*(file for level in self.levels for file in level), self.held)

    def _spill(self) -> None:
        self.held.sort()
        run = self._written(self.held)
        self.held = []
        self.size = 0
        for level in self.levels:
            level.append(run)
            if len(level) < MOST_FILES_OF_LEVEL:
                return
            run = self._written(heapq.merge(*level))
            for file in level:
                file.close()
            level.clear()
        self.levels.append([run])

    def _written(self, lines: Iterable[bytes]) -> BinaryIO:
        file = tempfile.TemporaryFile(dir=self.folder)
        file.writelines(lines)
        file.seek(0)
        return file

    def __exit__(self, *_) -> None:
        for level in self.levels:
            for file in level:
                file.close()


def join(
    items: Iterable[Document | Problem],
    shaping: Shaping,
    folder: Path,
    most: int = MAX_TEXT,
    order: str = "",
    running: bool = True,
) -> Iterator[Document | Problem]:
    """Documents with the same values become one, in the order of the values; within it parts of a
    whole in the order of their numbers, and others in that of the files.

    One that lacks a value, or is long already, stays as it is, before the others. A joined document
    has the fields that are the same in all of it. Where it would be longer than `most` characters
    another one begins: nothing is lost. running: whether lines that run through the pages that a
    METS joins are left out, which is said.
    """
    unjoined = 0
    example = None
    with Lines(folder) as lines:
        for number, item in enumerate(items):
            if isinstance(item, Document):
                part = place_in_whole(item) if shaping.parts else None
                values = _values(item, part, shaping, order)
                if values is not None:
                    # In JSON no tab is left in a key, so that a line's order is that of its key,
                    # and then of its number.
                    place = (part.number if part else _page(item, shaping), number)
                    lines.add(
                        b"%b\t%06d%015d\t%b\n"
                        % (orjson.dumps(values), *place, orjson.dumps(asdict(item)))
                    )
                    continue
                unjoined += 1
                example = example or item
            yield item
        if example:
            yield _unjoined_problem(unjoined, example, shaping)
        for key, group in itertools.groupby(
            lines.sorted(), key=lambda line: line.partition(b"\t")[0]
        ):
            wholes = _join_group(orjson.loads(key), map(_document, group), shaping, most)
            pages = running and mets.DOCUMENT in shaping.join
            yield from _without_headers(wholes) if pages else wholes


def _without_headers(wholes: Iterator[Document]) -> Iterator[Document | Problem]:
    """Documents of pages without the lines that run through these."""
    for document in wholes:
        pages, lines = running_lines.without_running(document.text.split("\f"))
        yield from running_lines.report_left_out(document.title, lines)
        yield replace(document, text="\f".join(pages)) if lines else document


def _page(document: Document, shaping: Shaping) -> int:
    """Its page in a document whose pages are joined; 0 where nothing says so."""
    page = document.metadata.get(mets.PAGE, "")
    return int(page) if mets.DOCUMENT in shaping.join and page.isdecimal() else 0


def _unjoined_problem(count: int, example: Document, shaping: Shaping) -> Problem:
    needed = [*shaping.join]
    if shaping.parts:
        needed.insert(0, "number of a part")
    if shaping.period:
        needed.append(shaping.period)
    others = ""
    if count > 1:
        were = "was" if count == 2 else "were"
        others = f", and so {were} {count - 1:,} more"
    name = example.title or example.file
    message = (
        f"“{name}” has no {', '.join(needed)}, or is longer than {LONG_CHARACTERS:,} characters;"
    )
    message += f" it was not joined with others{others}."
    return Problem(example.file, example.place, message, False)


def _values(
    document: Document, part: PlaceInWhole | None, shaping: Shaping, order: str
) -> list[str] | None:
    values = []
    if shaping.parts:
        values.append(part.whole if part else "")
    values += [document.metadata.get(name, "").strip() for name in shaping.join]
    if shaping.period:
        day = parse_date(document.date, order or None)
        values.append(day.isoformat()[: _PERIOD_CHARACTERS[shaping.period]] if day else "")
    return values if all(values) and len(document.text) <= LONG_CHARACTERS else None


def _document(line: bytes) -> Document:
    fields = orjson.loads(line.split(b"\t", 2)[2])
    return Document(**fields | {"headings": tuple(fields["headings"])})


def _join_group(
    values: list[str], documents: Iterator[Document], shaping: Shaping, most: int
) -> Iterator[Document]:
    """The documents of one group as one; as several where they are too long."""
    title = ", ".join(values)
    number = 1
    whole: _Whole | None = None
    for document in documents:
        if whole is not None and whole.length + len(document.text) > most:
            yield whole.document(title if number == 1 else f"{title} ({number})", values)
            whole = None
            number = number + 1
        if whole is None:
            whole = _Whole(document, shaping)
        else:
            whole.add(document)
    if whole is not None:
        yield whole.document(title if number == 1 else f"{title} ({number})", values)


class _Whole:
    """Documents that become one. Of all but the first only the text and its headings are held:
    there may be a million of a few letters each. length: characters, with a space behind each
    text."""

    def __init__(self, first: Document, shaping: Shaping):
        self._first = first
        self._shaping = shaping
        self._between = BETWEEN_PAGES if mets.DOCUMENT in shaping.join else BETWEEN_TEXTS
        self._text = StringIO()
        self._text.write(first.text)
        self._headings = [*first.headings]
        self._fields = first.metadata
        self._date = first.date
        self._count = 1
        self.length = len(first.text) + len(self._between)

    def add(self, document: Document) -> None:
        """What is not the same in all is forgotten."""
        self._text.write(self._between)
        self._text.write(document.text)
        self._headings += [self.length + heading for heading in document.headings]
        self._fields = dict(self._fields.items() & document.metadata.items())
        if document.date != self._date:
            self._date = ""
        self._count += 1
        self.length += len(document.text) + len(self._between)

    def document(self, title: str, values: list[str]) -> Document:
        """The whole. values: of the group."""
        first = self._first
        fields = self._fields
        place = first.place
        if self._count > 1:
            fields = {name: fields[name] for name in sorted(fields)}
            place = f"{first.place or first.source_id} and {self._count - 1:,} more"
        return replace(
            first,
            text=self._text.getvalue(),
            title=title[:MAX_TITLE],
            date=values[-1] if self._shaping.period else self._date,
            source_id=title[:MAX_ID],
            metadata=fields,
            place=place,
            headings=tuple(self._headings),
        )
