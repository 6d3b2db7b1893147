"""What a Celery worker does beside its tasks, as handlers of Celery's signals: it beats, sweeps,
tidies, and notes its tasks."""

import os
import signal
import threading
import time

from celery.signals import (
    task_postrun,
    task_prerun,
    worker_process_init,
    worker_ready,
    worker_shutting_down,
)

from tasks.pulse import silence
from webapp.intake.ingest import corpora
from webapp.platform import system
from webapp.platform.jobs import roster, sweep
from webapp.platform.jobs.repeating import repeat
from webapp.service.operations import upkeep

_stopping = threading.Event()


def _name(hostname: str, pid: int) -> str:
    """The name of a worker in the roster. pid: of its main process."""
    return f"{hostname}:{pid}"


@worker_ready.connect
def begin(sender, **_):
    """Each in a thread of its own: to tidy up a large corpus takes minutes."""
    name, since = _name(sender.hostname, os.getpid()), time.time()

    def beat() -> None:
        roster.beat(name, sender.pool.limit or 1, since)
        silence.beat()

    repeat("beat", roster.BEAT, beat, _stopping)
    repeat("sweep", sweep.INTERVAL, sweep.Sweep(), _stopping)
    repeat("tidy", upkeep.INTERVAL, upkeep.tidy, _stopping)
    threading.Thread(target=corpora.create_first_example, daemon=True).start()


@worker_shutting_down.connect
def end(**_):
    _stopping.set()


@task_prerun.connect
def end_at_once(task, **_):
    """What ends a worker ends its tasks as a kill does, for which they are made.

    billiard's handler raises SystemExit wherever the task is; code in C, such as numba's, makes
    SystemError of that, and the job failed.
    """
    if task.request.hostname:  # else it was not called by a worker
        for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)


@task_prerun.connect
def note_start(task_id, task, args, **_):
    if args and isinstance(args[0], int) and task.request.hostname:
        roster.task_started(_name(task.request.hostname, os.getppid()), task_id, task.name, args[0])


@task_postrun.connect
def note_end(task_id, task, **_):
    if task.request.hostname:
        roster.task_ended(_name(task.request.hostname, os.getppid()), task_id)


@worker_process_init.connect
def die_with_parent(**_):
    """End a child when its worker is killed: on its own it could not be stopped, nor seen."""
    system.end_with_parent()


@worker_process_init.connect
def lower_priority(**_):
    """Give pages priority over trainings, as people wait for pages. Threads inherit it."""
    os.nice(10)
