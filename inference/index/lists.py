"""Lists of documents, int32, ascending, each once: what they have in common takes a pass over the
lists, not over all documents."""

from typing import NamedTuple

import numpy as np

from inference.runtime.arrays import frozen
from inference.runtime.jit import njit


class Matches(NamedTuple):
    """The documents of a list, or all others."""

    documents: np.ndarray
    others: bool = False


def intersection(a: Matches, b: Matches) -> Matches:
    """Documents that are in both."""
    if a.others and b.others:
        return Matches(_either(*_lists(a, b)), True)
    if a.others:
        a, b = b, a
    return Matches(_common(*_lists(a, b), b.others))


def either(a: Matches, b: Matches) -> Matches:
    """Documents that are in one of them: those that are not in neither."""
    return opposite(intersection(opposite(a), opposite(b)))


def opposite(a: Matches) -> Matches:
    return Matches(a.documents, not a.others)


def add(
    documents: np.ndarray, total: np.ndarray, some: np.ndarray, counts: np.ndarray, weight: float
) -> None:
    """Add `weight` for each count to the total, float32, of some of the documents. counts: uint16,
    of each of `some`."""
    _add(
        frozen(documents, np.int32),
        total,
        frozen(some, np.int32),
        frozen(counts, np.uint16),
        np.float32(weight),
    )


def _lists(a: Matches, b: Matches) -> tuple[np.ndarray, np.ndarray]:
    return frozen(a.documents, np.int32), frozen(b.documents, np.int32)


@njit(cache=True, nogil=True)
def _common(a, b, without):
    """Those of a that are in b, or that are not."""
    shared = np.empty(len(a), np.int32)
    n = 0
    j = 0
    for d in a:
        step = 1
        while j + step < len(b) and b[j + step] < d:  # the other list may be much longer
            step *= 2
        low = j + step // 2
        high = min(j + step, len(b))
        if step == 1:
            low = j
        while low < high:
            middle = (low + high) >> 1
            if b[middle] < d:
                low = middle + 1
            else:
                high = middle
        j = low
        if (j < len(b) and b[j] == d) != without:
            shared[n] = d
            n += 1
    return shared[:n].copy()


@njit(cache=True, nogil=True)
def _either(a, b):
    merged = np.empty(len(a) + len(b), np.int32)
    n = 0
    i = 0
    j = 0
    while i < len(a) or j < len(b):
        if j == len(b) or (i < len(a) and a[i] <= b[j]):
            j += j < len(b) and a[i] == b[j]
            merged[n] = a[i]
            i += 1
        else:
            merged[n] = b[j]
            j += 1
        n += 1
    return merged[:n].copy()


@njit(cache=True, nogil=True)
def _add(documents, total, some, counts, weight):
    i = 0
    for j in range(len(some)):
        while documents[i] < some[j]:
            i += 1
        total[i] += weight * np.float32(counts[j])
