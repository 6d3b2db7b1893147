"""Sparse Gibbs sampling of a minibatch's topic indicators under fixed topics (SSI, eqs. 9 and 15).

Within a minibatch lambda does not change. So of the normaliser of eq. 15, written with N_dk and
alpha apart,

    Z = sum_k N_dk c_wk  +  sum_k alpha_k c_wk  +  sum_k N_dk g_k  +  sum_k alpha_k g_k,
    c_wk = (E(eta + N~_kw) - E(eta)) / E(V eta + N~_k),   g_k = E(eta) / E(V eta + N~_k),   E = exp
    psi, or the identity,

the second sum is a constant of the word and the fourth of the minibatch, each drawn from by
bisection of its running sums; the third changes by one term with a token; the first has a term for
each topic of the document. No token costs O(K).

c_wk is an entry of a table of words by topics times a number of the topic, so that a table of
counts stays as it is when N~_k changes. In names of `Terms`, c_wk = table[w, k] per_count[k]; the
second sum of Z is of table[w, k] alpha_per_count[k]; and g[k] = g_k.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from inference.kernels import rng
from inference.kernels.bits import next_number
from inference.kernels.changes import packed
from inference.kernels.chunks import CHUNKS, chunk_bounds
from inference.kernels.special import digamma_rise, exp_digamma, sum_in_order
from inference.runtime.jit import PRANGE, njit

LEAST_NORM = 1e-300  # in place of a normaliser that underflowed
LARGEST_WEIGHT = 1e27  # of a weight: sums of them times alpha are float32
BLOCK = 8  # topics whose weights are summed at a time
NOWHERE = np.uint32(0xFFFFFFFF)
_NOWHERE = np.uint64(NOWHERE)
# Unsigned: no index can be negative
_0, _1, _2, _3, _4, _5, _6, _7, _8 = (np.uint64(i) for i in range(9))
UNSEEN = np.uint16(0xFFFF)  # in place of a topic: the token was never sampled


class StoredDocuments(NamedTuple):
    """Documents where they are stored. rows: int64[n], the row of each in indptr (int64), which
    says where its pairs are in words and counts (int32). first: int64[n], the place of each one's
    first token among the draws; lengths: int64[n], how many tokens it has. keys: uint64[n], a
    random stream for each."""

    rows: np.ndarray
    indptr: np.ndarray
    words: np.ndarray
    counts: np.ndarray
    first: np.ndarray
    lengths: np.ndarray
    keys: np.ndarray


class CountTable(NamedTuple):
    """What is known of each word and topic: counts, or weights. wide: [F, table_width(K)], of the
    words below F, and narrow: [V - F, table_width(K)], of the others; 0 from K on. Frequent words
    may need a wider type."""

    wide: np.ndarray
    narrow: np.ndarray


class Terms(NamedTuple):
    """What else eq. 15 needs, the same for all documents of a minibatch. per_count: float32[K], the
    weight of one count of the table, pi / E(V eta + N~_k); 1 where the table holds weights.
    alpha_per_count: float32[table_width(K)], alpha_k times that. sums: float32[V, table_width(K) /
    BLOCK], running sums of alpha_per_count times a word's row, by blocks: of B blocks the b-th has
    the topics b, b + B, b + 2 B …. g: float64[K]; alpha_g_sums: float64[K], running sums of alpha_k
    g_k. alpha: float64[K]."""

    per_count: np.ndarray
    alpha_per_count: np.ndarray
    sums: np.ndarray
    g: np.ndarray
    alpha_g_sums: np.ndarray
    alpha: np.ndarray


class Plan(NamedTuple):
    """How documents are visited. anew: as if they were new. burn_in: sweeps before those that
    count, for a new document. samples: sweeps that count. draws: how many topics are drawn for a
    token in each of them, all from one conditional distribution and by one random number: evenly
    spaced in its running sums (systematic sampling). The first is the token's topic from then
    on."""

    anew: bool
    burn_in: int
    samples: int
    draws: int


class Rises(NamedTuple):
    """What alpha is learned from. sums: float64[CHUNKS, K + 1], grow by sum_d psi(alpha_k + N_dk) -
    psi(alpha_k), and in the last column by sum_d psi(A + N_d) - psi(A), A = sum_k alpha_k; without
    columns where nothing is learned. Each term is rounded to a multiple of `grain`, a power of two,
    so that sums are exact, in whichever order."""

    sums: np.ndarray
    grain: float


@njit(cache=True)
def table_width(K):
    """K up to a multiple of BLOCK, but not of BLOCK * BLOCK: entries of a topic would then compete
    for a few lines of a processor's cache."""
    width = (K + BLOCK - 1) // BLOCK * BLOCK
    return width if width % (BLOCK * BLOCK) else width + BLOCK


