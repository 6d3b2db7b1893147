"""Child processes that never outlive us, and a supervisor that starts a part again when it dies."""

import contextlib
import math
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from webapp.platform import system
from webapp.platform.local import folder

# Seconds before the next start of a part that died, by how often
BACKOFF = (0.2, 0.5, 1.0, 2.0, 5.0)
LONGEST_LOG = 10_000_000  # bytes; a longer one is put aside at the next start, once
# Of OpenMP, and of numpy's OpenBLAS. Threads of these that wait for each other spin, which takes the
# cores from other processes: with small matrices, as all of ours but those of a map, ten times what
# one thread takes
LIBRARY_THREADS = {"OMP_WAIT_POLICY": "PASSIVE", "OPENBLAS_NUM_THREADS": "1"}
STEADY = 30.0  # seconds of life after which a part counts as healthy again


class Child(subprocess.Popen):
    """A process that never outlives us: it gets the signal `dying` when we are gone."""

    def __init__(
        self,
        argv: list[str],
        *,
        dying: int = signal.SIGKILL,
        before_exec: Callable[[], None] | None = None,
        **popen_options,
    ):
        """before_exec: what the child does before it becomes the program. popen_options: as of
        Popen."""

        def prepare() -> None:
            if before_exec is not None:
                before_exec()
            # last, as a change of credentials takes it back
            system.ask_for_parent_death_signal(dying)

        super().__init__(argv, preexec_fn=prepare, **popen_options)
        self.guard = None
        if not system.has_parent_death_signal():
            self.guard = system.ParentGuard(self.pid, dying)

    def release(self) -> None:
        """Call it once the process has ended."""
        if self.guard is not None:
            self.guard.release()
            self.guard = None


def run(argv: list[str], **run_options) -> subprocess.CompletedProcess:
    """Wait for a process that never outlives us. run_options: as Child takes them."""
    child = Child(argv, **run_options)
    output, errors = child.communicate()
    child.release()
    return subprocess.CompletedProcess(argv, child.returncode, output, errors)


def free_port(wanted: int = 0, host: str = "127.0.0.1") -> int:
    """The port, or the next one that is free; with 0 any."""
    for port in range(wanted, wanted + 100) if wanted else (0,):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return probe.getsockname()[1]
    raise OSError(
        f"None of the ports {wanted} to {wanted + 99} of {host} is free. Choose another with"
        " --port."
    )


def spawn(
    argv: list[str],
    log: Path,
    *,
    env: dict | None = None,
    cwd: Path | None = None,
    dying: int = signal.SIGKILL,
    before_exec: Callable[[], None] | None = None,
) -> Child:
    """Start a process in a group of its own, its output in a log file. dying, before_exec: as of
    Child."""
    log.parent.mkdir(mode=folder.PRIVATE_FOLDER, parents=True, exist_ok=True)
    if log.exists() and log.stat().st_size > LONGEST_LOG:
        log.replace(log.with_suffix(".old.log"))
    with log.open("ab") as log_file:
        return Child(
            argv,
            dying=dying,
            before_exec=before_exec,
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=log_file,
            env=env,
            cwd=cwd,
            process_group=0,
        )


def stop(process: Child, gently: int, seconds: float) -> None:
    """Signal a process, wait, then end whatever is left of its group."""
    if process.poll() is None:
        process.send_signal(gently)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.release()


@dataclass
class ManagedProcess:
    """Something that must run: how to start it, and the signal that ends it well."""

    name: str
    start: Callable[[], Child]
    gently: int = signal.SIGTERM
    seconds: float = 5.0
    process: Child | None = None
    began: float = 0.0
    deaths: int = 0
    due: float = 0.0
    once: bool = False  # it ends by itself, and is not started again
    status: int | None = None  # of one that ended so

    def up(self) -> None:
        self.process = self.start()
        self.began = time.monotonic()

    def down(self) -> None:
        if self.process:
            stop(self.process, self.gently, self.seconds)


class Supervisor:
    """Keeps parts alive until it is told to stop; then ends them in the reverse order of their
    start."""

    def __init__(self, print_line: Callable[[str], None]):
        self.parts: list[ManagedProcess] = []
        self.print_line = print_line

    def add(self, part: ManagedProcess) -> ManagedProcess:
        self.parts.append(part)
        part.up()
        return part

    def look(self) -> None:
        """Start again what died; note the end of what runs once."""
        now = time.monotonic()
        for part in self.parts:
            if part.process and part.process.poll() is not None:
                stop(part.process, signal.SIGTERM, 0)  # whatever is left of its group
                if part.once:
                    part.status = part.process.returncode
                    part.process = None
                    part.due = math.inf
                    if part.status:
                        self.print_line(f"{part.name} failed (status {part.status})")
                    continue
                part.deaths = 1 if now - part.began > STEADY else part.deaths + 1
                part.due = now + BACKOFF[min(part.deaths, len(BACKOFF)) - 1]
                self.print_line(
                    f"{part.name} ended unexpectedly (status {part.process.returncode}); starting"
                    " it again"
                )
                part.process = None
            if part.process is None and now >= part.due:
                part.up()

    def restart(self, *names: str) -> None:
        """End these parts and start them again, with the code as it is now."""
        for part in self.parts:
            if part.name in names:
                part.down()
                part.up()

    def stop(self) -> None:
        for part in reversed(self.parts):
            part.down()


def worker(env: dict, log: Path, concurrency: int | None = None) -> Child:
    """A Celery worker: prefork, so that a task's process can be stopped, and ends with its task."""
    cores = os.cpu_count() or 1
    argv = [
        sys.executable,
        "-m",
        "celery",
        "-A",
        "tasks",
        "worker",
        "--pool",
        "prefork",
        "--loglevel",
        "INFO",
        "--concurrency",
        str(concurrency or cores + 1),
        "--without-gossip",
        "--without-mingle",
    ]
    return spawn(
        argv,
        log,
        env={"NUMBA_NUM_THREADS": str(cores), **LIBRARY_THREADS, **env},
        cwd=folder.working(),
    )
