"""Request bodies: bounds on their size and time, and uploads that a view reads chunk by chunk,
where Django would store the body first."""

import asyncio
import math
import re
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from http import HTTPStatus

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.conf import settings
from django.contrib import auth
from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError, connection
from django.http import HttpRequest
from django.http.cookie import parse_cookie

from webapp.platform.server.patience import within

# key of the ASGI scope: the server's own `receive`, for a view that reads the body itself
_RECEIVE = "topograph.receive"
# Bytes that a body without files may have: the largest is a table of labels (curation.services.TABLE)
FORM = 16 << 20
FORM_SECONDS = 60.0  # seconds in which all of it must arrive
# Paths of forms with files of a corpus, for browsers without JavaScript
UPLOAD_PATHS = re.compile(r"/corpora/(\d+/add/)?")


class ClientGone(Exception):
    """The client has closed the connection, or sends nothing any more."""


class _Refused(Exception):
    """(status, sentence)"""


def bound_bodies(application):
    """ASGI middleware: bodies of a bounded size that arrive in a bounded time.

    Django writes a body of any size to a temporary file before it looks at the request, and waits
    for it as long as the client likes.
    """

    async def middleware(scope, receive, send):
        if scope["type"] != "http" or _RECEIVE in scope:  # its view reads the body, and bounds it
            return await application(scope, receive, send)
        if settings.ACCOUNTS and _large(scope) and not await _signed_in(scope):
            return await respond(
                send, HTTPStatus.FORBIDDEN, "Sign in first. Nothing of what you sent was read."
            )
        response_began = False

        async def watched_send(message):
            nonlocal response_began
            response_began = True
            await send(message)

        try:
            await application(scope, _bounded_receive(scope, receive), watched_send)
        except _Refused as refused:
            if not response_began:
                await respond(send, *refused.args)

    return middleware


def _content_length(scope) -> bytes:
    return next((value for name, value in scope["headers"] if name == b"content-length"), b"")


def _large(scope) -> bool:
    """Whether it is a form with files, larger than any other form."""
    length = _content_length(scope)
    return _takes_files(scope) and length.isdigit() and int(length) > FORM


def _takes_files(scope) -> bool:
    """Whether its address takes a form with files of a corpus."""
    return UPLOAD_PATHS.fullmatch(scope["path"]) is not None


async def _signed_in(scope) -> bool:
    """Whether the session is of an account. What the account may do is checked when the form has
    arrived."""
    cookies = b"; ".join(value for name, value in scope["headers"] if name == b"cookie")
    key = parse_cookie(cookies.decode("latin-1")).get(settings.SESSION_COOKIE_NAME, "")

    def ask() -> bool:
        try:
            request = HttpRequest()
            request.session = SessionStore(key)
            return auth.get_user(request).is_authenticated
        except DatabaseError:  # then nothing could be stored, either
            return False
        finally:
            # Within a transaction (a test's) it belongs to somebody else
            if not connection.in_atomic_block:
                connection.close()

    async with ThreadSensitiveContext():
        return bool(key) and await sync_to_async(ask)()


def _bounded_receive(scope, receive):
    """A `receive` that raises _Refused for a body that is too large or too slow."""
    length = _content_length(scope)
    files = bool(length) and _takes_files(scope)
    # Django writes the body to the temporary folder, and copies it from there: half of what is free
    # leaves room for both.
    limit = (
        min(settings.MAX_UPLOAD or math.inf, shutil.disk_usage(tempfile.gettempdir()).free // 2)
        if files
        else FORM
    )
    deadline = None if files else time.monotonic() + FORM_SECONDS
    size = 0
    complete = False

    async def bounded() -> dict:
        nonlocal size, complete
        if complete:
            return await receive()  # the next message says that the client has gone
        if length.isdigit() and int(length) > limit:
            raise _Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"This request has {int(length):,} bytes, and may have {limit:,}.",
            )
        patience = (
            settings.UPLOAD_PATIENCE
            if deadline is None
            else min(settings.UPLOAD_PATIENCE, deadline - time.monotonic())
        )
        try:
            message = await within(patience, receive())
        except TimeoutError:
            raise _Refused(
                HTTPStatus.REQUEST_TIMEOUT, "The request took too long to arrive. Send it again."
            ) from None
        size += len(message.get("body", b""))
        if size > limit:
            raise _Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"This request may have {limit:,} bytes, and has more.",
            )
        complete = not message.get("more_body", False)
        return message

    return bounded


async def respond(send, status: int, sentence: str) -> None:
    """The whole answer to a request that Django does not see."""
    body = sentence.encode()
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def defer_bodies(application, prefix: str):
    """ASGI middleware: Django sees requests below `prefix` without a body, which the view reads by
    `chunks`.

    Django writes a whole body to a temporary file before a view sees any of it: an upload would be
    written twice, and nothing of it would be kept when the connection breaks. Hosts, origins,
    addresses and errors remain Django's business.
    """

    async def middleware(scope, receive, send):
        if scope["type"] == "http" and scope["path"].startswith(prefix):
            scope = scope | {_RECEIVE: receive}
            receive = _no_body()
        await application(scope, receive, send)

    return middleware


def _no_body():
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> dict:
        if message := next(messages, None):
            return message
        return await asyncio.Future()  # never: the view itself learns when the client goes

    return receive


async def chunks(request: HttpRequest, patience: float) -> AsyncIterator[bytes]:
    """The body as it arrives. Raises ClientGone when it ends early, or nothing arrives for
    `patience` seconds."""
    receive = request.scope[_RECEIVE]  # type: ignore[attr-defined]  # of Django's ASGIRequest
    while True:
        try:
            message = await within(patience, receive())
        except TimeoutError:
            raise ClientGone from None
        if message["type"] == "http.disconnect":
            raise ClientGone
        if chunk := message.get("body"):
            yield chunk
        if not message.get("more_body"):
            return
