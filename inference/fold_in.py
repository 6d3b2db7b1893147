"""Fold-in by EM: theta of a document, whatever engine made the topics.

The measures of held-out documents (evaluate/) use it, texts that were not trained on (infer), the
topics of tokens (evidence/assigning.py), and runs that begin with another's topics (warm_start).
"""

from typing import NamedTuple

import numpy as np

from inference.kernels.beta_rows import BetaRows
from inference.runtime.jit import njit

ITERATIONS = 50  # of EM
# So many of them are over all topics, before `fit_active` continues with those of the document
WHOLE_STEPS = 6
# expected tokens: a topic with fewer after WHOLE_STEPS steps is at its prior, or on its way there
ACTIVE = 0.1
# Of the judges' fold-in, whatever the model's own: so that models are compared on equal terms (SSI,
# footnote 1). Of a topic at the most, and of all topics together
ALPHA = 0.1
ALPHA_SUM = 10.0


def alpha_for(K: int) -> float:
    """alpha of the judges' fold-in for K topics: 0.1, and 10 / K above 100, else the prior
    outweighs a document."""
    return min(ALPHA, ALPHA_SUM / K)


@njit(cache=True, nogil=True)
def rows(indptr, words, weights, floor, distinct, V):
    """BetaRows of some words, `distinct`: int64[n]. indptr, words, weights, floor, V: of Topics."""
    n = len(distinct)
    row_of_word = np.full(V, -1, np.int64)
    row_of_word[distinct] = np.arange(n)
    row_ptr = np.zeros(n + 1, np.int64)
    for j in range(len(words)):
        if row_of_word[words[j]] >= 0:
            row_ptr[row_of_word[words[j]] + 1] += 1
    row_ptr = np.cumsum(row_ptr)
    row_topics = np.empty(row_ptr[n], np.int32)
    above = np.empty(row_ptr[n])
    cursor = row_ptr[:-1].copy()
    for k in range(len(floor)):
        for j in range(indptr[k], indptr[k + 1]):
            i = row_of_word[words[j]]
            if i >= 0:
                row_topics[cursor[i]] = k
                above[cursor[i]] = weights[j] - floor[k]
                cursor[i] += 1
    return BetaRows(row_ptr, row_topics, above, floor)


@njit(cache=True, nogil=True)
def expect(theta, beta, positions, counts, expected):
    """Expected tokens of each topic in a document, into `expected`, float64[K]: sum_w n_w theta_k
    beta_kw / sum_j theta_j beta_jw.

    beta: BetaRows; positions: rows of the document's words; counts: n_w. A word to which no topic
    gives weight is left out. beta_kw is floor_k plus what the word's row has above it, so sum_k
    theta_k beta_kw is a number that all words share and a sum over the row: this costs K and the
    rows' entries, not K for each word.
    """
    K = len(beta.floor)
    shared = 0.0
    for k in range(K):
        shared += theta[k] * beta.floor[k]
        expected[k] = 0.0
    factors = 0.0
    for j in range(len(positions)):
        if counts[j]:
            p = shared
            a = beta.row_ptr[positions[j]]
            b = beta.row_ptr[positions[j] + 1]
            for i in range(a, b):
                p += theta[beta.row_topics[i]] * beta.above[i]
            factor = counts[j] / p if p > 0.0 else 0.0
            factors += factor
            for i in range(a, b):
                expected[beta.row_topics[i]] += factor * beta.above[i]
    for k in range(K):
        expected[k] = max(theta[k] * (beta.floor[k] * factors + expected[k]), 0.0)


@njit(cache=True, nogil=True)
def _step(theta, beta, positions, counts, alpha, tokens):
    """A step of EM over all topics, in place. tokens: float64[K], room for what is expected of
    each."""
    expect(theta, beta, positions, counts, tokens)
    total = 0.0
    for k in range(len(theta)):
        theta[k] = alpha[k] + tokens[k]
        total += theta[k]
    theta /= total


