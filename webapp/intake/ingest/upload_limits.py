"""What may come: how large an upload may be, whether the disk has room for it, and what its owner
may still have."""

import errno
import fcntl
import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from django.conf import settings
from django.db import transaction

from inference.errors import Invalid
from webapp.models import User
from webapp.platform.accounts import quotas
from webapp.platform.drawing.numbers import byte_size
from webapp.platform.storage import disk

KEPT_DAYS = 7  # for which an upload is kept after the last byte that came
KEPT_FOR_DAYS_NOTE = (
    f"What has arrived is kept for {KEPT_DAYS} days: make room on the server, then continue."
)
# Of the disk that uploads leave free, where nothing is set: one part in so many, and bytes at most
RESERVED_PART = 20
MOST_RESERVED = 1 << 30

_NAME_OF_NOTE = re.compile(r"[\w-]{22}\.json", re.ASCII)


class Refused(Exception):
    """What can't be taken: an HTTP status, and a sentence that says what was expected, what came
    and what to do."""

    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


def check_size(size: int, sentence: str) -> None:
    """Raises Refused where that many bytes, which the sentence says, are more than a corpus may
    have here."""
    if settings.MAX_UPLOAD and size > settings.MAX_UPLOAD:
        raise Refused(
            413,
            f"{sentence}, and this server takes {settings.MAX_UPLOAD:,} at most. Upload less at"
            " once, or ask whoever runs it for more (TOPOGRAPH_MAX_UPLOAD).",
        )


@contextmanager
def hold_quota(owner: int | None, size: int) -> Iterator[None]:
    """Keep that many bytes more of a user, beside uploads that have begun, while no others of
    theirs can be: the user's row is locked. Without a quota a user's uploads may be half of what
    the disk can take. Raises Refused."""
    user = User.objects.filter(pk=owner).first() if owner else None
    if user is None or not settings.ACCOUNTS:
        yield
        return
    with transaction.atomic():
        quotas.one_at_a_time(user)
        if quotas.limits(user).bytes is None:
            _check_share(user, size)
        try:
            quotas.check_bytes(user, size, arriving=lambda: bytes_arriving(user.pk))
        except Invalid as error:
            raise Refused(413, error.message) from None
        yield


def _check_share(user: User, size: int) -> None:
    """Raises Refused."""
    has = bytes_arriving(user.pk)
    free = disk.free(settings.FILE_UPLOAD_TEMP_DIR) - reserve()
    if has + size > (has + free) // 2:
        raise Refused(
            507,
            "Your uploads may take up half of the space that the server's disk has for them"
            f" ({byte_size((has + free) // 2)}). Those that have begun take up {byte_size(has)}, and"
            f" this one would add {byte_size(size)}. Read them, or delete some.",
        )


def bytes_arriving(owner: int) -> int:
    """Bytes that an owner's uploads will have, of which no corpus has been made."""
    return sum(note.length for note in _notes.present() if note.owner == owner)


class _Note(NamedTuple):
    """What never changes in an upload's note. owner: None for the local one."""

    owner: int | None
    length: int  # bytes


class _Notes:
    """The notes of all uploads, each of which is read once by this process: of N files that come
    one after the other the last would else have all notes read N times."""

    def __init__(self) -> None:
        self._by_name: dict[str, _Note] = {}

    def present(self) -> Iterable[_Note]:
        """Those of uploads that are there now."""
        by_name: dict[str, _Note] = {}
        for path in settings.FILE_UPLOAD_TEMP_DIR.iterdir():
            # A form's own .json file lies there, too
            if not _NAME_OF_NOTE.fullmatch(path.name):
                continue
            note = self._by_name.get(path.name) or _read_note(path)
            if note is not None:
                by_name[path.name] = note
        self._by_name = by_name  # at once: another thread may look
        return by_name.values()


_notes = _Notes()


def _read_note(path: Path) -> _Note | None:
    """None of an upload that is gone."""
    try:
        written = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    return _Note(written.get("owner"), written["length"])


def reserve() -> int:
    """Bytes of the disk that uploads leave free, for the work itself."""
    if settings.DISK_RESERVE is not None:
        return settings.DISK_RESERVE
    file_system = os.statvfs(settings.FILE_UPLOAD_TEMP_DIR)
    size = file_system.f_blocks * file_system.f_frsize
    return min(MOST_RESERVED, size // RESERVED_PART)


def check_room(size: int) -> None:
    """Raises Refused unless that many bytes can come and the disk still keeps its reserve."""
    free = disk.free(settings.FILE_UPLOAD_TEMP_DIR)
    if free - size < reserve():
        raise Refused(
            507,
            f"The server's disk is short of space: {byte_size(size)} more were to come,"
            f" {byte_size(free)} are free, and {byte_size(reserve())} of them are kept for the work"
            f" itself. {KEPT_FOR_DAYS_NOTE}",
        )


def promise(file: int, size: int) -> bool:
    """Have the disk keep room for all of an upload, an open file; False where its file system
    can't. Raises Refused, or OSError, where there is no room."""
    with one_process_at_a_time():  # none counts on what another takes
        check_room(max(0, size - os.fstat(file).st_blocks * 512))
        return disk.promise(file, size)


@contextmanager
def one_process_at_a_time() -> Iterator[None]:
    """What is done within is done by one process of this machine, and one thread, at a time: it must
    be short."""
    folder = os.open(settings.FILE_UPLOAD_TEMP_DIR, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


@contextmanager
def refuse_when_full() -> Iterator[None]:
    """Raises Refused(507) for an error of a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise Refused(
            507, f"The server's disk is full ({error.strerror}). {KEPT_FOR_DAYS_NOTE}"
        ) from error
