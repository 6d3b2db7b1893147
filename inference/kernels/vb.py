"""The local step of variational Bayes for LDA, and the statistics of a minibatch (paper 002, eqs.
31 and 32; 004, eqs. 8 and 9).

With e_k = exp E[log theta_k], exp psi(gamma_k) but for a factor that cancels, and b_kw the weight
of word w in topic k,

    norm_w = sum_k e_k b_kw,   gamma_k = alpha_k + e_k sum_w n_w b_kw / norm_w,   s_kw = b_kw sum_d
    e_dk n_dw / norm_dw,

phi_wk = e_k b_kw / norm_w is never stored. The work is in two phases: `local_step` is parallel over
documents, and `add_statistics` over words, each of whose rows one thread sums over its pairs in the
documents' order. No sum is shared out between threads. A document's rows of b are copied into a
block and its transpose once; norm is then summed along words and gamma along topics, so each loop
works on elements that do not depend on each other: vector instructions of any width give the same
bits, and there is no fast-math.

b is a table of the minibatch's words. What it holds is the caller's: exp E[log beta] or E[beta] of
a Dirichlet (`table`), or beta itself as a point estimate. Its rows may have any scale each, which
cancels. Kernels compute in the table's dtype: float32 in engines, float64 in tests.
"""

import math

import numpy as np
from numba import prange

from inference.kernels import rng
from inference.kernels.chunks import CHUNKS, chunk_bounds
from inference.kernels.special import (
    add_in_order,
    coarse_digamma,
    digamma_parts,
    exp_minus,
    sum_in_order,
)
from inference.runtime.jit import njit

LANES = 16  # rows of workspaces are as long as a multiple of it
BLOCK = 1 << 18  # entries of a document's block; a longer document is gone through in several
# Of the largest: a smaller weight counts as that, so that norm can't underflow
LEAST_WEIGHT = 1e-18
BEYOND_ANY_SUM = 1e300  # in places behind the last topic, where the least is looked for
FULL_ITERATIONS = 3  # iterations over all topics, before a document's active ones are chosen


@njit(cache=True, parallel=True)
def table(words, values, scale, eta, totals, log_expectation):
    """b of a minibatch's words, for topics k ~ Dirichlet(eta + N_k.): (b dtype[n, K], log_scale
    float64[n]).

    words: int64[n]. values: dtype[V, K], N_kw / scale. totals: float64[K], of values.
    log_expectation: b is exp E[log beta], else E[beta]. b_kw is exp(log_scale_w) b[w, k]; a row's
    largest is about 1. A weight of less than LEAST_WEIGHT times a row's largest counts as that.
    """
    n = len(words)
    K = len(totals)
    V = len(values)
    padded = (K + LANES - 1) // LANES * LANES
    norm = np.full(padded, BEYOND_ANY_SUM)  # log of the normalisers, or they themselves
    for k in range(K):
        norm[k] = V * eta + max(scale * totals[k], 0.0)
        if log_expectation:
            norm[k] = coarse_digamma(norm[k])
    weights = np.empty((n, K), values.dtype)
    log_scale = np.empty(n)
    for chunk in prange(CHUNKS):
        b = np.empty(padded)
        shift = np.empty(padded)
        lanes = np.empty(LANES)
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            row = values[words[i]]
            if log_expectation:
                for k in range(K):
                    v, s = digamma_parts(eta + scale * row[k])
                    b[k] = v
                    shift[k] = s + norm[k]
                shift[K:] = BEYOND_ANY_SUM
                least = _least(shift, lanes)
                for k in range(K):
                    b[k] *= exp_minus(shift[k] - least)
            else:
                least = 0.0
                for k in range(K):
                    b[k] = (eta + scale * row[k]) / norm[k]
            b[K:] = 0.0
            largest = _most(b, lanes)
            inverse = 1.0 / largest
            for k in range(K):
                weights[i, k] = max(b[k] * inverse, LEAST_WEIGHT)
            log_scale[i] = math.log(largest) - least
    return weights, log_scale


