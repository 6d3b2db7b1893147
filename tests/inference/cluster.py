"""Real schedulers and workers, each a process of its own, for tests."""

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """A scheduler and workers that share a folder. log: where they write what they say."""

    WORKER = "inference.cluster.join"  # the module that a worker runs
    PROTOCOL = "tcp"
    HOST = "127.0.0.1"

    def __init__(self, home: Path):
        self.home = home
        self.port = free_port()
        self.address = f"{self.PROTOCOL}://{self.HOST}:{self.port}"
        self.scheduler: subprocess.Popen | None = None
        self.workers: list[subprocess.Popen] = []
        self.log = (home / "cluster.log").open("ab")

    def start_scheduler(self) -> None:
        place = ["--protocol", self.PROTOCOL, "--host", self.HOST, "--port", str(self.port)]
        self.scheduler = self._run("distributed.cli.dask_scheduler", *place, "--no-dashboard")

    def start_worker(self, files: Path | None = None) -> subprocess.Popen:
        """files: the folder that it takes for the one that all share."""
        worker = self._run(self.WORKER, "--join", self.address, "--files", str(files or self.home))
        self.workers.append(worker)
        return worker

    def _run(self, module: str, *arguments: str, within: Sequence[str] = ()) -> subprocess.Popen:
        """within: a command that runs the rest of its line."""
        environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_NUM_THREADS": "2"}
        return subprocess.Popen(
            [*within, sys.executable, "-W", "ignore", "-m", module, *arguments],
            env=environment,
            stdout=self.log,
            stderr=self.log,
        )

    def kill(self, what: str) -> None:
        """Kill the first worker, or the scheduler, and start another."""
        process = self.workers.pop(0) if what == "worker" else self.scheduler
        assert process is not None
        process.kill()
        process.wait()
        if what == "worker":
            self.start_worker()
        else:
            self.start_scheduler()

    def stop(self) -> None:
        for process in [*self.workers, *([self.scheduler] if self.scheduler else [])]:
            if process.poll() is None:
                process.kill()
            process.wait()
        self.log.close()


@contextmanager
def running(home: Path, workers: int, kind: type[Cluster] = Cluster):
    cluster = kind(home)
    try:
        cluster.start_scheduler()
        for _ in range(workers):
            cluster.start_worker()
        yield cluster
    finally:
        cluster.stop()
