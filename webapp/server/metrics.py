"""What this process counts for Prometheus, and what it finds out when it is asked (docs/monitoring.md).

A web process is one process with a registry of its own: several of them are several addresses to be scraped. Labels are names of
addresses and kinds of things, never ids of documents or what somebody typed. The one id is a run's while it trains: RUNS at most.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

BUCKETS = (
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.15,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
)  # seconds; 0.05, 0.15 and 0.25 are our targets

disable_created_metrics()  # a second series for each, of when it began
registry = CollectorRegistry()
ProcessCollector(registry=registry)
PlatformCollector(registry=registry)
GCCollector(registry=registry)

requests = Counter("topograph_http_requests", "Requests answered.", ["route", "method", "status"], registry=registry)
seconds = Histogram(
    "topograph_http_request_seconds", "Time to the answer's beginning.", ["route"], buckets=BUCKETS, registry=registry
)
refused = Counter(
    "topograph_http_refused", "Requests refused early because there was too much to do.", ["reason"], registry=registry
)
in_work = Gauge("topograph_http_in_work", "Requests being answered.", registry=registry)
waiting = Gauge("topograph_http_waiting", "Requests waiting for their turn.", registry=registry)
readers = Gauge("topograph_sse_readers", "Open streams of events.", registry=registry)
uploaded = Counter("topograph_uploaded_bytes", "Bytes of uploads that arrived here.", registry=registry)

QUIET = frozenset(("static", "healthz", "readyz", "metrics"))  # of machines: many, and always the same
METHODS = frozenset(("GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS", "PUT"))  # a client may say anything else


def answered(route: str, method: str, status: int, took: float) -> None:
    """A request has its answer, after `took` seconds."""
    requests.labels(route, method if method in METHODS else "other", str(status)).inc()
    seconds.labels(route).observe(took)


def slowest(n: int) -> list[dict]:
    """Addresses of people by their mean time since this process began: route, count, mean and about p95, in seconds."""
    found = []
    for (route,), histogram in list(seconds._metrics.items()):
        by_bucket = [bucket.get() for bucket in histogram._buckets]
        if route not in QUIET and (count := sum(by_bucket)):
            found.append(
                {
                    "route": route,
                    "count": int(count),
                    "mean": histogram._sum.get() / count,
                    "p95": _quantile(0.95, by_bucket),
                }
            )
    return sorted(found, key=lambda one: -one["mean"])[:n]


def _quantile(q: float, by_bucket: list[float]) -> float | None:
    """The upper end of the bucket in which it lies; none above the last one."""
    left = q * sum(by_bucket)
    for upper, n in zip(BUCKETS, by_bucket, strict=False):
        left -= n
        if left <= 0:
            return upper
    return None
