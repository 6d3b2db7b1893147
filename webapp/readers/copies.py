"""Copies of streams that can be read only once, or only from their beginning: what is compressed, or in an archive."""

import tempfile
from collections.abc import Callable
from typing import BinaryIO, NamedTuple

from webapp.readers.model import Unreadable

IN_MEMORY = 4 << 20  # bytes; a larger copy is a file without a name, which ends with its use


class Stat(NamedTuple):
    st_size: int


class Copy:
    """A copy of a stream that can be read again and again, from any place. Its reader closes it."""

    def __init__(self, file: BinaryIO, name: str, most: int):
        self.file = tempfile.SpooledTemporaryFile(IN_MEMORY)
        try:
            self.size = 0
            while chunk := file.read(1 << 20):
                self.size += len(chunk)
                if self.size > most:
                    raise Unreadable(f"“{name}” unpacks to more than {most / 1e9:,.3g} GB. Split it.")
                self.file.write(chunk)
        except BaseException:
            self.file.close()
            raise

    def open(self, mode: str = "rb", buffering: int = 0) -> BinaryIO:
        self.file.seek(0)
        return _Kept(self.file)

    def open_once(self) -> BinaryIO:
        """Gone when its reader closes it."""
        self.file.seek(0)
        return _Kept(self.file, self.close)

    def stat(self) -> Stat:
        return Stat(self.size)

    def close(self) -> None:
        self.file.close()


class _Kept:
    """A file whose reader's `close` leaves it open for the next one, or closes what `close` does."""

    def __init__(self, file: BinaryIO, close: Callable[[], None] = lambda: None):
        self.file, self.read, self.seek, self.tell, self.close = file, file.read, file.seek, file.tell, close

    def readinto(self, buffer) -> int:
        piece = self.file.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def seekable(self) -> bool:
        return True
