"""Small drawings in words that SVG understands: sparklines and strips, made by the server."""

import math
from collections.abc import Sequence

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

from webapp.templatetags.pages import NONE, count, percent, width

register = template.Library()

WIDTH, HEIGHT = 120, 26  # of a sparkline, in the units of its viewBox
MULTIPLE = (240, 72)  # of a small chart
SHOWN = 8  # values of a category in a small chart
_EDGE = 2  # kept free for the dot at the peak


def known(values: Sequence[float | None]) -> list[tuple[int, float]]:
    return [(i, v) for i, v in enumerate(values) if v is not None and not math.isnan(v)]


def spots(values: Sequence[float | None], most: float, width: float = WIDTH, height: float = HEIGHT) -> list[tuple[float, float] | None]:
    """Where each value lies, None where there is none; 0 on the lower edge, `most` on the upper."""
    step = (width - 2 * _EDGE) / max(len(values) - 1, 1)
    scale = (height - 2 * _EDGE) / (most or 1.0)
    found = dict(known(values))
    return [(_EDGE + i * step, height - _EDGE - found[i] * scale) if i in found else None for i in range(len(values))]


def path(points: Sequence[tuple[float, float] | None]) -> str:
    """The `d` of a line that breaks where there is no point; a point between two breaks is drawn as a dash."""
    parts, pen = [], False
    for i, point in enumerate(points):
        if point is not None:
            x, y = point
            parts.append(f"{'L' if pen else 'M'}{x:.1f} {y:.1f}")
            if not pen and (i + 1 == len(points) or points[i + 1] is None):
                parts.append("h.8")
        pen = point is not None
    return "".join(parts)


@register.inclusion_tag("_spark.html")
def spark(values: Sequence[float | None], hue: int, most: float | None = None):
    """A line from 0 to `most`, by default its own largest value, with a dot where it is largest."""
    found = known(values)
    if not found:
        return {}
    peak = max(found, key=lambda pair: pair[1])
    points = spots(values, peak[1] if most is None else most)
    return {"d": path(points), "dot": points[peak[0]], "hue": hue, "width": WIDTH, "height": HEIGHT}


@register.simple_tag
def map_circles(circles: list[dict]) -> SafeString:
    """The circles of a map, each a link: up to some thousands on a page, so they are put together here."""
    return mark_safe(
        "".join(
            f'<a href="{c["url"]}" class="t{c["hue"]}{" on" if c["chosen"] else ""}" data-topic="{c["number"]}">'
            f'<circle cx="{c["x"]}" cy="{c["y"]}" r="{c["r"]}"/><title>{conditional_escape(c["label"] + " " + c["text"] + ", " + percent(c["share"]))}</title></a>\n'
            for c in circles
        )
    )


CELL = 22  # pixels, of the grid of words and topics


@register.simple_tag
def grid_cells(line: dict, grid: dict) -> SafeString:
    """A line's cells: up to some thousands on a page, so they are put together here. Each opens the word's lines in the topic."""
    most, url = grid["most"], conditional_escape(line["url"])
    parts = []
    for tokens, topic in zip(line["cells"], grid["topics"], strict=True):
        k = topic["number"]
        if not tokens:
            parts.append(f'<td data-topic="{k}"></td>')
            continue
        r = max(0.8, CELL / 2 * math.sqrt(tokens / most))
        parts.append(
            f'<td data-topic="{k}" class="t{topic["hue"]}"><a href="{url}?topic={k}" tabindex="-1" title="{tokens:,}">'
            f'<svg viewBox="-11 -11 22 22" aria-hidden="true"><circle r="{r:.1f}"/></svg><span class="hidden">{tokens:,}</span></a></td>'
        )
    return mark_safe("".join(parts))  # numbers, and an address that is escaped


def written(value: float | None, unit: str) -> str:
    return percent(value) if unit == "shares" else count(value)


@register.simple_tag
def bin_rows(time: dict, unit: str) -> SafeString:
    """Rows of the table of a stacked chart: each number opens the documents it was counted in. Some thousands of cells."""
    topics, other = time["stacked"], time["other"][unit]
    series = [(topic["number"], topic["values"][unit], topic["values"]["tokens"]) for topic in topics]
    parts = []
    for i, group in enumerate(time["bins"]):
        url = conditional_escape(group["url"])
        cells = [
            f'<td class="n" data-topic="{k}">'
            + (f'<a href="{url}&amp;has={k}%3A0">{written(values[i], unit)}</a>' if tokens[i] else "0" if values[i] is not None else NONE)
            + "</td>"
            for k, values, tokens in series
        ]
        parts.append(
            f'<tr><th scope="row"><a href="{url}">{conditional_escape(group["label"])}</a></th>{"".join(cells)}'
            f'<td class="n">{written(other[i], unit)}</td><td class="n">{count(group["tokens"])}</td><td class="n">{count(group["documents"])}</td></tr>'
        )
    return mark_safe("".join(parts))


