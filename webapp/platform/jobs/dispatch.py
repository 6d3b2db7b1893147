"""Telling the workers that a job is queued. The row is the job; a message only brings the news, and
may be lost or come twice."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import blake2b

import redis
import structlog
from celery import current_app as app
from celery.exceptions import CeleryError
from django.conf import settings
from django.db import transaction
from kombu.exceptions import KombuError, OperationalError

from webapp.platform import logs
from webapp.platform.jobs import events, roster
from webapp.platform.jobs.kinds import JobKind

log = structlog.get_logger(__name__)

# Seconds after which a task without a row that has not answered, as its message was lost, is asked
# for again
ASKED = 600
PROMISED = 60  # the same of one that a worker does unasked, or has at work
# Seconds after a task without a row began in which pages don't ask for it again, where it came to
# nothing: the first, the second and each further time. A worker that was restarted goes on soon;
# what fails takes a worker's time rarely.
TRY_AGAIN = (60, 600, 3_600)
TRIES_REMEMBERED = 24 * 3_600  # seconds after its last try in which a task's tries are counted
DIGEST = 16  # bytes, of what tells the arguments of a task apart


def send(kind: JobKind, pk: int) -> None:
    """Send the message of a job that is queued now, once the present transaction is committed, and
    remember which request queued it. While Redis is away the sweep sends it later."""
    transaction.on_commit(partial(roster.remember_request, kind.name, pk, logs.request_id()))
    send_again(kind, pk)


def send_again(kind: JobKind, pk: int) -> None:
    """The same for a job that was queued before, by another request than the one at work here."""

    def deliver():
        try:
            events.client().ping()  # which gives up sooner than the broker's connection
            app.send_task(kind.task, [pk], retry=False)
        except (redis.RedisError, OperationalError, KombuError, CeleryError, OSError) as error:
            log.warning(
                "a job waits for the broker", **kind.log_fields(pk), error=logs.error_name(error)
            )

    transaction.on_commit(deliver)


def ask(task: str, arguments: list, asker: int | None, tried: list | None = None) -> None:
    """Ask a worker for a task that has no row, once until it has `answered`, and for one of a user
    at a time: the next call asks for what was not asked for. Nobody is asked while Redis is away,
    and where the task came to nothing less than TRY_AGAIN ago. asker: the user; None: any guest.
    tried: as `at_work` has it."""
    if _was_tried(task, arguments if tried is None else tried):
        return
    once, turn = _note_names(task, arguments, asker)
    try:
        if not events.client().set(turn, once, nx=True, ex=ASKED):
            return
        if events.client().set(once, 0, nx=True, ex=ASKED):
            app.send_task(task, [*arguments, asker], retry=False)
        else:  # somebody else has
            events.client().delete(turn)
    except (redis.RedisError, OperationalError, KombuError, CeleryError, OSError) as error:
        log.warning("a task waits for the broker", task=task, error=logs.error_name(error))
        answered(task, arguments, asker)


def promise(task: str, arguments: list) -> None:
    """A worker will do it unasked, at once: who asks for it meanwhile waits for that, for a while
    at most."""
    with suppress(redis.RedisError):
        events.client().set(_note_names(task, arguments, None)[0], 0, nx=True, ex=PROMISED)


@events.while_away(False)
def promised(task: str, arguments: list) -> bool:
    """Whether a worker does it, asked or not; False while Redis does not answer."""
    return bool(events.client().exists(_note_names(task, arguments, None)[0]))


@contextmanager
def at_work(
    task: str, arguments: list, asker: int | None = None, tried: list | None = None
) -> Iterator[None]:
    """Around a task without a row of its own, in the worker that does it: however long it takes,
    pages wait for it, and trainings with other seeds do (`is_asked`). When it ends it has
    `answered`; after a kill the note of it lasts PROMISED seconds, or ASKED from when it last told
    how far it is. Where an error or a kill ends it, it is not asked for again for a while.

    asker: the user who asked, None for a guest, or where nobody has. tried: what tells tries of the
    task apart, where that is not its arguments.
    """
    tried = arguments if tried is None else tried
    _note_try(task, tried)
    ended = threading.Event()
    renewing = threading.Thread(
        target=_renew,
        args=[_note_names(task, arguments, None)[0], ended],
        daemon=True,
        name="at work",
    )
    renewing.start()
    try:
        yield
        forget_tries(task, tried)
    finally:
        ended.set()
        renewing.join()
        answered(task, arguments, asker)


def _renew(note: str, ended: threading.Event) -> None:
    """Keep a note for as long as its task is at work. It says how far that is (`advance`)."""
    while True:
        with suppress(redis.RedisError):
            if not events.client().expire(note, PROMISED):
                events.client().set(note, 0, nx=True, ex=PROMISED)
        if ended.wait(PROMISED / 3):
            return


def advance(task: str, arguments: list, done: float) -> None:
    """The task that was asked for is so far, from 0 to 1, and has ASKED seconds more."""
    with suppress(redis.RedisError):
        events.client().set(_note_names(task, arguments, None)[0], done, xx=True, ex=ASKED)


@events.while_away(0.0)
def progress(task: str, arguments: list) -> float:
    """How far a task that was asked for is."""
    return float(events.client().get(_note_names(task, arguments, None)[0]) or 0)


def answered(task: str, arguments: list, asker: int | None) -> None:
    """The task that was asked for has ended, in whatever way."""
    with suppress(redis.RedisError):  # both expire
        events.client().delete(*_note_names(task, arguments, asker))


def _note_try(task: str, tried: list) -> None:
    """A task begins. Where something ends it, be it a kill, before `forget_tries`, it `_was_tried`
    for a while, longer after each try."""
    wait_name, count_name = _try_names(task, tried)
    with suppress(redis.RedisError):
        tries = events.client().incr(count_name)
        events.client().expire(count_name, TRIES_REMEMBERED)
        wait = TRY_AGAIN[min(tries, len(TRY_AGAIN)) - 1]
        events.client().set(wait_name, 1, ex=wait)


def forget_tries(task: str, tried: list) -> None:
    """The task has done what it should."""
    with suppress(redis.RedisError):
        events.client().delete(*_try_names(task, tried))


@events.while_away(False)
def _was_tried(task: str, tried: list) -> bool:
    """Whether a task came to nothing a short time ago, so that it is not asked for again."""
    return bool(events.client().exists(_try_names(task, tried)[0]))


def has_failed(task: str, arguments: list) -> bool:
    """Whether a task came to nothing a short time ago, and waits to be asked for again."""
    return _was_tried(task, arguments) and not promised(task, arguments)


@events.while_away(True)
def is_asked() -> bool:
    """Whether some task that was asked for has not answered; True while Redis does not."""
    return any(True for _ in events.client().scan_iter("asked for:*", count=1000))


def _note_names(task: str, arguments: list, asker: int | None) -> tuple[str, str]:
    """Names of notes in Redis: of what is asked for, and of who asks."""
    return (
        f"asked for:{task}:{_key_of(arguments)}",
        f"asked by:{task}:{'guest' if asker is None else asker}",
    )


def _try_names(task: str, tried: list) -> tuple[str, str]:
    """Names of notes in Redis: that it is not asked for, and how often it was tried."""
    key = _key_of(tried)
    return f"tried:{task}:{key}", f"tries:{task}:{key}"


def _key_of(arguments: list) -> str:
    return blake2b(repr(arguments).encode(), digest_size=DIGEST).hexdigest()


@events.while_away(False)
def queue_is_empty() -> bool:
    """Whether the workers have taken every message; False while Redis does not answer."""
    return not any(events.client().llen(queue) for queue in settings.QUEUES)
