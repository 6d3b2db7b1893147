"""The judges' own fold-in: theta of a document by EM, whatever engine made the topics. What the kernels share."""

import numpy as np
from numba import njit

ITERATIONS = 50  # of EM
ALPHA = 0.1  # of the fold-in, whatever the model's own: so that models are compared on equal terms (SSI, footnote 1)


@njit(cache=True, nogil=True)
def rows(indptr, words, weights, floor, distinct, V):
    """What beta has above the topics' floors, for some words: (int64[n + 1], topics int32, float64), topics
    ascending."""
    n = len(distinct)
    place = np.full(V, -1, np.int64)
    for i in range(n):
        place[distinct[i]] = i
    row_ptr = np.zeros(n + 1, np.int64)
    for j in range(len(words)):
        if place[words[j]] >= 0:
            row_ptr[place[words[j]] + 1] += 1
    row_ptr = np.cumsum(row_ptr)
    row_topics = np.empty(row_ptr[n], np.int32)
    above = np.empty(row_ptr[n])
    cursor = row_ptr[:-1].copy()
    for k in range(len(floor)):
        for j in range(indptr[k], indptr[k + 1]):
            i = place[words[j]]
            if i >= 0:
                row_topics[cursor[i]], above[cursor[i]] = k, weights[j] - floor[k]
                cursor[i] += 1
    return row_ptr, row_topics, above


@njit(cache=True, nogil=True)
def expect(theta, floor, row_ptr, row_topics, above, places, counts, out):
    """Expected tokens of each topic in a document, into out, float64[K]: sum_w n_w theta_k beta_kw / sum_j theta_j
    beta_jw.

    places: rows of the document's words; counts: n_w. A word to which no topic gives weight is left out.
    beta_kw is floor_k plus what the word's row has above it, so sum_k theta_k beta_kw is a number that all words share
    and a sum over the row: this costs K and the rows' entries, not K for each word.
    """
    K = len(floor)
    shared = 0.0
    for k in range(K):
        shared += theta[k] * floor[k]
        out[k] = 0.0
    factors = 0.0
    for j in range(len(places)):
        if counts[j]:
            p = shared
            a, b = row_ptr[places[j]], row_ptr[places[j] + 1]
            for i in range(a, b):
                p += theta[row_topics[i]] * above[i]
            factor = counts[j] / p if p > 0.0 else 0.0
            factors += factor
            for i in range(a, b):
                out[row_topics[i]] += factor * above[i]
    for k in range(K):
        out[k] = max(theta[k] * (floor[k] * factors + out[k]), 0.0)


@njit(cache=True, nogil=True)
def fit(floor, row_ptr, row_topics, above, places, counts, alpha, iterations):
    """theta of a document, float64[K], from 1 / K on by steps of EM: theta_k proportional to alpha_k + expected tokens
    of k.

    alpha: float64[K]. places, counts: of the words, as `expect` takes them.
    """
    K = len(floor)
    theta = np.full(K, 1.0 / K)
    tokens = np.empty(K)
    for _ in range(iterations):
        expect(theta, floor, row_ptr, row_topics, above, places, counts, tokens)
        total = 0.0
        for k in range(K):
            theta[k] = alpha[k] + tokens[k]
            total += theta[k]
        for k in range(K):
            theta[k] /= total
    return theta
