"""Waiting with a limit that counts only while this process is at work."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")
STEP_SECONDS = 1.0


async def within(seconds: float, awaited: Awaitable[T]) -> T:
    """What is awaited. Raises TimeoutError, and cancels it, where it does not come within so many
    seconds.

    asyncio.timeout goes by the clock. When this process had no processor for so long, the limit and
    what is awaited are there at once, and the limit wins: who answered, or sent, counts as silent.
    Here only one step of the limit is over then, and what came is seen in the next.
    """
    task = asyncio.ensure_future(awaited)
    try:
        while seconds > 0:
            await asyncio.wait({task}, timeout=min(seconds, STEP_SECONDS))
            if task.done():
                return task.result()
            seconds -= STEP_SECONDS
        raise TimeoutError
    finally:
        task.cancel()
        await asyncio.wait({task})  # it has let go of its connection before that is closed
