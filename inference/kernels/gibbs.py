"""Sparse Gibbs sampling of a minibatch's topic indicators under fixed topics (SSI, eqs. 9 and 15).

Within a minibatch lambda does not change. So of the normaliser of eq. 15, written with N_dk and alpha apart,

    Z = sum_k N_dk c_wk  +  sum_k alpha_k c_wk  +  sum_k N_dk g_k  +  sum_k alpha_k g_k,
    c_wk = (E(eta + N~_kw) - E(eta)) / E(V eta + N~_k),   g_k = E(eta) / E(V eta + N~_k),   E = exp psi, or the identity,

the second sum is a constant of the word and the fourth of the minibatch, each drawn from by bisection of its running
sums; the third changes by one term with a token; the first has a term for each topic of the document. No token costs
O(K).
"""

import numpy as np
from numba import prange

from inference.jit import njit
from inference.kernels import rng
from inference.kernels.bits import count_ones
from inference.kernels.special import digamma_rise, exp_digamma, sum_in_order

TABLE_ENTRIES = 1 << 26  # of (word, topic) weights that a minibatch may spread out for direct look-up: 256 MiB
LEAST = 1e-300  # in place of a normaliser that underflowed
MOST = 1e38  # of a weight, which is stored as float32
CHUNKS = 64  # of a minibatch's documents, each with a workspace of its own; fixed, so results don't depend on threads
NOWHERE = np.uint32(0xFFFFFFFF)
_NOWHERE = np.uint64(NOWHERE)
# Unsigned: no index can be negative
_0, _1, _2, _3, _4, _5, _6, _7, _8, _63 = (np.uint64(i) for i in (0, 1, 2, 3, 4, 5, 6, 7, 8, 63))
UNSEEN = np.uint16(0xFFFF)  # in place of a topic: the token was never sampled


@njit(cache=True)
def shares(indptr):
    """Bounds of CHUNKS runs of rows with about as many entries each: int64[CHUNKS + 1]; indptr: int64[n + 1], of the
    rows."""
    n = len(indptr) - 1
    bounds = np.zeros(CHUNKS + 1, np.int64)
    i = 0
    for chunk in range(CHUNKS):
        while i < n and indptr[i] * CHUNKS < (chunk + 1) * indptr[n]:
            i += 1
        bounds[chunk + 1] = i
    bounds[CHUNKS] = n
    return bounds


@njit(cache=True, parallel=True)
def gather(words, slots, start, length, row_topics, row_values, scale, eta, norm, alpha, log_expectation, table, fill):
    """The rows of a minibatch's words, as weights: (indptr int64[n + 1], cum float32[nnz], marks, c float32, times
    float32[K]).

    words: int64[n], distinct. start, length: of each word's row in row_topics (ascending) and row_values, which hold
    N~_kw / scale. norm: float64[K], E(V eta + N~_k). alpha: float64[K]. cum: the running sum of alpha_k c_wk within a
    word, where c_wk is a weight times times_k: what does not depend on the word is left to the documents' counts. The weights are
    in `table`, float32[rows, K], in row slots[i] (int64[n]), 0 where there is none; where `fill` is true they are written there,
    into zeros. Where the table has no rows they are returned, with a 0 behind them for all that is not there, and found
    through `marks`, uint64[n, K / 64, 2]: for each 64 topics a bit for each that the row has, and the place of the first of
    them.
    """
    n, K = len(words), len(norm)
    indptr = np.zeros(n + 1, np.int64)
    for i in range(n):
        indptr[i + 1] = indptr[i] + length[words[i]]
    cum = np.empty(indptr[n], np.float32)
    dense = len(table) > 0
    blocks = 0 if dense else (K + 63) // 64
    marks = np.empty((n, blocks, 2), np.uint64)
    c = np.zeros(1 if dense else indptr[n] + 1, np.float32)
    base = exp_digamma(eta) if log_expectation else eta
    inverse = 1.0 / norm
    prior = alpha.copy() if log_expectation else alpha * (scale * inverse)
    bounds = shares(indptr)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            total = 0.0
            place = indptr[i]
            block = -1
            for j in range(start[words[i]], start[words[i]] + length[words[i]]):
                k = np.uint32(row_topics[j])
                value = np.float64(row_values[j])
                if log_expectation:
                    value = min((exp_digamma(eta + scale * value) - base) * inverse[k], MOST)
                total += prior[k] * value
                cum[place] = min(total, MOST)
                if not dense:
                    c[place] = value
                    while block < k >> 6:
                        block += 1
                        marks[i, block, 0] = np.uint64(0)
                        marks[i, block, 1] = np.uint64(place)
                    marks[i, block, 0] |= np.uint64(1) << np.uint64(k & 63)
                elif fill:
                    table[slots[i], k] = value
                place += 1
            for b in range(block + 1, blocks):
                marks[i, b, 0] = np.uint64(0)
                marks[i, b, 1] = np.uint64(place)
    times = np.ones(K, np.float32)
    if not log_expectation:
        for k in range(K):
            times[k] = scale * inverse[k]
    return indptr, cum, marks, c, times


