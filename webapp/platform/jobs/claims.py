"""Claims: which attempt owns a job's row (jobs.kinds), though its task may be delivered twice.

A row's `status` says what is to be done. A task must win the claim, which raises `attempt`. Every
later write names that attempt, and raises ClaimLost when another attempt, a cancel or a deletion
came between.
"""

import secrets
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from webapp.models import Job
from webapp.platform import logs
from webapp.platform.jobs import counters, dispatch, events, roster
from webapp.platform.jobs.kinds import JobKind
from webapp.platform.storage import disk

log = structlog.get_logger(__name__)

# Without a heartbeat (jobs.heartbeat.INTERVAL) for so long a process that holds no lock is dead.
STALE = timedelta(seconds=settings.STALE)
# The same of a process that still holds its files. The kernel frees them when a process ends, so
# this one exists: it is starved of the processor, or stopped, or on a machine that is gone.
FROZEN = timedelta(minutes=10)
MAX_TRIES = 5  # attempts without progress: a job that ended its process so often would do it again
DISK_STAYED_FULL = (
    "The server’s disk was full {n} times, and there was never room enough for this. Nothing you"
    " uploaded is lost. Make room, then try again."
)


class ClaimLost(Exception):
    """The row does not belong to this attempt any more: it was cancelled, deleted, or claimed by
    another attempt."""


class Cancelled(ClaimLost):
    """A user cancelled the job, and this attempt gave the row up."""


class GaveWay(ClaimLost):
    """The attempt queued its row again, for those who wait and have had no turn."""


@contextmanager
def short_lock_timeout() -> Iterator[None]:
    """A transaction that waits at most 2 s for a lock, for those who watch over all jobs. Raises
    django.db.OperationalError."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '2s'")
        yield


def claim(kind: JobKind, pk: int) -> int | None:
    """Take a queued job. Returns the attempt's number; None where the job is not queued, or the
    disk has no room to begin."""
    status = kind.active[0]
    queued = kind.model.objects.filter(pk=pk, status=Job.QUEUED)
    if disk.full():
        begins_to_wait = queued.exclude(waits_for=Job.WaitsFor.DISK)
        if begins_to_wait.update(waits_for=Job.WaitsFor.DISK):
            _publish_waiting(kind, pk, Job.WaitsFor.DISK)
        return None
    with transaction.atomic():
        if not queued.update(
            status=status,
            attempt=F("attempt") + 1,
            tries=F("tries") + 1,
            heartbeat_at=Now(),
            error="",
            waits_for=Job.WaitsFor.NOTHING,
        ):
            return None
        attempt = kind.model.objects.values_list("attempt", flat=True).get(pk=pk)
    # The message may be another job's, or come from one that has ended, or from the sweep
    request_id = roster.remembered_request(kind.name, pk) or logs.request_id()
    structlog.contextvars.bind_contextvars(
        **kind.log_fields(pk), attempt=attempt, **({"request_id": request_id} if request_id else {})
    )
    kind.publish(pk, events.status_event(status))
    return attempt


def update(kind: JobKind, pk: int, attempt: int, **fields) -> None:
    """Write fields, and a heartbeat, as the owner. Raises ClaimLost when this attempt does not own
    the row any more."""
    if not _owned_rows(kind, pk, attempt).update(heartbeat_at=Now(), **fields):
        raise ClaimLost(f"{kind.task} {pk}, attempt {attempt}")
    if "status" in fields:
        event = events.status_event(fields["status"], error=fields.get("error", ""))
        transaction.on_commit(lambda: kind.publish(pk, event))


def _owned_rows(kind: JobKind, pk: int, attempt: int):
    return kind.model.objects.filter(pk=pk, attempt=attempt, status__in=kind.active)


def fail(kind: JobKind, pk: int, attempt: int, sentence: str) -> None:
    """End a job that can't be done, unless it was deleted or claimed by another attempt
    meanwhile."""
    try:
        update(kind, pk, attempt, status=Job.FAILED, error=sentence)
        counters.add("failed", kind.name)
    except ClaimLost:
        log.info("a job is not wanted any more", **kind.log_fields(pk), attempt=attempt)


def crash(kind: JobKind, pk: int, attempt: int) -> None:
    """Log the exception that is being handled, which nobody foresaw, and fail the job under the id
    of the request that began it.

    Where the disk was full the job waits instead.
    """
    if disk.is_full(sys.exception()):
        return wait_for_disk(kind, pk, attempt)
    request_id = logs.request_id() or secrets.token_hex(8)
    log.exception("broken", **kind.log_fields(pk), attempt=attempt, request_id=request_id)
    fail(
        kind,
        pk,
        attempt,
        "Something went wrong in Topograph itself; nothing you uploaded is lost. (request"
        f" {request_id})",
    )


def retry(kind: JobKind, pk: int) -> bool:
    """Queue a failed job again; it continues where it was. Returns whether there was such a job."""
    # That the attempt which failed was to be cancelled is not asked of the next
    without_request = {kind.request: ""} if kind.request else {}
    with transaction.atomic():
        if not kind.model.objects.filter(pk=pk, status=Job.FAILED).update(
            status=Job.QUEUED, error="", tries=0, heartbeat_at=Now(), **without_request
        ):
            return False
        dispatch.send(kind, pk)
    kind.publish(pk, events.status_event(Job.QUEUED))
    return True


def wait_for_store(kind: JobKind, pk: int, attempt: int, error: Exception) -> None:
    """Queue a job again that needs the store, which is away; the sweep sends it after a while."""
    log.warning(
        "the store is away, a job waits", **kind.log_fields(pk), attempt=attempt, error=str(error)
    )
    owned = _owned_rows(kind, pk, attempt)
    if owned.update(status=Job.QUEUED, waits_for=Job.WaitsFor.STORE, tries=0):
        _publish_waiting(kind, pk, Job.WaitsFor.STORE)


def wait_for_disk(kind: JobKind, pk: int, attempt: int) -> None:
    """Queue a job again for which the disk had no room; the sweep sends it after a while."""
    log.warning("the disk is full, a job waits", **kind.log_fields(pk), attempt=attempt)
    owned = _owned_rows(kind, pk, attempt)
    if owned.filter(tries__gte=MAX_TRIES).exists():
        return fail(kind, pk, attempt, DISK_STAYED_FULL.format(n=MAX_TRIES))
    if owned.update(status=Job.QUEUED, waits_for=Job.WaitsFor.DISK):
        _publish_waiting(kind, pk, Job.WaitsFor.DISK)


def _publish_waiting(kind: JobKind, pk: int, waits_for: Job.WaitsFor) -> None:
    kind.publish(pk, events.status_event(Job.QUEUED, notice=waits_for.label))
