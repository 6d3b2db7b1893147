"""Free space on the disk that holds the state folder, and the errors of a full disk."""

import errno
import os
import re
import sqlite3
from pathlib import Path

import psycopg
from django.conf import settings

LEAST = 256 << 20  # bytes that must be free for a job to begin; on a small disk a hundredth of it
_ERRNOS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_CUT_SHORT = re.compile(r"\d+ requested and \d+ written")  # all that numpy's tofile says


def full() -> bool:
    """Whether there is too little free space for a job to begin."""
    disk = os.statvfs(settings.FILES)
    return disk.f_bavail * disk.f_frsize < min(LEAST, disk.f_blocks * disk.f_frsize // 100)


def free(folder: Path | None = None) -> int:
    """Bytes that may be filled, on the disk of a folder; by default of the state folder's files."""
    disk = os.statvfs(folder or settings.FILES)
    return disk.f_bavail * disk.f_frsize


def is_full(error: BaseException | None) -> bool:
    """Whether an exception, or one that caused it, says that a disk is full: ours, or that of Postgres."""
    while error is not None:
        if isinstance(error, OSError) and (
            error.errno in _ERRNOS or error.errno is None and _CUT_SHORT.search(str(error))
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
