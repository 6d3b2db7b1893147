"""Celery's entry to training (webapp.runs.training)."""

from tasks.celery import app
from webapp.runs import training


@app.task(name="tasks.runs.train")
def train(run_id: int) -> None:
    training.train(run_id)
