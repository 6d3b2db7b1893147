"""{% trend page topic as drawn %}: where the lines, bands and marks of a small chart lie, for
templates/time/_line.html and _dots.html.

Every chart of a page has the same scale. A line never crosses a bin without documents; where bins
are thin it is dotted.
"""

import math
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from django import template

from webapp.platform.drawing.numbers import percent

register = template.Library()

STEPS = {  # between two labels of the axis, in the unit of the bins
    "year": (1, 2, 5, 10, 20, 25, 50, 100, 200, 500),
    "decade": (10, 20, 50, 100, 200, 500, 1000),
    "month": (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200),
}
CEILINGS = (
    0.001,
    0.002,
    0.003,
    0.005,
    0.01,
    0.015,
    0.02,
    0.03,
    0.04,
    0.05,
    0.06,
    0.08,
    0.1,
    0.12,
    0.15,
    0.2,
    0.25,
    0.3,
    0.4,
    0.5,
    0.6,
    0.8,
    1.0,
)
ROW = 17  # height of a category's row
LETTERS = 21  # of its name that fit


class Size(NamedTuple):
    """In the units of the drawing; text is 11 of them high."""

    width: int
    left: int
    right: int
    top: int
    height: int  # of the line's field
    strip: int  # of the bars that say how much there is
    labels: int  # on the axis, at most


SMALL = Size(340, 4, 42, 18, 92, 16, 5)
LARGE = Size(960, 44, 54, 20, 270, 38, 12)


@register.simple_tag
def scale(page: Any) -> float:
    """The top of the scale that all charts of a page share: the largest share of a bin that is not
    thin, rounded up."""
    solid = [
        [s for s, b in zip(topic.share, page.bins, strict=True) if s is not None and not b.thin]
        for topic in page.topics
    ]
    every = [[s for s in topic.share if s is not None] for topic in page.topics]
    most = max((s for shares in (solid if any(solid) else every) for s in shares), default=1.0)
    return next((c for c in CEILINGS if c >= most), 1.0)


@register.simple_tag
def trend(page: Any, topic: Any, top: float, large: bool = False) -> dict:
    size = LARGE if large else SMALL
    drawn = _line(page, topic, top, size) if page.in_time else _dots(page, topic, top, size)
    return drawn | {
        "size": size,
        "said": said(page, topic),
        "top_said": f"{100 * top:g}%",
        "large": large,
    }


def said(page: Any, topic: Any) -> str:
    """The chart in a sentence, for those who don't see it."""
    known = [i for i, share in enumerate(topic.share) if share is not None]
    if not known:
        return f"{topic.label}: no documents."
    solid = [i for i in known if not page.bins[i].thin] or known
    highest, lowest = (f(solid, key=lambda i: topic.share[i]) for f in (max, min))
    ends = [
        f" ({percent(low)} to {percent(high)})" if low is not None else ""
        for low, high in zip(topic.low, topic.high, strict=True)
    ]
    at = [f"{percent(topic.share[i])}{ends[i]} in {page.bins[i].label}" for i in (highest, lowest)]
    thin = sum(page.bins[i].thin for i in known)
    few = f" {thin} of {len(known)} rest on fewer than 10 documents." if thin else ""
    return (
        f"{topic.label}, share of the words: highest {at[0]}, lowest {at[1]};"
        f" {percent(topic.overall)} overall.{few}"
    )


def _line(page: Any, topic: Any, top: float, size: Size) -> dict:
    bins, n = page.bins, len(page.bins)
    step = (size.width - size.left - size.right) / max(n, 1)
    base = size.top + size.height
    x = [size.left + (i + 0.5) * step for i in range(n)]
    share, low, high = [
        [None if s is None else base - min(s, top) / top * size.height for s in series]
        for series in (topic.share, topic.low, topic.high)
    ]
    known = [i for i in range(n) if share[i] is not None]
    edges = [
        (bins[i].thin or bins[j].thin, f"M{x[i]:.1f} {share[i]:.1f}L{x[j]:.1f} {share[j]:.1f}")
        for i, j in pairwise(known)
        if j == i + 1
    ]
    alone = [
        i
        for i in known
        if (i == 0 or share[i - 1] is None) and (i == n - 1 or share[i + 1] is None)
    ]
    most = max((b.tokens for b in bins), default=0) or 1
    strip = base + 6
    return {
        "template": "time/_line.html",
        "height": strip + size.strip + 17,
        "base": base,
        "end": size.width - size.right,
        "band": _band(x, low, high, [i for i in known if low[i] is not None]),
        "stems": "".join(
            f"M{x[i]:.1f} {low[i]:.1f}V{high[i]:.1f}" for i in alone if low[i] is not None
        ),
        "line": "".join(edge for thin, edge in edges if not thin),
        "dotted": "".join(edge for thin, edge in edges if thin),
        "marks": [
            {"x": x[i], "y": share[i], "thin": bins[i].thin, "over": topic.share[i] > top}
            for i in known
            if bins[i].thin or i in alone or topic.share[i] > top
        ],
        "strip": [
            {
                "x": x[i] - 0.41 * step,
                "y": strip + size.strip * (1 - b.tokens / most),
                "height": size.strip * b.tokens / most,
                "thin": b.thin,
            }
            for i, b in enumerate(bins)
            if b.tokens
        ],
        "bar": 0.82 * step,
        "foot": strip + size.strip,
        "ticks": [
            {"x": x[i], "text": text, "anchor": _anchor(x[i], size)}
            for i, text in _ticks(page, size.labels)
        ],
        "axis": (
            []
            if not size.left > 20
            else [
                {"y": base - part * size.height, "text": f"{100 * part * top:g}%"}
                for part in (0.5, 1.0)
            ]
        ),
        "points": _points(topic, bins, x, share, size),
        "hits": [{"x": x[i] - step / 2, "i": i, "label": b.label} for i, b in enumerate(bins)],
        "step": step,
    }


