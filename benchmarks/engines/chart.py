"""The curves: quality against seconds, as a drawing (SVG).

The drawing is readable on light and on dark pages, and without colours: each line has its name at its end.
"""

import math
from html import escape

from benchmarks.engines.judge import Curve, Point
from benchmarks.engines.peers import ADAPTERS, OURS

# Each of them, and the text's grey, at least 3.7:1 against white and against GitHub's dark page.
COLOURS = dict(
    zip(
        ADAPTERS,
        ("#d9480f", "#1c7ed6", "#2b8a3e", "#7c6f00", "#be4bdb", "#748089", "#0c8599", "#a0664a", "#5f5fff", "#e64980"),
        strict=True,
    )
)
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 880, 460, 64, 256, 56, 52
LINE_HEIGHT = 17
DEPTH = 1.2  # nats below the best: what is worse is below the edge, unless a line ends there
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #6e7781 }
.small { font-size: 12px } .title { font-size: 15px; font-weight: 600 }
.grid { stroke: #8b949e; stroke-opacity: .28 } .axis { stroke: #8b949e }
"""


def chosen(curves: list[Curve], seconds: float) -> list[Curve]:
    """Of each engine the variant that got furthest in time; the best first."""
    found: dict[str, Curve] = {}
    for curve in curves:
        engine, best = curve.variant.engine, curve.best(seconds)
        engine = curve.variant.label if engine == OURS else engine
        if best and (engine not in found or best.held_out > found[engine].best(seconds).held_out):
            found[engine] = curve
    return sorted(found.values(), key=lambda curve: -curve.best(seconds).held_out)


def _within(curve: Curve, seconds: float) -> list[Point]:
    return sorted((point for point in curve.points if point.seconds <= seconds), key=lambda point: point.seconds)


def svg(curves: list[Curve], seconds: float, title: str) -> str:
    curves = chosen(curves, seconds)
    points = {curve.variant.label: _within(curve, seconds) for curve in curves}
    every = [point for of in points.values() for point in of]
    high = max(p.held_out for p in every)
    low = max(min(p.held_out for p in every), min(high - DEPTH, min(of[-1].held_out for of in points.values())))
    high, low = high + 0.04 * (high - low or 1), low - 0.04 * (high - low or 1)
    first, last = math.log(min(p.seconds for p in every) * 0.9), math.log(max(seconds, max(p.seconds for p in every)))

    def x(s: float) -> float:
        return LEFT + (math.log(s) - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM)

    floor, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>",
        f'<clipPath id="in"><rect x="{LEFT}" y="{TOP}" width="{right - LEFT + 4}" height="{floor - TOP}"/></clipPath>',
        f'<text class="title" x="{LEFT}" y="22">{escape(title)}</text>',
        f'<text class="small" x="{LEFT}" y="42">Held-out completion, nats per token (higher is better)</text>',
        f'<text class="small" x="{(LEFT + right) / 2}" y="{HEIGHT - 12}" text-anchor="middle">seconds of training, logarithmic</text>',
    ]
    for value in _ticks(low, high):
        out.append(f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        said = f"{value:.2f}".replace("-", "\N{MINUS SIGN}")
        out.append(f'<text class="small" x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{said}</text>')
    for s in (m * 10.0**e for e in range(-3, 5) for m in (1, 2, 5)):
        if first <= math.log(s) <= last + 1e-9:
            out.append(f'<line class="grid" x1="{x(s):.1f}" x2="{x(s):.1f}" y1="{TOP}" y2="{floor}"/>')
            out.append(f'<text class="small" x="{x(s):.1f}" y="{floor + 18}" text-anchor="middle">{s:g}</text>')
    out.append(f'<line class="axis" x1="{LEFT}" x2="{right}" y1="{floor}" y2="{floor}"/>')
    names = _apart([y(of[-1].held_out) for of in points.values()], TOP, floor)
    for curve, name_y in reversed(list(zip(curves, names, strict=True))):
        of, colour = points[curve.variant.label], COLOURS[curve.variant.engine]
        ours = curve.variant.engine == OURS and not curve.variant.note
        dashes = ' stroke-dasharray="6 3"' if curve.variant.note and curve.variant.engine == OURS else ""
        path = " ".join(f"{x(p.seconds):.1f},{y(p.held_out):.1f}" for p in of)
        out.append(f'<g clip-path="url(#in)" fill="{colour}" stroke="{colour}">')
        out.append(
            f'<polyline points="{path}" fill="none" stroke-width="{3.2 if ours else 1.8}" stroke-linejoin="round"{dashes}/>'
        )
        out += [f'<circle cx="{x(p.seconds):.1f}" cy="{y(p.held_out):.1f}" r="{2.6 if ours else 2}"/>' for p in of]
        end_x, end_y = x(of[-1].seconds), y(of[-1].held_out)
        out.append(
            f'</g><path d="M{end_x + 5:.1f} {end_y:.1f}L{right + 8} {name_y:.1f}" stroke="{colour}" stroke-dasharray="1 3" fill="none"/>'
        )
        weight = ' font-weight="700"' if ours else ""
        label = f"{curve.variant.label}  \N{MINUS SIGN}{-of[-1].held_out:.3f}"
        out.append(f'<circle cx="{right + 12}" cy="{name_y:.1f}" r="4" fill="{colour}"/>')
        out.append(f'<text x="{right + 21}" y="{name_y + 4:.1f}"{weight}>{escape(label)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def _ticks(low: float, high: float) -> list[float]:
    """Six or so round numbers."""
    rough = (high - low) / 6
    step = next(
        m * 10.0 ** math.floor(math.log10(rough))
        for m in (1, 2, 5, 10)
        if m * 10.0 ** math.floor(math.log10(rough)) >= rough
    )
    return [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _apart(wanted: list[float], top: float, bottom: float) -> list[float]:
    """Places near the wanted ones, in their order, a line's height from one another."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        before = places[order[rank - 1]] + LINE_HEIGHT if rank else top
        places[i] = max(wanted[i], before)
    limit = bottom
    for i in reversed(order):
        places[i] = min(places[i], limit)
        limit = places[i] - LINE_HEIGHT
    return places
