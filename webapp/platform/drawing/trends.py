"""{% trend page topic as drawn %}: where the lines, bands and marks of a small chart lie, for
templates/time/_line.html and _dots.html.

Small charts of lines have a scale each, or one for all. A line never crosses a bin without
documents; where bins are thin it is dotted.
"""

import math
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from webapp.platform.drawing.numbers import percent
from webapp.platform.drawing.protocols import Anchor, Course, Courses, Period, Ratio

register = template.Library()

MONTHS = 12
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


class Size(NamedTuple):
    """In the units of the drawing; text is 11 of them high.

    top, height: of the field of lines. strip: the height of the bars that say how much there is.
    labels: on the axis, at most. edge: the part of the width within which a text can't be centred.
    """

    width: int
    left: int
    right: int
    top: int
    height: int
    strip: int
    labels: int
    edge: float
    has_scale: bool

    @property
    def base(self) -> int:
        """Where a share of 0 lies."""
        return self.top + self.height

    @property
    def strip_top(self) -> int:
        return self.base + (STRIP_GAP if self.strip else 0)

    @property
    def foot(self) -> int:
        """The lower end of the bars."""
        return self.strip_top + self.strip


STRIP_GAP = 6  # between the field of lines and the bars
LABEL_HEIGHT = 17  # of the axis's labels, below the bars
BAR_WIDTH = 0.82  # of a bin
SMALL_CHART = Size(372, 2, 2, 18, 82, 0, 5, edge=0.1, has_scale=False)
LARGE_CHART = Size(960, 44, 54, 20, 270, 38, 12, edge=0.03, has_scale=True)
AXIS_PARTS = (0.5, 1.0)  # of the scale, where it is labelled

NAME_GAP = 6  # from a point to its text
BASELINE = 4  # from the middle of a text down to its line
HIGHEST_TEXT = 10  # a text stands no higher
NEAREST_LABELS = 24  # units between the two texts within a chart

ROW_HEIGHT = 17  # of a category
FIRST_ROW = 22
ROW_LEFT = 132  # room for the names of categories
ROW_RIGHT = 44
LETTERS = 21  # of a category's name that fit
RATIO_WIDTH = 160

ABOVE_LEVEL = 4  # from a dashed line to its share
LEAST_WINDOW = 3  # how wide a tinted span is at least
AMOUNT_HEIGHT = 32  # of the bars that say how many words there are
AMOUNT_WIDTH = 0.88  # of a bar, of its period's
AMOUNT_GAP = 0.06  # before a bar
HALF_CENTURY = 50
TICK_LETTER = 6  # units: how wide a digit of the axis is


@register.simple_tag
def scale(page: Courses) -> float:
    """The top of the scale that all charts of a page share: the largest share of a bin that is not
    thin, rounded up. Where most are thin: the largest share."""
    largest = max((_largest_of_scale(page, topic) for topic in page.topics), default=0.0) or 1.0
    return next((ceiling for ceiling in CEILINGS if ceiling >= largest), 1.0)


@register.simple_tag
def own_scale(page: Courses, topic: Course, marks: Any = None) -> float:
    """The top of a topic's own scale: of its largest share that is not thin, and of the shares that
    the sentence about its change says."""
    levels = [share for *_, share in marks.levels] if marks else []
    largest = max([_largest_of_scale(page, topic), *levels]) or 1.0
    return next((ceiling for ceiling in CEILINGS if ceiling >= largest), 1.0)


def _largest_of_scale(page: Courses, topic: Course) -> float:
    """The largest share of a bin that is not thin. Where most bins are thin the few others don't
    tell how far the line goes: then the largest of all."""
    shares = _known_shares(topic.share)
    solid = [share for i, share in shares.items() if not page.bins[i].thin]
    if 2 * len(solid) < len(shares):
        return max(shares.values(), default=0.0)
    return max(solid, default=0.0)


@register.simple_tag
def trend(page: Courses, topic: Course, top: float, large: bool = False, marks: Any = None) -> dict:
    """What the template of a chart reads. top: of the scale. marks: of the change that is said of
    the topic, its `window` and `levels`; a template gives "" where there are none."""
    size = LARGE_CHART if large else SMALL_CHART
    if page.in_time:
        chart = _LineChart(page, topic, top, size)
        drawn = chart.drawn()
        if marks:
            drawn |= chart.marks_of_change(marks)
    else:
        drawn = _dots(page, topic, top, size)
    return drawn | {
        "size": size,
        "said": said(page, topic),
        "top_said": f"{100 * top:g}%",
        "large": large,
    }


