"""Copies on this machine's disk of what the store has: fetched when they are first needed, whole,
and mapped from then on.

A copy lies where the file or folder itself would. Beside it there is a mark, a file in FILES/copies
that holds the copy's size: who uses the copy holds a shared lock on the mark, who fetches or
removes it an exclusive one. So several processes fetch once, and what is in use stays. The kernel
lets go of the locks of a process that ends. A mark's time is that of the last use: where copies
take more room than settings.STORE_CACHE, those unused longest go.
"""

import fcntl
import hashlib
import os
import secrets
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import structlog
from django.conf import settings

from inference.runtime.durable import settle
from webapp.platform.storage import s3

log = structlog.get_logger(__name__)

RETRY_SECONDS = 5.0  # seconds after a failure in which the store is not asked again for a page
# Requests of a web process that wait for copies: a store that is slow leaves others their places
waiters = threading.BoundedSemaphore(2)


class Fetching(s3.StoreAway):
    """A copy is not whole yet; the message says how far it is."""


class Damaged(s3.StoreAway):
    """What the store has is not what was stored there."""


class Item(NamedTuple):
    """A sealed file or folder: FILES/kind/key/name."""

    kind: str  # corpora, versions or runs
    key: int
    name: str

    @classmethod
    def at(cls, path: Path) -> "Item":
        """The item at a path, or that a path is within."""
        kind, key, name = path.relative_to(settings.FILES).parts[:3]
        return cls(kind, int(key), name)

    @property
    def path(self) -> Path:
        return settings.FILES / self.kind / str(self.key) / self.name

    def object(self, generation: str, file: str) -> str:
        """The key of a file in the store; file: its path below the item, "" where the item is the
        file."""
        return f"{self.kind}/{self.key}/{self.name}/{generation}" + (f"/{file}" if file else "")


class Stored(NamedTuple):
    """What the store has of an item. generation: another one for each time that it was sealed.
    files: (path below the item, bytes, sha256)."""

    item: Item
    generation: str
    files: list[tuple[str, int, str]]

    @property
    def size(self) -> int:
        return sum(size for _, size, _ in self.files)

    @property
    def objects(self) -> list[str]:
        return [self.item.object(self.generation, name) for name, _, _ in self.files]


def use(stored: Stored) -> int:
    """A file descriptor; until it is closed the copy stays. Fetches the copy where there is none,
    for as long as settings.FETCH_PATIENCE. Raises Fetching, StoreAway, s3.Missing."""
    patience = settings.FETCH_PATIENCE
    deadline = None if patience is None else time.monotonic() + patience
    while (lock := _hold_copy(stored)) is None:
        fetch = _fetch_of(stored)
        if deadline is None:
            fetch.join()
        elif waiters.acquire(blocking=False):  # else it is told at once how far the copy is
            try:
                fetch.join(max(0.0, deadline - time.monotonic()))
            finally:
                waiters.release()
        if fetch.is_alive():
            raise Fetching(
                f"{100 * fetch.bytes // max(1, stored.size)}% of {stored.size:,} bytes are here."
            )
        if fetch.error is not None:
            raise fetch.error
    return lock


def note(stored: Stored) -> None:
    """What lies at the item's place is what was stored: from now on it is a copy, and may go."""
    if not stored.item.path.exists():
        return
    lock = _locked_alone(mark_of_copy(stored))
    try:
        _write_mark(lock, stored)
    finally:
        os.close(lock)
    _forget_others(stored)


def drop(item: Item) -> None:
    """Remove a copy, whether it is used or not: whoever has it mapped keeps it until the mapping
    ends."""
    _remove(item.path)
    for mark in settings.COPIES.glob(f"{_stem(item)}.*"):
        mark.unlink(missing_ok=True)


def trim(room: int = 0) -> None:
    """Remove copies, those unused longest first, until there is room for so many bytes more. What
    is in use stays, even where that is more than all of the room."""
    marks = sorted(_marks())
    over = sum(size for _, size, _ in marks) + room - settings.STORE_CACHE
    for _, size, mark in marks:
        if over <= 0:
            return
        if _evict(mark):
            over -= size


def tidy() -> None:
    """Keep to the bound, and remove what killed fetches left."""
    for mark in settings.COPIES.iterdir() if settings.COPIES.is_dir() else ():
        if (lock := _lock_mark(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)) is not None:
            _remove(arriving_path(mark))
            if not _is_whole(lock, _item(mark)):
                mark.unlink(missing_ok=True)
            os.close(lock)
    trim()


def bytes_kept() -> int:
    """Bytes of all copies on this machine."""
    return sum(size for _, size, _ in _marks())


class _Fetch(threading.Thread):
    """Fetches one copy in the background: a request does not wait for ever, and the next one finds
    more of it."""

    def __init__(self, stored: Stored):
        super().__init__(daemon=True, name=f"fetch {stored.item}")
        self.stored = stored
        self.bytes = 0
        self.ended = 0.0
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self._fetch()
        except Exception as error:  # told to those who wait
            self.error = error
            log.warning("a copy could not be fetched", part=str(self.stored.item), exc_info=error)
        self.ended = time.monotonic()

    def _fetch(self) -> None:
        item = self.stored.item
        lock = _locked_alone(mark_of_copy(self.stored))  # waits for another process's fetch
        try:
            if _is_whole(lock, item):
                return
            trim(self.stored.size)
            new = arriving_path(mark_of_copy(self.stored))
            new.parent.mkdir(parents=True, exist_ok=True)
            _remove(new)  # of a fetch that was killed
            try:
                for name, size, digest in self.stored.files:
                    self._fetch_file(new / name if name else new, name, size, digest)
                settle(new)
                _remove(item.path)  # of another generation, or what a killed attempt left
                new.rename(item.path)
            finally:
                _remove(new)
            _write_mark(lock, self.stored)
        finally:
            os.close(lock)
        _forget_others(self.stored)

    def _fetch_file(self, to: Path, name: str, size: int, digest: str) -> None:
        to.parent.mkdir(parents=True, exist_ok=True)
        with to.open("wb") as file:
            for block in checked(self.stored, name, size, digest):
                file.write(block)
                self.bytes += len(block)


