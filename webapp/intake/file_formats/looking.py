"""How much may be spent on looking into an upload before it is read: seconds, bytes and processes
of the sandbox.

Whoever looks, a page, the API or a worker, says `with looking.within(…)`, once for the whole
upload. All formats are then parsed in the sandbox (webapp.intake.file_formats.dispatch). The
modules of formats call `spend` and `check` wherever they read, copy or wait; both raise Exhausted,
which no module takes for a damaged file. Outside `within` nothing is bounded here: a worker reads whole files, for as
long as it takes.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

PAGE_SECONDS = 15.0  # of a request
JOB_SECONDS = 300.0  # of a worker, where those were too few: the machine may be busy
PROCESSOR_SECONDS = 20.0  # of either, its processes of the sandbox included
BEGINNING = 128 << 20  # bytes of an archive's entry that are copied for a module of our own
BYTES = 8 << 30  # that are read, unpacked and copied
# processes of the sandbox at once, of a whole web process: each may fill
# webapp.intake.file_formats.sandbox.MEMORY
CHILDREN = 2
POLL = 0.25  # seconds between two questions whether it should go on

T = TypeVar("T")
_children = threading.BoundedSemaphore(CHILDREN)


class Exhausted(Exception):
    """More was needed than may be spent. str() is a sentence."""


class Abandoned(Exhausted):
    """Nobody waits for it any more."""


class Look:
    """One upload that is looked into, in one thread. seconds: for which it may last; processor:
    seconds of a processor that it may take. stopped: whether nobody waits for it any more."""

    def __init__(self, seconds: float, stopped: Callable[[], bool], processor: float):
        self.seconds = seconds
        self.stopped = stopped
        self.processor = processor
        self.until = time.monotonic() + seconds
        self.bytes = BYTES  # that may still be read
        # Processor seconds of processes of the sandbox, less this thread's till now
        self.spent = -time.thread_time()

    def left(self) -> float:
        """Processor seconds."""
        return self.processor - self.spent - time.thread_time()

    def check(self) -> None:
        """Raises Exhausted where no more may be done."""
        if self.stopped():
            raise Abandoned("Nobody waits any more for what these files seem to be.")
        if time.monotonic() > self.until:
            raise Exhausted(
                f"Looking into these files took longer than {self.seconds:.0f} seconds."
            )
        if self.left() <= 0:
            raise Exhausted(
                f"Looking into these files took more than {self.processor:.0f} seconds of a"
                " processor."
            )
        if self.bytes < 0:
            raise Exhausted(
                f"To look into these files more than {BYTES / 1e9:,.3g} GB had to be read or"
                " unpacked."
            )


# What holds in a block of code rather than for a call: formats read entries of archives by other
# formats, and each of them may have to stop
_current: ContextVar[Look | None] = ContextVar("look", default=None)
_first: ContextVar[tuple[int, int] | None] = ContextVar("first", default=None)
_spread: ContextVar[tuple[int, int] | None] = ContextVar("spread", default=None)


@contextmanager
def _set(variable: ContextVar[T], value: T) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def within(
    seconds: float,
    stopped: Callable[[], bool] = lambda: False,
    processor: float = PROCESSOR_SECONDS,
) -> AbstractContextManager[None]:
    """Bounds what is done in here, in this thread."""
    return _set(_current, Look(seconds, stopped, processor))


def now() -> bool:
    """Whether an upload is looked into."""
    return _current.get() is not None


def check() -> None:
    """Raises Exhausted where no more may be done."""
    if look := _current.get():
        look.check()


def left() -> float | None:
    """Processor seconds that may still be spent; None: as many as it takes. Raises Exhausted where
    there are none."""
    check()
    look = _current.get()
    return look.left() if look else None


def spend_processor(seconds: float) -> None:
    """A process of the sandbox took so long."""
    if look := _current.get():
        look.spent += seconds


def first(characters: int, documents: int) -> AbstractContextManager[None]:
    """While an upload is looked into no more than these is wanted of each file in here: the sandbox
    stops reading there."""
    return _set(_first, (characters, documents))


def wanted_limits() -> tuple[int, int] | None:
    """Characters and documents of a file that are wanted; None: all."""
    return _first.get() if now() else None


def spread(characters: int, documents: int) -> AbstractContextManager[None]:
    """In here, where about so many are wanted of an archive, they are taken from all parts of it:
    the modules of archives read their entries in an even order, and of an entry with many documents
    some before those of others."""
    return _set(_spread, (characters, documents))


def spread_limits() -> tuple[int, int] | None:
    """Characters and documents of an archive that are wanted from all parts of it; None: it is read
    in its order."""
    return _spread.get()


def spend(count: int) -> None:
    """So many bytes were read or unpacked. Raises Exhausted."""
    if look := _current.get():
        look.bytes -= count
        look.check()


@contextmanager
def child() -> Iterator[None]:
    """A place for a process of the sandbox, waited for as long as may be."""
    look = _current.get()
    if look is None:
        yield
        return
    while not _children.acquire(timeout=POLL):
        look.check()
    try:
        yield
    finally:
        _children.release()
