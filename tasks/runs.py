"""Celery's entries to training (webapp.runs.training) and to findings (webapp.findings.stored)."""

from tasks.celery import app
from webapp.findings import stored
from webapp.runs import training


@app.task(name="tasks.runs.train")
def train(run_id: int) -> None:
    training.train(run_id)


@app.task(name="tasks.runs.find")
def find(run_id: int, query: str) -> None:
    """Findings of a set of a run's documents, as an address names it."""
    stored.compute(run_id, query)
