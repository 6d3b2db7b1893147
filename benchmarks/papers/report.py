"""What was measured, as JSON, as a chart (SVG) and as a page (Markdown)."""

import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.engines import chart
from benchmarks.papers.bench import HOLDS, Curves, Outcome, Paper

COLOURS = tuple(chart.COLOURS.values())
DIGITS_OF_COMMIT = 12
DASHES = ("", "6 3", "2 3", "8 3 2 3")


def file_name(paper: Paper, name: str) -> str:
    """The name of the file of an experiment's chart."""
    return f"{paper.id}-{name.lower().replace(' ', '-').replace('.', '').replace(',', '')}.svg"


def markdown(paper: Paper, experiments: dict[str, dict]) -> str:
    """The page of a paper in docs/measurements/papers. experiments: what `keep` stores, by name."""
    holds = sum(stored["verdict"] == HOLDS for stored in experiments.values())
    command = f"python -m benchmarks.papers {paper.id.replace('-', ' --corpus ', 1)}"
    paragraphs = [
        f"# Paper {paper.id}, again\n",
        f"{paper.citation}\n",
        (
            f"Made by `{command}`, one"
            f" thread. {holds} of {len(experiments)} claims hold. Below each experiment stand its"
            " date, processor, commit, seconds, and the machine's load when it began: seconds that"
            " were measured beside other work (a load above 1) say little.\n"
        ),
    ]
    for name, stored in experiments.items():
        paragraphs += _section(paper, name, stored)
    return "\n".join(paragraphs)


def _section(paper: Paper, name: str, stored: dict) -> list[str]:
    """Paragraphs of an experiment. stored: what `keep` stores of it."""
    paragraphs = [
        f"## {name}: {stored['verdict']}\n",
        f"**The paper**: {stored['claim']}\n",
        f"**Here**: {stored['why']}\n",
    ]
    if stored["instead"]:
        paragraphs.append(f"**Corpus**: {stored['instead']}\n")
    if stored["curves"]:
        paragraphs.append(f"![{name}]({file_name(paper, name)})\n")
    paragraphs.append(table(stored["rows"]))
    commit = stored["commit"][:DIGITS_OF_COMMIT]
    circumstances = [
        stored["date"],
        stored["machine"]["cpu"],
        f"commit {commit}",
        f"{stored['seconds']:.0f} s",
        f"load {stored['load']:.1f}",
    ]
    if stored["quick"]:
        circumstances.append("small form")
    paragraphs.append(", ".join(circumstances) + ".\n")
    return paragraphs


def index(papers: list[dict]) -> str:
    """The page docs/measurements/papers/README.md. papers: what `keep` stores, in order."""
    paragraphs = [
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
                "the paper": stored["claim"],
                "here": f"**{stored['verdict']}**",
            }
            for name, stored in paper["experiments"].items()
        ]
        paragraphs.append(f"## [{paper['paper']}]({paper['paper']}.md): {paper['citation']}\n")
        paragraphs.append(table(rows))
    return "\n".join(paragraphs)


def table(rows: list[dict]) -> str:
    if not rows:
        return ""
    names = list(rows[0])
    lines = [_line(names), "|" + "---|" * len(names)]
    for row in rows:
        lines.append(_line([_cell(row.get(name)) for name in names]))
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def svg(title: str, curves: Curves, axes: tuple[str, str]) -> str:
    """A chart of its curves, those without points left out."""
    lines = []
    for number, (name, points) in enumerate(curves.items()):
        times_through_colours, colour = divmod(number, len(COLOURS))
        dash = DASHES[times_through_colours % len(DASHES)]
        if points:
            lines.append(chart.Line(name, points, COLOURS[colour], dash))
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
    stored = json.loads(path.read_text())["experiments"] if path.exists() else {}
    stored[name] = about | asdict(outcome)
    experiments = {}
    for experiment in paper.experiments:  # in the paper's order
        if experiment.name in stored:
            experiments[experiment.name] = stored[experiment.name] | {"claim": experiment.claim}
    of_paper = {"paper": paper.id, "citation": paper.citation, "experiments": experiments}
    path.write_text(json.dumps(of_paper, indent=1) + "\n")
    (pages / f"{paper.id}.md").write_text(markdown(paper, experiments))
    papers = [json.loads(path.read_text()) for path in sorted(results.glob("paper-*.json"))]
    (pages / "README.md").write_text(index(papers))
    if outcome.curves:
        title = f"Paper {paper.id}, {name}"
        drawing = svg(title, outcome.curves, outcome.axes)
        (pages / file_name(paper, name)).write_text(drawing)