@njit(cache=True, parallel=True)
def clear(words, start, length, row_topics, indptr, table):
    """Make the table 0 again where `gather` filled it; indptr: its first result."""
    if len(table):
        bounds = shares(indptr)
        for chunk in prange(CHUNKS):
            for i in range(bounds[chunk], bounds[chunk + 1]):
                for j in range(start[words[i]], start[words[i]] + length[words[i]]):
                    table[i, np.uint32(row_topics[j])] = 0.0


@njit(cache=True, parallel=True)
def spread(words, start, length, row_topics, row_values, table):
    """Rows of some words as they are stored, into their rows of `table`, float32[V, K]."""
    for i in prange(len(words)):
        row = table[words[i]]
        row[:] = 0.0
        for j in range(start[words[i]], start[words[i]] + length[words[i]]):
            row[np.uint32(row_topics[j])] = row_values[j]


@njit(cache=True)
def smoothing(norm, eta, alpha, log_expectation):
    """g: float64[K], and the running sum of alpha_k g_k."""
    g = (exp_digamma(eta) if log_expectation else eta) / norm
    return g, np.cumsum(alpha * g)


@njit(cache=True)
def normalisers(totals, V, eta, log_expectation):
    """E(V eta + N~_k) for each topic; never 0, so that what is divided by it stays finite.

    Where V eta is tiny and a topic has no tokens it underflows, and so does everything that it divides: 0 / LEAST is 0,
    where 0 / 0 would make the whole of eq. 15 unknown. Totals of rounding errors may fall a little below 0.
    """
    out = np.empty(len(totals))
    for k in range(len(totals)):
        x = V * eta + max(totals[k], 0.0)
        out[k] = max(exp_digamma(x) if log_expectation else x, LEAST)
    return out


@njit(cache=True, inline="always")
def _first_above(values, first, end, x):
    """The first place in first … end - 1 whose value exceeds x, end - 1 at the last; without unforeseeable branches."""
    n = end - first
    while n > 1:
        half = n >> 1
        first += half * np.int64(values[first + half - 1] <= x)
        n -= half
    return first


@njit(cache=True)
def _from_smoothing(x, smooth, active, counts, m, g, gcum):
    """A topic from the last two sums of Z, by x in [0, their sum); smooth: the first of them."""
    if x < smooth:
        for j in range(m):
            x -= counts[j] * g[active[j]]
            if x < 0.0:
                return np.int64(active[j])
        return np.int64(active[m - _1])
    return _first_above(gcum, 0, len(g), x - smooth)


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
    return _first_above(np.cumsum(alpha), 0, len(alpha), x)


