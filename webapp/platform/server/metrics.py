"""Metrics of this web process for Prometheus (docs/monitoring.md).

Each web process has a registry of its own, and is scraped under an address of its own. Labels are
names of routes and kinds of things, never ids of documents or what somebody typed. The one id is
that of a run while it trains (operations.state.RUNS of them at most).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

# Seconds; 0.05, 0.15 and 0.25 are our targets.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

disable_created_metrics()  # else each has a second series that says when it began
registry = CollectorRegistry()
ProcessCollector(registry=registry)
PlatformCollector(registry=registry)
GCCollector(registry=registry)

requests = Counter(
    "topograph_http_requests",
    "Requests answered.",
    ["route", "method", "status"],
    registry=registry,
)
seconds = Histogram(
    "topograph_http_request_seconds",
    "Time to the answer's beginning.",
    ["route"],
    buckets=BUCKETS,
    registry=registry,
)
refused = Counter(
    "topograph_http_refused",
    "Requests refused early because there was too much to do.",
    ["reason"],
    registry=registry,
)
in_work = Gauge("topograph_http_in_work", "Requests being answered.", registry=registry)
waiting = Gauge("topograph_http_waiting", "Requests waiting for their turn.", registry=registry)
readers = Gauge("topograph_sse_readers", "Open streams of events.", registry=registry)
uploaded = Counter(
    "topograph_uploaded_bytes", "Bytes of uploads that arrived here.", registry=registry
)

# Routes that machines request often: not logged
QUIET = frozenset(("static", "healthz", "readyz", "metrics"))
# A client may invent others
METHODS = frozenset(("GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PUT"))


def observe(route: str, method: str, status: int, took: float) -> None:
    """Count a request that was answered after `took` seconds."""
    requests.labels(route, method if method in METHODS else "other", str(status)).inc()
    seconds.labels(route).observe(took)


@dataclass(frozen=True)
class RouteTimes:
    """Seconds. p95: estimated, null above the longest time that is counted apart."""

    route: str
    count: int
    mean: float
    p95: float | None


def slowest(n: int) -> list[RouteTimes]:
    """The n routes with the highest mean time since this process began."""
    routes = []
    histograms: dict[Sequence[str], Any] = dict(seconds._metrics)  # by the values of their labels
    for (route,), histogram in histograms.items():
        by_bucket = [bucket.get() for bucket in histogram._buckets]
        if route not in QUIET and (count := sum(by_bucket)):
            routes.append(
                RouteTimes(
                    route, int(count), histogram._sum.get() / count, _quantile(0.95, by_bucket)
                )
            )
    return sorted(routes, key=lambda times: -times.mean)[:n]


def _quantile(q: float, by_bucket: list[float]) -> float | None:
    """The upper end of the bucket that holds the quantile; None above the last bucket."""
    rank = q * sum(by_bucket)
    counts = accumulate(by_bucket)
    return next((upper for upper, n in zip(BUCKETS, counts, strict=False) if n >= rank), None)
