"""The file of a backup: a tar compressed by zstd, written and read as a stream.

`zstd -d < FILE | tar t` lists it. The first member, `backup.json`, says what was backed up. The
last, `manifest.jsonl`, has a line for each member in their order, with its size and sha256, and a
line `{"end": true, …}`: so a file that was cut off or changed is recognised.
"""

import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

import pyarrow as pa

from inference.errors import Invalid

FORMAT = 1  # raised when the file changes its meaning
HEAD = "backup.json"
MANIFEST = "manifest.jsonl"
BLOCK = 1 << 20  # bytes in memory at a time


class Writer:
    """Use `with`: `add` members in their order, note the rows of each `table`, then `close`, which
    writes the manifest. Without `close` the file counts as cut off."""

    def __init__(self, file: BinaryIO, head: dict):
        self._out = pa.CompressedOutputStream(pa.PythonFile(file, "w"), "zstd")
        self._tar = tarfile.open(  # type: ignore[call-overload]  # typeshed lacks copybufsize
            fileobj=self._out,
            mode="w|",
            bufsize=BLOCK,
            copybufsize=BLOCK,
            format=tarfile.PAX_FORMAT,
        )
        self._lines = tempfile.TemporaryFile()
        self.members = 0
        self._head = {"format": FORMAT} | head

    def add(self, name: str, size: int, source: BinaryIO) -> None:
        """A member of `size` bytes, which the source must have."""
        hashed = _Hashed(source, size)
        self._put(name, size, hashed)
        self._note({"name": name, "bytes": size, "sha256": hashed.hash.hexdigest()})
        self.members += 1

    def _put(self, name: str, size: int, source: Any) -> None:
        entry = tarfile.TarInfo(name)
        entry.size = size
        entry.mode = 0o600
        self._tar.addfile(entry, source)
        self._tar.members.clear()  # else tarfile keeps them all

    def add_bytes(self, name: str, content: bytes) -> None:
        self.add(name, len(content), io.BytesIO(content))

    def table(self, name: str, rows: int) -> None:
        self._note({"table": name, "rows": rows})

    def _note(self, line: dict) -> None:
        self._lines.write(json.dumps(line).encode() + b"\n")

    def __enter__(self) -> "Writer":
        try:
            self.add_bytes(HEAD, json.dumps(self._head).encode())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self._lines.close()
        self._tar.close()
        self._out.close()

    def close(self) -> None:
        self._note({"end": True, "members": self.members})
        size = self._lines.tell()
        self._lines.seek(0)
        self._put(MANIFEST, size, self._lines)


class _Hashed:
    """Reads at most `size` bytes of a file, and hashes them. Raises Changed where the file became
    shorter."""

    def __init__(self, source: BinaryIO, size: int):
        self.source = source
        self.left = size
        self.hash = hashlib.sha256()

    def read(self, size: int) -> bytes:
        size_wanted = min(size, self.left)
        block = self.source.read(size_wanted)
        if len(block) < size_wanted:
            raise Changed(f"{self.left - len(block):,} bytes are missing")
        self.left -= len(block)
        self.hash.update(block)
        return block


class Changed(Exception):
    """A file became shorter while it was read."""


class Member:
    """A member that is being read: its name, its size, and its bytes by `read`."""

    def __init__(self, path: Path, entry: tarfile.TarInfo, file: IO[bytes]):
        self.name = entry.name
        self.size = entry.size
        self._path = path
        self._file = file
        self.hash = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        with _damage_explained(self._path):
            block = self._file.read(size) if size >= 0 else self._file.read()
        self.hash.update(block)
        return block

    def blocks(self) -> Iterator[bytes]:
        while block := self.read(BLOCK):
            yield block


@contextmanager
def _damage_explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, tarfile.TarError) as error:
        raise Invalid(
            "file",
            f"{path.name} is damaged, or was cut off while it was written or copied ({error}). Take"
            " another copy of it.",
        ) from None


