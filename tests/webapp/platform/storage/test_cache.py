"""What values of a cache weigh."""

from dataclasses import dataclass

import numpy as np
import pytest

from webapp.platform.storage import cache as caches
from webapp.platform.storage.cache import ENTRY, TEXT, BoundedCache, nbytes, weight


@pytest.fixture
def mapped(tmp_path):
    path = tmp_path / "numbers"
    np.arange(1000, dtype=np.int32).tofile(path)
    return np.memmap(path, np.int32, "r")


def test_arrays_weigh_what_they_keep_in_memory(mapped):
    array = np.zeros(1000, np.int32)
    assert nbytes(array) == 4000
    # A view keeps all of its array
    assert nbytes(array[:0]) == nbytes(array[3:5].reshape(2, 1)) == 4000
    assert nbytes((array, {"of": np.zeros(10)}, "text", None)) == 4080


def test_mapped_files_weigh_nothing_and_copies_of_them_do(mapped):
    assert nbytes(mapped) == nbytes(np.asarray(mapped)[10:]) == 0
    assert nbytes(mapped[mapped % 2 == 0]) == 2000  # np.memmap by type, and memory of its own


def test_what_weighs_too_much_is_not_kept():
    cache = BoundedCache(100, nbytes)
    cache.set("small", np.zeros(10))
    cache.set("view", np.zeros(1000)[:1])
    assert cache.get("view") is None


@dataclass(frozen=True)
class Answer:
    text: str
    shares: np.ndarray


def test_values_without_arrays_are_bounded_too():
    """There may be one for every question that anybody asks: thousands of empty answers."""
    cache = BoundedCache(100 * ENTRY)
    for question in range(10_000):
        cache.set(question, ([], "", None))
    assert sum(cache.get(question) is not None for question in range(10_000)) <= 100
    assert weight("x" * 5_000) == ENTRY + TEXT + 5_000
    assert weight(Answer("x" * 5_000, np.zeros(100))) >= ENTRY + 5_800
    assert weight({"a": [np.zeros(100), np.zeros(100)]}) >= ENTRY + 1_600


def test_all_caches_together_are_bounded(monkeypatch):
    """What was used last stays, in whichever cache it is."""
    monkeypatch.setattr(caches, "bounded_caches", [])
    monkeypatch.setattr(caches, "TOTAL", 100)
    first = BoundedCache(80, len)
    second = BoundedCache(80, len)
    first.set("old", b"x" * 30)
    first.set("used", b"x" * 30)
    second.set("a", b"x" * 30)
    first.get("used")
    second.set("b", b"x" * 30)
    assert first.get("old") is None
    assert first.get("used") and second.get("a") and second.get("b")
    second.set("c", b"x" * 70)  # its own bound, and then that of all
    assert second.get("a") is None and second.get("b") is None
    assert first.held + second.held <= 100
    assert second.get("c")
    second.set("too much", b"x" * 90)
    assert second.held == 0 and first.get("used")
