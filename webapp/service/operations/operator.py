"""Jobs for the operator's page: their numbers, progress and age, and nothing of what they are
about."""

import re
from datetime import datetime

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from webapp.models import User
from webapp.platform.jobs import kinds
from webapp.service.operations.shapes import Database, Job, JobCount

PAGE = 50
MOST_COUNTED_FAILURES = 10_000  # failed jobs that are counted; the page says where there are more
KINDS = {
    kind.name: kind
    for kind in (
        kinds.TRAIN,
        kinds.STORE,
        kinds.READ,
        kinds.VECTORIZE,
        kinds.EXPORT,
        kinds.COMPARE,
        kinds.TAKE_IN,
    )
}
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
    statuses = {"work": KINDS[kind].active, "waiting": ("queued",), "failed": ("failed",)}
    return KINDS[kind].model.objects.filter(status__in=statuses[state])


def jobs(kind: str, state: str, before: int | None = None) -> tuple[list[Job], int | None]:
    """A page of jobs, the newest first, and the number before which the next page begins."""
    rows = _rows(kind, state).order_by("-pk")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    owner = KINDS[kind].owner
    columns = [*FIELDS[kind], f"{owner}__name"]
    if "__" in owner:
        columns.append(f"{owner}_id")
    page = list(rows.select_related(owner).only(*columns)[: PAGE + 1])
    following = page[PAGE - 1].pk if len(page) > PAGE else None
    return [_job(kind, row) for row in page[:PAGE]], following


COMMON = ("status", "attempt", "heartbeat_at", "created_at", "error")
FIELDS = {
    "run": (*COMMON, "corpus_id", "by_id", "request", "step", "steps", "tokens_seen", "seconds"),
    "version": (*COMMON, "corpus_id"),
    "upload": (*COMMON, "corpus_id", "checkpoint", "corpus__bytes_total"),
    "corpus": (*COMMON, "owner_id", "bytes_read", "bytes_total"),
    "export": (*COMMON, "by_id", "bytes", "expected"),
    "comparison": (*COMMON, "by_id", "done"),
    "codefile": (*COMMON, "concept__corpus_id"),
}


def _job(kind: str, row) -> Job:
    owner = _owner(kind, row)
    request = REQUEST.search(row.error or "")
    tokens_per_second = None
    if kind == "run" and row.seconds:
        tokens_per_second = row.tokens_seen / row.seconds
    return Job(
        kind=kind,
        id=row.pk,
        corpus=_corpus_id(kind, row),
        who=owner.name if owner else None,
        status=row.status,
        request=getattr(row, "request", ""),
        attempt=row.attempt,
        age=_ago(row.created_at),
        silent=_ago(row.heartbeat_at),
        progress=_progress(kind, row),
        tokens_per_second=tokens_per_second,
        broke=request[1] if request else "",
    )


def _corpus_id(kind: str, row) -> int | None:
    if kind == "corpus":
        return row.pk
    if kind == "codefile":
        return row.concept.corpus_id
    return getattr(row, "corpus_id", None)


def _owner(kind: str, row) -> User | None:
    if KINDS[kind].owner == "by":
        return row.by
    if kind == "codefile":
        return row.concept.corpus.owner
    return row.owner if kind == "corpus" else row.corpus.owner


def _progress(kind: str, row) -> float | None:
    """From 0 to 1; None where it is not known."""
    done, total = _done_and_whole(kind, row)
    return min(1.0, done / total) if total else None


def _done_and_whole(kind: str, row) -> tuple[float, float]:
    """In the unit of each kind; 0 in all where that is not known."""
    match kind:
        case "run":
            return row.step, row.steps
        case "corpus":
            return row.bytes_read, row.bytes_total
        case "upload":
            stored = (row.checkpoint or {}).get("bytes", 0)
            return stored, row.corpus.bytes_total
        case "export":
            return row.bytes, row.expected
        case "comparison":
            return row.done, 1
        case _:
            return 0, 0


def _ago(moment: datetime | None) -> float | None:
    """Seconds."""
    if moment is None:
        return None
    return max(0.0, (timezone.now() - moment).total_seconds())


def at_work(kind: kinds.JobKind, keys: list[int]) -> set[int]:
    """Which of these rows an attempt owns."""
    active = kind.model.objects.filter(status__in=kind.active, pk__in=keys)
    return set(active.values_list("pk", flat=True))


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
