"""Working ahead changes nothing but the time."""

import threading

import pytest

from webapp.intake.ingest.read_files import prefetched


def test_all_items_in_their_order():
    with prefetched(iter(range(100))) as first, prefetched(map(str, first)) as second:
        assert list(second) == [str(n) for n in range(100)]
        assert list(second) == []


def test_the_next_item_is_made_while_one_is_used():
    made = threading.Semaphore(0)

    def counted():
        for n in range(3):
            made.release()
            yield n

    with prefetched(counted()) as items:
        for n in range(2):
            assert next(items) == n
            assert made.acquire(timeout=60)
        assert made.acquire(timeout=60)  # the third, which nobody has asked for


def test_what_it_raises_is_raised_here_after_what_came_before():
    def broken():
        yield 1
        raise ValueError("broken")

    with prefetched(broken()) as items:
        assert next(items) == 1
        with pytest.raises(ValueError, match="broken"):
            next(items)
        assert list(items) == []


def test_who_leaves_early_ends_it():
    ended = []

    def endless():
        try:
            while True:
                yield threading.current_thread().name
        finally:
            ended.append(threading.current_thread().name)

    with prefetched(endless()) as items:
        name = next(items)
    assert name.startswith("prefetch") and ended == [name]
    assert not [t for t in threading.enumerate() if t.name == name]
