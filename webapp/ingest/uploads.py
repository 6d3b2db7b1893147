"""Files that are arriving, by the tus protocol (docs/uploads.md), until a corpus is made of them.

An upload is two files in files/uploads/: `<id>`, what came of it so far, and `<id>.json`, what it will be. How much has come is
the length of the first one, so that whatever stops, the server or the machine, there is nothing to repair.
"""

import errno
import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction

from inference.errors import Invalid
from webapp.accounts import quotas
from webapp.ingest import storing
from webapp.ingest.storing import clean
from webapp.models import User

EXPIRES = 7 * 24 * 3600  # seconds after the last byte that came
SURELY_OLD = 3600  # seconds that something must have looked as old as that
PACK = 64 << 20  # bytes: the largest pack; its headers are read into memory
GIGABYTE = 1 << 30
KEPT = "What has arrived is kept for 7 days: make room on the server, then go on."
_ID = re.compile(r"[\w-]{22}", re.ASCII)

_hashers = ThreadPoolExecutor(2, "hash")
_hashes: OrderedDict = OrderedDict()  # id -> (offset, sha256 so far): of uploads between two requests
_old_since: dict[Path, float] = {}  # what `tidy` found old, and when first, by time.monotonic()
_HASHES = 1000  # of them at most; what is forgotten is computed from the file


class Refused(Exception):
    """What can't be taken: an HTTP status, and a sentence that says what was expected, what came and what to do."""

    def __init__(self, status: int, sentence: str):
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass(frozen=True)
class Upload:
    """What is known of an upload from its beginning; sha256 once all of it has come, where it was computed on the way."""

    id: str
    length: int  # bytes
    name: str
    pack: bool = False  # a tar file that the page made of many small ones
    sha256: str = ""
    owner: int | None = None  # the user who began it; none: the local owner

    @property
    def path(self) -> Path:
        return settings.FILE_UPLOAD_TEMP_DIR / self.id

    @property
    def offset(self) -> int:
        """Bytes that have come."""
        return self.path.stat().st_size

    @property
    def expires(self) -> float:
        """Seconds since the epoch."""
        return self.path.stat().st_mtime + EXPIRES


class Checksum(NamedTuple):
    """Of one part of an upload."""

    hash: Any  # of hashlib
    expected: bytes


