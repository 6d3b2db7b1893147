"""How much may be spent on looking into an upload before it is read: seconds, bytes and processes of the sandbox.

Whoever looks, a page, the API or a worker, says `with looking.within(…)`, once for the whole upload. Readers call
`spend` and `check` wherever they read, copy or wait; they raise Exhausted, which none of them takes for a damaged file.
Outside `within` nothing is bounded here: a worker reads whole files, for as long as it takes.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

PAGE_SECONDS = 15.0  # of a request
JOB_SECONDS = 300.0  # of a worker, where those were too few
BYTES = 8 << 30  # that are read, unpacked and copied
CHILDREN = 2  # processes of the sandbox at once, of a whole web process: each may fill webapp.readers.sandbox.MEMORY
POLL = 0.25  # seconds between two questions whether it should go on

_children = threading.BoundedSemaphore(CHILDREN)


class Exhausted(Exception):
    """More was needed than may be spent. str() is a sentence."""


class Abandoned(Exhausted):
    """Nobody waits for it any more."""


@dataclass
class Look:
    """One upload that is looked into. stopped: whether nobody waits for it any more."""

    seconds: float
    stopped: Callable[[], bool] = lambda: False
    until: float = field(init=False)
    bytes: int = field(init=False)  # that may still be read

    def __post_init__(self) -> None:
        self.until, self.bytes = time.monotonic() + self.seconds, BYTES

    def check(self) -> None:
        if self.stopped():
            raise Abandoned("Nobody waits any more for what these files seem to be.")
        if time.monotonic() > self.until:
            raise Exhausted(f"Looking into these files took longer than {self.seconds:.0f} seconds.")
        if self.bytes < 0:
            raise Exhausted(f"To look into these files more than {BYTES / 1e9:,.3g} GB had to be read or unpacked.")


_current: ContextVar[Look | None] = ContextVar("look", default=None)


@contextmanager
def within(seconds: float, stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Bounds what is done in here, in this thread."""
    token = _current.set(Look(seconds, stopped))
    try:
        yield
    finally:
        _current.reset(token)


def now() -> bool:
    """Whether an upload is looked into."""
    return _current.get() is not None


def check() -> None:
    """Raises Exhausted where no more may be done."""
    if look := _current.get():
        look.check()


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