def said(page: Courses, topic: Course) -> str:
    """The chart in a sentence, for those who don't see it."""
    shares = _known_shares(topic.share)
    if not shares:
        return f"{topic.with_label}: of no group a share can be told."
    solid = [i for i in shares if not page.bins[i].thin] or list(shares)
    highest = max(solid, key=shares.__getitem__)
    lowest = min(solid, key=shares.__getitem__)
    thin = sum(page.bins[i].thin for i in shares)
    note = f" {thin} of {len(shares)} rest on fewer than 10 documents." if thin else ""
    extremes = (
        f"highest {_said_of_bin(page, topic, highest)}, lowest {_said_of_bin(page, topic, lowest)}"
    )
    overall = percent(topic.overall)
    return f"{topic.with_label}, share of the words: {extremes}; {overall} overall.{note}"


def _known_shares(shares: Sequence[float | None]) -> dict[int, float]:
    return {i: share for i, share in enumerate(shares) if share is not None}


def _said_of_bin(page: Courses, topic: Course, group: int) -> str:
    """ "3.1% (2.2% to 4%) in 1850"."""
    share = percent(topic.share[group])
    if topic.low[group] is not None:
        share += f" ({percent(topic.low[group])} to {percent(topic.high[group])})"
    return f"{share} in {page.bins[group].label}"


