"""Per-topic diagnostics like those of MALLET (its TopicModelDiagnostics), from topics, corpus and
the tokens' topics."""

from typing import NamedTuple

import numpy as np
from numba import prange

from inference.bow import Bow
from inference.evaluate.coherence import WORDS, Coherence
from inference.evidence import Evidence
from inference.kernels.special import sum_in_order
from inference.runtime.jit import njit
from inference.topics import Topics

# Rows of `_shapes`
EFFECTIVE_WORDS = 0
UNIFORM_DISTANCE = 1
CORPUS_DISTANCE = 2
ENTROPY = 3
SHAPES = 4


class TopicMeasures(NamedTuple):
    """float64[K] each; all entropies and divergences in nats, 0 log 0 = 0.

    N_dk: tokens of document d that are assigned to topic k.

    tokens: sum_d N_dk.
    document_entropy: -sum_d q log q, q = N_dk / sum_e N_ek; NaN for a topic without tokens.
    rank_1_documents: share of the documents with words in which N_dk is the largest, the first of
    equals; NaN without any.
    effective_words: 1 / sum_w beta_kw^2.
    exclusivity: mean over the first WORDS words of beta_kw / sum_j beta_jw; NaN for a topic that
    lists none. uniform_distance: sum_w beta_kw log(V beta_kw), KL from the uniform distribution
    over the vocabulary. corpus_distance: sum_w beta_kw log(beta_kw / p_w), p_w in proportion to the
    word's tokens in the corpus, one where it has none.
    entropy: -sum_w beta_kw log beta_kw (SSI, section 4.2, which gives its mean over topics).
    coherence: UMass. npmi: see Coherence; both NaN for a topic that lists fewer than two words.
    The measures of beta alone (effective_words, the distances, entropy) are NaN for a topic without
    any weight.
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


def diagnose(bow: Bow, topics: Topics, assigned: Evidence) -> TopicMeasures:
    """assigned: the corpus's tokens, each to its topic, as MALLET counts those of a sample. The
    memory is that of Coherence, and V."""
    counts = np.maximum(bow.word_tokens, 1.0)
    judge = Coherence(bow)
    shapes = _shapes(
        topics.indptr,
        topics.words,
        topics.weights,
        topics.floor,
        topics.V,
        np.log(counts / counts.sum()),
    )
    return TopicMeasures(
        *_of_tokens(assigned),
        effective_words=shapes[EFFECTIVE_WORDS],
        exclusivity=_exclusivity(topics),
        uniform_distance=shapes[UNIFORM_DISTANCE],
        corpus_distance=shapes[CORPUS_DISTANCE],
        entropy=shapes[ENTROPY],
        coherence=judge.umass(topics),
        npmi=judge.npmi(topics),
    )


def _exclusivity(topics: Topics) -> np.ndarray:
    top = topics.top(WORDS)
    is_listed = top >= 0
    everywhere = np.full(topics.V, topics.floor.sum())
    np.add.at(
        everywhere, topics.words, topics.weights - np.repeat(topics.floor, np.diff(topics.indptr))
    )
    exclusivities = np.full(topics.K, np.nan)
    for k in np.flatnonzero(is_listed[:, 0]):
        row = topics.weights[topics.indptr[k] :][: is_listed[k].sum()].astype(float)
        in_all_topics = np.maximum(everywhere[top[k][is_listed[k]]], np.finfo(float).tiny)
        exclusivities[k] = np.mean(row / in_all_topics)
    return exclusivities


def _of_tokens(assigned: Evidence) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """tokens, document_entropy, rank_1_documents."""
    tokens = np.zeros(assigned.K)
    tokens_log = np.zeros(assigned.K)
    first = np.zeros(assigned.K)
    _add_tokens(
        assigned.mixtures.doc_ptr,
        assigned.mixtures.doc_topics,
        assigned.mixtures.doc_tokens,
        tokens,
        tokens_log,
        first,
    )
    has = tokens > 0
    entropy = np.full(len(tokens), np.nan)
    entropy[has] = np.maximum(np.log(tokens[has]) - tokens_log[has] / tokens[has], 0.0)
    documents = first.sum()
    return tokens, entropy, first / documents if documents else np.full(len(tokens), np.nan)


@njit(cache=True, nogil=True)
def _add_tokens(doc_ptr, doc_topics, doc_tokens, tokens, tokens_log, first):
    """Add sums of N_dk, of N_dk log N_dk and of documents where k is first, of rows by document,
    topics ascending."""
    for d in range(len(doc_ptr) - 1):
        best_topic = -1
        largest = 0
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            x = doc_tokens[j]
            tokens[doc_topics[j]] += x
            tokens_log[doc_topics[j]] += x * np.log(x)
            if x > largest:
                best_topic = doc_topics[j]
                largest = x
        if best_topic >= 0:
            first[best_topic] += 1.0


@njit(cache=True, parallel=True)
def _shapes(indptr, words, weights, floor, V, log_corpus):
    """float64[SHAPES, K]: what the distribution of each topic's words is like. A floor counts once
    for all its words."""
    K = len(floor)
    shapes = np.full((SHAPES, K), np.nan)
    log_all = sum_in_order(log_corpus)
    for k in prange(K):
        squares = 0.0
        entropy = 0.0
        cross = 0.0
        log_rest = log_all
        for j in range(indptr[k], indptr[k + 1]):
            b = np.float64(weights[j])
            log_rest -= log_corpus[words[j]]
            if b > 0.0:
                squares += b * b
                entropy -= b * np.log(b)
                cross -= b * log_corpus[words[j]]
        unlisted = V - (indptr[k + 1] - indptr[k])
        mass = sum_in_order(weights[indptr[k] : indptr[k + 1]])
        if floor[k] > 0.0 and unlisted > 0:
            mass += unlisted * floor[k]
            squares += unlisted * floor[k] * floor[k]
            entropy -= unlisted * floor[k] * np.log(floor[k])
            cross -= floor[k] * log_rest
        if mass > 0.0:
            shapes[EFFECTIVE_WORDS, k] = 1.0 / squares
            shapes[UNIFORM_DISTANCE, k] = mass * np.log(V) - entropy
            shapes[CORPUS_DISTANCE, k] = cross - entropy
            shapes[ENTROPY, k] = entropy
    return shapes
