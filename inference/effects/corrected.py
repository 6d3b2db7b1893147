"""Effects corrected for reading. Words that are assigned to topics pull each document towards what is usual, and make differences too small.

With B the topics' words (beta) and p the words' shares, W = (B P B')^-1 B P, P = diag(1/p), gives E[W x / n] = theta for a document of n
words x, whatever its theta, if B is right. Single documents are noisy; the regression's coefficients are sums over all:
c' (X'NX)^-1 (X'x) W', one pass over the words. What learning B loses is not mended.
"""

from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.effects import regression
from inference.effects.regression import Data
from inference.errors import Invalid
from inference.jit import njit
from inference.topics import Topics

INFLATION = 10.0  # of a topic's variance by others of like words, above which it can't be told from them
MOST_TOPICS, MOST_PAIRS = 500, 100_000_000  # beyond which it would take too long for a page


class Corrected(NamedTuple):
    """estimate: float64[T], NaN of topics that others of like words stand in for; inflation: float64[T], of the variance."""

    estimate: np.ndarray
    inflation: np.ndarray


def effect(data: Data, bow: Bow, topics: Topics, design: np.ndarray, contrast: np.ndarray) -> Corrected | None:
    """bow: a row for each document of data; topics: K rows, which data.into puts into T; design: float64[C, P]; contrast: float64[P].
    None beyond MOST_TOPICS or MOST_PAIRS. Raises Invalid for other documents than the bow's."""
    if len(bow.indptr) - 1 != len(data.cell):
        raise Invalid("documents", f"{len(data.cell):,} documents were expected, got {len(bow.indptr) - 1:,}.")
    used = np.flatnonzero(topics.used) if topics.used is not None else np.arange(topics.K)
    if len(used) > MOST_TOPICS or len(bow.words) > MOST_PAIRS:
        return None
    topics, into = topics.in_use(), data.into[used]
    weight = np.ascontiguousarray(design @ regression.score(data, design, contrast))
    words = _words(data.cell, bow.indptr, bow.words, bow.counts, weight, topics.V)
    listed, floor = topics.above, topics.floor
    inverse = 1 / np.maximum(listed.T @ topics.share + floor @ topics.share, 1e-300)  # of the words' shares
    company = (listed.multiply(inverse) @ listed.T).toarray()  # B P B', B the listed and the floor
    across = np.outer(floor, listed @ inverse)
    company += across + across.T + np.outer(floor, floor) * inverse.sum()
    solved = np.linalg.pinv(company)
    moved = solved @ (listed @ (inverse * words) + floor * (inverse @ words))
    known = into >= 0
    estimate = np.bincount(into[known], weights=moved[known], minlength=data.T)
    worst = np.zeros(data.T)
    np.maximum.at(worst, into[known], (np.diag(solved) * np.diag(company))[known])
    return Corrected(np.where(worst <= INFLATION, estimate, np.nan), worst)


@njit(cache=True, nogil=True)
def _words(cell, indptr, words, counts, weight, V):
    """float64[V]: sums over documents of each word's tokens, times the weight of the document's cell."""
    out = np.zeros(V)
    for d in range(len(cell)):
        c = cell[d]
        if c >= 0:
            for j in range(indptr[d], indptr[d + 1]):
                out[words[j]] += weight[c] * counts[j]
    return out
