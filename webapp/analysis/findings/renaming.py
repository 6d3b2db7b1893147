"""Runs of older programs get new names of their topics, in the background, once."""

from webapp.analysis.answers import rows
from webapp.core.runs import names
from webapp.models import Run
from webapp.platform.jobs import dispatch

TASK = "tasks.runs.rename"


class _Beat:
    """Nobody waits for a rename, and it can be repeated: there is nothing to check."""

    def check(self) -> None: ...


def ask(run: Run, asker: int | None) -> None:
    """Have a run's topics named anew where an older program named them; asker: the user whose page
    it is, None for a guest."""
    snapshot = run.snapshot
    if snapshot is None or not snapshot.final or snapshot.naming >= names.METHOD:
        return
    dispatch.ask(TASK, [run.pk], asker, tried=tried_arguments(snapshot.pk))


def rename(run_id: int, asker: int | None) -> None:
    """In a worker."""
    run = rows.trained(run_id)
    snapshot = run.snapshot if run is not None else None
    if run is None or snapshot is None or snapshot.naming >= names.METHOD:
        dispatch.answered(TASK, [run_id], asker)
        return
    with dispatch.at_work(TASK, [run_id], asker, tried=tried_arguments(snapshot.pk)):
        names.rename(run, names.of_finished(run, _Beat()))


def tried_arguments(snapshot_id: int) -> list[int]:
    """What is tried: a program that names topics in another way tries at once."""
    return [snapshot_id, names.METHOD]
