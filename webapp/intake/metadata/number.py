"""Number: float64, NaN for a document that has none."""

from dataclasses import dataclass
from itertools import count, pairwise
from math import floor, inf, log10, nan
from pathlib import Path

import numpy as np
import regex

from webapp.intake.metadata.field import (
    FLUSHED,
    Arguments,
    ColumnWriter,
    MetadataError,
    RangeField,
    mostly,
)
from webapp.intake.metadata.groups import NO_VALUE, Groups

LONGEST_NUMBER = 40  # characters
EXACT = 1e15  # below it a float has every whole number
FAR_ABOVE = 10_000  # times the median, above which ranges go by powers of ten
SMALLEST_POWER = -300  # of ten, with which a range begins
ROUND = (1, 2, 5, 10)  # what round steps are multiples of
NEARLY = 0.999  # of a tenth of the whole range, which rounding may have made a little larger
LARGEST_NUMBER = 1e300  # beyond it a range has no next round number
_NUMBER = regex.compile(
    r"[-+−]?(?:\d{1,3}(?:[,\u202f\xa0' ]\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d{1,3})?\s?%?"
)
_COMMA = regex.compile(r"[-+−]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+\s?%?")


def parse_number(text: str) -> float | None:
    """The number that a text is: 1234, -1.5e3, 1,234.5, 12 %; 1.234,5 and 0,25 with a comma for the
    point. None for anything else."""
    text = text.strip()
    if not text or len(text) > LONGEST_NUMBER:
        return None
    if _COMMA.fullmatch(text) and not _NUMBER.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    elif not _NUMBER.fullmatch(text):
        return None
    try:
        number = float(regex.sub(r"[,\u202f\xa0' %]", "", text).replace("−", "-"))
    except ValueError:
        return None
    return number if abs(number) < LARGEST_NUMBER else None


def is_number(text: str) -> bool:
    return parse_number(text) is not None


def written(number: float) -> str:
    """A number as labels and addresses have it."""
    return str(int(number)) if number == int(number) and abs(number) < EXACT else f"{number:.10g}"


class RangeWriter(ColumnWriter):
    """A column of a RangeField: what its `parse` makes of each text."""

    def __init__(self, path: Path, kind: type[RangeField]):
        super().__init__(path, np.dtype(kind.dtype).char, kind.missing)
        self.type = kind
        self.documents = 0
        self.low = inf
        self.high = -inf
        self.whole = True

    def add(self, number: int, text: str, date_order: str) -> None:
        """What is no number, or no date, is none."""
        if (value := self.type.parse(text, date_order)) is None:
            return
        self.whole = self.whole and value == int(value)
        self.put(number, value)
        self.documents += 1
        self.low, self.high = min(self.low, value), max(self.high, value)

    def finish(self, documents: int, target: Path) -> Arguments | None:
        # The same everywhere tells no document from another
        if self.low == self.high or not self.documents:
            self.discard()
            return None
        self.complete(documents)
        self.path.rename(target)
        return self.type.summary(self.low, self.high, self.whole, self.documents)


@dataclass(frozen=True)
class Number(RangeField):
    """low, high: the least and the largest; whole: whether all are whole numbers; documents: how
    many have one."""

    kind = "number"
    label = "number"
    priority = 2
    stored_as = "numbers"
    file_prefix = "number-"
    dtype = np.float64
    missing = nan
    writer = RangeWriter

    low: float
    high: float
    whole: bool
    documents: int

    @classmethod
    def claims(cls, values: list[str], name: str) -> bool:
        return mostly(is_number, values)

    @staticmethod
    def parse(text: str, date_order: str) -> float | None:
        return parse_number(text)

    @classmethod
    def summary(cls, low: float, high: float, is_integral: bool, documents: int) -> Arguments:
        return {"low": low, "high": high, "whole": is_integral, "documents": documents}

    @property
    def limits(self) -> tuple[str, str]:
        return written(self.low), written(self.high)

    def ends(self, low: str, high: str) -> tuple[float, float]:
        try:
            ends = float(low or "-inf"), float(high or "inf")
        except ValueError:
            ends = (nan, nan)
        if np.isnan(ends).any():
            raise MetadataError(
                f"The ends of “{self.name}” must be numbers such as 10 or 2.5, got"
                f" “{low[:LONGEST_NUMBER]}” and"
                f" “{high[:LONGEST_NUMBER]}”."
            )
        return ends

    def known(self, values: np.ndarray) -> np.ndarray:
        return ~np.isnan(values)

    def groups(self, values: np.ndarray) -> Groups:
        """About ten ranges with round ends, all equally wide; where a few numbers are far above the
        rest each range is wider than the one before."""
        edges = self.edges(float(np.nanmedian(values)))
        group = np.full(len(values), NO_VALUE, np.int32)
        for a in range(0, len(values), FLUSHED):
            block = values[a : a + FLUSHED]
            has_value = self.known(block)
            group[a : a + FLUSHED][has_value] = (
                np.searchsorted(edges, block[has_value], side="right") - 1
            )
        ends = list(pairwise(edges))
        if self.whole:
            bounds = tuple((written(low), written(high - 1)) for low, high in ends)
            labels = [low if low == high else f"{low}–{high}" for low, high in bounds]
        else:
            bounds = tuple((written(low), f"<{written(high)}") for low, high in ends)
            labels = [f"{written(low)} to below {written(high)}" for low, high in ends]
        return Groups(self.name, labels, group, bounds)

    def edges(self, median: float) -> list[float]:
        """The edges of the ranges, ascending; the first is at most the least number, the last above
        the largest."""
        if self.low >= 0 and 0 < median < self.high / 100:
            steps = "1" if self.high > FAR_ABOVE * median else "125"
            first = max(floor(log10(median)) - 1, 0 if self.whole else SMALLEST_POWER)
            rounds = (float(f"{step}e{exponent}") for exponent in count(first) for step in steps)
            edges = [0.0, next(rounds)]
        else:
            wide = (self.high - self.low) / 10
            unit = 10.0 ** floor(log10(wide))
            step = max(
                next(unit * times for times in ROUND if unit * times >= NEARLY * wide),
                1 if self.whole else 0,
            )
            first = floor(self.low / step)
            rounds = (float(f"{step * i:.12g}") for i in count(first + 1))
            edges = [float(f"{step * first:.12g}")]
        while edges[-1] <= self.high:
            edges.append(next(rounds))
        return edges
