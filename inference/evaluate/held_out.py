"""Held-out document completion: how well do the topics predict the other part of a held-out
document?"""

from typing import NamedTuple

import numpy as np
from numba import prange

from inference import fold_in
from inference.bow import Bow
from inference.errors import Invalid
from inference.kernels import rng
from inference.kernels.chunks import cumulated
from inference.runtime.jit import njit
from inference.topics import Topics


class Observed(NamedTuple):
    """parts / of: how much of a document is observed. types: whether of its distinct words, instead
    of its tokens."""

    parts: int
    of: int
    types: bool


SPLITS = {
    "half": Observed(1, 2, types=False),
    "tokens": Observed(4, 5, types=False),  # Than and Ho 2015, appendix A
    "types": Observed(4, 5, types=True),  # SVI, section 4; Hughes and Sudderth 2016
}
LEAST_PROBABILITY = 1e-300  # what a word counts as to which no topic gives weight
SAMPLE = 125  # documents of an estimate, at least


class Parts(NamedTuple):
    """Of each document what is observed and what is scored. indptr: int64[n + 1], where each one's
    words begin; of each word, int64, positions: among the distinct words of all documents;
    observed, scored: how many of its tokens are."""

    indptr: np.ndarray
    positions: np.ndarray
    observed: np.ndarray
    scored: np.ndarray


