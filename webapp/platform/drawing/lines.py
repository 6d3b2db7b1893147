"""Lines of numbers as paths of SVG: where their points lie, and how a path says them."""

import math
from collections.abc import Sequence
from functools import cache

Spot = tuple[float, float]  # x and y in the units of a viewBox, y growing downwards

WIDTH = 120  # of a sparkline, in the units of its viewBox
HEIGHT = 26
EDGE_UNITS = 2  # units that every line leaves free at each edge, for the dot at its peak
TENTHS = 10  # coordinates of sparklines have one decimal
_HEIGHTS_AS_TEXT = [f"{tenth / TENTHS:.1f}" for tenth in range(TENTHS * HEIGHT)]


def numbered_values(values: Sequence[float | None]) -> list[tuple[int, float]]:
    """The values that are numbers, each with its index."""
    return [(i, v) for i, v in enumerate(values) if v is not None and not math.isnan(v)]


def step_between(points: int, width: float) -> float:
    """From one point to the next, where so many share a width."""
    return (width - 2 * EDGE_UNITS) / max(points - 1, 1)


def spots(
    values: Sequence[float | None], largest: float, width: float, height: float
) -> list[Spot | None]:
    """Where each value lies, None where there is none; 0 on the lower edge, `largest` on the
    upper."""
    step = step_between(len(values), width)
    scale = (height - 2 * EDGE_UNITS) / (largest or 1.0)
    places: list[Spot | None] = [None] * len(values)
    for i, value in numbered_values(values):
        places[i] = (EDGE_UNITS + i * step, height - EDGE_UNITS - value * scale)
    return places


def path(points: Sequence[Spot | None]) -> str:
    """The `d` of a line that breaks where there is no point. A point between two breaks is drawn as
    a dash."""
    parts = []
    is_drawing = False
    for i, point in enumerate(points):
        if point is None:
            is_drawing = False
            continue
        x, y = point
        ends_here = i + 1 == len(points) or points[i + 1] is None
        if is_drawing:
            parts.append(f"L{x:.1f} {y:.1f}")
        elif ends_here:
            parts.append(f"M{x - EDGE_UNITS:.1f} {y:.1f}h{2 * EDGE_UNITS}")
        else:
            parts.append(f"M{x:.1f} {y:.1f}")
        is_drawing = True
    return "".join(parts)


def sparkline(values: Sequence[float | None], largest: float) -> str:
    """The `d` of a sparkline. A page has hundreds: those without a gap are written faster."""
    numbers = [value for _, value in numbered_values(values)]
    if len(numbers) == len(values) > 1:
        return _unbroken_path(numbers, largest)
    return path(spots(values, largest, WIDTH, HEIGHT))


def _unbroken_path(values: Sequence[float], largest: float) -> str:
    """What `path` says of `spots`, where all values are known."""
    scale = TENTHS * (HEIGHT - 2 * EDGE_UNITS) / (largest or 1.0)
    floor = TENTHS * (HEIGHT - EDGE_UNITS)
    heights = [_HEIGHTS_AS_TEXT[round(floor - value * scale)] for value in values]
    return "M" + "L".join(map(str.__add__, _starts_of_points(len(values)), heights))


@cache
def _starts_of_points(count: int) -> list[str]:
    """The x of each of `count` points of a sparkline, and the space behind it."""
    step = step_between(count, WIDTH)
    return [f"{EDGE_UNITS + i * step:.1f} " for i in range(count)]


def band(
    low: Sequence[float | None],
    high: Sequence[float | None],
    largest: float,
    width: float,
    height: float,
) -> str:
    """The `d` of the area between two lines; a new one behind each gap."""
    upper: list[Spot] = []
    lower: list[Spot] = []
    outlines = []
    above = spots(high, largest, width, height)
    below = spots(low, largest, width, height)
    for top, bottom in zip(above, below, strict=True):
        if top is not None and bottom is not None:
            upper.append(top)
            lower.append(bottom)
            continue
        outlines.append(_outline(upper, lower))
        upper = []
        lower = []
    outlines.append(_outline(upper, lower))
    return "".join(outlines)


def _outline(upper: list[Spot], lower: list[Spot]) -> str:
    """Along one line and back along the other; "" of none."""
    if not upper:
        return ""
    corners = [f"{x:.1f} {y:.1f}" for x, y in [*upper, *reversed(lower)]]
    return "M" + "L".join(corners) + "Z"


def spread_names(
    heights: Sequence[float], lowest: float, line_height: float
) -> tuple[list[int], list[float]]:
    """Heights for names that would like to stand at some: none is nearer to another than a line of
    text. Returns whose name each is, from the top, and its height.

    Names move down where they would overlap, and up again where they would pass `lowest`.
    """
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed: list[float] = []
    for i in order:
        free_from = placed[-1] + line_height if placed else heights[i]
        placed.append(max(heights[i], free_from))
    for below, j in enumerate(reversed(range(len(placed)))):
        placed[j] = min(placed[j], lowest - below * line_height)
    return order, placed
