"""The scheduler: which queued job is next. A worker that gets a message of one job may be given
another job that is due before it.

Users take turns. The user with the fewest jobs at work is next; of several, the one who has waited
longest since a job of theirs was at work; of those who never had one, the one who asks for the
least. A user's own jobs keep their order. Trainings leave one process of the workers free, so that
ingesting and vectorizing, which take minutes, never wait for trainings, which take hours; and with
accounts one user's trainings leave a place for another's, and a training gives way at a checkpoint
to a user who has none at work (`gives_way`). Comparisons, and files that are made, have half of the
processes each at most. Trainings with other seeds, which nobody waits for, come one at a time while
there is nothing else to do (`idle`).
"""

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from statistics import median
from typing import NamedTuple

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.db.models import Count, Max, Min, Q, QuerySet
from django.db.models.functions import Now

from webapp.models import Job, Run
from webapp.platform.jobs import claims, dispatch, roster
from webapp.platform.jobs.kinds import COMPARE, EXPORT, KINDS, REPLICATE, TRAIN, JobKind
from webapp.platform.storage.sql import tuples

SLICE = 30.0  # seconds for which a training is left in its place, while others wait who have none
USERS = 1_000  # users with queued jobs that are compared
LIMITED = (TRAIN, COMPARE, EXPORT, REPLICATE)  # kinds of which only so many are at work at once
MOST_MESSAGES = 1_000  # that the sweep sends at once
_LOCK = 0x746F706F  # the number of an advisory lock of Postgres; any would do


def claim_next_job(kind: JobKind, pk: int) -> tuple[int, int] | None:
    """Claim job `pk`, or one that is due before it. Returns the claimed job's number and attempt;
    None where none may begin now."""
    with _one_at_a_time():
        due = next_job(kind, pk)
        if due is None:
            return None
        attempt = claims.claim(kind, due)
        if attempt is None and due != pk:
            # It was cancelled just now, or the disk is full. On a full disk `pk` can't begin, either,
            # and says so: the sweep sends it after a while. A message that was sent for it here
            # would come back at once, and again, for as long as the disk is full.
            due = pk
            attempt = claims.claim(kind, pk)
    if due != pk:
        dispatch.send_again(kind, pk)  # so that its own turn comes
    return None if attempt is None else (due, attempt)


def next_job(kind: JobKind, pk: int) -> int | None:
    """The number of the queued job that is due; None where there is no free place, or `pk` is not
    queued any more."""
    if kind in LIMITED and free_places(kind) <= 0:
        return None
    if not kind.model.objects.filter(pk=pk, status=Job.QUEUED).exists():
        return None
    if not settings.ACCOUNTS:
        return pk  # one user, whose jobs come in their order
    turns = _turns(kind, pk)
    if kind is TRAIN:
        turns = [turn for turn in turns if turn.at_work < max(1, training_places() - 1)]
    return min(turns).first if turns else None


class Turn(NamedTuple):
    """Where a user whose jobs wait stands in the queue; the least is next. at_work: jobs of theirs;
    last: when one last was, in seconds since the epoch; size: of the smallest that waits; first:
    the number of the first that does; waiting: how many do."""

    at_work: int
    last: float
    size: int
    first: int
    waiting: int
    user: int | None


def _turns(kind: JobKind, asked: int | None = None) -> list[Turn]:
    """Not of jobs that wait for the store or the disk, which would fail again at once; but of the
    job `asked`, whose message the sweep sends after a while."""
    may_begin = Q(waits_for=Job.WaitsFor.NOTHING) | Q(pk=asked)
    by_owner = (
        kind.model.objects.filter(may_begin, status=Job.QUEUED)
        .order_by()
        .values(kind.owner)
        .annotate(size=Min(kind.size), first=Min("pk"), count=Count("pk"))[:USERS]
    )
    rows = [(row[kind.owner], row["size"] or 0, row["first"], row["count"]) for row in by_owner]
    at_work = Counter(_holding_places(kind).values_list(kind.owner, flat=True))
    last = _last_turns(kind, [user for user, *_ in rows if user])
    return [
        Turn(at_work[user], last.get(user, 0), size, first, count, user)
        for user, size, first, count in rows
    ]


def ahead(run: Run) -> int:
    """How many queued runs are due before a queued one, if nobody asks for more: its user's earlier
    ones, and of each other user as many as have their turn until then."""
    earlier = Run.objects.filter(status=Job.QUEUED, pk__lt=run.pk)
    if not settings.ACCOUNTS:
        return earlier.count()
    turns = _turns(TRAIN)
    before = earlier.filter(by=run.by_id).count()
    own_turn = next((turn for turn in turns if turn.user == run.by_id), None)
    return before + sum(
        min(turn.waiting, before + (turn < own_turn))
        for turn in turns
        if own_turn and turn is not own_turn
    )


