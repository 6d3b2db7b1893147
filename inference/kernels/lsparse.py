"""Kernels of `lsparse`: variational inference in which a token has at most L topics (paper 003).

A word's weights exp E[log beta_kw] are kept as its sparse row: listed entries, and for every other topic
g_k times one number of the word, since E[log beta_kw] = psi(eta) - psi(sum_w lam_kw) there. A word's weights are
divided by their largest, exp(scale): that cancels in every softmax, and nothing underflows that matters.

All sums have a fixed order and stay within a document or a word, so results do not depend on threads.
"""

import math

import numpy as np
from numba import njit, prange

from inference.kernels.gibbs import CHUNKS, shares
from inference.kernels.select import largest, rounded
from inference.kernels.special import psi as digamma

ABSENT = 1e-9  # tokens: a topic with no more in a document is not active there, and does not come back (003, D.3)
BLOCK = 1 << 22  # weights of a document's (word, topic) pairs that are kept side by side; beyond, gathered each sweep
SELECTING = 5  # sweeps that select the topics anew, and then each RESELECT-th (003, D.3, as in its code)
RESELECT = 10
COLD, WARM, BETTER = (
    0,
    1,
    2,
)  # where a document begins: from its words alone, from what is remembered, the better of both


@njit(cache=True)
def unlisted(totals, V, eta):
    """Of words that a topic does not list: (g float64[K], relative weights, the largest 1; the log of the largest;
    norm float64[K], psi(V eta + totals))."""
    K = len(totals)
    norm = np.empty(K)
    for k in range(K):
        norm[k] = digamma(V * eta + max(totals[k], 0.0))
    base = digamma(eta) - norm.min()
    return np.exp(norm.min() - norm), base, norm


@njit(cache=True, parallel=True)
def weigh(words, start, length, arena_topics, arena_values, unit, eta, norm, base):
    """exp E[log beta] of some words, in sparse rows: (row_ptr int64[n + 1], topics int32, weights float64, rest
    float64[n], scale float64[n]). A topic that is not listed weighs rest times g_k; all weights times exp(scale).

    words: int64[n], distinct. arena_values: float64, statistics in units of `unit`. norm, base: of `unlisted`.
    """
    n = len(words)
    row_ptr = np.zeros(n + 1, np.int64)
    for i in range(n):
        row_ptr[i + 1] = row_ptr[i] + length[words[i]]
    topics, weights = np.empty(row_ptr[n], np.int32), np.empty(row_ptr[n])
    rest, scale = np.empty(n), np.empty(n)
    bounds = shares(row_ptr)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            most = base
            at = start[words[i]] - row_ptr[i]
            for q in range(row_ptr[i], row_ptr[i + 1]):
                topics[q] = arena_topics[at + q]
                weights[q] = digamma(eta + unit * arena_values[at + q]) - norm[topics[q]]
                most = max(most, weights[q])
            for q in range(row_ptr[i], row_ptr[i + 1]):
                weights[q] = math.exp(weights[q] - most)
            rest[i], scale[i] = math.exp(base - most), most
    return row_ptr, topics, weights, rest, scale


@njit(cache=True, parallel=True)
def first_choice(row_ptr, row_topics, weights, rest, g, L):
    """The L topics of largest weight of each word: int32[n, min(L, K)], ascending. Under an even theta, as a document
    begins, they are the best of each of its tokens; so they are chosen once a word and not in each document."""
    n, K = len(rest), len(g)
    out = np.empty((n, min(L, K)), np.int32)
    for chunk in prange(CHUNKS):
        row, buffer = np.empty(K), np.empty(K)
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            for k in range(K):
                row[k] = g[k] * rest[i]
            for q in range(row_ptr[i], row_ptr[i + 1]):
                row[row_topics[q]] = weights[q]
            largest(row, K, L, buffer, out[i])
    return out


@njit(cache=True, inline="always")
def _gather(w, row_ptr, row_topics, weights, rest, g, active, m, place, out, at):
    """A word's weights for a document's active topics, into out[at:]. place: int32[K], each topic's among them, or
    -1."""
    for a in range(m):
        out[at + a] = g[active[a]] * rest[w]
    for q in range(row_ptr[w], row_ptr[w + 1]):
        a = place[row_topics[q]]
        if a >= 0:
            out[at + a] = weights[q]


