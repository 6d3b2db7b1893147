"""Random numbers that depend on their key alone: the same for any number of threads, after any
restart, and with any version of numpy, which promises that of no Generator's method.
"""

import math

import numpy as np
from numba import prange, uint64

from inference.runtime.jit import PRANGE, njit

# SplitMix64 (Steele, Lea, Flood 2014): a counter, and a mixer that makes it random.
GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
_TO_UNIT = 1.0 / (1 << 53)

# What a key is for: two purposes never share a stream. Numbers stay, as trainings have the bits of
# them: 7 was for a measure that is gone.
SAMPLE, FOLD_IN, PERMUTE, HOLD_OUT, SPLIT, COHERENCE, LEFT_TO_RIGHT = range(7)
INIT = 8
OBJECTIVE = 9
FW = 10
OPE = 11
SPARSE = 12
CLUSTER = 13
SIMULATE = 14
SMC = 15
# Of answers that pages show
DIRECTIONS = 16  # in which documents' words differ
VALUES_DRAWN = 17  # whose texts tell how alike they are
NEIGHBOURS = 18  # orders of a number's values
CELLS = 19  # documents that are added up to one
UNITS_ADDED = 20  # up to one sum
UNITS_DRAWN = 21  # of very many
SIDES = 22  # exchanges of units between two sides
HELD_SIDES = 23  # the same, where other things are held constant
JOINT_SIDES = 24  # the same, of several runs at once
PERIODS_OF_CELLS = 25  # exchanges of periods
PERIODS = 26
SERIES = 27  # drawn of no direction
BOOTSTRAP = 28
FOLDS = 29  # parts of what is coded, of which each is predicted by the others
EPOCHS = 30  # orders in which a prediction goes through what is coded
# Of texts that further trainings of a run read
HALVES = 31  # whose texts one learns from, to be measured on those of the others
READ = 32  # documents, where there is no time for all


@njit(uint64(uint64), cache=True, inline="always")
def mix(x):
    """uint64: x, uint64, with all of its bits mixed (the finaliser of SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * FIRST_FACTOR
    x = (x ^ (x >> np.uint64(27))) * _SECOND_FACTOR
    return x ^ (x >> np.uint64(31))


@njit(uint64[::1](uint64[::1]), cache=True)
def mixed(values):
    """uint64[n]: `mix` of each of some values, uint64[n]."""
    mixed_values = np.empty(len(values), np.uint64)
    for i in range(len(values)):
        mixed_values[i] = mix(values[i])
    return mixed_values


@njit(uint64(uint64, uint64, uint64, uint64), cache=True)
def key(seed, purpose, a, b):
    """The start of a stream, as from four numbers."""
    x = mix(seed + GAMMA)
    x = mix(x ^ (purpose + GAMMA))
    x = mix(x ^ (a + GAMMA))
    return mix(x ^ (b + GAMMA))


@njit(uint64(uint64), cache=True, inline="always")
def after(state):
    """The stream's next state; `unit` of it is a random number."""
    return state + GAMMA


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
    bits = 2
    while (1 << bits) < n:
        bits += 2
    half_bits = np.uint64(bits // 2)
    lower_half = (np.uint64(1) << half_bits) - np.uint64(1)
    x = np.uint64(i)
    while True:
        left = x >> half_bits
        right = x & lower_half
        for r in range(4):
            left, right = (
                right,
                left ^ (key(k, np.uint64(PERMUTE), right, np.uint64(r)) & lower_half),
            )
        x = (left << half_bits) | right
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


def stream(purpose: int, a: int = 0, b: int = 0, seed: int = 0) -> np.uint64:
    """The start of a stream for one purpose. a, b: which of several."""
    return np.uint64(key(np.uint64(seed), np.uint64(purpose), np.uint64(a), np.uint64(b)))


def streams(purpose: int, items: range, a: int = 0, seed: int = 0) -> np.ndarray:
    """uint64[n]: `stream` of each of some items, b."""
    return keys(
        np.uint64(seed), np.uint64(purpose), np.uint64(a), np.arange(items.start, items.stop)
    )


@njit(cache=True, nogil=True)
def shuffle(values, first, end, state):
    """values[first:end] in a random order (Fisher and Yates), in place; returns the stream's next
    state."""
    for last in range(end - 1, first, -1):
        state = after(state)
        drawn = first + np.int64(unit(state) * (last + 1 - first))
        stored = values[last]
        values[last] = values[drawn]
        values[drawn] = stored
    return state


@njit(cache=True, nogil=True)
def shuffled(n, state):
    """int64[n]: 0 … n - 1 in a random order. state: a stream."""
    order = np.arange(n)
    shuffle(order, 0, n, state)
    return order


@njit(cache=True, nogil=True)
def uniforms(states, n):
    """float64[len(states), n] in [0, 1): a row of each stream. states: uint64."""
    numbers = np.empty((len(states), n))
    for row in range(len(states)):
        state = states[row]
        for i in range(n):
            state = after(state)
            numbers[row, i] = unit(state)
    return numbers


def exchanged_within(values: np.ndarray, stratum: np.ndarray, states: np.ndarray) -> np.ndarray:
    """[n, U]: values exchanged at random within strata, a row of each stream. values: [U]. stratum:
    whole numbers, [U]. states: uint64[n]."""
    drawn = uniforms(states, len(values))
    order = np.argsort(drawn + stratum, axis=1)
    exchanged = np.empty(order.shape, values.dtype)
    exchanged[:, np.argsort(stratum, kind="stable")] = values[order]
    return exchanged


@njit(cache=True, nogil=True)
def normals(n, state):
    """float64[n] of the standard normal distribution (Box and Muller 1958). state: a stream."""
    numbers = np.empty(n)
    for i in range(0, n, 2):
        state = after(state)
        radius = math.sqrt(-2.0 * math.log(1.0 - unit(state)))
        state = after(state)
        angle = 2.0 * math.pi * unit(state)
        numbers[i] = radius * math.cos(angle)
        if i + 1 < n:
            numbers[i + 1] = radius * math.sin(angle)
    return numbers
