"""Held-out document completion: how well do the topics predict the other part of a held-out
document?"""

import numpy as np
from numba import prange

from inference import fold_in
from inference.bow import Bow
from inference.errors import Invalid
from inference.kernels import rng
from inference.kernels.gibbs import cumulated
from inference.runtime.jit import njit
from inference.topics import Topics

# Which part of a document is observed, and what is shared out: its tokens, or its distinct words.
SPLITS = {
    "half": (1, 2, False),
    "tokens": (4, 5, False),  # Than and Ho 2015, appendix A
    "types": (4, 5, True),  # SVI, section 4; Hughes and Sudderth 2016
}
LEAST_PROBABILITY = 1e-300  # what a word counts as to which no topic gives weight
SAMPLE = 125  # documents of an estimate, at least


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
        self.words, self.indptr, self.places, self.observed, self.scored = _split(
            np.asarray(documents, np.int64),
            bow.indptr,
            bow.words,
            bow.counts,
            bow.V,
            np.uint64(seed),
            *SPLITS[split],
        )
        self.sizes = _by_document(self.scored, self.indptr)
        self.sample, self.harder = self._sampled(bow)

    @property
    def tokens(self) -> int:
        """How many tokens are scored."""
        return int(self.scored.sum())

    @property
    def sample_tokens(self) -> int:
        """How many tokens an estimate looks at: those that are observed, and about as many that are
        scored."""
        return 2 * int(self.sizes[self.sample].sum())

    def __call__(self, topics: Topics) -> float:
        """Mean log p(token | observed part) = log sum_k theta_k beta_kw, nats per token; NaN where
        nothing is scored."""
        return self._mean(topics, np.arange(len(self.indptr) - 1), False)

    def quick(self, topics: Topics) -> float:
        """About the same, of all documents, each fitted by fold_in.fit_active: to tell whether
        topics still improve."""
        return self._mean(topics, np.arange(len(self.indptr) - 1), True)

    def estimate(self, topics: Topics) -> float:
        """About the same, at a few percent of the cost, while a training runs: `quick` of about
        SAMPLE of the documents.

        Documents differ in how hard they are; how much harder those of the sample are for the
        corpus's own word frequencies is added.
        """
        return self._mean(topics, self.sample, True) + self.harder

    def _mean(self, topics: Topics, documents: np.ndarray, active: bool) -> float:
        proper_topics = topics.proper()
        if not self.tokens:
            return float("nan")
        row_ptr, row_topics, above = fold_in.rows(
            proper_topics.indptr, topics.words, topics.weights, topics.floor, self.words, topics.V
        )
        scores = _score(
            topics.floor,
            row_ptr,
            row_topics,
            above,
            documents,
            self.indptr,
            self.places,
            self.observed,
            self.scored,
            np.full(topics.K, self.alpha or fold_in.alpha_for(topics.K)),
            fold_in.ITERATIONS,
            active,
        )
        return float(scores.sum() / self.sizes[documents].sum())

    def _sampled(self, bow: Bow) -> tuple[np.ndarray, float]:
        """Some documents at even distances, and by how many nats a token they are harder than all
        for a unigram model."""
        scored = np.flatnonzero(self.sizes)
        sample = scored[
            :: max(1, len(scored) // SAMPLE)
        ].copy()  # kernels are compiled for arrays without a stride
        if not len(sample):
            return sample, 0.0
        frequency = bow.word_tokens + 1.0
        nats = _by_document(
            self.scored * np.log(frequency / frequency.sum())[self.words[self.places]], self.indptr
        )
        return sample, float(
            nats.sum() / self.tokens - nats[sample].sum() / self.sizes[sample].sum()
        )


def _by_document(values: np.ndarray, indptr: np.ndarray) -> np.ndarray:
    """Sums of each document's values, [n]."""
    sums = np.concatenate(([0], np.cumsum(values)))
    return sums[indptr[1:]] - sums[indptr[:-1]]


@njit(cache=True)
def _split(documents, indptr, words, counts, V, seed, parts, of, types):
    """(distinct words, indptr, place of each word among them, observed counts, scored counts):
    parts / of is observed."""
    slot_of_word = np.full(V, -1, np.int64)
    distinct = np.empty(V, np.int64)
    out_ptr = cumulated(indptr[documents + 1] - indptr[documents])
    slots = np.empty(out_ptr[-1], np.int64)
    observed = np.zeros(out_ptr[-1], np.int64)
    scored = np.zeros(out_ptr[-1], np.int64)
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
            slots[out_ptr[i] + j - indptr[d]] = slot_of_word[w]
            left += 1 if types else counts[j]
        # Selection sampling (Knuth, 3.4.2): exactly so many of the tokens, or words, are observed.
        tokens_wanted = (2 * parts * left + of) // (2 * of)
        state = rng.key(seed, np.uint64(rng.SPLIT), np.uint64(d), np.uint64(0))
        for j in range(indptr[d], indptr[d + 1]):
            at = out_ptr[i] + j - indptr[d]
            size = counts[j] if types else 1
            for _ in range(1 if types else counts[j]):
                state = rng.after(state)
                if rng.unit(state) * left < tokens_wanted:
                    observed[at] += size
                    tokens_wanted -= 1
                else:
                    scored[at] += size
                left -= 1
    return distinct[:n].copy(), out_ptr, slots, observed, scored


@njit(cache=True, parallel=True)
def _score(
    floor,
    row_ptr,
    row_topics,
    above,
    documents,
    indptr,
    places,
    observed,
    scored,
    alpha,
    iterations,
    active,
):
    """Sum of log probabilities of each of some documents' scored tokens: float64[n]."""
    n = len(documents)
    K = len(floor)
    scores = np.zeros(n)
    for d in prange(n):
        a = indptr[documents[d]]
        b = indptr[documents[d] + 1]
        if not scored[a:b].any():
            continue
        if active:
            theta = fold_in.fit_active(
                floor, row_ptr, row_topics, above, places[a:b], observed[a:b], alpha, iterations
            )
        else:
            theta = fold_in.fit(
                floor, row_ptr, row_topics, above, places[a:b], observed[a:b], alpha, iterations
            )
        shared = 0.0
        for k in range(K):
            shared += theta[k] * floor[k]
        for j in range(a, b):
            if scored[j]:
                p = shared
                for i in range(row_ptr[places[j]], row_ptr[places[j] + 1]):
                    p += theta[row_topics[i]] * above[i]
                scores[d] += scored[j] * np.log(max(p, LEAST_PROBABILITY))
    return scores
