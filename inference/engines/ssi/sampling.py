"""What the sampler of tokens' topics (kernels/gibbs.py) is given: documents with words weighted by
the rows or by the table of counts."""

import numpy as np

from inference.bow import Bow
from inference.engines.ssi.learned_priors import empty_rises
from inference.engines.ssi.settings import Resolved
from inference.engines.ssi.state import State
from inference.kernels import gibbs
from inference.kernels.minibatch import Minibatch


def sample_batch(
    config: Resolved,
    state: State,
    batch: Minibatch,
    keys: np.ndarray,
    before: np.ndarray | None = None,
    anew: bool = False,
) -> np.ndarray:
    """uint16[N, samples * draws]: topics of a batch's tokens, under the rows.

    keys: uint64[n], a random stream for each document. before: uint16[N, samples * draws], those of
    the last visit, which are left as they are; None where all is new. anew: whether documents are
    sampled as if they were new.
    """
    norm = _normalisers(config, state)
    if before is None:
        new = np.full((batch.token_ptr[-1], config.draws_of_token), gibbs.UNSEEN)
    else:
        new = before.copy()
    weights = gibbs.dense_weights(
        batch.words, state.arena, state.pi, state.eta, 1.0 / norm, config.weighs_by_logarithm
    )
    ends = batch.token_ptr[batch.doc_ptr]
    documents = gibbs.StoredDocuments(
        rows=np.arange(len(keys)),
        indptr=batch.doc_ptr,
        words=batch.places,
        counts=np.diff(batch.token_ptr).astype(np.int32),
        first=ends[:-1],
        lengths=np.diff(ends),
        keys=keys,
    )
    table = gibbs.CountTable(weights[:0], weights)
    _sweep(config, state, documents, table, norm, new, np.empty(0, np.uint64), anew)
    return new


def sample_in_place(
    config: Resolved,
    state: State,
    bow: Bow,
    documents: np.ndarray,
    keys: np.ndarray,
    anew: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sample documents under the table, where they are stored: state.memory then has what was
    drawn. What changed, as `gibbs.sample` lists it: (changed, begins, ends).

    bow: of the documents that the state remembers; documents: int64[n], numbers in it. keys, anew:
    as for `sample_batch`.
    """
    first = bow.first_token[documents]
    lengths = bow.first_token[documents + 1] - first
    stored = gibbs.StoredDocuments(
        rows=documents,
        indptr=bow.indptr,
        words=bow.words,
        counts=bow.counts,
        first=first,
        lengths=lengths,
        keys=keys,
    )
    changed = np.empty(lengths.sum() * state.memory.shape[1], np.uint64)
    norm = _normalisers(config, state)
    runs = _sweep(config, state, stored, state.table, norm, state.memory, changed, anew)
    return changed, *runs


def _normalisers(config: Resolved, state: State) -> np.ndarray:
    """float64[K]: of `gibbs.normalisers`."""
    return gibbs.normalisers(
        state.pi * state.totals, state.V, state.eta, config.weighs_by_logarithm
    )


def _sweep(
    config: Resolved,
    state: State,
    documents: gibbs.StoredDocuments,
    table: gibbs.CountTable,
    norm: np.ndarray,
    draws: np.ndarray,
    changed: np.ndarray,
    anew: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """`gibbs.sample` with a table of counts or weights; norm: of `_normalisers`. What alpha is
    learned from goes into state.rises."""
    terms = _terms(config, state, documents, table, norm)
    rises = empty_rises(config, state)
    plan = gibbs.Plan(anew, config.burn_in, config.samples, config.draws)
    runs = gibbs.sample(documents, table, terms, plan, draws, changed, rises)
    if config.learns_priors:
        state.rises += rises.sums.sum(axis=0)
    return runs


def _terms(
    config: Resolved,
    state: State,
    documents: gibbs.StoredDocuments,
    table: gibbs.CountTable,
    norm: np.ndarray,
) -> gibbs.Terms:
    """What else eq. 15 needs. With the mean logarithm the table's weights are whole, and norm is
    part of them; counts are divided by it here."""
    K = config.topics
    width = gibbs.table_width(K)
    alpha_per_count = np.zeros(width, np.float32)
    if config.weighs_by_logarithm:
        per_count = np.ones(K, np.float32)
        alpha_per_count[:K] = state.alpha
    else:
        per_count = (state.pi / norm).astype(np.float32)
        alpha_per_count[:K] = state.alpha * (state.pi / norm)
    sums = _room_for_sums(state, len(table.wide) + len(table.narrow), width // gibbs.BLOCK)
    gibbs.sum_words(documents, table, alpha_per_count, sums)
    g, alpha_g_sums = gibbs.smoothing(norm, state.eta, state.alpha, config.weighs_by_logarithm)
    return gibbs.Terms(
        per_count=per_count,
        alpha_per_count=alpha_per_count,
        sums=sums,
        g=g,
        alpha_g_sums=alpha_g_sums,
        alpha=state.alpha,
    )


def _room_for_sums(state: State, words: int, blocks: int) -> np.ndarray:
    """float32[words, blocks], of the state's room, which grows with the largest step."""
    size = words * blocks
    if len(state.sums) < size:
        state.sums = np.empty(size, np.float32)
    return state.sums[:size].reshape(-1, blocks)
