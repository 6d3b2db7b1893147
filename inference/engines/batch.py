"""Makes minibatches of documents in the form that kernels take."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.kernels import rng, rows
from inference.kernels.minibatch import Minibatch
from inference.runtime.arrays import row_blocks

RECOUNTED = 4096  # documents of a batch where something is made of all documents, without a step


# Pairs that are looked at together where all of a corpus are: some hundred megabytes of arrays
PAIRS_AT_ONCE = 1 << 22


class BagPairs(NamedTuple):
    """Some (document, word) pairs of a bag, of whole documents, by document. pairs: int64[n], their
    numbers in the bag. documents: int64[n]; words, counts: int32[n]."""

    pairs: np.ndarray
    documents: np.ndarray
    words: np.ndarray
    counts: np.ndarray


def trained_pairs(bow: Bow, held_out: np.ndarray) -> Iterator[BagPairs]:
    """All pairs of the documents that are trained on, in their order, about PAIRS_AT_ONCE at a
    time. held_out: int64[n], the other documents."""
    for first, end in row_blocks(bow.indptr, PAIRS_AT_ONCE):
        documents = np.arange(first, end)
        pair_documents = np.repeat(documents, np.diff(bow.indptr[first : end + 1]))
        is_trained_on = ~np.isin(documents, held_out)[pair_documents - first]
        pairs = np.arange(bow.indptr[first], bow.indptr[end])[is_trained_on]
        yield BagPairs(pairs, pair_documents[is_trained_on], bow.words[pairs], bow.counts[pairs])


def keys(seed: int, purpose: int, t: int, documents: np.ndarray) -> np.ndarray:
    """uint64[n]: a random stream for each document of a step or visit. purpose: of kernels.rng. t:
    the step. documents: int[n]."""
    return rng.keys(np.uint64(seed), np.uint64(purpose), np.uint64(t), documents)


def expand(bow: Bow, documents: np.ndarray) -> Minibatch:
    """documents: int64[n]."""
    slot = np.full(bow.V, -1, np.int32)
    distinct = np.empty(bow.V, np.int64)
    doc_ptr, slots, token_ptr, n = rows.expand(
        documents, bow.indptr, bow.words, bow.counts, bow.first_token, slot, distinct
    )
    return Minibatch(distinct[:n], doc_ptr, slots, token_ptr)
