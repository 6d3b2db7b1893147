"""Sums of the rows of two arenas, each times a number: a mean of states is made from these."""

import numpy as np
from numba import prange

from inference.jit import njit
from inference.kernels.gibbs import CHUNKS, shares


@njit(cache=True)
def _row(first, end, topics, values, scale, other, other_end, other_topics, other_values, other_scale, least, out_topics,
         out_values, at, write):  # fmt: skip
    """Go through two rows side by side, topics ascending. Returns the place behind the last entry; only where `write` is
    true anything is written."""
    while first < end or other < other_end:
        k, value = np.int32(0), 0.0
        if first < end and (other >= other_end or topics[first] <= other_topics[other]):
            k, value = topics[first], scale * values[first]
            if other < other_end and other_topics[other] == k:
                value += other_scale * other_values[other]
                other += 1
            first += 1
        else:
            k, value = other_topics[other], other_scale * other_values[other]
            other += 1
        if value >= least:
            if write:
                out_topics[at], out_values[at] = k, value
            at += 1
    return at


@njit(cache=True, parallel=True)
def rows(words, start, length, topics, values, scale, other_start, other_length, other_topics, other_values, other_scale, least):  # fmt: skip
    """Rows of some words: (indptr int64[n + 1], topics int32, ascending in a row, values float32).

    words: int64[n]. start, length: int64[V], each word's row in topics (int32) and values; the other_ ones likewise. An entry
    below `least` is left out.
    """
    n = len(words)
    sizes = np.zeros(n + 1, np.int64)
    for i in range(n):
        sizes[i + 1] = sizes[i] + length[words[i]] + other_length[words[i]] + 1
    bounds = shares(sizes)
    indptr = np.zeros(n + 1, np.int64)
    no_topics, no_values = np.empty(0, np.int32), np.empty(0, np.float32)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            a, b = start[words[i]], other_start[words[i]]
            indptr[i + 1] = _row(
                a, a + length[words[i]], topics, values, scale, b, b + other_length[words[i]], other_topics, other_values,
                other_scale, least, no_topics, no_values, np.int64(0), False,
            )  # fmt: skip
    for i in range(n):
        indptr[i + 1] += indptr[i]
    out_topics, out_values = np.empty(indptr[n], np.int32), np.empty(indptr[n], np.float32)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            a, b = start[words[i]], other_start[words[i]]
            _row(
                a, a + length[words[i]], topics, values, scale, b, b + other_length[words[i]], other_topics, other_values,
                other_scale, least, out_topics, out_values, indptr[i], True,
            )  # fmt: skip
    return indptr, out_topics, out_values