@njit(cache=True, parallel=PRANGE)
def dense_weights(words, arena, scale, eta, inverse, log_expectation):
    """float32[n, table_width(K)]: the rows of some words, as weights. words: int64[n]. arena:
    rows.Arena of N~_kw / scale. inverse: float64[K], 1 / E(V eta + N~_k), which is part of the
    weights with the log expectation; else `Terms.per_count` has it."""
    table = np.zeros((len(words), table_width(len(inverse))), np.float32)
    base = exp_digamma(eta) if log_expectation else eta
    for i in prange(len(words)):
        for j in range(arena.start[words[i]], arena.start[words[i]] + arena.length[words[i]]):
            k = np.uint32(arena.topics[j])
            value = np.float64(arena.values[j])
            if log_expectation:
                value = min((exp_digamma(eta + scale * value) - base) * inverse[k], LARGEST_WEIGHT)
            table[i, k] = value
    return table


@njit(cache=True, nogil=True)
def _sum_rows(words, skipped, rows, alpha_per_count, sums):
    """Running sums of some words' rows times alpha_per_count, by blocks. rows: of the words from
    `skipped` on."""
    n = np.uint64(sums.shape[1])
    n2 = _2 * n
    n3 = _3 * n
    n4 = _4 * n
    n5 = _5 * n
    n6 = _6 * n
    n7 = _7 * n
    for w in words:
        row = w - skipped
        total = np.float32(0.0)
        for i in range(sums.shape[1]):
            b = np.uint64(i)
            s0 = alpha_per_count[b] * np.float32(rows[row, b])
            s1 = alpha_per_count[b + n] * np.float32(rows[row, b + n])
            s2 = alpha_per_count[b + n2] * np.float32(rows[row, b + n2])
            s3 = alpha_per_count[b + n3] * np.float32(rows[row, b + n3])
            s4 = alpha_per_count[b + n4] * np.float32(rows[row, b + n4])
            s5 = alpha_per_count[b + n5] * np.float32(rows[row, b + n5])
            s6 = alpha_per_count[b + n6] * np.float32(rows[row, b + n6])
            s7 = alpha_per_count[b + n7] * np.float32(rows[row, b + n7])
            sums[w, b] = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
        b = _0
        # Four at a time: each sum waits for one addition to those before, not for four
        while b + _3 < n:
            two = sums[w, b] + sums[w, b + _1]
            upper_pair = sums[w, b + _2] + sums[w, b + _3]
            sums[w, b] = total + sums[w, b]
            sums[w, b + _1] = total + two
            sums[w, b + _2] = total + (two + sums[w, b + _2])
            total = total + (two + upper_pair)
            sums[w, b + _3] = total
            b += _4
        while b < n:
            total += sums[w, b]
            sums[w, b] = total
            b += _1


@njit(cache=True, parallel=PRANGE)
def sum_words(documents, table, alpha_per_count, sums):
    """Fill Terms.sums for the words of some documents."""
    doc_rows, indptr, words, _, _, _, _ = documents
    wide, narrow = table
    n = len(doc_rows)
    F = len(wide)
    is_wanted = np.zeros(F + len(narrow), np.bool_)
    for chunk in prange(CHUNKS):
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            for p in range(indptr[doc_rows[i]], indptr[doc_rows[i] + 1]):
                # Written once: threads that write to one line of a cache wait for each other
                if not is_wanted[words[p]]:
                    is_wanted[words[p]] = True
    wanted_words = np.flatnonzero(is_wanted)
    split = np.searchsorted(wanted_words, F)
    for chunk in prange(CHUNKS):
        first = chunk * len(wanted_words) // CHUNKS
        end = (chunk + 1) * len(wanted_words) // CHUNKS
        _sum_rows(wanted_words[first : min(end, split)], 0, wide, alpha_per_count, sums)
        _sum_rows(wanted_words[max(first, split) : end], F, narrow, alpha_per_count, sums)


