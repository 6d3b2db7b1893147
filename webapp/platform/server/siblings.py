"""What the web processes of one Topograph tell each other, through Redis: that something was
deleted, and their metrics.

Each has caches and mapped files of its own. What one deletes the others must let go of, or its
files keep their place on the disk and its pages their place in memory. Redis keeps a number that
changes with each deletion; every process looks at it, and empties its caches where it is another
than before. So does a process that could not ask for a while.
"""

import os
import socket
import threading
from collections.abc import Iterator

import redis
import structlog
from prometheus_client import generate_latest
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from webapp.platform import logs
from webapp.platform.jobs import events
from webapp.platform.server import metrics
from webapp.platform.storage import cache

log = structlog.get_logger(__name__)

DELETIONS = "web:deletions"
METRICS = "web:metrics:"
LOOK_SECONDS = 2.0  # seconds between two looks
GONE = 15  # seconds after which a process that says nothing is no more
MOST_PROCESSES = 64  # processes whose metrics are told
NAME = f"{socket.gethostname()}:{os.getpid()}"

_seen: bytes | int | None = None  # the number of deletions, as it was last seen


def forget() -> None:
    """Something was deleted: every web process lets go of what it keeps in memory and of the files
    it has open. While Redis is away the others do so when it is back."""
    global _seen
    cache.clear_all()
    try:
        _seen = events.client().incr(DELETIONS)
    except redis.RedisError as error:
        log.warning("a deletion could not be told", error=logs.error_name(error))


def follow() -> None:
    """Begin to look, in a thread of its own that ends with the process."""
    threading.Thread(target=_follow, name="siblings", daemon=True).start()


def _follow() -> None:
    stop = threading.Event()
    away = False
    while not stop.wait(LOOK_SECONDS):
        try:
            look(away)
            away = False
        except redis.RedisError:
            away = True


def look(away: bool = False) -> None:
    """Empty the caches if something was deleted since the last time, or if it could not be asked;
    tell the metrics. Raises RedisError."""
    global _seen
    before = _seen
    announced = events.client().get(DELETIONS)
    now = int(announced or 0)
    if away or (before is not None and now != before):
        cache.clear_all()
    if _seen == before:  # else a deletion of this process came meanwhile
        _seen = now
    events.client().set(METRICS + NAME, generate_latest(metrics.registry), ex=GONE)


class Together:
    """The metrics of all web processes as a registry has them: those of others, of some seconds
    ago, beside our own, told apart by the label `process`; without the label where there is one
    process alone."""

    def collect(self) -> Iterator[Metric]:
        if not (siblings := _others_metrics()):
            yield from metrics.registry.collect()
            return
        families: dict[str, Metric] = {}
        for name, text in {NAME: generate_latest(metrics.registry), **siblings}.items():
            for family in text_string_to_metric_families(text.decode()):
                into = families.setdefault(
                    family.name, Metric(family.name, family.documentation, family.type)
                )
                into.samples += [
                    sample._replace(labels={"process": name} | sample.labels)
                    for sample in family.samples
                ]
        yield from families.values()


@events.while_away({})
def _others_metrics() -> dict[str, bytes]:
    """name -> metrics, of the other web processes; of none while Redis is away."""
    return {
        name: text for name, text in events.notes(METRICS, MOST_PROCESSES).items() if name != NAME
    }
