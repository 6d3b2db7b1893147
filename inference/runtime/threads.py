"""Work that compiled code does in two threads: each thread waits for its own pages of a file,
too."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_two(work: Callable[..., T], *arguments: Iterable) -> list[T]:
    """The results of a function for each item, as `map` gives them, computed by two threads."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, *arguments))
