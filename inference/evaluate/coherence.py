"""UMass coherence (SSI, eq. 13; Mimno et al. 2011): do a topic's first words stand in the same documents?"""

import numpy as np
from numba import njit, prange

from inference.bow import Bow
from inference.kernels import rng
from inference.topics import Topics

WORDS = 10  # W of eq. 13
EPSILON = 1.0  # as in Mimno et al. 2011
MOST_DOCUMENTS = 100_000  # a larger corpus is represented by about so many of its documents, drawn by hash


class Coherence:
    """Built once for a corpus, then called for topics after topics; holds its documents by word."""

    def __init__(self, bow: Bow, seed: int = 0):
        documents = np.arange(bow.D, dtype=np.int64)
        if bow.D > MOST_DOCUMENTS:
            documents = rng.chosen(bow.D, rng.COHERENCE, MOST_DOCUMENTS / bow.D, np.uint64(seed))
        self.D = len(documents)
        self.indptr, self.documents = _by_word(documents, bow.indptr, bow.words, bow.V)

    def __call__(self, topics: Topics) -> np.ndarray:
        """float64[K]: the sum over pairs of a topic's first WORDS words of log((D(w_i, w_j) + EPSILON) / D(w_j)), w_j the
        higher ranked. NaN for a topic that lists fewer than two words. A word in no document of the sample counts as 1.
        """
        return _umass(topics.top(WORDS), self.indptr, self.documents, self.D, EPSILON)


@njit(cache=True)
def _by_word(documents, indptr, words, V):
    """For each word the documents with it, counted from 0, ascending: (int64[V + 1], int32[nnz])."""
    sizes = np.zeros(V + 1, np.int64)
    for d in documents:
        for j in range(indptr[d], indptr[d + 1]):
            sizes[words[j] + 1] += 1
    out_ptr = np.cumsum(sizes)
    out = np.empty(out_ptr[V], np.int32)
    cursor = out_ptr[:-1].copy()
    for i in range(len(documents)):
        for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
            out[cursor[words[j]]] = i
            cursor[words[j]] += 1
    return out_ptr, out


@njit(cache=True, parallel=True)
def _umass(top, indptr, documents, D, epsilon):
    K, W = top.shape
    out = np.empty(K)
    for k in prange(K):
        bits = np.zeros((D + 7) // 8, np.uint8)
        total, pairs = 0.0, 0
        for j in range(W):
            if top[k, j] < 0:
                continue
            a, b = indptr[top[k, j]], indptr[top[k, j] + 1]
            for x in range(a, b):
                bits[documents[x] >> 3] |= np.uint8(1 << (documents[x] & 7))
            for i in range(j + 1, W):
                if top[k, i] < 0:
                    continue
                both = 0
                for x in range(indptr[top[k, i]], indptr[top[k, i] + 1]):
                    both += (bits[documents[x] >> 3] >> (documents[x] & 7)) & 1
                total += np.log((both + epsilon) / max(b - a, 1))
                pairs += 1
            for x in range(a, b):
                bits[documents[x] >> 3] = 0
        out[k] = total if pairs else np.nan
    return out