@njit(cache=True)
def smoothing(norm, eta, alpha, log_expectation):
    """g: float64[K], and the running sum of alpha_k g_k."""
    g = (exp_digamma(eta) if log_expectation else eta) / norm
    return g, np.cumsum(alpha * g)


@njit(cache=True)
def normalisers(totals, V, eta, log_expectation):
    """E(V eta + N~_k) for each topic; never 0, so that what is divided by it stays finite.

    Where V eta is tiny and a topic has no tokens it underflows, and so does everything that it
    divides: 0 / LEAST_NORM is 0, where 0 / 0 would make the whole of eq. 15 unknown. Totals of
    rounding errors may fall a little below 0.
    """
    norm = np.empty(len(totals))
    for k in range(len(totals)):
        x = V * eta + max(totals[k], 0.0)
        norm[k] = max(exp_digamma(x) if log_expectation else x, LEAST_NORM)
    return norm


@njit(cache=True)
def first_above(values, x):
    """The first place whose value exceeds x, the last one at the most; without unforeseeable
    branches."""
    first = 0
    n = len(values)
    while n > 1:
        half = n >> 1
        first += half * np.int64(values[first + half - 1] <= x)
        n -= half
    return first


@njit(cache=True)
def _from_word(x, w, sums, row, rows, alpha_per_count, K):
    """A topic from word w's part of Z, by x in [0, its sum). sums: of Terms. row: of rows, the
    table's."""
    b = 0
    n = sums.shape[1]
    # first_above(sums[w], x) by hand: with a view of the row this loop, the sampler's innermost,
    # took some percent longer
    while n > 1:
        half = n >> 1
        b += half * np.int64(sums[w, b + half - 1] <= x)
        n -= half
    if b:
        x -= sums[w, b - 1]
    topic = b
    for k in range(b, b + BLOCK * sums.shape[1], sums.shape[1]):
        weight = alpha_per_count[k] * np.float32(rows[row, k])
        if weight > np.float32(0.0):
            topic = k
            x -= weight
            if x < np.float32(0.0):
                break
    return min(topic, K - 1)


@njit(cache=True)
def _from_smoothing(x, smooth, active, counts, m, g, alpha_g_sums):
    """A topic from the last two sums of Z, by x in [0, their sum); smooth: the first of them."""
    if x < smooth:
        for j in range(m):
            x -= counts[j] * g[active[j]]
            if x < 0.0:
                return np.int64(active[j])
        return np.int64(active[m - _1])
    return first_above(alpha_g_sums, x - smooth)


@njit(cache=True)
def _from_counts(u, active, counts, m, alpha):
    """A topic from N_dk + alpha_k: what is left of eq. 9 where every weight underflowed."""
    x = sum_in_order(alpha)
    for j in range(m):
        x += counts[j]
    x *= u
    for j in range(m):
        x -= counts[j]
        if x < 0.0:
            return np.int64(active[j])
    return first_above(np.cumsum(alpha), x)


@njit(cache=True, inline="always")
def weigh(w, rows, active, weighted_counts, m, weights, sums):
    """Weights of a document's m active topics, and their running sums at every eighth; returns the
    last.

    rows: of the table. weighted_counts: float32, of the document's topics, 0 from m on. Eight at a
    time, so that a sum does not wait for the one before.
    """
    q = np.float32(0.0)
    b = _0
    j = _0
    while j < m:
        w0 = weighted_counts[j] * np.float32(rows[w, active[j]])
        w1 = weighted_counts[j + _1] * np.float32(rows[w, active[j + _1]])
        w2 = weighted_counts[j + _2] * np.float32(rows[w, active[j + _2]])
        w3 = weighted_counts[j + _3] * np.float32(rows[w, active[j + _3]])
        w4 = weighted_counts[j + _4] * np.float32(rows[w, active[j + _4]])
        w5 = weighted_counts[j + _5] * np.float32(rows[w, active[j + _5]])
        w6 = weighted_counts[j + _6] * np.float32(rows[w, active[j + _6]])
        w7 = weighted_counts[j + _7] * np.float32(rows[w, active[j + _7]])
        weights[j] = w0
        weights[j + _1] = w1
        weights[j + _2] = w2
        weights[j + _3] = w3
        weights[j + _4] = w4
        weights[j + _5] = w5
        weights[j + _6] = w6
        weights[j + _7] = w7
        q += ((w0 + w1) + (w2 + w3)) + ((w4 + w5) + (w6 + w7))
        sums[b] = q
        b += _1
        j += _8
    return q


