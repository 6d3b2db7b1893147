"""ZIP archives of files in the other formats. Entries are read as streams: nothing is unpacked to a path that the archive names."""

import contextlib
import gzip
import itertools
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, NamedTuple

from tasks.readers import formats
from tasks.readers.model import MAX_TEXT, PREVIEW_CELL, PREVIEW_ROWS, Document, Options, Problem, Sniff, Unreadable
from tasks.readers.opening import check_encoding, clean, guess_encoding, head, is_gzip

MAX_ENTRIES = 2_000_000
MAX_RATIO = 200  # text compresses to a tenth, or a hundredth where it repeats itself; a bomb far beyond
MAX_UNPACKED = 100 << 30  # bytes of one archive
SMALL = 1 << 20  # bytes: what is smaller when unpacked is no bomb, whatever its ratio
SAMPLE_ENTRIES = 50  # by which the encoding is guessed
_UTF8_NAMES = 0x800  # the flag of an entry whose name is UTF-8
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError, ValueError, struct.error)


class _Stat(NamedTuple):
    st_size: int


class _Entry:
    """An entry as a source of bytes, like a path."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo):
        self.archive, self.info = archive, info

    def open(self, mode: str = "rb", buffering: int = 0) -> BinaryIO:
        return self.archive.open(self.info)

    def stat(self) -> _Stat:
        return _Stat(self.info.file_size)


def sniff(path: Path, name: str, known: dict) -> Sniff:
    """What the first entry seems to be that can be read; of plain texts, a preview of several."""
    with _opened(path, name) as archive:
        entries = (info for info in archive.infolist() if _refused(info) is None)
        why = next((_refused(info) for info in archive.infolist() if not info.is_dir()), None)
        why = f"Its first entry {why}." if why else "It is empty."
        for info in entries:
            entry, inside = _Entry(archive, info), _inside(name, info)
            try:
                form = formats.of(entry, inside)
                if form == "text":
                    return _sniff_texts(archive, name, [info, *itertools.islice(entries, SAMPLE_ENTRIES)], known)
                found = formats.sniff(entry, inside, form, known)
                return replace(found, options=replace(found.options, format="zip", entry=form))
            except (Unreadable, *_DAMAGED) as error:
                why = f"{error}"
    raise Unreadable(f"“{name}” holds no .txt, .csv, .tsv or .jsonl file that can be read. {why}")


def _sniff_texts(archive: zipfile.ZipFile, name: str, entries: list[zipfile.ZipInfo], known: dict) -> Sniff:
    samples = {}
    for info in entries:
        with contextlib.suppress(Unreadable, *_DAMAGED):
            if formats.by_name(info.filename) == "text":
                samples[_shown(info)] = head(_Entry(archive, info), info.filename, 1 << 13)
    encoding = check_encoding(known.get("encoding") or guess_encoding(b"\n".join(samples.values())))
    rows = [[f"{n}: {clean(c.decode(encoding, 'replace'))}"[:PREVIEW_CELL]] for n, c in samples.items()]
    return Sniff(Options(format="zip", entry="text", encoding=encoding), [], rows[:PREVIEW_ROWS])


@contextlib.contextmanager
def _opened(path: Path, name: str) -> Iterator[zipfile.ZipFile]:
    with contextlib.ExitStack() as stack:
        try:
            file = stack.enter_context(gzip.open(path) if is_gzip(name) else path.open("rb"))
            archive = stack.enter_context(zipfile.ZipFile(file))
        except _DAMAGED as error:
            raise Unreadable(f"“{name}” is no whole ZIP archive ({error}). Pack it again, or upload the files in it themselves.") from None
        count = len(archive.infolist())
        if count > MAX_ENTRIES:
            raise Unreadable(f"“{name}” holds {count:,} entries; at most {MAX_ENTRIES:,} can be read. Split it.")
        yield archive


def _shown(info: zipfile.ZipInfo) -> str:
    """An entry's name. Where it is not marked as UTF-8 it is taken for it if it can be: most programs forget the mark."""
    name = info.filename
    if not info.flag_bits & _UTF8_NAMES:
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode()
    return clean(name)


