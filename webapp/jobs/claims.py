"""Who works on a corpus or a run: the claim, the heartbeat and the end of it, for tasks that may be delivered twice.

A row's `status` says what is to be done. A task must win the claim, which raises `attempt`; every later write names that
attempt and fails with `Lost` when another attempt, a cancel or a delete came between. Redis only carries the news that
there is something to claim: a message that is lost is sent again by the sweep.
"""

import secrets
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import NamedTuple

import redis
import structlog
from celery import current_app as app
from celery.exceptions import CeleryError
from django.db import OperationalError as DatabaseError
from django.db import connection, transaction
from django.db.models import F, Model
from django.db.models.functions import Now
from kombu.exceptions import KombuError, OperationalError

from webapp import logs
from webapp.jobs import counts, events, roster
from webapp.models import Corpus, Run, Version
from webapp.storage import disk

log = structlog.get_logger(__name__)

STALE = timedelta(seconds=20)  # a heartbeat comes every 3 s: so many missed ones mean that the process is gone
LOOK = (
    10.0  # seconds that may pass between two looks of a sweep and count as watched: more of them and it was away itself
)
AGAIN = 60.0  # seconds after which a job that waits for room on the disk is tried again
TRIES = 5  # a job that took its process down so often, and came no further in between, would do it again
GAVE_UP = (
    "The work stopped {n} times at the same place without an error message, most likely because the machine ran out of memory. "
    "Nothing you uploaded is lost. Try fewer topics or a smaller collection, or ask the operator to look into the log."
)
NO_ROOM = (
    "The server’s disk is full. Nothing is lost: the work waits, and goes on by itself once there is room on the disk."
)
NEVER_ROOM = "The server’s disk was full {n} times, and there was never room enough for this. Nothing you uploaded is lost. Make room, then try again."


class Kind(NamedTuple):
    """What the kinds of job differ in."""

    model: type[Model]
    task: str
    news: callable  # publishes an event
    active: tuple[str, ...]  # statuses in which some attempt owns the row; the first is what a claim sets

    @property
    def name(self) -> str:
        """corpus, version or run."""
        return self.model._meta.model_name


def _of_version(pk: int, event: dict) -> None:
    """News of a version go to its corpus's page."""
    for corpus, number in Version.objects.filter(pk=pk).values_list("corpus", "number"):
        events.corpus(corpus, event | {"version": number})


READING = Kind(Corpus, "tasks.corpora.ingest", events.corpus, (Corpus.Status.READING,))
CHOOSING = Kind(Version, "tasks.corpora.choose", _of_version, (Version.Status.CHOOSING,))
TRAINING = Kind(Run, "tasks.runs.train", events.run, (Run.Status.RUNNING, Run.Status.STORING))
KINDS = (READING, CHOOSING, TRAINING)


def of(kind: Kind, pk: int) -> dict:
    """Which job a line of the log is about."""
    return {"kind": kind.name, kind.name: pk}


class Lost(Exception):
    """The row is no longer this attempt's: it was cancelled, deleted, or claimed by another."""


def send(kind: Kind, pk: int) -> None:
    """Tell the workers, once the present transaction is committed. Without Redis the sweep does it later."""

    def deliver():
        roster.asked(kind.name, pk, logs.request_id())
        try:
            events.client().ping()  # gives up sooner than the broker's connection does
            app.send_task(kind.task, [pk], retry=False)
        except (redis.RedisError, OperationalError, KombuError, CeleryError, OSError) as error:
            log.warning("a job waits for the broker", **of(kind, pk), error=logs.named(error))

    transaction.on_commit(deliver)


@contextmanager
def soon() -> Iterator[None]:
    """A transaction that waits for no lock for long, for those who watch over all jobs: raises OperationalError of Django's instead."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '2s'")
        yield


def claim(kind: Kind, pk: int) -> int | None:
    """Take a queued job; returns the attempt's number, or None when there is nothing to take, or no room on the disk to begin."""
    status = kind.active[0]
    queued = kind.model.objects.filter(pk=pk, status="queued")
    if disk.full():
        if queued.exclude(error=NO_ROOM).update(error=NO_ROOM):
            kind.news(pk, {"type": "status", "status": "queued", "error": NO_ROOM})
        return None
    fields = {
        "status": status,
        "attempt": F("attempt") + 1,
        "tries": F("tries") + 1,
        "heartbeat_at": Now(),
        "error": "",
    }
    with transaction.atomic():
        if not queued.update(**fields):
            return None
        attempt = kind.model.objects.values_list("attempt", flat=True).get(pk=pk)
    request_id = logs.request_id() or roster.asked_by(kind.name, pk)  # a message of the sweep has none
    structlog.contextvars.bind_contextvars(
        **of(kind, pk), attempt=attempt, **({"request_id": request_id} if request_id else {})
    )
    kind.news(pk, {"type": "status", "status": status, "error": ""})
    return attempt


def update(kind: Kind, pk: int, attempt: int, **fields) -> None:
    """Write fields, and a heartbeat, as the owner. Raises Lost when this attempt is not the owner any more."""
    mine = kind.model.objects.filter(pk=pk, attempt=attempt, status__in=kind.active)
    if not mine.update(heartbeat_at=Now(), **fields):
        raise Lost(f"{kind.task} {pk}, attempt {attempt}")
    if "status" in fields:
        event = {"type": "status", "status": fields["status"], "error": fields.get("error", "")}
        transaction.on_commit(lambda: kind.news(pk, event))


