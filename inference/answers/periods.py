"""Periods in which changes over time are looked for: the finest that are not too many."""

from datetime import date
from typing import Literal, get_args

import numpy as np

Length = Literal["day", "week", "month", "quarter", "half-year", "year", "decade"]
LENGTHS: tuple[Length, ...] = get_args(Length)  # the finest first
# Periods that have documents, at most: the scan of all spans grows with their square, and of 300
# days each is one that a reader can look up
MOST_PERIODS = 300
MONTHS_OF: dict[Length, int] = {"month": 1, "quarter": 3, "half-year": 6, "year": 12, "decade": 120}
MONTHS_OF_A_YEAR = 12


def months_of(days: np.ndarray) -> np.ndarray:
    """int64: 12 x the year + the month, 0 … 11, of days, date.toordinal()."""
    since_epoch = np.asarray(days, np.int64) - date(1970, 1, 1).toordinal()
    months = since_epoch.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return months + 1970 * MONTHS_OF_A_YEAR


def numbers_of(days: np.ndarray, length: Length) -> np.ndarray:
    """int64[n]: the period of each day: such of one length follow one another without gaps. Weeks
    begin on Monday. days: int[n], date.toordinal(), all known."""
    days = np.asarray(days, np.int64)
    if length == "day":
        return days
    if length == "week":
        return (days - 1) // 7  # the day 1 is a Monday
    return months_of(days) // MONTHS_OF[length]


def possible_lengths(days: np.ndarray) -> tuple[Length, ...]:
    """Lengths that dates can tell: a year alone was read as its first of January, a month alone as
    its first day. days: int[n], date.toordinal(), all known."""
    months = months_of(np.unique(days))
    if (first_days(months) != np.unique(days)).any():
        return LENGTHS
    if (months % MONTHS_OF_A_YEAR).any():
        return LENGTHS[LENGTHS.index("month") :]
    return LENGTHS[LENGTHS.index("year") :]


def first_days(months: np.ndarray) -> np.ndarray:
    """int64[n]: date.toordinal() of the first day of months (months_of)."""
    since_epoch = (np.asarray(months, np.int64) - 1970 * MONTHS_OF_A_YEAR).astype("datetime64[M]")
    return since_epoch.astype("datetime64[D]").astype(np.int64) + date(1970, 1, 1).toordinal()


def finest_length(days: np.ndarray, most_periods: int = MOST_PERIODS) -> Length:
    """The finest length of which at most `most_periods` periods have documents; decades where all
    are more. days: int[D], date.toordinal(), 0 for none. There is no lower bound: few periods only
    mean that units and documents are what is permuted."""
    different = np.unique(days)
    different = different[different > 0]
    for length in possible_lengths(different):
        if len(np.unique(numbers_of(different, length))) <= most_periods:
            return length
    return "decade"
