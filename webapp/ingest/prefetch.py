"""An iterator that works ahead, in a thread of its own."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")
_END: Any = object()


@contextmanager
def prefetched(items: Iterator[T]) -> Iterator[Iterator[T]]:
    """The items of an iterator, each made while the one before it is used. What it raises is raised here.

    Leaving early waits for the item that is being made, and closes the iterator.
    """
    with ThreadPoolExecutor(1, "prefetch") as thread:

        def ahead() -> Iterator[T]:
            following = thread.submit(next, items, _END)
            while (item := following.result()) is not _END:
                following = thread.submit(next, items, _END)
                yield item

        try:
            yield ahead()
        finally:  # a generator ends in the thread that it began in
            thread.submit(getattr(items, "close", lambda: None)).result()
