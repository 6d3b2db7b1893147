"""The two-level local step of the HDP topic model (paper 002, section 3.3, figures 8 and 9), over a
minibatch.

For a document with n distinct words, of which word j occurs c_j times: phi[i, j], float64[T, n],
the share of word j that pointer i has; zeta[i, k], float64[T, C], the probability that pointer i is
at topic k, of C candidates. B[j, k] = E[log beta_k] of word j. All loops run along one array's
rows, and no sum is reordered: results do not depend on threads or on the width of vectors.

Where it begins, and why not as the paper or its programs do, is in docs/engines/hdp.md.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import prange

from inference.kernels.chunks import CHUNKS, chunk_bounds
from inference.kernels.special import coarse_digamma, exp_minus
from inference.runtime.jit import njit

CUT = -37.0  # exp of less is lost when added to 1 in float64: taken as 0, and 0 is skipped
OWN_POINTER_PROBABILITY = 0.999  # probability with which a pointer begins at its topic
# tokens of a document: a pointer that has fewer is left without any for the rest of the visit
EMPTY = 1e-3


@njit(cache=True)
def sticks(first, rest, out):
    """E[log sigma_i] of sticks v_i ~ Beta(first_i, rest_i), the last of which is 1: into out,
    float64[n + 1].

    sigma_i = v_i prod_{j < i} (1 - v_j).
    """
    before = 0.0
    for i in range(len(first)):
        digamma_of_sum = coarse_digamma(first[i] + rest[i])
        out[i] = before + coarse_digamma(first[i]) - digamma_of_sum
        before += coarse_digamma(rest[i]) - digamma_of_sum
    out[len(first)] = before


@njit(cache=True)
def lengths(first, rest, out):
    """E[sigma_i] of the same, float64[n + 1]; their sum is 1."""
    left = 1.0
    for i in range(len(first)):
        share = first[i] / (first[i] + rest[i])
        out[i] = left * share
        left *= 1.0 - share
    out[len(first)] = left


@njit(cache=True)
def stick_bound(first, rest, prior):
    """sum over sticks of E[log p(v)] - E[log q(v)], p = Beta(1, prior), q = Beta(first, rest)."""
    total = 0.0
    for i in range(len(first)):
        a = first[i]
        b = rest[i]
        digamma_of_sum = coarse_digamma(a + b)
        log_v = coarse_digamma(a) - digamma_of_sum
        log_rest = coarse_digamma(b) - digamma_of_sum
        total += math.log(prior) + (prior - 1.0) * log_rest
        total -= (
            math.lgamma(a + b)
            - math.lgamma(a)
            - math.lgamma(b)
            + (a - 1.0) * log_v
            + (b - 1.0) * log_rest
        )
    return total


@njit(cache=True, parallel=True)
def log_table(words, values, scale, eta, totals):
    """E[log beta_kw] of some words: float64[n, K].

    words: int64[n]. values: float32[V, K], (lambda - eta) / scale; totals: float64[K], their sums.
    """
    V, K = values.shape
    n = len(words)
    dense_logs = np.empty((n, K))
    sums = np.empty(K)
    for k in range(K):
        sums[k] = coarse_digamma(V * eta + max(scale * totals[k], 0.0))
    for i in prange(n):
        for k in range(K):
            dense_logs[i, k] = coarse_digamma(eta + scale * values[words[i], k]) - sums[k]
    return dense_logs


@njit(cache=True)
def soften(values, most, live):
    """exp(values_ij - most_j) over its sum along i, replacing values, float64[m, n]; rows that are
    not live stay as they are. most: float64[n], the largest of each column. Returns the sums,
    float64[n]."""
    m, n = values.shape
    total = np.zeros(n)
    for i in range(m):
        if live[i]:
            row = values[i]
            for j in range(n):
                below = most[j] - row[j]
                x = exp_minus(below)
                row[j] = x if below < -CUT else 0.0
            for j in range(n):
                total[j] += row[j]
    for i in range(m):
        if live[i]:
            row = values[i]
            for j in range(n):
                row[j] /= total[j]
    return total


@njit(cache=True)
def add_rows(out, weights, rows):
    """out_j += sum_i weights_i rows_ij, in the order of i; four rows at a time, so that out is read
    and written a quarter as often. rows: float64[m, n]."""
    m = len(weights)
    for i in range(0, m - 3, 4):
        a = weights[i]
        b = weights[i + 1]
        c = weights[i + 2]
        d = weights[i + 3]
        if a > 0.0 or b > 0.0 or c > 0.0 or d > 0.0:
            row = rows[i]
            two = rows[i + 1]
            three = rows[i + 2]
            four = rows[i + 3]
            for j in range(len(out)):
                out[j] = (((out[j] + a * row[j]) + b * two[j]) + c * three[j]) + d * four[j]
    for i in range(m // 4 * 4, m):
        a = weights[i]
        row = rows[i]
        for j in range(len(out)):
            out[j] += a * row[j]


@njit(cache=True)
def start(logs, places, gamma, T, C):
    """(candidates int64[C], B float64[n, C], turned float64[C, n], phi float64[T, n]) of a
    document.

    logs: float64[W, K], E[log beta]; places: of the document's words there. gamma: float64[K],
    LDA's of the document. The C topics with the largest gamma are candidates; the T largest have a
    pointer each, the first the largest.
    """
    n = len(places)
    candidates = np.argsort(-gamma, kind="mergesort")[:C]  # of equals the first
    B = np.empty((n, C))
    turned = np.empty((C, n))
    for j in range(n):
        for k in range(C):
            B[j, k] = logs[places[j], candidates[k]]
            turned[k, j] = B[j, k]
    spread = np.zeros(n)
    largest = np.full(n, -np.inf)
    for k in range(C):
        spread += turned[k]
    spread *= (1.0 - OWN_POINTER_PROBABILITY) / C
    phi = np.empty((T, n))
    for i in range(T):
        # zeta_i is OWN_POINTER_PROBABILITY at its topic and the same everywhere else
        row = phi[i]
        logs_of_topic = turned[i]
        size = math.log(gamma[candidates[i]])
        for j in range(n):
            row[j] = (
                size
                + spread[j]
                + (OWN_POINTER_PROBABILITY - (1.0 - OWN_POINTER_PROBABILITY) / C) * logs_of_topic[j]
            )
        for j in range(n):
            largest[j] = max(largest[j], row[j])
    soften(phi, largest, np.ones(T, np.bool_))
    return candidates, B, turned, phi


@njit(cache=True)
def share_words(turned, zeta, logs, counts, live, phi):
    """phi_ij proportional to exp(logs_i + sum_k zeta_ik B_jk); returns sum_j c_j log of the
    normalisers.

    turned: float64[C, n], B. logs: float64[T]. counts: float32[n]. live: bool[T], pointers that may
    have words. phi: float64[T, n], is filled.
    """
    T, n = phi.shape
    largest = np.full(n, -np.inf)
    for i in range(T):
        row = phi[i]
        row[:] = logs[i] if live[i] else 0.0
        if live[i]:
            add_rows(row, zeta[i], turned)
            for j in range(n):
                largest[j] = max(largest[j], row[j])
    total = soften(phi, largest, live)
    value = 0.0
    for j in range(n):
        value += counts[j] * (largest[j] + math.log(total[j]))
    return value


@njit(cache=True)
def point(B, logs, counts, phi, zeta):
    """zeta_ik proportional to exp(logs_k + sum_j c_j phi_ij B_jk), filled; returns sum zeta (logs -
    log zeta).

    logs: float64[C], E[log sigma(v)] of the candidates.
    """
    T, n = phi.shape
    C = B.shape[1]
    evidence = np.empty(C)
    tokens = np.empty(n)
    value = 0.0
    for i in range(T):
        evidence[:] = 0.0
        for j in range(n):
            tokens[j] = counts[j] * phi[i, j]
        add_rows(evidence, tokens, B)
        row = zeta[i]
        largest = -np.inf
        total = 0.0
        for k in range(C):
            row[k] = evidence[k] + logs[k]
        for k in range(C):
            largest = max(largest, row[k])
        for k in range(C):
            below = largest - row[k]
            x = exp_minus(below)
            row[k] = x if below < -CUT else 0.0
        for k in range(C):
            total += row[k]
        value += largest + math.log(total)
        for k in range(C):
            row[k] /= total
            value -= row[k] * evidence[k]
    return value


@njit(cache=True)
def break_sticks(counts, phi, alpha, tokens, first, rest):
    """The tokens of each pointer, float64[T], and the document's sticks, float64[T - 1] twice (002
    eq. of figure 8)."""
    T, n = phi.shape
    for i in range(T):
        tokens[i] = 0.0
        for j in range(n):
            tokens[i] += counts[j] * phi[i, j]
    tokens_later = 0.0
    for i in range(T - 2, -1, -1):
        tokens_later += tokens[i + 1]
        first[i] = 1.0 + tokens[i]
        rest[i] = alpha + tokens_later


@njit(cache=True)
def ascend(B, turned, counts, logs, alpha, phi, zeta, tokens, first, rest, tolerance, most, empty):
    """Coordinate ascent of a document's bound from phi on, which is changed, as are zeta, tokens,
    first and rest.

    Until an iteration changes the bound by less than `tolerance` of it, `most` times at the most.
    empty: a pointer with fewer tokens gets none any more; with 0 the bound never falls. Returns
    (bound, iterations).
    """
    T = len(phi)
    pointer_logs = np.empty(T)
    live = np.ones(T, np.bool_)
    before = -np.inf
    iterations = 0
    for _ in range(most):
        iterations += 1
        break_sticks(counts, phi, alpha, tokens, first, rest)
        sticks(first, rest, pointer_logs)
        for i in range(T):
            live[i] = tokens[i] >= empty
        bound = stick_bound(first, rest, alpha) + point(B, logs, counts, phi, zeta)
        bound += share_words(turned, zeta, pointer_logs, counts, live, phi)
        if abs(bound - before) < tolerance * abs(bound):
            break
        before = bound
    break_sticks(counts, phi, alpha, tokens, first, rest)
    return bound, iterations


class Local(NamedTuple):
    """What the documents of a minibatch gave, each of its C candidates. candidates: int64[n, C].
    mass (sum_i zeta_ik), tokens (expected, of the topic), theta: float64[n, C]. bounds: float64[n].
    given: float32[P, C], expected tokens of a pair, or float32[0, C]."""

    candidates: np.ndarray
    mass: np.ndarray
    tokens: np.ndarray
    theta: np.ndarray
    bounds: np.ndarray
    given: np.ndarray


@njit(cache=True, parallel=True)
def documents(batch, logs, gamma, stick_logs, alpha, tolerance, most, empty, T, local):
    """The local step of each document of a minibatch, which is independent of all others.

    batch: minibatch.MinibatchByWord. logs: float64[W, K], of `log_table`. gamma: float64[n, K], of
    LDA, where documents start. stick_logs: float64[K], E[log sigma(v)]. local: Local, filled; a
    document without words is left alone.
    """
    doc_ptr = batch.doc_ptr
    slots = batch.places
    counts = batch.counts
    candidates, mass, tokens, theta, bounds, given = local
    C = candidates.shape[1]
    bounds_of = chunk_bounds(doc_ptr)
    for chunk in prange(CHUNKS):
        of_pointers = np.empty(T)
        sizes = np.empty(T)
        first = np.empty(T - 1)
        stick_rest = np.empty(T - 1)
        zeta = np.empty((T, C))
        for d in range(bounds_of[chunk], bounds_of[chunk + 1]):
            a = doc_ptr[d]
            b = doc_ptr[d + 1]
            if a == b:
                continue
            n = counts[a:b]
            topics, B, turned, phi = start(logs, slots[a:b], gamma[d], T, C)
            bound, _ = ascend(
                B,
                turned,
                n,
                stick_logs[topics],
                alpha,
                phi,
                zeta,
                of_pointers,
                first,
                stick_rest,
                tolerance,
                most,
                empty,
            )
            bounds[d] = bound
            lengths(first, stick_rest, sizes)
            candidates[d] = topics
            for i in range(T):
                for k in range(C):
                    mass[d, k] += zeta[i, k]
                    tokens[d, k] += zeta[i, k] * of_pointers[i]
                    theta[d, k] += zeta[i, k] * sizes[i]
            if len(given):
                _give(n, phi, zeta, given[a:b])


@njit(cache=True)
def _give(counts, phi, zeta, given):
    """c_j sum_i phi_ij zeta_ik of each word, into given, float32[n, C]."""
    T, n = phi.shape
    share = np.empty(T)
    row = np.empty(zeta.shape[1])
    for j in range(n):
        for i in range(T):
            share[i] = counts[j] * phi[i, j]
        row[:] = 0.0
        add_rows(row, share, zeta)
        given[j] = row


@njit(cache=True, parallel=True)
def add(words, word_ptr, pairs, document, candidates, given, unit, values):
    """values[w, k] += unit times what the pairs of w give, word by word, each in the order of its
    documents.

    words: int64[n]. word_ptr, pairs: of `rows.by_word`. document: int64[P], a pair's place in
    candidates. values: float32[V, K].
    """
    K = values.shape[1]
    C = candidates.shape[1]
    bounds = chunk_bounds(word_ptr)
    for chunk in prange(CHUNKS):
        sums = np.empty(K)
        for i in range(bounds[chunk], bounds[chunk + 1]):
            sums[:] = 0.0
            for p in range(word_ptr[i], word_ptr[i + 1]):
                d = document[pairs[p]]
                for c in range(C):
                    sums[candidates[d, c]] += given[pairs[p], c]
            for k in range(K):
                values[words[i], k] += unit * sums[k]


@njit(cache=True, parallel=True)
def topics_bound(values, scale, eta, totals):
    """E[log p(beta)] - E[log q(beta)], nats; of K topics with prior eta and lambda = eta + scale
    values[V, K]."""
    V, K = values.shape
    sums = np.empty(K)
    total = K * (math.lgamma(V * eta) - V * math.lgamma(eta))
    for k in range(K):
        size = V * eta + max(scale * totals[k], 0.0)
        sums[k] = coarse_digamma(size)
        total -= math.lgamma(size)
    of_words = np.zeros(V)
    for w in prange(V):
        for k in range(K):
            x = scale * values[w, k]
            of_words[w] += math.lgamma(eta + x) - x * (coarse_digamma(eta + x) - sums[k])
    for w in range(V):
        total += of_words[w]
    return total
