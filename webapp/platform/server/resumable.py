"""Downloads of files that are there already: a client that lost its connection goes on where it was
(RFC 9110, sections 13 and 14).

One range is answered; of several the whole file is sent, as a server may. A range is only given of
the very file that the client has begun to load: If-Range must be the ETag that it came with.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from webapp.platform.server import streams

PIECE_BYTES = 1 << 20  # bytes that are read at a time
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


def download(
    request: HttpRequest, path: Path, *, etag: str, name: str, media: str
) -> HttpResponseBase:
    """The answer to GET or HEAD. etag: what changes when the file does, without quotes. Raises
    FileNotFoundError."""
    tag = f'"{etag}"'
    headers = {"ETag": tag, "Accept-Ranges": "bytes"}
    unsent = get_conditional_response(request, etag=tag)
    if unsent is not None:  # the client has the file already, or wants another
        for header, value in headers.items():
            unsent[header] = value
        return unsent
    file = path.open("rb")
    size = os.fstat(file.fileno()).st_size
    asked_range = (
        request.headers.get("Range", "") if request.headers.get("If-Range", tag) == tag else ""
    )
    if (span := _span(asked_range, size)) is None:
        file.close()
        return HttpResponse(
            f"The file has {size:,} bytes, and “{asked_range[:60]}” asks for none of them. Load it from"
            " its beginning.\n",
            "text/plain; charset=utf-8",
            status=416,
            headers=headers | {"Content-Range": f"bytes */{size}"},
        )
    first, end = span
    partial = (first, end) != (0, size)
    headers |= {
        "Content-Length": str(end - first),
        "Content-Disposition": f'attachment; filename="{name}"',
        **({"Content-Range": f"bytes {first}-{end - 1}/{size}"} if partial else {}),
        # it is not compressed on its way: ranges are those of the file
        "Content-Encoding": "identity",
    }
    response = StreamingHttpResponse(
        streams.in_one_thread(_pieces(file, first, end)),
        media,
        status=206 if partial else 200,
        headers=headers,
    )
    response._resource_closers.append(file.close)  # type: ignore[attr-defined]  # as for Django's own FileResponse: a HEAD reads nothing of it
    return response


def _span(asked_range: str, size: int) -> tuple[int, int] | None:
    """First and end of the bytes to send; all of them where the range can't be understood, None
    where it has none of them."""
    if (match := _RANGE.fullmatch(asked_range.strip())) is None or not (match[1] or match[2]):
        return 0, size
    if not match[1]:
        return (max(0, size - int(match[2])), size) if int(match[2]) and size else None
    first = int(match[1])
    last = int(match[2]) if match[2] else size - 1
    if match[2] and last < first:
        return 0, size
    return (first, min(last, size - 1) + 1) if first < size else None


def _pieces(file: BinaryIO, first: int, end: int) -> Iterator[bytes]:
    with file:
        file.seek(first)
        while first < end and (block := file.read(min(PIECE_BYTES, end - first))):
            first += len(block)
            yield block
