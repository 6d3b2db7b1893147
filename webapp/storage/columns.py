"""Dates, categories and numbers of a corpus's documents as columns: files that are memory-mapped, one value for each document.

A page that counts by year, or shows a selection of ten million documents, reads these instead of as many rows.
"""

import json
from array import array
from collections.abc import Callable
from datetime import date
from math import inf, nan
from pathlib import Path
from typing import NamedTuple

import numpy as np

MOST_VALUES = 1_000  # a field with more of them is no category
LEAST_SHARED = 2.0  # documents that share a value, on average, in a category
NONE = -1  # the code of a document without the field
_FLUSHED = 1 << 16


class Category(NamedTuple):
    """values: most frequent first; documents: how many have each. A document's code is its value's place."""

    name: str
    values: list[str]
    documents: list[int]


Parse = Callable[[str], float | None]


class Number(NamedTuple):
    """low, high: the least and the largest; whole: whether all are whole numbers; documents: how many have one."""

    name: str
    low: float
    high: float
    whole: bool
    documents: int


class Days(NamedTuple):
    """A field of dates beside the documents' own. first, last: date.toordinal(); documents: how many have one."""

    name: str
    first: int
    last: int
    documents: int


class _Values:
    """A field of numbers or dates while it is being read: float64, NaN for none; int32 ordinals, 0 for none."""

    def __init__(self, path: Path, kind: str, parse: Parse):
        self.path, self.file, self.kind, self.parse = path, path.open("wb"), kind, parse
        self.missing = array("d", [nan]) if kind == "number" else array("i", [0])
        self.pending = self.missing[:0]
        self.length = self.documents = 0
        self.low, self.high, self.whole = inf, -inf, True

    def add(self, number: int, text: str) -> None:
        """What is no number, or no date, is none."""
        value = self.parse(text)
        if value is None:
            return
        self.whole = self.whole and value == int(value)
        self.fill(number)
        self.pending.append(value)
        self.length += 1
        self.documents += 1
        self.low, self.high = min(self.low, value), max(self.high, value)
        if len(self.pending) >= _FLUSHED:
            self.flush()

    def fill(self, number: int) -> None:
        """Documents up to `number` that have none."""
        while self.length < number:
            gap = min(number - self.length, _FLUSHED)
            self.pending.extend(self.missing * gap)
            self.length += gap
            self.flush()

    def flush(self) -> None:
        self.file.write(self.pending.tobytes())
        self.pending = self.pending[:0]

    def finish(self, documents: int, target: Path) -> dict:
        self.fill(documents)
        self.flush()
        self.file.close()
        self.path.rename(target)
        if self.kind == "number":
            return {"low": self.low, "high": self.high, "whole": self.whole, "documents": self.documents}
        return {"first": self.low, "last": self.high, "documents": self.documents}

    def discard(self) -> None:
        self.file.close()
        self.path.unlink(missing_ok=True)


class _Field:
    """A field while it is being read: codes by first appearance."""

    def __init__(self, path: Path):
        self.path, self.file = path, path.open("wb")
        self.codes: dict[str, int] = {}
        self.counts: list[int] = []
        self.pending = array("i")
        self.length = 0

    def add(self, number: int, value: str) -> bool:
        """Whether it may still be a category."""
        code = self.codes.setdefault(value, len(self.codes))
        if code == len(self.counts):
            if code == MOST_VALUES:
                return False
            self.counts.append(0)
        self.counts[code] += 1
        self.fill(number)
        self.pending.append(code)
        self.length += 1
        if len(self.pending) >= _FLUSHED:
            self.flush()
        return True

    def fill(self, number: int) -> None:
        """Documents up to `number` that lack the field."""
        while self.length < number:
            gap = min(number - self.length, _FLUSHED)
            self.pending.extend([NONE] * gap)
            self.length += gap
            self.flush()

    def flush(self) -> None:
        self.file.write(self.pending.tobytes())
        self.pending = array("i")

    def discard(self) -> None:
        self.file.close()
        self.path.unlink(missing_ok=True)


