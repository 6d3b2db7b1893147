"""Working ahead changes nothing but the time."""

import threading

import pytest

from webapp.ingest.prefetch import Prefetch


def test_all_items_in_their_order():
    with Prefetch(iter(range(100))) as first, Prefetch(map(str, first), 3) as second:
        assert list(second) == [str(n) for n in range(100)]
        assert list(second) == []


def test_what_it_raises_is_raised_here_after_what_came_before():
    def broken():
        yield 1
        raise ValueError("broken")

    with Prefetch(broken()) as items:
        assert next(items) == 1
        with pytest.raises(ValueError, match="broken"):
            next(items)
        assert list(items) == []


def test_who_leaves_early_ends_it():
    ended = threading.Event()

    def endless():
        try:
            while True:
                yield threading.current_thread().name
        finally:
            ended.set()

    with Prefetch(endless()) as items:
        assert next(items) == "prefetch"
    assert ended.is_set() and not [t for t in threading.enumerate() if t.name == "ahead"]
