"""{% load charts %}: drawings of topics, made by the server in words that SVG understands.

Cells and circles that may be thousands on a page are f-strings: format_html takes some 20
microseconds more for each, measured, so that 2,400 cells of a grid would take 50 ms longer. All
else goes through format_html.
"""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from django import template
from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from inference.explore import bands
from webapp.platform.drawing import kept_chart as kept, kept_map, network as networks
from webapp.platform.drawing.chips import bar
from webapp.platform.drawing.directions import isolated
from webapp.platform.drawing.lines import (
    EDGE_UNITS,
    HEIGHT,
    WIDTH,
    Spot,
    numbered_values,
    path,
    sparkline,
    spots,
    step_between,
)
from webapp.platform.drawing.numbers import (
    NONE,
    count,
    percent,
    topic_title,
    width as bar_width,
)
from webapp.platform.drawing.protocols import (
    Amount,
    Band,
    Circle,
    GridLine,
    Group,
    GroupOfTopic,
    LabelPlace,
    Topic,
    TopicTimes,
    Values,
    WordGrid,
    WordOfTopic,
)

register = template.Library()


def enough_documents(documents: Sequence[int]) -> list[bool]:
    """Of each period, by its number of documents, whether a line over time shows its share."""
    return [number >= bands.THIN for number in documents]


def leave_out_thin(
    shares: Sequence[float | None], has_enough: Sequence[bool]
) -> Sequence[float | None]:
    """Shares of periods, None of those of too few documents: such a period would be the peak by a
    document or two, and scale all others down. As they are where no period has enough."""
    if not any(has_enough):
        return shares
    return [share if enough else None for share, enough in zip(shares, has_enough, strict=True)]


@register.simple_tag
def spark(
    values: Sequence[float | None] | None, hue: int, has_enough: Sequence[bool]
) -> SafeString:
    """A line from 0 to its own largest value, with a dot there. A hundred on a page. has_enough: of
    each value, whether its period has documents enough to be drawn."""
    if values is None:
        return SafeString()
    values = leave_out_thin(values, has_enough)
    if not numbered_values(values):
        return SafeString()
    peak, largest = max(numbered_values(values), key=lambda point: point[1])
    x = EDGE_UNITS + peak * step_between(len(values), WIDTH)
    y = EDGE_UNITS if largest else HEIGHT - EDGE_UNITS
    return format_html(
        '<svg class="spark t{}" viewBox="0 0 {} {}" width="{}" height="{}" aria-hidden="true"'
        ' focusable="false"><path d="{}"/><circle cx="{}" cy="{}" r="2"/></svg>',
        hue,
        WIDTH,
        HEIGHT,
        WIDTH,
        HEIGHT,
        sparkline(values, largest),
        f"{x:.1f}",
        f"{y:.1f}",
    )


# The map of topics


@register.simple_tag
def map_circles(circles: Sequence[Circle]) -> SafeString:
    """Each is a link."""
    return mark_safe("".join(_circle(circle) for circle in circles))  # texts are escaped


def _circle(circle: Circle) -> str:
    classes = f"t{circle.hue}"
    if circle.chosen:
        classes += " on"
    title = topic_title(circle.label, isolated(circle.text), circle.has_name)
    if circle.background:
        classes += " general"
        title += " (general talk)"
    title += f", {percent(circle.share)}"
    url = html.escape(circle.url)
    name = html.escape(circle.text)
    parts = [
        f'<a href="{url}" class="{classes}" data-topic="{circle.number}"',
        f' data-name="{name}" data-label="{circle.label}">',
        f'<circle cx="{circle.x}" cy="{circle.y}" r="{circle.r}"/>',
        f"<title>{html.escape(title)}</title></a>\n",
    ]
    return "".join(parts)


@register.simple_tag
def map_labels(circles: Sequence[Circle]) -> SafeString:
    """The labels of the circles that have room for one."""
    labels = [_label(circle, circle.place) for circle in circles if circle.place is not None]
    return mark_safe("".join(labels))  # numbers, and texts that are escaped


def _label(circle: Circle, label_place: LabelPlace) -> str:
    text = html.escape(isolated(circle.text))
    if label_place.numbered:
        text += f" <tspan>{circle.label}</tspan>"
    x_and_y = f'x="{label_place.x:.1f}" y="{label_place.y:.1f}"'
    return f'\n<text {x_and_y} text-anchor="{label_place.anchor}">{text}</text>'


# The grid of words and topics

CELL = 22  # pixels
SMALLEST_RADIUS = 0.8  # of a cell's circle: one token among thousands is seen


