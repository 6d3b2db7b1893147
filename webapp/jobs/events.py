"""The Redis wire format, once: who wrote an event, what it says, and which workers are alive.

One stream, `events`, holds them all, newest last, cut to about STREAM_LENGTH entries: it carries news to pages that are
open, and Postgres the history. Each entry has two fields: `about`, such as "run:12", and `event`, a JSON object.
"""

import time

import orjson
import redis
import structlog
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

from webapp import logs

log = structlog.get_logger(__name__)

STREAM = "events"
STREAM_LENGTH = 10_000  # some minutes of news at many runs
WORKER_SECONDS = 5  # a worker that has not said for so long that it lives is taken for dead
WORKER_KEYS = "worker:*"
SILENT_SECONDS = (
    10  # the same of everything, after Redis accepted a question and did not answer: each would wait for 2 seconds
)
AWAY_SECONDS = 3  # that nothing is published after Redis did not answer: a training does not wait for it at every step

_client = None
_away_until = 0.0  # by time.monotonic()


class Client(redis.Redis):
    """Who waited in vain for an answer spares the others that: for a while Redis is taken to be away, and not asked."""

    away_until = 0.0  # by time.monotonic()

    def execute_command(self, *arguments, **options):
        if time.monotonic() < self.away_until:
            raise redis.TimeoutError("Redis did not answer a moment ago")
        try:
            return super().execute_command(*arguments, **options)
        except redis.TimeoutError:
            self.away_until = time.monotonic() + SILENT_SECONDS
            raise


def client() -> Client:
    """This process's connection. Redis is asked twice, as a connection breaks when it is started anew, and then is away."""
    global _client
    if _client is None:
        retry = Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,))
        _client = Client.from_url(settings.REDIS_URL, socket_timeout=2, socket_connect_timeout=2, retry=retry)
    return _client


def publish(about: str, event: dict) -> None:
    """Tell open pages. News are not history: where Redis is away they are lost, and the pages catch up from Postgres."""
    global _away_until
    if time.monotonic() < _away_until:
        return
    try:
        client().xadd(STREAM, {"about": about, "event": orjson.dumps(event)}, maxlen=STREAM_LENGTH, approximate=True)
    except redis.RedisError as error:
        _away_until = time.monotonic() + AWAY_SECONDS
        log.warning("news are lost", part=about, error=logs.named(error))


def forget(about: str) -> None:
    """Take all news of something out of the stream, and the note of who asked for it (webapp.jobs.roster)."""
    client().delete(f"asked:{about}")
    old = "-"
    while found := client().xrange(STREAM, min=old, count=1000):
        if mine := [entry for entry, fields in found if fields.get(b"about") == about.encode()]:
            client().xdel(STREAM, *mine)
        old = b"(" + found[-1][0]


def run(run_id: int, event: dict) -> None:
    publish(f"run:{run_id}", event)


def corpus(corpus_id: int, event: dict) -> None:
    publish(f"corpus:{corpus_id}", event)


def beat(name: str) -> None:
    """Say that the worker `name` is alive, for WORKER_SECONDS."""
    client().set(f"worker:{name}", int(time.time()), ex=WORKER_SECONDS)


def workers() -> int | None:
    """How many workers are alive; None where Redis does not answer."""
    try:
        return sum(1 for _ in client().scan_iter(WORKER_KEYS, count=1000))
    except redis.RedisError:
        return None