def create(length: int, name: str, pack: bool = False, owner: int | None = None) -> Upload:
    """Begin an upload. Raises Refused when it is too large, or the disk too small."""
    check_size(length, f"“{_short(name)}” has {length:,} bytes")
    if pack and length > PACK:
        raise Refused(
            413,
            f"A pack of small files may have {PACK:,} bytes, and this one has {length:,}. Send fewer files in each.",
        )
    _room_for(length)
    upload = Upload(secrets.token_urlsafe(16), length, clean(name), pack, owner=owner)
    with within_quota(owner, length), _no_space_said():
        os.close(os.open(upload.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _note(upload)
    return upload


@contextmanager
def within_quota(owner: int | None, size: int) -> Iterator[None]:
    """Keep that many bytes more of a user, beside uploads that have begun, while no others of theirs can be. Raises Refused."""
    user = User.objects.filter(pk=owner).first() if owner else None
    if user is None or quotas.limits(user).bytes is None:
        yield
        return
    try:
        with transaction.atomic():
            quotas.check_bytes(user, size, arriving=lambda: _arriving(user.pk))
            yield
    except Invalid as error:
        raise Refused(413, error.message) from None


def _arriving(owner: int) -> int:
    """Bytes that an owner's uploads will have, of which no corpus has been made."""
    notes = settings.FILE_UPLOAD_TEMP_DIR.glob("*.json")
    found = (json.loads(text) for text in map(_text, notes) if text)
    return sum(note["length"] for note in found if note.get("owner") == owner)


def _text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""  # it went by itself


def check_size(size: int, sentence: str) -> None:
    """Raises Refused where that many bytes, which the sentence says, are more than a corpus may have here."""
    if settings.MAX_UPLOAD and size > settings.MAX_UPLOAD:
        raise Refused(413, f"{sentence}, and this server takes {settings.MAX_UPLOAD:,} at most. Upload less at once, or ask whoever "
                           "runs it for more (TOPOGRAPH_MAX_UPLOAD).")  # fmt: skip


def find(upload_id: str, owner: int | None = None) -> Upload:
    """Raises Refused where there is none, or no longer, or where it is not that owner's; without one it may be anybody's."""
    if _ID.fullmatch(upload_id):
        try:
            upload = Upload(**json.loads(_note_path(upload_id).read_bytes()))
            if upload.expires > time.time() and owner in (None, upload.owner):
                return upload
        except (FileNotFoundError, ValueError, TypeError):
            pass
    raise Refused(
        404,
        "There is no such upload, or no longer: it was cancelled, made into a corpus, or is older than 7 days. Upload the file again.",
    )


def remove(upload: Upload) -> None:
    _hashes.pop(upload.id, None)
    _note_path(upload.id).unlink(missing_ok=True)
    upload.path.unlink(missing_ok=True)


class Writing:
    """Appends to an upload; nobody else can at the same time, in this process or another.

    Raises Refused(423) on opening where somebody does, and Refused(507) when the disk is full: what came before is kept.
    """

    def __init__(self, upload: Upload, checksum: Checksum | None = None):
        self.upload, self.checksum = upload, checksum
        try:
            self.file = os.open(upload.path, os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            raise Refused(404, "There is no such upload any more. Upload the file again.") from None
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self.file)
            raise Refused(
                423, "This upload is being written to over another connection. Try again when that one has ended."
            ) from None
        self.begin = self.offset = os.fstat(self.file).st_size
        at, self.hash = _hashes.pop(upload.id, (0, hashlib.sha256()))
        if at != self.offset:
            self.hash = None  # what came before is only on disk
        elif not at and checksum and checksum.hash.name == "sha256":
            self.hash = checksum.hash  # of the first part both are the same: most files have no other
        self.hash_before = self.hash and self.hash.copy()
        self.hashing: Future | None = None

    def write(self, pieces: list[bytes]) -> None:
        """Append them (at most 1,024), and take them into the checksum.

        The hash of the whole follows in a thread of its own. Where it can't keep up (lines of more than 500 MB a second) it is given
        up, and computed from the disk when a corpus is made: nobody waits for it while bytes arrive.
        """
        size = sum(map(len, pieces))
        _room_for(size)
        if self.hash and self.hashing and not self.hashing.done():
            self.hash = None
        if self.hash and not (self.checksum and self.checksum.hash is self.hash):
            self.hashing = _hashers.submit(_update, self.hash, pieces)
        checking = self.checksum and _hashers.submit(_update, self.checksum.hash, pieces)
        try:
            self._append(pieces, size)
        except Refused:
            self.hash = None  # it has seen what is not in the file
            raise
        finally:
            if checking:
                checking.result()

    def _append(self, pieces: list[bytes], size: int) -> None:
        with _no_space_said():
            written = os.writev(self.file, pieces)
            self.offset += written
            rest = memoryview(b"".join(pieces))[written:] if written < size else b""
            while rest:  # a disk that is nearly full takes a part, and says so at the next attempt
                written = os.write(self.file, rest)
                self.offset += written
                rest = rest[written:]

    def sync(self) -> None:
        """Returns when what was written is on the disk itself."""
        with _no_space_said():
            os.fdatasync(self.file)

    def take_back(self) -> None:
        """Forget what was written since it was opened."""
        os.ftruncate(self.file, self.begin)
        self.offset, self.hash = self.begin, self.hash_before

    def close(self) -> None:
        """Make it last, and let others write. Raises Refused(404) if the upload was cancelled meanwhile."""
        try:
            self.sync()
            if not os.fstat(self.file).st_nlink:
                raise Refused(404, "The upload was cancelled while it arrived.")
            if self.hash and self.hashing:
                self.hashing.result()
            if self.hash and self.offset == self.upload.length:
                _note(Upload(**asdict(self.upload) | {"sha256": self.hash.hexdigest()}))
            elif self.hash:
                _hashes[self.upload.id] = self.offset, self.hash
                if len(_hashes) > _HASHES:
                    _hashes.popitem(last=False)
        finally:
            os.close(self.file)


def _update(hash, pieces: list[bytes]) -> None:
    for piece in pieces:
        hash.update(piece)


# The disk ---------------------------------------------------------------------------------------------------------


def reserve() -> int:
    """Bytes of the disk that uploads leave free, for the work itself."""
    if settings.DISK_RESERVE is not None:
        return settings.DISK_RESERVE
    disk = os.statvfs(settings.FILE_UPLOAD_TEMP_DIR)
    return min(GIGABYTE, disk.f_blocks * disk.f_frsize // 20)


def _room_for(size: int) -> None:
    """Raises Refused unless that many bytes can come and the disk still keeps its reserve."""
    disk = os.statvfs(settings.FILE_UPLOAD_TEMP_DIR)
    free = disk.f_bavail * disk.f_frsize
    if free - size < reserve():
        came = f"{_bytes(size)} more were to come, {_bytes(free)} are free, and {_bytes(reserve())} of them are kept for the work itself"
        raise Refused(507, f"The server's disk is short of space: {came}. {KEPT}")


@contextmanager
def _no_space_said() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise Refused(507, f"The server's disk is full ({error.strerror}). {KEPT}") from error


def _bytes(size: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:,.0f} {unit}" if unit == "bytes" or size >= 100 else f"{size:.1f} {unit}"


def _note_path(upload_id: str) -> Path:
    return settings.FILE_UPLOAD_TEMP_DIR / f"{upload_id}.json"


def _note(upload: Upload) -> None:
    path = _note_path(upload.id)
    new = path.with_suffix(".new")
    with new.open("wb") as file:
        file.write(json.dumps(asdict(upload)).encode())
        file.flush()
        os.fsync(file.fileno())
    new.rename(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Names in it last."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _short(name: str) -> str:
    name = clean(name)
    return name if len(name) <= 100 else f"…{name[-99:]}"


# What becomes of them ---------------------------------------------------------------------------------------------


@contextmanager
def taken(ids: list[str], owner: int | None = None) -> Iterator[list[storing.Upload]]:
    """An owner's finished uploads, which are gone when it ends well; a corpus has them then by names of its own.

    Raises Refused where one is not there, or not whole.
    """
    uploads = [find(one, owner) for one in dict.fromkeys(ids)]
    missing = [(u, came) for u in uploads if (came := u.offset) != u.length]
    if missing:
        first, came = missing[0]
        raise Refused(409, f"“{_short(first.name)}” has not arrived whole: {came:,} of {first.length:,} bytes. "
                           f"{len(missing):,} of {len(uploads):,} uploads still have to go on.")  # fmt: skip
    total = sum(u.length for u in uploads)
    check_size(total, f"The files have {total:,} bytes together")
    _room_for(sum(u.length for u in uploads if u.pack))
    with _no_space_said():
        yield [storing.Upload(u.name, u.path, u.sha256, u.pack, stays=True) for u in uploads]
    for upload in uploads:
        remove(upload)


def tidy() -> None:
    """Remove what belongs to nobody any more: uploads after 7 days, other files, of forms and of work that was broken off, after one.

    A clock that was set wrong makes everything look old: what does must do so for an hour, by a clock that can't be set.
    """
    now, old_since = time.time(), {}
    for path in settings.FILE_UPLOAD_TEMP_DIR.iterdir():
        upload_id = path.name.removesuffix(".json")
        try:
            if _ID.fullmatch(upload_id):
                data = path.with_name(upload_id)
                old = max(p.stat().st_mtime for p in (path, data) if p.exists()) < now - EXPIRES
            else:
                old = path.stat().st_mtime < now - 24 * 3600
            if old:
                old_since[path] = _old_since.get(path, time.monotonic())
                if time.monotonic() - old_since[path] >= SURELY_OLD:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        except FileNotFoundError:
            continue  # it went by itself
    _old_since.clear()
    _old_since.update(old_since)
