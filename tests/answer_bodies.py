"""All of an answer of the test client, also of one that is streamed."""

from collections.abc import AsyncIterator
from typing import Any

from asgiref.sync import async_to_sync


def body_of(answer: Any) -> bytes:
    if not answer.streaming:
        return answer.content
    if not answer.is_async:
        return b"".join(answer.streaming_content)
    return async_to_sync(_join_pieces)(answer.streaming_content)


async def _join_pieces(stream: AsyncIterator[bytes]) -> bytes:
    return b"".join([piece async for piece in stream])