def seconds_of_trainings() -> float | None:
    """What the last trainings took, by their median; None where none has ended."""
    # By these the time is told that a run will wait
    done = Run.objects.filter(status=Run.Status.DONE).order_by("-pk")[:20]
    took = [
        (end - begin).total_seconds()
        for begin, end in done.values_list("started_at", "finished_at")
        if begin and end
    ]
    return median(took) if took else None


def wait(before: int) -> float | None:
    """Seconds until a run begins before which so many are due; None where nobody knows."""
    at_work = _holding_places(TRAIN).count()
    places = training_places()
    if at_work + before < places:
        return 0.0
    took = seconds_of_trainings()
    if took is None:
        return None
    return took * (before + at_work / 2) / places  # those at work are half done, on average


def gives_way(user: int | None, since: float) -> bool:
    """Whether a training that has been at work since then (time.monotonic) leaves its place, and
    goes on later: somebody waits who has none at work, and there is no other place."""
    return (
        settings.ACCOUNTS
        and time.monotonic() - since >= SLICE
        and free_places(TRAIN) <= 0
        and any(not turn.at_work and turn.user != user for turn in _turns(TRAIN))
    )


def _last_turns(kind: JobKind, users: list[int]) -> dict[int, float]:
    """user -> when a job of theirs was last at work, in seconds since the epoch."""
    recent = kind.model.objects.filter(  # a queued one among them: it gave way
        heartbeat_at__gt=Now()
        - timedelta(days=1),  # for so long a user's last job counts as a turn
        **{f"{kind.owner}__in": users},
    )
    return {
        user: at.timestamp()
        for user, at in recent.order_by().values_list(kind.owner).annotate(at=Max("heartbeat_at"))
    }


def free_places(kind: JobKind) -> int:
    """How many jobs of a kind in LIMITED may begin now."""
    if kind is REPLICATE:
        return int(idle()) - _holding_places(kind).count()
    half_of_the_processes = max(1, (roster.processes() or (os.cpu_count() or 1)) // 2)
    return (training_places() if kind is TRAIN else half_of_the_processes) - _holding_places(
        kind
    ).count()


def idle() -> bool:
    """Whether the workers have nothing to do that anybody waits for: no job but trainings with
    other seeds waits or is at work, no message is on its way, and no page has asked for a task.
    False while Redis does not answer."""
    other_jobs = (kind.unfinished for kind in KINDS if kind is not REPLICATE)
    return (
        dispatch.queue_is_empty()
        and not dispatch.is_asked()
        and not any(jobs.exists() for jobs in other_jobs)
    )


def training_places() -> int:
    """How many trainings may be at work on all workers together: one process is left to the short
    jobs."""
    return max(1, (roster.processes() or (os.cpu_count() or 1) + 1) - 1)


def dispatch_next(kind: JobKind) -> None:
    """Tell the workers, after a job of a kind in LIMITED has ended, that another may begin; of
    other kinds they were told all at once. Not one that waits for room on the disk, or for the
    store, which would fail again at once: the sweep sends it after a while, as it does all of them
    where the database is away."""
    if kind not in LIMITED:
        return
    with suppress(OperationalError, InterfaceError):
        if startable(kind):
            queued = kind.model.objects.filter(status=Job.QUEUED, waits_for=Job.WaitsFor.NOTHING)
            for pk in queued.order_by("pk").values_list("pk", flat=True)[:1]:
                dispatch.send_again(kind, pk)


def startable(kind: JobKind) -> int:
    """For how many queued jobs a message is worth sending: of kinds in LIMITED no more than may
    begin."""
    if kind in LIMITED:
        return max(0, free_places(kind))
    return MOST_MESSAGES


def _holding_places(kind: JobKind) -> QuerySet:
    """Jobs that hold a place. A starved process keeps its place while its heartbeat is late; the
    sweep queues the jobs of dead ones again."""
    return kind.at_work.filter(heartbeat_at__gt=Now() - claims.FROZEN)


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Two workers must not take the last place at once. Not a transaction, so that a claim is
    visible before its event is published."""
    tuples("SELECT pg_advisory_lock(%s)", [_LOCK])
    try:
        yield
    finally:
        tuples("SELECT pg_advisory_unlock(%s)", [_LOCK])
