"""What processes that share a training say to each other, and what each of them is given
(contract.Divisible)."""

from collections.abc import Callable, Generator
from typing import NamedTuple

import numpy as np

from inference.bow import Bow

Message = tuple[np.ndarray, ...]  # what one process says to another
Exchange = Generator[list[Message], list[Message], None]


class Messages(list[Message]):
    """What a process sends to each, and work of its own to do while it waits for what the others
    send. The work is done once."""

    def __init__(self, messages: list[Message], work: Callable[[], None]):
        super().__init__(messages)
        self._work: Callable[[], None] | None = work

    def work(self) -> None:
        """Do the work, unless it is done."""
        work = self._work
        self._work = None
        if work:
            work()


def narrow_topics(topics: np.ndarray, K: int) -> np.ndarray:
    """uint8 or uint16: numbers of topics in the smallest type that holds K of them, as they
    travel."""
    return topics.astype(np.uint8 if K <= 256 else np.uint16)


class Site(NamedTuple):
    """One of several processes that share a training. Each has all topics, and remembers what its
    own documents gave.

    bow: of all documents. own: of its own, numbered from 0. bounds: int64[ranks + 1]: process r has
    the documents from bounds[r] to bounds[r + 1] - 1. rank: which this one is, from 0.
    """

    bow: Bow
    own: Bow
    bounds: np.ndarray
    rank: int

    @classmethod
    def of_rank(cls, bow: Bow, bounds: np.ndarray, rank: int) -> "Site":
        """The site of a process, with a bag of its own documents. bounds: int64[ranks + 1]."""
        return cls(bow, bow.part(bounds[rank], bounds[rank + 1]), bounds, rank)

    @classmethod
    def alone(cls, bow: Bow) -> "Site":
        """The only one: all documents are its own."""
        return cls(bow, bow, np.array([0, bow.D]), 0)

    @property
    def ranks(self) -> int:
        """How many processes share the training."""
        return len(self.bounds) - 1


def run_alone(exchange: Exchange) -> None:
    """Do all of an exchange by one process, which hears what it says itself."""
    messages = next(exchange, None)
    while messages is not None:
        try:
            messages = exchange.send(messages)
        except StopIteration:
            return
