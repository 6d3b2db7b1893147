"""Runs of older programs get new names of their topics, in the background, once."""

from webapp.analysis.answers import rows
from webapp.core.runs import names
from webapp.models import Run
from webapp.platform.jobs import dispatch

TASK = "tasks.runs.rename"


class _Beat:
    """Nobody waits for a rename, and it can be repeated: there is nothing to check."""

    def check(self) -> None: ...


def ask(run: Run, by: int | None) -> None:
    """Have a run's topics named anew where an older program named them; by: the user whose page it
    is, None for a guest."""
    if run.snapshot is not None and run.snapshot.final and run.snapshot.naming < names.METHOD:
        dispatch.ask(TASK, [run.pk], by)


def rename(run_id: int, by: int | None) -> None:
    """In a worker."""
    with dispatch.at_work(TASK, [run_id], by):
        run = rows.trained(run_id)
        snapshot = run.snapshot if run is not None else None
        if run is not None and snapshot is not None and snapshot.naming < names.METHOD:
            names.rename(run, _Beat())
