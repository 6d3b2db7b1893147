"""Long answers under ASGI: Django would gather all of a plain generator before it sends the first byte."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

from django.db import connection


async def in_one_thread(chunks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The chunks of a generator that runs in a thread of its own. Between two chunks it holds no connection to the
    database: a reader may take an hour, and connections are few."""
    thread = ThreadPoolExecutor(1, "stream")
    loop = asyncio.get_running_loop()
    try:
        while (chunk := await loop.run_in_executor(thread, _next, chunks)) is not None:
            if chunk:
                yield chunk
    finally:  # at the end, and when the client has gone
        thread.submit(_close, chunks)
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
