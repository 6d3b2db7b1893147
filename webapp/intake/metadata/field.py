"""What a type of metadata is: the class of its fields, and how a column of one comes to the disk, a
value for each document, a block at a time. A field is one column of a version, named as in the
files.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import Any, ClassVar, Protocol

import numpy as np

from webapp.intake.metadata.groups import Groups

# Of a field but for its name, as versions store them
Arguments = dict[str, bool | int | float | list[str] | list[int]]
FLUSHED = 1 << 16  # values that are written at once, at most


class ColumnWriter(ABC):
    """Writes one column to a file of its own while documents are read, in their order.

    code: of the type of its values, as `struct` has it. missing: the value of a document that has
    none.
    """

    becomes: "type[Field] | None" = None  # another type than the one that it was begun for

    def __init__(self, path: Path, code: str, missing: float):
        self.path = path
        self.file = path.open("wb", FLUSHED)
        self.packed = Struct(code).pack
        self.missing = missing
        self.length = 0

    @abstractmethod
    def add(self, number: int, text: str, date_order: str) -> None:
        """The value of document `number`; the ones before it that were not given have none."""

    @abstractmethod
    def finish(self, documents: int, target: Path) -> Arguments | None:
        """Put the file at `target`, with a value for each of the documents, and return the field's
        arguments but for its name; None, and no file, where it is of no use as a column."""

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


MOSTLY_SHARE = (
    0.95  # of the values must be numbers, or dates, for a column of them: a few may be “unknown”
)


def mostly(test: Callable[[str], bool], values: Sequence[str], share: float = MOSTLY_SHARE) -> bool:
    """Whether that share of the values passes a test. No more are tested than it takes to know: a
    table may have 2,000 columns."""
    passed = len(values)
    for value in values:
        passed -= not test(value)
        if passed < share * len(values):
            return False
    return bool(values)


class MetadataError(ValueError):
    """What can't be understood, or shown; str() is a sentence for people."""


class WriterOfType(Protocol):
    """Makes the writer of a column: of a file, and a type of metadata."""

    def __call__(self, path: Path, kind: Any, /) -> ColumnWriter: ...


@dataclass(frozen=True)
class Field(ABC):
    """A type of metadata (the class), and one field of it in a version (the instance).

    The class says how a column is guessed, offered in the form and stored; the instance, with what
    webapp.intake.metadata.columns found of the field's values, how it is grouped. RangeField and
    ValueField say how it is chosen from: a type is one of them, or is not stored.
    """

    kind: ClassVar[str]  # its name in Options.kinds, which is stored
    label: ClassVar[str]  # in the form
    priority: ClassVar[int] = (
        0  # the type that claims a column's values and has the highest gets it
    )
    has_date_order: ClassVar[bool] = (
        # whether 12/3/1999 is one of its texts, so that the form asks which number is the day
        False
    )
    stored_as: ClassVar[str] = ""  # the list in columns/meta.json, and
    file_prefix: ClassVar[str] = (
        ""  # the beginning of the name of a column's file: a number follows
    )
    dtype: ClassVar[type[np.generic]] = np.int32  # of its column
    writer: ClassVar[WriterOfType | None] = (
        None  # None: no column, the text stays with the document
    )

    name: str

    @classmethod
    @abstractmethod
    def claims(cls, values: list[str], name: str) -> bool:
        """Whether the first values of a column (none is empty or a mark of a missing one, and
        there is one at least) seem to be of this type. name: the column's."""

    @abstractmethod
    def groups(self, values: np.ndarray) -> Groups:
        """The documents by their values. values: the column, dtype[D]."""


class ValueField(Field):
    """Chosen by its values (?in=party:Whig), which have codes by how many documents have each:
    dtype int32, -1 for none."""

    values: list[str]
    documents: list[int]


class RangeField(Field):
    """Chosen by its ends (?between=price:10:20).

    parse: the number that a text stands for; None for none, which counts as missing. missing:
    stored for those without.
    """

    missing: ClassVar[float]

    @staticmethod
    @abstractmethod
    def parse(text: str, date_order: str) -> float | None:
        """date_order: "dmy", "mdy" or "", what 12/3/1999 means."""

    @classmethod
    @abstractmethod
    def summary(cls, low: float, high: float, is_integral: bool, documents: int) -> Arguments:
        """Arguments of a field but for its name. low, high: the least and the largest value;
        is_integral: whether all are whole numbers."""

    @property
    @abstractmethod
    def limits(self) -> tuple[str, str]:
        """The least and the largest value, as a form shows them."""

    @abstractmethod
    def ends(self, low: str, high: str) -> tuple[float, float]:
        """Both ends of a range as values, both included, infinite where "". Raises
        MetadataError."""

    @abstractmethod
    def known(self, values: np.ndarray) -> np.ndarray:
        """bool[D]: documents that have a value."""
