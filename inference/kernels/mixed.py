"""Sums of the rows of two arenas, each times a number: a mean of states is made from these."""

import numpy as np
from numba import prange

from inference.jit import njit
from inference.kernels.gibbs import CHUNKS, cumulated, shares
from inference.kernels.rows import close


@njit(cache=True)
def _row(w, arena, scale, other, other_scale, least, out_topics, out_values, at):
    """Go through a word's two rows side by side, topics ascending, and write their sum from place `at` on; returns its end."""
    a, end = arena.start[w], arena.start[w] + arena.length[w]
    b, other_end = other.start[w], other.start[w] + other.length[w]
    while a < end or b < other_end:
        k, value = np.int32(0), 0.0
        if a < end and (b >= other_end or arena.topics[a] <= other.topics[b]):
            k, value = arena.topics[a], scale * arena.values[a]
            if b < other_end and other.topics[b] == k:
                value += other_scale * other.values[b]
                b += 1
            a += 1
        else:
            k, value = other.topics[b], other_scale * other.values[b]
            b += 1
        if value >= least:
            out_topics[at], out_values[at] = k, value
            at += 1
    return at


@njit(cache=True, parallel=True)
def rows(words, arena, scale, other, other_scale, least):
    """Rows of some words: (indptr int64[n + 1], topics int32, ascending in a row, values float32).

    words: int64[n]. arena, other: rows.Arena. An entry below `least` is left out.
    """
    n = len(words)
    room, sizes = cumulated(arena.length[words] + other.length[words]), np.empty(n, np.int64)
    topics, values = np.empty(room[n], np.int32), np.empty(room[n], np.float32)
    bounds = shares(room)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            sizes[i] = _row(words[i], arena, scale, other, other_scale, least, topics, values, room[i]) - room[i]
    return close(room, sizes, topics, values)
