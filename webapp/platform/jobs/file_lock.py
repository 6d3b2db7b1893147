"""One process at a time writes the files of a corpus or a run. The lock is the kernel's, and ends
with the process that holds it."""

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from webapp.platform import system

log = structlog.get_logger(__name__)

NAME = "lock"  # of the file in the folder
ENDING_SECONDS = 20.0  # that a killed process may take to end


class LockHeld(Exception):
    """Another process holds the lock and can't be ended from here: it runs on another machine, or
    hangs in the kernel."""


@contextmanager
def file_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder. Call it after winning the claim: a process that still holds the
    lock has lost its row, because it was stopped or starved for too long, and is killed. Raises
    LockHeld."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / NAME).open("a+b") as file:
        deadline = time.monotonic() + ENDING_SECONDS
        while not _try_to_lock(file):
            _, process = system.lock_holder(file.fileno())
            if process:
                log.warning(
                    "a process that lost its job still held the files, and is ended",
                    kind=folder.parent.name,
                    key=folder.name,
                )
                os.kill(process, signal.SIGKILL)
            if time.monotonic() > deadline:
                raise LockHeld(f"{folder.parent.name}/{folder.name}")
            time.sleep(0.05)
        yield


@contextmanager
def if_free(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder without a claim, unless another process holds it; yields whether it
    is held. A job that needs the folder meanwhile ends this process."""
    with (folder / NAME).open("a+b") as file:
        yield _try_to_lock(file)


def is_held(folder: Path) -> bool:
    """Whether another process holds the lock of a folder, on this machine or, where the file system
    tells, on another."""
    return state(folder)[0]


def state(folder: Path) -> tuple[bool, int]:
    """(whether another process holds the lock of a folder; its number, 0 where none does, or it
    can't be seen from here)."""
    try:
        with (folder / NAME).open("rb") as file:
            return system.lock_holder(file.fileno())
    except FileNotFoundError:
        return False, 0


def _try_to_lock(file) -> bool:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except OSError:
        return False