@register.inclusion_tag("run/overview/_stacked_bars.html")
def stacked_bars(time: dict, unit: str):
    """A line for each value of a category, divided among topics: of 0 to 1, or of 0 to the largest number of words."""
    most = max((group["tokens"] for group in time["bins"]), default=1) if unit == "tokens" else 1
    lines = []
    for i, group in enumerate(time["bins"]):
        at, pieces = 0.0, []
        for topic in time["stacked"]:
            width = 100 * (topic["values"][unit][i] or 0) / most
            if width:
                pieces.append({"topic": topic, "x": at, "width": width, "said": written(topic["values"][unit][i], unit)})
            at += width
        lines.append(group | {"pieces": pieces, "rest": at, "rest_width": 100 * (time["other"][unit][i] or 0) / most})
    return {"lines": lines}


@register.inclusion_tag("run/overview/_multiple.html")
def multiple(topic: dict, time: dict, unit: str, own_scale: bool):
    """One topic's small chart: a line over time, or a bar for each of a category's first values."""
    values = topic["values"][unit]
    top = max((v for v in values if v is not None), default=0)
    most = (top if own_scale else time["most"][unit]) or 1
    said = {"topic": topic, "peak": written(top, unit), "in_time": time["in_time"]}
    if not time["in_time"]:
        bars = [
            {"label": group["label"], "url": f"{group['url']}&has={topic['number']}%3A0", "part": (value or 0) / most, "said": written(value, unit)}
            for group, value in zip(time["bins"][:SHOWN], values[:SHOWN], strict=True)
        ]
        return said | {"bars": bars}
    points = spots(values, most, MULTIPLE[0], MULTIPLE[1])
    at = values.index(top)
    return said | {"d": path(points), "dot": points[at], "peak_at": time["labels"][at], "first": time["labels"][0], "last": time["labels"][-1],
                   "width": MULTIPLE[0], "height": MULTIPLE[1]}  # fmt: skip


@register.simple_tag
def bins_table(bins: list[dict], hue: int, bars: bool = False) -> SafeString:
    """Rows of a topic's groups; with bars, on one scale."""
    most = max((group["share"] or 0 for group in bins), default=0) or 1
    rows = []
    for group in bins:
        share = percent(group["share"])
        bar = (
            f'<td class="bar-cell"><svg class="bar t{hue}" width="100%" height="8" aria-hidden="true" focusable="false">'
            f'<rect width="{width((group["share"] or 0) / most)}" height="8"/></svg></td>'
        )
        documents = f'<a href="{conditional_escape(group["url"])}">{count(group["documents"])}</a>' if group["documents"] else "0"
        rows.append(
            f'<tr><th scope="row"><bdi>{conditional_escape(group["label"])}</bdi></th>{bar if bars else ""}<td class="n">{share}</td>'
            f'<td class="n" data-label="words">{count(group["tokens"])}</td><td class="n" data-label="of all words">{count(group["of_tokens"])}</td>'
            f'<td class="n" data-label="documents">{documents}</td><td class="n" data-label="of all">{count(group["of_documents"])}</td></tr>'
        )
    return mark_safe("".join(rows))


CHART = (1000, 170)  # of a topic's chart over time
FOOT = 22  # under it, for its labels


@register.inclusion_tag("run/topic/_time_chart.html")
def time_chart(bins: list[dict], topic: dict):
    """A topic's line over time, with a strip to point at for every group."""
    values = [group["share"] for group in bins]
    found = known(values)
    if not found:
        return {}
    peak, most = max(found, key=lambda pair: pair[1])
    points = spots(values, most, *CHART)
    step = (CHART[0] - 2 * _EDGE) / max(len(bins) - 1, 1)
    strips = [
        {"x": max(0.0, _EDGE + (i - 0.5) * step), "width": step, "y": points[i][1], "cx": points[i][0], "url": group["url"],
         "said": f"{group['label']}: {percent(group['share'])}, {count(group['tokens'])} words in {count(group['documents'])} documents"}
        for i, group in enumerate(bins) if points[i] is not None and group["documents"]
    ]  # fmt: skip
    every = max(1, math.ceil(len(bins) / 8))
    ticks = [{"x": _EDGE + i * step, "label": bins[i]["label"]} for i in range(0, len(bins), every)]
    return {
        "d": path(points), "dot": points[peak], "most": most, "peak_at": bins[peak]["label"], "strips": strips, "ticks": ticks, "topic": topic,
        "width": CHART[0], "height": CHART[1], "full": CHART[1] + FOOT, "text_y": CHART[1] + 16,
    }  # fmt: skip


@register.inclusion_tag("run/topic/_strip.html")
def strip(values: Sequence[float], own: float):
    """Every topic's value as a stroke on a line, and one of them as a dot."""
    low, high = min(values), max(values)
    at = lambda value: 4 + 192 * ((value - low) / (high - low) if high > low else 0.5)  # noqa: E731
    strokes = sorted({round(at(value), 1) for value in values})
    return {"d": "".join(f"M{x:.1f} 3v8" for x in strokes), "x": at(own)}
