"""lambda - eta as sparse rows, one for each word: topics ascending, in an arena that grows (SSI, Appendix A)."""

import numpy as np
from numba import njit, prange

from inference.kernels.gibbs import CHUNKS


@njit(cache=True)
def expand(documents, indptr, words, counts, slot, distinct):
    """A minibatch's tokens: (offsets int64[n + 1], places int32[N], number of distinct words).

    slot: int32[V], all -1, is filled with each word's place among the minibatch's distinct words, which go into
    `distinct` in the order of their first use.
    """
    offsets = np.zeros(len(documents) + 1, np.int64)
    for i in range(len(documents)):
        total = np.int64(0)
        for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
            total += counts[j]
        offsets[i + 1] = offsets[i] + total
    tokens = np.empty(offsets[-1], np.int32)
    n = 0
    for i in range(len(documents)):
        at = offsets[i]
        for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
            w = words[j]
            if slot[w] < 0:
                slot[w] = n
                distinct[n] = w
                n += 1
            for _ in range(counts[j]):
                tokens[at] = slot[w]
                at += 1
    return offsets, tokens, n


@njit(cache=True, inline="always")
def _sort(values, first, end):
    """Sort values[first:end]: by insertion where it is short, as nearly all are."""
    if end - first > 48:
        values[first:end].sort()
        return
    for i in range(first + 1, end):
        x = values[i]
        j = i - 1
        while j >= first and values[j] > x:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = x


