"""Documents in groups: by the values of a field, by ranges, or by periods of their dates."""

from datetime import date
from typing import NamedTuple

import numpy as np

from inference.explore.documents import count

MOST_GROUPS = 1_200  # bins of a chart: months of a century
LONG = 60  # years above which a chart begins with decades
PERIODS = {"decade": "decades", "year": "years", "month": "months"}
NONE = -1  # the group, and the code, of a document without a value
_BLOCK = 1 << 18  # documents at a time: what is computed of them stays in the cache
_EPOCH = date(1970, 1, 1).toordinal()


class Groups(NamedTuple):
    """Documents by a period or a field.

    by: "year", "decade", "month", or a field's name. labels: of the groups, periods and ranges in their order without a
    gap, values by frequency. group: int32[D], each document's place in them, -1 for none. bounds: of ranges, (low,
    high) as documents.ranges has them.
    """

    by: str
    labels: list[str]
    group: np.ndarray
    bounds: tuple[tuple[str, str], ...] = ()

    @property
    def in_time(self) -> bool:
        return self.by in PERIODS


class TooManyPeriods(ValueError):
    """str() is a sentence for people."""


def by_period(days: np.ndarray, by: str) -> Groups:
    """Documents by "decade", "year" or "month". days: int32[D], date.toordinal(), 0 for none; one at least has a date.

    Raises TooManyPeriods where there are more than MOST_GROUPS from the first to the last.
    """
    least, present = of_days(days)
    month = months(np.arange(least, least + len(present), dtype=np.int32))
    number = month if by == "month" else month // (12 if by == "year" else 120)
    first, last = int(number[0]), int(number[-1])
    if last - first >= MOST_GROUPS:
        raise TooManyPeriods(
            f"From first to last there are {last - first + 1:,} {PERIODS[by]}; at most {MOST_GROUPS:,} can be shown. Choose a longer period."
        )
    labels = [_label(by, n) for n in range(first, last + 1)]
    of_day = np.concatenate([[NONE], number - first]).astype(np.int32)
    group = np.empty(len(days), np.int32)
    for a in range(0, len(days), _BLOCK):
        block = days[a : a + _BLOCK]
        np.take(of_day, np.where(block > 0, block - (least - 1), 0), out=group[a : a + _BLOCK])
    return Groups(by, labels, group)


def of_days(days: np.ndarray) -> tuple[int, np.ndarray]:
    """(the first day, int64: documents of it and of each day up to the last). days: int32[D], date.toordinal(), 0 for
    none; of no dates (0, nothing). Memory is that of the days, not of the documents."""
    if not len(days) or not (last := int(days.max())):
        return 0, np.zeros(0, np.int64)
    counted = count(days, last + 1)
    counted[0] = 0
    first = int(np.flatnonzero(counted)[0])
    return first, counted[first:]


def months(days: np.ndarray) -> np.ndarray:
    """int64: the month of each day, counted from January of the year 0. days: date.toordinal()."""
    return (days - _EPOCH).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 1970 * 12


def _label(by: str, number: int) -> str:
    if by == "month":
        return f"{number // 12}-{number % 12 + 1:02d}"
    return str(number) if by == "year" else f"{number * 10}s"


def span(groups: Groups, i: int) -> tuple[str, str]:
    """The first and the last date of a period, as addresses name them: ("1910", "1919")."""
    label = groups.labels[i].rstrip("s").zfill(7 if groups.by == "month" else 4)
    return label, label[:3] + "9" if groups.by == "decade" else label
