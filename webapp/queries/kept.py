"""What a web process keeps of what it computed, until others take its place."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from threading import Lock

_forget: list[Callable[[], None]] = []


def remembered(most: int):
    """functools.lru_cache, for what `forget` forgets."""

    def decorate(function):
        cached = lru_cache(most)(function)
        _forget.append(cached.cache_clear)
        return cached

    return decorate


def forget() -> None:
    """Everything, when something is deleted: nothing of it stays in memory, and no file of it open, which would take its place on disk."""
    for clear in _forget:
        clear()


class Kept:
    """At most `most` results; the one that was asked for longest ago makes room."""

    def __init__(self, most: int):
        self.most = most
        self._found: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = Lock()
        _forget.append(self.clear)

    def clear(self) -> None:
        with self._lock:
            self._found.clear()

    def of(self, key: Hashable, make: Callable[[], object]):
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        found = make()  # outside the lock: another page need not wait
        with self._lock:
            self._found[key] = found
            while len(self._found) > self.most:
                self._found.popitem(last=False)
        return found
