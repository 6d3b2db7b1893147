"""Copies of streams that can be read only once, or only from their beginning: what is compressed,
or in an archive."""

import io
import tempfile
from collections.abc import Callable
from typing import IO, NamedTuple

from webapp.intake.file_formats.base import Unreadable


class Stat(NamedTuple):
    st_size: int


class Sized:
    """A source that knows its bytes."""

    size: int

    def stat(self) -> Stat:
        return Stat(self.size)


class Copy(Sized):
    """A copy of a stream that can be read again and again, from any place. Who reads it closes it.

    to_the_end: made at once; else no more of the stream is copied than is asked for. limit: bytes
    that it may have."""

    def __init__(self, file: IO[bytes], name: str, limit: int, to_the_end: bool = True):
        self.stream = file
        self.name = name
        self.most = limit
        self.size = 0
        # A larger copy is a file without a name, which ends with its use
        self.file = tempfile.SpooledTemporaryFile(4 << 20)
        if to_the_end:
            try:
                self.fill()
            except BaseException:
                self.file.close()
                raise

    def fill(self, upto: int | None = None) -> None:
        """Copy the stream up to a byte, by default to its end. Raises Unreadable."""
        if upto is None or self.size < upto:
            self.file.seek(self.size)
        while (upto is None or self.size < upto) and (chunk := self.stream.read(1 << 20)):
            self.size += len(chunk)
            if self.size > self.most:
                raise Unreadable(
                    f"“{self.name}” unpacks to more than {self.most / 1e9:,.3g} GB. Split it."
                )
            self.file.write(chunk)

    def open(self, mode: str = "rb", buffering: int = 0) -> IO[bytes]:
        return io.BufferedReader(_OpenCopy(self))

    def open_stretch(self, begin: int, end: int) -> IO[bytes]:
        """The bytes from `begin` to `end`, as a file of their own."""
        return io.BufferedReader(_OpenStretch(self, begin, end))

    def open_once(self) -> IO[bytes]:
        """The copy is closed with the file that this returns."""
        return io.BufferedReader(_OpenCopy(self, self.close))

    def close(self) -> None:
        self.file.close()


class _OpenCopy(io.RawIOBase):
    """Reads a copy from a place of its own. closed: is called when it is closed; by default the
    copy stays open."""

    def __init__(self, copy: Copy, closed: Callable[[], None] = lambda: None):
        self.copy = copy
        self.at = 0
        self.when_closed = closed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        self.copy.fill(self.at + len(buffer))
        self.copy.file.seek(self.at)
        block = self.copy.file.read(len(buffer))
        buffer[: len(block)] = block
        self.at += len(block)
        return len(block)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            self.copy.fill()
        starts = {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.copy.size}
        self.at = max(0, starts[whence] + offset)
        return self.at

    def tell(self) -> int:
        return self.at

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed:
            super().close()
            self.when_closed()


class _OpenStretch(io.RawIOBase):
    """Reads a stretch of a copy that is complete, from a place of its own."""

    def __init__(self, copy: Copy, begin: int, end: int):
        self.copy = copy
        self.begin = begin
        self.end = min(end, copy.size)
        self.place = begin

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        self.copy.file.seek(self.place)
        block = self.copy.file.read(max(0, min(len(buffer), self.end - self.place)))
        buffer[: len(block)] = block
        self.place += len(block)
        return len(block)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        starts = {io.SEEK_SET: self.begin, io.SEEK_CUR: self.place, io.SEEK_END: self.end}
        self.place = max(self.begin, starts[whence] + offset)
        return self.tell()

    def tell(self) -> int:
        return self.place - self.begin

    def seekable(self) -> bool:
        return True
