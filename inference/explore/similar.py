"""Documents with the most similar mixtures of topics, found by comparing with every one."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from inference.explore import documents

STEPS = 2.0**20  # to which affinities are rounded: sums in single precision would order equal mixtures by chance
SMALL = 200_000  # documents that one thread compares at once: a few milliseconds


def nearest(
    doc_ptr: np.ndarray, doc_topics: np.ndarray, doc_tokens: np.ndarray, lengths: np.ndarray, mixture: np.ndarray, n: int, leave_out: int = -1
) -> tuple[np.ndarray, np.ndarray]:
    """The n documents nearest to a mixture, nearest first, of equals the lower number: (int64[m], Hellinger distances float64[m]).

    H(p, q) = sqrt(1 - sum_k sqrt(p_k q_k)): 0 for the same mixture, 1 where no topic is in both. Documents that share no topic,
    and the one with the number `leave_out`, are not among them, so m may be less than n.
    mixture: float64[K], sums to 1. The other arrays as in explore.cooccurrence.
    Threads of Python's own: kernels may be called by several requests at once, and a compiled parallel loop may not.
    """
    arrays = documents.arrays(doc_ptr, doc_topics, doc_tokens, lengths)
    root = np.sqrt(np.asarray(mixture, np.float64)).astype(np.float32)
    D = len(arrays[3])
    cuts = np.linspace(0, D, (os.cpu_count() or 1) + 1).astype(np.int64) if D > SMALL else np.array([0, D])
    if len(cuts) == 2:
        parts = [_nearest(0, D, *arrays, root, n, leave_out)]
    else:
        with ThreadPoolExecutor(len(cuts) - 1) as pool:
            parts = list(pool.map(lambda a, b: _nearest(a, b, *arrays, root, n, leave_out), cuts[:-1], cuts[1:]))
    number, affinity = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    order = np.lexsort((number, -affinity))[:n]
    return number[order], np.sqrt(np.maximum(0.0, 1.0 - affinity[order]))


@njit(cache=True, nogil=True)
def _nearest(first, end, doc_ptr, doc_topics, doc_tokens, lengths, root, n, leave_out):
    """Of the documents first … end - 1: (numbers int64[m], sum_k sqrt(p_k q_k) float64[m]), in the order of their numbers' ranks."""
    numbers, best = np.full(n, -1, np.int64), np.zeros(n)
    found = 0
    for d in range(first, end):
        total = np.float32(0.0)
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            weight = root[doc_topics[j]]
            if weight > 0.0:
                total += weight * np.sqrt(np.float32(doc_tokens[j]))
        if total == 0.0 or d == leave_out:
            continue
        affinity = np.rint(total / np.sqrt(np.float64(lengths[d])) * STEPS) / STEPS
        if found == n and affinity <= best[n - 1]:
            continue
        i = min(found, n - 1)
        while i > 0 and best[i - 1] < affinity:
            best[i], numbers[i] = best[i - 1], numbers[i - 1]
            i -= 1
        best[i], numbers[i] = affinity, d
        found = min(found + 1, n)
    return numbers[:found], best[:found]
