"""What was measured, as JSON, as a chart (SVG) and as a page (Markdown)."""

import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.engines import chart
from benchmarks.papers.bench import VERDICTS, Curves, Outcome, Paper

COLOURS = tuple(chart.COLOURS.values())
DASHES = ("", "6 3", "2 3", "8 3 2 3")


def file_name(paper: Paper, name: str) -> str:
    """The name of the file of an experiment's chart."""
    return f"{paper.id}-{name.lower().replace(' ', '-').replace('.', '').replace(',', '')}.svg"


def markdown(paper: Paper, experiments: dict[str, dict]) -> str:
    """The page of a paper in docs/measurements/papers. experiments: what `keep` stores, by name."""
    holds = sum(one["verdict"] == VERDICTS[0] for one in experiments.values())
    out = [
        f"# Paper {paper.id}, again\n",
        f"{paper.citation}\n",
        (
            f"Made by `python -m benchmarks.papers {paper.id.replace('-', ' --corpus ', 1)}`, one"
            f" thread. {holds} of {len(experiments)} claims hold. Below each experiment stand its"
            " date, processor, commit, seconds, and the machine's load when it began: seconds that"
            " were measured beside other work (a load above 1) say little.\n"
        ),
    ]
    for name, one in experiments.items():
        out += [
            f"## {name}: {one['verdict']}\n",
            f"**The paper**: {one['claim']}\n",
            f"**Here**: {one['why']}\n",
        ]
        if one["instead"]:
            out += [f"**Corpus**: {one['instead']}\n"]
        if one["curves"]:
            out += [f"![{name}]({file_name(paper, name)})\n"]
        out += [
            table(one["rows"]),
            (
                f"{one['date']}, {one['machine']['cpu']}, commit {one['commit'][:12]},"
                f" {one['seconds']:.0f} s, load"
                f" {one['load']:.1f}{', small form' if one['quick'] else ''}.\n"
            ),
        ]
    return "\n".join(out)


def index(papers: list[dict]) -> str:
    """The page docs/measurements/papers/README.md. papers: what `keep` stores, in order."""
    out = [
        "# The papers' experiments, made again\n",
        (
            "For readers who ask whether the papers' results hold in this program: what each paper"
            " claims, and whether it holds here, by a rule in the code of the experiment (`python"
            " -m benchmarks.papers`). A paper's page says why, with tables and charts.\n"
        ),
    ]
    for paper in papers:
        rows = [
            {
                "experiment": name,
                "the paper": one["claim"],
                "here": f"**{one['verdict']}**",
            }
            for name, one in paper["experiments"].items()
        ]
        out += [f"## [{paper['paper']}]({paper['paper']}.md): {paper['citation']}\n", table(rows)]
    return "\n".join(out)


def table(rows: list[dict]) -> str:
    if not rows:
        return ""
    names = list(rows[0])
    lines = [
        "| " + " | ".join(names) + " |",
        "|" + "---|" * len(names),
        *("| " + " | ".join(_cell(row.get(name)) for name in names) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def svg(title: str, curves: Curves, axes: tuple[str, str]) -> str:
    """A chart of its curves, those without points left out."""
    lines = [
        chart.Line(name, points, COLOURS[i % len(COLOURS)], DASHES[i // len(COLOURS) % len(DASHES)])
        for i, (name, points) in enumerate(curves.items())
        if points
    ]
    return chart.draw(title, lines, *axes)


def keep(
    paper: Paper, name: str, outcome: Outcome, about: dict, results: Path, pages: Path
) -> None:
    """Put an experiment among the paper's others: in its JSON, on its page, with its chart.

    about: machine, commit, date, load, seconds, quick. results, pages: folders.
    """
    results.mkdir(parents=True, exist_ok=True)
    pages.mkdir(parents=True, exist_ok=True)
    path = results / f"paper-{paper.id}.json"
    before = json.loads(path.read_text())["experiments"] if path.exists() else {}
    before[name] = about | asdict(outcome)
    experiments = {
        e.name: before[e.name] | {"claim": e.claim} for e in paper.experiments if e.name in before
    }
    whole = {"paper": paper.id, "citation": paper.citation, "experiments": experiments}
    path.write_text(json.dumps(whole, indent=1) + "\n")
    (pages / f"{paper.id}.md").write_text(markdown(paper, experiments))
    every = [json.loads(path.read_text()) for path in sorted(results.glob("paper-*.json"))]
    (pages / "README.md").write_text(index(every))
    if outcome.curves:
        (pages / file_name(paper, name)).write_text(
            svg(f"Paper {paper.id}, {name}", outcome.curves, outcome.axes)
        )
