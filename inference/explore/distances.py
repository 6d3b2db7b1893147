"""How unlike topics are: the Jensen-Shannon divergence, exact over the whole vocabulary.

Lin 1991, eq. 4.1 with equal weights: JSD(p, q) = sum_w (p log(p / m) + q log(q / m)) / 2, m = (p + q) / 2. Between 0, the
same, and log 2 nats, no word in common; its square root is a metric (Endres and Schindelin 2003).
"""

from typing import NamedTuple

import numpy as np
from numba import njit, prange

from inference.topics import Topics


class Rows(NamedTuple):
    """Topics over some C words only. words: int32, numbered in 0 … C - 1. outside: float64[K], what they weigh elsewhere."""

    indptr: np.ndarray
    words: np.ndarray
    weights: np.ndarray
    floor: np.ndarray
    outside: np.ndarray
    C: int


def rows(topics: Topics) -> Rows:
    """Over the whole vocabulary."""
    weights = topics.weights.astype(np.float64)
    return Rows(topics.indptr, topics.words, weights, topics.floor, np.zeros(topics.K), topics.V)


def restricted(topics: Topics, place: np.ndarray) -> Rows:
    """Over some words only. place: int32[V], the number that a word is to have, -1 for a word that is left out."""
    at = place[topics.words]
    topic = np.repeat(np.arange(topics.K), np.diff(topics.indptr))
    kept, weights = at >= 0, topics.weights.astype(np.float64)
    listed = np.bincount(topic[kept], minlength=topics.K)
    outside = np.bincount(topic[~kept], weights=weights[~kept], minlength=topics.K)
    unlisted = np.count_nonzero(place < 0) - (np.diff(topics.indptr) - listed)
    indptr = np.concatenate([[0], np.cumsum(listed)])
    return Rows(indptr, at[kept], weights[kept], topics.floor, outside + unlisted * topics.floor, np.count_nonzero(place >= 0))


def divergences(topics: Topics) -> np.ndarray:
    """float64[K, K], nats: symmetric, 0 on the diagonal and exactly 0 between topics of the same rows."""
    of = rows(topics)
    return _divergences(of.indptr, of.words, of.weights, of.floor, of.C)


def between(a: Rows, b: Rows) -> np.ndarray:
    """float64[Ka, Kb], nats: of topics over the same C words. A word that only one side has adds half its weight times log 2."""
    inside = _between(a.indptr, a.words, a.weights, a.floor, b.indptr, b.words, b.weights, b.floor, a.C)
    return inside + 0.5 * np.log(2) * (a.outside[:, None] + b.outside)


def nearest(divergences: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The n topics most like each, nearest first, of equals the lower number: (int32[K, n], float64[K, n]).

    No topic is beside itself: n is at most K - 1, and fewer columns come back where more are asked for.
    """
    K = len(divergences)
    n = min(n, K - 1)
    far = divergences.copy()
    np.fill_diagonal(far, np.inf)
    found = np.argsort(far, axis=1, kind="stable")[:, :n]
    return found.astype(np.int32), np.take_along_axis(far, found, axis=1)


@njit(cache=True, inline="always")
def _term(p, q):
    """p log(p / m) + q log(q / m); 0 log 0 = 0. Exactly 0 where p = q."""
    if p == q:
        return 0.0
    log_m = np.log(0.5 * (p + q))
    return (p * (np.log(p) - log_m) if p > 0.0 else 0.0) + (q * (np.log(q) - log_m) if q > 0.0 else 0.0)


@njit(cache=True, inline="always")
def _term_of_logs(p, log_p, q, log_q):
    """The same where both logarithms are known already; log_p is 0 where p is."""
    s = p + q
    return p * log_p + q * log_q - s * np.log(0.5 * s) if s > 0.0 else 0.0


@njit(cache=True)
def _logs(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.0:
            out[i] = np.log(x[i])
    return out


@njit(cache=True)
def _spread(words, weights, logs, floor, C):
    """A row as arrays over all C words: weights and their logarithms."""
    row, row_logs = np.full(C, floor), np.full(C, np.log(floor) if floor > 0.0 else 0.0)
    for j in range(len(words)):
        row[words[j]], row_logs[words[j]] = weights[j], logs[j]
    return row, row_logs


@njit(cache=True)
def _divergence(row, row_logs, a_words, a_floor, words, weights, logs, floor, seen, stamp):
    """Of a row that is spread and one that is not. seen: int32[C], in which this call marks words by `stamp`."""
    total, listed = 0.0, len(words)
    for j in range(len(words)):
        w = words[j]
        seen[w] = stamp
        total += _term_of_logs(row[w], row_logs[w], weights[j], logs[j])
    log_floor = np.log(floor) if floor > 0.0 else 0.0
    for w in a_words:
        if seen[w] != stamp:
            listed += 1
            total += _term_of_logs(row[w], row_logs[w], floor, log_floor)
    return max(0.0, 0.5 * (total + (len(row) - listed) * _term(a_floor, floor)))


@njit(cache=True, parallel=True, nogil=True)
def _divergences(indptr, words, weights, floor, C):
    """Each row is compared with the K / 2 that follow it, in a ring: the same work for every row."""
    K = len(floor)
    logs = _logs(weights)
    out = np.zeros((K, K))
    for i in prange(K):
        a = words[indptr[i] : indptr[i + 1]]
        row, row_logs = _spread(a, weights[indptr[i] : indptr[i + 1]], logs[indptr[i] : indptr[i + 1]], floor[i], C)
        seen = np.full(C, -1, np.int32)
        for step in range(1, K // 2 + 1):
            if 2 * step == K and 2 * i >= K:
                break  # opposite rows meet twice
            k = (i + step) % K
            x, y = indptr[k], indptr[k + 1]
            out[i, k] = _divergence(row, row_logs, a, floor[i], words[x:y], weights[x:y], logs[x:y], floor[k], seen, k)
            out[k, i] = out[i, k]
    return out


@njit(cache=True, parallel=True, nogil=True)
def _between(indptr, words, weights, floor, b_indptr, b_words, b_weights, b_floor, C):
    logs, b_logs = _logs(weights), _logs(b_weights)
    out = np.empty((len(floor), len(b_floor)))
    for i in prange(len(floor)):
        a = words[indptr[i] : indptr[i + 1]]
        row, row_logs = _spread(a, weights[indptr[i] : indptr[i + 1]], logs[indptr[i] : indptr[i + 1]], floor[i], C)
        seen = np.full(C, -1, np.int32)
        for k in range(len(b_floor)):
            x, y = b_indptr[k], b_indptr[k + 1]
            out[i, k] = _divergence(row, row_logs, a, floor[i], b_words[x:y], b_weights[x:y], b_logs[x:y], b_floor[k], seen, k)
    return out
