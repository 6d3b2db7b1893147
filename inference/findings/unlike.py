"""Documents unlike the rest: no other document has nearly the same mix of topics."""

import numpy as np

from inference import documents
from inference.runtime.jit import njit

CANDIDATES = 200  # documents whose mix is farthest from the whole's, which are compared with others
MOST_COMPARED = 20_000  # documents that each of them is compared with, evenly over all


def unlike(
    doc_ptr: np.ndarray,
    doc_topics: np.ndarray,
    doc_tokens: np.ndarray,
    lengths: np.ndarray,
    K: int,
    allowed: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """(documents, overlap, nearest, compared): the largest overlap sum_k min(p_k, q_k) that each of
    CANDIDATES has with any of `compared` documents, smallest first, and with which.

    Candidates are those with the largest divergence sum_k p_k log(p_k / share_k) from the whole.
    allowed: bool[D], which may be candidates or be compared with: neither too short nor repeated.
    doc_ptr, doc_topics, doc_tokens, lengths: as in explore.bands.shares. Returns int64[n],
    float64[n], int64[n] and int.
    """
    doc_ptr, doc_topics, doc_tokens, lengths = documents.arrays(
        doc_ptr, doc_topics, doc_tokens, lengths
    )
    allowed_documents = np.flatnonzero(allowed)
    if len(allowed_documents) < 2:
        none = np.zeros(0, np.int64)
        return none, np.zeros(0), none, 0
    topic_sizes = np.maximum(np.bincount(doc_topics, doc_tokens, K), 1.0)
    far = _far(
        allowed_documents,
        doc_ptr,
        doc_topics,
        doc_tokens,
        lengths,
        np.log(topic_sizes / topic_sizes.sum()),
    )
    first = allowed_documents[np.argsort(-far, kind="stable")[:CANDIDATES]]
    compared_documents = documents.take_evenly(allowed_documents, MOST_COMPARED)
    overlap, nearest = _nearest(
        first, compared_documents, doc_ptr, doc_topics, doc_tokens, lengths, K
    )
    order = np.argsort(overlap, kind="stable")
    return first[order], overlap[order], nearest[order], len(compared_documents)


@njit(cache=True, nogil=True)
def _far(documents_asked, doc_ptr, doc_topics, doc_tokens, lengths, log_whole):
    """float64[n]: the divergence, in nats, of each of some documents' topics from those of all
    texts. documents_asked: int64[n]. doc_ptr: int64[D + 1], doc_topics: uint16, doc_tokens: int32,
    lengths: int64[D], in tokens. log_whole: float64[K], logarithms of the topics' shares of all
    texts."""
    distances = np.zeros(len(documents_asked))
    for i, d in enumerate(documents_asked):
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            p = doc_tokens[j] / lengths[d]
            if p > 0.0:
                distances[i] += p * (np.log(p) - log_whole[doc_topics[j]])
    return distances


@njit(cache=True, nogil=True)
def _nearest(first, candidates, doc_ptr, doc_topics, doc_tokens, lengths, K):
    """(overlap float64[n], nearest int64[n]): of each of some documents the most that another one
    shares of its topics, from 0 to 1, and which one does; -1 for none. first, candidates: int64,
    the documents, and those with which they are compared. doc_ptr, doc_topics, doc_tokens, lengths:
    as in `_far`."""
    overlap = np.zeros(len(first))
    nearest = np.full(len(first), -1)
    own_shares = np.zeros(K)
    for i, d in enumerate(first):
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            own_shares[doc_topics[j]] = doc_tokens[j] / lengths[d]
        for candidate in candidates:
            total = 0.0
            if candidate != d:
                for j in range(doc_ptr[candidate], doc_ptr[candidate + 1]):
                    total += min(own_shares[doc_topics[j]], doc_tokens[j] / lengths[candidate])
            if total > overlap[i]:
                overlap[i] = total
                nearest[i] = candidate
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            own_shares[doc_topics[j]] = 0.0
    return overlap, nearest
