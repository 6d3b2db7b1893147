"""Estimates with their intervals, one a row, on an axis that all rows of a table share: the one
component for every difference that pages draw.

Lengths are parts of the width, as SVG has them ("12.5%"), so that rows and their axis align at
every width.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol, runtime_checkable

from django import template

from webapp.platform.drawing.trends import points

register = template.Library()

MOST_TICKS = 7
# Times the largest estimate, and times the reach of the middle row: an interval beyond both gets an
# arrow
LONGEST_AXIS_RATIO = 2.5
MARGIN = 0.02  # of the width, on either side, for dots at the ends
STEPS = (1.0, 2.0, 5.0, 10.0)  # between ticks, times a power of ten
SHORTEST_AXIS = 0.01  # the length of an axis on which nothing differs
ROUNDING = 1e-9  # of a step: what computing may add to a round number
ZERO = 1e-12
NOT_KNOWN = 0.99  # an interval that ends beyond it says nothing


class Difference(Protocol):
    """A difference of shares, with the ends of its interval (findings.shapes)."""

    @property
    def difference(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


@runtime_checkable
class Contrast(Protocol):
    """A row that has other numbers, too: their ends are `low` and `high` (time.shapes,
    effects.shapes)."""

    @property
    def difference(self) -> float | None: ...
    @property
    def difference_low(self) -> float | None: ...
    @property
    def difference_high(self) -> float | None: ...


Row = Difference | Contrast


@dataclass(frozen=True)
class Tick:
    x: str
    label: str


@dataclass(frozen=True)
class Axis:
    """From −reach to reach, a difference of shares. ticks: with what they are, in percentage
    points; zero: where no difference is."""

    reach: float
    ticks: list[Tick]
    zero: str


@dataclass(frozen=True)
class Placed:
    """x: of the estimate. start, width: of the interval, "" where none is known. before, beyond:
    whether it goes on to the left or right of the axis."""

    x: str
    start: str
    width: str
    before: bool
    beyond: bool


def along(part: float) -> str:
    return f"{100 * part:.2f}%"


def position_of(difference: float, reach: float) -> float:
    """Where a difference is, from 0 at the left to 1 at the right."""
    part = 0.5 + 0.5 * difference / reach
    return MARGIN + (1 - 2 * MARGIN) * min(max(part, 0.0), 1.0)


def ends_of(row: Row) -> tuple[float | None, float | None]:
    """The ends of the interval of a row's difference; None where one is not known."""
    if isinstance(row, Contrast):
        return row.difference_low, row.difference_high
    return row.low, row.high


def axis_of(rows: Sequence[Row]) -> Axis:
    """For rows with a `difference` and its ends. Symmetric about 0, and as long as the longest
    interval, unless that is many times as long as any estimate and as most intervals: such an
    interval says nothing, and would make all others too small to read."""
    reaches: list[float] = []
    largest = 0.0
    for row in rows:
        if row.difference is not None:
            ends = [abs(end) for end in ends_of(row) if end is not None]
            reaches.append(max([abs(row.difference), *ends]))
            largest = max(largest, abs(row.difference))
    longest = max(reaches, default=0.0)
    usual = median(reaches) if reaches else 0.0
    length = min(longest, LONGEST_AXIS_RATIO * max(largest, usual)) or SHORTEST_AXIS
    step = _step(length)
    steps = math.ceil(length / step - ROUNDING)
    reach = step * steps
    values = [step * i for i in range(-steps, steps + 1)]
    ticks = [Tick(along(position_of(value, reach)), _label(value)) for value in values]
    return Axis(reach, ticks, along(position_of(0.0, reach)))


def _step(length: float) -> float:
    """Between ticks, so that there are at most MOST_TICKS to both sides of 0."""
    least = 2 * length / (MOST_TICKS - 1)
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * step for step in STEPS if power * step >= least * (1 - ROUNDING))


def _label(difference: float) -> str:
    """In percentage points, with a sign."""
    if abs(difference) < ZERO:
        return "0"
    return f"{100 * difference:+.3g}".replace("-", "−")


@register.simple_tag
def difference_axis(rows: Sequence[Row]) -> Axis:
    """{% difference_axis page.topics as axis %}"""
    return axis_of(rows)


@register.simple_tag
def on_axis(row: Row, axis: Axis) -> Placed | None:
    """{% on_axis topic axis as drawn %}: None where no difference is known."""
    if row.difference is None:
        return None
    low, high = ends_of(row)
    x = along(position_of(row.difference, axis.reach))
    if low is None or high is None:
        return Placed(x, start="", width="", before=False, beyond=False)
    start = position_of(low, axis.reach)
    end = position_of(high, axis.reach)
    return Placed(
        x=x,
        start=along(start),
        width=along(end - start),
        before=low < -axis.reach,
        beyond=high > axis.reach,
    )


@register.filter
def ends_said(row: Row) -> str:
    """ "+2.2 to +3.6"; a difference of 99 points or more to either side is not known."""
    low, high = ends_of(row)
    if low is None or high is None:
        return "not known"
    if low <= -NOT_KNOWN or high >= NOT_KNOWN:
        return "not known"
    return f"{points(low)} to {points(high)}"
