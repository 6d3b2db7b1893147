"""Sparse rows by word to which weighted topics are added: `rows.merge` for floats instead of draws."""

import numpy as np
from numba import prange

from inference.jit import njit
from inference.kernels.gibbs import CHUNKS, cumulated, shares
from inference.kernels.rows import mark, merge_row, noted
from inference.kernels.special import add_in_order

LEAST = 5e-324  # the smallest number above 0: what is not above 0 is dropped whatever the limit


@njit(cache=True, parallel=True)
def blend(words, word_ptr, pairs, counts, new_topics, new, old_topics, old, unit, drop_below, arena, totals):
    """Rows of some words with counts times `new` added and counts times `old` taken away: (indptr int64[n + 1], sizes
    int64[n], topics int32, values float64); row i is the sizes[i] entries from indptr[i] on. Changes totals, not the
    arena.

    words: int64[n], distinct. word_ptr, pairs: of `rows.by_word`. counts: float64[P]. new_topics: uint16[P, L] and new:
    float64[P, L], old ones likewise, without rows where nothing is taken away. unit: that all of them are times. An entry
    below `drop_below` is dropped. A word's pairs are summed in their order, so a sum does not depend on threads; whole
    numbers are exact up to 2^53. What is taken away must have been added before. Time grows with L, not with K.
    """
    n, L, K = len(words), new.shape[1], len(totals)
    drop_below = max(drop_below, LEAST)
    indptr = cumulated(np.minimum(K, arena.length[words] + np.diff(word_ptr) * L))
    topics, values, sizes = np.empty(indptr[n], np.int32), np.empty(indptr[n]), np.empty(n, np.int64)
    added = np.zeros((CHUNKS, K))
    bounds = shares(indptr)
    for chunk in prange(CHUNKS):
        tally, known, fresh = np.zeros(K), np.zeros(K, np.bool_), np.empty(K, np.int32)
        for i in range(bounds[chunk], bounds[chunk + 1]):
            mark(arena, words[i], known)
            m = 0
            for q in range(word_ptr[i], word_ptr[i + 1]):
                p = pairs[q]
                for s in range(L):
                    if new[p, s] > 0.0:
                        k = new_topics[p, s]
                        m = noted(k, known, fresh, m)
                        tally[k] += counts[p] * new[p, s]
                if len(old):
                    for s in range(L):
                        tally[old_topics[p, s]] -= counts[p] * old[p, s]
            at = merge_row(
                arena, words[i], tally, known, fresh, m, unit, drop_below, topics, values, indptr[i], added[chunk]
            )
            sizes[i] = at - indptr[i]
    add_in_order(added, totals)
    return indptr, sizes, topics, values
