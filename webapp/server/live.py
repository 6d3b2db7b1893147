"""News for open pages: one reader of the Redis stream per web process, fanned out to any number of Server-Sent Events.

A page that (re)connects asks for its .json twin first, so nothing has to be replayed: `open` is its sign to do so.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator

import orjson
import redis
import redis.asyncio
import structlog
from django.conf import settings
from django.http import StreamingHttpResponse

from webapp import events, logs

log = structlog.get_logger(__name__)

QUEUE = 200  # events a slow reader may be behind before it is cut off; it reconnects and starts afresh
WORKERS_EVERY = 2  # seconds between looks at which workers live
KEEP_ALIVE = 15  # seconds: proxies close a silent connection after 30 or more


class Hub:
    """The readers of this process, by what they follow."""

    def __init__(self):
        self.readers: dict[str, set[asyncio.Queue]] = defaultdict(set)
        self.tasks: list[asyncio.Task] = []
        self.alive: int | None = None
        self.seen: int | None = None

    def subscribe(self, about: str) -> asyncio.Queue:
        if not self.tasks:
            self.tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._watch_workers())]
        queue = asyncio.Queue(QUEUE)
        self.readers[about].add(queue)
        return queue

    def unsubscribe(self, about: str, queue: asyncio.Queue) -> None:
        self.readers[about].discard(queue)
        if not self.readers[about]:
            del self.readers[about]
        if not self.readers:
            for task in self.tasks:
                task.cancel()
            self.tasks = []

    def _send(self, about: str, data: bytes) -> None:
        for queue in list(self.readers.get(about, ())):
            try:
                queue.put_nowait(data)
            except asyncio.QueueFull:
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(None)  # ends that stream

    async def _read(self) -> None:
        last = "$"
        while True:
            try:
                async with redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_timeout=30) as client:
                    while True:
                        for _, entries in await client.xread({events.STREAM: last}, block=10_000, count=500) or ():
                            for last, fields in entries:  # noqa: B007 (where the next read begins)
                                self._send(fields[b"about"].decode(), fields[b"event"])
            except (redis.RedisError, OSError) as error:
                log.warning("the stream of events is away", error=logs.named(error))
                last = "$"  # an emptied Redis counts from the start again
                await asyncio.sleep(1)

    async def _watch_workers(self) -> None:
        while True:
            try:
                async with redis.asyncio.Redis.from_url(settings.REDIS_URL, socket_timeout=5) as client:
                    while True:
                        alive = len([key async for key in client.scan_iter(events.WORKER_KEYS, count=1000)])
                        self._workers(alive)
                        await asyncio.sleep(WORKERS_EVERY)
            except (redis.RedisError, OSError):
                self._workers(None)
                await asyncio.sleep(WORKERS_EVERY)

    def _workers(self, alive: int | None) -> None:
        """alive: None where nobody can tell. None at all is told when it is seen twice: an emptied Redis knows of none for a moment."""
        seen, self.seen = self.seen, alive
        if alive == 0 and seen != 0:
            return
        if alive != self.alive:
            self.alive = alive
            for about in list(self.readers):
                self._send(about, orjson.dumps({"type": "workers", "alive": alive}))


hub = Hub()


async def stream(about: str) -> AsyncIterator[bytes]:
    """The Server-Sent Events about one thing, such as "run:12", until the reader goes."""
    queue = hub.subscribe(about)
    try:
        yield b'retry: 2000\ndata: {"type":"open"}\n\n'
        while True:
            try:
                data = await asyncio.wait_for(queue.get(), KEEP_ALIVE)
            except TimeoutError:
                yield b": still here\n\n"
                continue
            if data is None:
                return
            yield b"data: " + data + b"\n\n"
    finally:
        hub.unsubscribe(about, queue)


def response(about: str) -> StreamingHttpResponse:
    return StreamingHttpResponse(
        stream(about),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Encoding": "identity"},
    )
