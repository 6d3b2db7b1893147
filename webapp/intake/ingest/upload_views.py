"""Uploads of any size by the tus protocol 1.0, which go on where they were (https://tus.io,
docs/uploads.md)."""

import asyncio
import base64
import binascii
import fcntl
import hashlib
import os
import re
from collections import Counter, OrderedDict
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.http import http_date
from django.views.decorators.csrf import csrf_exempt

from webapp.intake.ingest import uploads
from webapp.intake.ingest.upload_limits import Refused, check_room, promise, refuse_when_full
from webapp.platform.accounts import authorization
from webapp.platform.server import bodies, concurrency, metrics

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,expiration,termination"
PIECES = "application/offset+octet-stream"
BLOCK = 4 << 20  # bytes that are written at once
METADATA = 16_000  # characters

OF_ONE = 32  # parts of one user's files that arrive at once: a page of ours sends three

_disk = ThreadPoolExecutor(6, "upload")
_arriving: Counter = Counter()  # user -> parts that arrive now; used on the event loop only


# Appending to an upload while its bytes arrive, with the SHA-256 of the whole computed on the way.
_hashers = ThreadPoolExecutor(2, "hash")
_hashes: OrderedDict = (
    OrderedDict()
)  # id -> (offset, sha256 so far): of uploads between two requests


class UploadWriter:
    """Appends to an upload; nobody else can at the same time, in this process or another.

    Raises Refused(423) on opening where somebody does, and Refused(507) when the disk is full: what
    came before is kept.
    """

    def __init__(self, upload: uploads.IncomingFile):
        self.upload = upload
        try:
            self.file = os.open(upload.path, os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            raise Refused(404, "There is no such upload any more. Upload the file again.") from None
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self.file)
            raise Refused(
                423,
                "This upload is being written to over another connection. Try again when that one"
                " has ended.",
            ) from None
        try:
            with refuse_when_full():
                # Whether the disk keeps room for all that is to come: from the upload's beginning,
                # or again after an hour without a byte
                self.promised = os.fstat(self.file).st_blocks * 512 >= upload.length or promise(
                    self.file, upload.length
                )
        except BaseException:
            os.close(self.file)
            raise
        self.offset = os.fstat(self.file).st_size
        hashed, self.hash = _hashes.pop(upload.id, (0, hashlib.sha256()))
        if hashed != self.offset:
            self.hash = None  # what came before is only on disk
        self.hashing: Future | None = None

    def write(self, pieces: list[bytes]) -> None:
        """Append them (at most 1,024).

        The hash of the whole follows in a thread of its own. Where it can't keep up (lines of more
        than 500 MB a second) it is given up, and computed from the disk when a corpus is made:
        nobody waits for it while bytes arrive.
        """
        size = sum(map(len, pieces))
        check_room(0 if self.promised else size)
        if self.hash and self.hashing and not self.hashing.done():
            self.hash = None
        if self.hash:
            self.hashing = _hashers.submit(_update_hash, self.hash, pieces)
        try:
            self._append(pieces, size)
        except Refused:
            self.hash = None  # it has seen what is not in the file
            raise

    def _append(self, pieces: list[bytes], size: int) -> None:
        with refuse_when_full():
            written = os.writev(self.file, pieces)
            self.offset += written
            rest = memoryview(b"".join(pieces))[written:] if written < size else b""
            while rest:  # a disk that is nearly full takes a part, and says so at the next attempt
                written = os.write(self.file, rest)
                self.offset += written
                rest = rest[written:]

    def sync(self) -> None:
        """Returns when what was written is on the disk itself."""
        with refuse_when_full():
            os.fdatasync(self.file)

    def close(self) -> None:
        """Make it last, and let others write. Raises Refused(404) if the upload was cancelled
        meanwhile."""
        try:
            self.sync()
            if not os.fstat(self.file).st_nlink:
                raise Refused(404, "The upload was cancelled while it arrived.")
            if self.hash and self.hashing:
                self.hashing.result()
            if self.hash and self.offset == self.upload.length:
                uploads.save_note(replace(self.upload, sha256=self.hash.hexdigest()))
            elif self.hash:
                _hashes[self.upload.id] = self.offset, self.hash
                if len(_hashes) > 1000:  # what is forgotten is computed from the file
                    _hashes.popitem(last=False)
        finally:
            os.close(self.file)