@njit(cache=True)
def _weight(w, k, row_ptr, row_topics, weights, rest, g):
    """exp(E[log beta_kw] - scale_w)."""
    low, high = row_ptr[w], row_ptr[w + 1]
    while low < high:
        middle = (low + high) // 2
        if row_topics[middle] < k:
            low = middle + 1
        else:
            high = middle
    return weights[low] if low < row_ptr[w + 1] and row_topics[low] == k else g[k] * rest[w]


@njit(cache=True)
def objective(topics, r, units, places, counts, rows, g, scale, alpha, N):
    """A document's part of the bound, L_d (003, eqs. 46-49, with theta at its best for r): a float.

    sum_k lnGamma(alpha + N_k) - lnGamma(alpha) + sum_j c_j sum_k r_jk (E[log beta_kj] - log r_jk) + lnGamma(K alpha) -
    lnGamma(K alpha + N_d). topics: uint16[n, L] and r: float64[n, L], times `units`, of its n pairs. N: float64[K], 0
    before and after.
    """
    row_ptr, row_topics, weights, rest = rows
    total, tokens = 0.0, 0.0
    for j in range(len(places)):
        part = scale[places[j]]
        for i in range(topics.shape[1]):
            if r[j, i] > 0.0:
                share = r[j, i] / units
                part += share * math.log(
                    _weight(places[j], topics[j, i], row_ptr, row_topics, weights, rest, g) / share
                )
                N[topics[j, i]] += counts[j] * share
        total += counts[j] * part
        tokens += counts[j]
    for j in range(len(places)):
        for i in range(topics.shape[1]):
            k = topics[j, i]
            if N[k] > 0.0:
                total += math.lgamma(alpha + N[k]) - math.lgamma(alpha)
                N[k] = 0.0
    prior = alpha * len(N)
    return total + math.lgamma(prior) - math.lgamma(prior + tokens)


@njit(cache=True)
def _relative(block, held, m, n, row, idx, r, words, counts, rows, g, active, place, alpha, N):
    """`objective` of a document's present r but for what no change of r changes: by its block."""
    row_ptr, row_topics, weights, rest = rows
    total = 0.0
    for j in range(n):
        at = j * m
        if not held:
            _gather(words[j], row_ptr, row_topics, weights, rest, g, active, m, place, row, 0)
        part = 0.0
        for i in range(idx.shape[1]):
            if r[j, i] > 0.0:
                part += r[j, i] * math.log((block[at + idx[j, i]] if held else row[idx[j, i]]) / r[j, i])
        total += counts[j] * part
    for a in range(m):
        if N[a] > 0.0:
            total += math.lgamma(alpha + N[a]) - math.lgamma(alpha)
    return total


@njit(cache=True)
def _sweep(
    selects,
    drops,
    block,
    held,
    m,
    n,
    e,
    w,
    row,
    buffer,
    chosen,
    idx,
    r,
    words,
    counts,
    rows,
    g,
    active,
    place,
    alpha,
    N,
    new,
):
    """r of each of a document's tokens by N, and then N by r; returns the largest change of an N.

    r_jk is in proportion to exp(psi(alpha + N_k) + E[log beta_kj]) over the L largest (003, eqs. 8-10), or over the L of
    the last selection. drops: whether topics with no more than ABSENT tokens are left out. A token to which every active
    topic's weight underflows keeps its r, which lowers nothing. One long kernel: both kinds of sweep share a document's
    workspaces.
    """  # fmt: skip
    row_ptr, row_topics, weights, rest = rows
    L = idx.shape[1]
    most = -np.inf
    for a in range(m):
        new[a] = 0.0
        e[a] = digamma(alpha + N[a]) if N[a] > ABSENT or not drops else -np.inf
        most = max(most, e[a])
    for a in range(m):
        e[a] = math.exp(e[a] - most)
    for j in range(n):
        at = j * m
        if not held:
            _gather(words[j], row_ptr, row_topics, weights, rest, g, active, m, place, row, 0)
        if selects:
            for a in range(m):
                w[a] = e[a] * (block[at + a] if held else row[a])
            size = largest(w, m, L, buffer, chosen)
            total = 0.0
            for i in range(size):
                total += w[chosen[i]]
            if total > 0.0:
                for i in range(L):
                    idx[j, i] = chosen[i] if i < size else 0
                    r[j, i] = w[chosen[i]] / total if i < size else 0.0
        else:
            total = 0.0
            for i in range(L):
                w[i] = 0.0
                if r[j, i] > 0.0:
                    w[i] = e[idx[j, i]] * (block[at + idx[j, i]] if held else row[idx[j, i]])
                total += w[i]
            if total > 0.0:
                for i in range(L):
                    r[j, i] = w[i] / total
        for i in range(L):
            new[idx[j, i]] += counts[j] * r[j, i]
    change = 0.0
    for a in range(m):
        change = max(change, abs(new[a] - N[a]))
        N[a] = new[a]
    return change


