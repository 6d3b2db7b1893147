"""Kernels of `lsparse`: variational inference in which a token has at most L topics (paper 003).

A word's weights exp E[log beta_kw] are kept as its sparse row: listed entries, and for every other
topic g_k times one number of the word, since E[log beta_kw] = psi(eta) - psi(sum_w lam_kw) there. A
word's weights are divided by their largest, exp(scale): that cancels in every softmax, and nothing
underflows that matters.

All sums have a fixed order and stay within a document or a word, so results do not depend on
threads.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from inference.kernels.chunks import CHUNKS, chunk_bounds, cumulated
from inference.kernels.select import largest, rounded
from inference.kernels.special import digamma, sum_in_order
from inference.runtime.jit import njit

# tokens: a topic with no more in a document is not active there, and does not come back (003, D.3)
ABSENT = 1e-9
# Weights of a document's (word, topic) pairs that are kept side by side; of more pairs they are
# gathered in each sweep
BLOCK = 1 << 22
# What `visit` says of each document; of START: it began from the words alone
SWEEPS = 0
PROPOSED = 1
ACCEPTED = 2
START = 3
FROM_NOTHING = 2
VISITED = 4
# A document begins with its words alone, with what is remembered, with the better of both
COLD, WARM, BETTER = (
    0,
    1,
    2,
)


class Weights(NamedTuple):
    """exp E[log beta] of some words, in sparse rows: row_ptr int64[n + 1], topics int32, weights
    float64, rest float64[n], scale float64[n]. A topic that is not listed weighs rest times g_k;
    all weights times exp(scale)."""

    row_ptr: np.ndarray
    topics: np.ndarray
    weights: np.ndarray
    rest: np.ndarray
    scale: np.ndarray


class Tokens(NamedTuple):
    """Topics of tokens, uint16[P, L] (of `first_choice` int32), and in which shares, float64[P, L]:
    times some number, all 0 in a document that was not seen."""

    topics: np.ndarray
    shares: np.ndarray


class How(NamedTuple):
    """How a document is visited. start: COLD, WARM or BETTER. restarts, sweeps: at the most.
    change: of an N_dk in tokens, below which a document is done. block: BLOCK. units: what shares
    are times; where that is more than 1 they are whole numbers."""

    start: int
    restarts: int
    sweeps: int
    change: float
    block: int
    units: float


class Document(NamedTuple):
    """A document under the present topics. words: int32[n], places among the rows; counts:
    float64[n]. active: int32[K], its active topics first; place: int32[K], each topic's among them,
    or -1."""

    words: np.ndarray
    counts: np.ndarray
    rows: Weights
    g: np.ndarray
    alpha: float
    active: np.ndarray
    place: np.ndarray


class Work(NamedTuple):
    """Room to work in. block: the weights of all words for the active topics side by side where
    `held`; row: those of one word."""

    block: np.ndarray
    held: bool
    row: np.ndarray
    e: np.ndarray
    logs: np.ndarray
    w: np.ndarray
    buffer: np.ndarray
    new: np.ndarray
    chosen: np.ndarray


@njit(cache=True)
def unlisted(totals, V, eta):
    """The weights of words that a topic does not list: (g float64[K], relative weights, the largest
    1; the log of the largest; norm float64[K], psi(V eta + totals))."""
    K = len(totals)
    norm = np.empty(K)
    for k in range(K):
        norm[k] = digamma(V * eta + max(totals[k], 0.0))
    return np.exp(norm.min() - norm), digamma(eta) - norm.min(), norm


@njit(cache=True, parallel=True)
def weigh(words, arena, unit, eta, norm, base):
    """Weights of some words.

    words: int64[n], distinct. arena: rows.Arena of float64, statistics in units of `unit`. norm,
    base: of `unlisted`.
    """
    n = len(words)
    row_ptr = cumulated(arena.length[words])
    topics = np.empty(row_ptr[n], np.int32)
    weights = np.empty(row_ptr[n])
    weights_of_rest = np.empty(n)
    scale = np.empty(n)
    bounds = chunk_bounds(row_ptr)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            largest = base
            at = arena.start[words[i]] - row_ptr[i]
            for q in range(row_ptr[i], row_ptr[i + 1]):
                topics[q] = arena.topics[at + q]
                weights[q] = digamma(eta + unit * arena.values[at + q]) - norm[topics[q]]
                largest = max(largest, weights[q])
            for q in range(row_ptr[i], row_ptr[i + 1]):
                weights[q] = math.exp(weights[q] - largest)
            weights_of_rest[i] = math.exp(base - largest)
            scale[i] = largest
    return Weights(row_ptr, topics, weights, weights_of_rest, scale)


@njit(cache=True, parallel=True)
def first_choice(rows, g, order, L):
    """The L topics of largest weight of each word: (topics int32[n, min(L, K)], ascending, shares
    float64[n, min(L, K)], in proportion to their weights). Under an even theta, as a document
    begins, they are the best of each of its tokens; so they are chosen once a word and not in each
    document.

    order: int64[K], topics by descending g, of equals the smaller first. Of the topics that a word
    does not list only the first L of that order can be among its best, so time grows with its row
    and with L, not with K.
    """
    row_ptr, row_topics, weights, weights_of_rest, _ = rows
    n = len(weights_of_rest)
    K = len(g)
    L = min(L, K)
    first_topics = np.empty((n, L), np.int32)
    out_shares = np.empty((n, L))
    for chunk in prange(CHUNKS):
        is_listed = np.zeros(K, np.bool_)
        own_weights = np.zeros(K)
        topics = np.empty(K, np.int32)
        row = np.empty(K)
        buffer = np.empty(K)
        best_topics = np.empty(L, np.int32)
        for i in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            m = 0
            for q in range(row_ptr[i], row_ptr[i + 1]):
                topics[m], own_weights[row_topics[q]], is_listed[row_topics[q]] = (
                    row_topics[q],
                    weights[q],
                    True,
                )
                m += 1
            at = 0
            most_active = min(K, m + L)
            while m < most_active:
                k = order[at]
                at += 1
                if not is_listed[k]:
                    topics[m] = k
                    own_weights[k] = g[k] * weights_of_rest[i]
                    m += 1
            topics[:m].sort()
            for a in range(m):
                row[a] = own_weights[topics[a]]
                is_listed[topics[a]] = False
            largest(row, m, L, buffer, best_topics)
            total = 0.0
            for a in range(L):
                first_topics[i, a] = topics[best_topics[a]]
                total += row[best_topics[a]]
            for a in range(L):
                out_shares[i, a] = row[best_topics[a]] / total
    return Tokens(first_topics, out_shares)


@njit(cache=True, inline="always")
def _gather(j, m, document, out, at):
    """The weights of a document's word j for its m active topics, into out[at:]."""
    w = document.words[j]
    rows = document.rows
    active = document.active
    place_of_topic = document.place
    for a in range(m):
        out[at + a] = document.g[active[a]] * rows.rest[w]
    for q in range(rows.row_ptr[w], rows.row_ptr[w + 1]):
        a = place_of_topic[rows.topics[q]]
        if a >= 0:
            out[at + a] = rows.weights[q]


