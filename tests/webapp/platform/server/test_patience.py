"""A limit counts while this process is at work: a starved web process takes nobody who answered for
silent."""

import asyncio
import contextlib
import socket
import time

import pytest
import redis.asyncio

from webapp.platform.accounts.followers import Follower
from webapp.platform.jobs import events
from webapp.platform.server import live, patience


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr(patience, "STEP_SECONDS", 0.1)


async def answered(limit) -> bytes:
    """An answer that comes while this process has no processor for longer than the limit."""
    ours, theirs = socket.socketpair()

    def starve() -> None:
        theirs.send(b"+PONG\n")
        time.sleep(0.6)

    reader, writer = await asyncio.open_connection(sock=ours)
    asyncio.get_running_loop().call_later(0.05, starve)
    try:
        return await limit(reader.readline())
    finally:
        writer.close()
        theirs.close()


def test_an_answer_that_came_while_the_process_was_starved_counts():
    async def by_the_clock(line):
        async with asyncio.timeout(0.3):
            return await line

    with pytest.raises(TimeoutError):  # what is to be avoided
        asyncio.run(answered(by_the_clock))
    assert asyncio.run(answered(lambda line: patience.within(0.3, line))) == b"+PONG\n"


def test_silence_ends():
    async def silence():
        waiting = asyncio.get_running_loop().create_future()
        with pytest.raises(TimeoutError):
            await patience.within(0.3, waiting)
        return waiting.cancelled()

    began = time.monotonic()
    assert asyncio.run(silence())
    assert time.monotonic() - began >= 0.3


def test_errors_are_passed_on_and_who_is_cancelled_cancels():
    async def fails():
        raise ValueError("no")

    async def both():
        with pytest.raises(ValueError, match="no"):
            await patience.within(1, fails())
        waiting = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(patience.within(10, waiting))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return waiting.cancelled()

    assert asyncio.run(both())


@pytest.fixture
def stream(monkeypatch):
    """The stream of events, empty, under a name of its own."""
    monkeypatch.setattr(events, "STREAM", "events-of-a-test")
    events.client().delete(events.STREAM)
    yield events.STREAM
    events.client().delete(events.STREAM)


def test_what_comes_while_the_connection_is_broken_is_read_late(stream, monkeypatch):
    """Before, a reader that connected again began with what came from then on."""

    async def follow() -> list[bytes]:
        hub = live.Hub()
        queue = hub.subscribe("run:1", Follower(None, 1))
        tasks = hub.tasks
        try:
            told = [b""]
            while b"first" not in told[-1]:  # the hub may begin to listen only now
                events.run(1, {"type": "first"})
                with contextlib.suppress(TimeoutError):
                    told.append(await asyncio.wait_for(queue.get(), 0.1))
            events.client().execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            events.run(1, {"type": "second"})
            while b"second" not in told[-1]:
                told.append(await asyncio.wait_for(queue.get(), 60))
            return told
        finally:
            hub.unsubscribe("run:1", queue)
            await asyncio.gather(*tasks, return_exceptions=True)

    monkeypatch.setattr(live, "WORKERS_EVERY", 60)
    assert b"second" in asyncio.run(follow())[-1]


def test_where_a_stream_is_read_on(stream):
    async def position(last):
        async with redis.asyncio.Redis.from_url(live.settings.REDIS_URL) as client:
            return await live.reading_position(client, last)

    # It is empty, or was emptied
    assert asyncio.run(position(None)) == asyncio.run(position(b"5-0")) == b"0-0"
    for place in ("9-1", "10-0"):
        events.client().xadd(stream, {"about": "run:1", "event": "{}"}, id=place)
    assert asyncio.run(position(None)) == b"10-0"
    assert asyncio.run(position(b"9-1")) == b"9-1"
    assert asyncio.run(position(b"11-3")) == b"10-0"  # it has lost its end
