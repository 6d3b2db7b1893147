"""Writing that outlasts a power cut: written data stay in the machine's memory until they are
synced to the disk."""

import ctypes
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

# files, of which the whole file system is settled at once: one by one they take a disk's turn each
MOST_SYNCED_ONE_BY_ONE = 200


def settle(*paths: Path) -> None:
    """Returns when these files and folders, all that is in them, and their own names are on the
    disk itself: a row may point to them.

    What does not exist is passed over.
    """
    files = []
    folders = set()
    for path in map(Path, paths):
        if path.is_dir():
            for folder, _, names in os.walk(path):
                folders.add(Path(folder))
                files += [Path(folder, name) for name in names]
        elif path.exists():
            files.append(path)
        folders |= {path.parent, path.parent.parent}
    if len(files) > MOST_SYNCED_ONE_BY_ONE:
        path_of_disk = {disk_of(path): path for path in map(Path, paths) if path.exists()}
        for path in path_of_disk.values():
            settle_disk(path)
        return
    for file in files:
        sync(file)
    settle_names(sorted(folders, reverse=True))


def rewrite(path: Path, content: bytes) -> None:
    """Write a file in one step: a reader gets the whole old file or the whole new one. Call
    `settle` where it must outlast a power cut."""
    new = path.with_name(f"{path.name}.new")
    new.write_bytes(content)
    new.replace(path)


def settle_names(folders: Iterable[Path]) -> None:
    """The names in these folders alone: of files that were made, renamed or moved there."""
    for folder in folders:
        sync(folder)


def sync(path: Path) -> None:
    """A file's content, or the names in a folder."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        _flush(descriptor)
    finally:
        os.close(descriptor)


def flush_data(descriptor: int) -> None:
    """Returns when the content of an open file is on the disk itself. The time of the change may
    not be: fdatasync(2), which macOS lacks."""
    if hasattr(os, "fdatasync"):
        os.fdatasync(descriptor)
    else:
        _flush(descriptor)


def _flush(descriptor: int) -> None:
    """fsync(2); on macOS that stops at the drive's own memory, and F_FULLFSYNC goes on to the
    disk."""
    if fcntl is not None and hasattr(fcntl, "F_FULLFSYNC"):
        with suppress(OSError):  # file systems on a network have none
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
    os.fsync(descriptor)


def disk_of(path: Path) -> int:
    """The number of the file system that a path is on."""
    return path.stat().st_dev


def settle_disk(path: Path) -> None:
    """Put the file system that a path is on onto its disk, by Linux's syncfs; elsewhere all of
    them. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "syncfs"):
        return os.sync()
    descriptor = os.open(path, os.O_RDONLY)
    try:
        if libc.syncfs(descriptor):
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(path))
    finally:
        os.close(descriptor)