@register.simple_tag
def grid_cells(line: GridLine, grid: WordGrid) -> SafeString:
    """A line's cells. Each opens the word's lines in the topic."""
    url = conditional_escape(line.lines)
    cells = []
    for tokens, topic in zip(line.cells, grid.topics, strict=True):
        if tokens:
            cells.append(_cell(topic, tokens, grid.most, url))
        else:
            cells.append(f'<td data-topic="{topic.number}"></td>')
    return mark_safe("".join(cells))  # numbers, and an address that is escaped


def _cell(topic: Topic, tokens: int, largest: int, url: str) -> str:
    """The area of its circle grows with the tokens."""
    radius = max(SMALLEST_RADIUS, CELL / 2 * math.sqrt(tokens / largest))
    return (
        f'<td data-topic="{topic.number}" class="t{topic.hue}">'
        f'<a href="{url}{topic.number}" tabindex="-1" title="{tokens:,}">'
        '<svg viewBox="-11 -11 22 22" aria-hidden="true">'
        f'<circle r="{radius:.1f}"/></svg><span class="hidden">{tokens:,}</span></a></td>'
    )


# Topics in groups of documents

SMALL_WIDTH = 240  # of a small chart
SMALL_HEIGHT = 72
MOST_BARS = 8  # values of a category in a small chart


def _values_in(values: Values, amount: Amount) -> Sequence[float | None]:
    return values.shares if amount == "shares" else values.tokens


def _write_value(value: float | None, amount: Amount) -> str:
    return percent(value) if amount == "shares" else count(value)


@register.simple_tag
def bin_rows(time: TopicTimes, amount: Amount) -> SafeString:
    """Rows of the table of a stacked chart: a group each. Some thousands of cells."""
    rows = []
    other_values = _values_in(time.other, amount)
    for i, group in enumerate(time.bins):
        url = conditional_escape(group.url)
        label = conditional_escape(group.label)
        rows.append(f'<tr><th scope="row"><a href="{url}">{label}</a></th>')
        rows += [_cell_of_bin(topic, i, url, amount) for topic in time.stacked]
        further = [
            _write_value(other_values[i], amount),
            count(group.tokens),
            count(group.documents),
        ]
        rows += [f'<td class="n">{written}</td>' for written in further]
        rows.append("</tr>")
    return mark_safe("".join(rows))  # numbers, and texts that are escaped


def _cell_of_bin(topic: Band, group: int, url: str, amount: Amount) -> str:
    """A number that opens the documents in which it was counted."""
    value = _values_in(topic.values, amount)[group]
    if topic.values.tokens[group]:
        written = f'<a href="{url}&amp;has={topic.number}%3A0">{_write_value(value, amount)}</a>'
    elif value is None:
        written = NONE
    else:
        written = "0"
    return f'<td class="n" data-topic="{topic.number}">{written}</td>'


@dataclass(frozen=True)
class StackedPiece:
    """One topic's piece of a bar. x, width: percent of the longest bar."""

    topic: Band
    x: float
    width: float
    said: str


@dataclass(frozen=True)
class StackedBar:
    """A group. rest: where the topics that are not stacked begin."""

    url: str
    label: str
    pieces: list[StackedPiece]
    rest: float
    rest_width: float


@register.inclusion_tag("run/topics/_stacked_bars.html")
def stacked_bars(time: TopicTimes, amount: Amount) -> dict[str, list[StackedBar]]:
    """A line for each value of a category, divided among topics."""
    longest = _longest_bar(time, amount)
    return {"lines": [_stacked_bar(time, i, amount, longest) for i in range(len(time.bins))]}


def _longest_bar(time: TopicTimes, amount: Amount) -> float:
    """What fills the whole width: where other topics are not drawn the largest sum of those that
    are; else all words of the largest group, or the share 1."""
    if not time.other_drawn:
        sums = [
            sum(_values_in(topic.values, amount)[i] or 0 for topic in time.stacked)
            for i in range(len(time.bins))
        ]
        return max(sums, default=0) or 1
    if amount == "tokens":
        return max((group.tokens for group in time.bins), default=1)
    return 1.0


def _stacked_bar(time: TopicTimes, group: int, amount: Amount, longest: float) -> StackedBar:
    values = [_values_in(topic.values, amount)[group] for topic in time.stacked]
    widths = [100 * (value or 0) / longest for value in values]
    *starts, end = accumulate(widths, initial=0.0)
    segments = [
        StackedPiece(topic, x, width, _write_value(value, amount))
        for topic, x, width, value in zip(time.stacked, starts, widths, values, strict=True)
        if width
    ]
    rest_width = 0.0
    if time.other_drawn:
        rest_width = 100 * (_values_in(time.other, amount)[group] or 0) / longest
    return StackedBar(
        url=time.bins[group].url,
        label=time.bins[group].label,
        pieces=segments,
        rest=end,
        rest_width=rest_width,
    )


