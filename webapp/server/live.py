"""News for open pages: one reader of the Redis stream per web process, fanned out to any number of Server-Sent Events.

A page that (re)connects asks for its .json twin first, so nothing has to be replayed: `open` is its sign to do so.

The gate (webapp.accounts.authorization) has let a reader in once; whether each still may read is asked again every few seconds, for all of them together.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator

import orjson
import redis
import redis.asyncio
import structlog
from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, StreamingHttpResponse

from webapp import logs
from webapp.accounts import authorization
from webapp.jobs import events
from webapp.server.concurrency import give_back

log = structlog.get_logger(__name__)

QUEUE = 200  # events a slow reader may be behind before it is cut off; it reconnects and starts afresh
WORKERS_EVERY = 2  # seconds between looks at which workers live
KEEP_ALIVE = 15  # seconds: proxies close a silent connection after 30 or more
RIGHTS_EVERY = 3.0  # seconds after which it is asked again who may read


class Hub:
    """The readers of this process, by what they follow."""

    def __init__(self):
        self.readers: dict[str, set[asyncio.Queue]] = defaultdict(set)
        self.who: dict[asyncio.Queue, authorization.Reader] = {}
        self.tasks: list[asyncio.Task] = []
        self.alive: int | None = None
        self.seen: int | None = None

    def subscribe(self, about: str, reader: authorization.Reader) -> asyncio.Queue:
        if not self.tasks:
            self.tasks = [asyncio.create_task(part()) for part in (self._read, self._watch_workers, self._watch_rights)]
        queue = asyncio.Queue(QUEUE)
        self.readers[about].add(queue)
        self.who[queue] = reader
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

    def _send(self, about: str, data: bytes) -> None:
        for queue in list(self.readers.get(about, ())):
            try:
                queue.put_nowait(data)
            except asyncio.QueueFull:
                _end(queue)

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

    async def _watch_rights(self) -> None:
        """Where the database is away nobody can tell, and nobody can take a right away either: the streams go on until it answers."""
        while True:
            await asyncio.sleep(RIGHTS_EVERY)
            asked = dict(self.who)
            try:
                may = await still(set(asked.values()))
            except Exception as error:  # of whatever kind: this must go on asking
                log.warning("it could not be asked who may read", error=logs.named(error))
                continue
            for queue, reader in asked.items():
                if reader not in may and queue in self.who:
                    _end(queue)

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


def _end(queue: asyncio.Queue) -> None:
    """Its stream, at once: what waits in it is not sent any more."""
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(None)


async def still(readers: set[authorization.Reader]) -> set[authorization.Reader]:
    """`access.still`, in a thread that belongs to no request."""

    def ask() -> set[authorization.Reader]:
        try:
            return authorization.still(readers)
        finally:
            give_back()

    return await sync_to_async(ask, thread_sensitive=False)()


async def stream(about: str, reader: authorization.Reader) -> AsyncIterator[bytes]:
    """The Server-Sent Events about one thing, such as "run:12", until the reader goes, or may not read it any more."""
    queue = hub.subscribe(about, reader)
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


def response(request: HttpRequest, **what: int) -> StreamingHttpResponse:
    """Of run=12 or corpus=3, which the gate has let the request see."""
    [(kind, number)] = what.items()
    return StreamingHttpResponse(
        stream(f"{kind}:{number}", authorization.reader(request, **what)),
        content_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Encoding": "identity"},
    )
