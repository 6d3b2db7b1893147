"""`manage.py start`: everything on this machine, until Ctrl-C."""

import argparse
import http.client
import os
import signal
import sys
import time
import urllib.request
from contextlib import suppress

from webapp.platform import system
from webapp.platform.local import (
    compilation,
    folder,
    migrations,
    needs,
    package,
    processes,
    servers,
)
from webapp.platform.local.loopback import is_loopback
from webapp.platform.local.postgres import Failed

HERE = "127.0.0.1"
UNGUARDED = (
    "Accounts are off: whoever reaches this Topograph may do everything, so it listens on this"
    " machine alone, and not on {host}. Turn accounts on first (TOPOGRAPH_ACCOUNTS=1):"
    " docs/accounts.md says how."
)
MOST_WEB = 16
WATCHED = (".py", ".html", ".txt", ".js", ".css")  # by --reload
# Of glibc. What arrives comes in pieces of 256 KB, and by default it fetches each from the system
# and gives it back: 500 MB a second instead of 2,000. Each request has a thread of its own, and
# glibc gives threads eight heaps a core, of which each keeps what its largest page
# took: 650 MB that grew, and with two of them 400 MB that stayed, while 50 people browsed a million
# documents. docker-compose.yml says the same.
MALLOC = {
    "MALLOC_MMAP_THRESHOLD_": str(8 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(32 << 20),
    "MALLOC_ARENA_MAX": "2",
}


class Stop(Exception):
    """Ctrl-C, or SIGTERM."""


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="manage.py start", description=__doc__)
    parser.add_argument(
        "--port",
        type=int,
        default=int(os.environ.get("TOPOGRAPH_PORT", "8000")),
        help="the next free one is used where it is taken (default: %(default)s)",
    )
    parser.add_argument(
        "--host",
        default=HERE,
        help="the address to listen on; others than this machine's own (127.0.0.1) need accounts",
    )
    parser.add_argument(
        "--web",
        type=int,
        default=int(os.environ.get("TOPOGRAPH_WEB") or "1"),
        metavar="N",
        help=(
            "processes that answer pages, at most as many as there are cores (default: %(default)s)"
        ),
    )
    parser.add_argument(
        "--reload",
        action="store_true",
        help="for development: the web server and the worker start again when code changes",
    )
    options = parser.parse_args(argv)
    if not 1 <= options.web <= MOST_WEB:
        parser.error(f"--web must be from 1 to {MOST_WEB}, got {options.web}.")
    # Each has a part of the database's connections (webapp/settings.py)
    os.environ["TOPOGRAPH_WEB"] = str(options.web)
    if not (
        options.host == "localhost"
        or is_loopback(options.host)
        or os.environ.get("TOPOGRAPH_ACCOUNTS") == "1"
    ):
        sys.exit(UNGUARDED.format(host=options.host))
    check_machine()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    supervisor = processes.Supervisor(say)
    try:
        with folder.lock():
            folder.tell()  # what one that was killed has told is no longer true
            try:
                url = bring_up(supervisor, options.port, options.host)
                say(f"Topograph is ready at {url}")
                code = options.reload and newest_source()
                while True:
                    time.sleep(0.2)
                    supervisor.look()
                    if options.reload and (now := newest_source()) != code:
                        say("Code has changed: starting the worker and the web server again")
                        supervisor.restart("The worker", "The web server")
                        code = now
            except Stop:
                say("Stopping …")
            finally:
                for number in (signal.SIGINT, signal.SIGTERM):
                    signal.signal(number, signal.SIG_IGN)
                folder.tell()
                supervisor.stop()
    except (folder.Busy, Failed, OSError) as error:
        sys.exit(str(error))
    return 0


def check_machine() -> None:
    """Say what the machine lacks. Ends the process where Topograph can't start so."""
    refusal = needs.refusal_of_state(folder.state_folder())
    if refusal is not None:
        sys.exit(refusal)
    for note in needs.notes(folder.state_folder()):
        say(note)


