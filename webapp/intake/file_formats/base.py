"""What the module of every format stands on: what it gives and takes, and files as they come,
compressed or not, in any encoding; texts as the database can keep them.
"""

import codecs
import gzip
import io
import os
import re
import threading
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, Protocol, TextIO, cast

from webapp.intake.file_formats import encodings, left_out, looking
from webapp.platform import system

ROLES = ("text", "title", "date", "id")  # of columns
MAX_FIELDS = 64  # of a document's other columns that are kept
MAX_FIELD = 1_000  # characters of each: metadata is for labels, not for texts
MAX_NAME = 100  # of a column
MAX_TITLE = 500
MAX_ID = 500
MAX_DATE = 60
MAX_COLUMNS = 2_000
# characters of one document, cell or line: thirty novels; more would fill a small machine's memory
MAX_TEXT = 20_000_000
PREVIEW_ROWS = 6
PREVIEW_CELL = 300  # characters
SAMPLE_CHARACTERS = 4_000_000  # by which the columns are guessed, at most: a few rows may be books


class Unreadable(ValueError):
    """A whole file can't be read; the message says what was expected, what came, and what to do.
    kind: as a Problem has it."""

    kind = "file"

    @classmethod
    def of(cls, kind: str, message: str) -> "Unreadable":
        error = cls(message)
        error.kind = kind
        return error

    @property
    def message(self) -> str:
        return str(self)


@contextmanager
def unreadable(
    errors: tuple[type[Exception], ...], sentence: Callable[[Exception], str]
) -> Iterator[None]:
    """What a library raises becomes Unreadable, with a sentence; Unreadable itself stays."""
    try:
        yield
    except Unreadable:
        raise
    except errors as error:
        raise Unreadable(sentence(error)) from None


# And not frozen, which would make reading a million of them a second slower: nobody changes one
@dataclass(slots=True)
class Document:
    text: str
    title: str = ""
    date: str = ""  # as it was written; parse_date reads it
    source_id: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    file: str = ""
    place: str = ""  # in the file, such as "row 12"
    headings: tuple[
        int, ...
    ] = ()  # where in the text each begins, ascending; for webapp.intake.ingest.shaping.sections
    # Of a section that webapp.intake.ingest.shaping cut from a whole: the sections of one whole
    # follow each other, 1 to `parts`.
    part: int = 1
    parts: int = 1
    whole: str = ""  # the whole's title
    made: str = ""  # when its file was made, as the file says it: no date of the text
    # from what its date is, where neither a column nor the text's metadata say it: EVIDENCE
    dated: str = ""


# From what a document has its date, the best first; "" is a column, or what the text says of itself
EVIDENCE = {
    "name": "names of files",
    "sheet": "names of sheets",
    "folder": "names of folders",
    "lines": "the first lines of files",
    "made": "when the files were made",
}


@dataclass(frozen=True)
class Problem:
    file: str
    place: str
    message: str  # a sentence: what was expected, what came, what was done
    dropped: bool  # whether a document was lost by it
    kind: str = ""  # of webapp.intake.file_formats.left_out.KINDS, by which the preview counts it
    count: int = 1  # documents, rows or columns that it tells of

    @property
    def counted_as(self) -> str:
        """The kind by which the preview counts it."""
        return self.kind or ("" if self.dropped else left_out.CHANGED)


@dataclass(frozen=True)
class Options:
    """How a file is read. Columns are counted from 0; None where there is none."""

    format: str = "text"  # of the file that these were made for
    encoding: str = "utf-8"
    delimiter: str | None = None
    header: bool = False  # whether a row holds the names of the columns
    text: int | None = None
    title: int | None = None
    date: int | None = None
    id: int | None = None
    names: tuple[
        str, ...
    ] = ()  # of the columns: how JSON objects, whose keys have no order, are read
    entry: str = ""  # of an archive: the format of its first entry, which these were made for
    sheet: str = ""  # of a spreadsheet; "" for the first
    date_order: str = ""  # what 12/3/1999 means: "dmy", "mdy", or "" where it is not known
    # Of the columns, by their names: webapp.intake.metadata.TYPES
    kinds: dict[str, str] = field(default_factory=dict)
    # the words are those that white space separates, as they are: of bags of words made elsewhere
    given: bool = False
    # that names the columns: a line of the file or a row of the sheet, from 1; 0 for the first that
    # is not blank
    header_row: int = 0
    # whether cells beyond the columns are joined to the text, which has the delimiter in it
    surplus: bool = False
    html: bool = False  # whether the texts hold tags and entities of HTML, which become text
    # whether marks such as NA and NULL (webapp.intake.metadata.missing) are missing values
    missing: bool = True
    codes: tuple[str, ...] = ()  # columns of codes of two letters, in which NA is one
    # whether the first cell of each row has no name in the header, as R writes tables
    row_names: bool = False
    escapes: bool = False  # whether quotation marks within cells stand behind a backslash
    # whether lines that run through the pages of a file (headers, page numbers) are left out
    running: bool = True
    lemmas: bool = False  # whether texts that are divided into words are read by their lemmas

    def __post_init__(self) -> None:
        # JSON, by which they are stored and sent to the sandbox, has lists alone
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "codes", tuple(self.codes))

    def column(self, role: str) -> str | None:
        """The name of the column that holds the text, title, date or id; None where none does."""
        column = getattr(self, role)
        return self.names[column] if column is not None and column < len(self.names) else None

    def places(self, columns: Sequence[str]) -> dict[str, Any]:
        """Role -> where a file with these columns has the column that was chosen; None where it has
        not."""
        columns_of_roles = {role: self.column(role) for role in ROLES}
        return {
            role: columns.index(column) if column in columns else None
            for role, column in columns_of_roles.items()
        }


