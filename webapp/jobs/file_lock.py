"""One process at a time writes a corpus's or a run's files: whoever has won the row ends who is still at them."""

import fcntl
import os
import signal
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)

SECONDS = 20.0  # that a process which was killed may take to be gone; fewer than heartbeat.QUIET
_FLOCK = struct.Struct("@hhqqi4x")  # of fcntl(2), on 64-bit Linux: type, whence, start, length, pid


class Held(Exception):
    """Another process holds the files and can't be ended from here: it runs on another machine, or hangs in the kernel."""


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a folder. Use it behind a claim: a process that holds the folder still was stopped or hung, and has lost its row.

    The kernel lets go when a process ends, however it ends. Raises Held.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+b") as file:
        deadline = time.monotonic() + SECONDS
        while not _taken(file):
            holder = _holder(file)
            if holder > 0:
                log.warning(
                    "a process that lost its job still held the files, and is ended",
                    kind=folder.parent.name,
                    key=folder.name,
                )
                os.kill(holder, signal.SIGKILL)
            if time.monotonic() > deadline:
                raise Held(f"{folder.parent.name}/{folder.name}")
            time.sleep(0.05)
        yield


def _taken(file) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False


def _holder(file) -> int:
    """The process that holds the lock; 0 where there is none now, or none that can be seen from here."""
    found = fcntl.fcntl(file, fcntl.F_GETLK, _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
    kind, _, _, _, pid = _FLOCK.unpack(found)
    return 0 if kind == fcntl.F_UNLCK else max(pid, 0)
