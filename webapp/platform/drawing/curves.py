"""Curves of shares over time, as paths of SVG."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

# How wide letters are, of a text's size, as in the fonts of the pages; a little too wide, so that
# a text never stands over another
_NARROW = 0.30
_WIDE = 0.88
_CAPITAL = 0.64
_IDEOGRAPH = 1.0
_OTHER = 0.52
_BOLD = 1.06  # times as wide
_NARROW_LETTERS = "il.,'|!IJt()f "
_WIDE_LETTERS = "MWmw&%"
_FIRST_IDEOGRAPH = "\u2e80"  # of Chinese, Japanese and Korean, and what stands behind them

Points = Sequence[float] | np.ndarray  # along one axis


def smoothed(values: np.ndarray) -> np.ndarray:
    """A quarter of both neighbours and a half of itself: float64[..., n] -> the same."""
    before = np.concatenate([values[..., :1], values[..., :-1]], axis=-1)
    behind = np.concatenate([values[..., 1:], values[..., -1:]], axis=-1)
    return (before + 2 * values + behind) / 4


def curve(xs: Points, ys: Points, begins: bool = True) -> str:
    """A monotone cubic through points, at least two (Fritsch and Carlson 1980): it rises and falls
    only where they do. begins: whether it begins a path, or goes on with one. Written as steps from
    point to point, which are short."""
    tangents = _tangents(xs, ys)
    points = [(xs[0], ys[0])]
    for i, j in pairwise(range(len(xs))):
        third = (xs[j] - xs[i]) / 3  # where the control points of a cubic Bézier stand
        points.append((xs[i] + third, ys[i] + tangents[i] * third))
        points.append((xs[j] - third, ys[j] - tangents[j] * third))
        points.append((xs[j], ys[j]))
    return _path(points, "M" if begins else "L")


POINTS_OF_STEP = 3  # of a cubic: two control points and its end


def _path(points: Sequence[tuple[float, float]], command: str) -> str:
    """From the first point by `command`, then by cubic steps, whose points are written as seen from
    where the step begins."""
    tenths = [(_tenths(x), _tenths(y)) for x, y in points]
    numbers: list[int] = []
    for i in range(1, len(tenths)):
        begin = tenths[i - 1 - (i - 1) % POINTS_OF_STEP]
        numbers.append(tenths[i][0] - begin[0])
        numbers.append(tenths[i][1] - begin[1])
    return f"{command}{_write_numbers(tenths[0])}c{_write_numbers(numbers)}".replace(" -", "-")


def _tenths(number: float) -> int:
    """Places are whole tenths of a pixel, so that steps between them add up."""
    return round(10 * float(number))


def _write_numbers(tenths: Sequence[int]) -> str:
    """Numbers as short as a path may have them: "5.2 -.4"."""
    return " ".join(_short(number) for number in tenths)


def _short(tenths: int) -> str:
    sign = "-" if tenths < 0 else ""
    ones, tenth = divmod(abs(tenths), 10)
    if not tenth:
        return f"{sign}{ones}"
    return f"{sign}{ones or ''}.{tenth}"


def _tangents(xs: Points, ys: Points) -> list[float]:
    """At each point: the harmonic mean of the slopes on both sides, 0 where they differ in sign."""
    slopes = [(ys[j] - ys[i]) / (xs[j] - xs[i]) for i, j in pairwise(range(len(xs)))]
    tangents = [slopes[0]]
    for before, behind in pairwise(slopes):
        product = before * behind
        tangents.append(2 * product / (before + behind) if product > 0 else 0.0)
    tangents.append(slopes[-1])
    return tangents


def area(xs: Points, top: Points, bottom: Points) -> str:
    """Between two curves."""
    return curve(xs, top) + curve(xs[::-1], bottom[::-1], begins=False) + "Z"


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is, in the unit of `size`."""
    width = size * sum(_letter_width(letter) for letter in text)
    return width * _BOLD if bold else width


def _letter_width(letter: str) -> float:
    if letter in _NARROW_LETTERS:
        return _NARROW
    if letter in _WIDE_LETTERS:
        return _WIDE
    if letter.isupper():
        return _CAPITAL
    if letter > _FIRST_IDEOGRAPH:
        return _IDEOGRAPH
    return _OTHER


_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)  # years


def ticks(first: float, last: float, limit: int) -> list[int]:
    """Round years between two, at most so many or a few more."""
    step = next((step for step in _STEPS if (last - first) / step <= limit), _STEPS[-1])
    begin = math.ceil(first / step) * step
    return list(range(begin, int(last) + 1, step))