@njit(cache=True)
def _propose(
    restarts,
    drops,
    block,
    held,
    m,
    n,
    e,
    w,
    row,
    buffer,
    chosen,
    idx,
    r,
    words,
    counts,
    rows,
    g,
    active,
    place,
    alpha,
    N,
    new,
):
    """Restart proposals (003, section 5): a topic's tokens are given to the others, and it stays so where the objective
    rises. Topics by ascending N, at most `restarts`. Returns (proposals, accepted).

    Each goes by two sweeps from N_k = 0.
    """  # fmt: skip
    order = N[:m].copy()  # as it was before any proposal; inf where it was tried
    tried, accepted = 0, 0
    score = 0.0
    for _ in range(min(restarts, m)):
        a, left = -1, 0
        for b in range(m):
            left += N[b] > ABSENT
            if N[b] > ABSENT and order[b] < np.inf and (a < 0 or order[b] < order[a]):
                a = b
        if left < 2 or a < 0:
            break
        order[a] = np.inf
        if tried == 0:
            score = _relative(block, held, m, n, row, idx, r, words, counts, rows, g, active, place, alpha, N)
        tried += 1
        N_before, idx_before, r_before = N[:m].copy(), idx.copy(), r.copy()
        N[a] = 0.0
        for _ in range(2):
            _sweep(True, drops, block, held, m, n, e, w, row, buffer, chosen, idx, r, words, counts, rows, g, active,
                   place, alpha, N, new)  # fmt: skip
        proposed = _relative(block, held, m, n, row, idx, r, words, counts, rows, g, active, place, alpha, N)
        if proposed > score:
            score = proposed
            accepted += 1
        else:
            N[:m] = N_before
            idx[:] = idx_before
            r[:] = r_before
    return tried, accepted


@njit(cache=True)
def _compact(block, held, m, n, idx, r, active, place, N):
    """Leave out the topics with no more than ABSENT tokens; returns how many are left."""
    left = 0
    into = np.zeros(m, np.int32)
    for a in range(m):
        place[active[a]] = -1
        if N[a] > ABSENT:
            into[a] = left
            place[active[a]] = left
            active[left], N[left] = active[a], N[a]
            left += 1
        else:
            into[a] = -1
    for j in range(n):
        for i in range(idx.shape[1]):
            if into[idx[j, i]] < 0:
                idx[j, i], r[j, i] = 0, 0.0
            else:
                idx[j, i] = into[idx[j, i]]
        if held:
            for a in range(m):
                if into[a] >= 0:
                    block[j * left + into[a]] = block[j * m + a]
    return left


@njit(cache=True)
def _begin(dense, topics, r, units, firsts, n, words, counts, rows, g, place, active, K, N, idx, own):
    """A document's active topics, ascending, and the r that it begins with; returns how many are active, 0 where a word
    has no weight in them. firsts: of `first_choice`, where units is 0; else topics and r, times `units`, say both.
    """
    row_ptr, row_topics, weights, rest = rows
    m = 0
    L = idx.shape[1]
    width = firsts.shape[1] if units == 0.0 else L
    for j in range(n):
        for i in range(width):
            if units == 0.0:
                k = firsts[words[j], i]
            elif r[j, i] > 0.0:
                k = np.int32(topics[j, i])
            else:
                continue
            if place[k] < 0:
                place[k] = 0
                active[m] = k
                m += 1
    if dense:
        m = K
        for k in range(K):
            active[k] = k
    active[:m].sort()
    for a in range(m):
        place[active[a]] = a
        N[a] = 0.0
    for j in range(n):
        total = 0.0
        for i in range(L):
            idx[j, i], own[j, i] = 0, 0.0
            if i < width and (units == 0.0 or r[j, i] > 0.0):
                k = firsts[words[j], i] if units == 0.0 else np.int32(topics[j, i])
                weight = _weight(words[j], k, row_ptr, row_topics, weights, rest, g)
                idx[j, i] = place[k]
                own[j, i] = weight if units == 0.0 else r[j, i] / units
                total += weight
        if total == 0.0:
            for a in range(m):
                place[active[a]] = -1
            return 0
        for i in range(L):
            if units == 0.0:
                own[j, i] /= total
            N[idx[j, i]] += counts[j] * own[j, i]
    return m


