"""Category: few values, which documents share."""

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from struct import Struct

import numpy as np

from webapp.intake.metadata.field import (
    FLUSHED,
    Arguments,
    ColumnWriter,
    Field,
    MetadataError,
    ValueField,
    mostly,
)
from webapp.intake.metadata.groups import NO_VALUE, Groups
from webapp.intake.metadata.number import is_number

MOST_VALUES = 1_000  # a field with more of them is no category
GRADES = 8  # values: so few are codes or grades, each a value of its own
HASH = 8  # bytes
LEAST_SHARED = 2.0  # documents that share a value, on average, in a category


class CodeWriter(ColumnWriter):
    """Codes in the order in which values appear, int32; at the end in the order of how many
    documents have each. From the value on that is too many for a category, a hash of each, so that
    memory does not grow with them: then it is a field of Names."""

    def __init__(self, path: Path, _type: type):
        super().__init__(path, "i", NO_VALUE)
        self.codes: dict[str, int] = {}
        self.counts: list[int] = []

    def add(self, number: int, text: str, date_order: str) -> None:
        if self.becomes is None and len(self.codes) == MOST_VALUES and text not in self.codes:
            self._hash_all()
        if self.becomes is Names:
            self.put(number, _hash(text))
            return
        code = self.codes.setdefault(text, len(self.codes))
        if code == len(self.counts):
            self.counts.append(0)
        self.counts[code] += 1
        self.put(number, code)

    def _hash_all(self) -> None:
        """Go on with hashes where codes were written."""
        self.close()
        codes = self.path
        self.path = self.path.with_suffix(".names")
        recode(codes, self.path, np.array([_hash(text) for text in self.codes], np.int64))
        self.becomes = Names
        self.file = self.path.open("ab", FLUSHED)
        self.packed = Struct("q").pack

    def finish(self, documents: int, target: Path) -> Arguments | None:
        if self.becomes is Names:
            return self._finish_names(documents, target)
        # Which tells no document from another
        alike = len(self.counts) == 1 and self.counts[0] == documents
        if alike or sum(self.counts) < LEAST_SHARED * len(self.counts):
            self.discard()
            return None
        self.complete(documents)
        values = sorted(self.codes, key=lambda value: (-self.counts[self.codes[value]], value))
        recode(self.path, target, np.array([values.index(value) for value in self.codes], np.int32))
        return {"values": values, "documents": [self.counts[self.codes[value]] for value in values]}

    def _finish_names(self, documents: int, target: Path) -> Arguments | None:
        self.complete(documents)
        hashes = np.fromfile(self.path, np.int64)
        self.path.unlink()
        different, codes = np.unique(hashes, return_inverse=True)
        none = int(len(different) > 0 and different[0] == NO_VALUE)
        documents_with_value = documents - none * int(np.count_nonzero(hashes == NO_VALUE))
        if documents_with_value < LEAST_SHARED * (len(different) - none):
            return None
        (codes.astype(np.int32) - none).tofile(target)
        return {"different": len(different) - none, "documents": documents_with_value}


def _hash(text: str) -> int:
    """0 … 2^63 - 1: two of ten million names have the same in one of 200,000 collections."""
    return int.from_bytes(blake2b(text.encode(), digest_size=HASH).digest()) >> 1


def recode(source: Path, target: Path, new_numbers: np.ndarray) -> None:
    """Codes by first appearance to what `new_numbers` has for each; none stays none."""
    new_numbers = np.append(new_numbers, new_numbers.dtype.type(NO_VALUE))  # -1 is its last place
    with source.open("rb") as old, target.open("wb") as new:
        while len(block := np.fromfile(old, np.int32, FLUSHED)):
            new_numbers[block].tofile(new)
    source.unlink()


@dataclass(frozen=True)
class Category(ValueField):
    """values: most frequent first; documents: how many have each. A document's code is its value's
    place, -1 where it has none."""

    kind = "category"
    label = "category: few values, shared by documents"
    priority = 3
    stored_as = "categories"
    writer = CodeWriter

    values: list[str]
    documents: list[int]

    @classmethod
    def claims(cls, values: list[str], name: str) -> bool:
        """Codes and grades; of other values it is the default."""
        different = len(set(values))
        return (
            different <= GRADES
            and different <= len(values) / 2
            and all(map(str.isdigit, values))
            and mostly(is_number, values)
        )

    def groups(self, values: np.ndarray) -> Groups:
        return Groups(self.name, self.values, values)


@dataclass(frozen=True)
class Names(Field):
    """More values than a category may have, which documents share nevertheless: speakers, accounts.
    No page offers them one by one; they say which documents belong together. different: how many
    there are; documents: how many have one. A document's code is any number of its value, -1 where
    it has none."""

    kind = "names"
    label = "names: many values, shared by documents"
    stored_as = "names"
    file_prefix = "names"

    different: int
    documents: int

    @classmethod
    def claims(cls, values: list[str], name: str) -> bool:
        """None: a category becomes one as it is read."""
        return False

    def groups(self, values: np.ndarray) -> Groups:
        """Raises MetadataError."""
        raise MetadataError(f"“{self.name}” has {self.different:,} values, too many for groups.")
