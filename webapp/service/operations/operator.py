"""Jobs for the operator's page: their numbers, progress and age, and nothing of what they are
about."""

import re
from datetime import datetime
from functools import reduce
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.constants import LOOKUP_SEP
from django.utils import timezone

from webapp import models
from webapp.platform.jobs import kinds
from webapp.service.operations.shapes import Database, Job, JobCount

PAGE = 50
MOST_COUNTED_FAILURES = 10_000  # failed jobs that are counted; the page says where there are more
KINDS = {kind.name: kind for kind in kinds.KINDS}
STATES = ("work", "waiting", "failed")
REQUEST = re.compile(r"\(request ([\w.-]{8,64})\)\.?$")  # at the end of what jobs.claims.crash says


def counts() -> list[JobCount]:
    """For each kind the number of jobs in each state; MOST_COUNTED_FAILURES + 1 failed ones stand
    for more."""
    return [JobCount(kind, **{state: _count(kind, state) for state in STATES}) for kind in KINDS]


def _count(kind: str, state: str) -> int:
    rows = _rows(kind, state)
    if state == "failed":  # these stay, so that there may be very many
        return len(rows.values_list("pk", flat=True)[: MOST_COUNTED_FAILURES + 1])
    return rows.count()


def _rows(kind: str, state: str) -> QuerySet:
    job_kind = KINDS[kind]
    if state == "work":
        return job_kind.at_work
    status = models.Job.QUEUED if state == "waiting" else models.Job.FAILED
    return job_kind.model.objects.filter(status=status)


def jobs(kind: str, state: str, before: int | None = None) -> tuple[list[Job], int | None]:
    """A page of jobs, the newest first, and the number before which the next page begins."""
    rows = _rows(kind, state).order_by("-pk")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    job_kind = KINDS[kind]
    page = list(rows.select_related(job_kind.owner).only(*_columns(job_kind))[: PAGE + 1])
    following = page[PAGE - 1].pk if len(page) > PAGE else None
    return [_job(job_kind, row) for row in page[:PAGE]], following


COMMON = ("status", "attempt", "heartbeat_at", "created_at", "error")


def _columns(kind: kinds.JobKind) -> list[str]:
    """All that `_job` reads."""
    columns = [*COMMON, *kind.columns, f"{kind.owner}_id", f"{kind.owner}__name"]
    columns += [field for field in (kind.corpus, kind.request) if field]
    return columns


def _job(kind: kinds.JobKind, row) -> Job:
    owner = _follow(row, kind.owner)
    request = REQUEST.search(row.error or "")
    tokens_per_second = None
    if kind is kinds.TRAIN and row.seconds:
        tokens_per_second = row.tokens_seen / row.seconds
    return Job(
        kind=kind.name,
        id=row.pk,
        corpus=_follow(row, kind.corpus) if kind.corpus else None,
        who=owner.name if owner else None,
        status=row.status,
        request=getattr(row, kind.request) if kind.request else "",
        attempt=row.attempt,
        age=_ago(row.created_at),
        silent=_ago(row.heartbeat_at),
        progress=_progress(kind, row),
        tokens_per_second=tokens_per_second,
        broke=request[1] if request else "",
    )


def _follow(row, field: str) -> Any:
    """What a field has, or one of a row that it leads to, as corpus__owner does."""
    return reduce(getattr, field.split(LOOKUP_SEP), row)


def _progress(kind: kinds.JobKind, row) -> float | None:
    """From 0 to 1; None where it is not known."""
    done, total = kind.progress(row)
    return min(1.0, done / total) if total else None


def _ago(moment: datetime | None) -> float | None:
    """Seconds."""
    if moment is None:
        return None
    return max(0.0, (timezone.now() - moment).total_seconds())


def at_work(kind: kinds.JobKind, keys: list[int]) -> set[int]:
    """Which of these rows an attempt owns."""
    return set(kind.at_work.filter(pk__in=keys).values_list("pk", flat=True))


def database() -> Database:
    """The size of the database in bytes, and its connections by their state."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', '2000', true)")
        connections = cursor.execute(
            """
            SELECT coalesce(state, 'other'), count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend'
            GROUP BY 1 ORDER BY 1"""
        ).fetchall()
        (size,) = cursor.execute("SELECT pg_database_size(current_database())").fetchone()
    return Database(size, dict(connections))
