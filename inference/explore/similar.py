"""Documents with the most similar mixtures of topics, found by comparing with every one."""

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit

from inference.explore import documents
from inference.kernels import assign

STEPS = 2.0**20  # to which affinities are rounded: sums in single precision would order equal mixtures by chance
SMALL = 200_000  # documents that one thread compares at once: a few milliseconds


class ByTopic(NamedTuple):
    """The documents of each topic, ascending: those of topic k stand from ptr[k] to ptr[k + 1] - 1.

    ptr: int64[K + 1]. documents, tokens: int32[m]. Where it is in memory, only the topics of a mixture are looked at,
    of which a document has few: with 500 topics that is thirty times less.
    """

    ptr: np.ndarray
    documents: np.ndarray
    tokens: np.ndarray


def by_topic(doc_ptr: np.ndarray, doc_topics: np.ndarray, doc_tokens: np.ndarray, K: int) -> ByTopic:
    """8 bytes for each topic of each document."""
    arrays = documents.arrays(doc_ptr, doc_topics, doc_tokens, np.zeros(len(doc_ptr) - 1))
    of, tokens = np.empty(len(doc_topics), np.int32), np.empty(len(doc_topics), np.int32)
    return ByTopic(assign.by_topic(*arrays[:3], K, of, tokens), of, tokens)


def nearest(
    doc_ptr: np.ndarray, doc_topics: np.ndarray, doc_tokens: np.ndarray, lengths: np.ndarray, mixture: np.ndarray, n: int, leave_out: int = -1,
    of_topics: ByTopic | None = None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The n documents nearest to a mixture, nearest first, of equals the lower number: (int64[m], Hellinger distances
    float64[m]).

    H(p, q) = sqrt(1 - sum_k sqrt(p_k q_k)): 0 for the same mixture, 1 where no topic is in both. Documents that share
    no topic, and the one with the number `leave_out`, are not among them, so m may be less than n.
    mixture: float64[K], sums to 1. The other arrays as in explore.cooccurrence. of_topics: of the same documents;
    bitwise the same. Threads of Python's own: kernels may be called by several requests at once, and a compiled
    parallel loop may not.
    """
    arrays = documents.arrays(doc_ptr, doc_topics, doc_tokens, lengths)
    root = np.sqrt(np.asarray(mixture, np.float64)).astype(np.float32)
    D = len(arrays[3])
    cuts = np.linspace(0, D, (os.cpu_count() or 1) + 1).astype(np.int64) if D > SMALL else np.array([0, D])
    if of_topics is not None:
        parts = [_nearest_of(*of_topics, arrays[3], root, n, leave_out)]
    elif len(cuts) == 2:
        parts = [_nearest(0, D, *arrays, root, n, leave_out)]
    else:
        with ThreadPoolExecutor(len(cuts) - 1) as pool:
            parts = list(pool.map(lambda a, b: _nearest(a, b, *arrays, root, n, leave_out), cuts[:-1], cuts[1:]))
    number, affinity = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    order = np.lexsort((number, -affinity))[:n]
    return number[order], np.sqrt(np.maximum(0.0, 1.0 - affinity[order]))


@njit(cache=True, nogil=True)
def _nearest(first, end, doc_ptr, doc_topics, doc_tokens, lengths, root, n, leave_out):
    """Of the documents first … end - 1: (numbers int64[m], sum_k sqrt(p_k q_k) float64[m]), in the order of their
    numbers' ranks."""
    numbers, best = np.full(n, -1, np.int64), np.zeros(n)
    filled = 0
    for d in range(first, end):
        total = np.float32(0.0)
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            weight = root[doc_topics[j]]
            if weight > 0.0:
                total += weight * np.sqrt(np.float32(doc_tokens[j]))
        if total == 0.0 or d == leave_out:
            continue
        filled = _put(numbers, best, filled, d, total, lengths[d])
    return numbers[:filled], best[:filled]


@njit(cache=True, nogil=True)
def _nearest_of(ptr, documents, tokens, lengths, root, n, leave_out):
    """The same of all documents, each one's topics in the same order."""
    totals = np.zeros(len(lengths), np.float32)
    for k in range(len(root)):
        if root[k] > 0.0:
            for j in range(ptr[k], ptr[k + 1]):
                totals[documents[j]] += root[k] * np.sqrt(np.float32(tokens[j]))
    numbers, best = np.full(n, -1, np.int64), np.zeros(n)
    filled = 0
    for d in range(len(lengths)):
        if totals[d] > 0.0 and d != leave_out:
            filled = _put(numbers, best, filled, d, totals[d], lengths[d])
    return numbers[:filled], best[:filled]


@njit(cache=True, nogil=True)
def _put(numbers, best, filled, d, total, length):
    """A document among the best ones, if it is one; returns how many there are."""
    n = len(best)
    affinity = np.rint(total / np.sqrt(np.float64(length)) * STEPS) / STEPS
    if filled == n and affinity <= best[n - 1]:
        return filled
    i = min(filled, n - 1)
    while i > 0 and best[i - 1] < affinity:
        best[i], numbers[i] = best[i - 1], numbers[i - 1]
        i -= 1
    best[i], numbers[i] = affinity, d
    return min(filled + 1, n)
