"""Small drawings in words that SVG understands: sparklines and strips, made by the server.

Cells and circles that may be thousands on a page are f-strings: format_html takes some 20
microseconds more for each, measured, so that 2,400 cells of a grid would take 50 ms longer. All
else goes through format_html.
"""

import html
import math
from collections.abc import Sequence
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np
from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from webapp.platform.drawing.chips import bar
from webapp.platform.drawing.colours import of_line
from webapp.platform.drawing.numbers import NONE, count, percent, width
from webapp.platform.drawing.tables import HIGH, LOW

register = template.Library()

WIDTH, HEIGHT = 120, 26  # of a sparkline, in the units of its viewBox
MULTIPLE = (240, 72)  # of a small chart
SHOWN = 8  # values of a category in a small chart
_EDGE = 2  # kept free for the dot at the peak
_TENTHS = [
    f"{tenth / 10:.1f}" for tenth in range(10 * HEIGHT)
]  # a sparkline's heights, as they are written


def known(values: Sequence[float | None]) -> list[tuple[int, float]]:
    return [(i, v) for i, v in enumerate(values) if v is not None and not math.isnan(v)]


def spots(
    values: Sequence[float | None], most: float, width: float = WIDTH, height: float = HEIGHT
) -> list[tuple[float, float] | None]:
    """Where each value lies, None where there is none; 0 on the lower edge, `most` on the upper."""
    step = (width - 2 * _EDGE) / max(len(values) - 1, 1)
    scale = (height - 2 * _EDGE) / (most or 1.0)
    values_known = dict(known(values))
    return [
        (_EDGE + i * step, height - _EDGE - values_known[i] * scale) if i in values_known else None
        for i in range(len(values))
    ]


@cache
def _across(n: int) -> list[str]:
    """Where n values of a sparkline lie, and the space behind it."""
    step = (WIDTH - 2 * _EDGE) / max(n - 1, 1)
    return [f"{_EDGE + i * step:.1f} " for i in range(n)]


def _unbroken(values: Sequence[float], most: float) -> str:
    """What `path` says of a sparkline's `spots`, where all of them are known."""
    scale = 10 * (HEIGHT - 2 * _EDGE) / (most or 1.0)
    heights = [_TENTHS[round(10 * (HEIGHT - _EDGE) - value * scale)] for value in values]
    return "M" + "L".join(map(str.__add__, _across(len(values)), heights))


def path(points: Sequence[tuple[float, float] | None]) -> str:
    """The `d` of a line that breaks where there is no point; a point between two breaks is drawn as
    a dash."""
    parts, pen = [], False
    for i, point in enumerate(points):
        if point is not None:
            x, y = point
            alone = not pen and (i + 1 == len(points) or points[i + 1] is None)
            parts.append(
                f"M{x - _EDGE:.1f} {y:.1f}h{2 * _EDGE}"
                if alone
                else f"{'L' if pen else 'M'}{x:.1f} {y:.1f}"
            )
        pen = point is not None
    return "".join(parts)


@register.simple_tag
def spark(values: Sequence[float | None], hue: int) -> SafeString:
    """A line from 0 to its own largest value, with a dot there. A hundred on a page."""
    points = known(values or ())
    if not points:
        return SafeString()
    peak, most = max(points, key=lambda pair: pair[1])
    if len(points) == len(values) > 1:
        drawn = _unbroken([value for _, value in points], most)
    else:
        drawn = path(spots(values, most))
    x, y = (
        _EDGE + peak * (WIDTH - 2 * _EDGE) / max(len(values) - 1, 1),
        _EDGE if most else HEIGHT - _EDGE,
    )
    return format_html(
        '<svg class="spark t{}" viewBox="0 0 {} {}" width="{}" height="{}" aria-hidden="true"'
        ' focusable="false"><path d="{}"/><circle cx="{}" cy="{}" r="2"/></svg>',
        hue,
        WIDTH,
        HEIGHT,
        WIDTH,
        HEIGHT,
        drawn,
        f"{x:.1f}",
        f"{y:.1f}",
    )


