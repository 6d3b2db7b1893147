"""What was measured, as JSON, as a chart (SVG) and as a page (Markdown)."""

import json
import math
from dataclasses import asdict
from html import escape
from pathlib import Path

from benchmarks.papers.bench import VERDICTS, Curves, Outcome, Paper

COLOURS = ("#d9480f", "#1c7ed6", "#2b8a3e", "#7c6f00", "#be4bdb", "#748089", "#0c8599", "#a0664a")
DASHES = ("", "6 3", "2 3", "8 3 2 3")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 360, 72, 200, 40, 48
STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; fill: #6e7781 }
.title { font-size: 15px; font-weight: 600 } .grid { stroke: #8b949e; stroke-opacity: .28 }
"""


def file_name(paper: Paper, name: str) -> str:
    """Of an experiment's chart."""
    return f"{paper.id}-{name.lower().replace(' ', '-').replace('.', '').replace(',', '')}.svg"


def markdown(paper: Paper, experiments: dict[str, dict]) -> str:
    """The page of a paper in docs/measurements/papers. experiments: what `keep` stores, by name."""
    holds = sum(one["verdict"] == VERDICTS[0] for one in experiments.values())
    out = [
        f"# Paper {paper.id}, again\n", f"{paper.citation}\n",
        f"Made by `python -m benchmarks.papers {paper.id}`, one thread. {holds} of {len(experiments)} claims hold. Below each "
        "experiment stand its date, processor, commit, seconds, and the machine's load when it began: seconds that were "
        "measured beside other work (a load above 1) say little.\n",
    ]  # fmt: skip
    for name, one in experiments.items():
        out += [f"## {name}: {one['verdict']}\n", f"**The paper**: {one['claim']}\n", f"**Here**: {one['why']}\n"]
        if one["instead"]:
            out += [f"**Corpus**: {one['instead']}\n"]
        if one["curves"]:
            out += [f"![{name}]({file_name(paper, name)})\n"]
        out += [
            table(one["rows"]),
            f"{one['date']}, {one['machine']['cpu']}, commit {one['commit'][:12]}, {one['seconds']:.0f} s, load {one['load']:.1f}"
            f"{', small form' if one['quick'] else ''}.\n",
        ]
    return "\n".join(out)


def index(papers: list[dict]) -> str:
    """The page docs/measurements/papers/README.md. papers: what `keep` stores, in order."""
    out = [
        "# The papers' experiments, made again\n",
        "For readers who ask whether the papers' results hold in this program: what each paper claims, and whether it holds here, by a "
        "rule in the code of the experiment "
        "(`python -m benchmarks.papers`). A paper's page has the tables and charts.\n",
    ]
    for paper in papers:
        rows = [
            {"experiment": name, "the paper": one["claim"], "here": f"**{one['verdict']}**. {one['why']}"}
            for name, one in paper["experiments"].items()
        ]
        out += [f"## [{paper['paper']}]({paper['paper']}.md): {paper['citation']}\n", table(rows)]
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


def keep(paper: Paper, name: str, outcome: Outcome, about: dict, results: Path, pages: Path) -> None:
    """Put an experiment among the paper's others: in its JSON, on its page, with its chart.

    about: machine, commit, date, load, seconds, quick. results, pages: folders.
    """
    results.mkdir(parents=True, exist_ok=True)
    pages.mkdir(parents=True, exist_ok=True)
    path = results / f"paper-{paper.id}.json"
    before = json.loads(path.read_text())["experiments"] if path.exists() else {}
    before[name] = about | asdict(outcome)
    experiments = {e.name: before[e.name] | {"claim": e.claim} for e in paper.experiments if e.name in before}
    whole = {"paper": paper.id, "citation": paper.citation, "experiments": experiments}
    path.write_text(json.dumps(whole, indent=1) + "\n")
    (pages / f"{paper.id}.md").write_text(markdown(paper, experiments))
    every = [json.loads(path.read_text()) for path in sorted(results.glob("paper-*.json"))]
    (pages / "README.md").write_text(index(every))
    if outcome.curves:
        title = f"Paper {paper.id}, {name}"
        (pages / file_name(paper, name)).write_text(svg(title, outcome.curves, outcome.axes))
