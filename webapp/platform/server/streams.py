"""Long answers under ASGI: Django would gather all of a plain generator before it sends the first
byte."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, copy_context

from django.db import connection
from django.http import StreamingHttpResponse


def download(chunks: Iterator[bytes], name: str, media: str) -> StreamingHttpResponse:
    """A file that is made while it is sent. name: under which it is kept; media: its type."""
    return StreamingHttpResponse(
        in_one_thread(chunks),
        content_type=media,
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            # Django 5.2's GZipMiddleware makes each piece of an async stream a gzip file of its
            # own; browsers read the first.
            "Content-Encoding": "identity",
        },
    )


def in_one_thread(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The chunks of a generator that runs in a thread of its own, in the context of the request
    that is answered: who reads is known there (webapp.platform.accounts.embargo). Between two
    chunks it holds no connection to the database: a reader may take an hour, and connections are
    few."""
    return _in_one_thread(chunks, copy_context())


async def _in_one_thread(chunks: Iterator[bytes], context: Context) -> AsyncIterator[bytes]:
    thread = ThreadPoolExecutor(1, "stream")
    loop = asyncio.get_running_loop()
    try:
        while (chunk := await loop.run_in_executor(thread, context.run, _next, chunks)) is not None:
            if chunk:
                yield chunk
    finally:  # at the end, and when the client has gone
        thread.submit(context.run, _close, chunks)
        thread.shutdown(wait=False)


def _next(chunks: Iterator[bytes]) -> bytes | None:
    try:
        return next(chunks, None)
    finally:
        connection.close()


def _close(chunks: Iterator[bytes]) -> None:
    if hasattr(chunks, "close"):
        chunks.close()
    connection.close()
