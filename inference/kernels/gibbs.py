"""Sparse Gibbs sampling of a minibatch's topic indicators under fixed topics (SSI, eqs. 9 and 15).

Within a minibatch lambda does not change. So of the normaliser of eq. 15, written with N_dk and alpha apart,

    Z = sum_k N_dk c_wk  +  alpha sum_k c_wk  +  sum_k N_dk g_k  +  alpha sum_k g_k,
    c_wk = (exp psi(eta + N~_kw) - exp psi(eta)) / exp psi(V eta + N~_k),   g_k = exp psi(eta) / exp psi(V eta + N~_k),

the second sum is a constant of the word and the fourth of the minibatch, each drawn from by bisection of its running
sums; the third changes by one term with a token; the first has a term for each topic that both the document and the word
have. No token costs O(K).
"""

import numpy as np
from numba import njit, prange

from inference.kernels import rng
from inference.kernels.special import exp_digamma

TABLE_ENTRIES = 1 << 23  # of (word, topic) weights that a minibatch may spread out for direct look-up: 32 MiB
LEAST = 1e-300  # in place of a normaliser that underflowed
CHUNKS = 64  # of a minibatch's documents, each with a workspace of its own; fixed, so results don't depend on threads


@njit(cache=True, parallel=True)
def gather(words, start, length, row_topics, row_values, scale, eta, norm, alpha, log_expectation):
    """The rows of a minibatch's words, as weights: (indptr int64[n + 1], topics int32[nnz], c, cum float64[nnz], table).

    words: int64[n], distinct. start, length: of each word's row in row_topics (ascending) and row_values, which hold
    N~_kw / scale. norm: float64[K], exp psi(V eta + N~_k), or V eta + N~_k where log_expectation is False. `cum` is the
    running sum of c within a word, times alpha. `table` holds c as float32[n, K] where that is small, else nothing.
    """
    n, K = len(words), len(norm)
    indptr = np.zeros(n + 1, np.int64)
    for i in range(n):
        indptr[i + 1] = indptr[i] + length[words[i]]
    topics = np.empty(indptr[n], np.int32)
    c = np.empty(indptr[n])
    cum = np.empty(indptr[n])
    spread = n * K <= TABLE_ENTRIES
    table = np.empty((n, K) if spread else (0, K), np.float32)
    base = exp_digamma(eta) if log_expectation else eta
    for i in prange(n):
        total = 0.0
        if spread:
            for k in range(K):
                table[i, k] = 0.0
        at = start[words[i]]
        for j in range(length[words[i]]):
            k = row_topics[at + j]
            x = eta + scale * row_values[at + j]
            value = ((exp_digamma(x) if log_expectation else x) - base) / norm[k]
            total += value
            topics[indptr[i] + j] = k
            c[indptr[i] + j] = value
            cum[indptr[i] + j] = alpha * total
            if spread:
                table[i, k] = value
    return indptr, topics, c, cum, table


@njit(cache=True)
def smoothing(norm, eta, alpha, log_expectation):
    """g: float64[K], and alpha times its running sum."""
    g = (exp_digamma(eta) if log_expectation else eta) / norm
    return g, alpha * np.cumsum(g)


@njit(cache=True)
def normalisers(totals, V, eta, log_expectation):
    """exp psi(V eta + N~_k) for each topic, or V eta + N~_k; never 0, so that what is divided by it stays finite.

    Where V eta is tiny and a topic has no tokens it underflows, and so does everything that it divides: 0 / LEAST is 0,
    where 0 / 0 would make the whole of eq. 15 unknown. Totals of rounding errors may fall a little below 0.
    """
    out = np.empty(len(totals))
    for k in range(len(totals)):
        x = V * eta + max(totals[k], 0.0)
        out[k] = max(exp_digamma(x) if log_expectation else x, LEAST)
    return out


@njit(cache=True, inline="always")
def _first_above(values, lo, hi, x):
    """The first place in lo … hi - 1 whose value exceeds x, hi - 1 at the last."""
    last = hi - 1
    while lo < hi:
        mid = (lo + hi) >> 1
        if values[mid] > x:
            hi = mid
        else:
            lo = mid + 1
    return min(lo, last)


@njit(cache=True, inline="always")
def _find(topics, lo, hi, k):
    """The place of k in the ascending topics[lo:hi], or -1."""
    while lo < hi:
        mid = (lo + hi) >> 1
        if topics[mid] < k:
            lo = mid + 1
        else:
            hi = mid
    return lo