@njit(cache=True)
def _solve(
    topics, r, units, firsts, words, counts, rows, g, alpha, settings, place, active, out_topics, out_r, out_units
):
    """One document's tokens from one beginning, into out_topics and out_r (times out_units).

    units: 0 where it begins with its words alone. Returns (sweeps, proposals, accepted); no sweeps where it can't begin.
    One long function: it holds the document's workspaces.
    """  # fmt: skip
    restarts, sweeps, change, most = settings
    n, K, L = len(words), len(g), out_r.shape[1]
    dense = L >= K
    N = np.empty(K)
    idx, own = np.empty((n, L), np.int32), np.empty((n, L))
    m = _begin(dense, topics, r, units, firsts, n, words, counts, rows, g, place, active, K, N, idx, own)
    if m == 0:
        return 0, 0, 0
    row_ptr, row_topics, weights, rest = rows
    held = n * m <= most
    block = np.empty(n * m if held else 0)
    e, w, row, buffer, new = np.empty(m), np.empty(max(m, L)), np.empty(m), np.empty(m), np.empty(m)
    chosen = np.empty(L, np.int32)
    if held:
        for j in range(n):
            _gather(words[j], row_ptr, row_topics, weights, rest, g, active, m, place, block, j * m)
    done = 0
    for sweep in range(1, sweeps + 1):
        selects = sweep <= SELECTING or sweep % RESELECT == 0
        moved = _sweep(selects, not dense, block, held, m, n, e, w, row, buffer, chosen, idx, own, words, counts, rows, g,
                       active, place, alpha, N, new)  # fmt: skip
        done = sweep
        if sweep >= SELECTING and moved < change:
            break
        if selects and not dense:
            left = 0
            for a in range(m):
                left += N[a] > ABSENT
            if 4 * left <= 3 * m:
                m = _compact(block, held, m, n, idx, own, active, place, N)
    tried, accepted = _propose(restarts, not dense, block, held, m, n, e, w, row, buffer, chosen, idx, own, words, counts,
                               rows, g, active, place, alpha, N, new)  # fmt: skip
    for j in range(n):
        for i in range(L):
            out_topics[j, i] = active[idx[j, i]]
            out_r[j, i] = own[j, i]
        if out_units > 1.0:
            rounded(own[j], L, out_units, out_r[j])
    for a in range(m):
        place[active[a]] = -1
    return done, tried, accepted


@njit(cache=True, parallel=True)
def visit(doc_ptr, places, counts, row_ptr, row_topics, weights, rest, scale, g, firsts, alpha, start, restarts, sweeps, change,
          block, old_topics, old_r, units, out_topics, out_r, told):  # fmt: skip
    """The local step of some documents (003, Algorithm 2): at most L topics for each token, and in which shares.

    doc_ptr: int64[n + 1], the documents' pairs. places: int32[P], of each pair's word among the rows. counts:
    float64[P]. row_ptr … scale: of `weigh`; g: of `unlisted`; firsts: of `first_choice`. start: COLD, WARM or BETTER;
    restarts, sweeps: at the most; change: of an N_dk in tokens, below which a document is done. block:
    BLOCK. old_topics: uint16[P, L] and old_r: float64[P, L], shares times `units`, all 0 in a document that was not
    seen; without rows where nothing is remembered. out_topics: uint16[P, L] and out_r: float64[P, L], times `units`, are filled. told: int64[n, 4]: sweeps,
    restarts that were proposed, that were accepted, and what was the best: 0 what is remembered, 1 what came from there, 2
    what came from the words alone.

    With WARM and BETTER what is remembered is kept where nothing better is found, under the present topics: the bound
    can't fall then.
    """
    K = len(g)
    bounds = shares(doc_ptr)
    for chunk in prange(CHUNKS):
        place, active, N = np.full(K, -1, np.int32), np.empty(K, np.int32), np.zeros(K)
        rows = (row_ptr, row_topics, weights, rest)
        for d in range(bounds[chunk], bounds[chunk + 1]):
            own = slice(doc_ptr[d], doc_ptr[d + 1])
            if doc_ptr[d] < doc_ptr[d + 1]:
                _visit_one(
                    places[own], counts[own], rows, scale, g, firsts, alpha, start, (restarts, sweeps, change, block), old_topics[own],
                    old_r[own], units, out_topics[own], out_r[own], told[d], place, active, N,
                )  # fmt: skip


