"""Events for open pages, and this process's connection to Redis.

One Redis stream, `events`, holds all events, the newest last, cut to about STREAM_LENGTH entries.
It only tells pages that are open; Postgres keeps the history. Each entry has two fields: `about`,
such as "run:12", and `event`, a JSON object.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

import orjson
import redis
import structlog
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from webapp.platform import logs

log = structlog.get_logger(__name__)

STREAM = "events"
STREAM_LENGTH = 10_000  # some minutes of events of many runs
ENTRIES_AT_ONCE = 1_000  # that are read to find those of one thing
# For which nothing is asked of a Redis that accepted a command and did not answer: each would wait
# for 2 seconds.
SILENT_SECONDS = 10
LOST_SECONDS = 3  # for which nothing is published: a training does not wait for Redis at every step

P = ParamSpec("P")
T = TypeVar("T")


class CircuitBreaker:
    """Remembers for some seconds that Redis failed, so that nobody tries again meanwhile."""

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.until = 0.0  # by time.monotonic()

    @property
    def is_open(self) -> bool:
        """Whether Redis failed so short a time ago."""
        return time.monotonic() < self.until

    def open(self) -> None:
        """It has failed now."""
        self.until = time.monotonic() + self.seconds


publishing = CircuitBreaker(LOST_SECONDS)


class Client(redis.Redis):
    """A client that raises TimeoutError at once for a while after Redis did not answer, so that the
    others need not wait, too."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.silence = CircuitBreaker(SILENT_SECONDS)

    def execute_command(self, *arguments, **options):
        if self.silence.is_open:
            raise redis.TimeoutError("Redis did not answer a moment ago")
        try:
            return super().execute_command(*arguments, **options)
        except redis.TimeoutError:
            self.silence.open()
            raise


@cache
def client() -> Client:
    """This process's client. A command is tried twice, as a restart of Redis breaks the connection;
    then Redis counts as away."""
    new_client = Client.from_url(
        settings.REDIS_URL,
        socket_timeout=2,
        socket_connect_timeout=2,
        retry=Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,)),
    )
    return cast("Client", new_client)


def while_away(instead: Any) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorator of a function that asks Redis: what it returns instead while Redis does not
    answer."""

    def decorate(asking: Callable[P, T]) -> Callable[P, T]:
        @wraps(asking)
        def answering(*args: P.args, **keywords: P.kwargs) -> T:
            try:
                return asking(*args, **keywords)
            except redis.RedisError:
                return instead

        return answering

    return decorate


def notes(prefix: str, limit: int) -> dict[str, bytes]:
    """name -> text of the notes that processes leave under PREFIXname, which expire; by name, at
    most so many. Raises redis.RedisError."""
    keys = sorted(client().scan_iter(f"{prefix}*", count=1000))[:limit]
    texts: list[Any] = client().mget(keys) if keys else []
    return {
        key.decode().removeprefix(prefix): text
        for key, text in zip(keys, texts, strict=True)
        if text
    }


def publish(about: str, event: dict) -> None:
    """Tell open pages. While Redis is away the event is lost, and pages read the state from
    Postgres when they connect again."""
    if publishing.is_open:
        return
    try:
        client().xadd(
            STREAM,
            {"about": about, "event": orjson.dumps(event)},
            maxlen=STREAM_LENGTH,
            approximate=True,
        )
    except redis.RedisError as error:
        publishing.open()
        log.warning("news are lost", part=about, error=logs.error_name(error))


def leave_note(name: str, note: dict, seconds: int) -> None:
    """What holds for so long; lost while Redis is away."""
    with suppress(redis.RedisError):
        client().set(name, orjson.dumps(note), ex=seconds)


@while_away({})
def note(name: str) -> dict:
    """What was left; empty where there is none, or Redis is away."""
    return orjson.loads(client().get(name) or b"{}")


def _entries(start: bytes | str) -> list[tuple[bytes, dict[bytes, bytes]]]:
    """Some of the stream's: the number and the fields of each."""
    entries = client().xrange(STREAM, min=start, count=ENTRIES_AT_ONCE)
    return cast("list[tuple[bytes, dict[bytes, bytes]]]", entries)


def forget(about: str) -> None:
    """Delete all events about something that was deleted, the note of who asked for it
    (webapp.platform.jobs.roster), and how far a job with it is."""
    client().delete(f"asked:{about}", f"progress:{about}")
    start: bytes | str = "-"
    while True:
        entries = _entries(start)
        if not entries:
            return
        deleted = [entry for entry, fields in entries if fields.get(b"about") == about.encode()]
        if deleted:
            client().xdel(STREAM, *deleted)
        last, _ = entries[-1]
        start = b"(" + last


def status_event(status: str, *, error: str = "", notice: str = "") -> dict:
    """What open pages are told of a job. error: why it failed; notice: what it waits for."""
    return {"type": "status", "status": status, "error": error, "notice": notice}


def run(run_id: int, event: dict) -> None:
    publish(f"run:{run_id}", event)


def corpus(corpus_id: int, event: dict) -> None:
    publish(f"corpus:{corpus_id}", event)
