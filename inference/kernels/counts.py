"""Whole numbers by word and topic in one dense table (gibbs.CountTable), which is changed in its
place. Their sums are exact in any order, so each thread and each process can add its own."""

import numpy as np
from numba import prange

from inference.kernels.changes import new_topic, old_topic, word_of
from inference.kernels.chunks import CHUNKS
from inference.kernels.gibbs import UNSEEN
from inference.kernels.special import add_in_order
from inference.runtime.jit import PRANGE, njit

_HALF = np.uint64(32)  # of the bits of a uint64
_LOWER_HALF = np.uint64(0xFFFFFFFF)
_SPREAD = np.uint64(0x9E3779B1)  # odd, near the golden ratio of 2^32 (Knuth's multiplicative hash)


@njit(cache=True, inline="always")
def _part(word, parts):
    """int64: which of so many parts a word, uint64, belongs to: multiplied by an odd number, its
    upper half is spread evenly."""
    mixed = (word * _SPREAD) & _LOWER_HALF
    return np.int64((mixed * np.uint64(parts)) >> _HALF)


@njit(cache=True, nogil=True)
def _recount_part(words, counts, draws, table, totals, part, parts):
    """`recount` of the words of one of so many parts. totals: int64[K]."""
    wide, narrow = table
    M = draws.shape[1]
    F = len(wide)
    t = 0
    for p in range(len(words)):
        w = np.int64(words[p])
        if parts > 1 and _part(np.uint64(w), parts) != part:
            t += counts[p]
            continue
        for _ in range(counts[p]):
            for r in range(M):
                k = draws[t, r]
                if k == UNSEEN:
                    continue
                totals[k] += 1
                if w < F:
                    wide[w, k] += 1
                else:
                    narrow[w - F, k] += 1
            t += 1


@njit(cache=True, parallel=PRANGE, nogil=True)
def recount(words, counts, draws, table, totals, threads):
    """Add the topics of all tokens of a bag of words. draws: uint16[tokens, M], UNSEEN for none.
    totals: float64[K], by topic. threads: how many there are: each goes through all pairs, and has
    words of its own."""
    added = np.zeros((threads, len(totals)), np.int64)
    for part in prange(threads):
        _recount_part(words, counts, draws, table, totals=added[part], part=part, parts=threads)
    add_in_order(added, totals)


@njit(cache=True, parallel=PRANGE, nogil=True)
def _share_out(changed, begins, ends, parts):
    """What gibbs.sample lists, each run in so many parts by words: (uint64, as long, int64[CHUNKS,
    parts + 1]: where each part begins in each run)."""
    sorted_changes = np.empty_like(changed)
    write_place = np.zeros((CHUNKS, parts + 1), np.int64)
    for chunk in prange(CHUNKS):
        chunk_places = write_place[chunk]
        for e in range(begins[chunk], ends[chunk]):
            chunk_places[_part(word_of(changed[e]), parts) + 1] += 1
        chunk_places[0] = begins[chunk]
        for part in range(parts):
            chunk_places[part + 1] += chunk_places[part]
        cursor = chunk_places.copy()
        for e in range(begins[chunk], ends[chunk]):
            part = _part(word_of(changed[e]), parts)
            sorted_changes[cursor[part]] = changed[e]
            cursor[part] += 1
    return sorted_changes, write_place


@njit(cache=True, nogil=True)
def _apply_run(changed, first, end, table, totals):
    """Apply the changes first … end - 1. totals: int64[K + 1], by topic.

    In between a count may be below 0 or above what its unsigned type holds, as what is taken away
    and what is added come in the order of documents: it wraps around, and back. It is a count
    again after all changes of its word, so nothing here may check it.
    """
    wide, narrow = table
    F = np.uint64(len(wide))
    for e in range(first, end):
        w = word_of(changed[e])
        new = new_topic(changed[e])
        old = old_topic(changed[e])
        seen = np.int64(old != np.uint64(UNSEEN))
        old = old if seen else new  # and nothing is taken from it
        totals[new] += 1
        totals[old] -= seen
        if w < F:
            wide[w, new] += 1
            wide[w, old] -= seen
        else:
            narrow[w - F, new] += 1
            narrow[w - F, old] -= seen


@njit(cache=True, parallel=PRANGE, nogil=True)
def apply(changed, begins, ends, table, totals, threads):
    """Let the table and totals, float64[K], follow what gibbs.sample lists. threads: how many there
    are, each of which has words of its own."""
    added = np.zeros((threads, len(totals)), np.int64)
    if threads == 1:
        for chunk in range(CHUNKS):
            _apply_run(changed, begins[chunk], ends[chunk], table, added[0])
    else:
        sorted_changes, write_place = _share_out(changed, begins, ends, threads)
        for part in prange(threads):
            for chunk in range(CHUNKS):
                _apply_run(
                    sorted_changes,
                    write_place[chunk, part],
                    write_place[chunk, part + 1],
                    table,
                    added[part],
                )
    add_in_order(added, totals)


@njit(cache=True, nogil=True)
def add(words, indptr, topics, changes, table, totals):
    """Add counts by word. words: int32[n]; indptr: int64[n + 1]; topics: uint16, changes: int32, of
    each word."""
    wide, narrow = table
    for i in range(len(words)):
        for e in range(indptr[i], indptr[i + 1]):
            totals[topics[e]] += changes[e]
            if words[i] < len(wide):
                wide[words[i], topics[e]] += changes[e]
            else:
                narrow[words[i] - len(wide), topics[e]] += changes[e]


@njit(cache=True, nogil=True)
def _entries(rows, row, topics, values, at):
    """Write what is not 0 of a row, from place `at` on, where there is room at all; returns the
    end."""
    for k in range(rows.shape[1]):
        if rows[row, k] != 0:
            if len(topics):
                topics[at] = k
                values[at] = rows[row, k]
            at += 1
    return at


@njit(cache=True, parallel=True)
def rows(table, values):
    """The table as sparse rows: (indptr int64[V + 1], topics int32, values). values: an array
    without entries, of the type that is wanted."""
    wide, narrow = table
    F = len(wide)
    V = len(wide) + len(narrow)
    topics = np.empty(0, np.int32)
    indptr = np.zeros(V + 1, np.int64)
    for w in prange(V):
        indptr[w + 1] = (
            _entries(wide, w, topics, values, 0)
            if w < F
            else _entries(narrow, w - F, topics, values, 0)
        )
    indptr = np.cumsum(indptr)
    topics = np.empty(indptr[V], np.int32)
    values = np.empty(indptr[V], values.dtype)
    if indptr[V]:
        for w in prange(V):
            if w < F:
                _entries(wide, w, topics, values, indptr[w])
            else:
                _entries(narrow, w - F, topics, values, indptr[w])
    return indptr, topics, values


@njit(cache=True, parallel=True)
def fill(arena, table):
    """Put sparse rows into a table of zeros."""
    start, length, row_topics, row_values = arena
    wide, narrow = table
    F = len(wide)
    for w in prange(len(start)):
        for j in range(start[w], start[w] + length[w]):
            if w < F:
                wide[w, row_topics[j]] = row_values[j]
            else:
                narrow[w - F, row_topics[j]] = row_values[j]
