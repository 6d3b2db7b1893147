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
    only where they do. begins: whether it begins a path, or goes on with one."""
    tangents = _tangents(xs, ys)
    command = "M" if begins else "L"
    parts = [f"{command}{xs[0]:.1f} {ys[0]:.1f}"]
    for i, j in pairwise(range(len(xs))):
        third = (xs[j] - xs[i]) / 3  # where the control points of a cubic Bézier stand
        first = f"{xs[i] + third:.1f} {ys[i] + tangents[i] * third:.1f}"
        second = f"{xs[j] - third:.1f} {ys[j] - tangents[j] * third:.1f}"
        parts.append(f"C{first} {second} {xs[j]:.1f} {ys[j]:.1f}")
    return "".join(parts)


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


def ticks(first: float, last: float, most: int) -> list[int]:
    """Round years between two, at most so many or a few more."""
    step = next((step for step in _STEPS if (last - first) / step <= most), _STEPS[-1])
    begin = math.ceil(first / step) * step
    return list(range(begin, int(last) + 1, step))
