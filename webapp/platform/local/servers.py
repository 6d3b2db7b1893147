"""Where Postgres and Redis are: the ones that the environment names, those of a running Topograph,
or our own."""

import os
from contextlib import contextmanager

from webapp.platform.local import folder
from webapp.platform.local.package import COMMAND
from webapp.platform.local.postgres import Postgres
from webapp.platform.local.processes import Supervisor
from webapp.platform.local.valkey import Valkey

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


@contextmanager
def for_command():
    """Servers for one command: a running Topograph's, or our own for as long as it takes."""
    if both_given() or (folder.locked() and folder.servers()):
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