def _update_hash(hash, pieces: list[bytes]) -> None:
    for piece in pieces:
        hash.update(piece)


def tus(view):
    """What all requests of the protocol share. No CSRF token: a page of another site can't set
    Tus-Resumable without being asked for leave (CORS), which is never given; and the browser's own
    word on where a request comes from is heeded too."""

    @csrf_exempt
    @wraps(view)
    async def answer(request: HttpRequest, **arguments) -> HttpResponse:
        method = (
            request.headers.get("X-HTTP-Method-Override", request.method)
            if request.method == "POST"
            else request.method
        )
        try:
            if not _from_here(request):
                raise Refused(
                    403,
                    "Files are taken from Topograph's own pages and from programs, not from pages"
                    " of other sites.",
                )
            if method != "OPTIONS" and request.headers.get("Tus-Resumable") != VERSION:
                raise Refused(
                    412,
                    "This address speaks the tus protocol: send the header Tus-Resumable:"
                    f" {VERSION}. To upload without it, use the form.",
                )
            response = (
                _options() if method == "OPTIONS" else await view(request, method, **arguments)
            )
        except Refused as refused:
            response = JsonResponse({"error": refused.sentence}, status=refused.status)
        response["Tus-Resumable"] = response["Tus-Version"] = VERSION
        response["Cache-Control"] = "no-store"
        return response

    return answer


def _from_here(request: HttpRequest) -> bool:
    origin = request.headers.get("Origin")
    return request.headers.get("Sec-Fetch-Site", "none") in ("same-origin", "none") and (
        origin is None or urlsplit(origin).netloc == request.get_host()
    )


def _options() -> HttpResponse:
    largest = {"Tus-Max-Size": settings.MAX_UPLOAD} if settings.MAX_UPLOAD else {}
    return HttpResponse(status=204, headers={"Tus-Extension": EXTENSIONS, **largest})


def _not_allowed(method: str, *allowed: str) -> HttpResponse:
    return JsonResponse(
        {"error": f"This address takes {', '.join(allowed)}, and the request was {method[:20]}."},
        status=405,
        headers={"Allow": ", ".join(allowed)},
    )


@tus
async def creation(request: HttpRequest, method: str) -> HttpResponse:
    """POST begins an upload, with its first bytes or all of them if the client likes."""
    if method != "POST":
        return _not_allowed(method, "POST", "OPTIONS")
    length = _number(request, "Upload-Length")
    metadata = _metadata(request)
    name = metadata.get("relativePath") or metadata.get("filename") or ""
    upload = await sync_to_async(uploads.create)(
        length, name, metadata.get("pack") == "1", authorization.uploader(request)
    )
    offset = 0
    if request.headers.get("Content-Type") == PIECES:
        try:
            with arriving(upload.owner):
                offset = await _append(request, upload, 0)
        except Refused as refused:
            if refused.status != 507:  # what came before the disk was full is kept
                await asyncio.to_thread(uploads.remove, upload)
                raise
            offset = upload.offset
    return _state(201, upload, offset, Location=reverse("upload", args=[upload.id]))


@tus
async def one(request: HttpRequest, method: str, upload_id: str) -> HttpResponse:
    """HEAD says how much has come, PATCH sends more, DELETE cancels."""
    if method not in ("HEAD", "PATCH", "DELETE"):
        return _not_allowed(method, "HEAD", "PATCH", "DELETE", "OPTIONS")
    upload = await asyncio.to_thread(uploads.find, upload_id, authorization.uploader(request))
    if method == "HEAD":
        return _state(200, upload, upload.offset, **{"Upload-Length": upload.length})
    if method == "DELETE":
        await asyncio.to_thread(uploads.remove, upload)
        return HttpResponse(status=204)
    if request.headers.get("Content-Type") != PIECES:
        raise Refused(
            415,
            f"The Content-Type of a part must be {PIECES}, got"
            f" “{request.headers.get('Content-Type', '')[:50]}”.",
        )
    with arriving(upload.owner):
        offset = await _append(request, upload, _number(request, "Upload-Offset"))
    return _state(204, upload, offset)