def _inside(name: str, info: zipfile.ZipInfo) -> str:
    return f"{name}/{_shown(info)}"


def _refused(info: zipfile.ZipInfo) -> str | None:
    """Why an entry is not read, as the end of a sentence; None for an entry that is."""
    parts = info.filename.replace("\\", "/").split("/")
    kind = stat.S_IFMT(info.external_attr >> 16)
    form = formats.by_name(info.filename)
    if info.is_dir():
        return "is a folder"
    if kind not in (0, stat.S_IFREG):
        return "is a link or a device, not a file"
    if ".." in parts or info.filename.startswith(("/", "\\")) or (len(parts[0]) == 2 and parts[0][1] == ":"):
        return "has a path that leads out of the archive"
    if info.flag_bits & 1:
        return "is encrypted; pack it without a password"
    if _is_system(info):
        return "is a note of macOS, not a document"
    if form == "zip":
        return "is an archive within an archive; upload it by itself"
    if form is None:
        return "is no .txt, .csv, .tsv or .jsonl file"
    if form == "text" and info.file_size > 4 * MAX_TEXT:
        return f"is longer than {MAX_TEXT:,} characters"
    if info.file_size > SMALL and info.file_size > MAX_RATIO * max(1, info.compress_size):
        return f"unpacks to more than {MAX_RATIO} times its size, as no text does"
    return None


def _is_system(info: zipfile.ZipInfo) -> bool:
    parts = info.filename.split("/")
    return parts[0] == "__MACOSX" or parts[-1].startswith("._")


def read(path: Path, name: str, options: Options, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
    budget = _Budget(name, min(MAX_UNPACKED, max(SMALL, MAX_RATIO * path.stat().st_size)))
    seen = set()
    with _opened(path, name) as archive:
        for info in archive.infolist():
            inside, shown = _inside(name, info), _shown(info)
            progress = _Progress(info, advance)
            if why := _refused(info):
                if not info.is_dir() and not _is_system(info):
                    yield Problem(inside, "", f"“{shown}” in “{name}” {why}; it was left out.", True)
            else:
                if info.filename in seen:
                    yield Problem(inside, "", f"“{shown}” is in “{name}” more than once; each is read.", False)
                seen.add(info.filename)
                budget.spend(info.file_size)
                yield from _entry(_Entry(archive, info), inside, options, progress)
            progress.finish()


def _entry(entry: _Entry, inside: str, options: Options, progress: "_Progress") -> Iterator[Document | Problem]:
    """One entry's documents. What is wrong with it does not end the archive."""
    try:
        if entry.info.file_size == 0:
            raise Unreadable(f"“{inside}” has no text in it; it was left out.")
        yield from formats.read(entry, inside, formats.of(entry, inside), options, progress)
    except Unreadable as error:
        yield Problem(inside, "", str(error), True)
    except _DAMAGED as error:
        sentence = f"“{inside}” is damaged ({error or 'it ends too soon'}); what follows in it was left out. Pack the archive again."
        yield Problem(inside, "", sentence, True)


class _Budget:
    """How much an archive may unpack to."""

    def __init__(self, name: str, limit: int):
        self.name, self.limit, self.spent = name, limit, 0

    def spend(self, count: int) -> None:
        self.spent += count
        if self.spent > self.limit:
            raise Unreadable(
                f"“{self.name}” unpacks to more than {self.limit / 1e9:,.3g} GB, {MAX_RATIO} times its size or the most that can be read. "
                "Split it into smaller archives."
            )


class _Progress:
    """Tells of an entry's bytes as they are in the archive, while those that come out of it are counted."""

    def __init__(self, info: zipfile.ZipInfo, advance: Callable[[int], None]):
        self.info, self.advance, self.out, self.told = info, advance, 0, 0

    def __call__(self, count: int) -> None:
        self.out += count
        self._tell(self.info.compress_size * self.out // max(1, self.info.file_size))

    def finish(self) -> None:
        self._tell(self.info.compress_size)

    def _tell(self, total: int) -> None:
        total = min(total, self.info.compress_size)
        if total > self.told:
            self.advance(total - self.told)
            self.told = total
