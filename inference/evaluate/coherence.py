"""Coherence: do a topic's first words occur in the same documents?

UMass: SSI, eq. 13; Mimno et al. 2011. NPMI: Than and Ho 2015, appendix B; Bouma 2009.
"""

import numpy as np
from numba import prange

from inference.bow import Bow
from inference.kernels import rng
from inference.kernels.bits import count_ones
from inference.rarity import at_least_one
from inference.runtime.jit import njit
from inference.topics import Topics

WORDS = 10  # W of eq. 13, n of appendix B
EPSILON = 1.0  # documents: of UMass, as in Mimno et al. 2011
NPMI_EPSILON = 1e-12  # a probability: of NPMI, as in gensim and Palmetto
# A larger corpus is represented by about so many of its documents, drawn by hash
MOST_DOCUMENTS = 100_000
SEED = 0  # of that draw: every run of a corpus is judged by the same documents
# unsigned: no place can be negative
_ONE = np.uint64(1)
_SIX = np.uint64(6)
_LAST = np.uint64(63)


class Coherence:
    """Built once for a corpus, then asked about topics after topics; holds its documents by word.

    D(w) is the number of documents with w, D(w, v) of those with both; D of all, those without
    words too. A word that is in no document of the sample counts as being in one.
    """

    def __init__(self, bow: Bow):
        documents = np.arange(bow.D, dtype=np.int64)
        if bow.D > MOST_DOCUMENTS:
            share = MOST_DOCUMENTS / bow.D
            documents = rng.choose_items(bow.D, rng.COHERENCE, share, np.uint64(SEED))
        self.D = len(documents)
        self.indptr, self.documents = _by_word(documents, bow.indptr, bow.words, bow.V)
        # Of the last call
        self.counted = (
            np.zeros((0, WORDS), np.int32),
            np.zeros((0, WORDS, WORDS), np.int32),
        )

    def umass(self, topics: Topics) -> np.ndarray:
        """float64[K]: the sum over pairs of a topic's first WORDS words of log((D(w_i, w_j) +
        EPSILON) / D(w_j)), w_j the higher ranked. NaN for a topic that lists fewer than two words.
        """
        is_known, documents_of_both, _, of_higher = self._pairs(topics)
        return _over(is_known, np.log((documents_of_both + EPSILON) / of_higher)).sum(axis=1)

    __call__ = umass

    def npmi(self, topics: Topics) -> np.ndarray:
        """float64[K], -1 … 1: the mean over pairs of a topic's first WORDS words of
        log((p(w, v) + e) / (p(w) p(v))) / -log(p(w, v) + e), where p = D(.) / D and e =
        NPMI_EPSILON.

        A pair that never meets gets -1 - log(p(w) p(v)) / -log e: -1 for ever smaller e, about -0.7
        for words in a document out of a hundred. A pair that is in every document gets 0. NaN for a
        topic that lists fewer than two words.
        """
        is_known, *pairs = self._pairs(topics)
        share_of_both, of_lower, of_higher = (count / max(self.D, 1) for count in pairs)
        not_everywhere = share_of_both < 1.0
        information = np.log((share_of_both + NPMI_EPSILON) / (of_lower * of_higher))
        scores = np.divide(
            information,
            -np.log(share_of_both + NPMI_EPSILON),
            out=np.zeros_like(share_of_both),
            where=not_everywhere,
        )
        return _over(is_known, scores).sum(axis=1) / np.maximum(is_known.sum(axis=1), 1)

    def _pairs(self, topics: Topics) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """For the pairs i > j of WORDS words: which ones a topic has, D(w_i, w_j), D(w_i) and
        D(w_j), each [K, pairs]."""
        top = topics.top(WORDS)
        documents_together = self._together(top)
        i, j = np.tril_indices(WORDS, -1)
        return (
            top[:, i] >= 0,
            documents_together[:, i, j],
            at_least_one(documents_together[:, i, i]),
            at_least_one(documents_together[:, j, j]),
        )

    def _together(self, top: np.ndarray) -> np.ndarray:
        """In how many documents the words of each topic occur together: int32[K, WORDS, WORDS].
        Only topics whose first words changed since the last call are counted again."""
        before, counts_before = self.counted
        documents_together = np.zeros((len(top), WORDS, WORDS), np.int32)
        new = np.ones(len(top), bool)
        if len(before) == len(top):
            new = (before != top).any(axis=1)
            documents_together[~new] = counts_before[~new]
        documents_together[new] = _together(top[new], self.indptr, self.documents, self.D)
        self.counted = top, documents_together
        return documents_together


def _over(is_known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Values of pairs: 0 for those that a topic does not have, NaN where it has none."""
    return np.where(is_known, values, np.where(is_known.any(axis=1, keepdims=True), 0.0, np.nan))


@njit(cache=True, nogil=True)
def _by_word(documents, indptr, words, V):
    """For each word the documents with it, counted from 0, ascending: (int64[V + 1],
    int32[nnz])."""
    sizes = np.zeros(V + 1, np.int64)
    for d in documents:
        for j in range(indptr[d], indptr[d + 1]):
            sizes[words[j] + 1] += 1
    out_ptr = np.cumsum(sizes)
    documents_of_words = np.empty(out_ptr[V], np.int32)
    cursor = out_ptr[:-1].copy()
    for i in range(len(documents)):
        for j in range(indptr[documents[i]], indptr[documents[i] + 1]):
            documents_of_words[cursor[words[j]]] = i
            cursor[words[j]] += 1
    return out_ptr, documents_of_words


@njit(cache=True, parallel=True)
def _together(top, indptr, documents, D):
    """D(w_i, w_j) of each topic's first words, i >= j: int32[K, W, W].

    A word's documents are bits, of which those of two words are counted 64 at a time.
    """
    K, W = top.shape
    documents_together = np.zeros((K, W, W), np.int32)
    for k in prange(K):
        word_bits = np.zeros((W, (D + 63) // 64), np.uint64)
        for i in range(W):
            if top[k, i] < 0:
                break
            for x in range(indptr[top[k, i]], indptr[top[k, i] + 1]):
                d = np.uint64(documents[x])
                word_bits[i, d >> _SIX] |= _ONE << (d & _LAST)
            for j in range(i + 1):
                a = word_bits[i]
                b = word_bits[j]
                documents_of_both = np.uint64(0)
                for x in range(len(a)):
                    documents_of_both += count_ones(a[x] & b[x])  # type: ignore[call-arg]  # numba gives the first
                documents_together[k, i, j] = documents_of_both
    return documents_together
