"""The database that each worker's is a copy of: migrated once, for all workers and, on servers that
are kept, for later calls. Migrating takes six seconds, copying a fraction of one."""

import os
import subprocess
import sys

import psycopg

from webapp.platform.local import changes
from webapp.platform.local.package import ROOT

PREFIX = "tables_"
LOCK = 7_240_617  # of Postgres, while one worker migrates


def template() -> str:
    """The name of a database with all tables, which is made where there is none of these
    migrations."""
    server = os.environ["DATABASE_URL"].rpartition("/")[0]
    name = (
        PREFIX
        + changes.digest(
            [*(ROOT / "webapp" / "migrations").glob("*.py"), ROOT / "webapp" / "settings.py"]
        )[:16]
    )
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        query = "SELECT datname FROM pg_database WHERE datname LIKE %s"
        known = {row[0] for row in connection.execute(query, [f"{PREFIX}%"])}
        if name not in known:
            for older in known:
                connection.execute(f"DROP DATABASE {older} WITH (FORCE)")
            connection.execute(f"CREATE DATABASE {PREFIX}unfinished")
            env = os.environ | {"DATABASE_URL": f"{server}/{PREFIX}unfinished"}
            argv = [sys.executable, "-W", "ignore", "-m", "django", "migrate", "--verbosity", "0"]
            subprocess.run(argv, cwd=ROOT, env=env, check=True)
            connection.execute(f"ALTER DATABASE {PREFIX}unfinished RENAME TO {name}")
    return name
