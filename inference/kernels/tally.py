"""What a minibatch changes, as whole numbers by word and topic. Their sums are exact in any order,
so each process can count its own documents."""

import numpy as np
from numba import prange

from inference.kernels.changes import new_topic, old_topic, word_of
from inference.kernels.chunks import CHUNKS, chunk_bounds, cumulated
from inference.kernels.rows import close, mark, merge_row, noted, sort_first, tally_word
from inference.runtime.jit import njit

# A word with K / WALKED topics or more has all K walked through, which spares sorting its own
WALKED = 16
SAMPLED = 8  # of so many changes one is looked at to cut words into runs with about as many of them


@njit(cache=True)
def _emit(tally, known, fresh, m, topics, changes, at):
    """Write a word's tally, topics ascending, without what is 0, from place `at` on; returns its
    end. tally, known: as `tally_word` left them, become clear; fresh[:m]: what is known."""
    if m * WALKED >= len(tally):
        for k in range(len(tally)):
            if tally[k] != 0:
                topics[at] = k
                changes[at] = tally[k]
                at += 1
            tally[k] = 0
            known[k] = False
        return at
    sort_first(fresh, m)
    for f in range(m):
        k = fresh[f]
        if tally[k] != 0:
            topics[at] = k
            changes[at] = tally[k]
            at += 1
        tally[k] = 0
        known[k] = False
    return at


@njit(cache=True, parallel=True, nogil=True)
def count(word_ptr, pairs, tokens, token_ptr, new, old, K):
    """New samples minus old ones of each word: (indptr int64[n + 1], topics uint16, ascending,
    changes int32, none of them 0).

    word_ptr, pairs, tokens: of `rows.by_word`. new, old: uint16[N, M], old perhaps without columns.
    """
    n = len(tokens)
    row_starts = cumulated(np.minimum(K, tokens * (new.shape[1] + old.shape[1])))
    topics = np.empty(row_starts[n], np.uint16)
    changes = np.empty(row_starts[n], np.int32)
    sizes = np.empty(n, np.int64)
    bounds = chunk_bounds(word_ptr)
    for chunk in prange(CHUNKS):
        tally = np.zeros(K, np.int32)
        is_met = np.zeros(K, np.bool_)
        fresh = np.empty(K, np.int32)
        for i in range(bounds[chunk], bounds[chunk + 1]):
            m = tally_word(
                word_ptr[i], word_ptr[i + 1], pairs, token_ptr, new, old, tally, is_met, fresh
            )
            sizes[i] = (
                _emit(tally, is_met, fresh, m, topics, changes, row_starts[i]) - row_starts[i]
            )
    return close(row_starts, sizes, topics, changes)


@njit(cache=True, parallel=True, nogil=True)
def _by_run(changed, begins, ends_of, n):
    """What gibbs.sample lists, by CHUNKS runs of the n words: (words int64[CHUNKS + 1], starts
    int64[CHUNKS + 1], changes by run, uint64). Run r has the words from words[r] to before words[r
    + 1], and the changes from starts[r] on."""
    ends = np.zeros(n + 1, np.int64)
    for chunk in range(CHUNKS):
        for e in range(begins[chunk], ends_of[chunk], SAMPLED):
            ends[word_of(changed[e]) + np.uint64(1)] += 1
    words = chunk_bounds(np.cumsum(ends))
    run_of = np.empty(n, np.uint8)
    for run in range(CHUNKS):
        run_of[words[run] : words[run + 1]] = run
    cursor = np.zeros((CHUNKS, CHUNKS), np.int64)
    for chunk in prange(CHUNKS):
        for e in range(begins[chunk], ends_of[chunk]):
            cursor[chunk, run_of[word_of(changed[e])]] += 1
    starts = np.zeros(CHUNKS + 1, np.int64)
    total = np.int64(0)
    for run in range(CHUNKS):
        for chunk in range(CHUNKS):
            number = cursor[chunk, run]
            cursor[chunk, run] = total
            total += number
        starts[run + 1] = total
    sorted_keys = np.empty(total, np.uint64)
    for chunk in prange(CHUNKS):
        for e in range(begins[chunk], ends_of[chunk]):
            run = run_of[word_of(changed[e])]
            sorted_keys[cursor[chunk, run]] = changed[e]
            cursor[chunk, run] += 1
    return words, starts, sorted_keys


@njit(cache=True)
def _by_word(first, n, changed, out):
    """Changes of the words first ... first + n - 1, sorted by word into `out`: their ends, int64[n
    + 1]."""
    ends = np.zeros(n + 2, np.int64)
    base = np.uint64(first)
    for e in range(len(changed)):
        ends[word_of(changed[e]) - base + np.uint64(2)] += 1
    for i in range(n):
        ends[i + 2] += ends[i + 1]
    for e in range(len(changed)):
        i = word_of(changed[e]) - base + np.uint64(1)
        out[ends[i]] = changed[e]
        ends[i] += 1
    return ends[: n + 1]