class _LineChart:
    """Where a line over time lies, in the units of its drawing.

    x: of the middle of each bin. shares: of the bins in which one is known. y, low, high: where the
    share and the ends of its interval lie, of the bins that have them.
    """

    def __init__(self, page: Courses, topic: Course, top: float, size: Size):
        self.page = page
        self.bins = page.bins
        self.top = top
        self.size = size
        self.step = (size.width - size.left - size.right) / max(len(self.bins), 1)
        self.x = [size.left + (i + 0.5) * self.step for i in range(len(self.bins))]
        self.shares = _known_shares(topic.share)
        self.y = self._heights(self.shares)
        self.low = self._heights(_known_shares(topic.low))
        self.high = self._heights(_known_shares(topic.high))
        self.known = list(self.shares)
        self.alone = [i for i in self.known if i - 1 not in self.y and i + 1 not in self.y]

    def _heights(self, shares: dict[int, float]) -> dict[int, float]:
        """A share above the scale is drawn at its top."""
        base = self.size.base
        height = self.size.height
        return {i: base - min(share, self.top) / self.top * height for i, share in shares.items()}

    def drawn(self) -> dict:
        size = self.size
        return {
            "template": "time/_line.html",
            "height": size.foot + LABEL_HEIGHT,
            "base": size.base,
            "end": size.width - size.right,
            "band": self._band(),
            "stems": self._stems(),
            "line": self._edges(dotted=False),
            "dotted": self._edges(dotted=True),
            "marks": self._marks(),
            "strip": self._bars(),
            "bar": BAR_WIDTH * self.step,
            "foot": size.foot,
            "ticks": self._ticks(),
            "axis": self._axis(),
            "points": self._labelled_points(),
            "hits": [
                {"x": x - self.step / 2, "i": i, "label": self.bins[i].label}
                for i, x in enumerate(self.x)
            ],
            "step": self.step,
        }

    def _edges(self, dotted: bool) -> str:
        """Between neighbours. dotted: those that end in a thin bin, else the others."""
        edges = []
        for i, j in pairwise(self.known):
            is_dotted = self.bins[i].thin or self.bins[j].thin
            if j == i + 1 and is_dotted == dotted:
                start = f"{self.x[i]:.1f} {self.y[i]:.1f}"
                edges.append(f"M{start}L{self.x[j]:.1f} {self.y[j]:.1f}")
        return "".join(edges)

    def _band(self) -> str:
        """The interval's outline, a part for each run of bins without a gap."""
        bins = [i for i in self.known if i in self.low]
        # The numbers of bins in a row rise as their places in the list do
        runs = groupby(enumerate(bins), key=lambda numbered: numbered[1] - numbered[0])
        outlines = []
        for _, bins_of_run in runs:
            run = [i for _, i in bins_of_run]
            if len(run) > 1:
                upper = self._edge(self.high, run)
                lower = self._edge(self.low, run[::-1])
                outlines.append(f"M{upper}L{lower}Z")
        return "".join(outlines)

    def _edge(self, heights: dict[int, float], run: Sequence[int]) -> str:
        return "L".join(f"{self.x[i]:.1f} {heights[i]:.1f}" for i in run)

    def _stems(self) -> str:
        """The intervals of bins that stand alone, as upright lines."""
        with_interval = [i for i in self.alone if i in self.low]
        stems = [f"M{self.x[i]:.1f} {self.low[i]:.1f}V{self.high[i]:.1f}" for i in with_interval]
        return "".join(stems)

    def _marks(self) -> list[dict]:
        """Dots of bins that are thin or stand alone, arrows of those beyond the scale."""
        marks = []
        for i in self.known:
            thin = self.bins[i].thin
            over = self.shares[i] > self.top
            if thin or over or i in self.alone:
                marks.append({"x": self.x[i], "y": self.y[i], "thin": thin, "over": over})
        return marks

    def _bars(self) -> list[dict]:
        """How many words each bin has."""
        if not self.size.strip:
            return []
        most_words = max((group.tokens for group in self.bins), default=0) or 1
        bars = []
        for x, group in zip(self.x, self.bins, strict=True):
            if not group.tokens:
                continue
            part = group.tokens / most_words
            bar_of_bin = {
                "x": x - BAR_WIDTH / 2 * self.step,
                "y": self.size.strip_top + self.size.strip * (1 - part),
                "height": self.size.strip * part,
                "thin": group.thin,
            }
            bars.append(bar_of_bin)
        return bars

    def _ticks(self) -> list[dict]:
        ticks = []
        for i, text in _ticks(self.page.by, self.bins, self.size.labels):
            x = self._place_of_tick(i)
            half_width = TICK_LETTER * len(text) / 2
            ticks.append({"x": x, "text": text, "anchor": self._anchor(x, half_width)})
        return ticks

    def _place_of_tick(self, i: int) -> float:
        """A decade is labelled by its first year, where that year lies: the tinted years of a change
        are read off this axis. Other bins are labelled at their middle."""
        if self.page.by == "decade":
            return self.x[i] - self.step / 2
        return self.x[i]

    def _axis(self) -> list[dict]:
        """Shares at the left; a small chart has none."""
        if not self.size.has_scale:
            return []
        return [
            {
                "y": self.size.base - part * self.size.height,
                "text": f"{100 * part * self.top:g}%",
            }
            for part in AXIS_PARTS
        ]

    def _labelled_points(self) -> list[dict]:
        """What is labelled in the chart itself: the last bin, and the highest that is not thin, if
        it has room; in a small chart the highest alone."""
        if not self.known:
            return []
        last = self.known[-1]
        solid = [i for i in self.known if not self.bins[i].thin]
        peak = max(solid, key=self.shares.__getitem__, default=last)
        if not self.size.has_scale:
            return [self._peak(peak)]
        points = [
            {
                "x": self.x[last] + NAME_GAP,
                "y": self.y[last] + BASELINE,
                "text": percent(self.shares[last]),
                "anchor": "start",
                "dot": (self.x[last], self.y[last]),
            }
        ]
        if abs(self.x[peak] - self.x[last]) > NEAREST_LABELS:
            points.append(self._peak(peak))
        return points

    def _peak(self, i: int) -> dict:
        return {
            "x": self.x[i],
            "y": max(self.y[i] - NAME_GAP, HIGHEST_TEXT),
            "text": f"{self.bins[i].label} {percent(self.shares[i])}",
            "anchor": self._anchor(self.x[i]),
            "dot": (self.x[i], self.y[i]),
        }

    def marks_of_change(self, marks: Any) -> dict:
        """The years that a sentence tells of, tinted, and the two shares that it says, dashed; in a
        small chart the share within is written in place of the highest one. What lasts until the
        last document reaches the end of the axis, as its last bin is not over."""
        starts = self._starts()
        if not starts:
            return {}
        last_day = max(end for _, end, _ in marks.levels)

        def place_of_end(year: float) -> float:
            return self._axis_end if year >= last_day else self._place(starts, year)

        levels = [
            {
                "begin": self._place(starts, begin),
                "end": place_of_end(end),
                "y": self._heights({0: share})[0],
            }
            for begin, end, share in marks.levels
        ]
        if marks.window is None:
            return {"levels": levels}
        begin = self._place(starts, marks.window[0])
        width = max(place_of_end(marks.window[1]) - begin, LEAST_WINDOW)
        added: dict[str, Any] = {"levels": levels, "window": {"x": begin, "width": width}}
        if not self.size.has_scale:
            added["points"] = [self._level_point(starts, marks.levels)]
        return added

    @property
    def _axis_end(self) -> float:
        return self.size.width - self.size.right

    def _starts(self) -> list[float]:
        """When each bin begins, in years with fractions; [] along a number, or where dates are told
        apart in other steps."""
        by = self.page.by
        if by not in STEPS:
            return []
        parts = MONTHS if by == "month" else 1
        return [number_of_bin(by, group.label) / parts for group in self.bins]

    def _place(self, starts: Sequence[float], year: float) -> float:
        """Where a time lies."""
        length = (starts[-1] - starts[0]) / max(len(starts) - 1, 1)
        edges = [self.size.left + i * self.step for i in range(len(starts) + 1)]
        return float(np.interp(year, [*starts, starts[-1] + length], edges))

    def _level_point(
        self, starts: Sequence[float], levels: Sequence[tuple[float, float, float]]
    ) -> dict:
        """The largest share that a sentence says, above its dashed line."""
        begin, end, share = max(levels, key=lambda level: level[2])
        middle = (self._place(starts, begin) + self._place(starts, end)) / 2
        y = self._heights({0: share})[0]
        return {
            "x": middle,
            "y": max(y - ABOVE_LEVEL, HIGHEST_TEXT),
            "text": percent(share),
            "anchor": self._anchor(middle),
        }

    def _anchor(self, x: float, half_width: float | None = None) -> Anchor:
        """The anchor of a text at this place, with which it does not leave the chart. half_width:
        of the text; where it is not given, a text as long as those at points has room."""
        edge = self.size.edge * self.size.width
        left_edge = edge if half_width is None else half_width
        right_edge = edge / 2 if half_width is None else half_width
        if x < self.size.left + left_edge:
            return "start"
        if x > self._axis_end - right_edge:
            return "end"
        return "middle"