@njit(cache=True, nogil=True)
def fit(beta, positions, counts, alpha, iterations):
    """theta of a document, float64[K], from 1 / K on by steps of EM: theta_k proportional to
    alpha_k + expected tokens of k.

    beta: BetaRows. alpha: float64[K]. positions, counts: of the words, as `expect` takes them.
    """
    K = len(beta.floor)
    theta = np.full(K, 1.0 / K)
    tokens = np.empty(K)
    for _ in range(iterations):
        _step(theta, beta, positions, counts, alpha, tokens)
    return theta


class _DocumentBlock(NamedTuple):
    """beta of a document's n words in its m active topics, twice, as each sum needs it in the order
    of its loop; and what the topics that are not active give to each word.

    by_topic: float64[m, n]. by_word: float64[n, m]. base: float64[n].
    """

    by_topic: np.ndarray
    by_word: np.ndarray
    base: np.ndarray


@njit(cache=True, nogil=True)
def fit_active(beta, positions, counts, alpha, iterations):
    """theta of a document, nearly that of `fit`, at a small part of its cost: after WHOLE_STEPS
    steps over all topics only the document's active ones continue, in a dense block that stays in
    the cache; the others keep their weight until a last step over all.

    Completion differs from that by `fit` by less than 0.002 nats a token;
    tests/inference/test_evaluate_completion.py says how near theta is.
    """
    K = len(beta.floor)
    theta = fit(beta, positions, counts, alpha, min(iterations, WHOLE_STEPS))
    if iterations <= WHOLE_STEPS + 1:
        return theta
    tokens = np.empty(K)
    expect(theta, beta, positions, counts, tokens)
    column = np.full(K, -1, np.int64)
    m = 0
    total = 0.0
    for k in range(K):
        total += alpha[k] + tokens[k]
        if tokens[k] >= ACTIVE:
            column[k] = m
            m += 1
        else:
            theta[k] = alpha[k] + tokens[k]
    active = np.flatnonzero(column >= 0)
    g = alpha[active] + tokens[active]  # theta but for its sum, which stays
    used = np.flatnonzero(counts)
    block = _active_block(theta, beta, positions[used], active, column)
    _step_in_block(g, block, counts[used], alpha[active], iterations - WHOLE_STEPS - 1)
    for k in range(K):
        theta[k] = (g[column[k]] if column[k] >= 0 else theta[k]) / total
    _step(theta, beta, positions, counts, alpha, tokens)
    return theta


@njit(cache=True, nogil=True)
def _active_block(theta, beta, positions, active, column):
    """_Block of a document. theta: float64[K], but for its sum, of the topics that are not active.
    positions: int64[n], rows of the document's words. active: int64[m]; column: int64[K], where
    each topic is in it, -1 for nowhere."""
    floor_sum = 0.0  # what all topics that are not active give to every word
    for k in range(len(column)):
        if column[k] < 0:
            floor_sum += theta[k] * beta.floor[k]
    n = len(positions)
    m = len(active)
    by_topic = np.empty((m, n))
    by_word = np.empty((n, m))
    base = np.full(n, floor_sum)
    for j in range(n):
        by_word[j] = beta.floor[active]
        for i in range(beta.row_ptr[positions[j]], beta.row_ptr[positions[j] + 1]):
            k = beta.row_topics[i]
            if column[k] >= 0:
                by_word[j, column[k]] += beta.above[i]
            else:
                base[j] += theta[k] * beta.above[i]
        for a in range(m):
            by_topic[a, j] = by_word[j, a]
    return _DocumentBlock(by_topic, by_word, base)


@njit(cache=True, nogil=True)
def _step_in_block(g, block, counts, alpha, iterations):
    """Steps of EM over a document's m active topics alone. g: float64[m], alpha_k + expected tokens
    of k, changed in place. block: _Block. counts: of the n words; alpha: float64[m]."""
    by_topic, by_word, base = block
    m, n = by_topic.shape
    p = np.empty(n)
    sums = np.empty(m)
    for _ in range(iterations):
        p[:] = base
        for a in range(m):
            for j in range(n):
                p[j] += g[a] * by_topic[a, j]
        sums[:] = 0.0
        for j in range(n):
            factor = counts[j] / p[j] if p[j] > 0.0 else 0.0
            for a in range(m):
                sums[a] += factor * by_word[j, a]
        for a in range(m):
            g[a] = alpha[a] + g[a] * sums[a]
