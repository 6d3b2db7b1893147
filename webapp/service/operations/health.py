"""Whether this web process can do its work: /readyz. No names, addresses or messages of errors:
anybody may ask."""

import threading
import time
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.db import Error, connection, transaction
from django.db.migrations.loader import MigrationLoader

from webapp.intake.ingest import upload_limits
from webapp.platform.jobs import events, roster
from webapp.platform.storage import disk, s3

KEEP = 1.0  # seconds for which an answer is reused, however many ask
PATIENCE = 2_000  # milliseconds for Postgres

OK = "ok"


class Readiness(NamedTuple):
    ready: bool
    parts: dict[str, str]  # "ok", "warning: …" or what is wrong


_lock = threading.Lock()
_last: tuple[float, Readiness] | None = None


def forget() -> None:
    """Look anew when the readiness is asked for next."""
    global _last
    with _lock:
        _last = None


def readiness() -> Readiness:
    """The readiness, at most KEEP seconds old."""
    global _last
    with _lock:
        if _last is None or time.monotonic() - _last[0] >= KEEP:
            _last = (time.monotonic(), look())
        return _last[1]


def look() -> Readiness:
    parts = _postgres() | {"redis": _redis(), "disk": _disk()}
    if settings.STORE:
        parts["store"] = OK if s3.answers() else "warning: does not answer"
    alive = OK if parts["redis"] == OK and roster.count_workers() else "warning: no worker is alive"
    parts["workers"] = alive if parts["redis"] == OK else "warning: not known without redis"
    return Readiness(
        all(verdict == OK or verdict.startswith("warning: ") for verdict in parts.values()), parts
    )


def _postgres() -> dict[str, str]:
    """Postgres, and whether its tables are those of this program."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [str(PATIENCE)])
            if not cursor.execute("SELECT to_regclass('django_migrations') IS NOT NULL").fetchone()[
                0
            ]:
                return {"postgres": OK, "migrations": "none is applied"}
            missing = _wanted_migrations() - set(
                cursor.execute("SELECT app, name FROM django_migrations").fetchall()
            )
    except Error:
        connection.close()
        return {"postgres": "does not answer", "migrations": "not known without postgres"}
    return {"postgres": OK, "migrations": f"{len(missing)} are not applied" if missing else OK}


@cache
def _wanted_migrations() -> frozenset[tuple[str, str]]:
    """The migrations of this program: what does not change while it runs."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


@events.while_away("does not answer")
def _redis() -> str:
    events.client().ping()
    return OK


def _disk() -> str:
    try:
        free = disk.free()
    except OSError:
        return "the state folder can't be read"
    return OK if free >= upload_limits.reserve() else "less is free than the reserve"
