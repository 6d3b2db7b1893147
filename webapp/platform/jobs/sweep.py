"""The sweep: queue the jobs of dead processes again, and send messages again that the broker may
have lost.

Every worker sweeps. A process is dead when its row's heartbeat did not change for STALE while this
sweep watched, and the kernel has freed the lock on its files (jobs.file_lock). A process that still
holds its files exists, however seldom it gets the processor: it is given FROZEN. The sweep counts
by its own monotonic clock, in steps of at most LONGEST_STEP_SECONDS: neither a database clock that
is set, nor a machine that slept, makes a living job look dead or a dead one alive.
"""

import time
from collections.abc import Callable

import structlog
from django.conf import settings
from django.db import OperationalError

from webapp.models import Job
from webapp.platform import logs
from webapp.platform.jobs import claims, counters, dispatch, events, file_lock, scheduler
from webapp.platform.jobs.kinds import KINDS, JobKind

log = structlog.get_logger(__name__)

# seconds between two sweeps of a worker: a dead process is seen a quarter of STALE late, at most
INTERVAL = settings.STALE / 4
# seconds between two sweeps that count as watched; of a longer time the sweep itself was away
LONGEST_STEP_SECONDS = 2 * INTERVAL
# seconds after which a job that waits for room on the disk, or for the store, is sent again
RETRY_WAITING = 60.0
GAVE_UP = (
    "The work stopped {n} times at the same place without an error message, most likely because the"
    " machine ran out of memory. Nothing you uploaded is lost. Try fewer topics or a smaller"
    " collection, or ask the operator to look into the log."
)


class Sweep:
    """Call it every INTERVAL. Safe in any number of workers at once.

    clock: seconds of a clock that never jumps.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock = clock
        self.last = clock()
        # job -> (its attempt, heartbeat and tries, seconds for which they were watched without a
        # change)
        self.watched: dict[tuple[str, int], tuple[tuple, float]] = {}
        self.waiting_sent = clock() - RETRY_WAITING

    def __call__(self) -> None:
        now = self.clock()
        passed = min(now - self.last, LONGEST_STEP_SECONDS)
        self.last = now
        watched = {}
        for kind in KINDS:
            for pk, *beat in kind.at_work.values_list("pk", "attempt", "heartbeat_at", "tries"):
                before, seconds = self.watched.get((kind.task, pk), (None, 0.0))
                seconds = seconds + passed if before == tuple(beat) else 0.0
                watched[kind.task, pk] = tuple(beat), seconds
                if _is_dead(kind, pk, seconds):
                    _requeue_safely(kind, pk, *beat)
        self.watched = watched
        self._send_again(now)

    def _send_again(self, now: float) -> None:
        """Send as many queued jobs as may start now, where no message is on its way."""
        if not dispatch.queue_is_empty():
            return
        retry_waiting = now - self.waiting_sent >= RETRY_WAITING
        for kind in KINDS:
            queued = kind.model.objects.filter(status=Job.QUEUED)
            if not retry_waiting:
                queued = queued.filter(waits_for=Job.WaitsFor.NOTHING)
            for pk in queued.order_by("pk").values_list("pk", flat=True)[
                : scheduler.startable(kind)
            ]:
                dispatch.send_again(kind, pk)
        if retry_waiting:
            self.waiting_sent = now


def _is_dead(kind: JobKind, pk: int, seconds: float) -> bool:
    """Whether the process of a job is dead that was silent for so many seconds."""
    return seconds >= claims.STALE.total_seconds() and (
        seconds >= claims.FROZEN.total_seconds() or not file_lock.is_held(kind.folder(pk))
    )


def _requeue_safely(kind: JobKind, pk: int, *beat) -> None:
    try:
        requeue(kind, pk, *beat)
    # Postgres still works for the dead process, and has the row locked: the next sweep tries again
    except OperationalError as error:
        log.warning(
            "a job can't be queued again yet", **kind.log_fields(pk), error=logs.error_name(error)
        )


def requeue(kind: JobKind, pk: int, attempt: int, heartbeat_at, tries: int) -> None:
    """Queue a job again whose process is dead, or fail it after too many tries. Does nothing where
    the row has changed since."""
    owned = kind.model.objects.filter(
        pk=pk, attempt=attempt, heartbeat_at=heartbeat_at, status__in=kind.active
    )
    gave_up = tries >= claims.MAX_TRIES
    status, error = (Job.FAILED, GAVE_UP.format(n=tries)) if gave_up else (Job.QUEUED, "")
    with claims.short_lock_timeout():
        if not owned.update(status=status, **({"error": error} if gave_up else {})):
            return
    counters.add("failed" if gave_up else "retried", kind.name)
    kind.publish(pk, events.status_event(status, error=error))
    if not gave_up:
        log.warning("a job lost its process and goes on", **kind.log_fields(pk), attempt=attempt)
        dispatch.send_again(kind, pk)
