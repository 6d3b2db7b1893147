"""Periods that changes are looked for between, with their names, and the bins of small lines."""

from calendar import month_name
from datetime import date
from typing import NamedTuple

import numpy as np

from inference.answers.periods import MONTHS_OF, Length
from webapp.analysis.answers.spans import Calendar
from webapp.analysis.findings import sentences
from webapp.platform.drawing.numbers import in_words

BINS = 60  # of a small line
MONTHS_OF_A_YEAR = 12
YEARS_OF_A_DECADE = 10
DAYS_OF_A_WEEK = 7
MONTH_NAMES = list(month_name)  # "" before January
LENGTH_OF_MONTHS = {3: "quarter", 6: "half-year", 12: "year"}


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


def name_bins(length: str, bins: list[str]) -> str:
    """How long a bin is, in words: "nine months" of “April 1995–December 1995”; `length` where a bin
    is one period. length: of the periods."""
    begin, _, end = bins[0].partition("–")
    if not end:
        return length
    if length in ("day", "week"):
        days = (_read_day(end) - _read_day(begin)).days + 1
        return _count_time(days, DAYS_OF_A_WEEK, "day", "week")
    first_month = _read_month(begin, at_its_end=False)
    last_month = _read_month(end, at_its_end=True)
    months = last_month - first_month + 1
    if months in LENGTH_OF_MONTHS:
        return LENGTH_OF_MONTHS[months]
    return _count_time(months, MONTHS_OF_A_YEAR, "month", "year")


def _count_time(number: int, longer: int, unit: str, longer_unit: str) -> str:
    """ "nine months", "four years". longer: how many units the longer unit has."""
    if number == longer:
        return longer_unit
    if number % longer == 0:
        return f"{in_words(number // longer)} {longer_unit}s"
    return f"{in_words(number)} {unit}s"


def _read_month(written: str, at_its_end: bool) -> int:
    """The month, from the year 0 on, with which a period begins or ends: of "1945", "the 1940s" or
    "March 1945"."""
    *month, year = written.removeprefix("the ").split(" ")
    first_month = int(year.removesuffix("s")) * MONTHS_OF_A_YEAR
    if month:
        return first_month + MONTH_NAMES.index(month[-1]) - 1
    if not at_its_end:
        return first_month
    years = YEARS_OF_A_DECADE if year.endswith("s") else 1
    return first_month + years * MONTHS_OF_A_YEAR - 1


def _read_day(written: str) -> date:
    """Of "9 March 1945"."""
    day, month, year = written.split(" ")
    return date(int(year), MONTH_NAMES.index(month), int(day))


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
