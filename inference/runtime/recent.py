"""The results that were made last, for threads that share them."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


class RecentResults(Generic[Key, Result]):
    """Up to `limit` results by key; beyond that the one that was made first is forgotten."""

    def __init__(self, limit: int):
        self.limit = limit
        self._lock = threading.Lock()
        self._results: dict[Key, Result] = {}

    def get(self, key: Key, make: Callable[[], Result]) -> Result:
        """The result of a key, made where it is not there. Two threads may make it at once: neither
        waits for what the other one makes."""
        with self._lock:
            if key in self._results:
                return self._results[key]
        result = make()
        with self._lock:
            while len(self._results) >= self.limit:
                del self._results[next(iter(self._results))]
            self._results[key] = result
        return result
