"""The system in numbers: jobs, workers, database, queue, disk. For metrics and the operator's page.

Every query is bounded: counts of rows that wait or are at work use the index of statuses; the rest
are statistics that Postgres keeps.
"""

import itertools
import os
import shutil
import time
from collections.abc import Callable, Iterator

import redis
from django.conf import settings
from django.db import Error, connection, transaction

from webapp.intake.ingest import upload_limits
from webapp.models import Deletable, Job
from webapp.platform.jobs import counters, events, kinds, roster, teams
from webapp.platform.storage import copies, s3

PATIENCE = 2_000  # milliseconds for a question to Postgres
RUNS = 50  # of those that train, of which each is told apart
MOST_COUNTED_UPLOADS = 10_000  # files that are counted among the uploads at most
SIZE_EVERY = 60.0  # seconds: Postgres looks at each of its files to tell its size
GAUGE = "gauge"
COUNTER = "counter"

NUMBERS = {  # name -> (what it is, what it says, its labels)
    "topograph_up": (GAUGE, "Whether a part of the system answers this process.", ("part",)),
    "topograph_jobs": (GAUGE, "Jobs that wait (queued) or are at work.", ("kind", "status")),
    "topograph_jobs_oldest_seconds": (
        GAUGE,
        "For how long the job that waits longest has waited.",
        ("kind",),
    ),
    "topograph_jobs_silent_seconds": (
        GAUGE,
        "Since when nothing was heard of the most silent job at work.",
        ("kind",),
    ),
    "topograph_jobs_failed": (COUNTER, "Jobs that failed, since Redis was last empty.", ("kind",)),
    "topograph_jobs_retried": (
        COUNTER,
        "Jobs that were queued again because their process was lost, since Redis was last empty.",
        ("kind",),
    ),
    "topograph_run_progress_ratio": (GAUGE, "How far a training is, from 0 to 1.", ("run",)),
    "topograph_training_tokens_per_second": (
        GAUGE,
        "Words that the trainings at work take in a second, together.",
        (),
    ),
    "topograph_workers": (GAUGE, "Workers that are alive.", ()),
    "topograph_cluster_workers": (GAUGE, "Workers of a cluster that share a training.", ("run",)),
    "topograph_cluster_restarts": (
        COUNTER,
        "How often a shared training went back to a checkpoint.",
        ("run",),
    ),
    "topograph_cluster_steps": (
        COUNTER,
        "Steps that a worker took in a training.",
        ("run", "worker"),
    ),
    "topograph_cluster_seconds": (
        COUNTER,
        (
            "Seconds of a worker in a training: computing, exchanging (mostly waiting for others),"
            " and of its processor."
        ),
        ("run", "worker", "of"),
    ),
    "topograph_cluster_sent_bytes": (
        COUNTER,
        "Bytes that a worker sent to others in a training.",
        ("run", "worker"),
    ),
    "topograph_broker_messages": (GAUGE, "Messages for workers that nobody has taken yet.", ()),
    "topograph_redis_bytes": (GAUGE, "Memory that Redis uses.", ()),
    "topograph_database_connections": (
        GAUGE,
        "Connections to the database, of all clients.",
        ("state",),
    ),
    "topograph_database_connections_limit": (GAUGE, "Connections that Postgres takes at most.", ()),
    "topograph_database_bytes": (GAUGE, "Size of the database on disk.", ()),
    "topograph_database_transactions": (COUNTER, "Transactions that ended.", ("result",)),
    "topograph_pool_connections": (GAUGE, "Connections of this web process's pool.", ("state",)),
    "topograph_pool_waiting": (
        GAUGE,
        "Threads of this web process that wait for a connection.",
        (),
    ),
    "topograph_disk_bytes": (
        GAUGE,
        "Of the disk with the state folder; reserve: what uploads leave free.",
        ("state",),
    ),
    "topograph_store_copies_bytes": (
        GAUGE,
        "Copies on this machine of what the store has; limit: at most, but for what is in use.",
        ("state",),
    ),
    "topograph_uploads_arriving": (
        GAUGE,
        "Uploads that have begun and are not yet part of a corpus.",
        (),
    ),
}


Number = tuple[str, tuple[str, ...], float]  # (name, of NUMBERS; labels; value)


def measured_numbers() -> list[Number]:
    """All numbers. A part that does not answer is told by topograph_up, and its numbers are left
    out."""
    numbers = []
    for part, ask in PARTS.items():
        if part == "store" and not settings.STORE:
            continue
        try:
            numbers += ask()
            up = 1
        except (Error, redis.RedisError, OSError):
            up = 0
        numbers.append(("topograph_up", (part,), up))
    return numbers


def _postgres() -> list[Number]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(PATIENCE)])
        numbers = [number for kind in kinds.KINDS for number in _jobs(cursor, kind)]
        numbers += [*_trainings(), *_database(cursor)]
    pool = getattr(connection, "pool", None)  # Postgres's backend has one where it is configured
    if pool is None:
        return numbers
    stats = pool.get_stats()
    free = stats.get("pool_available", 0)
    return [
        *numbers,
        ("topograph_pool_connections", ("free",), free),
        ("topograph_pool_connections", ("used",), stats.get("pool_size", 0) - free),
        ("topograph_pool_waiting", (), stats.get("requests_waiting", 0)),
    ]