@njit(cache=True)
def _weight(w, k, rows, g):
    """exp(E[log beta_kw] - scale_w)."""
    row_ptr, row_topics, weights, weights_of_rest, _ = rows
    at = row_ptr[w] + np.searchsorted(row_topics[row_ptr[w] : row_ptr[w + 1]], k)
    return weights[at] if at < row_ptr[w + 1] and row_topics[at] == k else g[k] * weights_of_rest[w]


@njit(cache=True)
def objective(topics, r, places, counts, rows, g, alpha, N):
    """A document's part of the bound, L_d (003, eqs. 46-49, with theta at its best for r): a float.

    sum_k lnGamma(alpha + N_k) - lnGamma(alpha) + sum_j c_j sum_k r_jk (E[log beta_kj] - log r_jk) +
    lnGamma(K alpha) - lnGamma(K alpha + N_d). topics: uint16[n, L] and r: float64[n, L], of its n
    pairs. N: float64[K], 0 before and after.
    """
    total = 0.0
    tokens = sum_in_order(counts)
    for j in range(len(places)):
        part = rows.scale[places[j]]
        for i in range(topics.shape[1]):
            share = r[j, i]
            if share > 0.0:
                part += share * math.log(_weight(places[j], topics[j, i], rows, g) / share)
                N[topics[j, i]] += counts[j] * share
        total += counts[j] * part
    for j in range(len(places)):
        for i in range(topics.shape[1]):
            k = topics[j, i]
            if N[k] > 0.0:
                total += math.lgamma(alpha + N[k]) - math.lgamma(alpha)
                N[k] = 0.0
    prior = alpha * len(N)
    return total + math.lgamma(prior) - math.lgamma(prior + tokens)


