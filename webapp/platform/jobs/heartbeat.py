"""The heartbeat of a job: a thread that writes the row's heartbeat, and tells the task when the row
belongs to another attempt.

A task also ticks as it advances. One that does not tick for PATIENCE is stuck (a deadlock, a query
that never ends): its process ends itself, and the sweep queues the job again. Time is counted in
steps of at most two intervals, by beats that reached Postgres: a process that was stopped, or
waited for the processor or for Postgres, is not stuck.
"""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import structlog
from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, connection

from inference.errors import Invalid
from webapp.platform import logs
from webapp.platform.jobs import claims, scheduler
from webapp.platform.jobs.file_lock import LockHeld, file_lock
from webapp.platform.jobs.kinds import JobKind
from webapp.platform.storage import disk
from webapp.platform.storage.s3 import StoreAway

log = structlog.get_logger(__name__)

# seconds between two beats: a process that misses five in a row has not been silent for STALE yet
INTERVAL = 0.15 * settings.STALE
# seconds without a tick: a step with 2,000 topics takes seconds, a measure of its topics a minute
PATIENCE = 1800.0
# The same of work that can't tick: an index built by Postgres, duplicates among ten million
# documents
LONG_PATIENCE = 3 * 3600.0


class Heartbeat:
    """`with Heartbeat(kind, pk, attempt) as beat:` … `beat.check()`, often: raises ClaimLost when
    the work is not wanted any more."""

    def __init__(self, kind: JobKind, pk: int, attempt: int):
        self.job = (kind, pk, attempt)
        self.patience = PATIENCE
        self._ticks = 0
        self._stop = threading.Event()
        self._lost: claims.ClaimLost | None = None
        self._thread = threading.Thread(target=self._run, daemon=True, name="heartbeat")

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def tick(self) -> None:
        """Say that the work has advanced."""
        self._ticks += 1

    def check(self) -> None:
        """Tick, and raise ClaimLost where the row belongs to another attempt."""
        self.tick()
        if self._lost:
            raise self._lost

    @contextmanager
    def long(self) -> Iterator[None]:
        """Around work that takes long and can't tick."""
        before = self.patience
        self.patience = LONG_PATIENCE
        try:
            self.check()
            yield
        finally:
            self.tick()
            self.patience = before

    def _run(self) -> None:
        ticks = self._ticks
        silent = 0.0
        last = time.monotonic()
        while not self._stop.wait(INTERVAL):
            try:
                with claims.short_lock_timeout():
                    claims.update(*self.job)
            except claims.ClaimLost as lost:
                self._lost = lost
                break
            except (
                Error
            ) as error:  # Postgres is away: the next beat tries again with a new connection
                log.warning("no heartbeat", exc_info=error)
                connection.close()
                continue
            now = time.monotonic()
            passed = min(now - last, 2 * INTERVAL)
            last = now
            silent = silent + passed if self._ticks == ticks else 0.0
            ticks = self._ticks
            if silent > self.patience:
                _end_process(self.job, silent)
        connection.close()


def _main_frame() -> FrameType | None:
    """Where the main thread is."""
    number = threading.main_thread().ident
    if number is None:
        raise AssertionError("The main thread has begun.")
    return sys._current_frames().get(number)


def _end_process(job: tuple, seconds: float) -> None:
    """Kill this process: nothing else ends a thread that hangs. What is on record stays, and
    another process continues from there."""
    kind, pk, attempt = job
    log.error(
        "a job came no further, and its process is ended",
        **kind.log_fields(pk),
        attempt=attempt,
        seconds=seconds,
        traceback=logs.stack_of(_main_frame()),
    )
    logging.shutdown()
    os.kill(os.getpid(), signal.SIGKILL)


# Running one job in a worker: claim it, hold its files, do the work, and end it whatever happens.


def run_next(
    kind: JobKind,
    pk: int,
    work: Callable[[int, int, Heartbeat], None],
    refusals: tuple[type[Exception], ...] = (Invalid,),
) -> None:
    """Do job `pk`, or the one that is due before it.

    work: called with the job's number, the attempt and its heartbeat. refusals: exceptions whose
    message is a sentence for the user. Raises what is transient: the heartbeat stops, and the sweep
    queues the job again.
    """
    if (claimed := scheduler.claim_next_job(kind, pk)) is None:
        return
    pk, attempt = claimed
    try:
        with Heartbeat(kind, pk, attempt) as beat, file_lock(kind.folder(pk)):
            work(pk, attempt, beat)
    except claims.ClaimLost:
        return
    except (
        OperationalError,
        InterfaceError,
        LockHeld,
    ) as error:  # Postgres is away, or another process can't be ended
        if not disk.is_full(error):
            raise
        claims.wait_for_disk(kind, pk, attempt)
    except StoreAway as error:
        claims.wait_for_store(kind, pk, attempt, error)
    except refusals as error:
        claims.fail(kind, pk, attempt, str(error))
    except Exception:
        claims.crash(kind, pk, attempt)
    finally:
        scheduler.dispatch_next(kind)
