"""How often something happened, over all processes: one hash in Redis. When Redis is emptied they begin again, which Prometheus expects."""

import redis

from webapp.jobs import events

KEY = "counts"


def add(what: str, kind: str) -> None:
    """One more of it. Without Redis it is not counted: nothing depends on it."""
    try:
        events.client().hincrby(KEY, f"{what} {kind}", 1)
    except redis.RedisError:
        return


def of(what: str) -> dict[str, int]:
    """kind -> how often. Raises redis.RedisError."""
    found = {}
    for name, value in events.client().hgetall(KEY).items():
        before, _, kind = name.decode().partition(" ")
        if before == what:
            found[kind] = int(value)
    return found
