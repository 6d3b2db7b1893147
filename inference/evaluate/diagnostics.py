"""Per-topic diagnostics like those of MALLET (its TopicModelDiagnostics), from topics and corpus alone."""

from typing import NamedTuple

import numpy as np
from numba import prange

from inference.bow import Bow
from inference.errors import Invalid
from inference.evaluate import fold_in
from inference.evaluate.coherence import WORDS, Coherence
from inference.evaluate.fold_in import ITERATIONS, alpha_for
from inference.evidence import Evidence
from inference.jit import njit
from inference.kernels import rng
from inference.topics import Topics

MOST_DOCUMENTS = 10_000  # a larger corpus is represented by about so many of its documents, drawn by hash
_BLOCK = 1 << 20  # documents x K that are in memory at a time


class TopicMeasures(NamedTuple):
    """float64[K] each; all entropies and divergences in nats, 0 log 0 = 0.

    N_dk = sum_w n_dw p(k | w, d), p(k | w, d) = theta_dk beta_kw / sum_j theta_dj beta_jw: expected tokens of topic k
    in document d, theta by the same EM as in Completion, with all of the document's tokens observed. A word to which no
    topic gives weight is in no topic.

    tokens: sum_d N_dk, times the corpus's tokens over those of the documents looked at.
    document_entropy: -sum_d q log q, q = N_dk / sum_e N_ek, over the documents looked at; NaN for a topic without
    tokens.
    rank_1_documents: share of the documents with words in which N_dk is the largest, the first of equals; NaN without
    any.
    effective_words: 1 / sum_w beta_kw^2.
    exclusivity: mean over the first WORDS words of beta_kw / sum_j beta_jw; NaN for a topic that lists none.
    uniform_distance: sum_w beta_kw log(V beta_kw), KL from the uniform distribution over the vocabulary.
    corpus_distance: sum_w beta_kw log(beta_kw / p_w), p_w in proportion to the word's tokens in the corpus, one where
    it has none.
    entropy: -sum_w beta_kw log beta_kw (SSI, section 4.2, which gives its mean over topics).
    coherence: UMass. npmi: see Coherence; both NaN for a topic that lists fewer than two words.
    The measures of beta alone (effective_words, the distances, entropy) are NaN for a topic without any weight.
    """

    tokens: np.ndarray
    document_entropy: np.ndarray
    rank_1_documents: np.ndarray
    effective_words: np.ndarray
    exclusivity: np.ndarray
    uniform_distance: np.ndarray
    corpus_distance: np.ndarray
    entropy: np.ndarray
    coherence: np.ndarray
    npmi: np.ndarray


