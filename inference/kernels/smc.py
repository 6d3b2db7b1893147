"""Collapsed Gibbs sampling of one document after the other, and the fold-in under fixed counts."""

import numpy as np
from numba import prange

from inference.kernels import rng
from inference.kernels.chunks import CHUNKS, chunk_bounds
from inference.kernels.gibbs import UNSEEN
from inference.runtime.jit import njit

BLOCK = 8  # weights that are summed at a time, so that a sum does not wait for the one before


@njit(cache=True, inline="always")
def _draw(u, alpha, tokens, row, inverse, eta, weights, sums):
    """A topic in proportion to (alpha_k + N_dk) (eta + N_kw) / (V eta + N_k).

    u: in [0, 1). alpha: float64[K]. tokens: float64[K], N_dk. row: int32[K], N_kw. inverse:
    float64[K], 1 / (V eta + N_k). weights: float64 with room for K rounded up to blocks, 0 from K
    on; sums: float64, one for each block.
    """
    K = len(alpha)
    for k in range(K):
        weights[k] = (alpha[k] + tokens[k]) * (eta + row[k]) * inverse[k]
    total = 0.0
    for b in range(len(sums)):
        j = b * BLOCK
        total += ((weights[j] + weights[j + 1]) + (weights[j + 2] + weights[j + 3])) + (
            (weights[j + 4] + weights[j + 5]) + (weights[j + 6] + weights[j + 7])
        )
        sums[b] = total
    x = u * total
    b = 0
    while b < len(sums) - 1 and x >= sums[b]:
        b += 1
    if b > 0:
        x -= sums[b - 1]
    k = b * BLOCK
    last = min(k + BLOCK, K) - 1
    while k < last and x >= weights[k]:
        x -= weights[k]
        k += 1
    return k


@njit(cache=True)
def sweep(doc_ptr, words, token_ptr, topics, counts, totals, alpha, eta, sweeps, keys):
    """Sample each document's topics given all documents before it, `sweeps` times over, and leave
    its last in the counts.

    doc_ptr: int64[n + 1], the documents' pairs; words: int32[P], of the pairs; token_ptr: int64[P +
    1]. topics: uint16[N], changed in place: where a document's are gibbs.UNSEEN each token first
    gets a topic by those before it (paper 000, footnote 3); else they are in the counts, as the
    topics of its last visit. counts: int32[V, K], totals: int64[K], of all documents so far:
    changed in place. keys: uint64[n], a random stream for each document.
    """
    K = len(totals)
    V = len(counts)
    blocks = (K + BLOCK - 1) // BLOCK
    weights = np.zeros(blocks * BLOCK)
    sums = np.empty(blocks)
    tokens = np.zeros(K)
    inverse = 1.0 / (V * eta + totals)
    for d in range(len(doc_ptr) - 1):
        first = token_ptr[doc_ptr[d]]
        end = token_ptr[doc_ptr[d + 1]]
        if first == end:
            continue
        started = topics[first] != UNSEEN
        tokens[:] = 0.0
        if started:
            for i in range(first, end):
                tokens[topics[i]] += 1.0
        state = keys[d]
        for _ in range(0 if started else -1, sweeps):
            for p in range(doc_ptr[d], doc_ptr[d + 1]):
                row = counts[words[p]]
                for i in range(token_ptr[p], token_ptr[p + 1]):
                    if started:
                        k = topics[i]
                        tokens[k] -= 1.0
                        row[k] -= 1
                        totals[k] -= 1
                        inverse[k] = 1.0 / (V * eta + totals[k])
                    state = rng.after(state)
                    k = _draw(rng.unit(state), alpha, tokens, row, inverse, eta, weights, sums)
                    topics[i] = k
                    tokens[k] += 1.0
                    row[k] += 1
                    totals[k] += 1
                    inverse[k] = 1.0 / (V * eta + totals[k])
            started = True


@njit(cache=True, parallel=True)
def fold(doc_ptr, words, token_ptr, counts, totals, alpha, eta, burn_in, samples, keys):
    """uint16[N, samples]: topics of the tokens of some documents in sweeps after `burn_in` others,
    under counts that stay as they are. Arguments as for `sweep`."""
    K = len(totals)
    V = len(counts)
    folded_topics = np.empty((token_ptr[-1], samples), np.uint16)
    blocks = (K + BLOCK - 1) // BLOCK
    inverse = 1.0 / (V * eta + totals)
    bounds = chunk_bounds(token_ptr[doc_ptr])
    for chunk in prange(CHUNKS):
        weights = np.zeros(blocks * BLOCK)
        sums = np.empty(blocks)
        tokens = np.zeros(K)
        for d in range(bounds[chunk], bounds[chunk + 1]):
            state = keys[d]
            tokens[:] = 0.0
            for turn in range(-1, burn_in + samples):
                now = max(turn - burn_in, 0)
                before = max(turn - 1 - burn_in, 0)
                for p in range(doc_ptr[d], doc_ptr[d + 1]):
                    for i in range(token_ptr[p], token_ptr[p + 1]):
                        if turn >= 0:
                            tokens[folded_topics[i, before]] -= 1.0
                        state = rng.after(state)
                        k = _draw(
                            rng.unit(state),
                            alpha,
                            tokens,
                            counts[words[p]],
                            inverse,
                            eta,
                            weights,
                            sums,
                        )
                        tokens[k] += 1.0
                        folded_topics[i, now] = k
    return folded_topics


@njit(cache=True)
def assign(indptr, counts, first_token, documents, pair_topics, topics):
    """Give each token of some documents its pair's topic. pair_topics: uint16[nnz]; topics:
    uint16[tokens, M], in place."""
    for d in documents:
        i = first_token[d]
        for p in range(indptr[d], indptr[d + 1]):
            for _ in range(counts[p]):
                topics[i, :] = pair_topics[p]
                i += 1