@dataclass(frozen=True)
class Sniff:
    options: Options
    columns: list[str]  # empty for formats without columns
    rows: list[list[str]]
    problem: str | None = None  # something to look at before reading
    sheets: tuple[str, ...] = ()  # of a spreadsheet, to choose from

    @classmethod
    def from_dict(cls, value: dict) -> "Sniff":
        """What asdict and JSON made of one."""
        return cls(
            Options(**value["options"]),
            value["columns"],
            value["rows"],
            value["problem"],
            tuple(value["sheets"]),
        )


MAX_RATIO = (
    200  # text compresses to a tenth, or a hundredth where it repeats itself; a bomb far beyond
)
MAX_UNPACKED = 100 << 30  # bytes of one file
NO_BOMB = 64 << 20  # bytes: what a .gz unpacks to until then is no bomb, whatever its ratio
REPLACED = "\ufffd"  # stands for bytes that are no character
DETECT = "detect"  # the encoding of each file by itself, where those of several differ
SAMPLE = 1 << 18  # bytes by which an encoding is guessed
_BOMS = [
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
PDF = "a PDF document"
ZIP = "a ZIP archive"
PARQUET = "a Parquet file"
_KINDS = [  # how a file of another kind begins
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", PDF),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"\xd0\xcf\x11\xe0", "an Office document that is old or has a password"),
    (b"PAR1", PARQUET),
    (b"\xac\xed\x00\x05", "a file of a Java program, such as MALLET's own form"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x1f\x8b", "a gzip file"),
]
# Python's, but not of files
_NO_ENCODINGS = {
    "idna",
    "punycode",
    "undefined",
    "raw-unicode-escape",
    "unicode-escape",
}
# Of any encoding but UTF-16 and UTF-32
_TEXT_BYTES = bytes({*range(32, 256), 9, 10, 12, 13, 27} - {127})
# of a text's bytes that may be others: damage, which is reported, and not another kind of file
MOST_CONTROLS = 0.02
# What a text can't hold or must not: control characters (Postgres refuses NUL) other than tab, line
# and page ends, halves of surrogate pairs, and the marks of direction that make a line look other
# than it is.
_CONTROLS = bytes([*range(9), 11, *range(14, 32), 127])
# Five times as fast as regex
_UNWANTED = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


class Source(Protocol):
    """Where a file's bytes are: a path, or an entry of an archive."""

    def open(self, mode: Literal["rb"], buffering: Literal[0]) -> IO[bytes]: ...
    def stat(self): ...


@dataclass(frozen=True)
class Descriptor:
    """A file that came to a worker process of the sandbox as a descriptor: a Source."""

    descriptor: int

    def open(self, mode: str = "rb", buffering: int = 0) -> IO[bytes]:
        # a copy of the descriptor would share its place
        return cast(IO[bytes], system.open_descriptor(self.descriptor))

    def stat(self) -> os.stat_result:
        return os.fstat(self.descriptor)


def nothing(count: int) -> None:
    """Who looks at a file before it is read tells of no progress."""


def extension(name: str) -> str:
    """The lower-case ending of a name that says the format: ".csv" of "a.csv.gz"."""
    return Path(plain(name).lower()).suffix


def plain(name: str) -> str:
    """The name without the ending of what compressed it."""
    if name.lower().endswith(".tgz"):
        return name[:-4] + ".tar"
    return name[:-3] if name.lower().endswith(".gz") else name


def stem(name: str) -> str:
    """The name without folders and endings: a title where there is no better."""
    last = clean(plain(name).replace("\\", "/").rsplit("/", 1)[-1])
    return Path(last).stem or last


def is_gzip(name: str) -> bool:
    return name.lower().endswith((".gz", ".tgz"))


class _Counted(io.RawIOBase):
    """A file that tells how many bytes are read from it."""

    def __init__(self, path: Source, advance: Callable[[int], None]):
        self.file = path.open("rb", buffering=0)
        self.advance = advance
        self.seekable, self.seek, self.tell = self.file.seekable, self.file.seek, self.file.tell  # type: ignore[method-assign]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        block = self.file.read(len(buffer))
        buffer[: len(block)] = block
        looking.spend(len(block))
        self.advance(len(block))
        return len(block)

    def close(self) -> None:
        self.file.close()
        super().close()


class _Unpacked(io.RawIOBase):
    """What gzip gives. Raises Unreadable where it is a bomb: as soon as it is one."""

    def __init__(self, unzipped: gzip.GzipFile, packed: IO[bytes], name: str):
        self.unzipped = unzipped
        self.packed = packed
        self.name = name
        self.size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        count = self.unzipped.readinto(buffer)
        self.size += count
        looking.spend(count)
        if self.size > MAX_UNPACKED or self.size > max(NO_BOMB, MAX_RATIO * self.packed.tell()):
            limit = (
                f"{MAX_UNPACKED >> 30} GB"
                if self.size > MAX_UNPACKED
                else f"{MAX_RATIO} times its size, as no text does"
            )
            raise Unreadable(
                f"“{self.name}” unpacks to more than {limit}. Upload what is in it without"
                " compression."
            )
        return count


def unpacked(path: Source, name: str) -> int:
    """Bytes that a file's content can have at most."""
    size = path.stat().st_size
    return min(MAX_UNPACKED, max(NO_BOMB, MAX_RATIO * size)) if is_gzip(name) else size


def unpacked_size(path: Source, name: str) -> int:
    """Bytes of a file's content as far as it says so, at least those of the file: a .gz has the
    number at its end, less whole times 4 GB."""
    size = path.stat().st_size
    if not is_gzip(name) or size < 4:
        return size
    with closing(path.open("rb", buffering=0)) as file:
        file.seek(-4, io.SEEK_END)
        return max(size, int.from_bytes(file.read(4), "little"))


def packed_share(path: Path, name: str) -> float:
    """Bytes of a file by bytes of its content, below 1 where it is compressed."""
    return path.stat().st_size / max(1, unpacked_size(path, name))


@contextmanager
def opened(
    path: Source, name: str, advance: Callable[[int], None] = nothing
) -> Iterator[io.BufferedReader]:
    """The file's bytes, decompressed where its name says that it is compressed."""
    raw: io.BufferedReader = io.BufferedReader(_Counted(path, advance), 1 << 18)
    with raw:
        if not is_gzip(name):
            yield raw
            return
        with gzip.GzipFile(fileobj=raw) as unzipped:
            try:
                yield io.BufferedReader(_Unpacked(unzipped, raw, name), 1 << 18)
            except EOFError:
                why = (
                    "ends in the middle: the compressed file is not complete. Copy or download it"
                    " again."
                )
                raise Unreadable(f"“{name}” {why}") from None
            except (gzip.BadGzipFile, zlib.error) as error:
                why = (
                    f"but its content is not compressed by gzip, or is damaged ({error}). Compress"
                    " it again."
                )
                raise Unreadable(
                    f"“{name}” has the extension of a compressed file, {why}"
                ) from None


def content(file: IO[bytes], limit: int) -> bytes | None:
    """All of a file; None where it has more than `limit` bytes. Memory is taken as it comes, not as
    it might come."""
    read = bytearray()
    while len(read) <= limit and (block := file.read(1 << 20)):
        read += block
    return bytes(read) if len(read) <= limit else None


def head(path: Source, name: str, size: int = SAMPLE) -> bytes:
    """The first bytes of the content."""
    with opened(path, name) as file:
        return file.read(size)


def looks_like(path: Source, name: str) -> str | None:
    """What a file is when it is not text; None for text."""
    start = head(path, name, 4096)
    if kind := next((kind for magic, kind in _KINDS if start.startswith(magic)), None):
        return kind
    controls = len(start.translate(None, _TEXT_BYTES))
    is_text = by_mark(start) or _wide(start) or controls <= max(8, MOST_CONTROLS * len(start))
    return None if is_text else "binary data (it has bytes that no text has)"


def _wide(start: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: it has zero bytes (spaces, commas, line ends), and in the
    right order it is nearly all text."""
    zeros = start.count(0)
    # Plain ASCII with stray zero bytes
    if zeros < 0.01 * len(start) or (zeros < 0.2 * len(start) and start.isascii()):
        return None
    scores = {}
    for encoding, size in (("utf-16-be", 2), ("utf-16-le", 2), ("utf-32-be", 4), ("utf-32-le", 4)):
        text = start[: len(start) // size * size].decode(encoding, "replace")
        scores[encoding] = sum(
            unicodedata.category(c)[0] in "LMNPZ" or c in "\r\n\t" for c in text
        ) / max(1, len(text))
    likeliest = max(scores, key=lambda encoding: scores[encoding])
    return likeliest if scores[likeliest] > 0.95 else None


def by_mark(start: bytes) -> str | None:
    return next((encoding for bom, encoding in _BOMS if start.startswith(bom)), None)


def guess_encoding(sample: bytes) -> str:
    """By its mark; else UTF-8 where the sample is; else the encoding in which it reads like a
    language."""
    if (
        encoding := by_mark(sample)
        or _wide(sample[:4096])
        or (encodings.escaped(sample) if sample.isascii() else None)
    ):
        return encoding
    try:
        # Not final: the sample may end within a character
        codecs.getincrementaldecoder("utf-8")().decode(sample)
        return "utf-8"
    except UnicodeDecodeError:
        return encodings.guess(sample)


def common_encoding(samples: Iterable[bytes], own_encodings: Iterable[str]) -> str:
    """The encoding of several files by samples of them and the encoding of each: DETECT where they
    differ."""
    different = {
        encoding
        for sample, encoding in zip(samples, own_encodings, strict=True)
        if not sample.isascii()
    } or {"utf-8"}
    return different.pop() if len(different) == 1 else DETECT


def check_encoding(encoding: str) -> str:
    """Raises Unreadable for what is no encoding of texts: it may come from a form, or from a
    command."""
    if encoding == DETECT:
        return encoding
    try:
        if codecs.lookup(encoding).name in _NO_ENCODINGS:
            raise LookupError
        "".encode(encoding)  # refuses hex, zip and their like
    except (LookupError, ValueError):
        raise Unreadable(
            f"“{clean(encoding)[:40]}” is not an encoding that Topograph knows. Try utf-8 or"
            " cp1252."
        ) from None
    return encoding


def decoded(file: io.BufferedReader, encoding: str) -> io.TextIOWrapper:
    """The file as text; bytes that are no characters become U+FFFD, which the formats' modules report.

    A file's own mark is believed: of several files some have one, and UTF-8 with a mark is not told
    from UTF-8 by eye.
    """
    encoding = guess_encoding(file.peek(SAMPLE)) if encoding == DETECT else encoding
    encoding = by_mark(file.peek(4)) or check_encoding(encoding)
    damage.count = 0
    return io.TextIOWrapper(file, encoding, errors=REPLACE, newline="")


class _Damage(threading.local):
    """What was no character in the file that this thread has begun to decode last: a text may hold
    U+FFFD by itself, as files that were converted have it."""

    count = 0


damage = _Damage()
REPLACE = "topograph-replace"  # how errors are handled: as by "replace", and counted


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    damage.count += 1
    return REPLACED, error.end


codecs.register_error(REPLACE, _replace)


def lines(file: TextIO, limit: int) -> Iterator[tuple[str, bool]]:
    """Each line and whether it is whole: what is beyond `limit` characters is passed over, so that
    memory stays bounded."""
    while line := file.readline(limit):
        is_complete = len(line) < limit or line.endswith(("\n", "\r"))
        skipped = "" if is_complete else file.readline(1 << 20)
        while skipped and not skipped.endswith(("\n", "\r")):
            skipped = file.readline(1 << 20)
        yield line, is_complete


def clean(text: str) -> str:
    """The text without what the database or a reader's eye can't take. Lines end as they do here:
    those of Windows and of old Macintosh computers do, too."""
    if text.isprintable():  # most cells of tables; a line end is not
        return text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text.encode("ascii").translate(None, _CONTROLS).decode("ascii")
    return _UNWANTED.sub("", text) if _UNWANTED.search(text) else text


def repairs(raw: str, cleaned: str, encoding: str) -> str | None:
    """What `clean` and `decoded` did to a text, as the end of a sentence; None where it is as it
    came. Bytes that are no characters are those that `decoded` met in this file."""
    if damage.count and REPLACED in raw:
        encoding = "its encoding" if encoding == DETECT else encoding
        return (
            f"some bytes are not characters in {encoding}; each is shown as {REPLACED}. Choose"
            " another encoding if many are wrong"
        )
    if removed := len(raw) - raw.count("\r\n") - len(cleaned):
        return (
            "1 control character was taken out"
            if removed == 1
            else f"{removed:,} control characters were taken out"
        )
    return None


def count_of(count: int, one: str, many: str) -> str:
    """A number with its noun, as a sentence has them. As inference.errors.number_of, which is
    not loaded here: it comes with packages that a sandbox has no room for."""
    return f"{count:,} {one if count == 1 else many}"