def _ticks(by: str, bins: Sequence[Period], limit: int) -> list[tuple[int, str]]:
    """Bins that are labelled, at most so many, and their labels: at round years or months."""
    labels = [group.label for group in bins]
    if not labels:
        return []
    if by not in STEPS:  # along a number, or a date in steps
        every_nth = math.ceil(len(labels) / limit)
        return [(i, labels[i]) for i in range(0, len(labels), every_nth)]
    numbers = [number_of_bin(by, label) for label in labels]
    round_bins: list[int] = []
    for step in STEPS[by]:
        round_bins = [i for i, number in enumerate(numbers) if number % step == 0]
        if len(round_bins) <= limit:
            break
    return [(i, tick_label(by, labels[i], numbers[i])) for i in round_bins or [0]]


def number_of_bin(by: str, label: str) -> int:
    """Years, or months since the year 0, of a bin's label: "1850-03", "1850s", "1850". by: "month",
    or other steps."""
    if by == "month":
        year, month = _year_and_month(label)
        return int(year) * MONTHS + int(month) - 1
    return int(label.rstrip("s"))


def tick_label(by: str, label: str, number: int) -> str:
    """The label of a tick; of January only the year. by: "month", or other steps; label, number: of
    the bin."""
    if by == "month" and number % MONTHS == 0:
        return _year_and_month(label)[0]
    return label.rstrip("s")


def _year_and_month(label: str) -> tuple[str, str]:
    """The two of "1850-03"; years before 1000 have fewer digits, and those before our era a
    sign."""
    year, _, month = label.rpartition("-")
    return year, month


def _dots(page: Courses, topic: Course, top: float, size: Size) -> dict:
    """Categories have no order in which a line could go: a row for each, a dot and its interval."""
    field = size.width - ROW_LEFT - ROW_RIGHT

    def x(share: float) -> float:
        return ROW_LEFT + min(share, top) / top * field

    rows = []
    for i, group in enumerate(page.bins):
        share = topic.share[i]
        low = topic.low[i]
        high = topic.high[i]
        row = {
            "label": _shorten_name(group.label),
            "whole": group.label,
            "y": FIRST_ROW + i * ROW_HEIGHT,
            "thin": group.thin,
            "i": i,
            "empty": share is None,
        }
        if share is not None:
            row |= {
                "x": x(share),
                "low": x(share if low is None else low),
                "high": x(share if high is None else high),
                "over": share > top,
                "beyond": share <= top and high is not None and high > top,
                "text": percent(share),
            }
        rows.append(row)
    return {
        "template": "time/_dots.html",
        "height": FIRST_ROW + len(rows) * ROW_HEIGHT,
        "first_row": FIRST_ROW - ROW_HEIGHT / 2,
        "row_height": ROW_HEIGHT,
        "rows": rows,
        "left": ROW_LEFT,
        "end": ROW_LEFT + field,
        "overall": x(topic.overall),
    }


