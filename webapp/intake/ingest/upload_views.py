"""Uploads of any size by the tus protocol 1.0, which go on where they were (https://tus.io,
docs/uploads.md)."""

import asyncio
import base64
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import wraps
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.http import http_date
from django.views.decorators.csrf import csrf_exempt

from webapp.intake.ingest import uploads
from webapp.intake.ingest.upload_limits import Refused
from webapp.intake.ingest.upload_writer import UploadWriter
from webapp.platform.accounts import authorization
from webapp.platform.server import bodies, concurrency, metrics

VERSION = "1.0.0"
EXTENSIONS = "creation,creation-with-upload,expiration,termination"
PIECES = "application/offset+octet-stream"
# What is written at once: bytes, or pieces, of which one call writes at most 1,024
BLOCK = 4 << 20
MOST_PIECES = 512
SYNC_EVERY = 16 << 20  # bytes, after which the disk begins to take them
MOST_METADATA = 16_000  # characters of the header Upload-Metadata
MOST_PARTS_AT_ONCE = 32  # of one user's files: a page of ours sends three

_disk = ThreadPoolExecutor(6, "upload")
arriving_parts: Counter = Counter()  # user -> parts that arrive now; used on the event loop only


def tus(view):
    """What all requests of the protocol share. No CSRF token: a page of another site can't set
    Tus-Resumable without being asked for leave (CORS), which is never given; and the browser's own
    word on where a request comes from is heeded too."""

    @csrf_exempt
    @wraps(view)
    async def answer(request: HttpRequest, **arguments) -> HttpResponse:
        method = request.method
        if method == "POST":  # of clients whose proxies let nothing else through
            method = request.headers.get("X-HTTP-Method-Override", method)
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
            if method == "OPTIONS":
                response = _options()
            else:
                response = await view(request, method, **arguments)
        except Refused as refused:
            response = JsonResponse({"error": refused.sentence}, status=refused.status)
        response["Tus-Resumable"] = response["Tus-Version"] = VERSION
        response["Cache-Control"] = "no-store"
        return response

    return answer


def _from_here(request: HttpRequest) -> bool:
    if request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        return False
    origin = request.headers.get("Origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc == request.get_host()
    except ValueError:  # it is no address
        return False


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
        await asyncio.to_thread(uploads.cancel, upload)
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


def _number(request: HttpRequest, name: str) -> int:
    text = request.headers.get(name, "")
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise Refused(400, f"The header {name} must be a whole number of bytes, got “{text[:50]}”.")
    return int(text)


def _metadata(request: HttpRequest) -> dict[str, str]:
    """Upload-Metadata: "filename d29ybGQ=,pack MQ==" -> {"filename": "world", "pack": "1"}."""
    text = request.headers.get("Upload-Metadata", "")
    if len(text) > MOST_METADATA:
        raise Refused(
            400,
            f"The header Upload-Metadata may have {MOST_METADATA:,} characters, and has {len(text):,}."
            " Give the file a shorter name.",
        )
    metadata = {}
    for pair in filter(None, map(str.strip, text.split(","))):
        key, _, value = pair.partition(" ")
        try:
            metadata[key] = base64.b64decode(value, validate=True).decode("utf-8", "replace")
        except ValueError:  # no base64, or no ASCII
            raise Refused(
                400, f"The header Upload-Metadata must hold base64, got “{value[:50]}”."
            ) from None
    return metadata


@contextmanager
def arriving(owner: int | None) -> Iterator[None]:
    """Around a part that arrives. Raises Refused where its owner has enough of them on their way.
    While accounts are off (None) there is nobody else."""
    if owner is not None and arriving_parts[owner] >= MOST_PARTS_AT_ONCE:
        raise Refused(
            429,
            f"{MOST_PARTS_AT_ONCE} parts of your files arrive already. Send this one when one of them has"
            " come.",
        )
    arriving_parts[owner] += 1
    try:
        yield
    finally:
        arriving_parts[owner] -= 1
        if not arriving_parts[owner]:
            del arriving_parts[owner]


async def _append(request: HttpRequest, upload: uploads.IncomingFile, offset: int) -> int:
    """Write a body to the end of the upload; returns the offset that is then on disk. What came of
    a body that broke off is kept.

    While one block is written the next one arrives, so memory is two blocks, whatever the size.
    """
    writer = await asyncio.to_thread(UploadWriter, upload)
    chunks: list[bytes] = []  # that came and are not being written yet
    size = 0  # of them
    unsynced = 0
    block: Future | None = None  # which is being written
    syncing: Future | None = None
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
        async for chunk in bodies.chunks(request, settings.UPLOAD_PATIENCE):
            missing -= len(chunk)
            if missing < 0:
                raise _too_much(upload)
            chunks.append(chunk)
            size += len(chunk)
            metrics.uploaded.inc(len(chunk))
            if size >= BLOCK or len(chunks) >= MOST_PIECES:
                if block:
                    await asyncio.shield(asyncio.wrap_future(block))
                block = _disk.submit(writer.write, chunks)
                unsynced += size
                chunks = []
                size = 0
                # beside what still arrives
                if unsynced >= SYNC_EVERY and (syncing is None or syncing.done()):
                    syncing = _disk.submit(writer.sync)
                    unsynced = 0
    except bodies.ClientGone:
        raise Refused(
            408, "The connection broke off. What came is kept: go on from there."
        ) from None
    finally:
        # Also when the server is told to stop, which cancels this.
        ending = _disk.submit(_end, writer, block, syncing, chunks)
        await asyncio.shield(asyncio.wrap_future(ending))
    return writer.offset


def _end(
    writer: UploadWriter, block: Future | None, syncing: Future | None, chunks: list[bytes]
) -> None:
    """Wait for what is being written, and write the rest."""
    try:
        if block:
            block.result()
        if chunks:
            writer.write(chunks)
    finally:
        if syncing:
            wait([syncing])
        writer.close()


def _too_much(upload: uploads.IncomingFile) -> Refused:
    return Refused(
        413, f"The upload was to have {upload.length:,} bytes, and more came. Begin a new upload."
    )