@njit(cache=True, inline="always")
def _line(j, m, document, work):
    """(weights, first): a word's weights for the active topics are weights[first : first + m]."""
    if work.held:
        return work.block, j * m
    _gather(j, m, document, work.row, 0)
    return work.row, 0


@njit(cache=True)
def _score(m, units, r, idx, document, work, N):
    """`objective` of a document but for what is the same whatever its r. r: float64[n, L], times
    `units`, of the active topics idx. N: float64[>= m], work space."""
    counts = document.counts
    alpha = document.alpha
    total = 0.0
    N[:m] = 0.0
    for j in range(len(counts)):
        weights, at = _line(j, m, document, work)
        part = 0.0
        for i in range(r.shape[1]):
            if r[j, i] > 0.0:
                share = r[j, i] / units
                part += share * math.log(weights[at + idx[j, i]] / share)
                N[idx[j, i]] += counts[j] * share
        total += counts[j] * part
    for a in range(m):
        if N[a] > 0.0:
            total += math.lgamma(alpha + N[a]) - math.lgamma(alpha)
    return total


@njit(cache=True)
def _sweep(scores, drops, m, N, idx, size, r, document, work):
    """r of each of a document's tokens by N, and then N by r: (the largest change of an N, `_score`
    where scores).

    r_jk is in proportion to exp(psi(alpha + N_k) + E[log beta_kj]) over the L largest (003, eqs.
    8-10). Mostly they are those of the sweep before, as a count of the weights that reach the least
    of them says: then nothing is selected. The score needs one logarithm a token, as log r_jk = log
    weight_jk - log total_j. drops: whether topics with no more than ABSENT tokens are left out. A
    token to which every active topic's weight underflows keeps its r, which lowers nothing. idx:
    int32[n, L]; size: int32[n], how many of a token's idx are topics, ascending, before zeros; r is
    0 there.
    """
    counts = document.counts
    alpha = document.alpha
    _, _, _, e, logs, w, buffer, new, best_topics = work
    L = idx.shape[1]
    most = -np.inf
    for a in range(m):
        new[a] = 0.0
        logs[a] = digamma(alpha + N[a]) if N[a] > ABSENT or not drops else -np.inf
        most = max(most, logs[a])
    for a in range(m):
        logs[a] -= most
        e[a] = math.exp(logs[a])
    score = 0.0
    has_changed = False
    for j in range(len(counts)):
        weights, at = _line(j, m, document, work)
        for a in range(m):
            w[a] = e[a] * weights[at + a]
        total = 0.0
        if m <= L:
            for a in range(m):
                total += w[a]
            if total > 0.0:
                for a in range(m):
                    r[j, a] = w[a] / total
                if size[j] != m:
                    size[j] = m
                    for a in range(m):
                        idx[j, a] = a
                for a in range(m):
                    new[a] += counts[j] * r[j, a]
        else:
            reach = 0
            if size[j] == L:
                least = w[idx[j, 0]]
                for i in range(1, L):
                    least = min(least, w[idx[j, i]])
                for a in range(m):
                    reach += w[a] >= least
            if reach == L:
                for i in range(L):
                    total += w[idx[j, i]]
            else:
                largest(w, m, L, buffer, best_topics)
                for i in range(L):
                    total += w[best_topics[i]]
                if total > 0.0:
                    size[j] = L
                    for i in range(L):
                        idx[j, i] = best_topics[i]
            if total > 0.0:
                for i in range(L):
                    r[j, i] = w[idx[j, i]] / total
                    new[idx[j, i]] += counts[j] * r[j, i]
        if not total > 0.0:
            has_changed = True
            for i in range(size[j]):
                new[idx[j, i]] += counts[j] * r[j, i]
        elif scores:
            score += counts[j] * math.log(total)
    change = 0.0
    for a in range(m):
        change = max(change, abs(new[a] - N[a]))
        N[a] = new[a]
        if scores and N[a] > 0.0:
            score += math.lgamma(alpha + N[a]) - math.lgamma(alpha) - N[a] * logs[a]
    if scores and has_changed:
        score = _score(m, 1.0, r, idx, document, work, new)
    return change, score


