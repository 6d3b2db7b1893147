"""Documents to begin with: as unlike each other as they come."""

import math

import numpy as np
from numba import njit

from inference.kernels import rng

SMOOTHING = 0.1  # of a seed's words, times the mean length of a document, over the vocabulary


@njit(cache=True)
def diverse(doc_ptr, places, counts, words, K, state):
    """Up to K documents by k-means++ under the Bregman divergence of multinomials (003; Ackermann and Bloemer): int64.

    The first at random, each next with probability in proportion to its divergence from the nearest before, sum_j c_j
    log((c_j / N_d) / phi_j) with phi = (c_w + e) / (N + V e) of the seed. Fewer than K where no other is left that
    differs.

    doc_ptr: int64[n + 1], the documents' pairs. places: int32[P], of each pair's word; words: how many there are. counts:
    float64[P]. state: a random stream.
    """
    n = len(doc_ptr) - 1
    tokens, own, nearest = np.zeros(n), np.zeros(n), np.zeros(n)
    filled = 0
    for d in range(n):
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            tokens[d] += counts[j]
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            own[d] += counts[j] * math.log(counts[j] / tokens[d])
        filled += tokens[d] > 0.0
        nearest[d] = 1.0 if tokens[d] > 0.0 else 0.0
    epsilon = SMOOTHING * tokens.sum() / max(filled, 1) / max(words, 1)
    seeds = np.empty(min(K, filled), np.int64)
    above = np.zeros(words)
    for s in range(len(seeds)):
        total = nearest.sum()
        if not total > 0.0:
            return seeds[:s].copy()
        state = rng.after(state)
        x = rng.unit(state) * total
        seed = -1
        for d in range(n):
            if nearest[d] > 0.0:
                seed = d
                x -= nearest[d]
                if x < 0.0:
                    break
        seeds[s] = seed
        for j in range(doc_ptr[seed], doc_ptr[seed + 1]):
            above[places[j]] = math.log(1.0 + counts[j] / epsilon)
        floor = math.log(epsilon / (tokens[seed] + words * epsilon))
        for d in range(n):
            if tokens[d] > 0.0:
                divergence = own[d] - tokens[d] * floor
                for j in range(doc_ptr[d], doc_ptr[d + 1]):
                    divergence -= counts[j] * above[places[j]]
                divergence = max(divergence, 0.0)
                nearest[d] = divergence if s == 0 else min(nearest[d], divergence)
        nearest[seed] = 0.0
        for j in range(doc_ptr[seed], doc_ptr[seed + 1]):
            above[places[j]] = 0.0
    return seeds


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