@njit(cache=True)
def _least(values, lanes):
    """The least of values, float64[n * LANES]."""
    lanes[:] = values[:LANES]
    for i in range(LANES, len(values), LANES):
        for j in range(LANES):
            lanes[j] = min(lanes[j], values[i + j])
    return lanes.min()


@njit(cache=True)
def _most(values, lanes):
    """The largest of values, float64[n * LANES]."""
    lanes[:] = values[:LANES]
    for i in range(LANES, len(values), LANES):
        for j in range(LANES):
            lanes[j] = max(lanes[j], values[i + j])
    return lanes.max()


@njit(cache=True)
def _total(values, lanes):
    """The sum of values, float64[n * LANES], in an order that vectors can keep."""
    lanes[:] = 0.0
    for i in range(0, len(values), LANES):
        for j in range(LANES):
            lanes[j] += values[i + j]
    return sum_in_order(lanes)


@njit(cache=True)
def _fill(b, places, topics, m, rows, columns):
    """Copy the rows of b that a document's words have, the columns of its m topics, into both
    blocks; the rest is 0.

    rows: [n, mp], n and mp multiples of LANES; columns: its transpose, [mp, n].
    """
    n, mp = rows.shape
    for j in range(n):
        row = rows[j]
        if j >= len(places):
            row[:] = 0.0
            continue
        source = b[places[j]]
        if m == len(source):
            for i in range(m):
                row[i] = source[i]
        else:
            for i in range(m):
                row[i] = source[topics[i]]
        row[m:] = 0.0
    for i in range(mp):
        column = columns[i]
        for j in range(n):
            column[j] = rows[j, i]


