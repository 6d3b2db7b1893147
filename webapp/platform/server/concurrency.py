"""The concurrency limiter: how many requests a web process works at. Others wait for a while;
beyond that they are refused early, with 429 or 503.

Under ASGI Django answers each request in a thread of its own, and starts as many threads as there
are requests. A hundred at once would wait for each other, for a connection to the database and for
Python's lock, and all be late. Here a few requests are at work, and the others wait in the order of
their arrival, without a thread. Health, metrics and static files pass unlimited. Streams of events,
uploads and downloads have limiters of their own, so that none of them keeps pages waiting.
"""

import asyncio
import weakref
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

import structlog
from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.utils.decorators import async_only_middleware, sync_only_middleware

from webapp.platform import routes
from webapp.platform.pages.errors import wants_json
from webapp.platform.request_context import request_context
from webapp.platform.routes import Load
from webapp.platform.server import head_requests, metrics

log = structlog.get_logger(__name__)


class Overloaded(Exception):
    """No place is free, and none will be soon. status: 429 where one client asks for too much, else
    503."""

    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass
class ConcurrencyLimiter:
    """Admits `capacity` requests at once. Of the others `queue` wait, each for at most `max_wait`
    seconds.

    per_client: how many requests of one client (its address) may be active or waiting. Used on the
    event loop only.
    """

    name: str
    capacity: int
    queue: int
    max_wait: float
    per_client: int
    active: int = 0
    waiting: deque[asyncio.Future] = field(default_factory=deque)
    # Client -> its requests that are active or wait
    by_client: Counter = field(default_factory=Counter)

    async def acquire(self, client: str) -> None:
        """Take a place, or wait for one. Whoever got one must release it. Raises Overloaded."""
        if self.by_client[client] >= self.per_client:
            raise Overloaded(429, f"{self.name}: one client")
        if self.active >= self.capacity and len(self.waiting) >= self.queue:
            raise Overloaded(503, f"{self.name}: queue")
        self.by_client[client] += 1
        if self.active < self.capacity:
            self.active += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self.waiting.append(turn)
        try:
            async with asyncio.timeout(self.max_wait):
                await turn
        except BaseException as error:  # it waited too long, or its client has gone
            self._give_up(turn, client)
            if isinstance(error, TimeoutError):
                raise Overloaded(503, f"{self.name}: patience") from None
            raise

    def release(self, client: str) -> None:
        """Give the place to the request that has waited longest."""
        self._forget(client)
        while self.waiting:
            turn = self.waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self.active -= 1

    def _give_up(self, turn: asyncio.Future, client: str) -> None:
        if turn.done() and not turn.cancelled():  # it got a place in the same moment
            self.release(client)
            return
        if turn in self.waiting:  # else a release skipped it in the same moment
            self.waiting.remove(turn)
        self._forget(client)

    def _forget(self, client: str) -> None:
        self.by_client[client] -= 1
        if not self.by_client[client]:
            del self.by_client[client]


# Threads share Python's lock: the more of them work, the later each is, and the event loop, which
# answers everybody, is the latest of all. Four keep a core busy while some wait for Postgres.
# Nobody reads a page that comes after 8 s. A whole class may sit behind one address, so
# `per_client` is generous.
PAGES = ConcurrencyLimiter("pages", capacity=4, queue=160, max_wait=8.0, per_client=100)
# Seconds of work on a large corpus: two at once leave the other pages their share.
HEAVY = ConcurrencyLimiter("heavy pages", capacity=2, queue=24, max_wait=20.0, per_client=12)
# A download has a thread that waits for its reader, and a connection while it makes a chunk.
FILES = ConcurrencyLimiter("files", capacity=8, queue=8, max_wait=20.0, per_client=4)
# While an upload waits for bytes it costs some 256 KB and a thread that sleeps. Until then it asks
# the database, as a page does: hundreds that begin at once would take all its connections, so few
# of them do.
UPLOADS = ConcurrencyLimiter("uploads", capacity=400, queue=0, max_wait=0.0, per_client=200)
UPLOAD_STARTS = ConcurrencyLimiter(
    "uploads that begin", capacity=2, queue=400, max_wait=30.0, per_client=200
)
STREAMS = ConcurrencyLimiter("streams", capacity=1_000, queue=0, max_wait=0.0, per_client=300)
# Until a stream begins it needs a thread as a page does. When a server is back all open pages
# connect at once: with a thread for each of some hundreds every other page waited for seconds.
STREAM_STARTS = ConcurrencyLimiter(
    "streams that begin", capacity=2, queue=1_000, max_wait=30.0, per_client=300
)

REFUSED = {  # status -> what is said, and the seconds after which to come again
    429: ("Too many requests came from your network at once.", 2),
    503: ("This server has more requests than it can answer at once.", 5),
}


