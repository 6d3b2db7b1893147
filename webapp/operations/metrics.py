"""Metrics of the whole system for Prometheus, gathered when it asks: jobs, workers, database, disk
(docs/monitoring.md)."""

import threading
import time
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from webapp.operations import state

KEEP = 5.0  # seconds for which gathered metrics are reused, however many ask


class Gathered:
    """What is known of the whole system, from Postgres, Redis and the disk, as metrics. webapp.operations.state says
    which."""

    def __init__(self):
        self.lock = threading.Lock()
        self.at = -KEEP
        self.last: list[Metric] = []

    def collect(self) -> Iterator[Metric]:
        with self.lock:  # others wait for what the first one gathers
            if time.monotonic() - self.at >= KEEP:
                self.last = _families(state.numbers())
                self.at = time.monotonic()
        yield from self.last

    def describe(self) -> Iterable[Metric]:
        """Asked for when it is registered; without it everything would be gathered then."""
        return _families([])


def _families(numbers: list[state.Number]) -> list[Metric]:
    families = {}
    for name, (kind, said, labels) in state.NUMBERS.items():
        families[name] = (CounterMetricFamily if kind == state.COUNTER else GaugeMetricFamily)(
            name, said, labels=labels
        )
    for name, labels, value in numbers:
        families[name].add_metric(labels, value)
    return list(families.values())


registry = CollectorRegistry()  # of the whole system; that of a web process is webapp.server.metrics
gathered = Gathered()
registry.register(gathered)