class Diagnostics:
    """Built once for a corpus, then called for topics after topics.

    The memory is that of Coherence, V, and a block of documents x K.
    """

    def __init__(self, bow: Bow, seed: int = 0, *, alpha: float | None = None):
        if alpha is not None and not alpha > 0:
            raise Invalid("alpha", f"alpha must be above 0, got {alpha}.")
        self.bow, self.alpha = bow, alpha
        self.judge = Coherence(bow, seed)
        self.documents = np.arange(bow.D, dtype=np.int64)
        if bow.D > MOST_DOCUMENTS:
            self.documents = rng.chosen(bow.D, rng.DIAGNOSE, MOST_DOCUMENTS / bow.D, np.uint64(seed))
        counts = np.maximum(bow.word_tokens, 1.0)
        self.log_corpus = np.log(counts / counts.sum())

    def __call__(self, topics: Topics, assigned: Evidence | None = None) -> TopicMeasures:
        """assigned: tokens that are assigned to topics, which N_dk then counts, over all documents, as in MALLET."""
        shapes = _shapes(topics.indptr, topics.words, topics.weights, topics.floor, topics.V, self.log_corpus)
        return TopicMeasures(
            *(self._of_documents(topics) if assigned is None else _of_tokens(assigned)),
            effective_words=shapes[0],
            exclusivity=self._exclusivity(topics),
            uniform_distance=shapes[1],
            corpus_distance=shapes[2],
            entropy=shapes[3],
            coherence=self.judge.umass(topics),
            npmi=self.judge.npmi(topics),
        )

    def _exclusivity(self, topics: Topics) -> np.ndarray:
        top = topics.top(WORDS)
        listed = top >= 0
        everywhere = np.full(topics.V, topics.floor.sum())
        _add_above(topics.indptr, topics.words, topics.weights, topics.floor, everywhere)
        out = np.full(topics.K, np.nan)
        for k in np.flatnonzero(listed[:, 0]):
            row = topics.weights[topics.indptr[k] :][: listed[k].sum()].astype(float)
            out[k] = np.mean(row / np.maximum(everywhere[top[k][listed[k]]], np.finfo(float).tiny))
        return out

    def _of_documents(self, topics: Topics) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """tokens, document_entropy, rank_1_documents."""
        bow, K = self.bow, topics.K
        tokens, tokens_log, first = np.zeros(K), np.zeros(K), np.zeros(K)
        row_ptr, row_topics, above = fold_in.rows(
            topics.indptr, topics.words, topics.weights, topics.floor, np.arange(bow.V), bow.V
        )
        block = max(1, _BLOCK // K)
        for i in range(0, len(self.documents), block):
            documents = self.documents[i : i + block]
            expected = _expected(
                topics.floor,
                row_ptr,
                row_topics,
                above,
                documents,
                bow.indptr,
                bow.words,
                bow.counts,
                np.full(topics.K, self.alpha or alpha_for(topics.K)),
                ITERATIONS,
            )
            _add_documents(expected, tokens, tokens_log, first)
        seen = np.diff(bow.first_token)[self.documents].sum()
        tokens, entropy, first = _summed(tokens, tokens_log, first)
        return tokens * (bow.tokens / seen if seen else 0.0), entropy, first


def _of_tokens(assigned: Evidence) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """tokens, document_entropy, rank_1_documents."""
    tokens, tokens_log, first = (np.zeros(assigned.K) for _ in range(3))
    _add_tokens(assigned.doc_ptr, assigned.doc_topics, assigned.doc_tokens, tokens, tokens_log, first)
    return _summed(tokens, tokens_log, first)


def _summed(tokens: np.ndarray, tokens_log: np.ndarray, first: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """tokens, and of them: document_entropy, rank_1_documents."""
    has = tokens > 0
    entropy = np.full(len(tokens), np.nan)
    entropy[has] = np.maximum(np.log(tokens[has]) - tokens_log[has] / tokens[has], 0.0)
    documents = first.sum()
    return tokens, entropy, first / documents if documents else np.full(len(tokens), np.nan)


@njit(cache=True, nogil=True)
def _add_above(indptr, words, weights, floor, out):
    """Add to each word's number what the topics that list it have above their floors."""
    for k in range(len(floor)):
        for j in range(indptr[k], indptr[k + 1]):
            out[words[j]] += weights[j] - floor[k]


@njit(cache=True, parallel=True)
def _expected(floor, row_ptr, row_topics, above, documents, indptr, words, counts, alpha, iterations):
    """N_dk: float64[n, K]."""
    n, K = len(documents), len(floor)
    out = np.zeros((n, K))
    for i in prange(n):
        a, b = indptr[documents[i]], indptr[documents[i] + 1]
        if a < b:
            theta = fold_in.fit(floor, row_ptr, row_topics, above, words[a:b], counts[a:b], alpha, iterations)
            fold_in.expect(theta, floor, row_ptr, row_topics, above, words[a:b], counts[a:b], out[i])
    return out


@njit(cache=True, nogil=True)
def _add_documents(expected, tokens, tokens_log, first):
    """Add a block's sums of N_dk, of N_dk log N_dk and of documents where k is first."""
    n, K = expected.shape
    for i in range(n):
        best, most = -1, 0.0
        for k in range(K):
            x = expected[i, k]
            if x > 0.0:
                tokens[k] += x
                tokens_log[k] += x * np.log(x)
                if x > most:
                    best, most = k, x
        if best >= 0:
            first[best] += 1.0


@njit(cache=True, nogil=True)
def _add_tokens(doc_ptr, doc_topics, doc_tokens, tokens, tokens_log, first):
    """The same for whole tokens, in rows by document, topics ascending."""
    for d in range(len(doc_ptr) - 1):
        best, most = -1, 0
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            x = doc_tokens[j]
            tokens[doc_topics[j]] += x
            tokens_log[doc_topics[j]] += x * np.log(x)
            if x > most:
                best, most = doc_topics[j], x
        if best >= 0:
            first[best] += 1.0


@njit(cache=True, parallel=True)
def _shapes(indptr, words, weights, floor, V, log_corpus):
    """effective_words, uniform_distance, corpus_distance, entropy: float64[4, K]. A floor counts once for all its
    words."""
    K = len(floor)
    out = np.full((4, K), np.nan)
    log_all = 0.0
    for w in range(V):
        log_all += log_corpus[w]
    for k in prange(K):
        squares, entropy, cross, log_rest = 0.0, 0.0, 0.0, log_all
        for j in range(indptr[k], indptr[k + 1]):
            b = np.float64(weights[j])
            log_rest -= log_corpus[words[j]]
            if b > 0.0:
                squares += b * b
                entropy -= b * np.log(b)
                cross -= b * log_corpus[words[j]]
        rest = V - (indptr[k + 1] - indptr[k])
        mass = 0.0
        for j in range(indptr[k], indptr[k + 1]):
            mass += weights[j]
        if floor[k] > 0.0 and rest > 0:
            mass += rest * floor[k]
            squares += rest * floor[k] * floor[k]
            entropy -= rest * floor[k] * np.log(floor[k])
            cross -= floor[k] * log_rest
        if mass > 0.0:
            out[0, k] = 1.0 / squares
            out[1, k] = mass * np.log(V) - entropy
            out[2, k] = cross - entropy
            out[3, k] = entropy
    return out
