"""A worker's part in the trainings that it shares: an extension of dask's worker, which sends what
a step exchanges directly from worker to worker, over dask's own connections (and its TLS)."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
from distributed import Worker, WorkerPlugin
from distributed.protocol import to_serialize
from tornado.ioloop import PeriodicCallback

from inference.cluster.share import Job, Share
from inference.engines.sharing import Message, Messages
from inference.errors import Invalid
from inference.runtime.versions import versions

ALIGNED = 8  # bytes
# Seconds without a word of its leader, who may publish meanwhile, after which a worker leaves a
# training
FORGOTTEN = 4 * 3600.0
LOOK_SECONDS = 60.0  # seconds between two looks for such trainings


class Gone(RuntimeError):
    """The training that a message is of is not this worker's any more."""


class Unable(Gone):
    """A worker can't do its share: it does not see the files, or its disk or memory is full. args:
    its address, and why."""


class Seat:
    """A worker's place in one training. deal: its name, which every message carries. peers:
    addresses of all workers, in the order of their ranks. compute: runs a function in the worker's
    thread for computing."""

    def __init__(
        self,
        share: Share,
        deal: str,
        peers: list[str],
        rank: int,
        send: Callable,
        compute: Callable,
    ):
        self.share = share
        self.deal = deal
        self.peers = peers
        self.rank = rank
        self._send = send
        self._compute = compute
        self._heard: dict[tuple[int, int], dict[int, Message]] = defaultdict(dict)
        self._news = asyncio.Event()
        self._sending: set[asyncio.Task] = set()
        self._failed: BaseException | None = None
        self._closed = False
        self.last = time.monotonic()
        self.spent = {
            "steps": 0,
            "computing": 0.0,
            "exchanging": 0.0,
            "sent": 0,
            "cpu": -time.process_time(),
        }

    async def step(self, t: int) -> int:
        """Take step t, counted from 0. Returns how many tokens of its documents were gone through.

        While others are waited for, the computing thread adds what this worker counted to its rows,
        or lays out the next step; at the latest it lays that out while the leader is waited for.
        """
        began = self.share.state.tokens
        if self.share.state.t != t:
            raise Gone(f"This worker is at step {self.share.state.t}, and not at {t}.")
        steps = self.share.step()
        turn = 0
        messages = await self._timed("computing", self._compute(next, steps, None))
        while messages is not None:
            work = (
                (messages.work,) if isinstance(messages, Messages) else (self.share.lay_out, t + 1)
            )
            working = self._compute(*work)
            heard = await self._timed("exchanging", self._exchange((t, turn), messages))
            await self._timed("computing", working)
            messages = await self._timed("computing", self._compute(_continue, steps, heard))
            turn += 1
        self._compute(self.share.lay_out, t + 1)
        self.spent["steps"] += 1
        return self.share.state.tokens - began

    def about(self) -> dict[str, Any]:
        """Steps taken here; seconds of computing, of exchanging messages, which is mostly waiting,
        and of the processor, of this process since the training began; bytes sent."""
        cpu = self.spent["cpu"] + time.process_time()
        return {"rank": self.rank, "t": self.share.state.t} | self.spent | {"cpu": cpu}

    async def _timed(self, what: str, work: Any) -> Any:
        began = time.perf_counter()
        try:
            return await work
        finally:
            self.spent[what] += time.perf_counter() - began

    async def _exchange(self, turn: tuple[int, int], messages: list[Message]) -> list[Message]:
        """Send each other worker its message, and wait until theirs have come, but not until ours
        have arrived. Returns all by rank."""
        other_ranks = [rank for rank in range(len(self.peers)) if rank != self.rank]
        packed: dict[int, Packed] = {}  # many get the same
        for rank in other_ranks:
            message = packed.get(id(messages[rank])) or packed.setdefault(
                id(messages[rank]), pack(messages[rank])
            )
            self.spent["sent"] += message[1].nbytes
            task = asyncio.ensure_future(
                self._send(self.peers[rank], self.deal, turn, self.rank, message)
            )
            self._sending.add(task)
            task.add_done_callback(self._sent)
        while not self._closed and not self._failed and len(self._heard[turn]) < len(other_ranks):
            self._news.clear()
            await self._news.wait()
        if self._closed:
            raise Gone("The training continues without what this worker had.")
        if self._failed:
            raise self._failed
        heard = self._heard.pop(turn) | {self.rank: messages[self.rank]}
        return [heard[rank] for rank in range(len(self.peers))]

    def _sent(self, task: asyncio.Task) -> None:
        self._sending.discard(task)
        if not task.cancelled() and task.exception():
            self._failed = task.exception()
            self._news.set()

    def hear(self, turn: tuple[int, int], rank: int, message: Message) -> None:
        """Keep the message that a rank sends for a turn, which may come before this worker is
        there."""
        self._heard[turn][rank] = message
        self._news.set()

    def close(self) -> None:
        """End the waiting for messages: the training goes on without this worker's part."""
        self._closed = True
        self._news.set()


# Types and shapes, and all bytes behind one another
Packed = tuple[list[tuple[str, list[int]]], np.ndarray]


