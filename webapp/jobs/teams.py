"""The workers of a cluster that share a training (docs/scaling.md), for the operator: notes in Redis, which expire."""

import json

import redis

from webapp.jobs import events

SECONDS = 60  # for which what a leader said of its workers holds
MOST, MOST_WORKERS = 50, 256  # trainings that are read, and workers of each that are noted
KEYS = "team:*"  # team:RUN -> {"run", "restarts", "count", "workers"}


def note(run_id: int, seats: list[dict], restarts: int) -> None:
    """Say what each worker has done since it took its seat. seats: worker, rank, t (the step), steps, computing, exchanging
    and cpu (seconds), sent (bytes). restarts: how often the training went back to a checkpoint. No work depends on it."""
    said = {"run": run_id, "restarts": restarts, "count": len(seats), "workers": seats[:MOST_WORKERS]}
    try:
        events.client().set(f"team:{run_id}", json.dumps(said), ex=SECONDS)
    except redis.RedisError:
        return


def live() -> list[dict]:
    """What was noted in the last minute, by run. Raises redis.RedisError."""
    client = events.client()
    keys = sorted(client.scan_iter(KEYS, count=1000), reverse=True)[:MOST]
    notes = client.mget(keys) if keys else []
    return sorted((json.loads(said) for said in notes if said), key=lambda team: -team["run"])
