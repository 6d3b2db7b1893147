"""Files that are arriving, by the tus protocol (docs/uploads.md), until a corpus is made of them.

An upload is two files in files/uploads/: `<id>`, what came of it so far, and `<id>.json`, what it
will be. How much has come is the length of the first one, so that whatever stops, the server or the
machine, there is nothing to repair.
"""

import fcntl
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings

from inference.runtime.durable import settle_names, sync
from webapp.intake.ingest import upload_claims
from webapp.intake.ingest.file_names import clean
from webapp.intake.ingest.storing import ReceivedFile, Unusable
from webapp.intake.ingest.upload_limits import (
    KEPT_DAYS,
    Refused,
    check_room,
    check_size,
    hold_quota,
    promise,
    refuse_when_full,
)
from webapp.platform.storage import disk

EXPIRES = KEPT_DAYS * 24 * 3600  # seconds after the last byte that came
STRAY_EXPIRES = 24 * 3600  # seconds after which other files are removed, of forms and broken work
# Seconds without a byte after which the disk keeps no more room for the rest; it does again when
# more comes
IDLE = 3600
SURELY_OLD = 3600  # seconds for which something must have looked old before it is removed
NOT_HERE = (
    "This web server takes no uploads: the files of corpora are kept on another machine"
    " (TOPOGRAPH_SOURCES=0). Ask whoever runs this site to have uploads sent there."
)
MOST_PACK_BYTES = 64 << 20  # its headers are read into memory
NO_UPLOAD = (
    "There is no such upload, or no longer: it was cancelled, made into a corpus, or is older"
    f" than {KEPT_DAYS} days. Upload the file again."
)
_ID = re.compile(r"[\w-]{22}", re.ASCII)

# What `remove_expired` found old, and when first, by time.monotonic()
_old_since: dict[Path, float] = {}


@dataclass(frozen=True)
class IncomingFile:
    """What is known of a file from the beginning of its upload; sha256 once all of it has come,
    where it was computed on the way."""

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
        """Bytes that have come. Raises Refused where it is gone."""
        return self._status().st_size

    @property
    def expires(self) -> float:
        """Seconds since the epoch. Raises Refused where it is gone."""
        return self._status().st_mtime + EXPIRES

    def _status(self) -> os.stat_result:
        """Another request may have cancelled it since it was found, or made it into a corpus."""
        try:
            return self.path.stat()
        except FileNotFoundError:
            raise Refused(404, NO_UPLOAD) from None