def _band(x, low, high, known) -> str:
    """The interval's outline, a part for each run of bins without a gap."""
    runs = [
        [i for _, i in run]
        for _, run in groupby(enumerate(known), key=lambda pair: pair[1] - pair[0])
    ]

    def edge(ends, run: list[int]) -> str:
        return "L".join(f"{x[i]:.1f} {ends[i]:.1f}" for i in run)

    return "".join(f"M{edge(high, run)}L{edge(low, run[::-1])}Z" for run in runs if len(run) > 1)


def _points(topic: Any, bins: Sequence[Any], x: list[float], y: list, size: Size) -> list[dict]:
    """What is labelled in the chart itself: the highest bin that is not thin, and the last one."""
    known = [i for i, at in enumerate(y) if at is not None]
    if not known:
        return []
    last = known[-1]
    labelled = [
        {
            "x": x[last] + 6,
            "y": y[last] + 4,
            "text": percent(topic.share[last]),
            "anchor": "start",
            "dot": (x[last], y[last]),
        }
    ]
    peak = max([i for i in known if not bins[i].thin], key=lambda i: topic.share[i], default=last)
    if peak != last and abs(x[peak] - x[last]) > 24:
        labelled.append(
            {
                "x": x[peak],
                "y": max(y[peak] - 6, 10),
                "text": f"{bins[peak].label} {percent(topic.share[peak])}",
                "anchor": _anchor(x[peak], size),
                "dot": (x[peak], y[peak]),
            }
        )
    return labelled


def _anchor(x: float, size: Size) -> str:
    edge = 0.1 * size.width if size.labels < 8 else 0.03 * size.width
    return (
        "start"
        if x < size.left + edge
        else "end"
        if x > size.width - size.right - edge / 2
        else "middle"
    )


def _ticks(page: Any, most: int) -> list[tuple[int, str]]:
    by, labels = page.by, [b.label for b in page.bins]
    if not labels:
        return []
    if by not in STEPS:  # along a number, or a date in steps
        return [(i, labels[i]) for i in range(0, len(labels), -(-len(labels) // most))]
    numbers = [
        int(label[:4]) * 12 + int(label[5:]) - 1 if by == "month" else int(label.rstrip("s"))
        for label in labels
    ]
    for step in STEPS[by]:
        at = [i for i, number in enumerate(numbers) if number % step == 0]
        if len(at) <= most:
            break
    at = at or [0]
    return [
        (i, labels[i][:4] if by == "month" and numbers[i] % 12 == 0 else labels[i].rstrip("s"))
        for i in at
    ]


def _dots(page: Any, topic: Any, top: float, size: Size) -> dict:
    """Categories have no order in which a line could go: a row for each, a dot and its interval."""
    left, right = 132, 44
    field = size.width - left - right
    rows = [
        {
            "label": b.label if len(b.label) <= LETTERS else b.label[: LETTERS - 1] + "…",
            "whole": b.label,
            "y": 22 + i * ROW,
            "thin": b.thin,
            "i": i,
            "empty": share is None,
        }
        | (
            {}
            if share is None
            else {
                "x": left + min(share, top) / top * field,
                "low": left + min(share if low is None else low, top) / top * field,
                "high": left + min(share if high is None else high, top) / top * field,
                "over": share > top,
                "text": percent(share),
            }
        )
        for i, (b, share, low, high) in enumerate(
            zip(page.bins, topic.share, topic.low, topic.high, strict=True)
        )
    ]
    return {
        "template": "time/_dots.html",
        "height": 22 + len(rows) * ROW,
        "rows": rows,
        "left": left,
        "end": left + field,
        "overall": left + min(topic.overall, top) / top * field,
    }


@register.simple_tag
def ratio_line(row: Any, most: float) -> dict:
    """How many times as large something is, with its interval, for
    templates/keyness/_interval.html: doublings from 1 to `most`, the largest of the page."""
    width = 160

    def x(times: float) -> float:
        return width * min(math.log(times) / math.log(max(most, 2.0)), 1.0)

    return {
        "width": width,
        "x": x(row.times),
        "low": x(row.low),
        "high": x(row.high or most),
        "open": row.high is None,
    }


@register.filter
def as_often(ratio: float) -> str:
    """How many times, in words: "twice" is 2.0."""
    if 1.95 <= ratio < 2.05:
        return "twice"
    return f"{ratio:.1f} times" if ratio < 9.95 else f"{ratio:,.0f} times"


@register.filter
def points(difference: float) -> str:
    """A difference of shares in percentage points, always with its sign."""
    digits = 1 if abs(difference) < 0.0995 else 0
    return f"{100 * difference:+.{digits}f}".replace("-", "−")


@register.filter
def signed(difference: float) -> str:
    """A number with one decimal, always with its sign."""
    return f"{difference:+.1f}".replace("-", "−")


@register.filter
def times(ratio: float) -> str:
    """How many times as large, read both ways: "×3.2", "÷12"."""
    sign, size = ("×", ratio) if ratio >= 1 or not ratio else ("÷", 1 / ratio)
    return f"{sign}{size:.1f}" if size < 9.95 else f"{sign}{size:,.0f}"
