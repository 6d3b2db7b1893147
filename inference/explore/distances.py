"""How unlike topics are: the Jensen-Shannon divergence, exact over the whole vocabulary.

Lin 1991, eq. 4.1 with equal weights: JSD(p, q) = sum_w (p log(p / m) + q log(q / m)) / 2, m = (p +
q) / 2. Between 0 (the same) and log 2 nats (no word in common); its square root is a metric (Endres
and Schindelin 2003).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import prange

from inference.kernels.special import log_in_loop
from inference.kernels.transpose import transpose
from inference.runtime.arrays import offsets_of_parts
from inference.runtime.jit import njit
from inference.topics import Topics

_FAR = 8.0  # times a floor, from which a weight is far enough above it for a series of _TERMS
_TERMS = 13  # its last term is below 1e-14 of the weight
BLOCKS = 8  # parts in which the topics of one side are compared with the other's
LEAST_PART_TOPICS = 250  # topics of a part, at least
NEAR_NATS = 0.15  # nats: below it two topics share most of their words (docs/rooms.md)
_NOTHING = 1e-12  # nats: what rounding leaves between equal topics
_LEAST_SUMMED = 1e-20  # weights whose powers up to _TERMS - 2 are numbers


class TopicRows(NamedTuple):
    """Topics over some C words only, each row's largest weights first. words: int32, numbered in 0
    … C - 1. weights: float32. outside: float64[K], what they weigh elsewhere."""

    indptr: np.ndarray
    words: np.ndarray
    weights: np.ndarray
    floor: np.ndarray
    outside: np.ndarray
    C: int


def rows(topics: Topics) -> TopicRows:
    """Over the whole vocabulary."""
    floor = np.maximum(topics.floor, 0.0)  # rounding may leave one just below 0
    return TopicRows(
        indptr=topics.indptr,
        words=topics.words,
        weights=topics.weights,
        floor=floor,
        outside=np.zeros(topics.K),
        C=topics.V,
    )


def restricted(topics: Topics, column: np.ndarray) -> TopicRows:
    """Over some words only. column: int32[V], the number that a word is to have, -1 for a word that
    is left out."""
    at = column[topics.words]
    topic = np.repeat(np.arange(topics.K), np.diff(topics.indptr))
    is_shared = at >= 0
    weights = topics.weights
    entries_of_topic = np.bincount(topic[is_shared], minlength=topics.K)
    outside = np.bincount(topic[~is_shared], weights=weights[~is_shared], minlength=topics.K)
    unlisted = np.count_nonzero(column < 0) - (np.diff(topics.indptr) - entries_of_topic)
    indptr = offsets_of_parts(entries_of_topic)
    floor = np.maximum(topics.floor, 0.0)
    return TopicRows(
        indptr=indptr,
        words=at[is_shared],
        weights=weights[is_shared],
        floor=floor,
        outside=outside + unlisted * floor,
        C=int(np.count_nonzero(column >= 0)),
    )


def divergences(topics: Topics) -> np.ndarray:
    """float64[K, K], nats: symmetric, 0 on the diagonal and between topics of the same rows."""
    sparse = rows(topics)
    return between(sparse, sparse)


def between(
    a: TopicRows, b: TopicRows, advance: Callable[[float], None] = lambda share: None
) -> np.ndarray:
    """float64[Ka, Kb], nats: of topics over the same C words. A word that only one side has adds
    half its weight times log 2.

    advance: called with the share of the work that is done.
    """
    distances = _beside_floors(a.indptr, a.weights, b.floor)
    with_itself = a is b
    distances += (
        distances.T.copy() if with_itself else _beside_floors(b.indptr, b.weights, a.floor).T
    )
    topics = np.empty(len(b.words), np.uint32)
    weights = np.empty(len(b.words), np.float32)
    start = transpose(b.indptr, b.words, b.weights, b.C, topics, weights)
    K = len(a.floor)
    step = max(LEAST_PART_TOPICS, -(-K // BLOCKS))
    for first in range(0, K, step):
        end = min(first + step, K)
        _between(
            distances,
            first,
            end,
            a.indptr,
            a.words,
            a.weights,
            a.floor,
            b.indptr,
            b.floor,
            b.C,
            start,
            topics,
            weights,
            with_itself,
        )
        advance(end / K)
    if with_itself:
        distances = np.triu(distances, 1)
        distances += distances.T.copy()
    distances += 0.5 * np.log(2) * (a.outside[:, None] + b.outside)
    return distances


def nearest(divergences: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The n topics most like each, nearest first, of equals the lower number: (int32[K, n],
    float64[K, n]).

    No topic is beside itself: n is at most K - 1, and fewer columns come back where more are asked
    for. divergences: float64[K, K].
    """
    n = min(n, len(divergences) - 1)
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
    return (p * (np.log(p) - log_m) if p > 0.0 else 0.0) + (
        q * (np.log(q) - log_m) if q > 0.0 else 0.0
    )


@njit(cache=True, inline="always", error_model="numpy")
def _mixed(s):
    """(p + q) log m, s = p + q; a loop over it becomes vector instructions."""
    return s * log_in_loop(0.5 * s)


