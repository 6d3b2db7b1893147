"""A column on its way to the disk: a value for each document, written a block at a time."""

from abc import ABC, abstractmethod
from array import array
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webapp.metadata.field import Field

Arguments = dict[str, bool | int | float | list[str] | list[int]]  # of a field but for its name, as versions store them
FLUSHED = 1 << 16  # values that are held before they are written


class ColumnWriter(ABC):
    """Writes one column to a file of its own while documents are read, in their order.

    missing: the value of a document that has none, in an array of its type.
    """

    becomes: "type[Field] | None" = None  # another type than the one that it was begun for

    def __init__(self, path: Path, missing: array):
        self.path, self.file, self.missing = path, path.open("wb"), missing
        self.pending = missing[:0]
        self.length = 0

    @abstractmethod
    def add(self, number: int, text: str, date_order: str) -> bool:
        """The value of document `number`; the ones before it that were not given have none. False: this is no column
        after all."""

    @abstractmethod
    def finish(self, documents: int, target: Path) -> Arguments | None:
        """Put the file at `target`, with a value for each of the documents, and return the field's arguments but for
        its name; None, and no file, where it is of no use as a column."""

    def put(self, number: int, value: float) -> None:
        """For `add`: a value as it is stored."""
        self._fill(number)
        self.pending.append(value)
        self.length += 1
        if len(self.pending) >= FLUSHED:
            self._flush()

    def complete(self, documents: int) -> None:
        """For `finish`: write the values of all documents."""
        self._fill(documents)
        self._flush()
        self.close()

    def _fill(self, number: int) -> None:
        while self.length < number:
            gap = min(number - self.length, FLUSHED)
            self.pending.extend(self.missing * gap)
            self.length += gap
            self._flush()

    def _flush(self) -> None:
        self.file.write(self.pending.tobytes())
        self.pending = self.missing[:0]

    def discard(self) -> None:
        """Close and remove the file."""
        self.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        self.file.close()