@njit(cache=True, inline="always")
def _weight(j, w, dense, marks, c, zero, table, active, timed):
    """N_dk c_wk of the document's j-th active topic."""
    k = active[j]
    if dense:
        return timed[j] * table[w, k]
    bits = marks[w, k >> _6, 0]
    shift = k & _63
    below = count_ones(bits & ((_1 << shift) - _1))
    return timed[j] * c[marks[w, k >> _6, 1] + below if (bits >> shift) & _1 else zero]


@njit(cache=True, inline="always")
def weigh(w, dense, marks, c, zero, table, active, timed, m, weights, sums):
    """Weights of a document's m active topics, and their running sums at every eighth; returns the last.

    timed: float32, N_dk of active[j] times `times`, 0 from m on. Eight at a time, so that a sum does not wait for the one before.
    """
    q = np.float32(0.0)
    b, j = _0, _0
    while j < m:
        w0 = _weight(j, w, dense, marks, c, zero, table, active, timed)
        w1 = _weight(j + _1, w, dense, marks, c, zero, table, active, timed)
        w2 = _weight(j + _2, w, dense, marks, c, zero, table, active, timed)
        w3 = _weight(j + _3, w, dense, marks, c, zero, table, active, timed)
        w4 = _weight(j + _4, w, dense, marks, c, zero, table, active, timed)
        w5 = _weight(j + _5, w, dense, marks, c, zero, table, active, timed)
        w6 = _weight(j + _6, w, dense, marks, c, zero, table, active, timed)
        w7 = _weight(j + _7, w, dense, marks, c, zero, table, active, timed)
        weights[j], weights[j + _1], weights[j + _2], weights[j + _3] = w0, w1, w2, w3
        weights[j + _4], weights[j + _5], weights[j + _6], weights[j + _7] = w4, w5, w6, w7
        q += ((w0 + w1) + (w2 + w3)) + ((w4 + w5) + (w6 + w7))
        sums[b] = q
        b += _1
        j += _8
    return q


@njit(cache=True, inline="always")
def find(x, m, weights, sums):
    """The place of the weight whose share of the sum holds x, in [0, sum). Without branches, which could not be
    foreseen."""
    b, i = _0, _8
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


