"""lambda - eta as sparse rows, one for each word: topics ascending, in an arena that grows (SSI,
Appendix A)."""

from typing import NamedTuple

import numpy as np
from numba import prange

from inference.kernels.chunks import CHUNKS, chunk_bounds, cumulated
from inference.kernels.gibbs import UNSEEN
from inference.kernels.special import add_in_order, digamma_rise, sum_in_order
from inference.runtime.jit import PRANGE, njit

# the smallest number above 0: of weights, what is not above 0 is dropped whatever the limit
SMALLEST_POSITIVE = 5e-324
INSERTION_SORTED = 48  # values that are sorted by insertion, at the most


class Arena(NamedTuple):
    """Rows by word: row w is the length[w] entries from start[w] on, int64[V], of topics (int32,
    ascending) and values (float32 or float64)."""

    start: np.ndarray
    length: np.ndarray
    topics: np.ndarray
    values: np.ndarray


@njit(cache=True, parallel=PRANGE, nogil=True)
def expand(documents, indptr, words, counts, first_token, slot, distinct):
    """A minibatch's (document, word) pairs and tokens: (doc_ptr int64[n + 1], places int32[P],
    token_ptr int64[P + 1], words).

    first_token: int64[D + 1], of all documents. slot: int32[V], all -1, is filled with each word's
    place among the minibatch's distinct words, which go into `distinct`, ascending; the last value
    returned is their number. Frequent words come first in a vocabulary, so what is used often is
    stored close together.
    """
    doc_ptr = cumulated(indptr[documents + 1] - indptr[documents])
    first = cumulated(first_token[documents + 1] - first_token[documents])
    bounds = chunk_bounds(doc_ptr)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
                if slot[words[j]] < 0:
                    slot[words[j]] = 0
    n = 0
    for w in range(len(slot)):
        if slot[w] == 0:
            slot[w] = n
            distinct[n] = w
            n += 1
    word_slots = np.empty(doc_ptr[-1], np.int32)
    token_ptr = np.empty(doc_ptr[-1] + 1, np.int64)
    token_ptr[0] = 0
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            p = doc_ptr[i]
            t = first[i]
            for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
                word_slots[p] = slot[words[j]]
                t += counts[j]
                token_ptr[p + 1] = t
                p += 1
    return doc_ptr, word_slots, token_ptr, n