@njit(cache=True, parallel=True, nogil=True)
def changes(changed, begins, ends_of, n, K):
    """New samples minus old ones of each of n words, as `count` returns them. changed, begins,
    ends_of: of gibbs.sample."""
    words, starts, changed = _by_run(changed, begins, ends_of, n)
    topics = np.empty(2 * len(changed), np.uint16)
    counts = np.empty(2 * len(changed), np.int32)
    row_starts = np.zeros(n + 1, np.int64)
    sizes = np.zeros(n, np.int64)
    for run in prange(CHUNKS):
        tally = np.zeros(K + 1, np.int32)
        is_met = np.zeros(K + 1, np.bool_)
        touched = np.empty(K + 2, np.int32)
        is_met[K] = True  # in place of UNSEEN
        changes_of_run = changed[starts[run] : starts[run + 1]]
        at = 2 * starts[run]
        keys_of_run = np.empty(len(changes_of_run), np.uint64)
        ends = _by_word(words[run], words[run + 1] - words[run], changes_of_run, keys_of_run)
        for i in range(words[run], words[run + 1]):
            m = np.uint64(0)
            for e in range(ends[i - words[run]], ends[i - words[run] + 1]):
                k = min(np.uint32(new_topic(keys_of_run[e])), np.uint32(K))
                touched[m] = k
                m += np.uint64(not is_met[k])
                is_met[k] = True
                tally[k] += 1
                k = min(np.uint32(old_topic(keys_of_run[e])), np.uint32(K))
                touched[m] = k
                m += np.uint64(not is_met[k])
                is_met[k] = True
                tally[k] -= 1
            row_starts[i] = at
            at = _emit(tally[:K], is_met[:K], touched, np.int64(m), topics, counts, at)
            sizes[i] = at - row_starts[i]
    return close(row_starts, sizes, topics, counts)


@njit(cache=True)
def _add_up(p, stop, first, end, topics, changes, tally, known, fresh):
    """Add the pieces p ... stop - 1 to a word's tally: as `tally_word`, with what is known there.
    Returns how many topics were not."""
    m = 0
    for part_number in range(p, stop):
        for e in range(first[part_number], end[part_number]):
            k = np.uint32(topics[e])
            m = noted(k, known, fresh, m)
            tally[k] += changes[e]
    return m


@njit(cache=True, parallel=True, nogil=True)
def add_up(pieces, first, end, p_topics, p_changes, K):
    """Sums of counts by word: as `count` returns them. pieces: int64[n + 1], of each word in first
    and end, int64, which say where in p_topics (uint16) and p_changes (int32) its counts by some
    process stand."""
    n = len(pieces) - 1
    row_starts = cumulated(np.minimum(K, np.diff(cumulated(end - first)[pieces])))
    topics = np.empty(row_starts[n], np.uint16)
    changes = np.empty(row_starts[n], np.int32)
    sizes = np.empty(n, np.int64)
    bounds = chunk_bounds(row_starts)
    for chunk in prange(CHUNKS):
        tally = np.zeros(K, np.int32)
        is_met = np.zeros(K, np.bool_)
        fresh = np.empty(K, np.int32)
        for i in range(bounds[chunk], bounds[chunk + 1]):
            m = _add_up(
                pieces[i], pieces[i + 1], first, end, p_topics, p_changes, tally, is_met, fresh
            )
            sizes[i] = (
                _emit(tally, is_met, fresh, m, topics, changes, row_starts[i]) - row_starts[i]
            )
    return close(row_starts, sizes, topics, changes)


@njit(cache=True, parallel=True, nogil=True)
def merge(
    bounds, words, indptr, pieces, first, end, p_topics, p_changes, unit, drop_below, K, arena
):
    """`rows.merge` from counts: (sizes int64[n], topics int32, values as in the arena, added
    float64[runs, K], what the rows of each run of words have more than before). Changes nothing.

    bounds: int64[runs + 1], from 0 to n. indptr: int64[n + 1], room for the rows. pieces, first,
    end, p_topics, p_changes: as for `add_up`.
    """
    n = len(words)
    runs = len(bounds) - 1
    topics = np.empty(indptr[n], np.int32)
    values = np.empty(indptr[n], arena.values.dtype)
    sizes = np.empty(n, np.int64)
    added = np.zeros((runs, K))
    for run in prange(runs):
        tally = np.zeros(K, np.int32)
        is_met = np.zeros(K, np.bool_)
        fresh = np.empty(K, np.int32)
        for i in range(bounds[run], bounds[run + 1]):
            mark(arena, words[i], is_met)
            m = _add_up(
                pieces[i], pieces[i + 1], first, end, p_topics, p_changes, tally, is_met, fresh
            )
            sizes[i] = merge_row(
                arena,
                words[i],
                tally,
                is_met,
                fresh,
                m,
                unit,
                drop_below,
                topics,
                values,
                indptr[i],
                added[run],
            )
    return sizes, topics, values, added