@register.simple_tag
def map_circles(circles: Sequence[Any]) -> SafeString:
    """The circles of a map, each a link: up to some thousands on a page, so they are put together
    here."""
    # Safe: numbers, and texts that are escaped
    return mark_safe(
        "".join(
            f'<a href="{html.escape(c.url)}"'
            f' class="t{c.hue}{" on" if c.chosen else ""}{" general" if c.background else ""}"'
            f' data-topic="{c.number}" data-said="{html.escape(c.label + " " + c.text)}">'
            f'<circle cx="{c.x}" cy="{c.y}"'
            f' r="{c.r}"/><title>{html.escape(c.label + " " + (c.name or c.text) + (" (general talk), " if c.background else ", ") + percent(c.share))}</title></a>\n'
            for c in circles
        )
    )


@register.simple_tag
def map_labels(circles: Sequence[Any]) -> SafeString:
    """The labels of the circles that have room for one."""
    return mark_safe(
        "".join(
            f'\n<text x="{c.place.x:.1f}" y="{c.place.y:.1f}" text-anchor="{c.place.anchor}">'
            f"<tspan>{c.label}</tspan> {html.escape(c.text)}</text>"
            for c in circles
            if c.place
        )
    )  # numbers, and texts that are escaped


CELL = 22  # pixels, of the grid of words and topics


@register.simple_tag
def grid_cells(line: Any, grid: Any) -> SafeString:
    """A line's cells: up to some thousands on a page, so they are put together here. Each opens the
    word's lines in the topic."""
    url = conditional_escape(line.lines)

    def cell(k: int, hue: int, tokens: int) -> str:
        r = max(0.8, CELL / 2 * math.sqrt(tokens / grid.most))
        return (
            f'<td data-topic="{k}" class="t{hue}"><a href="{url}{k}" tabindex="-1"'
            f' title="{tokens:,}"><svg viewBox="-11 -11 22 22" aria-hidden="true"><circle'
            f' r="{r:.1f}"/></svg><span class="hidden">{tokens:,}</span></a></td>'
        )

    return mark_safe(
        "".join(
            (
                cell(topic.number, topic.hue, tokens)
                if tokens
                else f'<td data-topic="{topic.number}"></td>'
            )
            for tokens, topic in zip(line.cells, grid.topics, strict=True)
        )
    )  # numbers, and an address that is escaped


def written(value: float | None, unit: str) -> str:
    return percent(value) if unit == "shares" else count(value)


@register.simple_tag
def bin_rows(time: Any, unit: str) -> SafeString:
    """Rows of the table of a stacked chart: each number opens the documents it was counted in. Some
    thousands of cells."""
    topics, other = time.stacked, getattr(time.other, unit)
    series = [(topic.number, getattr(topic.values, unit), topic.values.tokens) for topic in topics]
    parts = []
    for i, group in enumerate(time.bins):
        url = conditional_escape(group.url)
        cells = [
            f'<td class="n" data-topic="{k}">'
            + (
                f'<a href="{url}&amp;has={k}%3A0">{written(values[i], unit)}</a>'
                if tokens[i]
                else "0"
                if values[i] is not None
                else NONE
            )
            + "</td>"
            for k, values, tokens in series
        ]
        parts.append(
            '<tr><th scope="row"><a'
            f' href="{url}">{conditional_escape(group.label)}</a></th>{"".join(cells)}<td'
            f' class="n">{written(other[i], unit)}</td><td class="n">{count(group.tokens)}</td><td'
            f' class="n">{count(group.documents)}</td></tr>'
        )
    return mark_safe("".join(parts))


@register.inclusion_tag("run/overview/_stacked_bars.html")
def stacked_bars(time: Any, unit: str):
    """A line for each value of a category, divided among topics: of 0 to 1, or of 0 to the largest
    number of words; where other topics are not drawn, to the largest sum of those that are."""
    most, lines = 1.0, []
    if not time.other_drawn:
        sums = [
            sum(getattr(topic.values, unit)[i] or 0 for topic in time.stacked)
            for i in range(len(time.bins))
        ]
        most = max(sums, default=0) or 1
    elif unit == "tokens":
        most = max((group.tokens for group in time.bins), default=1)
    for i, group in enumerate(time.bins):
        values = [getattr(topic.values, unit)[i] for topic in time.stacked]
        widths = [100 * (value or 0) / most for value in values]
        *starts, at = accumulate(widths, initial=0.0)
        lines.append(
            {
                "url": group.url,
                "label": group.label,
                "pieces": [
                    {"topic": topic, "x": x, "width": width, "said": written(value, unit)}
                    for topic, x, width, value in zip(
                        time.stacked, starts, widths, values, strict=True
                    )
                    if width
                ],
                "rest": at,
                "rest_width": (
                    100 * (getattr(time.other, unit)[i] or 0) / most if time.other_drawn else 0
                ),
            }
        )
    return {"lines": lines}


