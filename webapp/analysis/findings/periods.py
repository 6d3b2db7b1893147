"""Documents by the periods that changes are looked for between: days, weeks, months or years, the
finest of which there are neither too few nor too many."""

from datetime import date
from typing import NamedTuple

import numpy as np

from webapp.analysis.findings import sentences
from webapp.intake.metadata.groups import months

ENOUGH, MANY = 30, 200  # periods with documents, between which a unit fits
MOST = 1_200
BINS = 60  # of a small line


class Periods(NamedTuple):
    """unit: "decade", "year", "month", "week" or "day". group: int32[D], -1 for a document outside
    the set or without a date. names, ends: the first and the last day, month or year of each, as
    addresses have them, from the first period to the last; said: as readers do."""

    unit: str
    group: np.ndarray
    names: list[str]
    ends: list[str]
    said: list[str]

    @property
    def G(self) -> int:
        return len(self.names)


def divide(dates: np.ndarray, mask: np.ndarray | None) -> Periods | None:
    """dates: int32[D], date.toordinal(), 0 for none. None where the documents have fewer than two
    dates."""
    known = np.flatnonzero((dates > 0) if mask is None else (dates > 0) & mask)
    if not len(known) or dates[known].min() == dates[known].max():
        return None
    days = dates[known].astype(np.int64)
    month = months(days)
    choices = {
        "day": days,
        "week": (days - 1) // 7,
        "month": month,
        "year": month // 12,
        "decade": month // 120,
    }
    fitting = {
        unit: number for unit, number in choices.items() if number.max() - number.min() < MOST
    }
    if not (month % 12).any() or not fitting.keys() - {"decade", "year"}:
        unit = (
            "year" if "year" in fitting else "decade"
        )  # a year alone is read as its first of January
    elif (months(days - 1) != month).all() and len(np.unique(month)) <= MANY and "month" in fitting:
        unit = "month"  # alone it is read as its first day
    else:
        unit = _fitting({unit: len(np.unique(number)) for unit, number in fitting.items()})
    number = fitting[unit]
    first = int(number.min())
    group = np.full(len(dates), -1, np.int32)
    group[known] = number - first
    every = range(first, int(number.max()) + 1)
    names = [_name(unit, n, 0) for n in every]
    return Periods(
        unit,
        group,
        names,
        [_name(unit, n, 6) for n in every],
        [sentences.period(name) for name in names],
    )


def _fitting(counts: dict[str, int]) -> str:
    """The finest of weeks, months and years with ENOUGH to MANY periods; else days, of a few weeks,
    or what comes next."""
    for unit in ("week", "month", "year"):
        if ENOUGH <= counts.get(unit, 0) <= MANY:
            return unit
    if counts.get("week", MANY) < ENOUGH and "day" in counts:
        return "day"
    return next(unit for unit in ("year", "decade", "month") if unit in counts)


def _name(unit: str, n: int, later: int) -> str:
    """ "1945", "1945-03", "1945-03-09"; of a decade "1940s"; of a week its first day, or that
    `later`."""
    if unit in ("day", "week"):
        return date.fromordinal(7 * n + 1 + later if unit == "week" else n).isoformat()
    if unit == "month":
        return f"{n // 12:04d}-{n % 12 + 1:02d}"
    return f"{n:04d}" if unit == "year" else f"{n * 10:04d}s"


def bins(said: list[str]) -> list[str]:
    """What the points of a `line` stand for, in words: "1790–1793"."""
    each = -(-len(said) // BINS)
    parts = (said[i : i + each] for i in range(0, len(said), each))
    return [part[0] if len(part) == 1 else f"{part[0]}–{part[-1]}" for part in parts]


def line(x: np.ndarray, tokens: np.ndarray) -> list[float | None]:
    """Shares of at most BINS consecutive bins: x, tokens: float64[G]; None for one without
    words."""
    G = len(tokens)
    starts = np.arange(0, G, -(-G // BINS))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.add.reduceat(x, starts) / np.add.reduceat(tokens, starts)
    return [None if np.isnan(s) else round(float(s), 6) for s in share]
