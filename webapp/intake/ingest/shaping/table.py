"""A table about the files: its rows, found by the files' names or ids, become the documents'
titles, dates and fields.

file                 author   year
letters/boston.txt   Adams    1901
"""

import contextlib
import itertools
import sqlite3
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import orjson
import regex

from inference.errors import Invalid
from webapp.intake import file_formats
from webapp.intake.file_formats import Document, Problem, Unreadable, column_roles, formats, looking
from webapp.intake.file_formats.base import Source
from webapp.intake.ingest.shaping.file_name_fields import MOST_FOLDERS, path as split, stem

REPORTED_ONE_BY_ONE = 100  # documents, and rows, without a match that are reported one by one
NAMES = 20_000  # of files, by which the table is guessed
# Of a file that may be the table: what is compared with the names of the others
_ROWS = 20_000
_CHARACTERS = 10_000_000
_COLUMNS = 64
LOOSE = 4 * MOST_FOLDERS  # the distance of a name that is written otherwise
FIRST_CELLS = 200  # of a column, by which it is known whether it may be the one
LONG_TEXTS = 30  # words of a row, on average, in a table of texts that is not about files
LEAST_MATCHED = 0.5  # of a column's first values that name other files, in a table about them
_CANDIDATES = 8  # files that may be the table
MOST_NAMES = 20  # of files in one cell

Files = list[tuple[Path, str]]  # where each upload is, and the user's name of it


class TableGuess(NamedTuple):
    """The file that seems to be a table about the others, and how well it fits them."""

    name: str  # of the table; in an archive with the archive's before it
    key: str  # its column with the names of the others
    matched: int  # of the first rows
    rows: int
    named: int = 0  # other files that these rows name
    files: int = 0  # other files
    exact: int = 0  # of the first rows that name one as it is written

    @property
    def is_cut(self) -> bool:
        """Whether it may have more rows than were looked at."""
        return self.rows >= _ROWS


def guess_table(files: Files) -> TableGuess | None:
    """Which file, of the uploads and of what is in archives, is a table about the others; None
    where none seems to be."""
    others: dict[str, set[str]] = {}
    loose: dict[str, set[str]] = {}
    candidates: list = []
    for upload, name in itertools.islice(_names(files), NAMES):
        if formats.format_of(name).columns and len(candidates) < _CANDIDATES:
            candidates.append((upload, name))
        for key in _of_document(name):
            others.setdefault(key.text, set()).add(name)
        for text in _loose_of_document(name):
            loose.setdefault(text, set()).add(name)
    guesses: list[TableGuess] = []
    for upload, name in candidates:
        with (
            contextlib.suppress(Unreadable),
            file_formats.opened(upload[0], upload[1], name) as source,
        ):
            guesses += _guess_columns(source, name, others, loose)
    return max(guesses, key=_how_good, default=None)


def _how_good(guess: TableGuess) -> tuple[float, float, int]:
    """Names as they are written count more: “2010” may be the number in one file's name by
    chance."""
    return guess.exact / guess.rows, guess.matched / guess.rows, guess.named


def _names(files: Files) -> Iterator[tuple[tuple[Path, str], str]]:
    """Every file's name, those in archives too, with the upload that it is or is in."""
    for path, name in files:
        key = formats.by_name(name)
        yield (path, name), name
        # A longer tar archive is not read to its end only to guess
        if key != "tar" or path.stat().st_size <= 64 << 20:
            with contextlib.suppress(Unreadable):
                yield from (
                    ((path, name), inside) for inside in file_formats.names_inside(path, name)
                )


def upload_with_table(files: Files, name: str) -> tuple[Path, str] | None:
    """The upload that is a table, or the archive that it is in."""
    for path, upload in files:
        if name == upload or name.startswith(f"{upload}/"):
            return path, upload
    return None


