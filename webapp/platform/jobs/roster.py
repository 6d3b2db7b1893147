"""The roster: which workers are alive and what each is doing, for the scheduler and the operator.
Notes in Redis, all of which expire.

The rows say what is to be done (jobs.claims); these notes only say where. A worker renews its own
at every beat, so one that was stopped, or a Redis that was emptied, is forgotten for as long as it
is silent, and no longer.
"""

import json
import time
from contextlib import suppress
from itertools import islice
from typing import cast

import redis

from webapp.platform.jobs import events

BEAT = 1.5  # seconds between two beats of a worker
WORKER_SECONDS = 5  # without a beat, after which a worker counts as gone
MOST_ROWS = 1_000  # workers, and tasks of one worker, that are read
WORKER = "worker:"  # worker:NAME -> {"since", "processes"}


def beat(worker: str, processes: int, since: float) -> None:
    """Say that a worker is alive: how many processes it has, and since when (seconds since the
    epoch). Raises redis.RedisError."""
    with events.client().pipeline(transaction=False) as pipe:
        pipe.set(
            WORKER + worker, json.dumps({"since": since, "processes": processes}), ex=WORKER_SECONDS
        )
        # A worker that is silent may come back within a day
        pipe.expire(_tasks_of(worker), 24 * 3600)
        pipe.execute()


def live_workers() -> list[dict]:
    """worker, since (seconds since the epoch), processes, doing: [{task, key, since}]. Raises
    redis.RedisError.

    A process that was killed leaves its task in `doing`: its row says that it is not at work.
    """
    return [
        {"worker": name, **json.loads(note), "doing": _tasks(name)}
        for name, note in events.notes(WORKER, MOST_ROWS).items()
    ]


@events.while_away(None)
def count_workers() -> int | None:
    """How many workers are alive; None while Redis does not answer."""
    return sum(1 for _ in events.client().scan_iter(f"{WORKER}*", count=1000))


@events.while_away(0)
def processes() -> int:
    """How many processes all workers that are alive have; 0 while Redis does not answer."""
    return sum(worker["processes"] for worker in live_workers())


def task_started(worker: str, task_id: str, task: str, key: int) -> None:
    """Note that a worker does a task for the row `key`. No work depends on the note."""
    with suppress(redis.RedisError):
        events.client().hset(
            _tasks_of(worker), task_id, json.dumps({"task": task, "key": key, "since": time.time()})
        )


def task_ended(worker: str, task_id: str) -> None:
    with suppress(redis.RedisError):
        events.client().hdel(_tasks_of(worker), task_id)


def _tasks_of(worker: str) -> str:
    """The key of a hash: id of a task -> its note."""
    return f"doing:{worker}"


def _tasks(worker: str) -> list[dict]:
    return [
        json.loads(note)
        for _, note in islice(
            events.client().hscan_iter(_tasks_of(worker), count=MOST_ROWS), MOST_ROWS
        )
    ]


def remember_request(kind: str, key: int, request_id: str) -> None:
    """Remember which request queued a job, so that the job's lines in the log name it, whichever
    message brings it to a worker."""
    if request_id:
        with suppress(redis.RedisError):
            events.client().set(f"asked:{kind}:{key}", request_id, ex=7 * 24 * 3600)


@events.while_away("")
def remembered_request(kind: str, key: int) -> str:
    """The id of that request; "" where it is not known."""
    remembered = events.client().get(f"asked:{kind}:{key}")
    return cast("bytes", remembered or b"").decode()
