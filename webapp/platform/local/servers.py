"""Where Postgres and Redis are: the ones that the environment names, those of a running Topograph,
or our own."""

import os
import sys
import time
from contextlib import contextmanager

from webapp.platform import system
from webapp.platform.local import folder
from webapp.platform.local.package import COMMAND
from webapp.platform.local.postgres import Postgres
from webapp.platform.local.processes import Supervisor
from webapp.platform.local.valkey import Valkey

# A start is ready within seconds; the first one makes the database, and an upgrade changes tables
START_SECONDS = 120.0
LOOK_SECONDS = 0.2
WAITING = "Topograph is starting, or another command works; this one waits for it."

ours = False  # whether this process started servers, for its own command


class NotRunning(Exception):
    """Neither the environment nor a running Topograph says where the servers are."""


def urls() -> tuple[str, str]:
    """(database URL, Redis URL) for settings.py. Starts nothing; raises NotRunning."""
    urls_known = folder.servers() if not both_given() else {}
    try:
        return (
            os.environ.get("DATABASE_URL") or urls_known["database_url"],
            os.environ.get("REDIS_URL") or urls_known["redis_url"],
        )
    except KeyError:
        raise NotRunning(
            f"No database is known. Run commands by `{COMMAND} …`, which finds or starts one, "
            "or set DATABASE_URL and REDIS_URL."
        ) from None


def both_given() -> bool:
    return bool(os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL"))


def start(supervisor: Supervisor) -> tuple[str, str]:
    """Start the servers that the environment does not name, and return both URLs once they
    answer."""
    urls = []
    started = []
    for variable, kind in (("DATABASE_URL", Postgres), ("REDIS_URL", Valkey)):
        if not (url := os.environ.get(variable)):
            server = kind()
            started.append((server, supervisor.add(server.part())))
            url = server.url
        urls.append(url)
    for server, part in started:
        if part.process is None:
            raise AssertionError("A part that was added has been started.")
        server.wait(part.process)
    return urls[0], urls[1]


def is_told_of_servers() -> bool:
    """Whether a running Topograph has said where its servers are. One that is starting is waited
    for."""
    deadline = time.monotonic() + START_SECONDS * system.waiting_processes()
    is_waiting = False
    while folder.locked():
        if folder.servers():
            return True
        if time.monotonic() > deadline:
            return False
        if not is_waiting:
            is_waiting = True
            print(WAITING, file=sys.stderr, flush=True)
        time.sleep(LOOK_SECONDS)
    return False


@contextmanager
def for_command():
    """Servers for one command: a running Topograph's, or our own for as long as it takes. Raises
    folder.Busy where another command, or a start that comes to no end, holds the state folder."""
    if both_given() or is_told_of_servers():
        yield
        return
    global ours
    supervisor = Supervisor(print)
    with folder.lock():
        try:
            database, broker = start(supervisor)
            ours = True
            os.environ.update(DATABASE_URL=database, REDIS_URL=broker)
            yield
        finally:
            supervisor.stop()
