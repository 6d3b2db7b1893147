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


def intersection(first: Matches, second: Matches) -> Matches:
    """Documents that are in both."""
    if first.others and second.others:
        return Matches(_either(*_lists(first, second)), True)
    if first.others:
        first, second = second, first
    return Matches(_common(*_lists(first, second), second.others))


def either(first: Matches, second: Matches) -> Matches:
    """Documents that are in one of them: those that are not in neither."""
    return opposite(intersection(opposite(first), opposite(second)))


def opposite(matches: Matches) -> Matches:
    """The documents that do not match."""
    return Matches(matches.documents, not matches.others)


def add(
    documents: np.ndarray,
    total: np.ndarray,
    matching: np.ndarray,
    counts: np.ndarray,
    weight: float,
) -> None:
    """Add `weight` for each count to the total, float32, of those of the documents that match.
    counts: of one of segments.COUNT_TYPES, of each of `matching`."""
    _add(
        frozen(documents, np.int32),
        total,
        frozen(matching, np.int32),
        frozen(counts, counts.dtype.type),
        np.float32(weight),
    )


def _lists(first: Matches, second: Matches) -> tuple[np.ndarray, np.ndarray]:
    return frozen(first.documents, np.int32), frozen(second.documents, np.int32)


@njit(cache=True, nogil=True)
def _common(first, second, without):
    """Those of first that are in second, or that are not."""
    shared = np.empty(len(first), np.int32)
    n = 0
    j = 0
    for d in first:
        step = 1
        while j + step < len(second) and second[j + step] < d:  # the other list may be much longer
            step *= 2
        low = j + step // 2
        high = min(j + step, len(second))
        if step == 1:
            low = j
        while low < high:
            middle = (low + high) >> 1
            if second[middle] < d:
                low = middle + 1
            else:
                high = middle
        j = low
        if (j < len(second) and second[j] == d) != without:
            shared[n] = d
            n += 1
    return shared[:n].copy()


@njit(cache=True, nogil=True)
def _either(first, second):
    """int32: numbers that are in one of two lists or in both, ascending. first, second: int32,
    ascending, each number once."""
    merged = np.empty(len(first) + len(second), np.int32)
    n = 0
    i = 0
    j = 0
    while i < len(first) or j < len(second):
        if j == len(second) or (i < len(first) and first[i] <= second[j]):
            j += j < len(second) and first[i] == second[j]
            merged[n] = first[i]
            i += 1
        else:
            merged[n] = second[j]
            j += 1
        n += 1
    return merged[:n].copy()


@njit(cache=True, nogil=True)
def _add(documents, total, matching, counts, weight):
    """Add what a word says of its documents to their total: float32[n], of documents: int32[n],
    ascending. matching: int32[m], ascending, some of these; counts: uint16[m] or uint32[m], times
    weight, float32, each."""
    i = 0
    for j in range(len(matching)):
        while documents[i] < matching[j]:
            i += 1
        total[i] += weight * np.float32(counts[j])