@njit(cache=True)
def _visit_one(words, counts, rows, scale, g, firsts, alpha, start, settings, old_topics, old_r, units, out_topics, out_r, told,
               place, active, N):  # fmt: skip
    """A document: the best of what is remembered, what comes from there, and what comes from its words alone."""
    known = start != COLD and len(old_r) > 0 and old_r[0].any()
    topics, r = np.zeros(out_topics.shape, np.uint16), np.zeros(out_r.shape)
    best = -np.inf
    for attempt in range(3):
        if attempt < 2 and not known or attempt == 2 and known and start == WARM and told[0] > 0:
            continue
        if attempt == 0:
            topics[:], r[:] = old_topics, old_r
        else:
            done, tried, accepted = _solve(
                old_topics, old_r, units if attempt == 1 else 0.0, firsts, words, counts, rows, g, alpha, settings, place, active,
                topics, r, units,
            )  # fmt: skip
            if done == 0:
                continue
            told[0] += done
            told[1] += tried
            told[2] += accepted
        score = objective(topics, r, units, words, counts, rows, g, scale, alpha, N) if known else 0.0
        if score >= best:
            best = score
            told[3] = attempt
            out_topics[:], out_r[:] = topics, r


@njit(cache=True, parallel=True)
def objectives(doc_ptr, places, counts, row_ptr, row_topics, weights, rest, scale, g, alpha, topics, r, units):
    """`objective` of each document: float64[n]; 0 without words."""
    n = len(doc_ptr) - 1
    out = np.zeros(n)
    for chunk in prange(CHUNKS):
        N = np.zeros(len(g))
        rows = (row_ptr, row_topics, weights, rest)
        for d in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            own = slice(doc_ptr[d], doc_ptr[d + 1])
            if doc_ptr[d] < doc_ptr[d + 1]:
                out[d] = objective(topics[own], r[own], units, places[own], counts[own], rows, g, scale, alpha, N)
    return out


@njit(cache=True)
def mixtures(doc_ptr, counts, topics, r, alpha, K, least):
    """theta of some documents: (indptr int64[n + 1], topics int32, weights float32), largest first.

    theta_dk = (alpha + N_dk) / (K alpha + N_d), listed where N_dk is at least `least` of N_d, and the largest in any
    case. topics: uint16[P, L]; r: float64[P, L], which sums to 1 over L.
    """
    n, L = len(doc_ptr) - 1, topics.shape[1]
    N, touched = np.zeros(K), np.empty(K, np.int64)
    indptr = np.zeros(n + 1, np.int64)
    out_topics, out_weights = np.empty(min(topics.size, n * K), np.int32), np.empty(min(topics.size, n * K), np.float32)
    at = 0
    for d in range(n):
        m, tokens = 0, 0.0
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            tokens += counts[j]
            for i in range(L):
                k = topics[j, i]
                if r[j, i] > 0.0:
                    if N[k] == 0.0:
                        touched[m] = k
                        m += 1
                    N[k] += counts[j] * r[j, i]
        here = np.sort(touched[:m])
        order = np.argsort(-N[here], kind="mergesort")
        for i in range(m):
            k = here[order[i]]
            if i == 0 or N[k] >= least * tokens:
                out_topics[at], out_weights[at] = k, (alpha + N[k]) / (K * alpha + tokens)
                at += 1
        for i in range(m):
            N[here[i]] = 0.0
        indptr[d + 1] = at
    return indptr, out_topics[:at].copy(), out_weights[:at].copy()


@njit(cache=True)
def whole(r, units):
    """r, which sums to 1 over L, in whole numbers of 1 / units: uint16[P, L]; see `select.rounded`."""
    out, row = np.empty(r.shape, np.uint16), np.empty(r.shape[1])
    for p in range(len(r)):
        rounded(r[p], r.shape[1], units, row)
        for i in range(r.shape[1]):
            out[p, i] = np.uint16(row[i])
    return out