def checked(stored: Stored, name: str, size: int, digest: str) -> Iterator[bytes]:
    """The bytes of a file in the store. Raises Damaged at their end where they are not what was
    stored."""
    seen = hashlib.sha256()
    count = 0
    for block in s3.blocks(stored.item.object(stored.generation, name), size):
        seen.update(block)
        count += len(block)
        if count > size:
            break
        yield block
    if count != size or seen.hexdigest() != digest:
        raise Damaged(
            f"{'/'.join(map(str, stored.item))}/{name} in the store has other bytes than were"
            f" stored ({count:,} of {size:,})."
        )


fetches: dict[Path, _Fetch] = {}  # by the mark; of this process
_fetches_lock = threading.Lock()


def _fetch_of(stored: Stored) -> _Fetch:
    """The thread that fetches a copy; begun where there is none, or it ended. One that just failed
    is not begun again for a page."""
    mark = mark_of_copy(stored)
    with _fetches_lock:
        fetch = fetches.get(mark)
        recent = (
            fetch is not None
            and fetch.error is not None
            and time.monotonic() - fetch.ended < RETRY_SECONDS
        )
        if fetch is None or not (
            fetch.is_alive() or recent and settings.FETCH_PATIENCE is not None
        ):
            for ended in [key for key, thread in fetches.items() if not thread.is_alive()]:
                del fetches[ended]
            fetch = fetches[mark] = _Fetch(stored)
            fetch.start()
        return fetch


def _hold_copy(stored: Stored) -> int | None:
    """A shared lock on a copy that is whole; None where it is not, or another process is about to
    change it."""
    if (lock := _lock_mark(mark_of_copy(stored), fcntl.LOCK_SH | fcntl.LOCK_NB)) is None:
        return None
    if _is_whole(lock, stored.item):
        os.utime(lock)
        return lock
    os.close(lock)
    return None


def _lock_mark(mark: Path, how: int) -> int | None:
    """A descriptor of a mark, which is made, with a lock; None where that can't be had at once
    (LOCK_NB)."""
    mark.parent.mkdir(parents=True, exist_ok=True)
    while True:
        descriptor = os.open(mark, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, how)
            if os.fstat(descriptor).st_ino == os.stat(mark).st_ino:
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            return None
        except FileNotFoundError:
            pass  # it was removed while we waited
        os.close(descriptor)


def _locked_alone(mark: Path) -> int:
    """An exclusive lock, however long that takes."""
    lock = _lock_mark(mark, fcntl.LOCK_EX)
    assert lock is not None
    return lock


def _is_whole(lock: int, item: Item) -> bool:
    return os.fstat(lock).st_size > 0 and item.path.exists()


def _write_mark(lock: int, stored: Stored) -> None:
    os.pwrite(lock, f"{stored.size}\n".encode(), 0)
    os.utime(lock)


def _forget_others(stored: Stored) -> None:
    """Remove marks of other generations: nothing of theirs is at the item's place any more."""
    for mark in settings.COPIES.glob(f"{_stem(stored.item)}.*"):
        if mark != mark_of_copy(stored):
            mark.unlink(missing_ok=True)


def _evict(mark: Path) -> bool:
    if (lock := _lock_mark(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)) is None:
        return False
    try:
        _remove(_item(mark).path)
        mark.unlink(missing_ok=True)
    finally:
        os.close(lock)
    return True


def _remove(path: Path) -> None:
    """In one step for who looks: a folder goes under another name first."""
    if path.is_dir():
        renamed = path.with_name(f"{path.name}.{secrets.token_hex(4)}.new")
        with suppress(FileNotFoundError):
            path.rename(renamed)
        shutil.rmtree(renamed, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _stem(item: Item) -> str:
    return f"{item.kind}-{item.key}-{item.name}"


def mark_of_copy(stored: Stored) -> Path:
    """The file that says that a copy is whole, and is locked while the copy is used or changed."""
    return settings.COPIES / f"{_stem(stored.item)}.{stored.generation}"


def arriving_path(mark: Path) -> Path:
    """Where a copy is while it is fetched; backups know the ending. mark: of the copy."""
    path = _item(mark).path
    return path.with_name(f"{path.name}{mark.suffix}.new")


def _item(mark: Path) -> Item:
    kind, key, name = mark.name.rpartition(".")[0].split("-", 2)
    return Item(kind, int(key), name)


def _marks() -> Iterator[tuple[float, int, Path]]:
    """(time of the last use, bytes, mark) of each copy that is whole."""
    for mark in settings.COPIES.iterdir() if settings.COPIES.is_dir() else ():
        with suppress(FileNotFoundError):
            if text := mark.read_text():
                yield mark.stat().st_mtime, int(text), mark
