"""Documents of a minibatch, in the form that kernels take."""

from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.kernels import rng, rows


class Batch(NamedTuple):
    """Documents as `rows.expand` has them. words: int64[n], the distinct ones. doc_ptr:
    int64[documents + 1]; places: int32[P], of each pair's word among them; token_ptr: int64[P +
    1]."""

    words: np.ndarray
    doc_ptr: np.ndarray
    places: np.ndarray
    token_ptr: np.ndarray


def keys(seed: int, purpose: int, t: int, documents: np.ndarray) -> np.ndarray:
    """A random stream for each document of a step or visit."""
    return rng.keys(np.uint64(seed), np.uint64(purpose), np.uint64(t), documents)


def expand(bow: Bow, documents: np.ndarray) -> Batch:
    """documents: int64[n]."""
    slot = np.full(bow.V, -1, np.int32)
    distinct = np.empty(bow.V, np.int64)
    doc_ptr, slots, token_ptr, n = rows.expand(
        documents, bow.indptr, bow.words, bow.counts, bow.first_token, slot, distinct
    )
    return Batch(distinct[:n], doc_ptr, slots, token_ptr)