def newest_source() -> tuple[int, float]:
    """(number, time of the last change) of the files that --reload watches."""
    folders = [package.ROOT / name for name in ("inference", "tasks", "webapp")]
    times = []
    for top in (*folders, package.resource("templates"), package.resource("static")):
        for at, _, names in os.walk(top):
            for name in names:
                if name.endswith(WATCHED):
                    with suppress(FileNotFoundError):  # it was there a moment ago
                        times.append(os.stat(os.path.join(at, name)).st_mtime)
    return len(times), max(times)


def _stop(*_) -> None:
    raise Stop


def bring_up(supervisor: processes.Supervisor, port: int, host: str = HERE) -> str:
    """Start every part; returns the address once the web server answers and a worker is alive."""
    say(f"State folder: {folder.data()}")
    say("1 of 3: starting the database and the queue …")
    compiles = compilation.start(supervisor)
    database, broker = servers.start(supervisor)
    logs = folder.data() / "logs"
    env = dict(os.environ) | {
        "DATABASE_URL": database,
        "REDIS_URL": broker,
        "DJANGO_SETTINGS_MODULE": "webapp.settings",
        "TOPOGRAPH_DATA": str(folder.data()),
        "PYTHONUNBUFFERED": "1",
    }
    say("2 of 3: bringing the database's tables up to date …")
    migrations.bring_up_to_date(env)
    say("3 of 3: starting the web server and a worker …")
    port = processes.free_port(port)
    reached = HERE if host in ("0.0.0.0", "::") else host
    url = f"http://{f'[{reached}]' if ':' in reached else reached}:{port}/"
    folder.tell(database_url=database, redis_url=broker, url=url)
    supervisor.add(
        processes.ManagedProcess(
            "The worker", lambda: processes.worker(env, logs / "worker.log"), signal.SIGQUIT, 3.0
        )
    )
    supervisor.add(
        processes.ManagedProcess(
            "The web server",
            lambda: processes.spawn(
                web(port, host),
                logs / "web.log",
                env=processes.LIBRARY_THREADS | env | MALLOC,
                cwd=folder.working(),
            ),
            signal.SIGTERM,
            4.0,
        )
    )
    _wait(supervisor, url, broker)
    if compiles:
        say(
            "The engine is being compiled in the background, once: a training waits for it, pages"
            " do not."
        )
    return url


def web(port: int, host: str = HERE) -> list[str]:
    """The command line of the web server. A reverse proxy is only believed where TOPOGRAPH_PROXY
    says which: anyone can send its headers."""
    return [
        sys.executable,
        "-m",
        "uvicorn",
        "webapp.asgi:application",
        "--host",
        host,
        "--port",
        str(port),
        "--http",
        "webapp.platform.server.connections:Connection",
        "--forwarded-allow-ips",
        os.environ.get("TOPOGRAPH_PROXY", ""),
        "--workers",
        os.environ.get("TOPOGRAPH_WEB") or "1",
        "--timeout-graceful-shutdown",
        "2",
        "--no-access-log",
        "--lifespan",
        "off",
        "--no-server-header",
    ]


def _wait(supervisor: processes.Supervisor, url: str, broker: str) -> None:
    """Until the web server can do its work and a worker says that it lives."""
    import redis

    began = time.monotonic()
    with redis.Redis.from_url(broker, socket_timeout=5) as client:
        while True:
            supervisor.look()
            if is_answering(url) and next(client.scan_iter("worker:*", count=1000), None):
                return
            # Two minutes for each process that waits for a core: a start takes seconds of processor
            # time
            limit = 120.0 * system.waiting_processes()
            if time.monotonic() - began > limit:
                raise Failed(
                    f"Topograph did not get ready within {limit:.0f} s. See the logs in"
                    f" {folder.data() / 'logs'}."
                )
            time.sleep(0.05)


def is_answering(url: str) -> bool:
    """Whether Topograph answers at an address, which ends in "/".

    Where nobody listens yet at a port from which connections begin, the system may connect the
    request with itself: then it reads what it wrote, which is not HTTP."""
    try:
        with urllib.request.urlopen(f"{url}readyz", timeout=5) as response:
            return response.status == 200
    except (OSError, http.client.HTTPException):
        return False


def say(text: str) -> None:
    print(text, flush=True)
