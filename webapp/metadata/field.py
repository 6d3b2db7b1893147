"""What a type of metadata is: the class of its fields. A field is one column of a version, named as in the files."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from webapp.metadata.groups import Groups
from webapp.metadata.writer import Arguments, ColumnWriter

MANY = 0.95  # of the values must be numbers, or dates, for a column of them: a few may be “unknown”


def mostly(test: Callable[[str], bool], values: Sequence[str], share: float = MANY) -> bool:
    """Whether that share of the values passes a test. No more are tested than it takes to know: a table may have 2,000
    columns."""
    passed = len(values)
    for value in values:
        passed -= not test(value)
        if passed < share * len(values):
            return False
    return bool(values)


class MetadataError(ValueError):
    """What can't be understood, or shown; str() is a sentence for people."""


@dataclass(frozen=True)
class Field(ABC):
    """A type of metadata (the class), and one field of it in a version (the instance).

    The class says how a column is guessed, offered in the form and stored; the instance, with what
    webapp.metadata.columns found of the field's values, how it is grouped. RangeField and ValueField say how it is
    chosen from: a type is one of them, or is not stored.
    """

    kind: ClassVar[str]  # its name in Options.kinds, which is stored
    label: ClassVar[str]  # in the form
    priority: ClassVar[int] = 0  # the type that claims a column's values and has the highest gets it
    has_date_order: ClassVar[bool] = (
        False  # whether 12/3/1999 is one of its texts, so that the form asks which number is the day
    )
    stored_as: ClassVar[str] = ""  # the list in columns/meta.json, and
    file_prefix: ClassVar[str] = ""  # the beginning of the name of a column's file: a number follows
    dtype: ClassVar[type[np.generic]] = np.int32  # of its column
    writer: ClassVar[Callable[[Path, type["Field"]], ColumnWriter] | None] = (
        None  # None: no column, the text stays with the document
    )

    name: str

    @classmethod
    @abstractmethod
    def claims(cls, values: list[str]) -> bool:
        """Whether the first values of a column (none is empty, and there is one at least) seem to be of this type."""

    @abstractmethod
    def groups(self, values: np.ndarray) -> Groups:
        """The documents by their values. values: the column, dtype[D]."""


class ValueField(Field):
    """Chosen by its values (?in=party:Whig), which have codes by how many documents have each: dtype int32, -1 for
    none."""

    values: list[str]
    documents: list[int]


class RangeField(Field):
    """Chosen by its ends (?between=price:10:20).

    parse: the number that a text stands for; None for none, which counts as missing. missing: stored for those without.
    """

    missing: ClassVar[float]

    @staticmethod
    @abstractmethod
    def parse(text: str, date_order: str) -> float | None:
        """date_order: "dmy", "mdy" or "", what 12/3/1999 means."""

    @classmethod
    @abstractmethod
    def summary(cls, low: float, high: float, whole: bool, documents: int) -> Arguments:
        """Arguments of a field but for its name. low, high: the least and the largest value; whole: whether all are
        whole numbers."""

    @property
    @abstractmethod
    def limits(self) -> tuple[str, str]:
        """The least and the largest value, as a form shows them."""

    @abstractmethod
    def ends(self, low: str, high: str) -> tuple[float, float]:
        """Both ends of a range as values, both included, infinite where "". Raises MetadataError."""

    @abstractmethod
    def known(self, values: np.ndarray) -> np.ndarray:
        """bool[D]: documents that have a value."""
