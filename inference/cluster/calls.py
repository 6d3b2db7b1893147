"""Calls of a leader to workers, over one connection to dask's scheduler."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from distributed import Client
from distributed.comm import CommClosedError
from distributed.utils import LoopRunner
from tornado.ioloop import IOLoop

from inference.cluster.member import Gone

# seconds between two looks at whether the scheduler still has the workers that are asked for
# something
LOOK_SECONDS = 10.0
CONNECT = 5.0  # seconds for reaching the scheduler
# seconds without an answer after which a scheduler is lost; one that is slow answers before
SILENT = 300.0
# What dask raises, as a RuntimeError, while a client closes itself
CLOSED = "ConnectionPool is closed"
# What is raised where a worker or the scheduler is lost
LOST = (
    OSError,
    CommClosedError,
    Gone,
    TimeoutError,
)


class Calls:
    """address: of dask's scheduler. tick: called about once a second while a worker's answer is
    awaited; an exception that it raises ends that. Only `workers` opens the connection."""

    def __init__(self, address: str, tick: Callable[[], None]):
        self.address = address
        self.tick = tick
        self._client: Client | None = None

    def workers(self) -> list[str]:
        """Addresses of the workers that the scheduler knows, in order. Raises one of LOST where
        there is no scheduler."""
        if self._client is None:
            self._client = Client(self.address, timeout=CONNECT, set_as_default=False, loop=_loop())
        return sorted(self.result(self._run(self._known())))

    def close(self) -> None:
        """Leave the scheduler; what was sent stays done. Twice is as once."""
        client = self._client
        self._client = None
        if client is not None:
            with suppress(TimeoutError):
                client.close(timeout=10.0)

    def all(self, workers: Sequence[str], what: str, **arguments: Any) -> list:
        """What each worker answers to the same question; see `result`."""
        return self.each(workers, what, [arguments] * len(workers))

    def each(self, workers: Sequence[str], what: str, arguments: Sequence[dict[str, Any]]) -> list:
        """What each worker answers to a question with arguments of its own; see `result`."""
        pending = [
            self._ask(worker, what, arguments_of_worker)
            for worker, arguments_of_worker in zip(workers, arguments, strict=True)
        ]
        return self.result(self._run(_together(pending)), workers)

    def ask(self, worker: str, what: str, **arguments: Any) -> Any:
        """A question that is not waited for: for `result`."""
        return self._run(self._ask(worker, what, arguments))

    def result(self, asked: Any, workers: Sequence[str] = ()) -> Any:
        """What these workers answer. Raises one of LOST where one of them is lost, also where only
        the scheduler has noticed: a worker that hangs keeps its connections."""
        looking = None
        looked = time.monotonic()
        while True:
            try:
                return asked.result(1.0)  # a tick a second while workers are at work
            except NotYet:
                if asked.done():
                    raise
            try:
                self.tick()
                if looking is not None and looking.done():
                    if lost := set(workers) - looking.result():
                        raise Gone(f"The scheduler has lost {', '.join(sorted(lost))}.")
                    looking = None
                if workers and looking is None and time.monotonic() - looked > LOOK_SECONDS:
                    looking = self._run(self._known())
                    looked = time.monotonic()
            except BaseException:
                asked.cancel()
                raise

    def sleep(self, seconds: float) -> None:
        """Wait, and tick."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.tick()
            time.sleep(min(0.2, seconds))

    async def _ask(self, worker: str, what: str, arguments: dict[str, Any]) -> Any:
        with _lost_where_closed():
            return await getattr(self._open().rpc(worker), f"topograph_{what}")(**arguments)

    async def _known(self) -> set[str]:
        with _lost_where_closed():
            async with asyncio.timeout(SILENT):
                return set((await self._open().scheduler.identity(n_workers=-1))["workers"])

    def _open(self) -> Any:
        if self._client is None:
            raise OSError("There is no connection to the workers.")
        return self._client

    def _run(self, work: Any) -> Any:
        """A future of a coroutine, in the client's thread."""
        try:
            loop = self._open().loop.asyncio_loop
        except OSError:
            work.close()
            raise
        return asyncio.run_coroutine_threadsafe(work, loop)


@cache
def _loop() -> IOLoop:
    """One thread for all connections of this process. dask would start one for each, and leave it
    where the connection fails or is lost."""
    runner = LoopRunner()
    runner.start()
    return runner.loop


@contextmanager
def _lost_where_closed() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        if str(error) != CLOSED:
            raise
        raise OSError("The client closed its connections, as its scheduler was lost.") from error


async def _together(calls: list) -> list:
    """All results, or the first error; the others are not waited for then."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        raise
