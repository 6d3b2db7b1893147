"""Long answers under ASGI: pieces that are made in a thread, as Django would gather a plain generator's before the first is sent."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor

from django.db import connection


async def pieces(of: Iterator[bytes]) -> AsyncIterator[bytes]:
    """One thread makes all of them. Between two it holds no connection: a reader may take an hour, and there are few."""
    thread = ThreadPoolExecutor(1, "stream")
    loop = asyncio.get_running_loop()
    try:
        while (piece := await loop.run_in_executor(thread, _next, of)) is not None:
            if piece:
                yield piece
    finally:  # also where the reader has gone
        thread.submit(_close, of)
        thread.shutdown(wait=False)


def _next(of: Iterator[bytes]) -> bytes | None:
    try:
        return next(of, None)
    finally:
        connection.close()


def _close(of: Iterator[bytes]) -> None:
    if hasattr(of, "close"):
        of.close()
    connection.close()
