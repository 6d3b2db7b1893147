"""Topics that occur in the same documents more often than by chance."""

import numpy as np
from scipy.special import pdtrc

from inference import documents
from inference.runtime.jit import njit

LEAST_DOCUMENTS = 5  # with both topics: fewer are an anecdote
# chance that a Poisson count, as of independent documents, is as large: at most one false pair in
# 700. Where documents of one author are alike, or of many pairs, there are more.
RARE_CHANCE = 1 / 700


def companions(
    doc_ptr: np.ndarray,
    doc_topics: np.ndarray,
    doc_tokens: np.ndarray,
    lengths: np.ndarray,
    K: int,
    n: int,
    least: float = 0.1,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each topic the n that occur with it, by lift: (topics int32[K, n], lift float64[K, n],
    documents int64[K, n]).

    A document holds a topic to which at least the share `least` of its tokens belongs. lift = P(a,
    b) / (P(a) P(b)) over documents with words; `documents` hold both. A pair must be in
    LEAST_DOCUMENTS, and as many be as RARE_CHANCE by chance. Of equal lift the lower number comes
    first; rows are filled up with -1, NaN and 0.

    doc_ptr: int64[D + 1]; doc_topics: uint16[m] and doc_tokens: int32[m], a document's topics and
    their tokens; lengths: int64[D].
    """
    documents_of_both = documents_together(doc_ptr, doc_topics, doc_tokens, lengths, K, least)
    documents_of_topic = np.diag(documents_of_both).astype(np.float64)
    D = np.count_nonzero(lengths)
    columns: tuple[np.ndarray, np.ndarray, np.ndarray] = (
        np.full((K, n), -1, np.int32),
        np.full((K, n), np.nan),
        np.zeros((K, n), np.int64),
    )
    for k in range(K):
        with_topic = documents_of_both[k]
        chance = documents_of_topic[k] * documents_of_topic / max(D, 1)
        is_beyond_chance = (with_topic >= LEAST_DOCUMENTS) & (
            pdtrc(with_topic - 1, chance) <= RARE_CHANCE
        )
        is_beyond_chance[k] = False
        companions = np.flatnonzero(is_beyond_chance)
        lift = with_topic[companions] / chance[companions]
        first = np.argsort(-lift, kind="stable")[:n]
        for column, values in zip(columns, (companions, lift, with_topic[companions]), strict=True):
            column[k, : len(first)] = values[first]
    return columns


def documents_together(
    doc_ptr: np.ndarray,
    doc_topics: np.ndarray,
    doc_tokens: np.ndarray,
    lengths: np.ndarray,
    K: int,
    least: float,
) -> np.ndarray:
    """Documents that hold both topics, and on the diagonal those that hold one: int64[K, K].

    least: the share of a document from which on it holds a topic. doc_ptr, doc_topics, doc_tokens,
    lengths: as in explore.bands.shares.
    """
    return _together(*documents.arrays(doc_ptr, doc_topics, doc_tokens, lengths), K, least)


@njit(cache=True, nogil=True)
def _together(doc_ptr, doc_topics, doc_tokens, lengths, K, least):
    """int64[K, K]: documents that hold both topics. doc_ptr: int64[D + 1], doc_topics: uint16,
    doc_tokens: int32, lengths: int64[D]. least: the share of a document from which on it holds a
    topic."""
    documents_of_both = np.zeros((K, K), np.int64)
    present = np.empty(K, np.int64)
    for d in range(len(lengths)):
        n = 0
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            if doc_tokens[j] > 0 and doc_tokens[j] >= least * lengths[d]:
                present[n] = doc_topics[j]
                n += 1
        for x in range(n):
            for y in range(n):
                documents_of_both[present[x], present[y]] += 1
    return documents_of_both