@register.inclusion_tag("run/topics/_multiple.html")
def multiple(topic: Band, time: TopicTimes, amount: Amount, own_scale: bool) -> dict[str, object]:
    """One topic's small chart: a line over time, or a bar for each of a category's first values."""
    values = _values_in(topic.values, amount)
    if amount == "shares" and time.in_time:
        has_enough = enough_documents([period.documents for period in time.bins])
        values = leave_out_thin(values, has_enough)
    peak = max((value for value in values if value is not None), default=0)
    largest_of_all = time.most.shares if amount == "shares" else time.most.tokens
    top = (peak if own_scale else largest_of_all) or 1
    context = {"topic": topic, "peak": _write_value(peak, amount), "in_time": time.in_time}
    if not time.in_time:
        return context | {"bars": _bars_of_values(topic, time, amount, top)}
    points = spots(values, top, SMALL_WIDTH, SMALL_HEIGHT)
    at_peak = values.index(peak) if peak in values else 0  # no period has words
    return context | {
        "d": path(points),
        "dot": points[at_peak],
        "peak_at": time.labels[at_peak],
        "first": time.labels[0],
        "last": time.labels[-1],
        "width": SMALL_WIDTH,
        "height": SMALL_HEIGHT,
    }


def _bars_of_values(
    topic: Band, time: TopicTimes, amount: Amount, top: float
) -> list[dict[str, object]]:
    values = _values_in(topic.values, amount)[:MOST_BARS]
    return [
        {
            "label": group.label,
            "url": f"{group.url}&has={topic.number}%3A0",
            "part": (value or 0) / top,
            "said": _write_value(value, amount),
        }
        for group, value in zip(time.bins[:MOST_BARS], values, strict=True)
    ]


# One topic


@register.simple_tag
def bins_table(bins: Sequence[GroupOfTopic], hue: int, bars: bool = False) -> SafeString:
    """Rows of a topic's groups; with bars, on one scale."""
    largest = max((group.share or 0 for group in bins), default=0) or 1
    rows = []
    for group in bins:
        bar_cell = ""
        if bars:
            drawn = bar(hue, (group.share or 0) / largest)
            bar_cell = format_html('<td class="bar-cell">{}</td>', drawn)
        row = (
            group.label,
            bar_cell,
            percent(group.share),
            count(group.tokens),
            count(group.of_tokens),
            _linked_documents(group),
            count(group.of_documents),
        )
        rows.append(row)
    return format_html_join(
        "",
        '<tr><th scope="row"><bdi>{}</bdi></th>{}<td class="n">{}</td>'
        '<td class="n" data-label="words">{}</td><td class="n" data-label="of all words">{}</td>'
        '<td class="n" data-label="documents">{}</td><td class="n" data-label="of'
        ' all">{}</td></tr>',
        rows,
    )


def _linked_documents(group: Group) -> str:
    """How many; a link where there are some."""
    documents = count(group.documents)
    if not group.documents:
        return documents
    return format_html('<a href="{}">{}</a>', group.url, documents)


@register.simple_tag
def word_rows(words: Sequence[WordOfTopic]) -> SafeString:
    """Rows of a topic's words: each with its bars, and what opens its lines and the reason why it
    is there."""
    rows = (
        {
            "url": word.url,
            "word": word.word,
            "bar_everywhere": bar_width(word.bar_everywhere),
            "bar": bar_width(word.bar),
            "lines": word.lines,
            "tokens": count(word.tokens),
            "everywhere": count(word.everywhere),
            "why": word.why,
        }
        for word in words
    )
    return format_html_join(
        "\n",
        '<tr><th scope="row" class="words"><a href="{url}">{word}</a></th><td class="bar-cell"><svg'
        ' class="two-bars" width="100%" height="12" aria-hidden="true" focusable="false"><rect'
        ' class="all" width="{bar_everywhere}" height="12"/><rect width="{bar}" height="12"/></svg>'
        '</td><td class="n"><a href="{lines}" aria-label="{tokens}, read the lines of {word} in'
        ' this topic">{tokens}</a></td><td class="n aside">{everywhere}</td><td class="why">'
        '<a href="{why}" aria-label="Passages: why {word} is here?">passages</a></td></tr>',
        rows,
    )


TIME_WIDTH = 1000  # of a topic's chart over time
TIME_HEIGHT = 170
LABEL_ROOM = 22  # under it, for the labels of its groups
LABEL_BASELINE = 16  # of them
MOST_LABELS = 8


