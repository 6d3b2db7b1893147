"""How much is done at once in a web process: beyond it requests wait for a while, and beyond that they are refused early, with 429 or 503.

Django answers each request in a thread of its own, and starts as many as there are requests: a hundred at once would wait for each other,
for a connection and for Python's lock, and all be late. Here a few are in work and the others wait without a thread, in the order in which
they came. Health, metrics and static files don't pass through; streams of events, uploads and files that are taken away have rooms of
their own, so that none of them keeps pages waiting.
"""

import asyncio
import weakref
from collections import Counter, deque
from dataclasses import dataclass, field
from functools import partial

import structlog
from asgiref.sync import sync_to_async
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve
from django.utils.decorators import async_only_middleware

from webapp.server import head_requests, metrics

log = structlog.get_logger(__name__)


class Full(Exception):
    """There is no place, and no prospect of one."""

    def __init__(self, status: int, reason: str):
        super().__init__(reason)
        self.status, self.reason = status, reason


@dataclass
class Room:
    """`most` at once; of the others `queue` wait for `patience` seconds. One client has `each` inside and waiting at most."""

    name: str
    most: int
    queue: int
    patience: float
    each: int
    inside: int = 0
    waiting: deque[asyncio.Future] = field(default_factory=deque)
    of: Counter = field(default_factory=Counter)  # client -> places it has or waits for

    async def enter(self, client: str) -> None:
        """Raises Full. Who has entered must leave."""
        if self.of[client] >= self.each:
            raise Full(429, f"{self.name}: one client")
        if self.inside >= self.most and len(self.waiting) >= self.queue:
            raise Full(503, f"{self.name}: queue")
        self.of[client] += 1
        if self.inside < self.most:
            self.inside += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self.waiting.append(turn)
        try:
            async with asyncio.timeout(self.patience):
                await turn
        except BaseException as error:  # patience is at an end, or the client has gone
            self._give_up(turn, client)
            if isinstance(error, TimeoutError):
                raise Full(503, f"{self.name}: patience") from None
            raise

    def _give_up(self, turn: asyncio.Future, client: str) -> None:
        if turn.done() and not turn.cancelled():  # its turn came in the same moment
            self.leave(client)
            return
        if turn in self.waiting:  # else somebody who left passed it by in the same moment
            self.waiting.remove(turn)
        self._forget(client)

    def leave(self, client: str) -> None:
        self._forget(client)
        while self.waiting:
            turn = self.waiting.popleft()
            if not turn.done():
                turn.set_result(None)  # the place goes on to it
                return
        self.inside -= 1

    def _forget(self, client: str) -> None:
        self.of[client] -= 1
        if not self.of[client]:
            del self.of[client]


# Threads take turns at Python's lock: of many at work each is late, and the loop, which answers everybody, latest of all. While some wait
# for Postgres, a few keep a core at work. What waits longer than 8 s would not be read any more. A class behind one address is one client
# here, so that `each` is generous.
PAGES = Room("pages", most=4, queue=160, patience=8.0, each=100)
# Seconds of work on a large corpus: two at once leave the others their share.
HEAVY = Room("heavy pages", most=2, queue=24, patience=20.0, each=12)
# Each has a thread that waits for its reader, and a connection while it makes a piece.
FILES = Room("files", most=8, queue=8, patience=20.0, each=4)
# Their views run on the loop: one that waits for bytes costs some 256 KB and no thread, and is ended when none come.
UPLOADS = Room("uploads", most=400, queue=0, patience=0.0, each=200)
STREAMS = Room("streams", most=1_000, queue=0, patience=0.0, each=300)
# Until a stream begins it is a request as others are. When a server is back, all pages that watch something connect at once: a thread
# for each of some hundreds kept every other page waiting for seconds.
BEGINNING = Room("streams that begin", most=2, queue=1_000, patience=30.0, each=300)

OPEN = frozenset(("healthz", "readyz", "metrics"))
RETRY = {429: 2, 503: 5}  # seconds after which to come again