@njit(cache=True)
def draw(u, w, a, b, topics, c, cum, table, g, gcum, counts, active, n_active, g_mass, alpha, buffer_topic, buffer_sum):
    """A topic from eq. 9 for a token of the word w, whose row is topics[a:b], by u uniform in [0, 1).

    counts: N_dk without this token, int32[K]; active: its non-zero topics, n_active of them; g_mass: sum of N_dk g_k.
    """
    # sum_k N_dk c_wk: over the word's topics or over the document's, whichever are fewer.
    m, q = 0, 0.0
    if len(table):
        m = n_active
        for i in range(n_active):
            k = active[i]
            q += counts[k] * table[w, k]
            buffer_topic[i], buffer_sum[i] = k, q
    elif b - a <= 4 * n_active:
        for j in range(a, b):
            k = topics[j]
            if counts[k]:
                q += counts[k] * c[j]
                buffer_topic[m], buffer_sum[m] = k, q
                m += 1
    else:
        for i in range(n_active):
            k = active[i]
            j = _find(topics, a, b, k)
            if j < b and topics[j] == k:
                q += counts[k] * c[j]
                buffer_topic[m], buffer_sum[m] = k, q
                m += 1
    word = cum[b - 1] if b > a else 0.0
    K = len(g)
    total = q + word + g_mass + gcum[K - 1]
    if not total > 0.0:
        # Every weight underflowed (an eta near 0, a word that no topic has): what is left of eq. 9 is alpha + N_dk.
        n = 0
        for i in range(n_active):
            n += counts[active[i]]
        x = u * (K * alpha + n)
        for i in range(n_active):
            x -= counts[active[i]]
            if x < 0.0:
                return active[i]
        return min(K - 1, np.int64(max(x, 0.0) / alpha))
    x = u * total
    if x < q:
        for i in range(m):
            if buffer_sum[i] > x:
                return buffer_topic[i]
        return buffer_topic[m - 1]
    x -= q
    if x < word:
        return topics[_first_above(cum, a, b, x)]
    x -= word
    if x < g_mass:
        for i in range(n_active):
            x -= counts[active[i]] * g[active[i]]
            if x < 0.0:
                return active[i]
        return active[n_active - 1]
    x -= g_mass
    return _first_above(gcum, 0, K, x)


@njit(cache=True, parallel=True)
def sample(indptr, tokens, row_ptr, row_topics, c, cum, table, g, gcum, alpha, burn_in, samples, keys, out):
    """Gibbs sweeps over each document of a minibatch by itself; the last `samples` sweeps go to `out`.

    indptr: int64[n + 1], the documents' tokens; tokens: int32[N], each the place of its word among the rows. keys:
    uint64[n], a random stream for each document. out: int32[samples, N]. z starts as in the paper's footnote 3: each
    token given the topics of the tokens before it.
    """
    n_documents, K = len(indptr) - 1, len(g)
    for chunk in prange(CHUNKS):
        counts = np.zeros(K, np.int32)
        active = np.empty(K, np.int32)
        place = np.empty(K, np.int32)
        buffer_topic = np.empty(K, np.int32)
        buffer_sum = np.empty(K)
        for d in range(chunk * n_documents // CHUNKS, (chunk + 1) * n_documents // CHUNKS):
            first, end = indptr[d], indptr[d + 1]
            z = np.empty(end - first, np.int32)
            state = keys[d]
            n_active = 0
            for sweep in range(burn_in + samples + 1):
                g_mass = 0.0  # anew in each sweep: sums of differences drift
                for i in range(n_active):
                    g_mass += counts[active[i]] * g[active[i]]
                for i in range(first, end):
                    if sweep:
                        old = z[i - first]
                        counts[old] -= 1
                        g_mass -= g[old]
                        if counts[old] == 0:
                            n_active -= 1
                            moved = active[n_active]
                            active[place[old]] = moved
                            place[moved] = place[old]
                            if n_active == 0:
                                g_mass = 0.0
                    state = rng.after(state)
                    w = tokens[i]
                    new = draw(rng.unit(state), w, row_ptr[w], row_ptr[w + 1], row_topics, c, cum, table, g, gcum, counts,
                               active, n_active, g_mass, alpha, buffer_topic, buffer_sum)  # fmt: skip
                    if counts[new] == 0:
                        active[n_active] = new
                        place[new] = n_active
                        n_active += 1
                    counts[new] += 1
                    g_mass += g[new]
                    z[i - first] = new
                if sweep > burn_in:
                    out[sweep - burn_in - 1, first:end] = z
            for i in range(n_active):
                counts[active[i]] = 0
