"""Periods that changes are looked for between, with their names, and the bins of small lines."""

from datetime import date
from typing import NamedTuple

import numpy as np

from inference.answers.periods import MONTHS_OF, Length
from webapp.analysis.answers.spans import Calendar
from webapp.analysis.findings import sentences

BINS = 60  # of a small line
MONTHS_OF_A_YEAR = 12


class Periods(NamedTuple):
    """length: of each: "day" … "decade". group: int32[D], -1 for a document outside the
    set or without a date. names, ends: the first and the last day, month or year of each, as
    addresses have them, of periods with documents; said: as readers do. bin: int64[G], the bin of a
    small line that each is in; bins: what they stand for, in words: "1790–1793". empty: how many
    periods between the first and the last have no documents."""

    length: Length
    group: np.ndarray
    names: list[str]
    ends: list[str]
    said: list[str]
    bin: np.ndarray
    bins: list[str]
    empty: int

    @property
    def G(self) -> int:
        """How many periods there are."""
        return len(self.names)

    def line(self, x: np.ndarray, tokens: np.ndarray) -> list[float | None]:
        """Shares of the bins: x, tokens: float64[G]; None for a bin without words."""
        bins = len(self.bins)
        amounts = np.bincount(self.bin, x, minlength=bins)
        words = np.bincount(self.bin, tokens, minlength=bins)
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = amounts / words
        return [None if np.isnan(share) else round(float(share), 6) for share in shares]


def divide(calendar: Calendar) -> Periods:
    """Named periods."""
    length = calendar.length
    numbers = calendar.numbers
    names = [_name(length, number, False) for number in numbers.tolist()]
    ends = [_name(length, number, True) for number in numbers.tolist()]
    first = int(numbers[0])
    behind = int(numbers[-1]) + 1
    step = -(-(behind - first) // BINS)
    bins = []
    for begin in range(first, behind, step):
        last = min(begin + step, behind) - 1
        sentences_of_periods = [
            sentences.period(_name(length, begin, False)),
            sentences.period(_name(length, last, True)),
        ]
        bins.append(
            sentences_of_periods[0]
            if sentences_of_periods[0] == sentences_of_periods[1]
            else "–".join(sentences_of_periods)
        )
    return Periods(
        length=length,
        group=calendar.group,
        names=names,
        ends=ends,
        said=[sentences.period(name) for name in names],
        bin=(numbers - first) // step,
        bins=bins,
        empty=behind - first - len(numbers),
    )


def _name(length: Length, number: int, at_its_end: bool) -> str:
    """ "1945", "1945-03", "1945-03-09"; of a decade "1940s"; of a week its first day or its last one,
    of a quarter or a half-year its first month or its last one."""
    if length == "day":
        return date.fromordinal(number).isoformat()
    if length == "week":
        return date.fromordinal(7 * number + (7 if at_its_end else 1)).isoformat()
    if length == "decade":
        return f"{number * 10:04d}s"
    if length == "year":
        return f"{number:04d}"
    months = MONTHS_OF[length]
    month = number * months + (months - 1 if at_its_end else 0)
    return f"{month // MONTHS_OF_A_YEAR:04d}-{month % MONTHS_OF_A_YEAR + 1:02d}"
