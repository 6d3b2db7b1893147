"""What engines with sparse posteriors (lsparse, clusters) share: batches, and what they add to
`arena` rows of float64."""

import numba
import numpy as np
from scipy.special import digamma, gammaln

from inference.bow import Bow, ranges
from inference.engines import arena, batch as batches
from inference.kernels import rng, rows, seeds
from inference.kernels.minibatch import MinibatchWithCounts

# shares that are remembered are whole numbers of 1 / UNITS, and so are their sums: exact in any
# order
UNITS = 65_535
NOTHING = np.empty((0, 1), np.uint16), np.empty((0, 1))  # to be taken away


def expand(bow: Bow, documents: np.ndarray) -> MinibatchWithCounts:
    """The pairs of some documents. documents: int[S], their numbers."""
    documents = np.asarray(documents, np.int64)
    words, doc_ptr, slots, token_ptr = batches.expand(bow, documents)
    pairs = ranges(bow.indptr[documents], np.diff(doc_ptr))
    return MinibatchWithCounts(
        words=words,
        doc_ptr=doc_ptr,
        places=slots,
        counts=np.diff(token_ptr).astype(np.float64),
        token_ptr=token_ptr,
        pairs=pairs,
    )


def first_documents(
    batch: MinibatchWithCounts, K: int, diverse: bool, seed: int, purpose: int
) -> np.ndarray:
    """int64[n]: the places in the first minibatch of the documents that K topics begin with, fewer
    where there are not so many: unlike each other, or any. purpose: of kernels.rng."""
    key = np.uint64(rng.key(np.uint64(seed), np.uint64(purpose), np.uint64(0), np.uint64(0)))
    of_words = batch.doc_ptr, batch.places, batch.counts, len(batch.words)
    if not diverse:
        return seeds.random(batch.doc_ptr, K, key)
    return seeds.diverse(*of_words, K, key, numba.get_num_threads())


def add(
    state: arena.Rows,
    batch: MinibatchWithCounts,
    new_topics: np.ndarray,
    new: np.ndarray,
    old_topics: np.ndarray,
    old: np.ndarray,
    *,
    unit: float = 1.0,
    drop_below: float = 0.5,
) -> None:
    """Put counts times `new` into the rows and take counts times `old` out; see `rows.blend`.
    new_topics, new, old_topics, old: as there."""
    word_ptr, pairs, _ = rows.by_word(batch.places, batch.token_ptr, len(batch.words))
    blended = rows.blend(
        batch.words,
        word_ptr,
        pairs,
        batch.counts,
        new_topics,
        new,
        old_topics,
        old,
        unit,
        drop_below,
        state.arena,
        state.totals,
    )
    arena.put(state, batch.words, *blended)


def topics_bound(state: arena.Rows, unit: float, eta: float) -> float:
    """E[log p(beta)] - E[log q(beta)] in nats (003, eq. 35, for any lam): an entry at eta gives
    nothing."""
    V = state.V
    topic, stored_values = state.entries()
    values = unit * stored_values
    totals = np.maximum(unit * state.totals, 0.0)
    rise = digamma(eta + values) - digamma(V * eta + totals)[topic]
    listed_terms = gammaln(eta + values) - gammaln(eta) - values * rise
    return float(listed_terms.sum() + (gammaln(V * eta) - gammaln(V * eta + totals)).sum())
