"""Live events for open pages: each web process reads the Redis stream once, and sends the events on
by Server-Sent Events.

A page that connects, or connects again, asks for its .json address first, so no event has to be
replayed: the event `open` tells it to.

The authorization middleware checks a reader once, when the stream begins. Whether the readers still
may read is checked again every few seconds, for all of them together.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import orjson
import redis
import redis.asyncio
import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse

from webapp.platform import logs
from webapp.platform.accounts import followers
from webapp.platform.accounts.followers import Follower
from webapp.platform.jobs import events, roster
from webapp.platform.server.concurrency import release_connection
from webapp.platform.server.patience import within

log = structlog.get_logger(__name__)

BLOCK_SECONDS = 10  # for which one question for new events waits
ANSWER_SECONDS = 5  # within which Redis answers
WORKERS_EVERY = 2  # seconds between two counts of the workers
RIGHTS_EVERY = 3.0  # seconds between two checks of who may read


class Hub:
    """The readers of this process, by what they follow, such as "run:12"."""

    def __init__(self):
        self.readers: dict[str, set[asyncio.Queue]] = defaultdict(set)
        self.who: dict[asyncio.Queue, Follower] = {}
        self.tasks: list[asyncio.Task] = []
        self.told_workers: int | None = None  # the number of workers that readers were told
        self.counted_workers: int | None = None  # the last count

    def subscribe(self, about: str, follower: Follower) -> asyncio.Queue:
        if not self.tasks:
            self.tasks = [
                asyncio.create_task(part())
                for part in (self.read_events, self.watch_workers, self._watch_rights)
            ]
        # A reader that is slower loses its stream; its page connects again
        queue: asyncio.Queue = asyncio.Queue(200)
        self.readers[about].add(queue)
        self.who[queue] = follower
        return queue

    def unsubscribe(self, about: str, queue: asyncio.Queue) -> None:
        self.readers[about].discard(queue)
        self.who.pop(queue, None)
        if not self.readers[about]:
            del self.readers[about]
        if not self.readers:
            for task in self.tasks:
                task.cancel()
            self.tasks = []

    def send(self, about: str, data: bytes) -> None:
        """Give an event to all readers of a stream. One that has too many waiting loses its
        stream. about: "run:7"; data: JSON."""
        for queue in list(self.readers.get(about, ())):
            try:
                queue.put_nowait(data)
            except asyncio.QueueFull:
                _end_stream(queue)

    async def read_events(self) -> None:
        """Send what comes in Redis' stream, until it is cancelled, whatever fails."""
        last: bytes | None = None
        while True:
            try:
                async with _client() as client:
                    last = await within(ANSWER_SECONDS, reading_position(client, last))
                    while True:
                        read: Any = client.xread(
                            {events.STREAM: last}, block=1000 * BLOCK_SECONDS, count=500
                        )
                        for _, entries in await within(BLOCK_SECONDS + ANSWER_SECONDS, read) or ():
                            for last, fields in entries:  # noqa: B007 (where the next read begins)
                                self.send(fields[b"about"].decode(), fields[b"event"])
            except (redis.RedisError, OSError) as error:
                log.warning("the stream of events is away", error=logs.error_name(error))
                await asyncio.sleep(1)
            except Exception:
                # Of any kind, such as an odd entry: all pages of the process wait here
                log.exception("the stream of events can't be read")
                await asyncio.sleep(1)

    async def watch_workers(self) -> None:
        """Count the workers, until it is cancelled, and tell readers (`_tell_workers`)."""
        while True:
            try:
                async with _client() as client:
                    while True:
                        self._tell_workers(await within(ANSWER_SECONDS, _count_workers(client)))
                        await asyncio.sleep(WORKERS_EVERY)
            except (redis.RedisError, OSError):
                self._tell_workers(None)
                await asyncio.sleep(WORKERS_EVERY)
            except Exception:  # of any kind: the count must go on
                log.exception("it could not be counted how many workers there are")
                await asyncio.sleep(WORKERS_EVERY)

    async def _watch_rights(self) -> None:
        """End the streams of readers whose right has ended. While the database is away streams go
        on: nobody can change a right either."""
        while True:
            await asyncio.sleep(RIGHTS_EVERY)
            readers = dict(self.who)
            try:
                allowed = await still_allowed(set(readers.values()))
            except Exception as error:  # of any kind: the checks must go on
                log.warning("it could not be asked who may read", error=logs.error_name(error))
                continue
            for queue, reader in readers.items():
                if reader not in allowed and queue in self.who:
                    _end_stream(queue)

    def _tell_workers(self, count: int | None) -> None:
        """Tell all readers the number of workers when it changes. count: None while Redis does not
        answer.

        Zero is told when it was counted twice: a Redis that was just emptied knows of no worker for
        a moment.
        """
        before = self.counted_workers
        self.counted_workers = count
        if count == 0 and before != 0:
            return
        if count != self.told_workers:
            self.told_workers = count
            for about in list(self.readers):
                self.send(about, orjson.dumps({"type": "workers", "alive": count}))