@njit(cache=True)
def _propose(restarts, drops, m, N, idx, size, r, document, work):
    """Restart proposals (003, section 5): a topic's tokens are given to the others, and it stays so
    where the objective rises. Topics by ascending N, at most `restarts`. Returns (proposals,
    accepted).

    Each goes by two sweeps from N_k = 0.
    """
    order = N[:m].copy()  # as it was before any proposal; inf where it was tried
    tried = 0
    accepted = 0
    score = 0.0
    for _ in range(min(restarts, m)):
        a = -1
        left = 0
        for b in range(m):
            left += N[b] > ABSENT
            if N[b] > ABSENT and order[b] < np.inf and (a < 0 or order[b] < order[a]):
                a = b
        if left < 2 or a < 0:
            break
        order[a] = np.inf
        if tried == 0:
            score = _score(m, 1.0, r, idx, document, work, work.new)
        tried += 1
        N_before = N[:m].copy()
        idx_before = idx.copy()
        size_before = size.copy()
        r_before = r.copy()
        N[a] = 0.0
        _sweep(False, drops, m, N, idx, size, r, document, work)
        _, proposed = _sweep(True, drops, m, N, idx, size, r, document, work)
        if proposed > score:
            score = proposed
            accepted += 1
        else:
            N[:m] = N_before
            idx[:] = idx_before
            size[:] = size_before
            r[:] = r_before
    return tried, accepted


@njit(cache=True)
def _compact(m, N, idx, size, r, document, work):
    """Leave out the topics with no more than ABSENT tokens; returns how many are left."""
    active = document.active
    place_of_topic = document.place
    block = work.block
    held_rows = work.held
    left = 0
    new_places = np.empty(m, np.int32)
    for a in range(m):
        place_of_topic[active[a]] = -1
        new_places[a] = -1
        if N[a] > ABSENT:
            new_places[a] = left
            place_of_topic[active[a]] = left
            active[left] = active[a]
            N[left] = N[a]
            left += 1
    for j in range(len(size)):
        n = 0
        for i in range(size[j]):
            if new_places[idx[j, i]] >= 0:
                idx[j, n] = new_places[idx[j, i]]
                r[j, n] = r[j, i]
                n += 1
        for i in range(n, size[j]):
            idx[j, i] = 0
            r[j, i] = 0.0
        size[j] = n
        if held_rows:
            for a in range(m):
                if new_places[a] >= 0:
                    block[j * left + new_places[a]] = block[j * m + a]
    return left


@njit(cache=True)
def _begin(dense, known, old, units, first, document, N, idx, size, r):
    """A document's active topics, ascending, and the r that it begins with, as idx, size and r of
    `_sweep`; returns how many are active. first: of `first_choice`; known: whether it begins with
    old, Tokens, times `units`, in its place.
    """
    words = document.words
    counts = document.counts
    active = document.active
    place_of_topic = document.place
    m = 0
    K = len(place_of_topic)
    width = old.topics.shape[1] if known else first.topics.shape[1]
    for j in range(len(words)):
        for i in range(width):
            k = np.int32(old.topics[j, i]) if known else first.topics[words[j], i]
            if place_of_topic[k] < 0 and (not known or old.shares[j, i] > 0.0):
                place_of_topic[k] = 0
                active[m] = k
                m += 1
    if dense:
        m = K
        active[:m] = np.arange(m)
    active[:m].sort()
    for a in range(m):
        place_of_topic[active[a]] = a
        N[a] = 0.0
    for j in range(len(words)):
        n = 0
        for i in range(width):
            share = old.shares[j, i] / units if known else first.shares[words[j], i]
            if share > 0.0 or not known:
                idx[j, n] = place_of_topic[
                    np.int32(old.topics[j, i]) if known else first.topics[words[j], i]
                ]
                r[j, n] = share
                N[idx[j, n]] += counts[j] * share
                n += 1
        size[j] = n
        for i in range(n, r.shape[1]):
            idx[j, i] = 0
            r[j, i] = 0.0
    return m


