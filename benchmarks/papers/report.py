"""What was measured, as JSON, as a chart (SVG) and as a page (Markdown)."""

import json
import math
from dataclasses import asdict
from html import escape
from pathlib import Path

from benchmarks.papers.bench import VERDICTS, Curves, Experiment, Outcome, Paper

COLOURS = ("#d9480f", "#1c7ed6", "#2b8a3e", "#7c6f00", "#be4bdb", "#748089", "#0c8599", "#a0664a")
DASHES = ("", "6 3", "2 3", "8 3 2 3")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 360, 72, 200, 40, 48
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #6e7781 }
.title { font-size: 15px; font-weight: 600 } .grid { stroke: #8b949e; stroke-opacity: .28 }
"""


def as_json(paper: Paper, outcomes: dict[str, Outcome], about: dict) -> str:
    """about: machine, commit, date, quick, seconds."""
    said = {e.name: {"claim": e.claim} | asdict(outcomes[e.name]) for e in paper.experiments if e.name in outcomes}
    return json.dumps({"paper": paper.id, "citation": paper.citation} | about | {"experiments": said}, indent=1) + "\n"


def reproduced(outcomes: dict[str, Outcome]) -> int:
    """How many claims hold."""
    return sum(outcome.verdict == VERDICTS[0] for outcome in outcomes.values())


def file_name(paper: Paper, experiment: Experiment) -> str:
    return f"{paper.id}-{experiment.name.lower().replace(' ', '-').replace('.', '').replace(',', '')}.svg"


def markdown(paper: Paper, outcomes: dict[str, Outcome], about: dict) -> str:
    """The page docs/papers/ID.md."""
    out = [
        f"# Paper {paper.id}, again\n", f"{paper.citation}\n",
        f"Made by `python -m benchmarks.papers {paper.id}{' --quick' if about['quick'] else ''}` on "
        f"{about['date']}: {about['machine']['cpu']}, one thread, commit {about['commit'][:12]}, "
        f"{about['seconds']:.0f} seconds in all. {reproduced(outcomes)} of {len(outcomes)} claims hold.\n",
    ]  # fmt: skip
    for experiment in paper.experiments:
        if experiment.name not in outcomes:
            continue
        outcome = outcomes[experiment.name]
        out += [f"## {experiment.name}: {outcome.verdict}\n", f"**The paper**: {experiment.claim}\n"]
        out += [f"**Here**: {outcome.why}\n"]
        if outcome.instead:
            out += [f"**Corpus**: {outcome.instead}\n"]
        if outcome.curves:
            out += [f"![{experiment.name}]({file_name(paper, experiment)})\n"]
        out += [table(outcome.rows)]
    return "\n".join(out)


def table(rows: list[dict]) -> str:
    if not rows:
        return ""
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(_cell(row.get(name)) for name in names) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def svg(title: str, curves: Curves, axes: tuple[str, str]) -> str:
    """Lines with their names beside their ends. x is logarithmic where it is above 0 and spans a factor of 20."""
    points = [(x, y) for line in curves.values() for x, y in line if math.isfinite(x) and math.isfinite(y)]
    if not points:
        return ""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    log = min(xs) > 0 and max(xs) / min(xs) >= 20
    low, high = min(ys), max(ys) if max(ys) > min(ys) else min(ys) + 1.0
    first, last = (math.log(min(xs)), math.log(max(xs))) if log else (min(xs), max(xs))
    last = last if last > first else first + 1.0

    def at(x: float, y: float) -> tuple[float, float]:
        share = ((math.log(x) if log else x) - first) / (last - first)
        return LEFT + share * (WIDTH - LEFT - RIGHT), TOP + (high - y) / (high - low) * (HEIGHT - TOP - BOTTOM)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        f"<style>{STYLE}</style>", f'<text class="title" x="{LEFT}" y="22">{escape(title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(axes[0])}'
        f"{', logarithmic' if log else ''}</text>",
        f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(axes[1])}</text>',
    ]  # fmt: skip
    for i in range(5):
        value = low + i * (high - low) / 4
        y = at(min(xs), value)[1]
        out.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{value:.4g}</text>')
        value = math.exp(first + i * (last - first) / 4) if log else first + i * (last - first) / 4
        x = at(value, low)[0]
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{value:.3g}</text>')
    ends = sorted((at(*line[-1])[1], name) for name, line in curves.items() if line)
    label_y, place = {}, TOP
    for y, name in ends:
        place = max(place, y)
        label_y[name] = place
        place += 16
    for i, (name, line) in enumerate(curves.items()):
        if not line:
            continue
        colour, dash = COLOURS[i % len(COLOURS)], DASHES[i // len(COLOURS) % len(DASHES)]
        path = " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in line)
        out.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        )
        out += [f'<circle cx="{at(x, y)[0]:.1f}" cy="{at(x, y)[1]:.1f}" r="2.4" fill="{colour}"/>' for x, y in line]
        out.append(f'<text x="{WIDTH - RIGHT + 8}" y="{label_y[name] + 4:.1f}" fill="{colour}">{escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def write(paper: Paper, outcomes: dict[str, Outcome], about: dict, results: Path, pages: Path) -> None:
    """Results, page and charts. results, pages: folders."""
    results.mkdir(parents=True, exist_ok=True)
    pages.mkdir(parents=True, exist_ok=True)
    (results / f"paper-{paper.id}.json").write_text(as_json(paper, outcomes, about))
    (pages / f"{paper.id}.md").write_text(markdown(paper, outcomes, about))
    for experiment in paper.experiments:
        if experiment.name in outcomes and (outcome := outcomes[experiment.name]).curves:
            title = f"Paper {paper.id}, {experiment.name}"
            (pages / file_name(paper, experiment)).write_text(svg(title, outcome.curves, outcome.axes))