@njit(cache=True, parallel=True)
def count(tokens, n_words, samples, K):
    """How often each (word, topic) pair was sampled: (indptr int64[n + 1], topics int32, counts int64), topics ascending.

    samples: int32[S, N]. Whole numbers, so their sum does not depend on any order.
    """
    S, N = samples.shape
    position = np.zeros(n_words + 1, np.int64)
    for i in range(N):
        position[tokens[i] + 1] += 1
    for w in range(n_words):
        position[w + 1] += position[w]
    by_word = np.empty(N, np.int64)
    cursor = position[:-1].copy()
    for i in range(N):
        by_word[cursor[tokens[i]]] = i
        cursor[tokens[i]] += 1
    found_topics = np.empty(N * S, np.int32)
    found_counts = np.empty(N * S, np.int64)
    found = np.zeros(n_words + 1, np.int64)
    for chunk in prange(CHUNKS):
        tally = np.zeros(K, np.int64)
        for w in range(chunk * n_words // CHUNKS, (chunk + 1) * n_words // CHUNKS):
            at = position[w] * S
            m = 0
            for i in range(position[w], position[w + 1]):
                for s in range(S):
                    k = samples[s, by_word[i]]
                    if tally[k] == 0:
                        found_topics[at + m] = k
                        m += 1
                    tally[k] += 1
            _sort(found_topics, at, at + m)
            for j in range(m):
                found_counts[at + j] = tally[found_topics[at + j]]
                tally[found_topics[at + j]] = 0
            found[w + 1] = m
    for w in range(n_words):
        found[w + 1] += found[w]
    topics = np.empty(found[n_words], np.int32)
    counts = np.empty(found[n_words], np.int64)
    for w in range(n_words):  # not by slices: numba would make a parallel region of each
        at = position[w] * S - found[w]
        for j in range(found[w], found[w + 1]):
            topics[j], counts[j] = found_topics[at + j], found_counts[at + j]
    return found, topics, counts


@njit(cache=True)
def room_needed(words, n, indptr, length, capacity):
    """Arena entries that `add` will take at most: rows that outgrow their room move to its end, with room to double."""
    total = np.int64(0)
    for i in range(n):
        size = length[words[i]] + indptr[i + 1] - indptr[i]
        if size > capacity[words[i]]:
            total += 2 * size
    return total


@njit(cache=True)
def add(words, n, indptr, topics, counts, factor, drop_below, K, start, length, capacity, arena_topics, arena_values, used, totals):
    """Add factor * counts to the rows of a minibatch's words, and to the totals; returns the arena's new end.

    An entry that decayed below `drop_below`, in the arena's scale, is dropped when its row is merged.
    """
    merged_topics = np.empty(K, np.int32)
    merged_values = np.empty(K, np.float32)
    for i in range(n):
        w = words[i]
        a, a_end = start[w], start[w] + length[w]
        b, b_end = indptr[i], indptr[i + 1]
        m = 0
        while a < a_end or b < b_end:
            if b == b_end or (a < a_end and arena_topics[a] < topics[b]):
                k, value = arena_topics[a], arena_values[a]
                a += 1
                if value < drop_below:
                    totals[k] -= value
                    continue
            else:
                k = topics[b]
                value = np.float32(factor * counts[b])
                totals[k] += value
                if a < a_end and arena_topics[a] == k:
                    value = np.float32(value + arena_values[a])
                    a += 1
                b += 1
            merged_topics[m], merged_values[m] = k, value
            m += 1
        if m > capacity[w]:
            start[w] = used
            capacity[w] = 2 * m
            used += 2 * m
        length[w] = m
        at = start[w]
        arena_topics[at : at + m] = merged_topics[:m]
        arena_values[at : at + m] = merged_values[:m]
    return used


@njit(cache=True)
def compact(start, length, capacity, arena_topics, arena_values, scale, drop_below, totals, new_topics, new_values):
    """Rewrite all rows behind one another into new arrays, times `scale`, without entries below `drop_below` after it.

    Resets pi (Appendix A): the totals are summed anew, so that their rounding errors do not live on. Returns the end.
    """
    totals[:] = 0.0
    at = np.int64(0)
    for w in range(len(start)):
        first = at
        for j in range(start[w], start[w] + length[w]):
            value = np.float32(scale * arena_values[j])
            if value >= drop_below:
                new_topics[at] = arena_topics[j]
                new_values[at] = value
                totals[arena_topics[j]] += value
                at += 1
        start[w] = first
        length[w] = at - first
        capacity[w] = at - first
    return at


@njit(cache=True)
def transpose(start, length, arena_topics, arena_values, scale, at_least, K):
    """The rows by topic: (indptr int64[K + 1], words int32, values float64), of values of at least `at_least`."""
    sizes = np.zeros(K + 1, np.int64)
    for w in range(len(start)):
        for j in range(start[w], start[w] + length[w]):
            if scale * arena_values[j] >= at_least:
                sizes[arena_topics[j] + 1] += 1
    indptr = np.cumsum(sizes)
    words = np.empty(indptr[K], np.int32)
    values = np.empty(indptr[K])
    cursor = indptr[:-1].copy()
    for w in range(len(start)):
        for j in range(start[w], start[w] + length[w]):
            value = scale * arena_values[j]
            if value >= at_least:
                k = arena_topics[j]
                words[cursor[k]], values[cursor[k]] = w, value
                cursor[k] += 1
    return indptr, words, values


@njit(cache=True, parallel=True)
def sort_rows(indptr, words, values):
    """Sort each row by value, largest first, then by word; in place."""
    for k in prange(len(indptr) - 1):
        a, b = indptr[k], indptr[k + 1]
        # words ascend, and mergesort is stable: equal values stay in the order of their words
        order = np.argsort(-values[a:b], kind="mergesort")
        words[a:b] = words[a:b][order]
        values[a:b] = values[a:b][order]


@njit(cache=True, parallel=True)
def mixtures(indptr, samples, alpha, K, floor):
    """theta of each document of a block: (indptr int64[n + 1], topics int32, weights float32), largest first.

    theta[d, k] = (alpha + mean N_dk) / (K alpha + N_d), listed where N_dk > 0 in some sample and it is at least `floor`.
    """
    S = len(samples)
    n = len(indptr) - 1
    found_topics = np.empty(S * len(samples[0]), np.int32)
    found_weights = np.empty(S * len(samples[0]), np.float32)
    sizes = np.zeros(n + 1, np.int64)
    for chunk in prange(CHUNKS):
        tally = np.zeros(K, np.int64)
        touched = np.empty(K, np.int32)
        for d in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            a, b = indptr[d], indptr[d + 1]
            m = 0
            for s in range(S):
                for i in range(a, b):
                    k = samples[s, i]
                    if tally[k] == 0:
                        touched[m] = k
                        m += 1
                    tally[k] += 1
            ks = np.sort(touched[:m])
            weights = np.empty(m)
            for j in range(m):
                weights[j] = (alpha + tally[ks[j]] / S) / (K * alpha + (b - a))
                tally[ks[j]] = 0
            order = np.argsort(-weights, kind="mergesort")
            size = 0
            for j in order:
                if weights[j] >= floor:
                    found_topics[S * a + size] = ks[j]
                    found_weights[S * a + size] = weights[j]
                    size += 1
            sizes[d + 1] = size
    out = np.cumsum(sizes)
    topics = np.empty(out[n], np.int32)
    weights = np.empty(out[n], np.float32)
    for d in range(n):
        at = S * indptr[d] - out[d]
        for j in range(out[d], out[d + 1]):
            topics[j], weights[j] = found_topics[at + j], found_weights[at + j]
    return out, topics, weights


@njit(cache=True)
def topic_tokens(samples, K):
    """How many sampled tokens each topic has, over all sweeps: int64[K]."""
    out = np.zeros(K, np.int64)
    for s in range(len(samples)):
        for i in range(len(samples[0])):
            out[samples[s, i]] += 1
    return out
