"""Columns of time that are few enough to be read beside each other: days, weeks, months or years,
as many together as are needed."""

from datetime import MAXYEAR, MINYEAR, date
from typing import NamedTuple

import numpy as np

from inference.answers import periods
from webapp.analysis.findings import sentences

MOST_COLUMNS = 16  # columns: a page is not wider than they are
DAYS = (1, 7)  # of a column, where dates are of a few months
MONTHS = (1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000, 24_000)
MONTHS_OF_A_YEAR = 12
MONTHS_OF_A_DECADE = 120


class Columns(NamedTuple):
    """group: int32[D], the column of each document, -1 for none. ends: the first and the last day,
    month or year of each column, as addresses have them; labels: as readers say them."""

    group: np.ndarray
    ends: list[tuple[str, str]]
    labels: list[str]


def divide(days: np.ndarray, is_counted: np.ndarray) -> Columns:
    """Columns from the first document to the last, as narrow as MOST_COLUMNS allows.

    days: int[D], date.toordinal(), 0 for none; is_counted: bool[D], documents that have a date and
    count, one at least.
    """
    dated = np.flatnonzero(is_counted)
    known_days = np.asarray(days, np.int64)[dated]
    numbers, period, width = _narrowest(known_days)
    first_number = int(numbers.min())
    group = np.full(len(days), -1, np.int32)
    group[dated] = numbers - first_number
    ends = [_ends(number, period, width) for number in range(first_number, int(numbers.max()) + 1)]
    return Columns(group, ends, [_label(first, last, period, width) for first, last in ends])


def _narrowest(days: np.ndarray) -> tuple[np.ndarray, str, int]:
    """(int64[n]: the number of each day's column; "day" or "month"; how many of these a column
    has)."""
    possible = periods.possible_lengths(days)
    months = periods.months_of(days)
    first_possible = 1 if "month" in possible else MONTHS_OF_A_YEAR
    widths = [("month", width) for width in MONTHS if width >= first_possible]
    if "day" in possible:
        widths = [*(("day", width) for width in DAYS), *widths]
    for period, width in widths:
        # A week begins on Monday: the day 1 is one
        numbers = (days - 1) // width if period == "day" else months // width
        if numbers.max() - numbers.min() < MOST_COLUMNS:
            break
    return numbers, period, width


def _ends(number: int, period: str, width: int) -> tuple[str, str]:
    if period == "day":
        first = number * width + 1
        return date.fromordinal(first).isoformat(), date.fromordinal(first + width - 1).isoformat()
    begin = number * width
    last = begin + width - 1
    if width % MONTHS_OF_A_YEAR == 0:
        first_year = max(begin // MONTHS_OF_A_YEAR, MINYEAR)
        return f"{first_year:04d}", f"{min(last // MONTHS_OF_A_YEAR, MAXYEAR):04d}"
    return _month(begin), _month(last)


def _month(number: int) -> str:
    return f"{number // MONTHS_OF_A_YEAR:04d}-{number % MONTHS_OF_A_YEAR + 1:02d}"


def _label(first: str, last: str, period: str, width: int) -> str:
    if first == last:
        return first if period == "month" and width == MONTHS_OF_A_YEAR else sentences.period(first)
    if period == "month" and width == MONTHS_OF_A_DECADE:
        return f"{first}s"
    if period == "month" and width % MONTHS_OF_A_YEAR == 0:
        return f"{first}–{last}"
    return f"{sentences.period(first)} – {sentences.period(last)}"
