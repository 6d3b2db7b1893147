"""Effects corrected for reading. Words that are assigned to topics pull each document towards what
is usual, and make differences too small.

With B the topics' words (beta) and p the words' shares, W = (B P B')^-1 B P, P = diag(1/p), gives
E[W x / n] = theta for a document of n words x, whatever its theta, if B is right. Single documents
are noisy; the regression's coefficients are sums over all: c' (X'NX)^-1 (X'x) W', one pass over the
words. What learning B loses is not mended.
"""

import numpy as np

from inference.bow import Bow
from inference.effects import regression
from inference.errors import Invalid
from inference.runtime.arrays import ABOVE_ZERO
from inference.runtime.jit import njit
from inference.topics import Topics

# Of a topic's variance by others of like words, above which it can't be told from them
INFLATION = 10.0
# beyond which it would take too long for a page
MOST_TOPICS = 500
MOST_PAIRS = 100_000_000
MOST_NUMBERS = 30_000_000
TOKEN_PARTS = 64  # of a token


def _reading(data: regression.Data, bow: Bow, topics: Topics) -> tuple | None:
    """The parts of W, of the K topics in use: B as listed (sparse) and floor; float64[V], the
    inverse of words' shares; float64[K, K], (B P B')^-1; float64[T, K], 1 where a topic is counted
    as one of T; and float64[T], the inflation of their sums' variance."""
    if len(bow.indptr) - 1 != len(data.cell):
        raise Invalid(
            "documents", f"{len(data.cell):,} documents were expected, got {len(bow.indptr) - 1:,}."
        )
    used = np.flatnonzero(topics.used) if topics.used is not None else np.arange(topics.K)
    if len(used) > MOST_TOPICS or len(bow.words) > MOST_PAIRS:
        return None
    topics = topics.in_use()
    topics_read = topics.above
    floor = topics.floor
    inverse = 1 / np.maximum(topics_read.T @ topics.share + floor @ topics.share, ABOVE_ZERO)
    company = (
        topics_read.multiply(inverse) @ topics_read.T
    ).toarray()  # B P B', B the listed and the floor
    across = np.outer(floor, topics_read @ inverse)
    company += across + across.T + np.outer(floor, floor) * inverse.sum()
    solved = np.linalg.pinv(company)
    summed = (data.column_of_topic[used] == np.arange(data.T)[:, None]).astype(float)
    # Their words, were they one topic
    as_one = summed * topics.share / np.maximum(summed @ topics.share, ABOVE_ZERO)[:, None]
    inflation = ((summed @ solved) * summed).sum(axis=1) * ((as_one @ company) * as_one).sum(axis=1)
    return topics_read, floor, inverse, solved, summed, inflation


def effect(
    data: regression.Data, bow: Bow, topics: Topics, design: np.ndarray, contrast: np.ndarray
) -> np.ndarray | None:
    """bow: a row for each document of data; topics: K rows, which data.column_of_topic puts into T;
    design: float64[C, P]; contrast: float64[P]. Returns float64[T], NaN of topics that others of
    like words stand in for; None beyond MOST_TOPICS or MOST_PAIRS. Raises Invalid for other
    documents than the bow's."""
    if (read := _reading(data, bow, topics)) is None:
        return None
    topics_read, floor, inverse, solved, summed, inflation = read
    weight = np.ascontiguousarray(design @ regression.score(data, design, contrast))
    words = inverse * _words(data.cell, bow.indptr, bow.words, bow.counts, weight, topics.V)
    moved = solved @ (topics_read @ words + floor * words.sum())
    return np.where(inflation <= INFLATION, summed @ moved, np.nan)


def documents(data: regression.Data, bow: Bow, topics: Topics) -> regression.Data | None:
    """The data with the tokens that W gives, in parts of 1 / TOKEN_PARTS: a regression of these has
    intervals. None beyond MOST_TOPICS or MOST_PAIRS, and beyond MOST_NUMBERS of documents and
    topics."""
    D = len(data.cell)
    T = data.T
    if D * T > MOST_NUMBERS or (read := _reading(data, bow, topics)) is None:
        return None
    topics_read, floor, inverse, solved, summed, _ = read
    of_topic = summed @ solved
    weights = topics_read.T @ of_topic.T + of_topic @ floor
    tokens = _reweighted(
        data.cell, bow.indptr, bow.words, bow.counts, TOKEN_PARTS * weights * inverse[:, None]
    )
    arrays = np.arange(D + 1) * T, np.tile(np.arange(T), D), tokens, data.lengths * TOKEN_PARTS
    return regression.Data.from_documents(data.units, data.cell, arrays, np.arange(T), T)


@njit(cache=True, nogil=True)
def _words(cell, indptr, words, counts, weight, V):
    """float64[V]: sums over documents of each word's tokens, times the weight of the document's
    cell."""
    words_read = np.zeros(V)
    for d, c in enumerate(cell):
        if c >= 0:
            for j in range(indptr[d], indptr[d + 1]):
                words_read[words[j]] += weight[c] * counts[j]
    return words_read


@njit(cache=True, nogil=True)
def _reweighted(cell, indptr, words, counts, weights):
    """int32[D * T]: sums of each document's words' weights, rounded. weights: float64[V, T]."""
    T = weights.shape[1]
    reweighted_cells = np.zeros(len(cell) * T, np.int32)
    row = np.zeros(T)
    for d in range(len(cell)):
        if cell[d] >= 0:
            row[:] = 0
            for j in range(indptr[d], indptr[d + 1]):
                for t in range(T):
                    row[t] += counts[j] * weights[words[j], t]
            for t in range(T):
                reweighted_cells[d * T + t] = round(row[t])
    return reweighted_cells
