"""How long a start takes until pages answer, and until a first training shows its first point.

    .venv/bin/python -m benchmarks.ready

Three starts of `manage.py start`: cold (an empty state folder and no compiled kernels), with
kernels (an empty state folder), and again (the state folder of the second, once all is compiled).
In an empty one Topograph reads the example and trains on it by itself: that is the first training.
Prints seconds of the clock until "ready", until the first point, and processor seconds of
everything that was started up to then, of which a start on a busy machine needs as many as on an
idle one.
"""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from benchmarks.origin import ROOT

# Seconds: a start may take at most, its end may take, between two looks
PATIENCE = 1800.0
ENDING = 60
LOOK_EVERY = 0.05


def measured(name: str, data: Path, kernels: Path, trains: bool, compiles: bool = False) -> str:
    """A line of the table. trains, compiles: wait for the first point, or until everything is
    compiled."""
    before = processor_seconds()
    began = time.monotonic()
    with started(data, TOPOGRAPH_KERNELS=str(kernels)) as (process, _):
        ready = time.monotonic() - began
        point = ""
        if trains:
            servers = json.loads((data / "servers.json").read_text())
            with psycopg.connect(servers["database_url"], autocommit=True) as database:
                while not database.execute("SELECT 1 FROM webapp_metric LIMIT 1").fetchone():
                    wait(process, began)
            point = f"{time.monotonic() - began:.1f}"
        while compiles and not (data / "compiled-the-rest").exists():
            wait(process, began)
    return f"| {name} | {ready:.1f} | {point} | {processor_seconds() - before:.1f} |"


@contextmanager
def started(data: Path, **env: str) -> Iterator[tuple[subprocess.Popen, str]]:
    """A Topograph of its own that is ready, and its address. env: further variables of its
    environment."""
    environment = os.environ | {"TOPOGRAPH_DATA": str(data), "PYTHONUNBUFFERED": "1", **env}
    environment.pop("DATABASE_URL", None)
    environment.pop("REDIS_URL", None)
    log = data.with_suffix(".log")
    began = time.monotonic()
    argv = [sys.executable, "manage.py", "start", "--port", "0"]
    with log.open("w") as output:
        process = subprocess.Popen(argv, cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        while not (ready := re.search(r"^Topograph is ready at (\S+)", log.read_text(), re.M)):
            wait(process, began)
        yield process, ready[1]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(ENDING)


def wait(process: subprocess.Popen, began: float) -> None:
    if process.poll() is not None or time.monotonic() - began > PATIENCE:
        raise SystemExit("Topograph did not start.")
    time.sleep(LOOK_EVERY)


def processor_seconds() -> float:
    """Processor seconds of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n", flush=True)
    print("| start | ready, s | first point, s | processor s |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="topograph-ready-") as name:
        folder = Path(name)
        print(measured("cold", folder / "first", folder / "kernels", True), flush=True)
        print(measured("with kernels", folder / "second", folder / "kernels", True), flush=True)
        measured("", folder / "second", folder / "kernels", False, compiles=True)
        print(measured("again", folder / "second", folder / "kernels", False), flush=True)


if __name__ == "__main__":
    main()