def rooms(request: HttpRequest) -> list[Room]:
    """The rooms that a request passes through, from the outer to the inner one."""
    try:
        request.resolver_match = resolve(request.path_info)  # also for the log, where it is refused
        name = request.resolver_match.view_name or ""
    except Resolver404:
        name = ""
    if name in OPEN:
        return []
    if name.endswith("_events"):
        return [STREAMS, BEGINNING]
    if name in ("uploads", "upload"):
        return [UPLOADS]
    if name in ("export", "run_time_csv", "corpus_report", "notebook_html", "notebook_md"):
        return [FILES]
    heavy = name.removesuffix("_json") in ("compare", "run_time_compare", "run_without", "run_carry")
    heavy = heavy or (name.removesuffix("_json") == "run_topics" and request.GET.get("view") in ("map", "grid"))
    return [HEAVY, PAGES] if heavy else [PAGES]


class Places:
    """What a request has entered; all is left once, however often it is asked."""

    def __init__(self, client: str):
        self.client = client
        self.held: list[Room] = []

    async def enter(self, rooms: list[Room]) -> None:
        for room in rooms:
            await room.enter(self.client)
            self.held.append(room)
        count()

    def leave(self, but: int = 0) -> None:
        """but: the outermost rooms that are kept."""
        while len(self.held) > but:
            self.held.pop().leave(self.client)
        count()


def give_back() -> None:
    """The connection of this request's thread, to the pool; within a transaction (a test's) it is somebody else's."""
    if not connection.in_atomic_block:
        connection.close()


def later(loop: asyncio.AbstractEventLoop, do) -> None:
    """From any thread; also after the loop's end, in tests."""
    if loop.is_closed():
        do()
    else:
        loop.call_soon_threadsafe(do)


def count() -> None:
    metrics.in_work.set(PAGES.inside)
    metrics.waiting.set(len(PAGES.waiting) + len(HEAVY.waiting))
    metrics.readers.set(STREAMS.inside)


@async_only_middleware
def gate(get_response):
    """On the loop: what waits here has no thread. All inside of it, up to the view, then runs in one."""

    async def answer(request: HttpRequest) -> HttpResponse:
        places = Places(request.META.get("REMOTE_ADDR", ""))
        try:
            await places.enter(rooms(request))
            response = await head_requests.answered(request, get_response)
        except Full as full:
            places.leave()
            return refusal(request, full)
        except BaseException:
            places.leave()
            raise
        if response.streaming:
            # An answer that lasts gives its connection back, and keeps its outermost place, until it ends.
            places.leave(but=1)
            await sync_to_async(give_back)()
            free = partial(later, asyncio.get_running_loop(), places.leave)
            response._resource_closers.append(free)
            weakref.finalize(response, free).atexit = False  # a reader who goes at the wrong moment: nobody closes it
        else:
            places.leave()
        return response

    return answer


def refusal(request: HttpRequest, full: Full) -> HttpResponse:
    """No query, no session, no thread: it must cost nothing."""
    metrics.refused.labels(full.reason).inc()
    seconds = RETRY[full.status]
    if full.status == 429:
        sentence = "More was asked from where you are than can be answered at once."
    else:
        sentence = "More is being asked of this server than it can answer at once."
    advice = f"Nothing is lost. Try again in {seconds} seconds."
    if (
        request.path.endswith(".json")
        or request.path.startswith("/api/")
        or request.headers.get("Accept", "").startswith("application/json")
    ):
        response = JsonResponse({"error": f"{sentence} {advice}"}, status=full.status)
    else:
        again = request.get_full_path() if request.method == "GET" else ""
        page = render_to_string(
            "busy.html",
            {"status": full.status, "sentence": sentence, "advice": advice, "again": again, "id": request.id},
        )
        response = HttpResponse(page, status=full.status)
    response["Retry-After"] = str(seconds)
    response["Cache-Control"] = "no-store"
    return response