def _open_members(path: Path) -> Iterator[Member]:
    """The members of an archive, in their order. Raises Invalid("file", …) where the file is no
    archive, damaged or cut off."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise Invalid("file", f"{path} can’t be read: {error.strerror}.") from None
    with file:
        try:
            tar = tarfile.open(
                fileobj=pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd"),
                mode="r|",
                bufsize=BLOCK,
            )
        except (OSError, EOFError, tarfile.TarError) as error:
            raise Invalid(
                "file",
                f"{path.name} is not a Topograph backup, or its beginning is damaged ({error}).",
            ) from None
        while True:
            with _damage_explained(path):
                entry = tar.next()
            if entry is None:
                return
            # The list of all that was read, which grows with every entry.
            tar.members.clear()  # type: ignore[attr-defined]  # typeshed lacks it
            if not entry.isreg() or entry.name.startswith("/") or ".." in entry.name.split("/"):
                raise Invalid(
                    "file",
                    f"{path.name} holds “{entry.name[:100]}”, which no backup of Topograph has.",
                )
            content = tar.extractfile(entry)
            if content is None:
                raise AssertionError("A regular entry of a tar file has content.")
            yield Member(path, entry, content)


def head(path: Path) -> dict:
    """What was backed up: the content of backup.json. Raises Invalid where it is no backup, or has
    a later format."""
    first = next(_open_members(path), None)
    try:
        head = (
            json.loads(first.read())
            if first and first.name == HEAD and first.size < 1 << 24
            else None
        )
    except ValueError:
        head = None
    if not isinstance(head, dict) or "format" not in head:
        raise Invalid(
            "file", f"{path.name} is not a Topograph backup: it does not begin with {HEAD}."
        )
    if head["format"] > FORMAT:
        raise Invalid(
            "file",
            f"{path.name} has format {head['format']}, and this version reads {FORMAT}. Restore it"
            " with the version of Topograph that made it, or a newer one.",
        )
    return head


def members(path: Path, advance: Callable[[int], None] = lambda count: None) -> Iterator[Member]:
    """All but the head and the manifest, in their order; each must be read before the next is asked
    for."""
    for member in _open_members(path):
        if member.name not in (HEAD, MANIFEST):
            yield member
        advance(member.size)


def verify(path: Path, advance: Callable[[int], None] = lambda count: None) -> dict[str, int]:
    """Read all of it, and compare it with its manifest. Returns the rows of each table. Raises
    Invalid, saying what is wrong."""
    head(path)
    rows: dict[str, int] = {}
    with tempfile.TemporaryFile() as seen:
        count = 0
        opened = _open_members(path)
        for member in opened:
            if member.name == MANIFEST:
                seen.seek(0)
                _compare(path, member, seen, rows, count)
                if next(opened, None) is not None:
                    raise Invalid(
                        "file", f"{path.name} goes on behind its end. Take another copy of it."
                    )
                return rows
            for block in member.blocks():
                advance(len(block))
            count += 1
            line = {"name": member.name, "bytes": member.size, "sha256": member.hash.hexdigest()}
            seen.write(json.dumps(line).encode() + b"\n")
    raise Invalid(
        "file",
        f"{path.name} was cut off while it was written or copied: {count:,} of its members are"
        " there, and its manifest is not.",
    )


def _compare(
    path: Path, manifest: Member, seen: BinaryIO, rows: dict[str, int], count: int
) -> None:
    """Compare the manifest's lines with the lines of the members that were read."""
    ended = False
    remainder = b""
    for block in manifest.blocks():
        *lines, remainder = (remainder + block).split(b"\n")
        for text in lines:
            try:
                line = json.loads(text)
                if "table" in line:
                    rows[line["table"]] = int(line["rows"])
                elif "end" in line:
                    ended = line["members"] == count
                elif (read := seen.readline()) != json.dumps(line).encode() + b"\n":
                    have = json.loads(read)["name"] if read else "nothing"
                    raise Invalid(
                        "file",
                        f"{path.name} is damaged: “{line['name']}” is not what was written ({have}"
                        " came). Take another copy of it.",
                    )
            except (ValueError, KeyError, TypeError):
                raise Invalid(
                    "file",
                    f"{path.name} is damaged: its manifest can’t be read. Take another copy of it.",
                ) from None
    if not ended:
        raise Invalid(
            "file",
            f"{path.name} is damaged: it has {count:,} members, and its manifest says otherwise."
            " Take another copy of it.",
        )