def _shorten_name(name: str) -> str:
    if len(name) <= LETTERS:
        return name
    return name[: LETTERS - 1] + "…"


@register.simple_tag
def amounts(page: Courses) -> SafeString:
    """How many words each period has, once for all charts of a page."""
    largest = max((group.tokens for group in page.bins), default=0) or 1
    bars = []
    for i, group in enumerate(page.bins):
        height = AMOUNT_HEIGHT * group.tokens / largest
        y = f"{AMOUNT_HEIGHT - height:.1f}"
        bars.append((f"{i + AMOUNT_GAP:.2f}", y, AMOUNT_WIDTH, f"{height:.1f}", group.label))
    rects = format_html_join(
        "", '<rect x="{}" y="{}" width="{}" height="{}"><title>{}</title></rect>', bars
    )
    return format_html(
        '<svg class="amount" viewBox="0 0 {} {}" preserveAspectRatio="none" aria-hidden="true"'
        ' focusable="false">{}</svg>',
        len(page.bins),
        AMOUNT_HEIGHT,
        rects,
    )


@register.simple_tag
def ratio_line(row: Ratio, largest: float) -> dict:
    """How many times as large something is, with its interval, for
    templates/keyness/_interval.html: doublings from 1 to `largest`, the largest of the page."""
    doublings = math.log(max(largest, 2.0))

    def x(times: float) -> float:
        return RATIO_WIDTH * min(math.log(times) / doublings, 1.0)

    return {
        "width": RATIO_WIDTH,
        "x": x(row.times or row.low or largest),
        "low": x(row.low or largest),
        "high": x(row.high or largest),
        "open": row.high is None,
    }


# A number is written with one decimal while it has one digit before it; these are where it would
# be rounded up to two.
TEN_ROUNDED = 9.95
TEN_POINTS_ROUNDED = 0.0995
TENTH_OF_POINT_ROUNDED = 0.0005  # a difference below it is rounded to nothing by one decimal
TWICE = (1.95, 2.05)  # what is rounded to 2.0


@register.filter
def short_period(label: str) -> str:
    """The head of a narrow column: "’90" for 1790s, but each half century whole; other labels as
    they are."""
    if not label.endswith("s") or not label[:-1].isdigit():
        return label
    year = label[:-1]
    return year if int(year) % HALF_CENTURY == 0 else f"’{year[-2:]}"


@register.filter
def ends_of_range(interval: str) -> list[str]:
    """ "2.2–4.0" as its two ends, to be written below each other; [] where none is known."""
    return interval.split("–") if interval else []


@register.filter
def as_often(ratio: float) -> str:
    """How many times, in words: "twice" is 2.0."""
    if TWICE[0] <= ratio < TWICE[1]:
        return "twice"
    return f"{_at_most_three_digits(ratio)} times"


@register.filter
def points(difference: float) -> str:
    """A difference of shares in percentage points, always with its sign: one that one decimal
    would round to nothing has two, as "+0.0" is none."""
    digits = 1 if abs(difference) < TEN_POINTS_ROUNDED else 0
    if 0 < abs(difference) < TENTH_OF_POINT_ROUNDED:
        digits = 2
    return f"{100 * difference:+.{digits}f}".replace("-", "−")


@register.filter
def signed(difference: float) -> str:
    """A number with one decimal, always with its sign."""
    return f"{difference:+.1f}".replace("-", "−")


@register.filter
def times(ratio: float) -> str:
    """How many times as large, read both ways: "3.2 times", "12 times less"."""
    if 0 < ratio < 1:
        return f"{_at_most_three_digits(1 / ratio)} times less"
    return f"{_at_most_three_digits(ratio)} times"


def _at_most_three_digits(ratio: float) -> str:
    if ratio < TEN_ROUNDED:
        return f"{ratio:.1f}"
    return f"{ratio:,.0f}"
