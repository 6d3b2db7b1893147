"""Documents of a minibatch, in the three forms that kernels take. `inference.engines.batch`,
`dense` and `sparse` make them of a bag of words."""

from typing import NamedTuple

import numpy as np


class Minibatch(NamedTuple):
    """Documents as `rows.expand` has them. words: int64[n], the distinct ones. doc_ptr:
    int64[documents + 1]; places: int32[P], of each pair's word among them; token_ptr: int64[P +
    1]."""

    words: np.ndarray
    doc_ptr: np.ndarray
    places: np.ndarray
    token_ptr: np.ndarray


class MinibatchWithCounts(NamedTuple):
    """A `Minibatch`, and of each pair how many tokens it has and where it is in the bag of words.
    counts: float64[P]; pairs: int64[P], in the bag."""

    words: np.ndarray
    doc_ptr: np.ndarray
    places: np.ndarray
    counts: np.ndarray
    token_ptr: np.ndarray
    pairs: np.ndarray


class MinibatchByWord(NamedTuple):
    """Pairs (document, word) of some documents, in the documents' order and by word.

    words: int64[n], the distinct ones, ascending. doc_ptr: int64[S + 1], places: int32[P], each
    pair's place in `words`, counts: float32[P], its tokens: by document. word_ptr: int64[n + 1],
    pairs: int32[P], documents: int32[P]: the pairs of each word, ascending, and each pair's
    document, from 0 to S - 1. lengths: float64[S], tokens of each document.
    """

    words: np.ndarray
    doc_ptr: np.ndarray
    places: np.ndarray
    counts: np.ndarray
    word_ptr: np.ndarray
    pairs: np.ndarray
    documents: np.ndarray
    lengths: np.ndarray

    @property
    def tokens(self) -> int:
        """How many tokens its documents have."""
        return int(self.lengths.sum())
