"""Bodies of requests that a view reads as they come, where Django would store them first."""

import asyncio
from collections.abc import AsyncIterator

from django.http import HttpRequest

_RECEIVE = "topograph.receive"  # in the scope: the server's own


class Gone(Exception):
    """The client has gone, or says nothing any more."""


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
