"""Curves of shares over time, as paths of SVG."""

from collections.abc import Sequence

import numpy as np

# of a text's size: how wide its letters are, as in the fonts of the pages, a little too wide
_NARROW, _WIDE, _CAPITAL, _OTHER, _BOLD = 0.30, 0.88, 0.64, 0.52, 1.06


Points = Sequence[float] | np.ndarray  # along one axis


def smoothed(values: np.ndarray) -> np.ndarray:
    """A quarter of both neighbours and a half of itself: float64[..., n] -> the same."""
    before = np.concatenate([values[..., :1], values[..., :-1]], axis=-1)
    behind = np.concatenate([values[..., 1:], values[..., -1:]], axis=-1)
    return (before + 2 * values + behind) / 4


def curve(xs: Points, ys: Points, begins: bool = True) -> str:
    """A monotone cubic through points, at least two (Fritsch and Carlson 1980): it rises and falls
    only where they do. begins: whether it begins a path, or goes on with one."""
    n = len(xs)
    slopes = [(ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i]) for i in range(n - 1)]
    tangents = [slopes[0]]
    for before, behind in zip(slopes, slopes[1:], strict=False):
        tangents.append(2 * before * behind / (before + behind) if before * behind > 0 else 0.0)
    tangents.append(slopes[-1])
    pieces = [f"{'M' if begins else 'L'}{xs[0]:.1f} {ys[0]:.1f}"]
    for i in range(n - 1):
        third = (xs[i + 1] - xs[i]) / 3
        first = f"{xs[i] + third:.1f} {ys[i] + tangents[i] * third:.1f}"
        second = f"{xs[i + 1] - third:.1f} {ys[i + 1] - tangents[i + 1] * third:.1f}"
        pieces.append(f"C{first} {second} {xs[i + 1]:.1f} {ys[i + 1]:.1f}")
    return "".join(pieces)


def area(xs: Points, top: Points, bottom: Points) -> str:
    """Between two curves."""
    return curve(xs, top) + curve(xs[::-1], bottom[::-1], begins=False) + "Z"


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text is, in the unit of `size`."""
    total = 0.0
    for letter in text:
        if letter in "il.,'|!IJt()f ":
            total += _NARROW
        elif letter in "MWmw&%":
            total += _WIDE
        elif letter.isupper() or ord(letter) > 0x2E80:
            total += _CAPITAL if letter.isupper() else 1.0
        else:
            total += _OTHER
    return total * size * (_BOLD if bold else 1.0)


def ticks(first: float, last: float, most: int) -> list[int]:
    """Round years between two, at most so many or a few more."""
    steps = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)
    step = next((step for step in steps if (last - first) / step <= most), steps[-1])
    begin = int(-(-first // step) * step)
    return list(range(begin, int(last) + 1, step))
