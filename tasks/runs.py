"""Celery's entries to the jobs of runs: training (webapp.runs.training; with other seeds webapp.runs.replicates), findings (webapp.findings.stored), words of two
sets (webapp.keyness.counting), comparing two (webapp.compare.matchings), and making a file of one (webapp.exports.kept)."""

from tasks.celery import app
from webapp.compare import matchings
from webapp.exports import kept
from webapp.findings import stored
from webapp.keyness import counting
from webapp.keyness.shapes import Which
from webapp.runs import replicates, training


@app.task(name="tasks.runs.train")
def train(run_id: int) -> None:
    training.train(run_id)


@app.task(name="tasks.runs.replicate")
def replicate(replicate_id: int) -> None:
    replicates.train(replicate_id)


@app.task(name="tasks.runs.find")
def find(run_id: int, query: str, by: int | None) -> None:
    """Findings of a set of a run's documents, as an address names it; by: the user who asked, None for a guest."""
    stored.compute(run_id, query, by)


@app.task(name=counting.TASK)
def compare_words(run_id: int, addresses: list[str], complement: bool, which: Which, by: int | None) -> None:
    """Of two sets of a run's documents, as addresses name them, and those that both are chosen of."""
    counting.compute(run_id, addresses, complement, which, by)


@app.task(name="tasks.runs.compare")
def compare(comparison_id: int) -> None:
    matchings.compare(comparison_id)


@app.task(name="tasks.runs.export")
def export(export_id: int) -> None:
    kept.make(export_id)
