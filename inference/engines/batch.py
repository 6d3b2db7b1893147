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


def is_trained(D: int, held_out: np.ndarray | None) -> np.ndarray:
    """bool[D]: the documents that are trained on. held_out: int64[n], the others, which count for
    nothing; None: none."""
    trained = np.ones(D, bool)
    if held_out is not None:
        trained[held_out] = False
    return trained


def trained_documents(D: int, held_out: np.ndarray | None) -> np.ndarray:
    """int64[n], ascending: the documents that are trained on. held_out: as of `is_trained`."""
    return np.flatnonzero(is_trained(D, held_out))


def trained_pairs(bow: Bow, held_out: np.ndarray) -> Iterator[BagPairs]:
    """All pairs of the documents that are trained on, in their order, about PAIRS_AT_ONCE at a
    time. held_out: int64[n], the other documents."""
    trained = is_trained(bow.D, held_out)
    for first, end in row_blocks(bow.indptr, PAIRS_AT_ONCE):
        pair_documents = np.repeat(np.arange(first, end), np.diff(bow.indptr[first : end + 1]))
        is_trained_on = trained[pair_documents]
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
