"""ZIP archives of .txt files. Entries are read as streams: nothing is unpacked to a path that the archive names."""

import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tasks.readers import text
from tasks.readers.model import MAX_TEXT, PREVIEW_CELL, PREVIEW_ROWS, Document, Options, Problem, Sniff, Unreadable
from tasks.readers.opening import clean, extension, guess_encoding

MAX_ENTRIES = 2_000_000
MAX_RATIO = 200  # text compresses to a tenth, or a hundredth where it repeats itself; a bomb far beyond
MAX_UNPACKED = 100 << 30  # bytes of one archive


def sniff(path: Path, name: str, options: Options, known: dict) -> Sniff:
    archive = _open(path, name)
    with archive:
        entries = [info for info in archive.infolist() if _refused(info) is None]
        if not entries:
            first = next((_refused(info) for info in archive.infolist() if not info.is_dir()), None)
            why = f" The first entry {first}." if first else " It is empty."
            raise Unreadable(f"“{name}” holds no .txt file that can be read.{why}")
        samples = []
        for info in entries[:PREVIEW_ROWS]:
            try:
                with archive.open(info) as file:
                    samples.append((info.filename, file.read(1 << 16)))
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError):
                continue
        encoding = known.get("encoding") or guess_encoding(b"\n".join(content for _, content in samples))
        rows = [[clean(n)[:PREVIEW_CELL], clean(c.decode(encoding, "replace"))[:PREVIEW_CELL]] for n, c in samples]
    return Sniff(replace(options, encoding=encoding), [], [[f"{n}: {c}"] for n, c in rows])


def _open(path: Path, name: str) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise Unreadable(f"“{name}” is no whole ZIP archive ({error}). Pack it again, or upload the .txt files themselves.") from None
    if len(archive.infolist()) > MAX_ENTRIES:
        raise Unreadable(f"“{name}” holds {len(archive.infolist()):,} entries; at most {MAX_ENTRIES:,} can be read. Split it.")
    return archive


def _refused(info: zipfile.ZipInfo) -> str | None:
    """Why an entry is not read, as the end of a sentence; None for an entry that is."""
    parts = info.filename.replace("\\", "/").split("/")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if info.is_dir():
        return "is a folder"
    if kind not in (0, stat.S_IFREG):
        return "is a link or a device, not a file"
    if ".." in parts or info.filename.startswith(("/", "\\")) or (len(parts[0]) == 2 and parts[0][1] == ":"):
        return "has a path that leads out of the archive"
    if info.flag_bits & 1:
        return "is encrypted; pack it without a password"
    if extension(info.filename) != ".txt" or info.filename.lower().endswith(".gz"):
        return "is no .txt file"
    if parts[0] == "__MACOSX" or parts[-1].startswith("._"):
        return "is a note of macOS, not a document"
    if info.file_size > 4 * MAX_TEXT:
        return f"is longer than {MAX_TEXT:,} characters"
    if info.file_size > 1 << 20 and info.file_size > MAX_RATIO * max(1, info.compress_size):
        return f"unpacks to more than {MAX_RATIO} times its size, as no text does"
    return None


def read(path: Path, name: str, options: Options, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
    unpacked, seen = 0, set()
    with _open(path, name) as archive:
        for info in archive.infolist():
            entry = f"{name}/{info.filename}"
            why = _refused(info)
            if why:
                if not info.is_dir() and "macOS" not in why:
                    yield Problem(entry, "", f"“{clean(info.filename)}” in “{name}” {why}; it was left out.", True)
            else:
                if info.filename in seen:
                    yield Problem(entry, "", f"“{clean(info.filename)}” is in “{name}” more than once; each is a document.", False)
                seen.add(info.filename)
                try:
                    with archive.open(info) as file:
                        content = file.read(info.file_size + 1)
                except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, RuntimeError) as error:
                    sentence = f"“{clean(info.filename)}” in “{name}” is damaged ({error or 'it ends too soon'}); it was left out."
                    yield Problem(entry, "", sentence, True)
                    continue
                unpacked += len(content)
                if unpacked > MAX_UNPACKED:
                    raise Unreadable(f"“{name}” unpacks to more than {MAX_UNPACKED >> 30} GB. Split it into smaller archives.")
                yield from text.document(content, entry, options.encoding)
            advance(info.compress_size)
