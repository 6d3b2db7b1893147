"""Bringing the database's tables up to date. Django takes six seconds to see that there is nothing
to do, so a start asks it only where something is new.

After each success the state folder keeps a hash of the code that migrates and of the migrations
that the database says it has had. While both are as they were, Django would do nothing.
"""

import subprocess
import sys

import psycopg

from webapp.platform.local import changes, folder, processes
from webapp.platform.local.package import ROOT
from webapp.platform.local.postgres import Failed

# What Django can't bring up to date: some of the migrations that are one here were applied, and not the others.
IS_BETWEEN_RELEASES = (
    "is of a Topograph between two releases. Use it with commit f7a8200c first, which brings it up"
    " to date."
)


def bring_up_to_date(env: dict) -> None:
    """Make the tables of the database that env names, or change those of an older version. Raises
    Failed."""
    done = folder.data() / "migrated"
    url = env["DATABASE_URL"]
    if done.exists() and done.read_text() == database_state(url):
        return
    argv = [sys.executable, "-W", "ignore", "-m", "django", "migrate", "--verbosity", "0"]
    migrated = processes.run(
        argv,
        env=env,
        cwd=folder.working(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if migrated.returncode:
        why = f"could not be brought up to date:\n{migrated.stderr.strip()}"
        raise Failed(
            f"The database {IS_BETWEEN_RELEASES if 'NodeNotFoundError' in migrated.stderr else why}"
        )
    done.write_text(database_state(url) or "unknown")


def database_state(url: str) -> str | None:
    """A hash of our migrations, the settings, the installed packages, and which migrations the
    database has had. None where it can't be asked like this, as its URL has options of Django's."""
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            rows = connection.execute(
                "SELECT app, name FROM django_migrations ORDER BY app, name"
            ).fetchall()
    except psycopg.Error:
        return None
    return changes.digest(
        [*(ROOT / "webapp" / "migrations").glob("*.py"), ROOT / "webapp" / "settings.py"], rows
    )