@njit(cache=True, parallel=True, nogil=True)
def _beside_floors(indptr, weights, floors):
    """Sum over a topic's listed words of _term(p, f), f the floor of another: float64[K,
    len(floors)].

    A logarithm for each word and floor would be most of all work. Where x = f / p is small,
    _term(p, f) = p log 2 + f log f - f log(p / 2) - p (x + x^2 / 2 - x^3 / 6 + x^4 / 12 …), and the
    sum over the first words of a row follows from sums over p, log(p / 2) and p^(1 - n) that all
    floors share. Weights are sorted, largest first. For the other words it is p log p + f log f -
    (p + f) log m.
    """
    K = len(indptr) - 1
    distances = np.empty((K, len(floors)))
    for i in prange(K):
        row = weights[indptr[i] : indptr[i + 1]].astype(np.float64)
        # Of the first j words: p, log(p / 2), and p^(1 - n) at n
        sums = np.zeros((len(row) + 1, _TERMS + 1))
        suffix_sums = np.zeros(len(row) + 1)  # of the last words, from j on: p log p
        falling = -row
        mixed = np.empty(len(row))
        first = 0  # words whose powers are numbers
        while first < len(row) and row[first] > _LEAST_SUMMED:
            p = row[first]
            sums[first + 1, 0] = sums[first, 0] + p
            sums[first + 1, 1] = sums[first, 1] + np.log(0.5 * p)
            power = 1.0
            for n in range(2, _TERMS + 1):
                power /= p
                sums[first + 1, n] = sums[first, n] + power
            first += 1
        weighted = first  # words with a weight at all
        while weighted < len(row) and row[weighted] > 0.0:
            weighted += 1
        for j in range(weighted - 1, -1, -1):
            suffix_sums[j] = suffix_sums[j + 1] + row[j] * np.log(row[j])
        for k in range(len(floors)):
            f = floors[k]
            # How many words are _FAR above the floor
            low = np.searchsorted(falling[:first], -_FAR * f, side="right")
            total = np.log(2.0) * sums[low, 0]
            if f > 0.0:
                log_f = np.log(f)
                total += f * (low * (log_f - 1.0) - sums[low, 1])
                power = f
                for n in range(2, _TERMS + 1):
                    power *= -f
                    total += power * sums[low, n] / (n * (n - 1))
                total += suffix_sums[low] + (len(row) - low) * f * log_f
                _mixed_with(row[low:], f, mixed)
                for j in range(len(row) - low):
                    total -= mixed[j]
            distances[i, k] = total
    return distances


@njit(cache=True, error_model="numpy")
def _mixed_with(weights, f, mixed):
    """_mixed(p + f) of some weights p and one floor."""
    for j in range(len(weights)):
        mixed[j] = _mixed(weights[j] + f)


@njit(cache=True, error_model="numpy")
def _in_both(p, f, weights, floors, shared):
    """For a weight p of a topic whose floor is f, and the same word's weights and floors in other
    topics: by how much _term(p, q) + _term(f, g) differs from _term(p, g) + _term(f, q), but for (f
    + g) log m."""
    for e in range(len(weights)):
        q = np.float64(weights[e])
        shared[e] = _mixed(p + floors[e]) + _mixed(q + f) - _mixed(p + q)


@njit(cache=True, parallel=True, nogil=True)
def _between(
    divergences,
    first_row,
    end_row,
    indptr,
    words,
    weights,
    floor,
    b_indptr,
    b_floor,
    C,
    start,
    topics,
    b_weights,
    with_itself,
):
    """Turn some rows of `divergences`, from first_row to end_row - 1, from the sums of
    _beside_floors into divergences, but for the words that only one side has.

    divergences: float64[Ka, Kb], in nats; of each pair of topics the sums from both sides, added.
    indptr: int64[Ka + 1], words: int32, weights: float32, floor: float64[Ka], of the topics a, as
    TopicRows has them; b_indptr: int64[Kb + 1], b_floor: float64[Kb], of the topics b. C: words
    that both sides have. start: int64[C + 1], topics: uint32, b_weights: float32: the entries of b
    by word, its topics ascending. with_itself: a is b; what is on and below the diagonal is left as
    it is then.

    What both list is taken out of the sums and put in as it is: the work is that of the pairs of
    topics that have a word in common."""
    K = len(b_floor)
    for i in prange(first_row, end_row):
        f = floor[i]
        first = i + 1 if with_itself else 0
        floors = np.empty(K)
        terms = np.empty(K)
        added = np.zeros(K)
        neither = np.empty(K)
        _mixed_with(b_floor, f, neither)
        for j in range(indptr[i], indptr[i + 1]):
            low = start[words[j]]
            end = start[words[j] + 1]
            if with_itself:
                low += np.searchsorted(topics[low:end], first)
            topics_of_word = topics[low:end]
            q = b_weights[low:end]
            for e in range(len(topics_of_word)):
                floors[e] = b_floor[topics_of_word[e]]
            _in_both(np.float64(weights[j]), f, q, floors, terms)
            for e in range(len(topics_of_word)):
                added[topics_of_word[e]] += terms[e] - neither[topics_of_word[e]]
        for k in range(first, K):
            unlisted = C - (indptr[i + 1] - indptr[i]) - (b_indptr[k + 1] - b_indptr[k])
            total = 0.5 * (divergences[i, k] + added[k] + unlisted * _term(f, b_floor[k]))
            # What is no number stays so: it must not pass for the same topic
            divergences[i, k] = 0.0 if total <= _NOTHING else total
