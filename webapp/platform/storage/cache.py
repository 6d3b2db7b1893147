"""Caches of a web process: what it computed, until something newer takes its place."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import is_dataclass
from functools import lru_cache
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


ENTRY = 1_000  # bytes that the key of a value and the objects around it take, about
NUMBER = 32  # bytes of a number, or of a reference to what is kept anyway


def weight(value: object) -> int:
    """Bytes that a value takes, about: of its arrays, texts and numbers, and ENTRY. So the smallest
    values are bounded, too: there may be one for every question that is asked."""
    return ENTRY + nbytes(value) + _objects(value)


def _objects(value: object) -> int:
    """What nbytes leaves out."""
    if isinstance(value, (str, bytes)):
        return len(value)
    if isinstance(value, dict):
        return sum(_objects(key) + _objects(item) for key, item in value.items())
    if isinstance(value, (tuple, list)):
        return sum(map(_objects, value))
    if is_dataclass(value) and not isinstance(value, type):
        return nbytes(list(vars(value).values())) + _objects(vars(value))
    return NUMBER


class BoundedCache:
    """A cache whose values together weigh at most `capacity`; the least recently used one makes
    room. Safe for threads.

    weigh: the weight of a value, above 0 for every value; by default about the bytes that it takes.
    """

    def __init__(self, capacity: int, weigh: Callable[[Any], int] = weight):
        self.capacity = capacity
        self._weigh = weigh
        self._weight = 0
        self._values: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = Lock()
        _clear.append(self.clear)

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._weight = 0

    def get(self, key: Hashable):
        """The value, or None where there is none."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        return None

    def set(self, key: Hashable, value: object) -> None:
        with self._lock:
            if key in self._values:
                self._weight -= self._weigh(self._values.pop(key))
            self._values[key] = value
            self._weight += self._weigh(value)
            while self._weight > self.capacity:
                self._weight -= self._weigh(self._values.popitem(last=False)[1])

    def get_or_set(self, key: Hashable, make: Callable[[], object]):
        """The value; where there is none, what `make` returns, which is kept unless it is None. Two
        threads may make the same value at once: none waits for another."""
        value = self.get(key)
        if value is None and (value := make()) is not None:
            self.set(key, value)
        return value


# Everything that has a number for each document of a corpus, whatever page made it: what does not
# fit is made again. Ten million documents in groups take 40 MB, a set of them 10.
of_documents = BoundedCache(64 << 20)