hub = Hub()


def _client() -> redis.asyncio.Redis:
    """Without limits of its own, which go by the clock: a process that had no processor for a while
    would take a Redis that answered for dead. `within` sets them."""
    return redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_timeout=None, retry=None)


async def reading_position(client: redis.asyncio.Redis, last: bytes | None) -> bytes:
    """Where to read the stream on. last: the last entry that was read; None for what comes from now
    on.

    What came while nobody was connected is read late, and not left out. Of a Redis that has lost
    its end the rest follows what is left; of one that was emptied all is new.
    """
    newest: Any = await client.xrevrange(events.STREAM, count=1)
    if not newest:
        return b"0-0"
    end = newest[0][0]
    if last is None:
        return end
    return min(last, end, key=_entry_order)


def _entry_order(entry: bytes) -> tuple[int, ...]:
    """When an entry was added: b"1700000000000-2" -> (1700000000000, 2)."""
    return tuple(map(int, entry.split(b"-")))


async def _count_workers(client: redis.asyncio.Redis) -> int:
    return len([key async for key in client.scan_iter(f"{roster.WORKER}*", count=1000)])


def _end_stream(queue: asyncio.Queue) -> None:
    """End a reader's stream at once; events that wait in its queue are not sent."""
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(None)


async def still_allowed(readers: set[Follower]) -> set[Follower]:
    """The followers who still may read: `followers.still` in a thread that belongs to no request."""

    def ask() -> set[Follower]:
        try:
            return followers.still(readers)
        finally:
            release_connection()

    return await sync_to_async(ask, thread_sensitive=False)()


async def stream(about: str, follower: Follower) -> AsyncIterator[bytes]:
    """Server-Sent Events about one thing, such as "run:12", until the reader leaves or loses the
    right to read it."""
    queue = hub.subscribe(about, follower)
    try:
        yield b'retry: 2000\ndata: {"type":"open"}\n\n'
        while True:
            try:
                # A comment every 15 seconds: proxies close a silent connection after 30 or more
                data = await asyncio.wait_for(queue.get(), 15)
            except TimeoutError:
                yield b": still here\n\n"
                continue
            if data is None:
                return
            yield b"data: " + data + b"\n\n"
    finally:
        hub.unsubscribe(about, queue)


def response(request: HttpRequest, **identifiers: int) -> StreamingHttpResponse:
    """The stream of run=12 or corpus=3, which the authorization middleware has let the request
    see."""
    [(kind, number)] = identifiers.items()
    return StreamingHttpResponse(
        stream(f"{kind}:{number}", followers.follower(request, **identifiers)),
        content_type="text/event-stream",
        headers={
            "Cache-Control": "no-store",
            "X-Accel-Buffering": "no",
            "Content-Encoding": "identity",
        },
    )