@register.inclusion_tag("run/overview/_multiple.html")
def multiple(topic: Any, time: Any, unit: str, own_scale: bool):
    """One topic's small chart: a line over time, or a bar for each of a category's first values."""
    values = getattr(topic.values, unit)
    top = max((v for v in values if v is not None), default=0)
    most = (top if own_scale else getattr(time.most, unit)) or 1
    data = {"topic": topic, "peak": written(top, unit), "in_time": time.in_time}
    if not time.in_time:
        bars = [
            {
                "label": group.label,
                "url": f"{group.url}&has={topic.number}%3A0",
                "part": (value or 0) / most,
                "said": written(value, unit),
            }
            for group, value in zip(time.bins[:SHOWN], values[:SHOWN], strict=True)
        ]
        return data | {"bars": bars}
    points = spots(values, most, MULTIPLE[0], MULTIPLE[1])
    at = values.index(top) if top in values else 0  # no period has words
    return data | {
        "d": path(points),
        "dot": points[at],
        "peak_at": time.labels[at],
        "first": time.labels[0],
        "last": time.labels[-1],
        "width": MULTIPLE[0],
        "height": MULTIPLE[1],
    }


@register.simple_tag
def bins_table(bins: Sequence[Any], hue: int, bars: bool = False) -> SafeString:
    """Rows of a topic's groups; with bars, on one scale."""
    most = max((group.share or 0 for group in bins), default=0) or 1
    rows = [
        (
            group.label,
            (
                format_html('<td class="bar-cell">{}</td>', bar(hue, (group.share or 0) / most))
                if bars
                else ""
            ),
            percent(group.share),
            count(group.tokens),
            count(group.of_tokens),
            (
                format_html('<a href="{}">{}</a>', group.url, count(group.documents))
                if group.documents
                else count(0)
            ),
            count(group.of_documents),
        )
        for group in bins
    ]
    return format_html_join(
        "",
        '<tr><th scope="row"><bdi>{}</bdi></th>{}<td class="n">{}</td>'
        '<td class="n" data-label="words">{}</td><td class="n" data-label="of all words">{}</td>'
        '<td class="n" data-label="documents">{}</td><td class="n" data-label="of'
        ' all">{}</td></tr>',
        rows,
    )


@register.simple_tag
def word_rows(words: Sequence[Any]) -> SafeString:
    """Rows of a topic's words: each with its bars, and what opens its lines and the reason why it
    is there."""
    return format_html_join(
        "\n",
        '<tr><th scope="row" class="words"><a href="{}">{}</a></th><td class="bar-cell"><svg'
        ' class="two-bars" width="100%" height="12" aria-hidden="true" focusable="false"><rect'
        ' class="all" width="{}" height="12"/><rect width="{}" height="12"/></svg></td><td'
        ' class="n"><a href="{}" aria-label="{}, read the lines of {} in this topic">{}</a></td><td'
        ' class="n aside">{}</td><td class="why"><a href="{}" aria-label="Why is {}'
        ' here?">passages</a></td></tr>',
        (
            (
                word.url,
                word.word,
                width(word.bar_everywhere),
                width(word.bar),
                word.lines,
                count(word.tokens),
                word.word,
                count(word.tokens),
                count(word.everywhere),
                word.why,
                word.word,
            )
            for word in words
        ),
    )


CHART = (1000, 170)  # of a topic's chart over time