def fail(kind: Kind, pk: int, attempt: int, sentence: str) -> None:
    """End a job that can't be done; one that was deleted or taken over meanwhile is nobody's to fail."""
    try:
        update(kind, pk, attempt, status="failed", error=sentence)
        counts.add("failed", kind.name)
    except Lost:
        log.info("a job is not wanted any more", **of(kind, pk), attempt=attempt)


def crash(kind: Kind, pk: int, attempt: int) -> None:
    """For the handler of an unforeseen exception: log it, and show the id of the request that began the work.

    Where the disk was full the job waits.
    """
    if disk.is_full(sys.exception()):
        return wait(kind, pk, attempt)
    request_id = logs.request_id() or secrets.token_hex(8)
    log.exception("broken", **of(kind, pk), attempt=attempt, request_id=request_id)
    fail(
        kind,
        pk,
        attempt,
        f"Something went wrong in Topograph itself; nothing you uploaded is lost. (request {request_id})",
    )


def retry(kind: Kind, pk: int) -> bool:
    """Queue a job again that failed; it goes on where it was. Whether there was such a one."""
    with transaction.atomic():
        if not kind.model.objects.filter(pk=pk, status="failed").update(
            status="queued", error="", tries=0, heartbeat_at=Now()
        ):
            return False
        send(kind, pk)
    kind.news(pk, {"type": "status", "status": "queued", "error": ""})
    return True


def wait(kind: Kind, pk: int, attempt: int) -> None:
    """Put a job back for which the disk had no room; the sweep sends it again after a while."""
    log.warning("the disk is full, a job waits", **of(kind, pk), attempt=attempt)
    mine = kind.model.objects.filter(pk=pk, attempt=attempt, status__in=kind.active)
    if mine.filter(tries__gte=TRIES).exists():
        return fail(kind, pk, attempt, NEVER_ROOM.format(n=TRIES))
    if mine.update(status="queued", error=NO_ROOM):
        kind.news(pk, {"type": "status", "status": "queued", "error": NO_ROOM})


class Sweep:
    """Queues again what lost its process, and sends again what the broker may have lost. Safe in any number of workers.

    A process is gone when its heartbeat did not change for so long as STALE while this sweep looked on. Only a clock that never jumps is
    used, this process's own: neither the database's clock set forward nor a machine that slept makes a living job look dead, and
    none set back makes a dead one look alive.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock, self.before = clock, clock()
        self.seen: dict[
            tuple[str, int], tuple[tuple, float]
        ] = {}  # job -> (attempt and heartbeat, seconds that they were watched)
        self.sent_waiting = clock() - AGAIN

    def __call__(self) -> None:
        now = self.clock()
        passed, self.before = min(now - self.before, LOOK), now
        active = {}
        for kind in KINDS:
            # Without an attempt it is a part of another job: the version that a corpus gets while it is read, which has no beat of its own.
            claimed = kind.model.objects.filter(status__in=kind.active, attempt__gt=0)
            for pk, *beat in claimed.values_list("pk", "attempt", "heartbeat_at", "tries"):
                job = (kind.task, pk)
                known, watched = self.seen.get(job, (None, 0.0))
                watched = watched + passed if known == tuple(beat) else 0.0
                active[job] = tuple(beat), watched
                if watched >= STALE.total_seconds():
                    try:
                        _gone(kind, pk, *beat)
                    except DatabaseError as error:  # what Postgres does for the dead holds its row still: the next look
                        log.warning("a job can't be queued again yet", **of(kind, pk), error=logs.named(error))
        self.seen = active
        self._send_again(now)

    def _send_again(self, now: float) -> None:
        try:
            if events.client().llen(app.conf.task_default_queue):
                return
        except redis.RedisError:
            return  # there is nobody to send to
        from webapp.jobs import scheduler  # which claims by this module

        waiting = now - self.sent_waiting >= AGAIN
        for kind in KINDS:
            queued = kind.model.objects.filter(status="queued")
            for pk in (
                (queued if waiting else queued.exclude(error=NO_ROOM))
                .order_by("pk")
                .values_list("pk", flat=True)[: scheduler.begin_now(kind)]
            ):
                send(kind, pk)
        if waiting:
            self.sent_waiting = now


def _gone(kind: Kind, pk: int, attempt: int, heartbeat_at, tries: int) -> None:
    """A job's process is: another is to go on with it, unless too many went the same way."""
    mine = kind.model.objects.filter(pk=pk, attempt=attempt, heartbeat_at=heartbeat_at, status__in=kind.active)
    if tries >= TRIES:
        error = GAVE_UP.format(n=tries)
        with soon():
            failed = mine.update(status="failed", error=error)
        if failed:
            counts.add("failed", kind.name)
            kind.news(pk, {"type": "status", "status": "failed", "error": error})
        return
    with soon():
        again = mine.update(status="queued")
    if again:
        log.warning("a job lost its process and goes on", **of(kind, pk), attempt=attempt)
        counts.add("retried", kind.name)
        kind.news(pk, {"type": "status", "status": "queued", "error": ""})
        send(kind, pk)
