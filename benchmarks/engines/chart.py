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

# By engine. Each of them, and the text's grey, at least 3.7:1 against white and against GitHub's
# dark page.
_COLOURS = (
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
)
COLOURS = dict(zip(ADAPTERS, _COLOURS, strict=True))
WIDTH = 880
HEIGHT = 460
LEFT = 64
RIGHT = 256
TOP = 56
BOTTOM = 52
END = WIDTH - RIGHT
FLOOR = HEIGHT - BOTTOM
LINE_HEIGHT = 17
LINE_WIDTH = 1.8  # pixels; RADIUS: of a point
RADIUS = 2
BOLD_WIDTH = 3.2
BOLD_RADIUS = 2.6
MARGIN = 0.04  # of the height, above and below the lines
OVERHANG = 4  # pixels by which a point may stand beyond the axis
# Pixels between the axis and a number, a name, the dot before it, the dotted line that leads there
NUMBER_GAP = 8
NUMBER_BELOW = 18
NAME_OF_AXIS_ABOVE = 12  # the drawing's edge
NAME_GAP = 21
DOT_GAP = 12
LINK_GAP = 8
LINK_FROM = 5  # the last point
HALF_A_LETTER = 4  # by which a text's line is below its middle
LOGARITHMIC_FROM = 20  # the factor that x spans
ROUND_STEPS = (1, 2, 5, 10)
POWERS = range(-6, 9)  # of ten that are labelled on a logarithmic axis
TICKS = 6
ROUNDING = 1e-9
DEPTH = 1.2  # nats below the best: what is worse is below the edge, unless a line ends there
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #6e7781 }
.small { font-size: 12px } .title { font-size: 15px; font-weight: 600 }
.grid { stroke: #8b949e; stroke-opacity: .28 } .axis { stroke: #8b949e }
"""


def chosen(curves: list[Curve], seconds: float) -> list[Curve]:
    """For each engine the variant with the best completion in time; the best engine first."""
    ends = []
    for curve in curves:
        best = curve.best(seconds)
        if best:
            ends.append((best.held_out, curve))
    by_name: dict[str, Curve] = {}
    for _, curve in sorted(ends, key=lambda end: -end[0]):
        name = curve.variant.label if curve.variant.engine == OURS else curve.variant.engine
        by_name.setdefault(name, curve)
    return list(by_name.values())


class Line(NamedTuple):
    """points: (x, y), by x. bold: thicker, its name too."""

    name: str
    points: list[tuple[float, float]]
    colour: str
    dashes: str = ""
    bold: bool = False


def svg(curves: list[Curve], seconds: float, title: str) -> str:
    """Completion against seconds of training: of each engine the curve that got furthest."""
    lines = [_line(curve, seconds) for curve in chosen(curves, seconds)]
    highest = max(y for line in lines for _, y in line.points)
    lowest_end = min(line.points[-1][1] for line in lines)
    return draw(
        title,
        lines,
        "seconds of training",
        "Held-out completion, nats per token (higher is better)",
        min(highest - DEPTH, lowest_end),
    )


def _line(curve: Curve, seconds: float) -> Line:
    """Dashed where the engine is ours, but with other settings than its defaults."""
    variant = curve.variant
    is_ours = variant.engine == OURS
    in_time = [point for point in curve.points if point.seconds <= seconds]
    points = sorted((point.seconds, point.held_out) for point in in_time)
    return Line(
        name=f"{variant.label}  \N{MINUS SIGN}{-points[-1][1]:.3f}",
        points=points,
        colour=COLOURS[variant.engine],
        dashes="6 3" if is_ours and variant.note else "",
        bold=is_ours and not variant.note,
    )


def draw(title: str, lines: list[Line], x_axis: str, y_axis: str, lowest: float = -math.inf) -> str:
    """Lines with their names beside their ends. x is logarithmic where it is above 0 and spans a
    factor of 20. lowest: what is below is not shown. No text where there is no point."""
    points: list[tuple[float, float]] = []
    for line in lines:
        points += [point for point in line.points if all(map(math.isfinite, point))]
    if not points:
        return ""
    axes = Axes.of(points, lowest)
    in_scale = ", logarithmic" if axes.is_logarithmic else ""
    elements = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<clipPath id="in"><rect x="{LEFT}" y="{TOP}" width="{END - LEFT + OVERHANG}"'
        f' height="{FLOOR - TOP}"/></clipPath>',
        f'<text class="title" x="{LEFT}" y="22">{escape(title)}</text>',
        f'<text class="small" x="{LEFT}" y="42">{escape(y_axis)}</text>',
        f'<text class="small" x="{(LEFT + END) / 2}" y="{HEIGHT - NAME_OF_AXIS_ABOVE}"'
        f' text-anchor="middle">{escape(x_axis)}{in_scale}</text>',
        *axes.horizontal(),
        *axes.vertical(),
        f'<line class="axis" x1="{LEFT}" x2="{END}" y1="{FLOOR}" y2="{FLOOR}"/>',
    ]
    ends = [axes.y(line.points[-1][1]) for line in lines]
    numbers, names_y = spread_names(ends, FLOOR, LINE_HEIGHT)
    for number, name_y in reversed(list(zip(numbers, names_y, strict=True))):
        elements.append(_drawn(lines[number], axes, name_y))
    return "\n".join([*elements, "</svg>"]) + "\n"


class Axes(NamedTuple):
    """first, last: ends of x, logarithms where it is logarithmic. low, high: of y."""

    is_logarithmic: bool
    first: float
    last: float
    low: float
    high: float

    @classmethod
    def of(cls, points: list[tuple[float, float]], lowest: float) -> "Axes":
        """lowest: what is below is not shown."""
        xs, ys = zip(*points, strict=True)
        is_logarithmic = min(xs) > 0 and max(xs) / min(xs) >= LOGARITHMIC_FROM
        scale = math.log if is_logarithmic else float
        low = max(min(ys), lowest)
        high = max(ys)
        margin = MARGIN * (high - low or 1)
        return cls(
            is_logarithmic=is_logarithmic,
            first=scale(min(xs)),
            last=scale(max(xs)),
            low=low - margin,
            high=high + margin,
        )

    def scaled(self, value: float) -> float:
        return math.log(value) if self.is_logarithmic else value

    def x(self, value: float) -> float:
        """Pixels from the left."""
        part = (self.scaled(value) - self.first) / (self.last - self.first or 1)
        return LEFT + part * (END - LEFT)

    def y(self, value: float) -> float:
        """Pixels from the top."""
        return TOP + (self.high - value) / (self.high - self.low) * (FLOOR - TOP)

    def horizontal(self) -> list[str]:
        """Lines across, with their numbers."""
        elements = []
        for value in _ticks(self.low, self.high):
            y = self.y(value)
            baseline = y + HALF_A_LETTER
            elements.append(
                f'<line class="grid" x1="{LEFT}" x2="{END}" y1="{y:.1f}" y2="{y:.1f}"/>'
            )
            elements.append(
                f'<text class="small" x="{LEFT - NUMBER_GAP}" y="{baseline:.1f}"'
                f' text-anchor="end">{_number(value)}</text>'
            )
        return elements

    def vertical(self) -> list[str]:
        """Lines upwards, with their numbers."""
        values = _ticks(self.first, self.last or 1)
        if self.is_logarithmic:
            values = [step * 10.0**power for power in POWERS for step in ROUND_STEPS[:-1]]
        elements = []
        for value in values:
            if not self.first <= self.scaled(value) <= self.last + ROUNDING:
                continue
            x = self.x(value)
            elements.append(
                f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{FLOOR}"/>'
            )
            elements.append(
                f'<text class="small" x="{x:.1f}" y="{FLOOR + NUMBER_BELOW}"'
                f' text-anchor="middle">{value:g}</text>'
            )
        return elements


def _drawn(line: Line, axes: Axes, name_y: float) -> str:
    """A line with its points, and its name beside it. name_y: pixels from the top."""
    points = [(f"{axes.x(x):.1f}", f"{axes.y(y):.1f}") for x, y in line.points]
    path = " ".join(map(",".join, points))
    end_x = axes.x(line.points[-1][0])
    end_y = points[-1][1]
    colour = line.colour
    dashes = f' stroke-dasharray="{line.dashes}"' if line.dashes else ""
    weight = ' font-weight="700"' if line.bold else ""
    width = BOLD_WIDTH if line.bold else LINE_WIDTH
    radius = BOLD_RADIUS if line.bold else RADIUS
    circles = "\n".join(f'<circle cx="{x}" cy="{y}" r="{radius}"/>' for x, y in points)
    curve = (
        f'<g clip-path="url(#in)" fill="{colour}" stroke="{colour}">\n<polyline points="{path}"'
        f' fill="none" stroke-width="{width}" stroke-linejoin="round"{dashes}/>\n{circles}\n</g>'
    )
    link = (
        f'<path d="M{end_x + LINK_FROM:.1f} {end_y}L{END + LINK_GAP} {name_y:.1f}" stroke="{colour}"'
        ' stroke-dasharray="1 3" fill="none"/>'
    )
    dot = f'<circle cx="{END + DOT_GAP}" cy="{name_y:.1f}" r="4" fill="{colour}"/>'
    name = (
        f'<text x="{END + NAME_GAP}" y="{name_y + HALF_A_LETTER:.1f}"'
        f"{weight}>{escape(line.name)}</text>"
    )
    return f"{curve}{link}\n{dot}\n{name}"


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def _ticks(low: float, high: float) -> list[float]:
    """Six or so round numbers."""
    rough = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(times * power for times in ROUND_STEPS if times * power >= rough)
    return [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
