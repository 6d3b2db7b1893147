"""Free space on the disk that holds the state folder, and the errors of a full disk."""

import errno
import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
from django.conf import settings

from webapp.platform import system

SLACK_BYTES = 1 << 20  # bytes that a file may take up beyond its size without a promise
# What must be free for a job to begin; on a small disk a hundredth of it
LEAST_FREE_BYTES = 256 << 20
_CUT_SHORT = re.compile(r"\d+ requested and \d+ written")  # all that numpy's tofile says


def full() -> bool:
    """Whether there is too little free space for a job to begin."""
    disk = shutil.disk_usage(settings.FILES)
    return disk.free < min(LEAST_FREE_BYTES, disk.total // 100)


def free(folder: Path | None = None) -> int:
    """Bytes that may be filled, on the disk of a folder; by default of the state folder's files."""
    return shutil.disk_usage(folder or settings.FILES).free


def files_below(folder: Path) -> Iterator[os.stat_result]:
    """What the system says of each file in a folder, links not followed. Those that go meanwhile,
    or are not ours to read, are left out."""
    for directory, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                yield os.lstat(os.path.join(directory, name))


def promise(file: int, size: int) -> bool:
    """Have the disk keep room for an open file of so many bytes, beyond those that it has; False
    where its file system can't. It counts as filled from then on, and is not used for anything
    else. Raises OSError where there is no room."""
    return system.reserve_room(file, size)


def take_back(file: int) -> None:
    """Give free what was promised to an open file and is not filled."""
    state = os.fstat(file)
    if state.st_blocks * 512 > state.st_size + SLACK_BYTES:
        os.ftruncate(file, state.st_size)
        os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))


def is_full(error: BaseException | None) -> bool:
    """Whether an exception, or one that caused it, says that a disk is full: ours, or that of
    Postgres."""
    while error is not None:
        if isinstance(error, OSError) and (
            error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            or error.errno is None
            and _CUT_SHORT.search(str(error))
        ):
            return True
        if (
            isinstance(error, psycopg.errors.DiskFull)
            or isinstance(error, sqlite3.OperationalError)
            and "full" in str(error)
        ):
            return True
        error = error.__cause__ or error.__context__
    return False
