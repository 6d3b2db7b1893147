"""What a minibatch changes as whole numbers by word and topic: sums of them are exact in any order, so processes can each
count their own documents."""

import numpy as np
from numba import njit, prange

from inference.kernels.rows import _sort, merge_row, tally_word


@njit(cache=True)
def count(word_ptr, pairs, token_ptr, new, old, K):
    """New samples minus old ones of each word: (indptr int64[n + 1], topics uint16, ascending, changes int32, none of
    them 0).

    word_ptr, pairs: of `rows.by_word`. new, old: uint16[N, M], old without columns where nothing is taken back.
    """
    n = len(word_ptr) - 1
    room = len(new) * (new.shape[1] + old.shape[1])
    indptr = np.zeros(n + 1, np.int64)
    topics, changes = np.empty(room, np.uint16), np.empty(room, np.int32)
    tally, known, fresh = np.zeros(K, np.int32), np.zeros(K, np.bool_), np.empty(K, np.int32)
    at = 0
    for i in range(n):
        m = tally_word(word_ptr[i], word_ptr[i + 1], pairs, token_ptr, new, old, tally, known, fresh)
        _sort(fresh, m)
        for f in range(m):
            k = fresh[f]
            if tally[k] != 0:
                topics[at], changes[at] = k, tally[k]
                at += 1
            tally[k] = 0
            known[k] = False
        indptr[i + 1] = at
    return indptr, topics[:at].copy(), changes[:at].copy()


@njit(cache=True, parallel=True)
def merge(bounds, words, indptr, pieces, first, end, p_topics, p_changes, unit, drop_below, K, start, length, arena_topics,
          arena_values):  # fmt: skip
    """`rows.merge` from counts: (sizes int64[n], topics int32, values as in the arena, added float64[runs, K], what the
    rows of each run of words have more than before). Changes nothing.

    bounds: int64[runs + 1], from 0 to n. indptr: int64[n + 1], room for the rows. pieces: int64[n + 1], of each word in
    first and end, int64, which say where in p_topics (uint16) and p_changes (int32) its counts by some process stand.
    """
    n, runs = len(words), len(bounds) - 1
    topics = np.empty(indptr[n], np.int32)
    values = np.empty(indptr[n], arena_values.dtype)
    sizes = np.empty(n, np.int64)
    added = np.zeros((runs, K))
    for run in prange(runs):
        tally, known, fresh = np.zeros(K, np.int32), np.zeros(K, np.bool_), np.empty(K, np.int32)
        for i in range(bounds[run], bounds[run + 1]):
            at, size = start[words[i]], length[words[i]]
            for j in range(at, at + size):
                known[np.uint32(arena_topics[j])] = True
            m = 0
            for p in range(pieces[i], pieces[i + 1]):
                for e in range(first[p], end[p]):
                    k = np.uint32(p_topics[e])
                    if not known[k]:
                        known[k] = True
                        fresh[m] = k
                        m += 1
                    tally[k] += p_changes[e]
            sizes[i] = merge_row(
                arena_topics, arena_values, at, size, tally, known, fresh, m, unit, drop_below, topics, values, indptr[i],
                added[run],
            ) - indptr[i]  # fmt: skip
    return sizes, topics, values, added
