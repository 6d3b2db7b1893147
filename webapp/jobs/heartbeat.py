"""Says, from a thread of its own, that a task is at work; tells the task when the row is not its own any more.

A task that is alive but comes no further is at work no longer: its process is ended, and the sweep lets another go on.
"""

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from django.db import Error, connection, connections

from webapp import logs
from webapp.jobs import claims
from webapp.jobs.activity import Life

log = structlog.get_logger(__name__)

EVERY = 3.0  # seconds; jobs.STALE is several of them
# Seconds without a tick, and without anything that shows work (webapp.jobs.activity), after which a task is taken to be stuck: it is ended, and
# queued again jobs.STALE later, all within a minute. They are counted by looks, so that a machine or a Postgres that stood still, or a
# machine with a hundred times the work it can do, trips nothing.
QUIET = 24.0
# Seconds without a tick after which it is taken to be stuck whatever it does: it goes round in a circle. A step of a training with
# 2,000 topics takes seconds, a measure of its topics a minute.
PATIENCE = 1800.0
LONG = 3 * 3600.0  # of work that can't tick: an index built by Postgres, repeated documents of ten millions


class Heartbeat:
    """`with Heartbeat(kind, pk, attempt) as beat:` … `beat.check()`, often: raises jobs.Lost when the work is not wanted."""

    def __init__(self, kind: claims.Kind, pk: int, attempt: int):
        self.job = (kind, pk, attempt)
        self._connection = connections["default"]  # of the thread that works
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
        life, quiet, ticked, looked = Life(self._connection), 0.0, self._ticked, time.monotonic()
        while not self._stop.wait(EVERY):
            try:
                with claims.soon():
                    claims.update(*self.job)
                passed, looked = min(time.monotonic() - looked, 2 * EVERY), time.monotonic()
                works = self._ticked != ticked or life.look()
            except claims.Lost as lost:
                self._lost = lost
                break
            except Error as error:  # Postgres is away: the next beat tries again with a new connection
                log.warning("no heartbeat", exc_info=error)
                connection.close()
                continue
            ticked, quiet = self._ticked, 0.0 if works else quiet + passed
            if quiet >= QUIET or time.monotonic() - ticked > self._patience:
                _end(self.job, time.monotonic() - ticked)
        connection.close()


def _end(job: tuple, seconds: float) -> None:
    """Nothing else ends a thread that hangs. What is on record stays, and another process goes on from there."""
    kind, pk, attempt = job
    where = logs.places(sys._current_frames().get(threading.main_thread().ident))
    log.error(
        "a job came no further, and its process is ended",
        **claims.of(kind, pk),
        attempt=attempt,
        seconds=seconds,
        traceback=where,
    )
    logging.shutdown()
    os.kill(os.getpid(), signal.SIGKILL)
