"""Documents by the periods that changes are looked for between: years, months or days, whichever are many enough."""

from datetime import date
from typing import NamedTuple

import numpy as np

from webapp.metadata.groups import months

ENOUGH = 20  # periods with documents from which on longer ones are taken
FEWEST = 8  # below it a period is divided into blocks of neighbouring documents
MOST = 1_200
BINS = 60  # of a small line
_EPOCH = date(1970, 1, 1).toordinal()


class Periods(NamedTuple):
    """unit: "decade", "year", "month" or "day". group: int32[D], -1 for a document outside the set or without a date.
    names: as addresses say them, from the first period to the last; said: as readers do."""

    unit: str
    group: np.ndarray
    names: list[str]
    said: list[str]

    @property
    def G(self) -> int:
        return len(self.names)


def of(dates: np.ndarray, mask: np.ndarray | None) -> Periods | None:
    """dates: int32[D], date.toordinal(), 0 for none. None where the documents have fewer than two dates."""
    kept = (dates > 0) if mask is None else (dates > 0) & mask
    known = np.flatnonzero(kept)
    if not len(known) or dates[known].min() == dates[known].max():
        return None
    month = months(dates[known])
    choices = {"decade": month // 120, "year": month // 12, "month": month, "day": dates[known].astype(np.int64)}
    fitting = {unit: number for unit, number in choices.items() if number.max() - number.min() < MOST}
    unit = next(
        (u for u in ("year", "month", "day") if u in fitting and len(np.unique(fitting[u])) >= ENOUGH),
        max((u for u in ("year", "month", "day", "decade") if u in fitting), key=lambda u: len(np.unique(fitting[u]))),
    )
    number = fitting[unit]
    first = int(number.min())
    group = np.full(len(dates), -1, np.int32)
    group[known] = number - first
    every = range(first, int(number.max()) + 1)
    return Periods(unit, group, [_name(unit, n) for n in every], [_said(unit, n) for n in every])


def _name(unit: str, n: int) -> str:
    """ "1945", "1945-03", "1945-03-09"; of a decade "1940s"."""
    if unit == "day":
        return date.fromordinal(n).isoformat()
    if unit == "month":
        return f"{n // 12:04d}-{n % 12 + 1:02d}"
    return f"{n:04d}" if unit == "year" else f"{n * 10:04d}s"


def _said(unit: str, n: int) -> str:
    if unit == "day":
        return f"{date.fromordinal(n):%-d %B} {date.fromordinal(n).year}"
    if unit == "month":
        return f"{date(2000, n % 12 + 1, 1):%B} {n // 12}"
    return str(n) if unit == "year" else f"the {n * 10}s"


def bins(said: list[str]) -> list[str]:
    """What the points of a `line` stand for, in words: "1790–1793"."""
    each = -(-len(said) // BINS)
    parts = [said[i : i + each] for i in range(0, len(said), each)]
    return [part[0] if len(part) == 1 else f"{part[0]}–{part[-1]}" for part in parts]


def line(x: np.ndarray, tokens: np.ndarray) -> list[float | None]:
    """Shares of at most BINS consecutive bins: x, tokens: float64[G]; None for one without words."""
    G = len(tokens)
    each = -(-G // BINS)
    starts = np.arange(0, G, each)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.add.reduceat(x, starts) / np.add.reduceat(tokens, starts)
    return [None if np.isnan(s) else round(float(s), 6) for s in share]
