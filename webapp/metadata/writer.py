"""A column on its way to the disk: a value for each document, written a block at a time."""

from abc import ABC, abstractmethod
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webapp.metadata.field import Field

Arguments = dict[str, bool | int | float | list[str] | list[int]]  # of a field but for its name, as versions store them
FLUSHED = 1 << 16  # values that are written at once, at most


class ColumnWriter(ABC):
    """Writes one column to a file of its own while documents are read, in their order.

    code: of the type of its values, as `struct` has it. missing: the value of a document that has none.
    """

    becomes: "type[Field] | None" = None  # another type than the one that it was begun for

    def __init__(self, path: Path, code: str, missing: float):
        self.path, self.file = path, path.open("wb", FLUSHED)
        self.packed, self.missing = Struct(code).pack, missing
        self.length = 0

    @abstractmethod
    def add(self, number: int, text: str, date_order: str) -> None:
        """The value of document `number`; the ones before it that were not given have none."""

    @abstractmethod
    def finish(self, documents: int, target: Path) -> Arguments | None:
        """Put the file at `target`, with a value for each of the documents, and return the field's arguments but for
        its name; None, and no file, where it is of no use as a column."""

    def put(self, number: int, value: float) -> None:
        """For `add`: a value as it is stored."""
        self._fill(number)
        self.file.write(self.packed(value))
        self.length += 1

    def complete(self, documents: int) -> None:
        """For `finish`: write the values of all documents."""
        self._fill(documents)
        self.close()

    def _fill(self, number: int) -> None:
        while self.length < number:
            gap = min(number - self.length, FLUSHED)
            self.file.write(self.packed(self.missing) * gap)
            self.length += gap

    def discard(self) -> None:
        """Close and remove the file."""
        self.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        self.file.close()
