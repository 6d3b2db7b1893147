"""Caches of a web process: what it computed, until something newer takes its place."""

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from itertools import count
from mmap import mmap
from threading import Lock
from typing import Any

import numpy as np

_clear: list[Callable[[], None]] = []  # one for each cache of this process


def cached(size: int):
    """functools.lru_cache of `size` results, which `clear_all` empties too."""

    def decorate(function):
        wrapped = lru_cache(size)(function)
        _clear.append(wrapped.cache_clear)
        return wrapped

    return decorate


def clear_all() -> None:
    """Empty every cache. After a deletion nothing of what was deleted may stay in memory, nor an
    open file keep its place on the disk."""
    for clear in _clear:
        clear()


def nbytes(value: object) -> int:
    """What the arrays of a value keep in memory, also of those in a tuple or a dict: a view keeps
    all of the array that it is a part of; mapped files take none."""
    if isinstance(value, np.ndarray):
        owner = value
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        return 0 if isinstance(owner.base, mmap) else owner.nbytes
    if isinstance(value, dict):
        return sum(map(nbytes, value.values()))
    return sum(map(nbytes, value)) if isinstance(value, (tuple, list)) else 0


# Bytes, about
ENTRY = 1_000  # of the key of a value and the objects around it
NUMBER = 32  # of a number, or of a reference to what is kept anyway
TEXT = 56  # of a text beside its letters
GROUP = 100  # of a list, a dict or a dataclass beside what it holds


def weight(value: object) -> int:
    """Bytes that a value takes, about: of its arrays, texts and numbers, and ENTRY. So the smallest
    values are bounded, too: there may be one for every question that is asked."""
    return ENTRY + nbytes(value) + _objects(value)


def _objects(value: object) -> int:
    """What nbytes leaves out."""
    if isinstance(value, (str, bytes)):
        return TEXT + len(value)
    if isinstance(value, dict):
        return GROUP + sum(_objects(key) + _objects(item) for key, item in value.items())
    if isinstance(value, (tuple, list)):
        return GROUP + sum(map(_objects, value))
    if is_dataclass(value) and not isinstance(value, type):
        return nbytes(list(vars(value).values())) + _objects(vars(value))
    return NUMBER


# Bytes that all caches of a process keep together. Each has a bound of its own, so that no page can
# take the room of all others; together these bounds are three times as much.
TOTAL = 192 << 20
bounded_caches: list["BoundedCache"] = []
_lock = Lock()  # of all caches, as one makes room in another
_uses = count()


@dataclass
class _Kept:
    """used: the number of its last use; larger is later."""

    value: object
    weight: int
    used: int


class BoundedCache:
    """A cache whose values together weigh at most `capacity`; the least recently used one makes
    room. Where all caches together weigh more than TOTAL, the least recently used value of all
    does. Safe for threads.

    weigh: the weight of a value, above 0 for every value; by default about the bytes that it takes.
    """

    def __init__(self, capacity: int, weigh: Callable[[Any], int] = weight):
        self.capacity = capacity
        self.held = 0  # what its values weigh together
        self._weigh = weigh
        self._values: OrderedDict[Hashable, _Kept] = OrderedDict()
        bounded_caches.append(self)
        _clear.append(self.clear)

    def clear(self) -> None:
        """Forget all values."""
        with _lock:
            self._values.clear()
            self.held = 0

    def get(self, key: Hashable):
        """The value, or None where there is none."""
        with _lock:
            entry = self._values.get(key)
            if entry is None:
                return None
            self._values.move_to_end(key)
            entry.used = next(_uses)
            return entry.value

    def set(self, key: Hashable, value: object) -> None:
        """Keep a value, and forget those that were used longest ago where it becomes too much."""
        weight_of_value = self._weigh(value)
        with _lock:
            before = self._values.pop(key, None)
            if before is not None:
                self.held -= before.weight
            self._values[key] = _Kept(value, weight_of_value, next(_uses))
            self.held += weight_of_value
            while self.held > self.capacity:
                self._drop_oldest()
            while sum(cache.held for cache in bounded_caches) > TOTAL:
                min(bounded_caches, key=BoundedCache._oldest_use)._drop_oldest()

    def get_or_set(self, key: Hashable, make: Callable[[], object]):
        """The value; where there is none, what `make` returns, which is kept unless it is None. Two
        threads may make the same value at once: none waits for another."""
        value = self.get(key)
        if value is None and (value := make()) is not None:
            self.set(key, value)
        return value

    def _oldest_use(self) -> float:
        """inf where it is empty."""
        return next(iter(self._values.values())).used if self._values else math.inf

    def _drop_oldest(self) -> None:
        _, entry = self._values.popitem(last=False)
        self.held -= entry.weight

    @property
    def number_of_values(self) -> int:
        """How many values it keeps."""
        return len(self._values)


# Everything that has a number for each document of a corpus, whatever page made it: what does not
# fit is made again. Ten million documents in groups take 40 MB, a set of them 10.
of_documents = BoundedCache(64 << 20)