def _jobs(cursor, kind: kinds.JobKind) -> list[Number]:
    name = kind.name
    table = kind.model._meta.db_table
    cursor.execute(
        "SELECT status, count(*), extract(epoch FROM now() - min(coalesce(heartbeat_at,"
        f" created_at))) FROM {table} WHERE status = ANY(%s) AND (status = %s OR attempt > 0)"
        f" {'AND deleted_at IS NULL' if issubclass(kind.model, Deletable) else ''} GROUP BY status",
        [list(kind.unfinished_statuses), Job.QUEUED],
    )
    by_status = {status: (n, float(age or 0)) for status, n, age in cursor.fetchall()}
    silent = max([by_status[s][1] for s in kind.active if s in by_status], default=0.0)
    return [
        *(
            ("topograph_jobs", (name, status), by_status.get(status, (0, 0))[0])
            for status in kind.unfinished_statuses
        ),
        ("topograph_jobs_oldest_seconds", (name,), by_status.get(Job.QUEUED, (0, 0.0))[1]),
        ("topograph_jobs_silent_seconds", (name,), silent),
    ]


def _trainings() -> list[Number]:
    at_work = kinds.TRAIN.at_work.only("step", "steps", "tokens_seen", "seconds")
    runs = list(at_work.order_by("-pk")[:RUNS])
    return [
        *(
            (
                "topograph_run_progress_ratio",
                (str(run.pk),),
                run.step / run.steps if run.steps else 0.0,
            )
            for run in runs
        ),
        (
            "topograph_training_tokens_per_second",
            (),
            float(sum(run.tokens_seen / run.seconds for run in runs if run.seconds)),
        ),
    ]


_size: tuple[float, int] = (-SIZE_EVERY, 0)  # when it was asked for, bytes


def _database(cursor) -> list[Number]:
    connections = cursor.execute(
        "SELECT coalesce(state, 'other'), count(*) FROM pg_stat_activity WHERE datname ="
        " current_database() AND backend_type = 'client backend' GROUP BY 1"
    ).fetchall()
    committed, rolled_back, limit = cursor.execute(
        "SELECT xact_commit, xact_rollback, current_setting('max_connections')::int FROM"
        " pg_stat_database WHERE datname = current_database()"
    ).fetchone()
    return [
        *(("topograph_database_connections", (state,), n) for state, n in connections),
        ("topograph_database_transactions", ("commit",), committed),
        ("topograph_database_transactions", ("rollback",), rolled_back),
        ("topograph_database_connections_limit", (), limit),
        ("topograph_database_bytes", (), database_bytes(cursor)),
    ]


def forget_size() -> None:
    """Measure the database anew when its size is asked for next."""
    global _size
    _size = (-SIZE_EVERY, 0)


def database_bytes(cursor) -> int:
    """At most a minute old."""
    global _size
    if time.monotonic() - _size[0] >= SIZE_EVERY:
        _size = (
            time.monotonic(),
            cursor.execute("SELECT pg_database_size(current_database())").fetchone()[0],
        )
    return _size[1]


def _redis() -> list[Number]:
    client = events.client()
    failed = counters.by_kind("failed")
    retried = counters.by_kind("retried")
    return [
        ("topograph_workers", (), len(roster.live_workers())),
        ("topograph_broker_messages", (), sum(map(client.llen, settings.QUEUES))),
        ("topograph_redis_bytes", (), client.info("memory")["used_memory"]),
        *(
            ("topograph_jobs_failed", (kind.name,), failed.get(kind.name, 0))
            for kind in kinds.KINDS
        ),
        *(
            ("topograph_jobs_retried", (kind.name,), retried.get(kind.name, 0))
            for kind in kinds.KINDS
        ),
        *(number for team in teams.live() for number in _team(team)),
    ]


def _team(team: dict) -> Iterator[Number]:
    run = str(team["run"])
    yield "topograph_cluster_workers", (run,), team["count"]
    yield "topograph_cluster_restarts", (run,), team["restarts"]
    for worker in team["workers"]:
        labels = (run, worker["worker"])
        yield "topograph_cluster_steps", labels, worker["steps"]
        for spent, seconds in (
            ("computing", "computing"),
            ("exchanging", "exchanging"),
            ("processor", "cpu"),
        ):
            yield "topograph_cluster_seconds", (*labels, spent), worker[seconds]
        yield "topograph_cluster_sent_bytes", labels, worker["sent"]


def _disk() -> list[Number]:
    disk = shutil.disk_usage(settings.FILES)
    with os.scandir(settings.FILE_UPLOAD_TEMP_DIR) as entries:
        notes = sum(
            entry.name.endswith(".json")
            for entry in itertools.islice(entries, MOST_COUNTED_UPLOADS)
        )
    return [
        ("topograph_disk_bytes", ("free",), disk.free),
        ("topograph_disk_bytes", ("used",), disk.used),
        ("topograph_disk_bytes", ("reserve",), upload_limits.reserve()),
        ("topograph_uploads_arriving", (), notes),
    ]


def _store() -> list[Number]:
    if not s3.answers():
        raise s3.StoreAway
    return [
        ("topograph_store_copies_bytes", ("kept",), copies.bytes_kept()),
        ("topograph_store_copies_bytes", ("limit",), settings.STORE_CACHE),
    ]


PARTS: dict[str, Callable[[], list[Number]]] = {
    "postgres": _postgres,
    "redis": _redis,
    "disk": _disk,
    "store": _store,
}
