"""Bodies of requests: how large and how slow they may be, and those that a view reads as they come, where Django would store them first."""

import asyncio
import math
import re
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from types import SimpleNamespace

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.contrib import auth
from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError, connection
from django.http import HttpRequest
from django.http.cookie import parse_cookie

_RECEIVE = "topograph.receive"  # in the scope: the server's own
FORM = 16 << 20  # bytes of any body but a file's: the largest is a table of labels (curation.services.TABLE)
FORM_SECONDS = 60.0  # in which it must have come
FILES = re.compile(r"/corpora/(\d+/add/)?")  # forms with files of a corpus, for browsers without JavaScript


class Gone(Exception):
    """The client has gone, or says nothing any more."""


class _Refused(Exception):
    """(status, sentence)"""


def bounded(application):
    """The ASGI application, with bodies of a bounded size that come in a bounded time.

    Django writes a body to a temporary file before it looks at anything else of the request, whatever its size, and waits for it as long
    as the client likes.
    """

    async def front(scope, receive, send):
        if scope["type"] != "http" or _RECEIVE in scope:  # a view that reads a body itself bounds it, too
            return await application(scope, receive, send)
        if settings.ACCOUNTS and _large(scope) and not await _signed_in(scope):
            return await _say(send, 403, "Sign in first. Nothing of what you sent was read.")
        begun = []

        async def answer(message):
            begun.append(message["type"])
            await send(message)

        try:
            await application(scope, _within(scope, receive), answer)
        except _Refused as refused:
            if not begun:
                await _say(send, *refused.args)

    return front


def _length(scope) -> bytes:
    return next((value for name, value in scope["headers"] if name == b"content-length"), b"")


def _large(scope) -> bool:
    """Whether it is a form with files, of more bytes than any other."""
    given = _length(scope)
    return FILES.fullmatch(scope["path"]) is not None and given.isdigit() and int(given) > FORM


async def _signed_in(scope) -> bool:
    """Whether its session is somebody's; what they may do there, the gate asks when the form has come."""
    sent = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
    key = parse_cookie(sent.decode("latin-1")).get(settings.SESSION_COOKIE_NAME, "")

    def ask() -> bool:
        try:
            return auth.get_user(SimpleNamespace(session=SessionStore(key))).is_authenticated
        except DatabaseError:  # then nothing could be stored, either
            return False
        finally:
            if not connection.in_atomic_block:  # within a transaction (a test's) it is somebody else's
                connection.close()

    async with ThreadSensitiveContext():
        return bool(key) and await sync_to_async(ask)()


def _within(scope, receive):
    """`receive`, which raises _Refused for a body that is too large or too slow."""
    given = _length(scope)
    files = bool(given) and FILES.fullmatch(scope["path"]) is not None
    # Django writes it to the temporary folder, and reads it from there: half of what is free leaves room for both.
    most = min(settings.MAX_UPLOAD or math.inf, shutil.disk_usage(tempfile.gettempdir()).free // 2) if files else FORM
    deadline = None if files else time.monotonic() + FORM_SECONDS
    size, whole = 0, False

    async def piece() -> dict:
        nonlocal size, whole
        if whole:
            return await receive()  # the view hears when the client goes
        if given.isdigit() and int(given) > most:
            raise _Refused(413, f"This request has {int(given):,} bytes, and may have {most:,}.")
        patience = (
            settings.UPLOAD_PATIENCE if deadline is None else min(settings.UPLOAD_PATIENCE, deadline - time.monotonic())
        )
        try:
            async with asyncio.timeout(patience):
                message = await receive()
        except TimeoutError:
            raise _Refused(408, "The request did not come to its end in time. Send it again.") from None
        size += len(message.get("body", b""))
        if size > most:
            raise _Refused(413, f"This request may have {most:,} bytes, and has more.")
        whole = not message.get("more_body", False)
        return message

    return piece


async def _say(send, status: int, sentence: str) -> None:
    body = sentence.encode()
    headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": str(len(body)),
        "X-Content-Type-Options": "nosniff",
        "Connection": "close",
    }
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
        }
    )
    await send({"type": "http.response.body", "body": body})


def left_to_views(application, prefix: str):
    """The ASGI application, which is told of requests below `prefix` that they have no body: `pieces` gives it to the view.

    Django writes a whole body to a temporary file before a view sees any of it: an upload would be written twice, and nothing of it
    could be kept when the connection breaks. Hosts, origins, addresses and errors stay Django's business.
    """

    async def front(scope, receive, send):
        if scope["type"] == "http" and scope["path"].startswith(prefix):
            scope, receive = scope | {_RECEIVE: receive}, _no_body()
        await application(scope, receive, send)

    return front


def _no_body():
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> dict:
        if message := next(messages, None):
            return message
        return await asyncio.Future()  # the view itself hears when the client goes

    return receive


async def pieces(request: HttpRequest, patience: float) -> AsyncIterator[bytes]:
    """A body as it comes. Raises Gone when it ceases before its end, or nothing comes for `patience` seconds."""
    receive = request.scope[_RECEIVE]
    while True:
        try:
            async with asyncio.timeout(patience):
                message = await receive()
        except TimeoutError:
            raise Gone from None
        if message["type"] == "http.disconnect":
            raise Gone
        if piece := message.get("body"):
            yield piece
        if not message.get("more_body"):
            return
