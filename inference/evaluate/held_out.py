"""Held-out document completion: how well do the topics predict the other half of an unseen document?"""

import numpy as np
from numba import njit, prange

from inference.bow import Bow
from inference.kernels import rng
from inference.topics import Topics

ITERATIONS = 50  # of the fixed fold-in
ALPHA = 0.1  # of the fold-in, whatever the model's own: so that models are compared on equal terms (SSI, footnote 1)


class Completion:
    """Built once for some held-out documents, then called for topics after topics.

    Each document's tokens are put into a random order that depends on the seed and the document; the even ones are
    observed, the odd ones scored. theta is fitted to the observed half by ITERATIONS steps of EM,
    theta_k proportional to ALPHA + sum_w n_w theta_k beta_kw / sum_j theta_j beta_jw.
    """

    def __init__(self, bow: Bow, documents: np.ndarray, seed: int = 0):
        self.words, self.indptr, self.places, self.observed, self.scored = _split(
            np.asarray(documents, np.int64), bow.indptr, bow.words, bow.counts, bow.V, np.uint64(seed)
        )

    @property
    def tokens(self) -> int:
        """How many tokens are scored."""
        return int(self.scored.sum())

    def __call__(self, topics: Topics) -> float:
        """Mean log p(token | observed half), nats per token; NaN where nothing is held out."""
        if not self.tokens:
            return float("nan")
        rows = _rows(topics.indptr, topics.words, topics.weights, topics.floor, self.words, topics.V)
        scores = _score(topics.floor, *rows, self.indptr, self.places, self.observed, self.scored, ALPHA, ITERATIONS)
        return float(scores.sum() / self.tokens)


@njit(cache=True)
def _split(documents, indptr, words, counts, V, seed):
    """(distinct words, indptr, place of each word among them, observed counts, scored counts)."""
    place = np.full(V, -1, np.int64)
    distinct = np.empty(V, np.int64)
    out_ptr = np.zeros(len(documents) + 1, np.int64)
    for i in range(len(documents)):
        out_ptr[i + 1] = out_ptr[i] + indptr[documents[i] + 1] - indptr[documents[i]]
    places = np.empty(out_ptr[-1], np.int64)
    observed = np.zeros(out_ptr[-1], np.int64)
    scored = np.zeros(out_ptr[-1], np.int64)
    n = 0
    for i in range(len(documents)):
        d = documents[i]
        left = np.int64(0)
        for j in range(indptr[d], indptr[d + 1]):
            w = words[j]
            if place[w] < 0:
                place[w] = n
                distinct[n] = w
                n += 1
            at = out_ptr[i] + j - indptr[d]
            places[at] = place[w]
            left += counts[j]
        # Selection sampling (Knuth, 3.4.2): exactly half of the tokens, rounded up, are observed.
        wanted = (left + 1) // 2
        state = rng.key(seed, np.uint64(rng.SPLIT), np.uint64(d), np.uint64(0))
        for j in range(indptr[d], indptr[d + 1]):
            at = out_ptr[i] + j - indptr[d]
            for _ in range(counts[j]):
                state = rng.after(state)
                if rng.unit(state) * left < wanted:
                    observed[at] += 1
                    wanted -= 1
                else:
                    scored[at] += 1
                left -= 1
    return distinct[:n].copy(), out_ptr, places, observed, scored


@njit(cache=True)
def _rows(indptr, words, weights, floor, distinct, V):
    """What beta has above the topics' floors, for some words: (int64[n + 1], topics int32, float64), topics ascending."""
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


@njit(cache=True, parallel=True)
def _score(floor, row_ptr, row_topics, above, indptr, places, observed, scored, alpha, iterations):
    """Sum of log probabilities of each document's scored tokens: float64[n].

    beta_kw is floor_k plus what the word's row has above it, so sum_k theta_k beta_kw is a number that all words share
    and a sum over the row: an iteration costs K and the rows' entries, not K for each word.
    """
    n, K = len(indptr) - 1, len(floor)
    out = np.zeros(n)
    for d in prange(n):
        theta = np.full(K, 1.0 / K)
        gained = np.zeros(K)
        for _ in range(iterations):
            shared = 0.0
            for k in range(K):
                shared += theta[k] * floor[k]
            factors = 0.0
            for j in range(indptr[d], indptr[d + 1]):
                if observed[j]:
                    p = shared
                    a, b = row_ptr[places[j]], row_ptr[places[j] + 1]
                    for i in range(a, b):
                        p += theta[row_topics[i]] * above[i]
                    factor = observed[j] / p if p > 0.0 else 0.0
                    factors += factor
                    for i in range(a, b):
                        gained[row_topics[i]] += factor * above[i]
            total = 0.0
            for k in range(K):
                theta[k] = alpha + theta[k] * (floor[k] * factors + gained[k])
                gained[k] = 0.0
                total += theta[k]
            for k in range(K):
                theta[k] /= total
        shared = 0.0
        for k in range(K):
            shared += theta[k] * floor[k]
        for j in range(indptr[d], indptr[d + 1]):
            if scored[j]:
                p = shared
                for i in range(row_ptr[places[j]], row_ptr[places[j] + 1]):
                    p += theta[row_topics[i]] * above[i]
                out[d] += scored[j] * np.log(max(p, 1e-300))
    return out