@njit(cache=True)
def _multiply(rows, columns, e, counts, f, acc, gather):
    """f = counts / norm of a block's words, and where `gather`, acc += sum over them of f times
    their rows.

    Sums are in the order of the topics and of the words. f: dtype[n] as long as the block, also
    where counts is shorter.
    """
    n, mp = rows.shape
    f[:] = 0.0
    for i in range(0, mp, 4):
        e0 = e[i]
        e1 = e[i + 1]
        e2 = e[i + 2]
        e3 = e[i + 3]
        c0 = columns[i]
        c1 = columns[i + 1]
        c2 = columns[i + 2]
        c3 = columns[i + 3]
        for j in range(n):
            f[j] = (((f[j] + e0 * c0[j]) + e1 * c1[j]) + e2 * c2[j]) + e3 * c3[j]
    for j in range(len(counts)):
        f[j] = counts[j] / f[j]
    f[len(counts) :] = 0.0
    if gather:
        for j in range(0, (len(counts) + 3) // 4 * 4, 4):
            f0 = f[j]
            f1 = f[j + 1]
            f2 = f[j + 2]
            f3 = f[j + 3]
            r0 = rows[j]
            r1 = rows[j + 1]
            r2 = rows[j + 2]
            r3 = rows[j + 3]
            for i in range(mp):
                acc[i] = (((acc[i] + f0 * r0[i]) + f1 * r1[i]) + f2 * r2[i]) + f3 * r3[i]


@njit(cache=True)
def _expect(gamma, m, v, shift, lanes, e):
    """e = exp psi(gamma) times a constant, for the first m of them, at least LEAST_WEIGHT where the
    largest is 1 or more."""
    mp = len(e)
    for i in range(mp):
        v[i], shift[i] = digamma_parts(gamma[i])
    shift[m:mp] = BEYOND_ANY_SUM
    least = _least(shift[:mp], lanes)
    for i in range(mp):
        e[i] = max(v[i] * exp_minus(shift[i] - least), LEAST_WEIGHT)


@njit(cache=True)
def _chosen(gamma, alpha, truncate, topics):
    """The topics that hold more than `truncate` tokens of a document, into `topics`: how many."""
    m = 0
    for k in range(len(alpha)):
        if gamma[k] - alpha[k] > truncate:
            topics[m] = k
            m += 1
    return m


@njit(cache=True)
def _gather(topics, m, own_alpha, own_gamma, alpha):
    """Bring alpha and gamma of the m topics of a document that are active to the first places; the
    places behind them, up to a multiple of LANES, have 1. topics: ascending, so that nothing is
    overwritten before it is read."""
    for i in range((m + LANES - 1) // LANES * LANES):
        if i < m:
            own_gamma[i] = own_gamma[topics[i]]
            own_alpha[i] = alpha[topics[i]]
        else:
            own_gamma[i] = 1.0
            own_alpha[i] = 1.0


@njit(cache=True)
def _scatter(topics, m, own_gamma, e, alpha, gamma, e_out):
    """gamma and e of all topics, from those of the m that are active: alpha and 0 of the others."""
    if m == len(alpha):
        gamma[:] = own_gamma[:m]
        e_out[:] = e[:m]
        return
    gamma[:] = alpha
    e_out[:] = 0.0
    for i in range(m):
        gamma[topics[i]] = own_gamma[i]
        e_out[topics[i]] = e[i]


@njit(cache=True)
def _fit(
    places,
    counts,
    b,
    alpha,
    gamma,
    e_out,
    f_out,
    limit,
    most,
    truncate,
    blocks,
    sums,
    numbers,
    topics,
):
    """The local step of one document, whose pairs are places and counts: its iterations.

    gamma, e_out: [K]; f_out: [n]. blocks: dtype[2, B * P]; sums: dtype[2 P + B]; numbers:
    float64[5, P]; topics: int32[K]: workspaces. P is K, and B the words of the longest block, both
    up to a multiple of LANES.
    """
    K = len(alpha)
    n = len(places)
    P = numbers.shape[1]
    size = min((n + LANES - 1) // LANES * LANES, blocks.shape[1] // P)
    own_alpha = numbers[0]
    own_gamma = numbers[1]
    v = numbers[2]
    shift = numbers[3]
    change = numbers[4]
    lanes = np.empty(LANES)
    m = K
    mp = P
    own_alpha[:] = 1.0
    own_gamma[:] = 1.0
    own_alpha[:K] = alpha
    own_gamma[:K] = gamma
    e = sums[:mp]
    acc = sums[P : P + mp]
    f = sums[2 * P : 2 * P + size]
    rows = blocks[0, : size * mp].reshape((size, mp))
    columns = blocks[1, : size * mp].reshape((mp, size))
    refill = True
    done = False
    iteration = 0
    _expect(own_gamma, m, v, shift, lanes, e)
    while True:
        acc[:] = 0.0
        for begin in range(0, n, size):
            end = min(begin + size, n)
            if refill:
                _fill(b, places[begin:end], topics, m, rows, columns)
                refill = n > size
            _multiply(rows, columns, e, counts[begin:end], f, acc, not done)
            if done:
                f_out[begin:end] = f[: end - begin]
        if done:
            break
        # gamma, and by how much it changed in all
        for i in range(mp):
            new = own_alpha[i] + e[i] * acc[i]
            change[i] = abs(new - own_gamma[i])
            own_gamma[i] = new
        iteration += 1
        done = _total(change[:mp], lanes) < limit or iteration >= most
        # After some iterations only the topics that the document has go on, if that saves columns
        if iteration == FULL_ITERATIONS and truncate > 0.0 and not done:
            active_topics = _chosen(own_gamma, alpha, truncate, topics)
            width = (active_topics + LANES - 1) // LANES * LANES
            if 0 < active_topics and width < mp:
                m = active_topics
                mp = width
                refill = True
                _gather(topics, m, own_alpha, own_gamma, alpha)
                e = sums[:mp]
                acc = sums[P : P + mp]
                rows = blocks[0, : size * mp].reshape((size, mp))
                columns = blocks[1, : size * mp].reshape((mp, size))
        _expect(own_gamma, m, v, shift, lanes, e)
    _scatter(topics, m, own_gamma, e, alpha, gamma, e_out)
    return iteration


@njit(cache=True, parallel=True)
def local_step(doc_ptr, places, counts, b, alpha, gamma, limits, most, truncate):
    """Fit gamma of each document of a minibatch: (e dtype[n, K], f dtype[P], iterations int32[n]).

    doc_ptr: int64[n + 1], the documents' pairs; places: int32[P], the row of b that a pair's word
    has; counts: float32[P], its tokens. b: dtype[W, K], as `table` gives it, or any weights of
    topics whose rows are scaled so that the largest is about 1. alpha: float64[K]. gamma:
    float64[n, K], where to start from; changed in place to what was found. limits: float64[n]: a
    document is done when the sum over k of |change of gamma_k| is below; most: or after so many
    iterations, at least 1. truncate: after FULL_ITERATIONS iterations topics that hold no more than
    so many of the document's tokens are left out: their gamma is alpha_k, and their e is 0; 0
    leaves none out.

    e: exp psi(gamma) but for a factor for each document; f: n / norm at this e: with them phi = e b
    f / n, s_kw is b_kw times the sum of e f, and the bound is `documents_bound`. A document without
    words gets gamma = alpha.
    """
    n = len(doc_ptr) - 1
    K = len(alpha)
    P = (K + LANES - 1) // LANES * LANES
    e = np.zeros((n, K), b.dtype)
    f = np.empty(doc_ptr[n], b.dtype)
    iterations = np.zeros(n, np.int32)
    bounds = chunk_bounds(doc_ptr)
    for chunk in prange(CHUNKS):
        longest = 0
        for d in range(bounds[chunk], bounds[chunk + 1]):
            longest = max(longest, doc_ptr[d + 1] - doc_ptr[d])
        longest_block = min((longest + LANES - 1) // LANES, max(BLOCK // P // LANES, 1)) * LANES
        blocks = np.empty((2, longest_block * P), b.dtype)
        sums = np.empty(2 * P + longest_block, b.dtype)
        numbers = np.empty((5, P))
        topics = np.empty(K, np.int32)
        for d in range(bounds[chunk], bounds[chunk + 1]):
            a = doc_ptr[d]
            z = doc_ptr[d + 1]
            if a < z:
                iterations[d] = _fit(
                    places[a:z],
                    counts[a:z],
                    b,
                    alpha,
                    gamma[d],
                    e[d],
                    f[a:z],
                    limits[d],
                    most,
                    truncate,
                    blocks,
                    sums,
                    numbers,
                    topics,
                )
            else:
                gamma[d] = alpha
    return e, f, iterations


@njit(cache=True, parallel=True)
def add_statistics(words, word_ptr, pairs, documents, e, f, b, unit, values, totals):
    """values[words] += unit s, and totals += the sum of that over words; s_kw = b_kw sum_d e_dk
    f_dw.

    words: int64[W], rows of values. word_ptr: int64[W + 1] and pairs: int32[P], as `rows.by_word`
    gives them. documents: int32[P], the row of e of each pair's document. e, f: of `local_step`; b:
    dtype[W, K]. values: dtype[V, K]; totals: float64[K].
    """
    W, K = b.shape
    bounds = chunk_bounds(word_ptr)
    added = np.zeros((CHUNKS, K))
    for chunk in prange(CHUNKS):
        acc = np.empty(K, b.dtype)
        for i in range(bounds[chunk], bounds[chunk + 1]):
            acc[:] = 0.0
            first = word_ptr[i]
            last = word_ptr[i + 1]
            full_blocks = first + (last - first) // 4 * 4
            for q in range(first, full_blocks, 4):
                p0 = pairs[q]
                p1 = pairs[q + 1]
                p2 = pairs[q + 2]
                p3 = pairs[q + 3]
                f0 = f[p0]
                f1 = f[p1]
                f2 = f[p2]
                f3 = f[p3]
                e0 = e[documents[p0]]
                e1 = e[documents[p1]]
                e2 = e[documents[p2]]
                e3 = e[documents[p3]]
                for k in range(K):
                    acc[k] = (((acc[k] + f0 * e0[k]) + f1 * e1[k]) + f2 * e2[k]) + f3 * e3[k]
            for q in range(full_blocks, last):
                f0 = f[pairs[q]]
                e0 = e[documents[pairs[q]]]
                for k in range(K):
                    acc[k] += f0 * e0[k]
            row = values[words[i]]
            weights = b[i]
            for k in range(K):
                more = unit * weights[k] * acc[k]
                row[k] += more
                added[chunk, k] += more
    add_in_order(added, totals)


@njit(cache=True, parallel=True)
def scatter(seed, mean, values, totals):
    """Fill values, dtype[V, K], with exponential numbers of that mean, keyed by seed and word, and
    totals, float64[K], with their sums by topic. seed: uint64."""
    V, K = values.shape
    added = np.zeros((CHUNKS, K))
    for chunk in prange(CHUNKS):
        for w in range(chunk * V // CHUNKS, (chunk + 1) * V // CHUNKS):
            state = rng.key(seed, np.uint64(rng.INIT), np.uint64(w), np.uint64(0))
            for k in range(K):
                state = rng.after(state)
                values[w, k] = -mean * math.log1p(-rng.unit(state))
                added[chunk, k] += values[w, k]
    totals[:] = 0.0
    add_in_order(added, totals)


@njit(cache=True, parallel=True)
def rescale(values, scale, totals):
    """values *= scale, and totals, float64[K], are again their sums by topic."""
    V, K = values.shape
    added = np.zeros((CHUNKS, K))
    for chunk in prange(CHUNKS):
        for w in range(chunk * V // CHUNKS, (chunk + 1) * V // CHUNKS):
            for k in range(K):
                values[w, k] *= scale
                added[chunk, k] += values[w, k]
    totals[:] = 0.0
    add_in_order(added, totals)


@njit(cache=True)
def list_values(values, scale, at_least):
    """Values of at least so many tokens, by topic: (indptr int64[K + 1], words int32, tokens
    float64), words ascending.

    values: dtype[V, K], tokens / scale.
    """
    V, K = values.shape
    sizes = np.zeros(K + 1, np.int64)
    for w in range(V):
        for k in range(K):
            if scale * values[w, k] >= at_least:
                sizes[k + 1] += 1
    indptr = np.cumsum(sizes)
    words = np.empty(indptr[K], np.int32)
    tokens = np.empty(indptr[K])
    cursor = indptr[:-1].copy()
    for w in range(V):
        for k in range(K):
            if scale * values[w, k] >= at_least:
                words[cursor[k]] = w
                tokens[cursor[k]] = scale * values[w, k]
                cursor[k] += 1
    return indptr, words, tokens


@njit(cache=True, parallel=True)
def log_theta(doc_ptr, gamma):
    """The sum over documents with words of E[log theta_dk]: float64[K]. gamma: float64[n, K];
    doc_ptr: as for `local_step`."""
    n, K = gamma.shape
    added = np.zeros((CHUNKS, K))
    for chunk in prange(CHUNKS):
        for d in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            if doc_ptr[d] < doc_ptr[d + 1]:
                total = coarse_digamma(sum_in_order(gamma[d]))
                for k in range(K):
                    added[chunk, k] += coarse_digamma(gamma[d, k]) - total
    log_shares = np.zeros(K)
    add_in_order(added, log_shares)
    return log_shares


@njit(cache=True, parallel=True)
def documents_bound(doc_ptr, places, counts, f, gamma, alpha, log_scale):
    """The bound's terms of each document, at phi of its gamma: float64[n], 0 for one without words.

    sum_w n_w log norm_w + sum_k (alpha_k - gamma_k) E[log theta_k] + lnG(sum alpha) - sum
    lnG(alpha_k)
    + sum lnG(gamma_k) - lnG(sum gamma). doc_ptr, places, counts: of the minibatch; f, gamma: of
    `local_step`; log_scale: float64[W], of `table`.
    """
    n, K = gamma.shape
    bounds = np.zeros(n)
    prior = math.lgamma(sum_in_order(alpha))
    for k in range(K):
        prior -= math.lgamma(alpha[k])
    for d in prange(n):
        if doc_ptr[d] == doc_ptr[d + 1]:
            continue
        total = 0.0
        largest = 0.0
        for k in range(K):
            total += gamma[d, k]
            largest = max(largest, gamma[d, k])
        _, least = digamma_parts(largest)  # what the local step divides e by
        psi_total = coarse_digamma(total)
        value = prior - math.lgamma(total)
        for k in range(K):
            value += (alpha[k] - gamma[d, k]) * (
                coarse_digamma(gamma[d, k]) - psi_total
            ) + math.lgamma(gamma[d, k])
        for p in range(doc_ptr[d], doc_ptr[d + 1]):
            value += counts[p] * (
                math.log(counts[p] / f[p]) - least - psi_total + log_scale[places[p]]
            )
        bounds[d] = value
    return bounds


@njit(cache=True, parallel=True)
def topics_sums(values, scale, eta):
    """Sums over topics and words of psi(lam), (lam - eta) psi(lam) and lnG(lam), lam = eta + scale
    values: float64[3].

    What the bound and eta's derivative are made of.
    """
    V, K = values.shape
    by_word = np.zeros((V, 3))
    for w in prange(V):
        for k in range(K):
            n = scale * values[w, k]
            log = coarse_digamma(eta + n)
            by_word[w, 0] += log
            by_word[w, 1] += n * log
            by_word[w, 2] += math.lgamma(eta + n)
    three_sums = np.zeros(3)
    add_in_order(by_word, three_sums)
    return three_sums


@njit(cache=True, parallel=True)
def remember(documents, gamma, kept, strongest):
    """Keep the largest gamma of each document of a minibatch: kept, float32[D, L], and of which
    topics, strongest, uint16[D, L]; all of them, by topic, where strongest has no columns.
    documents: int64[n]; gamma: float64[n, K]."""
    L = kept.shape[1]
    K = gamma.shape[1]
    for d in prange(len(documents)):
        row = kept[documents[d]]
        if strongest.shape[1] == 0:
            row[:] = gamma[d, :L]
            continue
        topics = strongest[documents[d]]
        m = 0
        for k in range(K):
            value = np.float32(gamma[d, k])
            if m < L or value > row[L - 1]:
                i = min(m, L - 1)
                while i > 0 and row[i - 1] < value:
                    row[i] = row[i - 1]
                    topics[i] = topics[i - 1]
                    i -= 1
                row[i] = value
                topics[i] = k
                m = min(m + 1, L)


@njit(cache=True, parallel=True)
def adapt(values, target, mean, weight):
    """The running mean of a rate's steps g = target - values, mean <- (1 - weight) mean + weight g:
    (|g|^2, |mean|^2).

    values, target, mean: dtype[V, K] (Ranganath et al. 2013).
    """
    V, K = values.shape
    by_word = np.zeros((V, 2))
    for w in prange(V):
        for k in range(K):
            g = target[w, k] - values[w, k]
            mean[w, k] += weight * (g - mean[w, k])
            by_word[w, 0] += np.float64(g) * g
            by_word[w, 1] += np.float64(mean[w, k]) * mean[w, k]
    sums = np.zeros(2)
    add_in_order(by_word, sums)
    return sums[0], sums[1]