@njit(cache=True, inline="always")
def find(x, m, weights, sums):
    """The place of the weight whose share of the sum holds x, in [0, sum). Without branches, which
    could not be foreseen."""
    b = _0
    i = _8
    before = np.float32(0.0)
    while i < m:
        over = sums[(i >> _3) - _1]
        hit = over <= x
        before = over if hit else before
        b += np.uint64(hit)
        i += _8
    j = b << _3
    x -= before
    left = (weights[j] + weights[j + _1]) + (weights[j + _2] + weights[j + _3])
    hit = x >= left
    x -= left if hit else np.float32(0.0)
    j += np.uint64(hit) << _2
    left = weights[j] + weights[j + _1]
    hit = x >= left
    x -= left if hit else np.float32(0.0)
    j += np.uint64(hit) << _1
    j += np.uint64(x >= weights[j])
    return min(j, m - _1)


@njit(cache=True, inline="always")
def _rounded(x, grain):
    """To a multiple of grain, a power of two; x is at most 2^50 grains."""
    return np.floor(x / grain + 0.5) * grain


@njit(cache=True, nogil=True)
def _sample_run(first, end, documents, table, terms, plan, draws, changed, at, rises, grain):
    """`sample` for the documents first … end - 1, whose changes are listed from place `at` on;
    returns their end. rises: float64[K + 1], or nothing.

    One long kernel, in named stages: with taking a token out and putting it in as functions of
    their own, inlined by numba, it was slower, as a token changes eight arrays and two sums.
    """
    doc_rows, indptr, words, tokens_of, first_draw, lengths, keys = documents
    wide, narrow = table
    per_count, alpha_per_count, word_sums, g, alpha_g_sums, alpha = terms
    K = len(g)
    F = np.uint64(len(wide))
    last_block = word_sums.shape[1] - 1
    lists = len(changed) > 0
    smoothing_mass = alpha_g_sums[K - 1]
    active = np.zeros(K + BLOCK, np.uint32)
    counts = np.zeros(K + BLOCK, np.float32)
    weighted_counts = np.zeros(K + BLOCK, np.float32)
    active_place = np.full(K, NOWHERE)
    weights = np.empty(K + BLOCK, np.float32)
    sums = np.empty(K // BLOCK + 1, np.float32)
    z = np.empty(max(lengths[first:end]) if first < end else 0, np.uint16)
    all_alpha = sum_in_order(alpha)
    # The first draw of the last sweep is the token's topic
    topic_column = (plan.samples - 1) * plan.draws
    for d in range(first, end):
        base = first_draw[d]
        tokens = lengths[d]
        if tokens == 0:
            continue
        m = _0
        state = keys[d]
        started = draws[base, topic_column] != UNSEEN and not plan.anew
        # The document's topics as they were at its last visit
        if started:
            for i in range(tokens):
                k = draws[base + i, topic_column]
                z[i] = k
                if active_place[k] == NOWHERE:
                    active_place[k] = m
                    active[m] = k
                    m += _1
                counts[active_place[k]] += np.float32(1.0)
            for j in range(m):
                weighted_counts[j] = counts[j] * per_count[active[j]]
        sweep = plan.burn_in if started else -1
        while sweep < plan.burn_in + plan.samples:
            column = (sweep - plan.burn_in) * plan.draws
            R = plan.draws if column >= 0 else 1
            spacing = 1.0 / R
            smooth = 0.0  # anew in each sweep: sums of differences drift
            for j in range(m):
                smooth += counts[j] * g[active[j]]
            # A sweep: each token is taken out, drawn anew, and put in
            i = 0
            for p in range(indptr[doc_rows[d]], indptr[doc_rows[d] + 1]):
                w = np.uint64(words[p])
                word_mass = word_sums[w, last_block]
                for _ in range(tokens_of[p]):
                    # Out: the last active topic takes the place of one without tokens
                    if started:
                        k = z[i]
                        j = active_place[k]
                        smooth -= g[k]
                        left = counts[j] - np.float32(1.0)
                        counts[j] = left
                        weighted_counts[j] = left * per_count[k]
                        if left == np.float32(0.0):
                            m -= _1
                            active_place[k] = NOWHERE
                            if j < m:
                                last = active[m]
                                active[j] = last
                                counts[j] = counts[m]
                                weighted_counts[j] = weighted_counts[m]
                                counts[m] = np.float32(0.0)
                                weighted_counts[m] = np.float32(0.0)
                                active_place[last] = j
                            if m == _0:
                                smooth = 0.0
                    # Z: the document's topics, the word's, and the smoothing's
                    if w < F:
                        q = weigh(w, wide, active, weighted_counts, m, weights, sums)
                    else:
                        q = weigh(w - F, narrow, active, weighted_counts, m, weights, sums)
                    total = q + word_mass + max(smooth, 0.0) + smoothing_mass
                    state = rng.after(state)
                    u = rng.unit(state)
                    # Draws are evenly spaced in Z; the first is the token's topic from here on
                    new = _0
                    for r in range(R):
                        turned = u + r * spacing
                        turned -= np.float64(turned >= 1.0)
                        x = np.float32(turned * total)
                        if x < q:
                            k = np.uint64(active[find(x, m, weights, sums)])
                        elif x - q < word_mass:
                            if w < F:
                                k = np.uint64(
                                    _from_word(x - q, w, word_sums, w, wide, alpha_per_count, K)
                                )
                            else:
                                k = np.uint64(
                                    _from_word(
                                        x - q, w, word_sums, w - F, narrow, alpha_per_count, K
                                    )
                                )
                        elif total > 0.0:
                            k = np.uint64(
                                _from_smoothing(
                                    x - q - word_mass, smooth, active, counts, m, g, alpha_g_sums
                                )
                            )
                        else:
                            k = np.uint64(_from_counts(turned, active, counts, m, alpha))
                        if column >= 0:
                            old = np.uint64(draws[base + i, column + r])
                            draws[base + i, column + r] = k
                            if lists:
                                changed[at] = packed(w, k, old)
                                # Without a branch, which could not be foreseen
                                at += np.int64(old != k)
                        if r == 0:
                            new = k
                    # In
                    j = np.uint64(active_place[new])
                    if j == _NOWHERE:
                        j = m
                        active_place[new] = m
                        active[m] = new
                        m += _1
                    raised = counts[j] + np.float32(1.0)
                    counts[j] = raised
                    weighted_counts[j] = raised * per_count[new]
                    smooth += g[new]
                    z[i] = new
                    i += 1
            started = True
            sweep += 1
        # What alpha is learned from; and the room is as it was before the document
        for j in range(m):
            k = np.uint64(active[j])
            if len(rises):
                rises[k] += _rounded(digamma_rise(alpha[k], counts[j]), grain)
            active_place[k] = NOWHERE
            counts[j] = 0.0
            weighted_counts[j] = 0.0
        if len(rises):
            rises[K] += _rounded(digamma_rise(all_alpha, np.float64(tokens)), grain)
    return at


@njit(cache=True, parallel=PRANGE)
def sample(documents, table, terms, plan, draws, changed, rises):
    """Gibbs sweeps over each document of a minibatch by itself. Returns the changes, as (begins,
    ends), int64[CHUNKS] each, of runs of `changed`.

    draws: uint16[N, samples * draws], changed in place: each token's topics at the document's last
    visit, from which it begins. Where they are UNSEEN, or plan.anew, a sweep gives each token a
    topic by those before it (the paper's footnote 3), and burn_in more go before those that count.
    changed: uint64, room for each draw of the documents: those that are not what they were are
    listed, as changes.packed has them; or without room, where nothing is listed. rises: Rises.
    """
    M = draws.shape[1]
    ends = np.zeros(len(documents.lengths) + 1, np.int64)
    ends[1:] = np.cumsum(documents.lengths)
    bounds = chunk_bounds(ends)
    list_sizes = np.zeros((2, CHUNKS), np.int64)
    counter = np.zeros(1, np.int64)
    for _ in prange(CHUNKS):  # whichever thread is free takes the next
        chunk = next_number(counter)
        while chunk < CHUNKS:
            first = bounds[chunk]
            end = bounds[chunk + 1]
            list_sizes[0, chunk] = ends[first] * M
            list_sizes[1, chunk] = _sample_run(
                first,
                end,
                documents,
                table,
                terms,
                plan,
                draws,
                changed,
                ends[first] * M,
                rises.sums[chunk],
                rises.grain,
            )
            chunk = next_number(counter)
    return list_sizes[0], list_sizes[1]
