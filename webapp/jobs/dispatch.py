"""Telling the workers that a job is queued. The row is the job; a message only brings the news, and may be lost or come
twice."""

import redis
import structlog
from celery import current_app as app
from celery.exceptions import CeleryError
from django.conf import settings
from django.db import transaction
from kombu.exceptions import KombuError, OperationalError

from webapp import logs
from webapp.jobs import events, roster
from webapp.jobs.kinds import JobKind

log = structlog.get_logger(__name__)


def send(kind: JobKind, pk: int) -> None:
    """Send the message of a queued job once the present transaction is committed. While Redis is away the sweep sends
    it later."""

    def deliver():
        roster.remember_request(kind.name, pk, logs.request_id())
        try:
            events.client().ping()  # which gives up sooner than the broker's connection
            app.send_task(kind.task, [pk], retry=False)
        except (redis.RedisError, OperationalError, KombuError, CeleryError, OSError) as error:
            log.warning("a job waits for the broker", **kind.log_fields(pk), error=logs.named(error))

    transaction.on_commit(deliver)


def ask(task: str, arguments: list, key: str, seconds: int) -> None:
    """Ask a worker for a task that has no row, at most once in so many seconds; while Redis is away nobody is asked, and the
    next call asks. key: tells it from others."""
    try:
        if events.client().set(f"asked for:{task}:{key}", 1, nx=True, ex=seconds):
            app.send_task(task, arguments, retry=False)
    except (redis.RedisError, OperationalError, KombuError, CeleryError, OSError) as error:
        log.warning("a task waits for the broker", task=task, error=logs.named(error))


def queue_is_empty() -> bool:
    """Whether the workers have taken every message; False while Redis does not answer."""
    try:
        return not any(events.client().llen(queue) for queue in settings.QUEUES)
    except redis.RedisError:
        return False