def _guess_columns(
    source: Source | file_formats.Member,
    name: str,
    others: dict[str, set[str]],
    loose: dict[str, set[str]],
) -> Iterator[TableGuess]:
    """Columns that may have the names of the others. loose: the files by their names written
    otherwise; only a name that one file has counts."""
    everything = frozenset().union(*others.values()) - {name}
    files = [file for file in everything if not formats.format_of(file).archive]
    sniff = file_formats.sniff(source, name, header=True, html=False)
    rows = _first_rows(source, name, sniff.options)
    if column_roles.words(sniff.options, sniff.rows) >= LONG_TEXTS:
        loose = {}  # its rows are texts: that their numbers are those of files says nothing
    for title in sniff.columns[:_COLUMNS]:
        cells = [row[title] for row in rows if row.get(title)]
        known = loose if len(set(cells)) == len(cells) else {}
        # Of a column's first values half must name other files
        first = [_named_by(cell, others, known) - {name} for cell in cells[:FIRST_CELLS]]
        if not cells or sum(map(bool, first)) < LEAST_MATCHED * len(first):
            continue
        files_of_cells = [_named_by(cell, others, known) - {name} for cell in cells]
        matched = sum(map(bool, files_of_cells))
        files_named = frozenset().union(*files_of_cells)
        exact = sum(bool(_named_by(cell, others, {}) - {name}) for cell in cells)
        yield TableGuess(name, title, matched, len(cells), len(files_named), len(files), exact)


def _named_by(cell: str, others: dict[str, set[str]], loose: dict[str, set[str]]) -> set[str]:
    """The files that a cell names: by their names, else by these written otherwise."""
    files: set[str] = set()
    for name in _names_in(cell):
        files |= _files_of_name(name, others, loose)
    return files


def _files_of_name(name: str, others: dict[str, set[str]], loose: dict[str, set[str]]) -> set[str]:
    for key in _of_row(name):
        if found := others.get(key.text):
            return found
    for text in _loose_of_row(name):
        if len(found := loose.get(text, set())) == 1:
            return found
    return set()


def _names_in(cell: str) -> list[str]:
    """The names of files in a cell: Zotero and others write several, with semicolons between them
    ("storage/AB12/Smith.pdf; storage/CD34/Smith.html"). A name may have a semicolon itself, so the
    whole cell comes first."""
    parts = [part.strip() for part in cell.split(";")]
    if len(parts) == 1:
        return [cell]
    names = [part for part in parts if part]
    return [cell, *names[:MOST_NAMES]]


def _first_rows(
    source: Source | file_formats.Member, name: str, options: file_formats.Options
) -> list[dict[str, str]]:
    """Column -> cell, of the first rows that have something in the column of the text."""
    options = replace(options, title=None, date=None, id=None)
    with (
        looking.first(_CHARACTERS, _ROWS),
        contextlib.closing(file_formats.read(source, name, options)) as items,
    ):
        documents = (item for item in items if isinstance(item, Document))
        return [
            row.metadata | {options.column("text") or "": row.text}
            for row in itertools.islice(documents, _ROWS)
        ]


class _Key(NamedTuple):
    text: str
    distance: int  # of what it was made from: 2 for a folder that was left out, 1 for the ending


def _keys(pieces: list[str]) -> Iterator[_Key]:
    for i in range(len(pieces)):
        *folders, file = pieces[i:]
        yield _Key("/".join([*folders, file]), 2 * i)
        if stem(file) != file:
            yield _Key("/".join([*folders, stem(file)]), 2 * i + 1)


def _plain(name: str) -> str:
    """macOS writes letters and their marks apart, and forgets about capitals as Windows does."""
    return unicodedata.normalize("NFC", name).casefold().strip()


def _of_document(file: str) -> list[_Key]:
    where = split(_plain(file))
    return list(_keys([*where.folders, where.file])) if where.file else []


def _of_row(value: str) -> list[_Key]:
    pieces = _plain(value).replace("\\", "/").split("/")
    pieces = [piece for piece in pieces if piece not in ("", ".")]
    return list(_keys(pieces[-MOST_FOLDERS:]))


_DIGITS = regex.compile(r"\d+")
# A name that is written otherwise in the table, so that no name of a file can be the same
_LOOSE = "\0"


