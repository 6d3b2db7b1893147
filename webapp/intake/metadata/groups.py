"""Documents in groups: by the values of a field, by ranges, or by periods of their dates."""

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

import numpy as np

from webapp.intake.metadata.calendars import MONTHS

MOST_GROUPS = 1_200  # bins of a chart: months of a century
LONG_YEARS = 60  # years above which a chart begins with decades
PERIODS = {"decade": "decades", "year": "years", "month": "months"}
MONTHS_OF = {"decade": 10 * MONTHS, "year": MONTHS, "month": 1}
NO_VALUE = -1  # the group, and the code, of a document without a value
_BLOCK = 1 << 18  # documents at a time: what is computed of them stays in the cache
_EPOCH = date(1970, 1, 1).toordinal()
_EPOCH_MONTH = 1970 * MONTHS


class Groups(NamedTuple):
    """Documents by a period or a field.

    by: "year", "decade", "month", or a field's name. labels: of the groups, periods and ranges in
    their order without a gap, values by frequency. group_or_maker: `group`, or what makes it when
    it is asked for. bounds: of ranges, (low, high) as documents.conditions.Range has them. starts:
    of periods of the documents' own dates, int64[G + 1], the first day of each, and that behind the
    last.
    """

    by: str
    labels: list[str]
    group_or_maker: np.ndarray | Callable[[], np.ndarray]
    bounds: tuple[tuple[str, str], ...] = ()
    starts: np.ndarray | None = None
    days: np.ndarray | None = None

    @property
    def group(self) -> np.ndarray:
        """int32[D], each document's place in the groups, -1 for none."""
        return self.group_or_maker() if callable(self.group_or_maker) else self.group_or_maker

    def places_of(self, documents: np.ndarray) -> np.ndarray:
        """int32: the places of some documents."""
        if self.starts is not None and self.days is not None:
            return in_periods(self.days[documents], self.starts)
        return self.group[documents]

    @property
    def in_time(self) -> bool:
        return self.by in PERIODS


class TooManyPeriods(ValueError):
    """str() is a sentence for people."""


def by_period(days: np.ndarray, by: str) -> Groups:
    """Documents by "decade", "year" or "month". days: int32[D], date.toordinal(), 0 for none; one
    at least has a date. Raises TooManyPeriods."""
    least, present = of_days(days)
    labels, starts = periods(least, least + len(present) - 1, by)
    return Groups(by, labels, in_periods(days, starts), starts=starts, days=days)


def periods(first: int, last: int, by: str) -> tuple[list[str], np.ndarray]:
    """(labels, Groups.starts) of the periods from a day to another.

    Raises TooManyPeriods where there are more than MOST_GROUPS.
    """
    unit = MONTHS_OF[by]  # in months
    numbers = numbers_of_periods(first, last, by)
    if len(numbers) > MOST_GROUPS:
        raise TooManyPeriods(
            f"From first to last there are {len(numbers):,} {PERIODS[by]}; at most {MOST_GROUPS:,}"
            " can be shown. Choose a longer period."
        )
    labels = [_label(by, number) for number in numbers]
    starts = [first_day(number * unit) for number in (*numbers, numbers.stop)]
    return labels, np.array(starts, np.int64)


def numbers_of_periods(first: int, last: int, by: str) -> range:
    """The numbers of the periods from a day to another; 0 is the one in which the year 0 begins."""
    unit = MONTHS_OF[by]
    first_month, last_month = months(np.array([first, last])).tolist()
    return range(first_month // unit, last_month // unit + 1)


def first_day(month: int) -> int:
    """The first day of a month, counted from January of the year 0; of one outside the calendar its
    nearest end."""
    if (year := month // MONTHS) < 1:
        return 1
    return (
        date(year, month % MONTHS + 1, 1).toordinal()
        if year <= date.max.year
        else date.max.toordinal() + 1
    )


def in_periods(days: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """int32[D]: the period of each document, by Groups.starts; -1 for one without a date."""
    begin = int(starts[0])
    of_day = np.repeat(np.arange(len(starts) - 1, dtype=np.int32), np.diff(starts))
    of_day = np.concatenate([np.array([NO_VALUE], np.int32), of_day])
    group = np.empty(len(days), np.int32)
    for a in range(0, len(days), _BLOCK):
        block = days[a : a + _BLOCK]
        np.take(of_day, np.where(block > 0, block - (begin - 1), 0), out=group[a : a + _BLOCK])
    return group


def of_days(days: np.ndarray) -> tuple[int, np.ndarray]:
    """(the first day, int64: documents of it and of each day up to the last). days: int32[D],
    date.toordinal(), 0 for none; of no dates (0, nothing). Memory is that of the days, not of the
    documents."""
    if not len(days) or not (last := int(days.max())):
        return 0, np.zeros(0, np.int64)
    from inference.documents import (
        count,  # numba: a worker process of webapp.intake.file_formats starts without it
    )

    documents_of_days = count(days, last + 1)
    documents_of_days[0] = 0
    first = int(np.flatnonzero(documents_of_days)[0])
    return first, documents_of_days[first:]


def months(days: np.ndarray) -> np.ndarray:
    """int64: the month of each day, counted from January of the year 0. days: date.toordinal()."""
    return (days - _EPOCH).astype("datetime64[D]").astype("datetime64[M]").astype(
        np.int64
    ) + _EPOCH_MONTH


def _label(by: str, number: int) -> str:
    if by == "month":
        return f"{number // MONTHS}-{number % MONTHS + 1:02d}"
    return str(number) if by == "year" else f"{number * 10}s"


def span(groups: Groups, i: int) -> tuple[str, str]:
    """The first and the last date of a period, as addresses name them: ("1910", "1919")."""
    if groups.by == "month":
        label = groups.labels[i].zfill(len("1910-01"))
    else:
        label = groups.labels[i].rstrip("s").zfill(len("1910"))
    last = label[:-1] + "9" if groups.by == "decade" else label
    return label if int(label[: len("1910")]) else "0001", last  # no year is 0