@njit(cache=True)
def _solve(known, old, first, document, how, out_topics, out_r):
    """One document's tokens from one beginning, into out_topics and out_r (times how.units).

    known: whether it begins with old, Tokens, rather than with its words alone. Returns (sweeps,
    proposals, accepted, score before, score after), scores only where shares are whole numbers; the
    first of them is that of what it begins with.
    """
    units = how.units
    rounds = how.units > 1.0
    n = len(document.words)
    L = out_r.shape[1]
    K = len(document.place)
    dense = L >= K
    N = np.empty(K)
    idx = np.empty((n, L), np.int32)
    size = np.empty(n, np.int32)
    r = np.empty((n, L))
    m = _begin(dense, known, old, units, first, document, N, idx, size, r)
    is_held = n * m <= how.block
    work = Work(
        np.empty(n * m if is_held else 0),
        is_held,
        np.empty(m),
        np.empty(m),
        np.empty(m),
        np.empty(m),
        np.empty(m),
        np.empty(m),
        np.empty(L, np.int32),
    )
    if is_held:
        for j in range(n):
            _gather(j, m, document, work.block, j * m)
    before = _score(m, 1.0, r, idx, document, work, work.new) if rounds and known else -np.inf
    done = 0
    for _ in range(how.sweeps):
        moved, _ = _sweep(False, not dense, m, N, idx, size, r, document, work)
        done += 1
        if moved < how.change:
            break
        if not dense:
            left = 0
            for a in range(m):
                left += N[a] > ABSENT
            if 4 * left <= 3 * m or left <= L < m:
                m = _compact(m, N, idx, size, r, document, work)
    tried, accepted = _propose(how.restarts, not dense, m, N, idx, size, r, document, work)
    for j in range(n):
        if rounds:
            rounded(r[j], L, units, out_r[j])
        else:
            out_r[j] = r[j]
        for i in range(L):
            out_topics[j, i] = document.active[idx[j, i]]
    after = _score(m, units, out_r, idx, document, work, work.new) if rounds else 0.0
    for a in range(m):
        document.place[document.active[a]] = -1
    return done, tried, accepted, before, after


@njit(cache=True, parallel=True)
def visit(batch, rows, g, first, alpha, how, old, new, told):
    """The local step of some documents (003, Algorithm 2): at most L topics for each token, and in
    which shares.

    batch: minibatch.MinibatchWithCounts. rows: of `weigh`; g: of `unlisted`; first: of
    `first_choice`. how: How. old: Tokens, without rows where nothing is remembered; new: Tokens,
    filled; both times how.units. told: int64[n, 4], filled: sweeps, restarts that were proposed,
    that were accepted, and what was the best: 0 what is remembered, 1 what came from there, 2 what
    came from the words alone.

    With WARM and BETTER what is remembered is kept where nothing better is found, under the present
    topics: the bound can't fall then.
    """
    K = len(g)
    doc_ptr = batch.doc_ptr
    bounds = chunk_bounds(doc_ptr)
    for chunk in prange(CHUNKS):
        place_of_topic = np.full(K, -1, np.int32)
        active = np.empty(K, np.int32)
        for d in range(bounds[chunk], bounds[chunk + 1]):
            document_slice = slice(doc_ptr[d], doc_ptr[d + 1])
            if doc_ptr[d] < doc_ptr[d + 1]:
                document = Document(
                    batch.places[document_slice],
                    batch.counts[document_slice],
                    rows,
                    g,
                    alpha,
                    active,
                    place_of_topic,
                )
                before = Tokens(old.topics[document_slice], old.shares[document_slice])
                _visit_one(
                    document,
                    first,
                    how,
                    before,
                    new.topics[document_slice],
                    new.shares[document_slice],
                    told[d],
                )