@register.inclusion_tag("run/topic/_time_chart.html")
def time_chart(bins: Sequence[GroupOfTopic], topic: Topic) -> dict[str, object]:
    """A topic's line over time, with a strip to point at for every group."""
    has_enough = enough_documents([group.of_documents for group in bins])
    shares = leave_out_thin([group.share for group in bins], has_enough)
    known_shares = numbered_values(shares)
    if not known_shares:
        return {}
    peak, largest = max(known_shares, key=lambda point: point[1])
    points = spots(shares, largest, TIME_WIDTH, TIME_HEIGHT)
    step = step_between(len(bins), TIME_WIDTH)
    every_nth = max(1, math.ceil(len(bins) / MOST_LABELS))
    labelled = range(0, len(bins), every_nth)
    return {
        "d": path(points),
        "dot": points[peak],
        "most": largest,
        "peak_at": bins[peak].label,
        "leaves_out": any(has_enough) and not all(has_enough),
        "fewest": bands.THIN,
        "strips": _strips(bins, points, step),
        "ticks": [{"x": EDGE_UNITS + i * step, "label": bins[i].label} for i in labelled],
        "topic": topic,
        "width": TIME_WIDTH,
        "height": TIME_HEIGHT,
        "full": TIME_HEIGHT + LABEL_ROOM,
        "text_y": TIME_HEIGHT + LABEL_BASELINE,
    }


def _strips(bins: Sequence[GroupOfTopic], points: Sequence[Spot | None], step: float) -> SafeString:
    """Links as high as the chart: each opens the documents of a group that have the topic."""
    strips = []
    for i, group in enumerate(bins):
        spot = points[i]
        if spot is None or not group.documents:
            continue
        x, y = spot
        strip = {
            "url": group.url,
            "label": group.label,
            "share": percent(group.share),
            "tokens": count(group.tokens),
            "documents": count(group.documents),
            "left": f"{max(0.0, EDGE_UNITS + (i - 0.5) * step):.1f}",
            "width": f"{step:.2f}",
            "height": TIME_HEIGHT,
            "x": f"{x:.1f}",
            "y": f"{y:.1f}",
        }
        strips.append(strip)
    return format_html_join(
        "",
        '<a href="{url}" tabindex="-1">'
        "<title>{label}: {share}, {tokens} words in {documents} documents</title>"
        '<rect x="{left}" y="0" width="{width}" height="{height}"/>'
        '<circle cx="{x}" cy="{y}" r="3"/></a>',
        strips,
    )


STRIP_MARGIN = 4  # of the line of values, half a dot
STRIP_LENGTH = 192
STRIP_MIDDLE = STRIP_MARGIN + STRIP_LENGTH / 2  # where values stand that are all the same


@register.simple_tag
def strip(values: Sequence[float], own_value: float) -> SafeString:
    """Every topic's value as a stroke on a line, and one of them as a dot."""
    numbers = np.asarray(values)
    low = float(numbers.min())
    high = float(numbers.max())
    strokes = np.array([STRIP_MIDDLE])
    x = STRIP_MIDDLE
    if high > low:
        scale = STRIP_LENGTH / (high - low)
        strokes = np.unique(np.round(STRIP_MARGIN + (numbers - low) * scale, 1))
        x = STRIP_MARGIN + (own_value - low) * scale
    return format_html(
        '<svg class="strip" viewBox="0 0 200 14" width="200" height="14" aria-hidden="true"'
        ' focusable="false"><path d="M{} 3v8"/><circle cx="{}" cy="7" r="4.5"/></svg>',
        " 3v8M".join(map(str, strokes.tolist())),
        f"{x:.1f}",
    )


# Drawings that have a module of their own


@register.inclusion_tag("collocations/_network.html")
def network(
    groups: Sequence[Sequence[networks.Word]], pairs: Sequence[networks.Pair], near: str
) -> dict[str, object]:
    """Linked words on a circle, and lines between them. near: the word that all are near."""
    placed = networks.spots_on_circle(groups)
    lines = networks.lines_between(placed, pairs)
    heights = [y for _, (_, y) in placed]
    highest = min(heights)
    return {
        "nodes": networks.nodes_of(placed, lines),
        "lines": lines,
        "near": near,
        "top": highest - networks.MARGIN,
        "height": max(heights) - highest + 2 * networks.MARGIN,
    }


@register.simple_tag
def kept_chart(
    columns: Sequence[kept.Cell], rows: Sequence[Sequence[kept.Cell]], hues: Sequence[int]
) -> SafeString:
    """The numbers that a notebook has kept: as a map where they are places, as lines where they are
    shares. hues: of the rows."""
    if kept_map.is_map(columns):
        return kept_map.draw(rows, hues)
    return kept.draw(columns, rows)
