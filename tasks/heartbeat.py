"""Says, from a thread of its own, that a task is at work; tells the task when the row is not its own any more.

A task that is alive but comes no further is at work no longer: its process is ended, and the sweep lets another go on.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.db import Error, connection

from webapp.services import jobs

log = structlog.get_logger(__name__)

EVERY = 3.0  # seconds; jobs.STALE is several of them
# Seconds without a tick after which a task is taken to be stuck. A step of a training with 2,000 topics takes seconds, a measure of
# its topics a minute: they are so long that a machine with twenty times the work it can do does not come near.
PATIENCE = 1800.0
LONG = 3 * 3600.0  # of work that can't tick: an index built by Postgres, repeated documents of ten millions


class Heartbeat:
    """`with Heartbeat(kind, pk, attempt) as beat:` … `beat.check()`, often: raises jobs.Lost when the work is not wanted."""

    def __init__(self, kind: jobs.Kind, pk: int, attempt: int):
        self.job = (kind, pk, attempt)
        self._patience = PATIENCE
        self._stop = threading.Event()
        self._lost = None
        self._thread = threading.Thread(target=self._run, daemon=True, name="heartbeat")
        self.tick()

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def tick(self) -> None:
        """The work has come further."""
        self._ticked = time.monotonic()

    def check(self) -> None:
        """The same, and whether it is still wanted."""
        self.tick()
        if self._lost:
            raise self._lost

    @contextmanager
    def long(self) -> Iterator[None]:
        """Around work that takes long and can't tick."""
        before, self._patience = self._patience, LONG
        self.check()
        yield
        self.tick()
        self._patience = before

    def _run(self) -> None:
        while not self._stop.wait(EVERY):
            if time.monotonic() - self._ticked > self._patience:
                _end(self.job, self._patience)
            try:
                jobs.update(*self.job)
            except jobs.Lost as lost:
                self._lost = lost
                break
            except Error as error:  # Postgres is away: the next beat tries again with a new connection
                log.warning("no heartbeat", exc_info=error)
                connection.close()
        connection.close()


def _end(job: tuple, seconds: float) -> None:
    """Nothing else ends a thread that hangs. What is on record stays, and another process goes on from there."""
    kind, pk, attempt = job
    log.error("a job came no further, and its process is ended", **jobs.of(kind, pk), attempt=attempt, seconds=seconds)
    logging.shutdown()
    os.kill(os.getpid(), signal.SIGKILL)
