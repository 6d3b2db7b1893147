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
    """Results that weigh `most` together, by default as many; the one that was asked for longest ago makes room."""

    def __init__(self, most: int, weigh: Callable[[object], int] = lambda value: 1):
        self.most, self._weigh, self._weight = most, weigh, 0
        self._found: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = Lock()
        _forget.append(self.clear)

    def clear(self) -> None:
        with self._lock:
            self._found.clear()
            self._weight = 0

    def get(self, key: Hashable):
        """None where there is none."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        return None

    def keep(self, key: Hashable, value: object) -> None:
        with self._lock:
            if key in self._found:
                self._weight -= self._weigh(self._found.pop(key))
            self._found[key] = value
            self._weight += self._weigh(value)
            while self._weight > self.most:
                self._weight -= self._weigh(self._found.popitem(last=False)[1])

    def of(self, key: Hashable, make: Callable[[], object]):
        value = self.get(key)
        if value is None:
            value = make()  # outside the lock: another page need not wait
            self.keep(key, value)
        return value
