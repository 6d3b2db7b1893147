"""How unlike topics are: the Jensen-Shannon divergence, exact over the whole vocabulary.

Lin 1991, eq. 4.1 with equal weights: JSD(p, q) = sum_w (p log(p / m) + q log(q / m)) / 2, m = (p + q) / 2. Between 0
(the same) and log 2 nats (no word in common); its square root is a metric (Endres and Schindelin 2003).
"""

from typing import NamedTuple

import numpy as np
from numba import njit, prange

from inference.topics import Topics

_FAR = 8.0  # times a floor, from which a weight is far enough above it for a series of _TERMS
_TERMS = 13  # its last term is below 1e-14 of the weight
_NEAR = 1e-2  # times a weight: a floor up to here needs the five terms of the series alone; the rest is below 1e-16 of the weight
_NOTHING = 1e-12  # nats: what rounding leaves between equal topics


class Rows(NamedTuple):
    """Topics over some C words only, each row's largest weights first. words: int32, numbered in 0 … C - 1. outside:
    float64[K], what they weigh elsewhere."""

    indptr: np.ndarray
    words: np.ndarray
    weights: np.ndarray
    floor: np.ndarray
    outside: np.ndarray
    C: int


def rows(topics: Topics) -> Rows:
    """Over the whole vocabulary."""
    # Rounding may leave a floor just below 0
    weights, floor = topics.weights.astype(np.float64), np.maximum(topics.floor, 0.0)
    return Rows(topics.indptr, topics.words, weights, floor, np.zeros(topics.K), topics.V)


def restricted(topics: Topics, place: np.ndarray) -> Rows:
    """Over some words only. place: int32[V], the number that a word is to have, -1 for a word that is left out."""
    at = place[topics.words]
    topic = np.repeat(np.arange(topics.K), np.diff(topics.indptr))
    kept, weights = at >= 0, topics.weights.astype(np.float64)
    listed = np.bincount(topic[kept], minlength=topics.K)
    outside = np.bincount(topic[~kept], weights=weights[~kept], minlength=topics.K)
    unlisted = np.count_nonzero(place < 0) - (np.diff(topics.indptr) - listed)
    indptr = np.concatenate([[0], np.cumsum(listed)])
    floor = np.maximum(topics.floor, 0.0)
    return Rows(indptr, at[kept], weights[kept], floor, outside + unlisted * floor, int(np.count_nonzero(place >= 0)))


def some(of: Rows, first: int, end: int) -> Rows:
    """The topics first … end - 1 alone."""
    span = slice(of.indptr[first], of.indptr[end])
    indptr, floor, outside = of.indptr[first : end + 1] - of.indptr[first], of.floor[first:end], of.outside[first:end]
    return Rows(indptr, of.words[span], of.weights[span], floor, outside, of.C)


def divergences(topics: Topics) -> np.ndarray:
    """float64[K, K], nats: symmetric, 0 on the diagonal and between topics of the same rows."""
    of = rows(topics)
    return between(of, of)


def between(a: Rows, b: Rows) -> np.ndarray:
    """float64[Ka, Kb], nats: of topics over the same C words. A word that only one side has adds half its weight times
    log 2."""
    beside, b_beside = _beside_floors(a.indptr, a.weights, b.floor), _beside_floors(b.indptr, b.weights, a.floor)
    inside = _between(
        a.indptr, a.words, a.weights, a.floor, b.indptr, b.words, b.weights, b.floor, a.C, beside, b_beside, a is b
    )
    if a is b:
        inside += inside.T
    return inside + 0.5 * np.log(2) * (a.outside[:, None] + b.outside)