def _loose_of_document(file: str) -> list[str]:
    """A file's name as it may be written otherwise: without zeros before its numbers, and where it
    has but one, this number alone. "ata021.txt": "ata21", "21"."""
    name = stem(split(_plain(file)).file)
    numbers = _DIGITS.findall(name)
    texts = [_LOOSE + _without_zeros(name)] if numbers else []
    if len(numbers) == 1:
        texts.append(f"{_LOOSE}{int(numbers[0])}")
    return list(dict.fromkeys(texts))


def _loose_of_row(value: str) -> list[str]:
    """A cell as it may be written otherwise: without zeros before its numbers. It may be a number
    alone, as 21 or 21.0."""
    pieces = _plain(value).replace("\\", "/").split("/")
    name = stem(pieces[-1].removesuffix(".0"))
    return [_LOOSE + _without_zeros(name)] if _DIGITS.search(name) else []


def _without_zeros(name: str) -> str:
    return _DIGITS.sub(lambda match: str(int(match[0])), name)


class UploadedTable(contextlib.AbstractContextManager["UploadedTable"]):
    """The rows, on disk: a table may be as long as the corpus. Its file is gone with the process.
    Use `with`."""

    def __init__(
        self,
        upload: tuple[Path, str] | None,
        name: str,
        key: str,
        folder: Path,
        advance: Callable[[int], None] = lambda n: None,
    ):
        if upload is None:
            raise Invalid("table", f"The table “{name}” is not among the files that were uploaded.")
        self.upload = upload
        self.name = name
        self.key = key
        self.advance = advance
        place = folder / "table.sqlite"
        place.unlink(missing_ok=True)
        self.rows = sqlite3.connect(place)
        place.unlink()  # from here on it has no name
        self.rows.execute("PRAGMA journal_mode = OFF")
        self.rows.execute("PRAGMA cache_size = -32768")  # 32 MB in memory
        self.rows.execute(
            "CREATE TABLE row (number INTEGER PRIMARY KEY, place TEXT, name TEXT, fields BLOB)"
        )
        self.rows.execute(
            "CREATE TABLE key (text TEXT, distance INTEGER, row INTEGER, PRIMARY KEY (text,"
            " distance, row)) WITHOUT ROWID"
        )
        self.used = bytearray()  # by row: whether a document was found for it
        # Row -> the file that it names, but as it is written otherwise
        self.loosely_named: dict[int, str] = {}

    def __exit__(self, *_) -> None:
        self.rows.close()

    def join(self, items: Iterable[Document | Problem]) -> Iterator[Document | Problem]:
        """Documents with what their row says, which counts more than what they say themselves; then
        what has no match.

        Raises Unreadable where the table is none, and Invalid("key", …) where it has no such
        column.
        """
        yield from self._load()
        missing = _Repeated(
            f"and {{count:,}} more documents are in no row of the table “{self.name}”."
        )
        for item in items:
            if isinstance(item, (Document, Problem)) and item.file == self.name:
                continue  # in an archive it is read with the rest
            if not isinstance(item, Document):
                yield item
                continue
            number = self._row_of(item)
            if number is None:
                yield from missing.say(
                    item.file,
                    item.place,
                    f"“{item.source_id or item.file}” is in no row of the table “{self.name}”.",
                )
                yield item
            else:
                yield self._with_row(item, number)
        yield from missing.rest(self.name)
        yield from self._unused()

    def _load(self) -> Iterator[Problem]:
        twice = _Repeated("and {count:,} more rows name a file that was named before.")
        # Bytes of a table in an archive are told when the archive is read
        advance = self.advance if self.upload[1] == self.name else lambda n: None
        with file_formats.opened(*self.upload, self.name) as source:
            for item in file_formats.read(source, self.name, self._options(source), advance):
                if isinstance(item, Problem):
                    yield replace(item, dropped=False, kind="")  # no document is lost by it
                    continue
                number = len(self.used)
                keys = list(chain.from_iterable(map(_of_row, _names_in(item.text))))
                if keys and self._find(keys[0].text, 0) is not None:
                    yield from twice.say(
                        self.name,
                        item.place,
                        f"“{self.name}”, {item.place}: “{item.text[:100]}” was named before; the"
                        " first row counts.",
                    )
                    continue
                self.used.append(0)
                fields = orjson.dumps([item.title, item.date, item.source_id, item.metadata])
                self.rows.execute(
                    "INSERT INTO row VALUES (?, ?, ?, ?)",
                    (number, item.place, item.text[:500], fields),
                )
                self.rows.executemany(
                    "INSERT OR IGNORE INTO key VALUES (?, ?, ?)",
                    ((key.text, key.distance, number) for key in keys),
                )
                loose = chain.from_iterable(map(_loose_of_row, _names_in(item.text)))
                self.rows.executemany(
                    "INSERT OR IGNORE INTO key VALUES (?, ?, ?)",
                    ((text, LOOSE, number) for text in loose),
                )
        yield from twice.rest(self.name)

    def _options(self, source: Source | file_formats.Member) -> file_formats.Options:
        # Without names there is nothing to say
        sniff = file_formats.sniff(source, self.name, header=True, html=False)
        if self.key not in sniff.columns:
            raise Invalid(
                "key",
                f"“{self.name}” has no column “{self.key}”; its first row, which must hold their"
                f" names, has {', '.join(sniff.columns)[:200]}.",
            )
        return replace(
            sniff.options,
            **column_roles.about(sniff.columns, sniff.rows, sniff.columns.index(self.key)),
        )

    def _find(self, text: str, farthest: int) -> int | None:
        row = self.rows.execute(
            "SELECT row FROM key WHERE text = ? AND distance <= ? ORDER BY distance, row LIMIT 1",
            (text, farthest),
        ).fetchone()
        return row and row[0]

    def _row_of(self, document: Document) -> int | None:
        """The row whose name is the end of the file's, or the other way round, with the endings or
        without; None for none."""
        for key in _of_document(document.file):
            number = self._find(key.text, 2 * MOST_FOLDERS if key.distance < 2 else 1)
            if number is not None:
                return number
        by_id = self._find(_plain(document.source_id), 0) if document.source_id else None
        return self._loose_row(document) if by_id is None else by_id

    def _loose_row(self, document: Document) -> int | None:
        """The row that names the file as it is written otherwise; None where it names another file
        so, as 1 does 1901/001.txt and 1902/001.txt."""
        if document.place:
            return None
        for text in _loose_of_document(document.file):
            number = self._find(text, LOOSE)
            if (
                number is not None
                and self.loosely_named.setdefault(number, document.file) == document.file
            ):
                return number
        return None

    def _with_row(self, document: Document, number: int) -> Document:
        """The document with what its row says."""
        self.used[number] = 1
        title, date, source_id, metadata = orjson.loads(
            self.rows.execute("SELECT fields FROM row WHERE number = ?", (number,)).fetchone()[0]
        )
        return replace(
            document,
            title=title or document.title,
            date=date or document.date,
            dated="" if date else document.dated,
            source_id=source_id or document.source_id,
            metadata=document.metadata | metadata,
        )

    def _unused(self) -> Iterator[Problem]:
        """Rows for which no document was found."""
        named = _Repeated("and {count:,} more rows name no file that was uploaded.")
        for number, is_used in enumerate(self.used):
            if is_used:
                continue
            if named.count < REPORTED_ONE_BY_ONE:
                place, name = self.rows.execute(
                    "SELECT place, name FROM row WHERE number = ?", (number,)
                ).fetchone()
                yield from named.say(
                    self.name,
                    place,
                    f"“{self.name}”, {place}: no document is named “{name[:100]}”.",
                )
            else:
                named.count += 1
        yield from named.rest(self.name)


class _Repeated:
    """The first of many like problems, and at the end how many more there were."""

    def __init__(self, more: str):
        self.more = more
        self.count = 0

    def say(self, file: str, place: str, message: str) -> Iterator[Problem]:
        self.count += 1
        if self.count <= REPORTED_ONE_BY_ONE:
            yield Problem(file, place, message, False)

    def rest(self, file: str) -> Iterator[Problem]:
        if self.count > REPORTED_ONE_BY_ONE:
            yield Problem(
                file, "", f"… {self.more.format(count=self.count - REPORTED_ONE_BY_ONE)}", False
            )