def create(length: int, name: str, pack: bool = False, owner: int | None = None) -> IncomingFile:
    """Begin an upload. Raises Refused when it is too large, or the disk too small, or this server
    does not keep uploads."""
    if not settings.SOURCES:
        raise Refused(503, NOT_HERE)
    check_size(length, f"“{_short(name)}” has {length:,} bytes")
    if pack and length > MOST_PACK_BYTES:
        raise Refused(
            413,
            f"A pack of small files may have {MOST_PACK_BYTES:,} bytes, and this one has {length:,}. Send"
            " fewer files in each.",
        )
    upload = IncomingFile(secrets.token_urlsafe(16), length, clean(name), pack, owner=owner)
    with hold_quota(owner, length), refuse_when_full():
        file = os.open(upload.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            promise(file, length)
            save_note(upload)
        except BaseException:
            upload.path.unlink()
            raise
        finally:
            os.close(file)
    return upload


def find(upload_id: str, owner: int | None = None) -> IncomingFile:
    """Raises Refused where there is none, or no longer, or where it is not that owner's; without
    one it may be anybody's."""
    if _ID.fullmatch(upload_id):
        with suppress(FileNotFoundError, ValueError, TypeError):
            upload = IncomingFile(**json.loads(note_path(upload_id).read_bytes()))
            if upload.expires > time.time() and owner in (None, upload.owner):
                return upload
    raise Refused(404, NO_UPLOAD)


def cancel(upload: IncomingFile) -> None:
    """Remove an upload. Raises Refused where a request is making it a corpus, or has done so."""
    with upload_claims.unclaimed([upload.id]):
        if not upload.path.exists():
            raise Refused(404, NO_UPLOAD)
        remove(upload)


def remove(*uploads: IncomingFile) -> None:
    for upload in uploads:
        note_path(upload.id).unlink(missing_ok=True)
        upload.path.unlink(missing_ok=True)


def note_path(upload_id: str) -> Path:
    """The file that says what is known of an upload: JSON of IncomingFile."""
    return settings.FILE_UPLOAD_TEMP_DIR / f"{upload_id}.json"


def save_note(upload: IncomingFile) -> None:
    """Say on disk, for good, what an upload will be."""
    path = note_path(upload.id)
    new = path.with_suffix(".new")
    new.write_bytes(json.dumps(asdict(upload)).encode())
    sync(new)
    new.rename(path)
    settle_names([path.parent])


def _short(name: str) -> str:
    name = clean(name)
    return name if len(name) <= 100 else f"…{name[-99:]}"


@contextmanager
def claim(ids: list[str], owner: int | None = None) -> Iterator[list[ReceivedFile]]:
    """An owner's finished uploads, which no other request has meanwhile. They are gone when it ends
    well, as a corpus has them then by names of its own, and when it raises Unusable.

    Raises Refused where one is not there, or not whole, or another request has it.
    """
    unique_ids = list(dict.fromkeys(ids))
    with upload_claims.claimed(unique_ids):
        uploads = [find(upload_id, owner) for upload_id in unique_ids]
        _check_whole(uploads)
        try:
            with refuse_when_full():
                yield [ReceivedFile(u.name, u.path, u.sha256, u.pack, stays=True) for u in uploads]
        except Unusable:
            remove(*uploads)
            raise
        remove(*uploads)


def _check_whole(uploads: list[IncomingFile]) -> None:
    """Raises Refused where one has not arrived whole, or there is no room for the files in the
    packs."""
    arrived = [(u, u.offset) for u in uploads]
    missing = [(u, received) for u, received in arrived if received != u.length]
    if missing:
        first, received = missing[0]
        so_far = f"{received:,} of {first.length:,} bytes"
        to_go_on = f"{len(missing):,} of {len(uploads):,} uploads still have to go on"
        raise Refused(409, f"“{_short(first.name)}” has not arrived whole: {so_far}. {to_go_on}.")
    total = sum(u.length for u in uploads)
    check_size(total, f"The files have {total:,} bytes together")
    check_room(sum(u.length for u in uploads if u.pack))


def _take_back(path: Path) -> None:
    """Give free what the disk keeps for an upload that is idle, unless it is being written to."""
    with path.open("r+b", 0) as file, suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        disk.take_back(file.fileno())


def remove_expired() -> None:
    """Remove what belongs to nobody any more: uploads after EXPIRES, other files after
    STRAY_EXPIRES. What the disk keeps for an upload and does not come is free after IDLE.

    A clock that was set wrong makes everything look old. So what looks old must do so for
    SURELY_OLD, by a clock that can't be set.
    """
    now = time.time()
    old_since = {}
    for path in settings.FILE_UPLOAD_TEMP_DIR.iterdir():
        upload_id = path.name.removesuffix(".json")
        with suppress(FileNotFoundError):  # it went by itself
            if _ID.fullmatch(path.name) and path.stat().st_mtime < now - IDLE:
                _take_back(path)
            if _ID.fullmatch(upload_id):
                data = path.with_name(upload_id)
                old = max(p.stat().st_mtime for p in (path, data) if p.exists()) < now - EXPIRES
            else:
                old = path.stat().st_mtime < now - STRAY_EXPIRES
            if old:
                old_since[path] = _old_since.get(path, time.monotonic())
                if time.monotonic() - old_since[path] >= SURELY_OLD:
                    if path.is_dir():
                        shutil.rmtree(path)
                    else:
                        path.unlink()
    _old_since.clear()
    _old_since.update(old_since)