class Completion:
    """Built once for some held-out documents, then called for topics after topics.

    split "half": half of each document's tokens are observed, the others scored. "tokens": 80 % are
    observed. "types": 80 % of its distinct words are, with all their tokens, so that no word is on
    both sides. The number that is observed is rounded to the nearest, halves up; which ones depends
    on the seed and the document alone. A document where nothing is left to be scored scores
    nothing.

    theta is fitted to the observed part by ITERATIONS steps of EM, theta_k proportional to
    alpha + sum_w n_w theta_k beta_kw / sum_j theta_j beta_jw. alpha: None takes
    fold_in.alpha_for(K).
    """

    def __init__(
        self,
        bow: Bow,
        documents: np.ndarray,
        seed: int = 0,
        split: str = "half",
        *,
        alpha: float | None = None,
    ):
        if split not in SPLITS:
            raise Invalid("split", f"split must be one of {', '.join(SPLITS)}, got {split!r}.")
        if alpha is not None and not alpha > 0:
            raise Invalid("alpha", f"alpha must be above 0, got {alpha}.")
        self.alpha = alpha
        documents = np.asarray(documents, np.int64)
        bow_arrays = (bow.indptr, bow.words, bow.counts)
        self.words, self.parts = _split(
            documents, bow_arrays, bow.V, np.uint64(seed), SPLITS[split]
        )
        self.sizes = _by_document(self.parts.scored, self.parts.indptr)
        self.sample, self.harder = self._sampled(bow)

    @property
    def tokens(self) -> int:
        """How many tokens are scored."""
        return int(self.parts.scored.sum())

    @property
    def sample_tokens(self) -> int:
        """How many tokens an estimate looks at: those that are observed, and about as many that are
        scored."""
        return 2 * int(self.sizes[self.sample].sum())

    def __call__(self, topics: Topics) -> float:
        """Mean log p(token | observed part) = log sum_k theta_k beta_kw, nats per token; NaN where
        nothing is scored."""
        return self._mean(topics, np.arange(len(self.parts.indptr) - 1), False)

    def quick(self, topics: Topics) -> float:
        """About the same, of all documents, each fitted by fold_in.fit_active: to tell whether
        topics still improve."""
        return self._mean(topics, np.arange(len(self.parts.indptr) - 1), True)

    def estimate(self, topics: Topics) -> float:
        """About the same, at a few percent of the cost, while a training runs: `quick` of about
        SAMPLE of the documents.

        Documents differ in how hard they are; how much harder those of the sample are for the
        corpus's own word frequencies is added.
        """
        return self._mean(topics, self.sample, True) + self.harder

    def _mean(self, topics: Topics, documents: np.ndarray, active: bool) -> float:
        topics = topics.proper()
        if not self.tokens:
            return float("nan")
        beta = fold_in.rows(
            topics.indptr, topics.words, topics.weights, topics.floor, self.words, topics.V
        )
        alpha = np.full(topics.K, self.alpha or fold_in.alpha_for(topics.K))
        scores = _score(beta, documents, self.parts, alpha, fold_in.ITERATIONS, active)
        return float(scores.sum() / self.sizes[documents].sum())

    def _sampled(self, bow: Bow) -> tuple[np.ndarray, float]:
        """Some documents at even distances, and by how many nats a token they are harder than all
        for a unigram model."""
        scored = np.flatnonzero(self.sizes)
        distance = max(1, len(scored) // SAMPLE)
        sample = scored[::distance].copy()  # kernels are compiled for arrays without a stride
        if not len(sample):
            return sample, 0.0
        frequency = bow.word_tokens + 1.0
        log_p = np.log(frequency / frequency.sum())
        nats_of_words = self.parts.scored * log_p[self.words[self.parts.positions]]
        nats = _by_document(nats_of_words, self.parts.indptr)
        return sample, float(
            nats.sum() / self.tokens - nats[sample].sum() / self.sizes[sample].sum()
        )


def _by_document(values: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """Sums of each document's values, [n]."""
    sums = np.concatenate(([0], np.cumsum(values)))
    return sums[indptr[1:]] - sums[indptr[:-1]]


@njit(cache=True)
def _split(documents, bow_arrays, V, seed, share):
    """(distinct words of all documents, the documents' Parts). bow_arrays: indptr, words, counts.
    share: Observed."""
    indptr, words, counts = bow_arrays
    slot_of_word = np.full(V, -1, np.int64)
    distinct = np.empty(V, np.int64)
    part_ptr = cumulated(indptr[documents + 1] - indptr[documents])
    positions = np.empty(part_ptr[-1], np.int64)
    observed = np.zeros(part_ptr[-1], np.int64)
    scored = np.zeros(part_ptr[-1], np.int64)
    n = 0
    for i in range(len(documents)):
        d = documents[i]
        left = np.int64(0)
        for j in range(indptr[d], indptr[d + 1]):
            w = words[j]
            if slot_of_word[w] < 0:
                slot_of_word[w] = n
                distinct[n] = w
                n += 1
            positions[part_ptr[i] + j - indptr[d]] = slot_of_word[w]
            left += 1 if share.types else counts[j]
        # Selection sampling (Knuth, 3.4.2): exactly so many of the tokens, or words, are observed.
        tokens_wanted = (2 * share.parts * left + share.of) // (2 * share.of)
        state = rng.key(seed, np.uint64(rng.SPLIT), np.uint64(d), np.uint64(0))
        for j in range(indptr[d], indptr[d + 1]):
            at = part_ptr[i] + j - indptr[d]
            size = counts[j] if share.types else 1
            for _ in range(1 if share.types else counts[j]):
                state = rng.after(state)
                if rng.unit(state) * left < tokens_wanted:
                    observed[at] += size
                    tokens_wanted -= 1
                else:
                    scored[at] += size
                left -= 1
    return distinct[:n].copy(), Parts(part_ptr, positions, observed, scored)


@njit(cache=True, parallel=True)
def _score(beta, documents, parts, alpha, iterations, active):
    """Sum of log probabilities of each of some documents' scored tokens: float64[n]. beta: BetaRows
    of the distinct words. documents: int64[n], of those of parts: Parts. active: whether by
    fold_in.fit_active."""
    n = len(documents)
    K = len(beta.floor)
    scores = np.zeros(n)
    for d in prange(n):
        a = parts.indptr[documents[d]]
        b = parts.indptr[documents[d] + 1]
        if not parts.scored[a:b].any():
            continue
        positions = parts.positions[a:b]
        observed = parts.observed[a:b]
        if active:
            theta = fold_in.fit_active(beta, positions, observed, alpha, iterations)
        else:
            theta = fold_in.fit(beta, positions, observed, alpha, iterations)
        shared = 0.0
        for k in range(K):
            shared += theta[k] * beta.floor[k]
        for j in range(a, b):
            if parts.scored[j]:
                p = shared
                row = parts.positions[j]
                for i in range(beta.row_ptr[row], beta.row_ptr[row + 1]):
                    p += theta[beta.row_topics[i]] * beta.above[i]
                scores[d] += parts.scored[j] * np.log(max(p, LEAST_PROBABILITY))
    return scores
