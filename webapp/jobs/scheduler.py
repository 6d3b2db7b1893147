"""Whose job is next. A worker that hears of one asks here, and may be given another's that is due before it.

Users take turns: the one with the fewest jobs at work is next; of several, whoever has waited longest since a job of theirs was at
work; of those who never had one, whoever asks for the least. A user's own jobs keep their order. Trainings leave one process of the
workers free, so that reading a corpus and choosing its words, which take minutes, never wait for trainings, which take hours; and with
accounts one user's trainings leave a place to another's.
"""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import redis
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.db.models import BigIntegerField, F, Max, Min
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Now

from webapp.jobs import claims, roster

WHOSE = {"run": "by", "corpus": "owner", "version": "corpus__owner"}  # the user of a row
SIZE = {  # of a job, to compare it with others of its kind
    "run": F("version__tokens") * Cast(KT("settings__topics"), BigIntegerField()),
    "corpus": F("bytes_total"),
    "version": F("corpus__bytes_total"),
}
REMEMBERED = timedelta(days=1)  # for which it counts when somebody's last job was at work
USERS = 1_000  # with waiting jobs that are looked at
TOLD = 1_000
_LOCK = 0x746F706F  # any number, of Postgres's advisory locks


def take(kind: claims.Kind, pk: int) -> tuple[int, int] | None:
    """Claim a queued job: this one, or whichever is due before it. Its number and attempt; None where none may begin now."""
    with _one_at_a_time():
        chosen = choose(kind, pk)
        attempt = None if chosen is None else claims.claim(kind, chosen)
    if chosen not in (None, pk):
        claims.send(kind, pk)  # its own turn comes
    return None if attempt is None else (chosen, attempt)


def choose(kind: claims.Kind, pk: int) -> int | None:
    """The number of the queued job that is due; None where there is no place, or where `pk` does not wait any more."""
    if kind is claims.TRAINING and room() <= 0:
        return None
    whose, queued = WHOSE[kind.name], kind.model.objects.filter(status="queued")
    if not queued.filter(pk=pk).exists():
        return None  # somebody else has it already
    if not settings.ACCOUNTS:
        return pk  # one user, whose jobs come in their order
    waiting = queued.order_by().values(whose).annotate(size=Min(SIZE[kind.name]), first=Min("pk"))[:USERS]
    waiting = {row[whose]: (row["size"] or 0, row["first"]) for row in waiting}
    at_work = Counter(_at_work(kind).values_list(whose, flat=True))
    if kind is claims.TRAINING:
        waiting = {user: jobs_of for user, jobs_of in waiting.items() if at_work[user] < most_of_one()}
    if not waiting:
        return None
    lately = kind.model.objects.exclude(status="queued").filter(
        heartbeat_at__gt=Now() - REMEMBERED, **{f"{whose}__in": [u for u in waiting if u]}
    )
    last = dict(lately.order_by().values_list(whose).annotate(at=Max("heartbeat_at")))
    next_one = min(
        waiting, key=lambda user: (at_work[user], last[user].timestamp() if user in last else 0, *waiting[user])
    )
    return waiting[next_one][1]


def room() -> int:
    """How many trainings may begin: one process of the workers is left to jobs that are short."""
    return places() - _at_work(claims.TRAINING).count()


def places() -> int:
    """For trainings, on all workers together."""
    try:
        processes = sum(worker["processes"] or 0 for worker in roster.alive())
    except redis.RedisError:
        processes = 0
    return max(1, (processes or (os.cpu_count() or 1) + 1) - 1)


def most_of_one() -> int:
    """Trainings that one user may have at work."""
    return max(1, places() - 1)


def go_on(kind: claims.Kind) -> None:
    """A job has ended: tell the workers that another may begin now. Where the database is away the sweep does it later."""
    try:
        if begin_now(kind):
            for pk in kind.model.objects.filter(status="queued").order_by("pk").values_list("pk", flat=True)[:1]:
                claims.send(kind, pk)
    except (OperationalError, InterfaceError):
        return


def begin_now(kind: claims.Kind) -> int:
    """Of how many queued jobs the workers are told at once: of trainings no more than may begin, as others would be let lie again."""
    return max(0, room()) if kind is claims.TRAINING else TOLD


def _at_work(kind: claims.Kind):
    return kind.model.objects.filter(status__in=kind.active, heartbeat_at__gt=Now() - claims.STALE)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Two workers must not take the last place at once. Not a transaction: what is claimed is seen before it is told."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])