@njit(cache=True, parallel=True)
def sample(doc_ptr, places, token_ptr, before, words, slots, start, row_topics, row_ptr, cum, marks, c, times, table, g, gcum, alpha,
           burn_in, samples, draws, keys, out, rises, grain):  # fmt: skip
    """Gibbs sweeps over each document of a minibatch by itself: `samples` of them, whose draws go to `out`.

    doc_ptr: int64[n + 1], the documents' (document, word) pairs; places: int32[P], of each pair's word among the rows;
    token_ptr: int64[P + 1], its tokens. slots … times: of `gather`. before: uint16[N], each token's topic to begin with; where a document's are
    UNSEEN a sweep gives each token a topic by those before it (the paper's footnote 3), and `burn_in` more go before
    those that count. keys: uint64[n], a random stream for each document. out: uint16[N, samples * draws].

    draws: how many topics are drawn for a token in a sweep that counts, all from one conditional distribution and by
    one random number: evenly spaced in its running sums (systematic sampling). The first is the token's topic from then
    on.
    rises: float64[CHUNKS, K + 1], grows by sum_d psi(alpha_k + N_dk) - psi(alpha_k), and in the last column by
    sum_d psi(A + N_d) - psi(A), A = sum_k alpha_k, where it has columns. Each of these is rounded to a multiple of `grain`,
    a power of two, so that sums are exact, in whichever order.
    One long kernel: the innermost loop, a token's, changes a dozen numbers of its document that a function would have
    to hand back.
    """
    K = len(g)
    dense = len(table) > 0
    zero = np.uint64(len(c) - 1)
    prior = sum_in_order(alpha)
    bounds = shares(token_ptr[doc_ptr])
    for chunk in prange(CHUNKS):
        counts = np.zeros(K + 8, np.float32)
        timed = np.zeros(K + 8, np.float32)  # counts times `times`
        active = np.zeros(K + 8, np.uint32)
        weights = np.empty(K + 8, np.float32)
        sums = np.empty(K // 8 + 1, np.float32)
        place = np.full(K, NOWHERE)
        for d in range(bounds[chunk], bounds[chunk + 1]):
            first, end = token_ptr[doc_ptr[d]], token_ptr[doc_ptr[d + 1]]
            if first == end:
                continue
            z = np.empty(end - first, np.uint16)
            m = _0
            started = before[first] != UNSEEN
            sweep = burn_in if started else -1
            if started:
                for i in range(end - first):
                    k = before[first + i]
                    z[i] = k
                    if place[k] == NOWHERE:
                        place[k], active[m] = m, k
                        m += _1
                    counts[place[k]] += np.float32(1.0)
                for j in range(m):
                    timed[j] = counts[j] * times[active[j]]
            state = keys[d]
            while sweep < burn_in + samples:
                column = (sweep - burn_in) * draws
                R = draws if column >= 0 else 1
                spacing = 1.0 / R
                smooth = 0.0  # anew in each sweep: sums of differences drift
                for j in range(m):
                    smooth += counts[j] * g[active[j]]
                for p in range(doc_ptr[d], doc_ptr[d + 1]):
                    w = np.uint64(places[p])
                    a, b = row_ptr[w], row_ptr[w + _1]
                    word = cum[b - 1] if b > a else np.float32(0.0)
                    at = start[words[w]] - a
                    slot = np.uint64(slots[w])
                    for i in range(token_ptr[p], token_ptr[p + 1]):
                        if started:
                            k = z[i - first]
                            j = place[k]
                            smooth -= g[k]
                            left = counts[j] - np.float32(1.0)
                            counts[j] = left
                            timed[j] = left * times[k]
                            if left == np.float32(0.0):
                                m -= _1
                                place[k] = NOWHERE
                                if j < m:
                                    last = active[m]
                                    active[j], counts[j], timed[j] = last, counts[m], timed[m]
                                    counts[m] = np.float32(0.0)
                                    timed[m] = np.float32(0.0)
                                    place[last] = j
                                if m == _0:
                                    smooth = 0.0
                        q = weigh(slot, dense, marks, c, zero, table, active, timed, m, weights, sums)
                        total = q + word + max(smooth, 0.0) + gcum[K - 1]
                        state = rng.after(state)
                        u = rng.unit(state)
                        new = _0
                        for r in range(R):
                            turned = u + r * spacing
                            x = np.float32((turned - np.float64(turned >= 1.0)) * total)
                            if x < q:
                                k = np.uint64(active[find(x, m, weights, sums)])
                            elif x - q < word:
                                k = np.uint64(row_topics[at + _first_above(cum, a, b, x - q)])
                            elif total > 0.0:
                                k = np.uint64(_from_smoothing(x - q - word, smooth, active, counts, m, g, gcum))
                            else:
                                k = np.uint64(_from_counts(u, active, counts, m, alpha))
                            if column >= 0:
                                out[i, column + r] = k
                            if r == 0:
                                new = k
                        j = np.uint64(place[new])
                        if j == _NOWHERE:
                            j = m
                            place[new], active[m] = m, new
                            m += _1
                        more = counts[j] + np.float32(1.0)
                        counts[j] = more
                        timed[j] = more * times[new]
                        smooth += g[new]
                        z[i - first] = new
                started = True
                sweep += 1
            for j in range(m):
                k = active[j]
                if rises.shape[1]:
                    rises[chunk, k] += _rounded(digamma_rise(alpha[k], counts[j]), grain)
                place[k] = NOWHERE
                counts[j] = 0.0
                timed[j] = 0.0
            if rises.shape[1]:
                rises[chunk, K] += _rounded(digamma_rise(prior, np.float64(end - first)), grain)