@njit(cache=True, parallel=PRANGE)
def add_by_topic(parts, sums):
    """special.add_in_order, where there are many columns: each thread has some of them."""
    K = len(sums)
    for block in prange(CHUNKS):
        for part in range(len(parts)):
            for k in range(block * K // CHUNKS, (block + 1) * K // CHUNKS):
                sums[k] += parts[part, k]


@njit(cache=True, parallel=PRANGE)
def pairs_by_word(doc_ptr, places, n, values, threads):
    """All pairs of a minibatch, by word and then by document: (ends int64[n + 1], of each word,
    documents int32[P], values). Counting sort: each of so many threads has some of the documents;
    the order does not depend on their number. places: int32[P], of n words."""
    D = len(doc_ptr) - 1
    P = doc_ptr[-1]
    first = np.zeros(threads + 1, np.int64)
    for t in range(1, threads + 1):
        first[t] = np.searchsorted(doc_ptr, t * P // threads) if t < threads else D
    number = np.zeros((threads, n), np.int32)
    for t in prange(threads):
        pairs_of_words = number[t]
        for p in range(doc_ptr[first[t]], doc_ptr[first[t + 1]]):
            pairs_of_words[places[p]] += 1
    ends = np.zeros(n + 1, np.int64)
    sizes = np.zeros(threads + 1, np.int64)
    for block in prange(threads):  # words
        total = 0
        for t in range(threads):
            for w in range(block * n // threads, (block + 1) * n // threads):
                total += number[t, w]
        sizes[block + 1] = total
    for block in range(threads):
        sizes[block + 1] += sizes[block]
    for block in prange(threads):
        at = sizes[block]
        for w in range(block * n // threads, (block + 1) * n // threads):
            for t in range(threads):
                pair_count = number[t, w]
                number[t, w] = at
                at += pair_count
            ends[w + 1] = at
    doc_of = np.empty(P, np.int32)
    values_by_word = np.empty(P, values.dtype)
    for t in prange(threads):
        cursor = number[t]
        for i in range(first[t], first[t + 1]):
            for p in range(doc_ptr[i], doc_ptr[i + 1]):
                at = cursor[places[p]]
                doc_of[at] = i
                values_by_word[at] = values[p]
                cursor[places[p]] = at + 1
    return ends, doc_of, values_by_word


@njit(cache=True, parallel=PRANGE)
def recall(documents, first, memory, doc_ptr, token_ptr):
    """What is remembered of a minibatch's tokens: uint16[N, M], from memory, uint16[tokens, M].

    first: int64[D + 1], the place of each document's first token there. doc_ptr, token_ptr: of
    `expand`.
    """
    M = memory.shape[1]
    recalled = np.empty((token_ptr[-1], M), np.uint16)
    source = memory.reshape(-1)
    target = recalled.reshape(-1)
    for i in prange(len(documents)):
        a = token_ptr[doc_ptr[i]] * M
        b = token_ptr[doc_ptr[i + 1]] * M
        at = first[documents[i]] * M - a
        target[a:b] = source[at + a : at + b]
    return recalled


@njit(cache=True, parallel=PRANGE)
def remember(documents, first, memory, doc_ptr, token_ptr, samples):
    """Put a minibatch's samples into memory: the reverse of `recall`."""
    M = memory.shape[1]
    source = samples.reshape(-1)
    target = memory.reshape(-1)
    for i in prange(len(documents)):
        a = token_ptr[doc_ptr[i]] * M
        b = token_ptr[doc_ptr[i + 1]] * M
        at = first[documents[i]] * M - a
        target[at + a : at + b] = source[a:b]


@njit(cache=True, nogil=True)
def occurrences(words, counts, V):
    """How many pairs each word has, and how many tokens: int64[V] each. words, counts: of a bag of
    words."""
    pairs = np.zeros(V, np.int64)
    tokens = np.zeros(V, np.int64)
    for p in range(len(words)):
        pairs[words[p]] += 1
        tokens[words[p]] += counts[p]
    return pairs, tokens


@njit(cache=True, nogil=True)
def by_word(places, token_ptr, n):
    """The pairs of each of n words: (indptr int64[n + 1], pairs int32[P], ascending within a word,
    tokens int64[n])."""
    indptr = np.zeros(n + 1, np.int64)
    tokens = np.zeros(n, np.int64)
    for p in range(len(places)):
        indptr[places[p] + 1] += 1
        tokens[places[p]] += token_ptr[p + 1] - token_ptr[p]
    indptr = np.cumsum(indptr)
    pairs = np.empty(len(places), np.int32)
    cursor = indptr[:-1].copy()
    for p in range(len(places)):
        pairs[cursor[places[p]]] = p
        cursor[places[p]] += 1
    return indptr, pairs, tokens


@njit(cache=True, nogil=True)
def words_of(documents, indptr, words, V):
    """The distinct words of some documents, ascending, int64[n], and how many of the pairs each
    has, as ends: int64[n + 1].

    documents, indptr, words: as for `expand`.
    """
    pairs = np.zeros(V, np.int64)
    for i in range(len(documents)):
        for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
            pairs[words[j]] += 1
    distinct = np.flatnonzero(pairs)
    return distinct, cumulated(pairs[distinct])


@njit(cache=True, nogil=True)
def pairs_of(documents, indptr, words, wanted, ends, first, values):
    """The pairs of some documents that are of the wanted words, by word and then by document:
    (int32[P], the place of each one's document; its value).

    wanted, ends: a run of what `words_of` returns. values: of all pairs, those of document i from
    first[i] on.
    """
    doc_of = np.empty(ends[-1], np.int32)
    pair_values = np.empty(ends[-1], values.dtype)
    if not len(wanted):
        return doc_of, pair_values
    least = wanted[0]
    last_wanted = wanted[-1]
    cursor = np.zeros(last_wanted - least + 1, np.int64)
    for i in range(len(wanted)):
        cursor[wanted[i] - least] = ends[i]
    for i in range(len(documents)):
        a = indptr[documents[i]]
        b = indptr[documents[i] + 1]
        j = a + np.searchsorted(words[a:b], least)
        while j < b and words[j] <= last_wanted:
            at = cursor[words[j] - least]
            doc_of[at] = i
            pair_values[at] = values[first[i] + j - a]
            cursor[words[j] - least] = at + 1
            j += 1
    return doc_of, pair_values


@njit(cache=True, inline="always")
def sort_first(values, n):
    """Sort values[:n]: by insertion where it is short, as nearly all are."""
    if n > INSERTION_SORTED:
        values[:n].sort()
        return
    for i in range(1, n):
        x = values[i]
        j = i - 1
        while j >= 0 and values[j] > x:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = x


@njit(cache=True)
def merge_row(arena, w, tally, known, fresh, m, unit, drop_below, topics, values, at, added):
    """The row of the word w with `unit` times its tally added, written from place `at` on; returns
    how many entries it has.

    tally: int32[K] or float64[K], by topic; known: bool[K], of the row's topics and those in
    fresh[:m], which are new to it; both are cleared. topics, values: written. added: float64[K],
    grows by what the row has more than before.
    """
    sort_first(fresh, m)
    f = 0
    K = len(tally)
    begin = at
    first = arena.start[w]
    end = arena.start[w] + arena.length[w]
    for j in range(first, end + 1):
        k = arena.topics[j] if j < end else K
        while f < m and fresh[f] < k:
            value = unit * tally[fresh[f]]
            tally[fresh[f]] = 0
            known[fresh[f]] = False
            if value >= drop_below:
                topics[at] = fresh[f]
                values[at] = value
                added[fresh[f]] += value
                at += 1
            f += 1
        if k < K:
            value = arena.values[j] + unit * tally[k]
            tally[k] = 0
            known[k] = False
            added[k] -= arena.values[j]
            if value >= drop_below:
                topics[at] = k
                values[at] = value
                added[k] += value
                at += 1
    return at - begin


@njit(cache=True, inline="always")
def mark(arena, w, known):
    """Set the topics of a word's row in known: bool[K]."""
    for j in range(arena.start[w], arena.start[w] + arena.length[w]):
        known[np.uint32(arena.topics[j])] = True


@njit(cache=True, inline="always")
def noted(k, known, fresh, m):
    """m; one more where topic k was not known: then it is the m-th of fresh, and known."""
    if not known[k]:
        known[k] = True
        fresh[m] = k
        m += 1
    return m


@njit(cache=True)
def tally_word(first, end, pairs, token_ptr, new, old, tally, known, fresh):
    """Count a word's new samples, less its old ones, by topic, into tally: int32[K]. Returns how
    many topics were not known before; they are the first of fresh, and known now.

    first, end: the word's places in pairs, of `by_word`. new, old: uint16[N, M].
    """
    M = new.shape[1]
    M_old = old.shape[1]
    m = 0
    for q in range(first, end):
        for t in range(token_ptr[pairs[q]], token_ptr[pairs[q] + 1]):
            for s in range(M):
                k = np.uint32(new[t, s])
                if k == UNSEEN:
                    continue
                m = noted(k, known, fresh, m)
                tally[k] += 1
            for s in range(M_old):
                k = np.uint32(old[t, s])
                if k == UNSEEN:
                    continue
                m = noted(k, known, fresh, m)
                tally[k] -= 1
    return m


@njit(cache=True, parallel=True)
def merge(words, word_ptr, pairs, tokens, token_ptr, new, old, unit, drop_below, arena, totals):
    """A minibatch's rows with `unit` added for each of its new samples and taken away for each of
    its old: (indptr int64[n + 1], sizes int64[n], topics int32, values as in the arena); row i is
    the sizes[i] entries from indptr[i] on. Changes totals, not the arena.

    word_ptr, pairs, tokens: of `by_word`. new, old: uint16[N, M], old without columns where nothing
    is taken back. An entry below `drop_below` is dropped. Where unit is 1, all values are whole
    numbers, and exact up to 2^24 in float32, 2^53 in float64.
    """
    n = len(words)
    K = len(totals)
    indptr = cumulated(np.minimum(K, arena.length[words] + tokens * new.shape[1]))
    topics = np.empty(indptr[n], np.int32)
    values = np.empty(indptr[n], arena.values.dtype)
    sizes = np.empty(n, np.int64)
    added = np.zeros((CHUNKS, K))
    bounds = chunk_bounds(indptr)
    for chunk in prange(CHUNKS):
        # known: topics of the row, or new to it
        tally = np.zeros(K, np.int32)
        is_met = np.zeros(K, np.bool_)
        fresh = np.empty(K, np.int32)
        for i in range(bounds[chunk], bounds[chunk + 1]):
            mark(arena, words[i], is_met)
            m = tally_word(
                word_ptr[i], word_ptr[i + 1], pairs, token_ptr, new, old, tally, is_met, fresh
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
                added[chunk],
            )
    add_in_order(added, totals)
    return indptr, sizes, topics, values


@njit(cache=True, parallel=True)
def blend(
    words,
    word_ptr,
    pairs,
    counts,
    new_topics,
    new,
    old_topics,
    old,
    unit,
    drop_below,
    arena,
    totals,
):
    """Rows of some words with counts times `new` added and counts times `old` taken away: (indptr
    int64[n + 1], sizes int64[n], topics int32, values float64); row i is the sizes[i] entries from
    indptr[i] on. Changes totals, not the arena.

    words: int64[n], distinct. word_ptr, pairs: of `rows.by_word`. counts: float64[P]. new_topics:
    uint16[P, L] and new: float64[P, L], old ones likewise, without rows where nothing is taken
    away. unit: that all of them are times. An entry below `drop_below` is dropped. A word's pairs
    are summed in their order, so a sum does not depend on threads; whole numbers are exact up to
    2^53. What is taken away must have been added before. Time grows with L, not with K.
    """
    n = len(words)
    L = new.shape[1]
    K = len(totals)
    drop_below = max(drop_below, SMALLEST_POSITIVE)
    indptr = cumulated(np.minimum(K, arena.length[words] + np.diff(word_ptr) * L))
    topics = np.empty(indptr[n], np.int32)
    values = np.empty(indptr[n])
    sizes = np.empty(n, np.int64)
    added = np.zeros((CHUNKS, K))
    bounds = chunk_bounds(indptr)
    for chunk in prange(CHUNKS):
        tally = np.zeros(K)
        is_met = np.zeros(K, np.bool_)
        fresh = np.empty(K, np.int32)
        for i in range(bounds[chunk], bounds[chunk + 1]):
            mark(arena, words[i], is_met)
            m = 0
            for q in range(word_ptr[i], word_ptr[i + 1]):
                p = pairs[q]
                for s in range(L):
                    if new[p, s] > 0.0:
                        k = new_topics[p, s]
                        m = noted(k, is_met, fresh, m)
                        tally[k] += counts[p] * new[p, s]
                if len(old):
                    for s in range(L):
                        tally[old_topics[p, s]] -= counts[p] * old[p, s]
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
                added[chunk],
            )
    add_in_order(added, totals)
    return indptr, sizes, topics, values


@njit(cache=True, inline="always")
def room_of(size):
    """Entries that a row of this size is given when it moves: it may grow by half before it moves
    again."""
    return size + size // 2 + 2


@njit(cache=True)
def room_needed(words, sizes, capacity):
    """Arena entries that `put` will take: rows that outgrow their room move to its end."""
    total = np.int64(0)
    for i in range(len(words)):
        if sizes[i] > capacity[words[i]]:
            total += room_of(sizes[i])
    return total


@njit(cache=True, parallel=PRANGE, nogil=True)
def put(words, indptr, sizes, topics, values, arena, capacity, used):
    """Write the rows that `merge` made into the arena; returns its new end."""
    start, length, arena_topics, arena_values = arena
    for i in range(len(words)):
        w = words[i]
        if sizes[i] > capacity[w]:
            start[w] = used
            capacity[w] = room_of(sizes[i])
            used += capacity[w]
        length[w] = sizes[i]
    bounds = chunk_bounds(indptr)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            at = start[words[i]] - indptr[i]
            for j in range(indptr[i], indptr[i] + sizes[i]):
                arena_topics[at + j] = topics[j]
                arena_values[at + j] = values[j]
    return used


@njit(cache=True)
def better_eta(arena, scale, totals, eta):
    """A fixed-point step for the symmetric eta (Minka 2000, eq. 55): eta * sum_kw psi(eta + N_kw) -
    psi(eta), over V sum_k psi(V eta + N_k) - psi(V eta).

    N_kw = scale * value need not be whole: with two draws a token counts half in each topic, and
    counts that fade are any numbers.
    """
    V = len(arena.start)
    above = 0.0
    below = 0.0
    for w in range(V):
        for j in range(arena.start[w], arena.start[w] + arena.length[w]):
            above += digamma_rise(eta, scale * arena.values[j])
    for k in range(len(totals)):
        below += digamma_rise(V * eta, max(scale * totals[k], 0.0))
    return eta * above / (V * below) if above > 0.0 and below > 0.0 else eta


@njit(cache=True)
def compact(arena, capacity, scale, drop_below, new_topics, new_values):
    """Rewrite all rows behind one another into new arrays, times `scale`, without entries below
    `drop_below` after it.

    Returns the end.
    """
    start, length, arena_topics, arena_values = arena
    at = np.int64(0)
    for w in range(len(start)):
        first = at
        for j in range(start[w], start[w] + length[w]):
            new_topics[at] = arena_topics[j]
            new_values[at] = scale * arena_values[j]
            if new_values[at] >= drop_below:
                at += 1
        start[w] = first
        length[w] = at - first
        capacity[w] = at - first
    return at


@njit(cache=True)
def sum_topics(arena, K):
    """The sums of the stored values by topic: float64[K]."""
    totals = np.zeros(K)
    for w in range(len(arena.start)):
        for j in range(arena.start[w], arena.start[w] + arena.length[w]):
            totals[arena.topics[j]] += arena.values[j]
    return totals


@njit(cache=True)
def transpose(arena, scale, at_least, K):
    """The rows by topic: (indptr int64[K + 1], words int32, values float64), of values of at least
    `at_least`."""
    start, length, arena_topics, arena_values = arena
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
                words[cursor[k]] = w
                values[cursor[k]] = value
                cursor[k] += 1
    return indptr, words, values


@njit(cache=True, parallel=True)
def sort_rows(indptr, words, values):
    """Sort each row by value, largest first, then by word; in place."""
    for k in prange(len(indptr) - 1):
        a = indptr[k]
        b = indptr[k + 1]
        # words ascend, and mergesort is stable: equal values stay in the order of their words
        order = np.argsort(-values[a:b], kind="mergesort")
        words[a:b] = words[a:b][order]
        values[a:b] = values[a:b][order]


@njit(cache=True, nogil=True)
def close(row_starts, sizes, topics, values):
    """Rows behind one another, without the room that they did not need: (indptr int64[n + 1],
    topics, values).

    Row i: the sizes[i] entries of topics and values from row_starts[i] on.
    """
    n = len(sizes)
    indptr = cumulated(sizes)
    all_topics = np.empty(indptr[n], topics.dtype)
    all_values = np.empty(indptr[n], values.dtype)
    for i in range(n):
        at = row_starts[i] - indptr[i]
        for e in range(indptr[i], indptr[i + 1]):
            all_topics[e] = topics[at + e]
            all_values[e] = values[at + e]
    return indptr, all_topics, all_values


@njit(cache=True, parallel=True)
def mixtures(indptr, samples, alpha):
    """theta of each document of a block: (indptr int64[n + 1], topics int32, weights float32),
    largest first.

    indptr: int64[n + 1], the documents' tokens. samples: uint16[N, M]. alpha: float64[K]. theta[d,
    k] =
    (alpha_k + mean N_dk) / (sum alpha + N_d), listed where N_dk > 0 in some sample.
    """
    M = samples.shape[1]
    K = len(alpha)
    n = len(indptr) - 1
    prior = sum_in_order(alpha)
    row_starts = cumulated(np.minimum(K, M * np.diff(indptr)))
    topics = np.empty(row_starts[n], np.int32)
    listed_weights = np.empty(row_starts[n], np.float32)
    sizes = np.empty(n, np.int64)
    for chunk in prange(CHUNKS):
        tally = np.zeros(K, np.int64)
        touched = np.empty(K, np.int32)
        for d in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            a = indptr[d]
            b = indptr[d + 1]
            m = 0
            for i in range(a, b):
                for s in range(M):
                    k = samples[i, s]
                    if tally[k] == 0:
                        touched[m] = k
                        m += 1
                    tally[k] += 1
            ks = np.sort(touched[:m])
            weights = np.empty(m)
            for j in range(m):
                weights[j] = (alpha[ks[j]] + tally[ks[j]] / M) / (prior + (b - a))
                tally[ks[j]] = 0
            order = np.argsort(-weights, kind="mergesort")
            for i in range(m):
                topics[row_starts[d] + i] = ks[order[i]]
                listed_weights[row_starts[d] + i] = weights[order[i]]
            sizes[d] = m
    return close(row_starts, sizes, topics, listed_weights)


@njit(cache=True)
def _summed(w, arena, scale, other, other_scale, least, out_topics, out_values, at):
    """Go through a word's two rows side by side, topics ascending, and write their sum from place
    `at` on; returns its end."""
    a = arena.start[w]
    end = arena.start[w] + arena.length[w]
    b = other.start[w]
    other_end = other.start[w] + other.length[w]
    while a < end or b < other_end:
        if a < end and (b >= other_end or arena.topics[a] <= other.topics[b]):
            k = arena.topics[a]
            value = scale * arena.values[a]
            if b < other_end and other.topics[b] == k:
                value += other_scale * other.values[b]
                b += 1
            a += 1
        else:
            k = other.topics[b]
            value = other_scale * other.values[b]
            b += 1
        if value >= least:
            out_topics[at] = k
            out_values[at] = value
            at += 1
    return at


@njit(cache=True, parallel=True)
def mixed(words, arena, scale, other, other_scale, least):
    """Sums of the rows of two arenas, each times a number: (indptr int64[n + 1], topics int32,
    ascending in a row, values float32).

    words: int64[n]. arena, other: rows.Arena. An entry below `least` is left out.
    """
    n = len(words)
    row_starts = cumulated(arena.length[words] + other.length[words])
    sizes = np.empty(n, np.int64)
    topics = np.empty(row_starts[n], np.int32)
    values = np.empty(row_starts[n], np.float32)
    bounds = chunk_bounds(row_starts)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            sizes[i] = (
                _summed(
                    words[i], arena, scale, other, other_scale, least, topics, values, row_starts[i]
                )
                - row_starts[i]
            )
    return close(row_starts, sizes, topics, values)
