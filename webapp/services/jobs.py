"""Who works on a corpus or a run: the claim, the heartbeat and the end of it, for tasks that may be delivered twice.

A row's `status` says what is to be done. A task must win the claim, which raises `attempt`; every later write names that
attempt and fails with `Lost` when another attempt, a cancel or a delete came between. Redis only carries the news that
there is something to claim: a message that is lost is sent again by the sweep.
"""

import secrets
from datetime import timedelta
from typing import NamedTuple

import structlog
from celery.exceptions import CeleryError
from django.db import transaction
from django.db.models import F, Model
from django.db.models.functions import Now
from kombu.exceptions import KombuError, OperationalError

from tasks.celery import app
from webapp import counts, events, logs, roster
from webapp.models import Corpus, Run, Version

log = structlog.get_logger(__name__)

STALE = timedelta(seconds=20)  # a heartbeat comes every 3 s: so many missed ones mean that the process is gone
ATTEMPTS = 5  # a job that took its process down so often would do it again
GAVE_UP = (
    "The work stopped {n} times without an error message, most likely because the machine ran out of memory. "
    "Nothing you uploaded is lost. Try fewer topics or a smaller collection, or ask the operator to look into the log."
)


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
            app.send_task(kind.task, [pk], retry=False)
        except (OperationalError, KombuError, CeleryError, OSError) as error:
            log.warning("a job waits for the broker", **of(kind, pk), error=logs.named(error))

    transaction.on_commit(deliver)


def claim(kind: Kind, pk: int) -> int | None:
    """Take a queued job; returns the attempt's number, or None when there is nothing to take."""
    status = kind.active[0]
    fields = {"status": status, "attempt": F("attempt") + 1, "heartbeat_at": Now(), "error": ""}
    with transaction.atomic():
        if not kind.model.objects.filter(pk=pk, status="queued").update(**fields):
            return None
        attempt = kind.model.objects.values_list("attempt", flat=True).get(pk=pk)
    request_id = logs.request_id() or roster.asked_by(kind.name, pk)  # a message of the sweep has none
    structlog.contextvars.bind_contextvars(**of(kind, pk), attempt=attempt, **({"request_id": request_id} if request_id else {}))
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
    """For the handler of an unforeseen exception: log it, and show the id of the request that began the work."""
    request_id = logs.request_id() or secrets.token_hex(8)
    log.exception("broken", **of(kind, pk), attempt=attempt, request_id=request_id)
    fail(kind, pk, attempt, f"Something went wrong in Topograph itself; nothing you uploaded is lost. (request {request_id})")


def retry(kind: Kind, pk: int) -> bool:
    """Queue a job again that failed; it goes on where it was. Whether there was such a one."""
    with transaction.atomic():
        if not kind.model.objects.filter(pk=pk, status="failed").update(status="queued", error="", heartbeat_at=Now()):
            return False
        send(kind, pk)
    kind.news(pk, {"type": "status", "status": "queued", "error": ""})
    return True


def sweep() -> None:
    """Queue again what lost its process, and send again what the broker may have lost. Safe in any number of workers."""
    waiting = app.connection_for_read()
    with waiting as broker:
        depth = broker.default_channel.client.llen(app.conf.task_default_queue)
    for kind in KINDS:
        rows = kind.model.objects
        stale = rows.filter(status__in=kind.active, heartbeat_at__lt=Now() - STALE)
        for pk, attempt in stale.values_list("pk", "attempt"):
            mine = stale.filter(pk=pk, attempt=attempt)
            if attempt >= ATTEMPTS:
                error = GAVE_UP.format(n=attempt)
                if mine.update(status="failed", error=error):
                    counts.add("failed", kind.name)
                    kind.news(pk, {"type": "status", "status": "failed", "error": error})
            elif mine.update(status="queued"):
                log.warning("a job lost its process and goes on", **of(kind, pk), attempt=attempt)
                counts.add("retried", kind.name)
                kind.news(pk, {"type": "status", "status": "queued", "error": ""})
                send(kind, pk)
        if depth == 0:
            for pk in rows.filter(status="queued").order_by("pk").values_list("pk", flat=True)[:1000]:
                send(kind, pk)