def pack(message: Message) -> Packed:
    """Arrays as one, each from a multiple of ALIGNED bytes on: dask has a header, and the system a
    call, for each array."""
    rooms = [_room(array.nbytes) for array in message]
    data = np.empty(sum(rooms), np.uint8)
    begin = 0
    for array, room in zip(message, rooms, strict=True):
        array_bytes = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        data[begin : begin + array.nbytes] = array_bytes
        begin += room
    return [(array.dtype.str, list(array.shape)) for array in message], data


def unpack(heads: list, data: np.ndarray) -> Message:
    """The arrays that `pack` packed, views of `data`. heads: the type and the shape of each; data:
    uint8[n], their bytes."""
    arrays = []
    begin = 0
    for kind, shape in heads:
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        arrays.append(data[begin : begin + size].view(kind).reshape(shape))
        begin += _room(size)
    return tuple(arrays)


def _room(size: int) -> int:
    """Bytes that an array of `size` bytes takes in a message: up to a multiple of ALIGNED."""
    return -(-size // ALIGNED) * ALIGNED


def _continue(steps: Any, heard: list[Message]) -> list[Message] | None:
    """What is said next; None at the end. (An awaited function can't raise StopIteration.)"""
    try:
        return steps.send(heard)
    except StopIteration:
        return None


class Member(WorkerPlugin):
    """The extension. home: the folder that paths of a training may be relative to. scratch: for a
    large memory. threads: of this process."""

    name = "topograph"

    def __init__(self, home: Path, scratch: Path | None, threads: int):
        self.home = home
        self.scratch = scratch
        self.threads = threads
        self.seats: dict[str, Seat] = {}
        self._beginning = asyncio.Lock()

    def setup(self, worker: Worker) -> None:
        """What dask calls when the worker begins: it gets a thread of its own to compute in."""
        self.worker = worker
        self.computing = ThreadPoolExecutor(
            1, "computing", initializer=numba.set_num_threads, initargs=(self.threads,)
        )
        for name in ("about", "begin", "step", "hear", "save", "topics", "evidence", "end"):
            worker.handlers[f"topograph_{name}"] = getattr(self, name)
        worker.periodic_callbacks["topograph"] = PeriodicCallback(self.forget, LOOK_SECONDS * 1000)

    def _compute(self, function: Callable, *arguments: Any) -> Any:
        return asyncio.get_running_loop().run_in_executor(
            self.computing, self._try, function, *arguments
        )

    def _try(self, function: Callable, *arguments: Any) -> Any:
        """An OSError of this worker's own would be taken for a lost connection, and asked for again
        without end."""
        try:
            return function(*arguments)
        except (OSError, MemoryError, Invalid) as error:
            raise Unable(self.worker.address, f"{type(error).__name__}: {error}") from error

    def _seat(self, deal: str) -> Seat:
        if deal not in self.seats:
            raise Gone("This worker has no seat in that training.")
        self.seats[deal].last = time.monotonic()
        return self.seats[deal]

    async def about(self) -> dict[str, Any]:
        """What a leader must know of this worker, and what it has done in each training."""
        return {
            "name": self.worker.name,
            "versions": versions(),
            "threads": self.threads,
            "seats": {deal: seat.about() for deal, seat in self.seats.items()},
        }

    async def begin(
        self,
        deal: str,
        job: dict[str, Any],
        bounds: list[int],
        peers: list[str],
        rank: int,
        t: int | None,
    ) -> None:
        """Take a seat, instead of one in the same training."""
        wanted_job = Job(**job)
        file = self.home / wanted_job.checkpoint
        async with self._beginning:  # one that the leader gave up is taken first, and then left
            for name, seat in list(self.seats.items()):
                if seat.share.checkpoint == file:
                    await self.end(name)
            share = await self._compute(
                Share, wanted_job, self.home, np.array(bounds), rank, t, self.scratch
            )
            self.seats[deal] = Seat(share, deal, peers, rank, self._send, self._compute)

    async def _send(
        self, peer: str, deal: str, turn: tuple[int, int], rank: int, message: Packed
    ) -> None:
        await self.worker.rpc(peer).topograph_hear(
            deal=deal, turn=list(turn), rank=rank, heads=message[0], data=to_serialize(message[1])
        )

    async def hear(
        self, deal: str, turn: list[int], rank: int, heads: list, data: np.ndarray
    ) -> None:
        self._seat(deal).hear((turn[0], turn[1]), rank, unpack(heads, data))

    async def step(self, deal: str, t: int) -> int:
        return await self._seat(deal).step(t)

    async def save(self, deal: str) -> list[list]:
        return [list(part) for part in await self._compute(self._seat(deal).share.save)]

    async def topics(self, deal: str) -> Any:
        return to_serialize(await self._compute(self._seat(deal).share.topics_state))

    async def evidence(self, deal: str, first: int, end: int) -> Any:
        """inference.evidence.Assigned of some documents, under the topics as they are."""
        start, *arrays = await self._compute(self._seat(deal).share.evidence, first, end)
        heads, data = pack(tuple(arrays))
        return {"first": start, "heads": heads, "data": to_serialize(data)}

    async def forget(self) -> None:
        """Leave trainings whose leader was killed, and did not come back: they keep memory."""
        for deal, seat in list(self.seats.items()):
            if time.monotonic() - seat.last > FORGOTTEN:
                await self.end(deal)

    async def end(self, deal: str) -> None:
        if seat := self.seats.pop(deal, None):
            seat.close()
