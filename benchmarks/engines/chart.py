"""Lines, as a drawing (SVG): completion against seconds, and the figures of benchmarks.papers.

The drawing is readable on light and on dark pages, and without colours: each line has its name at
its end.
"""

import math
from html import escape
from typing import NamedTuple

from benchmarks.engines.judge import Curve
from benchmarks.engines.peers import ADAPTERS, OURS
from webapp.platform.drawing.lines import spread_names

# Each of them, and the text's grey, at least 3.7:1 against white and against GitHub's dark page.
COLOURS = dict(
    zip(
        ADAPTERS,
        (
            "#d9480f",
            "#1c7ed6",
            "#2b8a3e",
            "#7c6f00",
            "#be4bdb",
            "#748089",
            "#0c8599",
            "#a0664a",
            "#5f5fff",
            "#e64980",
        ),
        strict=True,
    )
)
WIDTH = 880
HEIGHT = 460
LEFT = 64
RIGHT = 256
TOP = 56
BOTTOM = 52
LINE_HEIGHT = 17
DEPTH = 1.2  # nats below the best: what is worse is below the edge, unless a line ends there
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #6e7781 }
.small { font-size: 12px } .title { font-size: 15px; font-weight: 600 }
.grid { stroke: #8b949e; stroke-opacity: .28 } .axis { stroke: #8b949e }
"""


def chosen(curves: list[Curve], seconds: float) -> list[Curve]:
    """For each engine the variant with the best completion in time; the best engine first."""
    found: dict[str, Curve] = {}
    ended = []
    for curve in curves:
        best = curve.best(seconds)
        if best:
            ended.append((best.held_out, curve))
    for _, curve in sorted(ended, key=lambda pair: -pair[0]):
        name = curve.variant.label if curve.variant.engine == OURS else curve.variant.engine
        found.setdefault(name, curve)
    return list(found.values())


class Line(NamedTuple):
    """points: (x, y), by x. bold: thicker, its name too."""

    name: str
    points: list[tuple[float, float]]
    colour: str
    dashes: str = ""
    bold: bool = False


def svg(curves: list[Curve], seconds: float, title: str) -> str:
    """Completion against seconds of training: of each engine the curve that got furthest."""
    lines = []
    for curve in chosen(curves, seconds):
        ours = curve.variant.engine == OURS
        engine = curve.variant.engine
        points = sorted((p.seconds, p.held_out) for p in curve.points if p.seconds <= seconds)
        label = f"{curve.variant.label}  \N{MINUS SIGN}{-points[-1][1]:.3f}"
        note = ours and bool(curve.variant.note)
        lines.append(Line(label, points, COLOURS[engine], "6 3" if note else "", ours and not note))
    lowest = min(
        max(y for line in lines for _, y in line.points) - DEPTH,
        *[line.points[-1][1] for line in lines],
    )
    return draw(
        title,
        lines,
        "seconds of training",
        "Held-out completion, nats per token (higher is better)",
        lowest,
    )


def draw(title: str, lines: list[Line], x_axis: str, y_axis: str, lowest: float = -math.inf) -> str:
    """Lines with their names beside their ends. x is logarithmic where it is above 0 and spans a
    factor of 20. lowest: what is below is not shown. No text where there is no point."""
    every = [
        (x, y) for line in lines for x, y in line.points if math.isfinite(x) and math.isfinite(y)
    ]
    if not every:
        return ""
    xs, ys = zip(*every, strict=True)
    logarithmic = min(xs) > 0 and max(xs) / min(xs) >= 20
    scale = math.log if logarithmic else float
    first, last = scale(min(xs)), scale(max(xs))
    low, high = max(min(ys), lowest), max(ys)
    high, low = high + 0.04 * (high - low or 1), low - 0.04 * (high - low or 1)
    floor = HEIGHT - BOTTOM
    right = WIDTH - RIGHT

    def x(value: float) -> float:
        return LEFT + (scale(value) - first) / (last - first or 1) * (right - LEFT)

    def y(value: float) -> float:
        return TOP + (high - value) / (high - low) * (floor - TOP)

    out = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
            f' aria-label="{escape(title)}">'
        ),
        f"<style>{STYLE}</style>",
        (
            f'<clipPath id="in"><rect x="{LEFT}" y="{TOP}" width="{right - LEFT + 4}"'
            f' height="{floor - TOP}"/></clipPath>'
        ),
        f'<text class="title" x="{LEFT}" y="22">{escape(title)}</text>',
        f'<text class="small" x="{LEFT}" y="42">{escape(y_axis)}</text>',
        f'<text class="small" x="{(LEFT + right) / 2}" y="{HEIGHT - 12}"'
        f' text-anchor="middle">{escape(x_axis)}'
        f"{', logarithmic' if logarithmic else ''}</text>",
    ]
    out += [
        f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y(value):.1f}"'
        f' y2="{y(value):.1f}"/>\n<text class="small" x="{LEFT - 8}" y="{y(value) + 4:.1f}"'
        f' text-anchor="end">{_number(value)}</text>'
        for value in _ticks(low, high)
    ]
    powers = [m * 10.0**e for e in range(-6, 9) for m in (1, 2, 5)]
    out += [
        f'<line class="grid" x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{TOP}"'
        f' y2="{floor}"/>\n<text class="small" x="{x(value):.1f}" y="{floor + 18}"'
        f' text-anchor="middle">{value:g}</text>'
        for value in (powers if logarithmic else _ticks(first, last or 1))
        if first <= scale(value) <= last + 1e-9
    ]
    out.append(f'<line class="axis" x1="{LEFT}" x2="{right}" y1="{floor}" y2="{floor}"/>')
    names = spread_names([y(line.points[-1][1]) for line in lines], floor, LINE_HEIGHT)
    for i, name_y in reversed(list(zip(*names, strict=True))):
        places = [(f"{x(a):.1f}", f"{y(b):.1f}") for a, b in lines[i].points]
        out.append(_drawn(lines[i], places, x(lines[i].points[-1][0]), right, name_y))
    return "\n".join([*out, "</svg>"]) + "\n"


def _drawn(
    line: Line, places: list[tuple[str, str]], end: float, right: float, name_y: float
) -> str:
    """A line with its points, and its name beside it."""
    path = " ".join(map(",".join, places))
    colour = line.colour
    dashes = f' stroke-dasharray="{line.dashes}"' if line.dashes else ""
    circles = "\n".join(
        f'<circle cx="{cx}" cy="{cy}" r="{2.6 if line.bold else 2}"/>' for cx, cy in places
    )
    weight = ' font-weight="700"' if line.bold else ""
    return (
        f'<g clip-path="url(#in)" fill="{colour}" stroke="{colour}">\n<polyline points="{path}"'
        f' fill="none" stroke-width="{3.2 if line.bold else 1.8}"'
        f' stroke-linejoin="round"{dashes}/>\n{circles}\n</g><path d="M{end + 5:.1f}'
        f' {places[-1][1]}L{right + 8} {name_y:.1f}" stroke="{colour}" stroke-dasharray="1 3"'
        f' fill="none"/>\n<circle cx="{right + 12}" cy="{name_y:.1f}" r="4"'
        f' fill="{colour}"/>\n<text x="{right + 21}"'
        f' y="{name_y + 4:.1f}"{weight}>{escape(line.name)}</text>'
    )


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def _ticks(low: float, high: float) -> list[float]:
    """Six or so round numbers."""
    rough = (high - low) / 6
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough)
    return [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