def _state(
    status: int, upload: uploads.IncomingFile, offset: int, **headers: str | int
) -> HttpResponse:
    return HttpResponse(
        status=status,
        headers=headers | {"Upload-Offset": offset, "Upload-Expires": http_date(upload.expires)},
    )


# What a request says
# ----------------------------------------------------------------------------------------------


def _number(request: HttpRequest, name: str) -> int:
    text = request.headers.get(name, "")
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise Refused(400, f"The header {name} must be a whole number of bytes, got “{text[:50]}”.")
    return int(text)


def _metadata(request: HttpRequest) -> dict[str, str]:
    """Upload-Metadata: "filename d29ybGQ=,pack MQ==" -> {"filename": "world", "pack": "1"}."""
    text = request.headers.get("Upload-Metadata", "")
    if len(text) > METADATA:
        raise Refused(
            400,
            f"The header Upload-Metadata may have {METADATA:,} characters, and has {len(text):,}."
            " Give the file a shorter name.",
        )
    known = {}
    for pair in filter(None, map(str.strip, text.split(","))):
        key, _, value = pair.partition(" ")
        try:
            known[key] = base64.b64decode(value, validate=True).decode("utf-8", "replace")
        except binascii.Error:
            raise Refused(
                400, f"The header Upload-Metadata must hold base64, got “{value[:50]}”."
            ) from None
    return known


# What comes with it
# -----------------------------------------------------------------------------------------------


@contextmanager
def arriving(owner: int | None) -> Iterator[None]:
    """Around a part that arrives. Raises Refused where its owner has enough of them on their way.
    While accounts are off (None) there is nobody else."""
    if owner is not None and _arriving[owner] >= OF_ONE:
        raise Refused(
            429,
            f"{OF_ONE} parts of your files arrive already. Send this one when one of them has"
            " come.",
        )
    _arriving[owner] += 1
    try:
        yield
    finally:
        _arriving[owner] -= 1
        if not _arriving[owner]:
            del _arriving[owner]


async def _append(request: HttpRequest, upload: uploads.IncomingFile, offset: int) -> int:
    """Write a body to the end of the upload; returns the offset that is then on disk. What came of
    a body that broke off is kept.

    While one block is written the next one arrives, so memory is two blocks, whatever the size.
    """
    writer = await asyncio.to_thread(UploadWriter, upload)
    parts, size, unsynced = [], 0, 0
    block = syncing = None
    try:
        if offset != writer.offset:
            raise Refused(
                409,
                f"This upload has {writer.offset:,} bytes, and the part begins at {offset:,}. Ask"
                " with HEAD where to go on.",
            )
        missing = upload.length - offset
        if int(request.headers.get("Content-Length") or 0) > missing:
            raise _too_much(upload)
        await concurrency.wait_for_client(request)
        async for piece in bodies.chunks(request, settings.UPLOAD_PATIENCE):
            missing -= len(piece)
            if missing < 0:
                raise _too_much(upload)
            parts.append(piece)
            size += len(piece)
            metrics.uploaded.inc(len(piece))
            if size >= BLOCK or len(parts) >= 512:  # one call writes at most 1,024 pieces
                if block:
                    await asyncio.shield(asyncio.wrap_future(block))
                unsynced += size
                block, parts, size = _disk.submit(writer.write, parts), [], 0
                # The disk begins to take them, beside what still arrives
                if unsynced >= 16 << 20 and (syncing is None or syncing.done()):
                    syncing, unsynced = _disk.submit(writer.sync), 0
    except bodies.ClientGone:
        raise Refused(
            408, "The connection broke off. What came is kept: go on from there."
        ) from None
    finally:
        # Also when the server is told to stop, which cancels this.
        await asyncio.shield(asyncio.wrap_future(_disk.submit(_end, writer, block, syncing, parts)))
    return writer.offset


def _end(
    writer: UploadWriter, block: Future | None, syncing: Future | None, parts: list[bytes]
) -> None:
    """Wait for what is being written, and write the rest."""
    try:
        if block:
            block.result()
        if parts:
            writer.write(parts)
    finally:
        if syncing:
            wait([syncing])
        writer.close()


def _too_much(upload: uploads.IncomingFile) -> Refused:
    return Refused(
        413, f"The upload was to have {upload.length:,} bytes, and more came. Begin a new upload."
    )