@register.inclusion_tag("run/topic/_time_chart.html")
def time_chart(bins: Sequence[Any], topic: Any):
    """A topic's line over time, with a strip to point at for every group."""
    values = [group.share for group in bins]
    shares = known(values)
    if not shares:
        return {}
    peak, most = max(shares, key=lambda pair: pair[1])
    points = spots(values, most, *CHART)
    step = (CHART[0] - 2 * _EDGE) / max(len(bins) - 1, 1)
    strips = format_html_join(
        "",
        '<a href="{}" tabindex="-1"><title>{}: {}, {} words in {} documents</title>'
        '<rect x="{}" y="0" width="{}" height="{}"/><circle cx="{}" cy="{}" r="3"/></a>',
        (
            (
                group.url,
                group.label,
                percent(group.share),
                count(group.tokens),
                count(group.documents),
                f"{max(0.0, _EDGE + (i - 0.5) * step):.1f}",
                f"{step:.2f}",
                CHART[1],
                f"{points[i][0]:.1f}",
                f"{points[i][1]:.1f}",
            )
            for i, group in enumerate(bins)
            if points[i] is not None and group.documents
        ),
    )
    every = max(1, math.ceil(len(bins) / 8))
    ticks = [{"x": _EDGE + i * step, "label": bins[i].label} for i in range(0, len(bins), every)]
    return {
        "d": path(points),
        "dot": points[peak],
        "most": most,
        "peak_at": bins[peak].label,
        "strips": strips,
        "ticks": ticks,
        "topic": topic,
        # Under it is room for its labels
        "width": CHART[0],
        "height": CHART[1],
        "full": CHART[1] + 22,
        "text_y": CHART[1] + 16,
    }


@register.inclusion_tag("collocations/_network.html")
def network(groups: Sequence[Any], pairs: Sequence[Any], near: str):
    """Linked words on a circle, with a gap behind each group. A line is bent to the middle, and as
    wide as the root of its G2."""
    places = [word for group in groups if len(group) > 1 for word in [*group, None]]
    radius, step = min(190, 26 * len(places)), math.tau / len(places)
    spots = {
        word: (radius * math.sin(i * step), -radius * math.cos(i * step))
        for i, word in enumerate(places, 1)
        if word
    }
    by_name, most = (
        {word.word: at for word, at in spots.items()},
        max(word.tokens for word in spots),
    )
    lines = []
    for pair in pairs:
        (x, y), (to_x, to_y) = (by_name[word] for word in pair.words)
        bent = (
            f"M{x:.1f} {y:.1f}Q{(x + to_x) / 2.6:.1f} {(y + to_y) / 2.6:.1f} {to_x:.1f} {to_y:.1f}"
        )
        lines.append((pair.words, bent, f"{1 + 8 * math.sqrt(pair.g2 / pairs[0].g2):.1f}"))
    nodes = [
        (
            word,
            at,
            4 + 7 * math.sqrt(word.tokens / most),
            "".join(d for words, d, _ in lines if word.word in words),
        )
        for word, at in spots.items()
    ]
    heights = [y for _, y in spots.values()]
    return {
        "nodes": nodes,
        "lines": lines,
        "near": near,
        "top": min(heights) - 26,
        "height": max(heights) - min(heights) + 52,
    }


KEPT = (720, 230)  # of a chart in a notebook
_AXIS, _NAMES, _TOP, _BOTTOM = 46, 180, 14, 24  # kept free: left, right, above and below
_LETTER = 15  # from one name at the right to the next


