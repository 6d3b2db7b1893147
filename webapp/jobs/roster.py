"""Who the workers are and what each is doing, for the operator: notes in Redis, beside the key by which each says that it lives.

The rows say what is to be done (jobs.claims); these notes only say where. What a killed process left behind is recognised by its row,
which is not at work any more, or by its worker, which is not alive.
"""

import json
import time

import redis

from webapp.jobs import events

WORKERS = "roster"  # a hash: worker -> since when, how many processes
DOING = "doing"  # a hash: id of a task -> worker, task, the row's key, since when
ASKED = 7 * 24 * 3600  # seconds
MOST = 1_000  # entries that are read of each


def began(worker: str, processes: int) -> None:
    _note(WORKERS, worker, {"since": time.time(), "processes": processes})


def takes(task_id: str, worker: str, task: str, key: int) -> None:
    _note(DOING, task_id, {"worker": worker, "task": task, "key": key, "since": time.time()})


def ended(task_id: str) -> None:
    try:
        events.client().hdel(DOING, task_id)
    except redis.RedisError:
        return


def _note(where: str, name: str, what: dict) -> None:
    """The work does not depend on it."""
    try:
        events.client().hset(where, name, json.dumps(what))
    except redis.RedisError:
        return


def asked(kind: str, key: int, request_id: str) -> None:
    """Which request queued a job: for its lines in the log, whichever message brings it to a worker. Kept for ASKED seconds."""
    if request_id:
        try:
            events.client().set(f"asked:{kind}:{key}", request_id, ex=ASKED)
        except redis.RedisError:
            return


def asked_by(kind: str, key: int) -> str:
    try:
        return (events.client().get(f"asked:{kind}:{key}") or b"").decode()
    except redis.RedisError:
        return ""


def alive() -> list[dict]:
    """worker, since (seconds since the epoch, or None), processes, doing: [{task, key, since}]. Forgets the dead. Raises redis.RedisError."""
    client = events.client()
    names = sorted(key.decode().removeprefix("worker:") for key in client.scan_iter(events.WORKER_KEYS, count=1000))
    known, doing = _read(client, WORKERS), _read(client, DOING)
    gone = [name for name in known if name not in names]
    lost = [task_id for task_id, note in doing.items() if note["worker"] not in names]
    if gone:
        client.hdel(WORKERS, *gone)
    if lost:
        client.hdel(DOING, *lost)
    return [
        {
            "worker": name,
            "since": known.get(name, {}).get("since"),
            "processes": known.get(name, {}).get("processes"),
            "doing": [
                {k: note[k] for k in ("task", "key", "since")} for note in doing.values() if note["worker"] == name
            ],
        }
        for name in names[:MOST]
    ]


def _read(client: redis.Redis, where: str) -> dict[str, dict]:
    found = {}
    for name, note in client.hscan_iter(where, count=MOST):
        found[name.decode()] = json.loads(note)
        if len(found) >= MOST:
            break
    return found
