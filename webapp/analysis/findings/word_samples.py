"""Which documents have which words, in an even sample of them."""

import numpy as np
from scipy.sparse import csr_matrix

from inference import Bow
from inference.bow import ranges
from inference.documents import even_step

MOST_DOCUMENTS = 100_000  # at most; of more an even sample


def even_sample(lengths: np.ndarray, group: np.ndarray) -> np.ndarray:
    """int64[n]: documents of any group that have words. lengths: int[D], their words; group:
    int32[D], -1 for none."""
    with_words = np.flatnonzero((group >= 0) & (lengths > 0))
    step = even_step(len(with_words), MOST_DOCUMENTS)
    return with_words[::step]


def present(bow: Bow, documents: np.ndarray, words: list[int]) -> csr_matrix:
    """float64[n, W]: 1 where a document has a word. documents: int64[n]; words: their numbers."""
    column = np.full(bow.V, -1, np.int64)
    column[words] = np.arange(len(words))
    lengths = np.diff(bow.indptr)[documents]
    entries = ranges(bow.indptr[documents], lengths)
    columns = column[bow.words[entries]]
    is_asked = columns >= 0
    rows = np.repeat(np.arange(len(documents)), lengths)[is_asked]
    shape = (len(documents), len(words))
    matrix = csr_matrix((np.ones(len(rows)), (rows, columns[is_asked])), shape=shape)
    matrix.sum_duplicates()  # of a word in several sections
    matrix.data[:] = 1.0
    return matrix
