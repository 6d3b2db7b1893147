"""An iterator that works ahead, in a thread of its own."""

import queue
import threading
from collections.abc import Iterator
from contextlib import suppress

_END = object()


class Prefetch(Iterator):
    """The items of an iterator, at most `most` of them made before they are asked for. What it raises is raised here.

    Use `with`: leaving early ends the thread, and the iterator in it, before its next item.
    """

    def __init__(self, items: Iterator, most: int = 1):
        self._items = items
        self._queue: queue.Queue[tuple[object, BaseException | None]] = queue.Queue(most)
        self._left, self._done = threading.Event(), False
        self._thread = threading.Thread(target=self._run, daemon=True, name="prefetch")

    def __enter__(self) -> "Prefetch":
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._left.set()
        while self._thread.is_alive():
            with suppress(queue.Empty):
                self._queue.get(timeout=0.05)  # it may wait for room

    def __next__(self):
        if self._done:
            raise StopIteration
        item, error = self._queue.get()
        if error is not None:
            self._done = True
            raise error
        if item is _END:
            self._done = True
            raise StopIteration
        return item

    def _run(self) -> None:
        try:
            for item in self._items:
                if not self._put(item, None):
                    break
            else:
                self._put(_END, None)
        except BaseException as error:
            self._put(None, error)
        finally:
            if hasattr(self._items, "close"):
                self._items.close()  # a generator ends in the thread that it began in

    def _put(self, item: object, error: BaseException | None) -> bool:
        """Whether it is still wanted."""
        if not self._left.is_set():
            self._queue.put((item, error))
        return not self._left.is_set()
