"""Says, from a thread of its own, that a task's process is alive; tells the task when the row is not its own any more."""

import threading

import structlog
from django.db import Error, connection

from webapp.services import jobs

log = structlog.get_logger(__name__)

EVERY = 3.0  # seconds; jobs.STALE is several of them


class Heartbeat:
    """`with Heartbeat(kind, pk, attempt) as beat:` … `beat.check()` raises jobs.Lost when the work is not wanted."""

    def __init__(self, kind: jobs.Kind, pk: int, attempt: int):
        self.job = (kind, pk, attempt)
        self.fields: dict = {}  # written with each beat: progress, where the task itself is inside a transaction
        self._stop = threading.Event()
        self._lost = None
        self._thread = threading.Thread(target=self._run, daemon=True, name="heartbeat")

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def check(self) -> None:
        if self._lost:
            raise self._lost

    def _run(self) -> None:
        while not self._stop.wait(EVERY):
            try:
                jobs.update(*self.job, **self.fields)
            except jobs.Lost as lost:
                self._lost = lost
                break
            except Error as error:  # Postgres is away: the next beat tries again with a new connection
                log.warning("no heartbeat", exc_info=error)
                connection.close()
        connection.close()