@register.simple_tag
def kept_chart(columns: Sequence[Any], rows: Sequence[Sequence[Any]]) -> SafeString:
    """The numbers that a notebook has kept, as lines, where they are shares: the first column says
    of what. Drawn with nothing but the file that it stands in."""
    labels = [str(row[0]) for row in rows]
    by_name = {str(columns[i]): [row[i] for row in rows] for i in range(1, len(columns))}
    of_lines = {name: by_name[name] for name in by_name if not name.endswith((LOW, HIGH))}
    lines = list(of_lines.values())
    ends_of_intervals = [values for name, values in by_name.items() if name not in of_lines]
    cells = [cell for line in lines + ends_of_intervals for cell in line if cell is not None]
    shares = all(
        isinstance(cell, (int, float)) and not isinstance(cell, bool) and 0 <= cell <= 1
        for cell in cells
    )
    if len(labels) < 2 or not cells or not shares:
        return SafeString()
    most = max(cells) or 1.0
    width, height = KEPT[0] - _AXIS - _NAMES, KEPT[1] - _TOP - _BOTTOM
    hues = [of_line(i) for i in range(len(lines))]
    points = [spots(line, most, width, height) for line in lines]
    names = list(of_lines)
    drawn = _bands(by_name, hues, most, width, height)
    drawn += [
        format_html('<path class="t{}" d="{}"/>', hue, path(line))
        for hue, line in zip(hues, points, strict=True)
    ]
    if len(cells) <= 600:  # so few points that each says its value
        drawn += [
            format_html(
                '<circle class="t{}" cx="{}" cy="{}" r="4"><title>{}, {}: {}</title></circle>',
                hue,
                f"{at[0]:.1f}",
                f"{at[1]:.1f}",
                label,
                name,
                percent(share),
            )
            for hue, line, values, name in zip(hues, points, lines, names, strict=True)
            for at, label, share in zip(line, labels, values, strict=True)
            if at is not None and share is not None
        ]
    last = [
        next((at[1] for at in reversed(line) if at is not None), float(height)) for line in points
    ]
    ends = [
        format_html(
            '<text class="t{}" x="{}" y="{}">{}</text>',
            hues[i],
            width + 8,
            f"{y + 4:.1f}",
            names[i] if len(names[i]) < 24 else f"{names[i][:22]}…",
        )
        for i, y in zip(*apart(last, height), strict=True)
    ]
    levels = [
        format_html(
            '<path class="ground" d="M0 {}H{}"/><text x="-6" y="{}" text-anchor="end">{}</text>',
            y,
            width,
            f"{y + 4:.1f}",
            percent(most * (height - _EDGE - y) / (height - 2 * _EDGE)),
        )
        for y in (_EDGE, height // 2, height - _EDGE)
    ]
    step = (width - 2 * _EDGE) / (len(labels) - 1)
    ticks = [
        format_html(
            '<text x="{}" y="{}" text-anchor="middle">{}</text>',
            f"{_EDGE + i * step:.1f}",
            height + 17,
            labels[i],
        )
        for i in sorted({round(i * (len(labels) - 1) / 4) for i in range(5)})
    ]
    return format_html(
        '<svg class="kept-chart" viewBox="{} {} {} {}" role="img" aria-label="{}">{}</svg>',
        -_AXIS,
        -_TOP,
        *KEPT,
        f"Shares by {columns[0]}: the numbers are in the table below",
        SafeString("".join([*levels, *drawn, *ends, *ticks])),
    )


def _bands(
    by_name: dict[str, list[float | None]],
    hues: list[int],
    most: float,
    width: float,
    height: float,
) -> list[SafeString]:
    """The intervals of the lines that have them. by_name: the columns of a kept table."""
    drawn = []
    names = [name for name in by_name if not name.endswith((LOW, HIGH))]
    for hue, name in zip(hues, names, strict=True):
        low, high = by_name.get(name + LOW), by_name.get(name + HIGH)
        if low is not None and high is not None:
            outline = _band(low, high, most, width, height)
            drawn.append(format_html('<path class="t{} band" d="{}"/>', hue, outline))
    return drawn


def _band(
    low: Sequence[float | None],
    high: Sequence[float | None],
    most: float,
    width: float,
    height: float,
) -> str:
    """The `d` of the area between two lines; a new one behind each gap."""
    above, below = spots(high, most, width, height), spots(low, most, width, height)
    pieces, upper, lower = [], [], []
    for top, bottom in [*zip(above, below, strict=True), (None, None)]:
        if top is not None and bottom is not None:
            upper.append(top)
            lower.append(bottom)
        elif upper:
            outline = [*upper, *reversed(lower)]
            pieces.append("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in outline) + "Z")
            upper, lower = [], []
    return "".join(pieces)


def apart(
    heights: Sequence[float], lowest: float, line: float = _LETTER
) -> tuple[list[int], list[float]]:
    """Which line each name belongs to, from the top, and a height for each, none nearer to another
    than a line of text."""
    order = sorted(range(len(heights)), key=lambda i: heights[i])
    placed = accumulate(
        (heights[i] for i in order), lambda above, height: max(height, above + line)
    )
    return order, [
        min(height, lowest - (len(order) - 1 - j) * line) for j, height in enumerate(placed)
    ]


@register.simple_tag
def strip(values: Sequence[float], own: float) -> SafeString:
    """Every topic's value as a stroke on a line, and one of them as a dot."""
    places = np.asarray(values)
    low, high = float(places.min()), float(places.max())
    scale = 192 / (high - low) if high > low else 0.0
    strokes = np.unique(
        np.round(4 + (places - low) * scale if scale else np.full(1, 100.0), 1)
    ).tolist()
    x = 4 + (own - low) * scale if scale else 100.0
    return format_html(
        '<svg class="strip" viewBox="0 0 200 14" width="200" height="14" aria-hidden="true"'
        ' focusable="false"><path d="M{} 3v8"/><circle cx="{}" cy="7" r="4.5"/></svg>',
        " 3v8M".join(map(str, strokes)),
        f"{x:.1f}",
    )
