"""The workers of a cluster that share a training (docs/scaling.md), for the operator: notes in
Redis, which expire."""

import json

from webapp.platform.jobs import events

NOTE_SECONDS = 60  # for which what a leader said of its workers holds
# trainings that are read, and workers of each that are noted
MOST_TEAMS = 50
MOST_WORKERS = 256
TEAM = "team:"  # team:RUN -> {"run", "restarts", "count", "workers"}


def note(run_id: int, seats: list[dict], restarts: int) -> None:
    """Say what each worker has done since it took its seat. seats: worker, rank, t (the step),
    steps, computing, exchanging and cpu (seconds), sent (bytes). restarts: how often the training
    went back to a checkpoint. No work depends on it."""
    events.leave_note(
        f"{TEAM}{run_id}",
        {"run": run_id, "restarts": restarts, "count": len(seats), "workers": seats[:MOST_WORKERS]},
        NOTE_SECONDS,
    )


def live() -> list[dict]:
    """What was noted in the last minute, the newest run first. Raises redis.RedisError."""
    return sorted(
        map(json.loads, events.notes(TEAM, MOST_TEAMS).values()), key=lambda team: -team["run"]
    )
