"""Addresses for machines: whether the process is alive, whether it can work, and its metrics."""

import hmac
import threading
import time
from collections.abc import Iterable, Iterator

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from webapp.platform.local.loopback import is_loopback
from webapp.platform.server import siblings
from webapp.service.operations import health, state

# Metrics of the whole system for Prometheus, gathered when it asks: jobs, workers, database, disk
# (docs/monitoring.md).
KEEP = 5.0  # seconds for which gathered metrics are reused, however many ask


class Gathered:
    """What is known of the whole system, from Postgres, Redis and the disk, as metrics.
    webapp.service.operations.state says which."""

    def __init__(self):
        self.lock = threading.Lock()
        self.at = -KEEP
        self.last: list[Metric] = []

    def collect(self) -> Iterator[Metric]:
        with self.lock:  # others wait for what the first one gathers
            if time.monotonic() - self.at >= KEEP:
                self.last = _families(state.measured_numbers())
                self.at = time.monotonic()
        yield from self.last

    def describe(self) -> Iterable[Metric]:
        """Asked for when it is registered; without it everything would be gathered then."""
        return _families([])


def _families(numbers: list[state.Number]) -> list[Metric]:
    families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
    for name, (kind, description, labels) in state.NUMBERS.items():
        family = CounterMetricFamily if kind == state.COUNTER else GaugeMetricFamily
        families[name] = family(name, description, labels=labels)
    for name, labels, value in numbers:
        families[name].add_metric(labels, value)
    return list(families.values())


# Of the whole system; that of a web process is webapp.platform.server.metrics
registry = CollectorRegistry()
gathered = Gathered()
registry.register(gathered)


@never_cache
@require_safe
async def lives(request: HttpRequest) -> HttpResponse:
    """Touches nothing: where this does not answer, the process must be started again."""
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """503 where it can't do its work; a worker that is missing is a warning, as pages can be read
    without."""
    readiness = health.readiness()
    return JsonResponse(
        {"ready": readiness.ready, "parts": readiness.parts}, status=200 if readiness.ready else 503
    )


@never_cache
@require_safe
def numbers(request: HttpRequest) -> HttpResponse:
    """For Prometheus. Nothing private stands in them, but how much is done here is nobody else's
    business."""
    if not may_read(request):
        return HttpResponse(
            "The metrics are for the operator, or for a program with the token of"
            " TOPOGRAPH_METRICS_TOKEN.\n",
            status=403,
            content_type="text/plain; charset=utf-8",
        )
    return HttpResponse(
        generate_latest(siblings.Together()) + generate_latest(registry),
        content_type=CONTENT_TYPE_LATEST,
    )


def may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN and hmac.compare_digest(
        request.headers.get("Authorization", "").removeprefix("Bearer ").encode(),
        settings.METRICS_TOKEN.encode(),
    ):
        return True
    if settings.ACCOUNTS:
        return request.user.is_authenticated and request.user.is_staff
    return not settings.METRICS_TOKEN and _loopback(request)


def _loopback(request: HttpRequest) -> bool:
    """Asked from this machine, and not through a proxy on it."""
    return not (
        "X-Forwarded-For" in request.headers or "Forwarded" in request.headers
    ) and is_loopback(request.META.get("REMOTE_ADDR", ""))
