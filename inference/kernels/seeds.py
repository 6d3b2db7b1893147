"""Documents for a start, chosen to differ from each other as much as possible."""

import math

import numpy as np
from numba import prange

from inference.kernels import rng
from inference.kernels.chunks import CHUNKS, chunk_bounds
from inference.kernels.rows import pairs_by_word
from inference.kernels.special import sum_in_order
from inference.runtime.jit import PRANGE, njit

SMOOTHING = 0.1  # of a seed's words, times the mean length of a document, over the vocabulary


@njit(cache=True, parallel=PRANGE, error_model="numpy")
def weighted_counts(doc_ptr, places, token_ptr, weights):
    """Tokens of each pair times its word's weight, shared out anew so that each document has as
    many as before: float64[P].

    doc_ptr: int64[n + 1], the documents' pairs. places: int32[P], of each pair's word. token_ptr:
    int64[P + 1], the pairs' tokens. weights: float64[words].
    """
    counts = np.empty(len(places))
    bounds = chunk_bounds(doc_ptr)
    for chunk in prange(CHUNKS):
        for d in range(bounds[chunk], bounds[chunk + 1]):
            tokens = 0.0
            weighted_tokens = 0.0
            for j in range(doc_ptr[d], doc_ptr[d + 1]):
                count = np.float64(token_ptr[j + 1] - token_ptr[j])
                counts[j] = count * weights[places[j]]
                tokens += count
                weighted_tokens += counts[j]
            for j in range(doc_ptr[d], doc_ptr[d + 1]):
                counts[j] *= tokens / weighted_tokens
    return counts


@njit(cache=True)
def diverse(doc_ptr, places, counts, words, K, state, threads):
    """Up to K documents by greedy k-means++ under the Bregman divergence of multinomials (003;
    Ackermann and Bloemer): int64.

    The first at random; for each next 2 + log K are drawn, with probability in proportion to their
    divergence from the nearest before, and the one is taken that leaves the least divergence in
    all. Divergence of a document from a seed: sum_j c_j log((c_j / N_d) / phi_j) with phi = (c_w +
    e) / (N + V e) of the seed. As phi is smoothed, the divergence of a document with the same words
    as a seed is small, but not 0: such documents are chosen, too, where hardly any other is left.
    Fewer than K where fewer documents have words, or the divergence of all others is 0.

    doc_ptr: int64[n + 1], the documents' pairs. places: int32[P], of each pair's word; words: how
    many there are. counts: float64[P]. state: a random stream.
    """
    tokens, own_entropies = _entropies(doc_ptr, counts)
    nearest = (tokens > 0.0).astype(np.float64)
    filled = np.int64(nearest.sum())
    epsilon = SMOOTHING * tokens.sum() / max(filled, 1) / max(words, 1)
    by_word = pairs_by_word(doc_ptr, places, words, counts, threads)
    seeds = np.empty(min(K, filled), np.int64)
    tries = 2 + np.int64(math.log(K))
    left = np.empty((tries, len(tokens)))
    sums = np.empty(tries)
    tried = np.empty(tries, np.int64)
    states = np.empty(tries, np.uint64)
    total = sum_in_order(nearest)
    for s in range(len(seeds)):
        if not total > 0.0:
            return seeds[:s].copy()
        n = tries if s else 1
        for i in range(n):
            state = rng.after(state)
            states[i] = state
        _try_each(
            n,
            s > 0,
            states,
            nearest,
            total,
            doc_ptr,
            places,
            counts,
            tokens,
            own_entropies,
            by_word,
            epsilon,
            left,
            sums,
            tried,
        )
        best_try = 0
        for i in range(1, n):
            best_try = i if sums[i] < sums[best_try] else best_try
        seeds[s] = tried[best_try]
        total = sums[best_try]
        nearest = left[best_try].copy()
    return seeds


@njit(cache=True, parallel=PRANGE)
def _try_each(
    n,
    more,
    states,
    nearest,
    total,
    doc_ptr,
    places,
    counts,
    tokens,
    own,
    by_word,
    epsilon,
    left,
    sums,
    tried,
):
    """Draw a seed from each of the first n states, into tried: left[i] is what its documents have
    then as `nearest`, sums[i] the sum. more: there are seeds before."""
    for i in prange(n):
        seed = _drawn(nearest, rng.unit(states[i]) * total)
        distances_left = left[i]
        a = doc_ptr[seed]
        b = doc_ptr[seed + 1]
        _divergences(
            places[a:b], counts[a:b], tokens[seed], by_word, tokens, own, epsilon, distances_left
        )
        if more:
            for d in range(len(distances_left)):
                distances_left[d] = min(distances_left[d], nearest[d])
        distances_left[seed] = 0.0
        sums[i] = sum_in_order(distances_left)
        tried[i] = seed


@njit(cache=True, parallel=PRANGE)
def _entropies(doc_ptr, counts):
    """(tokens, sum_j c_j log(c_j / N_d)) of each document: float64[n] each."""
    n = len(doc_ptr) - 1
    tokens = np.zeros(n)
    entropies = np.zeros(n)
    bounds = chunk_bounds(doc_ptr)
    for chunk in prange(CHUNKS):
        for d in range(bounds[chunk], bounds[chunk + 1]):
            tokens[d] = sum_in_order(counts[doc_ptr[d] : doc_ptr[d + 1]])
            for j in range(doc_ptr[d], doc_ptr[d + 1]):
                entropies[d] += counts[j] * math.log(counts[j] / tokens[d])
    return tokens, entropies


@njit(cache=True)
def _drawn(weights, x):
    """The place of x, from 0 to the sum of the weights, among them."""
    last = -1
    for d in range(len(weights)):
        if weights[d] > 0.0:
            last = d
            x -= weights[d]
            if x < 0.0:
                break
    return last


@njit(cache=True)
def _divergences(places, counts, size, by_word, tokens, own, epsilon, out):
    """The divergence of each document from a seed, into out: float64[n], 0 without words. places,
    counts: of the seed's words, in the order that all documents have them in; size: its tokens.
    Only documents that share a word with it cost more than a look."""
    word_ptr, documents, sizes = by_word
    floor = math.log(epsilon / (size + (len(word_ptr) - 1) * epsilon))
    for d in range(len(out)):
        out[d] = own[d] - tokens[d] * floor
    for j in range(len(places)):
        above = math.log(1.0 + counts[j] / epsilon)
        for i in range(word_ptr[places[j]], word_ptr[places[j] + 1]):
            out[documents[i]] -= sizes[i] * above
    for d in range(len(out)):
        out[d] = max(out[d], 0.0)


@njit(cache=True)
def random(doc_ptr, K, state):
    """Up to K documents with words, at random, none twice: int64."""
    filled = np.flatnonzero(np.diff(doc_ptr))
    n = min(K, len(filled))
    for i in range(n):
        state = rng.after(state)
        j = i + np.int64(rng.unit(state) * (len(filled) - i))
        filled[i], filled[j] = filled[j], filled[i]
    return filled[:n].copy()