def nearest(divergences: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The n topics most like each, nearest first, of equals the lower number: (int32[K, n], float64[K, n]).

    No topic is beside itself: n is at most K - 1, and fewer columns come back where more are asked for.
    """
    K = len(divergences)
    n = min(n, K - 1)
    far = divergences.copy()
    np.fill_diagonal(far, np.inf)
    nearest_first = np.argsort(far, axis=1, kind="stable")[:, :n]
    return nearest_first.astype(np.int32), np.take_along_axis(far, nearest_first, axis=1)


@njit(cache=True, inline="always")
def _term(p, q):
    """p log(p / m) + q log(q / m); 0 log 0 = 0."""
    if p == q:
        return 0.0
    log_m = np.log(0.5 * (p + q))
    return (p * (np.log(p) - log_m) if p > 0.0 else 0.0) + (q * (np.log(q) - log_m) if q > 0.0 else 0.0)


@njit(cache=True, inline="always")
def _mixed(s):
    """(p + q) log m, s = p + q."""
    return s * np.log(0.5 * s) if s > 0.0 else 0.0


@njit(cache=True, parallel=True, nogil=True)
def _beside_floors(indptr, weights, floors):
    """Sum over a topic's listed words of _term(p, f), f the floor of another: float64[K, len(floors)].

    A logarithm for each word and floor would be most of all work. Where x = f / p is small,
    _term(p, f) = p log 2 + f log f - f log(p / 2) - p (x + x^2 / 2 - x^3 / 6 + x^4 / 12 …), and the sum over
    the first words of a row follows from sums over p, log(p / 2) and p^(1 - n) that all floors share. Weights are
    sorted, largest first.
    """
    K = len(indptr) - 1
    out = np.empty((K, len(floors)))
    for i in prange(K):
        row = weights[indptr[i] : indptr[i + 1]]
        sums = np.zeros((len(row) + 1, _TERMS + 1))  # of the first j words: p, log(p / 2), and p^(1 - n) at n
        first = 0  # words with a weight at all
        while first < len(row) and row[first] > 0.0:
            p = row[first]
            sums[first + 1, 0] = sums[first, 0] + p
            sums[first + 1, 1] = sums[first, 1] + np.log(0.5 * p)
            power = 1.0
            for n in range(2, _TERMS + 1):
                power /= p
                sums[first + 1, n] = sums[first, n] + power
            first += 1
        for k in range(len(floors)):
            f = floors[k]
            low, high = 0, first  # how many words are _FAR above the floor
            while low < high:
                middle = (low + high) // 2
                if row[middle] >= _FAR * f:
                    low = middle + 1
                else:
                    high = middle
            total = np.log(2.0) * sums[low, 0]
            if f > 0.0:
                total += f * (low * (np.log(f) - 1.0) - sums[low, 1])
                power = f
                for n in range(2, _TERMS + 1):
                    power *= -f
                    total += power * sums[low, n] / (n * (n - 1))
            for j in range(low, len(row)):
                total += _term(row[j], f)
            out[i, k] = total
    return out


@njit(cache=True)
def _by_word(indptr, words, weights, C):
    """The entries of each word: (indptr int64[C + 1], topics int32 ascending, weights, log(weights / 2))."""
    start = np.zeros(C + 1, np.int64)
    for w in words:
        start[w + 1] += 1
    for w in range(C):
        start[w + 1] += start[w]
    at, n = start[:-1].copy(), len(words)
    topics, values, logs = np.empty(n, np.int32), np.empty(n), np.empty(n)
    for k in range(len(indptr) - 1):
        for j in range(indptr[k], indptr[k + 1]):
            to = at[words[j]]
            topics[to], values[to], logs[to] = k, weights[j], _log_half(weights[j])
            at[words[j]] += 1
    return start, topics, values, logs


@njit(cache=True, inline="always")
def _log_half(p):
    """log(p / 2); 0 where p = 0, which has no use for it."""
    return np.log(0.5 * p) if p > 0.0 else 0.0


@njit(cache=True, inline="always")
def _mixed_with(p, log_half, f):
    """_mixed(p + f) for a weight p, its log(p / 2), and a floor f. Where x = f / p is small: (p + f) log(p / 2) +
    f (1 + x / 2 - x^2 / 6 + x^3 / 12 ...)."""
    if p <= 0.0 or f > _NEAR * p:
        return _mixed(p + f)
    x = f / p
    tail = 1.0 / 30.0
    tail = 1.0 / 20.0 - x * tail
    tail = 1.0 / 12.0 - x * tail
    tail = 1.0 / 6.0 - x * tail
    tail = 0.5 - x * tail
    return (p + f) * log_half + f * (1.0 + x * tail)


@njit(cache=True, parallel=True, nogil=True)
def _between(indptr, words, weights, floor, b_indptr, b_words, b_weights, b_floor, C, beside, b_beside, same):
    """float64[Ka, Kb]. beside, b_beside: of _beside_floors, from either side. What both list is taken out of them and
    put in as it is: the work is that of the pairs of topics that have a word in common. same: a is b, and what is on
    and below the diagonal is left 0."""
    start, topics, values, logs = _by_word(b_indptr, b_words, b_weights, C)
    K = len(b_floor)
    out = np.zeros((len(floor), K))
    for i in prange(len(floor)):
        f, first = floor[i], i + 1 if same else 0
        common, added = np.zeros(K, np.int64), np.zeros(K)
        for j in range(indptr[i], indptr[i + 1]):
            p = weights[j]
            log_half = _log_half(p)
            for e in range(start[words[j] + 1] - 1, start[words[j]] - 1, -1):
                k, q = topics[e], values[e]
                if k < first:
                    break
                # _term(p, q) - _term(p, g) - _term(f, q), but for what all words have alike
                added[k] += _mixed_with(p, log_half, b_floor[k]) + _mixed_with(q, logs[e], f) - _mixed(p + q)
                common[k] += 1
        for k in range(first, K):
            g = b_floor[k]
            alone = (f * np.log(f) if f > 0.0 else 0.0) + (g * np.log(g) if g > 0.0 else 0.0)
            union = indptr[i + 1] - indptr[i] + b_indptr[k + 1] - b_indptr[k] - common[k]
            total = beside[i, k] + b_beside[k, i] + added[k] - common[k] * alone
            total = 0.5 * (total + (C - union) * _term(f, g))
            out[i, k] = total if total > _NOTHING else 0.0
    return out
