"""The topics of one bag of words for the tokens of another, with more documents or other words. A
training continues from them."""

import numpy as np
from numba import prange

from inference import fold_in
from inference.bow import Bow
from inference.kernels import assign
from inference.runtime.jit import njit
from inference.topics import Topics

# Spreads the words of a document over the topics where nothing is known of it; odd, and far from a
# multiple of usual K (Knuth's multiplicative hash of 16 bits)
SPREADING = 40_503


def inherit(topics: Topics, column: np.ndarray, bow: Bow, alpha: float | np.ndarray) -> np.ndarray:
    """uint16[nnz]: for each pair of the bag the topic k with the largest theta_dk beta_kw, the
    least of equals, as `inference.begin` takes them.

    topics: of another vocabulary. column: int32[V], the number there of each of the bag's words, -1
    for a word that is new: such a word gets the largest topic of its document. alpha: float64[K],
    or one for all, the priors of the training to come. theta is folded in by EM (inference.fold_in)
    from the words that both know; a document without any begins evenly spread.
    """
    known_words = np.flatnonzero(column >= 0)
    row_of_word = np.full(bow.V, -1, np.int64)
    row_of_word[known_words] = np.arange(len(known_words))
    beta = fold_in.rows(
        topics.indptr,
        topics.words,
        topics.weights,
        topics.floor,
        np.asarray(column)[known_words].astype(np.int64),
        topics.V,
    )
    given_topics = np.empty(len(bow.words), np.uint16)
    _inherit(
        np.asarray(bow.indptr),
        np.asarray(bow.words),
        np.asarray(bow.counts),
        row_of_word,
        beta,
        np.full(topics.K, alpha),
        given_topics,
    )
    return given_topics


@njit(cache=True, parallel=True, nogil=True)
def _inherit(indptr, words, counts, row_of_word, beta, alpha, inherited):
    """`inherit`, document by document.

    indptr: int64[D + 1], words, counts: int32[nnz], the bag. row_of_word: int64[V], the row of each
    of its words in beta: BetaRows, -1 for none. alpha: float64[K]. inherited: uint16[nnz], the
    topic of each pair, is filled.
    """
    K = len(beta.floor)
    for d in prange(len(indptr) - 1):
        a = indptr[d]
        b = indptr[d + 1]
        known_rows = np.empty(b - a, np.int64)
        known_counts = np.empty(b - a, np.int64)
        n = 0
        for j in range(a, b):
            if row_of_word[words[j]] >= 0:
                known_rows[n] = row_of_word[words[j]]
                known_counts[n] = counts[j]
                n += 1
        if n == 0:
            for j in range(a, b):
                inherited[j] = (d * SPREADING + words[j]) % K
            continue
        theta = fold_in.fit(beta, known_rows[:n], known_counts[:n], alpha, fold_in.ITERATIONS)
        topics_of_known = np.empty(n, np.uint16)
        certainty = np.empty(n, np.uint8)
        assign.likeliest_topics(theta, known_rows[:n], beta, topics_of_known, certainty)
        largest = np.argmax(theta)
        i = 0
        for j in range(a, b):
            if row_of_word[words[j]] >= 0:
                inherited[j] = topics_of_known[i]
                i += 1
            else:
                inherited[j] = largest
