"""Random numbers that depend on their key alone: the same for any number of threads, and after any
restart."""

import numpy as np
from numba import prange, uint64

from inference.runtime.jit import PRANGE, njit

# SplitMix64 (Steele, Lea, Flood 2014): a counter, and a mixer that makes it random.
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_TO_UNIT = 1.0 / (1 << 53)

# What a key is for: two purposes never share a stream.
SAMPLE, FOLD_IN, PERMUTE, HOLD_OUT, SPLIT, COHERENCE, LEFT_TO_RIGHT = range(7)
INIT = 8
OBJECTIVE = 9
FW = 10
OPE = 11
SPARSE = 12
CLUSTER = 13
SIMULATE = 14
SMC = 15


@njit(uint64(uint64), cache=True, inline="always")
def mix(x):
    """uint64: x, uint64, with all of its bits mixed (the finaliser of SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * _M1
    x = (x ^ (x >> np.uint64(27))) * _M2
    return x ^ (x >> np.uint64(31))


@njit(uint64(uint64, uint64, uint64, uint64), cache=True)
def key(seed, purpose, a, b):
    """The start of a stream, as from four numbers."""
    x = mix(seed + _GAMMA)
    x = mix(x ^ (purpose + _GAMMA))
    x = mix(x ^ (a + _GAMMA))
    return mix(x ^ (b + _GAMMA))


@njit(uint64(uint64), cache=True, inline="always")
def after(state):
    """The stream's next state; `unit` of it is a random number."""
    return state + _GAMMA


@njit(cache=True, inline="always")
def unit(state):
    """Uniform in [0, 1), from a state: from the upper 53 of its 64 random bits."""
    return np.float64(mix(state) >> np.uint64(11)) * _TO_UNIT


@njit(cache=True)
def permuted(i, n, k):
    """The place of i under the k-th pseudo-random permutation of 0 … n - 1, without an array of
    size n.

    A Feistel network of four rounds over the next even number of bits; what falls outside walks on
    until it is inside.
    """
    half_bits = 2
    while (1 << half_bits) < n:
        half_bits += 2
    half = np.uint64(half_bits // 2)
    mask = (np.uint64(1) << half) - np.uint64(1)
    x = np.uint64(i)
    while True:
        left = x >> half
        right = x & mask
        for r in range(4):
            left, right = right, left ^ (key(k, np.uint64(PERMUTE), right, np.uint64(r)) & mask)
        x = (left << half) | right
        if x < np.uint64(n):
            return np.int64(x)


@njit(cache=True)
def permutation_slice(start, stop, n, k):
    """permuted(start … stop - 1), int64."""
    permuted_numbers = np.empty(stop - start, np.int64)
    for i in range(start, stop):
        permuted_numbers[i - start] = permuted(i, n, k)
    return permuted_numbers


@njit(cache=True, parallel=PRANGE)
def permutation_shared(start, stop, n, k):
    """`permutation_slice`, by all threads: in a training."""
    permuted_numbers = np.empty(stop - start, np.int64)
    for i in prange(stop - start):
        permuted_numbers[i] = permuted(start + i, n, k)
    return permuted_numbers


@njit(cache=True)
def choose_items(n, purpose, share, seed):
    """Which of the items 0 … n - 1 have a hash below `share`: ascending int64."""
    below = np.empty(n, np.bool_)
    for i in range(n):
        below[i] = unit(key(seed, np.uint64(purpose), np.uint64(i), np.uint64(0))) < share
    return np.flatnonzero(below)


@njit(cache=True)
def keys(seed, purpose, a, items):
    """A stream for each of some items: uint64[n]."""
    keys_of_items = np.empty(len(items), np.uint64)
    for i in range(len(items)):
        keys_of_items[i] = key(seed, purpose, a, np.uint64(items[i]))
    return keys_of_items