def limiters(request: HttpRequest) -> list[ConcurrencyLimiter]:
    """The limiters that a request must pass, from the outer to the inner one: of the load that its
    address declares."""
    load = Load.PAGE
    with suppress(Resolver404):
        # Also for the log, where it is refused
        match = request.resolver_match = resolve(request.path_info)
        declared = routes.declared_for(match)
        if declared is not None:
            load = declared.load_of(request)
    return {
        Load.UNLIMITED: [],
        Load.PAGE: [PAGES],
        Load.HEAVY: [HEAVY, PAGES],
        Load.FILE: [FILES],
        Load.UPLOAD: [UPLOADS, UPLOAD_STARTS],
        Load.STREAM: [STREAMS, STREAM_STARTS],
    }[load]


class Admission:
    """The places that one request holds. Each is released once, however often `release` is
    called."""

    def __init__(self, client: str):
        self.client = client
        self.held: list[ConcurrencyLimiter] = []

    async def acquire(self, limiters: list[ConcurrencyLimiter]) -> None:
        for limiter in limiters:
            await limiter.acquire(self.client)
            self.held.append(limiter)
        update_gauges()

    def release(self, keep: int = 0) -> None:
        """keep: how many of the outermost places stay held."""
        while len(self.held) > keep:
            self.held.pop().release(self.client)
        update_gauges()


def release_connection() -> None:
    """Return this thread's database connection to the pool. Within a transaction (a test's) it
    belongs to somebody else."""
    if not connection.in_atomic_block:
        connection.close()


async def wait_for_client(request: HttpRequest) -> None:
    """For a view on the event loop that is about to wait for its client, perhaps for minutes: it
    keeps its outermost place, and neither another one nor a connection."""
    if admission := request_context(request).admission:
        admission.release(keep=1)
    await sync_to_async(release_connection)()


def call_in_loop(loop: asyncio.AbstractEventLoop, function) -> None:
    """From any thread; directly where the loop has ended, as in tests."""
    if loop.is_closed():
        function()
    else:
        loop.call_soon_threadsafe(function)


def update_gauges() -> None:
    metrics.in_work.set(PAGES.active)
    metrics.waiting.set(len(PAGES.waiting) + len(HEAVY.waiting))
    metrics.readers.set(STREAMS.active)


@async_only_middleware
def limit_concurrency(get_response):
    """Middleware, on the event loop: a request that waits here has no thread. All that comes after
    it, up to the view, runs in one."""

    async def middleware(request: HttpRequest) -> HttpResponse:
        context = request_context(request)
        context.admission = admission = Admission(request.META.get("REMOTE_ADDR", ""))
        release = partial(call_in_loop, asyncio.get_running_loop(), admission.release)
        try:
            await admission.acquire(limiters(request))
            response = await head_requests.respond(request, get_response)
        except Overloaded as overloaded:
            admission.release()
            return refusal(request, overloaded)
        except BaseException:
            # Most often the client has gone; the thread knows nothing of that, and works on
            context.abandoned.set()
            if context.work.cancel():  # it had not begun
                admission.release()
            else:
                context.work.add_done_callback(lambda _: release())
            raise
        if not response.streaming:
            admission.release()
            return response
        # A stream returns its connection, and keeps its outermost place until it ends.
        admission.release(keep=1)
        await sync_to_async(release_connection)()
        response._resource_closers.append(release)  # type: ignore[attr-defined]  # as Django's own
        # Where the client goes at an unlucky moment nobody closes the response: then the garbage
        # collector releases its place.
        weakref.finalize(response, release).atexit = False
        return response

    return middleware


@sync_only_middleware
def follow_work(get_response):
    """Middleware, the first in a request's thread: says when the work has ended, also where nobody
    waits for it any more. Its places are free then, and not before: else whoever comes and goes
    could have any number of threads at work."""

    def middleware(request: HttpRequest) -> HttpResponse:
        work = request_context(request).work
        if not work.set_running_or_notify_cancel():
            return HttpResponse(status=499)
        try:
            return get_response(request)
        finally:
            work.set_result(None)

    return middleware


def refusal(request: HttpRequest, overloaded: Overloaded) -> HttpResponse:
    """The answer to a request that is refused. It costs no query, no session and no thread."""
    metrics.refused.labels(overloaded.reason).inc()
    sentence, seconds = REFUSED[overloaded.status]
    advice = f"Nothing is lost. Try again in {seconds} seconds."
    response: HttpResponse
    if wants_json(request):
        response = JsonResponse({"error": f"{sentence} {advice}"}, status=overloaded.status)
    else:
        page = render_to_string(
            "busy.html",
            {
                "status": overloaded.status,
                "sentence": sentence,
                "advice": advice,
                "again": request.get_full_path() if request.method == "GET" else "",
                "id": request_context(request).id,
            },
        )
        response = HttpResponse(page, status=overloaded.status)
    response["Retry-After"] = str(seconds)
    response["Cache-Control"] = "no-store"
    return response
