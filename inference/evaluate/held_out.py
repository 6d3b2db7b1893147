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
        beta = np.ascontiguousarray(topics.columns(self.words).T)
        scores = _score(beta, self.indptr, self.places, self.observed, self.scored, ALPHA, ITERATIONS)
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


@njit(cache=True, parallel=True, fastmath={"reassoc", "contract"})  # sums over k may be vectorised
def _score(beta, indptr, places, observed, scored, alpha, iterations):
    """Sum of log probabilities of each document's scored tokens: float64[n]. beta: float64[words, K]."""
    n, K = len(indptr) - 1, beta.shape[1]
    out = np.zeros(n)
    for d in prange(n):
        theta = np.full(K, 1.0 / K)
        fresh = np.empty(K)
        for _ in range(iterations):
            fresh[:] = alpha
            for j in range(indptr[d], indptr[d + 1]):
                if observed[j]:
                    row = beta[places[j]]
                    p = 0.0
                    for k in range(K):
                        p += theta[k] * row[k]
                    factor = observed[j] / p if p > 0.0 else 0.0
                    for k in range(K):
                        fresh[k] += factor * theta[k] * row[k]
            total = fresh.sum()
            for k in range(K):
                theta[k] = fresh[k] / total
        score = 0.0
        for j in range(indptr[d], indptr[d + 1]):
            if scored[j]:
                row = beta[places[j]]
                p = 0.0
                for k in range(K):
                    p += theta[k] * row[k]
                score += scored[j] * np.log(max(p, 1e-300))
        out[d] = score
    return out
