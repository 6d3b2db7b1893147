"""Category: few values, which documents share."""

from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from webapp.metadata.field import ValueField, mostly
from webapp.metadata.groups import NONE, Groups
from webapp.metadata.number import is_number
from webapp.metadata.writer import FLUSHED, ColumnWriter

MOST_VALUES = 1_000  # a field with more of them is no category
LEAST_SHARED = 2.0  # documents that share a value, on average, in a category
_FEW_DIFFERENT = 8  # whole numbers: codes or grades, each a value of its own


class CodeWriter(ColumnWriter):
    """Codes in the order in which values appear, int32; at the end in the order of how many documents have each."""

    def __init__(self, path: Path, _type: type):
        super().__init__(path, array("i", [NONE]))
        self.codes: dict[str, int] = {}
        self.counts: list[int] = []

    def add(self, number: int, text: str, date_order: str) -> bool:
        code = self.codes.setdefault(text, len(self.codes))
        if code == len(self.counts):
            if code == MOST_VALUES:
                return False
            self.counts.append(0)
        self.counts[code] += 1
        self.put(number, code)
        return True

    def finish(self, documents: int, target: Path) -> dict | None:
        alike = len(self.counts) == 1 and self.counts[0] == documents  # which tells no document from another
        if alike or sum(self.counts) < LEAST_SHARED * len(self.counts):
            self.discard()
            return None
        self.complete(documents)
        values = sorted(self.codes, key=lambda value: (-self.counts[self.codes[value]], value))
        _recode(self.path, target, np.array([values.index(value) for value in self.codes], np.int32))
        return {"values": values, "documents": [self.counts[self.codes[value]] for value in values]}


def _recode(source: Path, target: Path, places: np.ndarray) -> None:
    """Codes by first appearance to codes by frequency."""
    places = np.append(places, np.int32(NONE))  # -1 is its last place
    with source.open("rb") as old, target.open("wb") as new:
        while len(block := np.fromfile(old, np.int32, FLUSHED)):
            places[block].tofile(new)
    source.unlink()


@dataclass(frozen=True)
class Category(ValueField):
    """values: most frequent first; documents: how many have each. A document's code is its value's place, -1 where it
    has none."""

    kind = "category"
    label = "category: few values, shared by documents"
    priority = 3
    stored_as = "categories"
    writer = CodeWriter

    values: list[str]
    documents: list[int]

    @classmethod
    def claims(cls, values: list[str]) -> bool:
        """Codes and grades; of other values it is the default."""
        different = len(set(values))
        return (
            different <= _FEW_DIFFERENT
            and different <= len(values) / 2
            and all(map(str.isdigit, values))
            and mostly(is_number, values)
        )

    def groups(self, values: np.ndarray) -> Groups:
        return Groups(self.name, self.values, values)