class Writer:
    """`add` every document in order, then `finish`. Use `with`.

    kinds: of fields, by their names (webapp.readers.types.KINDS); others are categories where documents share their values.
    parse: how texts of the kinds "number" and "date" are read, as a number or as date.toordinal().
    """

    def __init__(self, folder: Path, kinds: dict[str, str] | None = None, parse: dict[str, Parse] | None = None):
        self.kinds, self.parse = kinds or {}, parse or {}
        self.values: dict[str, _Values] = {}
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.dates = (self.folder / "dates").open("wb")
        self.fields: dict[str, _Field] = {}
        self.refused: set[str] = {name for name, kind in self.kinds.items() if kind == "text"}

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, *_) -> None:
        self.dates.close()
        for field in (*self.fields.values(), *self.values.values()):
            field.file.close()

    def add(self, number: int, day: date | None, metadata: dict[str, str]) -> None:
        self.dates.write(array("i", [day.toordinal() if day else 0]).tobytes())
        for name, value in metadata.items():
            if name in self.refused or not value:
                continue
            if (kind := self.kinds.get(name)) in self.parse:
                if name not in self.values:
                    self.values[name] = _Values(self.folder / f"values-{len(self.values)}", kind, self.parse[kind])
                self.values[name].add(number, value)
                continue
            if name not in self.fields:
                self.fields[name] = _Field(self.folder / f"new-{len(self.fields) + len(self.refused)}")
            if not self.fields[name].add(number, value):
                self.fields.pop(name).discard()
                self.refused.add(name)

    def finish(self, documents: int) -> None:
        """Keep the fields whose values are shared: those are categories; and numbers and dates where there are different ones."""
        self.dates.close()
        kept = []
        for name, field in self.fields.items():
            if sum(field.counts) < LEAST_SHARED * len(field.counts):
                field.discard()
                continue
            field.fill(documents)
            field.flush()
            field.file.close()
            values = sorted(field.codes, key=lambda value: (-field.counts[field.codes[value]], value))
            _recode(
                field.path,
                self.folder / str(len(kept)),
                np.array([values.index(value) for value in field.codes], np.int32),
            )
            kept.append(
                {"name": name, "values": values, "documents": [field.counts[field.codes[value]] for value in values]}
            )
        self.fields.clear()
        written = {"number": [], "date": []}
        for name, field in self.values.items():
            if field.low == field.high or not field.documents:
                field.discard()
                continue
            place = len(written[field.kind])
            written[field.kind].append({"name": name, **field.finish(documents, self.folder / f"{field.kind}-{place}")})
        self.values.clear()
        meta = {"documents": documents, "categories": kept, "numbers": written["number"], "dates": written["date"]}
        (self.folder / "meta.json").write_text(json.dumps(meta))


def _recode(source: Path, target: Path, places: np.ndarray) -> None:
    """Codes by first appearance to codes by frequency."""
    places = np.append(places, np.int32(NONE))  # -1 is its last place
    with source.open("rb") as old, target.open("wb") as new:
        while len(block := np.fromfile(old, np.int32, _FLUSHED)):
            places[block].tofile(new)
    source.unlink()


class Columns:
    """dates: int32[D], date.toordinal(), 0 where there is none. categories: the fields that documents share values of. numbers, days:
    fields of numbers, and of dates beside the first."""

    def __init__(self, folder: Path):
        self.folder = Path(folder)
        meta = json.loads((self.folder / "meta.json").read_text())
        self.documents = meta["documents"]
        self.dates = self._array("dates")
        self.categories = [Category(**category) for category in meta["categories"]]
        self.numbers = [Number(**number) for number in meta.get("numbers", [])]  # files of older versions have none
        self.days = [Days(**days) for days in meta.get("dates", [])]

    def codes(self, name: str) -> np.ndarray:
        """int32[D]: each document's place in the category's values, -1 where it has none. KeyError: no such category."""
        for i, category in enumerate(self.categories):
            if category.name == name:
                return self._array(str(i))
        raise KeyError(name)

    def number(self, name: str) -> np.ndarray:
        """float64[D], NaN where there is none. KeyError: no such field."""
        for i, number in enumerate(self.numbers):
            if number.name == name:
                return self._array(f"number-{i}", np.float64)
        raise KeyError(name)

    def day(self, name: str) -> np.ndarray:
        """int32[D]: date.toordinal(), 0 where there is none. KeyError: no such field."""
        for i, days in enumerate(self.days):
            if days.name == name:
                return self._array(f"date-{i}")
        raise KeyError(name)

    def category(self, name: str) -> Category | None:
        return next((category for category in self.categories if category.name == name), None)

    def _array(self, name: str, dtype: type = np.int32) -> np.ndarray:
        return np.memmap(self.folder / name, dtype, "r") if self.documents else np.zeros(0, dtype)