@njit(cache=True)
def _visit_one(document, first, how, old, out_topics, out_r, told):
    """A document: the best of what is remembered, what comes from there, and what comes from its
    words alone."""
    has_memory = how.start != COLD and len(old.shares) > 0 and old.shares[0].any()
    best_objective = -np.inf
    if has_memory:
        topics = np.empty(out_topics.shape, np.uint16)
        r = np.empty(out_r.shape)
        done, tried, accepted, before, after = _solve(True, old, first, document, how, topics, r)
        told[SWEEPS] = done
        told[PROPOSED] = tried
        told[ACCEPTED] = accepted
        told[START] = after >= before
        if after >= before:
            best_objective = after
            out_topics[:] = topics
            out_r[:] = r
        else:
            best_objective = before
            out_topics[:] = old.topics
            out_r[:] = old.shares
        if how.start == WARM and best_objective > -np.inf:
            return
        done, tried, accepted, _, after = _solve(False, old, first, document, how, topics, r)
        told[SWEEPS] += done
        told[PROPOSED] += tried
        told[ACCEPTED] += accepted
        if after >= best_objective:
            told[START] = FROM_NOTHING
            out_topics[:] = topics
            out_r[:] = r
    else:
        told[SWEEPS], told[PROPOSED], told[ACCEPTED], _, _ = _solve(
            False, old, first, document, how, out_topics, out_r
        )
        told[START] = FROM_NOTHING


@njit(cache=True, parallel=True)
def objectives(batch, rows, g, alpha, topics, r):
    """`objective` of each document of a batch: float64[n]; 0 without words."""
    doc_ptr = batch.doc_ptr
    slots = batch.places
    counts = batch.counts
    n = len(doc_ptr) - 1
    document_objectives = np.zeros(n)
    for chunk in prange(CHUNKS):
        N = np.zeros(len(g))
        for d in range(chunk * n // CHUNKS, (chunk + 1) * n // CHUNKS):
            document_slice = slice(doc_ptr[d], doc_ptr[d + 1])
            if doc_ptr[d] < doc_ptr[d + 1]:
                document_objectives[d] = objective(
                    topics[document_slice],
                    r[document_slice],
                    slots[document_slice],
                    counts[document_slice],
                    rows,
                    g,
                    alpha,
                    N,
                )
    return document_objectives


@njit(cache=True)
def mixtures(doc_ptr, counts, topics, r, alpha, K, least):
    """theta of some documents: (indptr int64[n + 1], topics int32, weights float32), largest first.

    theta_dk = (alpha + N_dk) / (K alpha + N_d), listed where N_dk is at least `least` of N_d, and
    the largest in any case. topics: uint16[P, L]; r: float64[P, L], which sums to 1 over L.
    """
    n = len(doc_ptr) - 1
    L = topics.shape[1]
    N = np.zeros(K)
    touched = np.empty(K, np.int64)
    indptr = np.zeros(n + 1, np.int64)
    out_topics = np.empty(min(topics.size, n * K), np.int32)
    out_weights = np.empty(min(topics.size, n * K), np.float32)
    at = 0
    for d in range(n):
        m = 0
        tokens = sum_in_order(counts[doc_ptr[d] : doc_ptr[d + 1]])
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            for i in range(L):
                k = topics[j, i]
                if r[j, i] > 0.0:
                    if N[k] == 0.0:
                        touched[m] = k
                        m += 1
                    N[k] += counts[j] * r[j, i]
        topics_here = np.sort(touched[:m])
        order = np.argsort(-N[topics_here], kind="mergesort")
        for i in range(m):
            k = topics_here[order[i]]
            if i == 0 or N[k] >= least * tokens:
                out_topics[at] = k
                out_weights[at] = (alpha + N[k]) / (K * alpha + tokens)
                at += 1
        N[topics_here] = 0.0
        indptr[d + 1] = at
    return indptr, out_topics[:at].copy(), out_weights[:at].copy()


@njit(cache=True)
def round_shares(r, units):
    """r, which sums to 1 over L, in whole numbers of 1 / units: uint16[P, L]; see
    `select.rounded`."""
    whole_shares = np.empty(r.shape, np.uint16)
    row = np.empty(r.shape[1])
    for p in range(len(r)):
        rounded(r[p], r.shape[1], units, row)
        for i in range(r.shape[1]):
            whole_shares[p, i] = np.uint16(row[i])
    return whole_shares
