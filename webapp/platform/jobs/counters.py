"""Counters over all processes, in one hash in Redis. When Redis is emptied they begin at zero
again, which Prometheus expects."""

from contextlib import suppress
from typing import cast

import redis

from webapp.platform.jobs import events

KEY = "counts"


def add(event: str, kind: str) -> None:
    """Add one. While Redis is away nothing is counted: no work depends on it."""
    with suppress(redis.RedisError):
        events.client().hincrby(KEY, f"{event} {kind}", 1)


def by_kind(event: str) -> dict[str, int]:
    """kind of job -> count. Raises redis.RedisError."""
    stored = cast("dict[bytes, bytes]", events.client().hgetall(KEY))
    counts = {name.decode(): int(value) for name, value in stored.items()}
    return {
        name.removeprefix(f"{event} "): n
        for name, n in counts.items()
        if name.startswith(f"{event} ")
    }
