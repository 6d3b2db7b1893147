"""Inference of a document's theta by Frank-Wolfe steps (Than and Ho 2015, Algorithm 5) and by OPE
(Than and Doan 2015), at a cost that hardly grows with K; and the statistics of online learning, as
sparse rows.

beta_kw is floor_k plus what the word's sparse row has above it, a_kw. With x_j = sum_k theta_k
beta_kj and r_j = c_j / x_j for the words j of a document, the gradient of f = sum_j c_j log x_j is
G_k = floor_k sum_j r_j + sum_j r_j a_kj, and every step goes towards one topic, a vertex of the
simplex. Two things make that cheap:

- A block of a few topics' a_kj is kept for the document, and their gradients are sums over it.
- x_j falls by a factor q at the most since the gradient of all topics was last known, so no G_k has
  grown by more than q: while the largest of the topics outside of the block, times q, can't win,
  none of them is looked at.

The vertices are the same as with a block of all topics, which is the dense form, bit by bit: sums
over words run in the same order. Whichever has to go through fewer entries is taken.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from inference.kernels import rng
from inference.kernels.bits import next_number
from inference.kernels.chunks import CHUNKS, chunk_bounds, cumulated
from inference.kernels.rows import add_by_topic, noted, sort_first
from inference.kernels.special import sum_in_order
from inference.runtime.arrays import ABOVE_ZERO
from inference.runtime.jit import PRANGE, njit

# how theta is inferred
OPE = 0
FW = 1
PAIRWISE = 2
# how far a step of FW goes
SAFE = 0
FIXED = 1
LINE_SEARCH = 2
# Forms of a document's block: the results are the same
AUTOMATIC = 0
SPARSE = 1
DENSE = 2
COLUMNS = 16  # topics in a block to begin with
ALIGNED = 8  # the width of a dense block is a multiple of it: a processor's vector of float32
LANES = 64  # topics whose gradients are compared at a time
MORE = 8  # topics that a round of PAIRWISE adds
FEW_COLUMNS = 2  # so few are looked for by bisection in each row
SEARCH = 60  # points that LINE_SEARCH looks at for the best step, at the most
SEARCH_PRECISION = 1e-7  # of the step: LINE_SEARCH stops when it moves by less
ROUNDS = 16  # of PAIRWISE, at the most
ROUNDING_SLACK = 1.0001  # times a bound, for what rounding does to it
DUALITY_GAP = 1e-6  # of a document's tokens: FW stops at such a duality gap
AFRESH = 16  # steps after which x is summed again: increments drift
# Entries of a dense block that cost what an entry of a row does, and a word
DENSE_ENTRIES = 1.6
DENSE_WORDS = 130.0
BLOCK = 1 << 22  # entries: no larger block is dense
# A topic with fewer tokens of a document is not listed, unless it is a vertex
LEAST_LISTED_TOKENS = 0.5
# An entry with fewer tokens is dropped: so many for each topic, and at the most
DROPPED_PER_TOPIC = 1e-4
DROPPED_MOST = 0.05
LEAST_FLOOR = 1e-30  # of beta in float32: where a topic has next to no weight for a word
LEAST_WEIGHT = 1e-10  # of a word at the start: no logarithm of 0


class MinibatchRows(NamedTuple):
    """The rows of a minibatch's words as they are within it: row_ptr int64[n + 1], topics uint16,
    above float32.

    even: float32[n], the mean of beta over topics. first: float32, log(beta_kw / floor_k), where
    that is asked for.
    """

    row_ptr: np.ndarray
    topics: np.ndarray
    above: np.ndarray
    even: np.ndarray
    first: np.ndarray


class Method(NamedTuple):
    """How theta is inferred. kind: OPE, FW or PAIRWISE. step: SAFE, FIXED or LINE_SEARCH.
    iterations: L, of which OPE's first is its start. prior_weight: 1 - alpha, how often OPE's
    objective subtracts sum_k log theta_k. tolerance: of the duality gap over the document's tokens,
    for PAIRWISE. final: whether topics are listed with their tokens. form: AUTOMATIC to choose a
    document's block by its entries, SPARSE, DENSE."""

    kind: int
    step: int
    iterations: int
    prior_weight: float
    tolerance: float
    final: bool
    form: int


class MinibatchTheta(NamedTuple):
    """theta of each document: its vertices, the sizes[d] from starts[d] on in topics and weights;
    `rests` is spread evenly over all K topics in addition. starts: int64[n + 1]; topics: int32;
    weights: float32; sizes: int64[n]; rests: float32[n]."""

    starts: np.ndarray
    topics: np.ndarray
    weights: np.ndarray
    sizes: np.ndarray
    rests: np.ndarray

    @classmethod
    def empty(cls, starts: np.ndarray) -> "MinibatchTheta":
        """To be filled by `infer`. A document may have as many vertices as there are numbers from
        its own start up to the next."""
        n = len(starts) - 1
        listed_arrays = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
        return cls(starts, *listed_arrays, np.empty(n, np.int64), np.empty(n, np.float32))


class DocumentWords(NamedTuple):
    """A document's words. slots: int32[n], the row of each in `MinibatchRows`. counts: float32[n],
    c; tokens: their sum, float64. x: float32[n], and ratios: float32[n], c / x. x_per_token:
    float32[n], x / c when the gradient of all topics was last known."""

    slots: np.ndarray
    counts: np.ndarray
    tokens: float
    x: np.ndarray
    ratios: np.ndarray
    x_per_token: np.ndarray


class EntryBlock(NamedTuple):
    """a_kj of a document's words and some topics. entries: float32[n * width], a row for each word;
    is_dense: whether it has all topics from the beginning."""

    entries: np.ndarray
    width: int
    is_dense: bool


class DocumentTheta(NamedTuple):
    """theta of a document while it is inferred: the first `vertices` of Space.support are its
    vertices, and even_share, float32, is spread evenly over all topics. columns: of the block that
    are in use."""

    block: EntryBlock
    columns: int
    vertices: int
    even_share: np.float32


class Space(NamedTuple):
    """Arrays in which a thread works on one document after the other, so that none is made anew.

    gradient: float32[K]. slot_of_topic: int32[K], each topic's column in the block, -1 for none.
    largest: int32[COLUMNS], topics outside of the block. lanes: of `_largest`. Of the block's
    columns, all with room for K: topics int32; floors: float32, of the topic; gradients: float32;
    weights: float32, theta of the vertices without their even share; is_vertex: bool. support:
    int32, the columns that are vertices, in the order in which they came.
    """

    gradient: np.ndarray
    slot_of_topic: np.ndarray
    largest: np.ndarray
    lanes: np.ndarray
    topics: np.ndarray
    floors: np.ndarray
    gradients: np.ndarray
    weights: np.ndarray
    is_vertex: np.ndarray
    support: np.ndarray


class PairsByWord(NamedTuple):
    """A minibatch's (document, word) pairs by word. words: int64[n], distinct. word_ptr, pairs: of
    `rows.by_word`. documents: int32[P], of each pair; tokens: int64[P], asked for where
    Change.credits; factors: float32[P], of `infer`."""

    words: np.ndarray
    word_ptr: np.ndarray
    pairs: np.ndarray
    documents: np.ndarray
    tokens: np.ndarray
    factors: np.ndarray


class Change(NamedTuple):
    """What rows become: what was there times `keep`, and statistics times `unit`; an entry below
    `drop_below` is dropped: all float64[K]. floor: float32[K], of `gather`. credits: whether a pair
    gives its tokens to the vertices alone."""

    floor: np.ndarray
    unit: np.ndarray
    keep: np.ndarray
    drop_below: np.ndarray
    credits: bool


class Blended(NamedTuple):
    """A minibatch's rows with statistics added: row i is the sizes[i] entries from indptr[i] on, of
    topics (int32, ascending) and values (float32). indptr: int64[n + 1], with room for as many
    topics as a row can have; sizes: int64[n]. added: float64[runs, K], what the rows of each run of
    words have more than before."""

    indptr: np.ndarray
    sizes: np.ndarray
    topics: np.ndarray
    values: np.ndarray
    added: np.ndarray


def dropped(K):
    """float, in tokens: an entry of a row with fewer is dropped where there are K topics."""
    return min(DROPPED_PER_TOPIC * K, DROPPED_MOST)


@njit(cache=True, parallel=PRANGE, error_model="numpy")
def gather(words, arena, factor, floor, logs):
    """The rows of a minibatch's words, MinibatchRows, with `first` where `logs`.

    words: int64[n], distinct. arena: rows.Arena. factor, floor: float64[K], float32[K]; above =
    factor_k times a row's value.
    """
    start, length, row_topics, row_values = arena
    n = len(words)
    K = len(floor)
    indptr = cumulated(length[words])
    topics = np.empty(indptr[n], np.uint16)
    above = np.empty(indptr[n], np.float32)
    first = np.empty(indptr[n] if logs else 0, np.float32)
    even = np.empty(n, np.float32)
    floors = sum_in_order(floor)
    bounds = chunk_bounds(indptr)
    for chunk in prange(CHUNKS):
        for i in range(bounds[chunk], bounds[chunk + 1]):
            total = floors
            at = start[words[i]] - indptr[i]
            for e in range(indptr[i], indptr[i + 1]):
                k = np.uint32(row_topics[at + e])
                value = np.float32(factor[k] * row_values[at + e])
                topics[e] = k
                above[e] = value
                total += value
                if logs:
                    first[e] = np.log1p(value / floor[k])
            even[i] = total / K
    return MinibatchRows(indptr, topics, above, even, first)


@njit(cache=True, error_model="numpy")
def _ratios(counts, x, r):
    """c_j / x_j, into r; returns their sum, float32. counts, x, r: float32[n], of a document's
    words."""
    n = len(x)
    s0 = s1 = s2 = s3 = 0.0
    for j in range(n):
        r[j] = counts[j] / x[j]
    for j in range(0, n - 3, 4):
        s0 += r[j]
        s1 += r[j + 1]
        s2 += r[j + 2]
        s3 += r[j + 3]
    for j in range(n // 4 * 4, n):
        s0 += r[j]
    return np.float32((s0 + s1) + (s2 + s3))


@njit(cache=True, error_model="numpy")
def _largest_product(a, b):
    """float32: the largest a_j b_j, at least 1. a, b: float32[n]."""
    m0 = m1 = m2 = m3 = np.float32(1.0)
    n = len(a)
    for j in range(0, n - 3, 4):
        m0 = max(m0, a[j] * b[j])
        m1 = max(m1, a[j + 1] * b[j + 1])
        m2 = max(m2, a[j + 2] * b[j + 2])
        m3 = max(m3, a[j + 3] * b[j + 3])
    for j in range(n // 4 * 4, n):
        m0 = max(m0, a[j] * b[j])
    return max(max(m0, m1), max(m2, m3))


@njit(cache=True, error_model="numpy")
def _sum_rows(slots, rows, weights, r, out):
    """sum_j r_j weights_kj of every topic, into out, float32[K]. slots: int32[n], the row of each
    of a document's words j; r: float32[n]. rows: MinibatchRows; weights: rows.above, or another
    array that is like it."""
    row_ptr = rows.row_ptr
    topics = rows.topics
    out[:] = np.float32(0.0)
    for j in range(len(slots)):
        factor = r[j]
        for e in range(row_ptr[slots[j]], row_ptr[slots[j] + 1]):
            out[np.uint64(topics[e])] += factor * weights[e]


@njit(cache=True, error_model="numpy")
def _sum_block(n, width, block, r, out):
    """sum_j r_j a_kj of the block's topics, into out[:width], float32, each summed in the order of
    the n words; four words at a time. block: float32[n * width], EntryBlock.entries; r:
    float32[n]."""
    sums = out[:width]
    sums[:] = np.float32(0.0)
    for j in range(0, n - 3, 4):
        r0 = r[j]
        r1 = r[j + 1]
        r2 = r[j + 2]
        r3 = r[j + 3]
        b0 = block[j * width : (j + 1) * width]
        b1 = block[(j + 1) * width : (j + 2) * width]
        b2 = block[(j + 2) * width : (j + 3) * width]
        b3 = block[(j + 3) * width : (j + 4) * width]
        for a in range(width):
            sums[a] = (((sums[a] + r0 * b0[a]) + r1 * b1[a]) + r2 * b2[a]) + r3 * b3[a]
    for j in range(n // 4 * 4, n):
        factor = r[j]
        row = block[j * width : (j + 1) * width]
        for a in range(width):
            sums[a] += factor * row[a]


@njit(cache=True, error_model="numpy")
def _widened(block, n):
    """An EntryBlock with twice as many columns, the new ones 0. n: words of the document."""
    width = block.width
    wider = np.zeros(2 * width * n, np.float32)
    for j in range(n):
        wider[2 * width * j : 2 * width * j + width] = block.entries[width * j : width * j + width]
    return EntryBlock(wider, 2 * width, block.is_dense)


@njit(cache=True, error_model="numpy")
def _add_columns(number, m, block, words, rows, floor, space):
    """The first `number` topics of space.largest as the block's columns from m on: returns the
    block, which is another one where it was full, and the number of columns. block: EntryBlock.
    words: DocumentWords; rows: MinibatchRows; floor: float32[K]; space: Space."""
    row_ptr, topics, above, _, _ = rows
    places = words.slots
    new = space.largest
    n = len(places)
    while m + number > block.width:
        block = _widened(block, n)
    width = block.width
    entries = block.entries
    for i in range(number):
        space.topics[m + i] = new[i]
        space.slot_of_topic[new[i]] = m + i
        space.floors[m + i] = floor[new[i]]
    if number > FEW_COLUMNS:  # one walk through the rows
        for j in range(n):
            at = width * j
            for e in range(row_ptr[places[j]], row_ptr[places[j] + 1]):
                a = space.slot_of_topic[np.uint64(topics[e])]
                if a >= m:
                    entries[at + a] = above[e]
        return block, m + number
    for j in range(n):  # by bisection
        first = row_ptr[places[j]]
        size = row_ptr[places[j] + 1] - row_ptr[places[j]]
        for i in range(number if size else 0):
            at = np.uint64(first)
            left = size
            while left > 1:
                half = left >> 1
                at += np.uint64(half) * np.uint64(topics[at + np.uint64(half)] <= new[i])
                left -= half
            if topics[at] == new[i]:
                entries[width * j + m + i] = above[at]
    return block, m + number


@njit(cache=True, error_model="numpy")
def _add_all_columns(block, words, rows, floor, space):
    """Fill the block with all topics; returns their number. block: EntryBlock, with room for them.
    words: DocumentWords; rows: MinibatchRows; floor: float32[K]; space: Space."""
    row_ptr, topics, above, _, _ = rows
    n = len(words.slots)
    entries = block.entries
    entries[: block.width * n] = np.float32(0.0)
    for j in range(n):
        at = block.width * j
        for e in range(row_ptr[words.slots[j]], row_ptr[words.slots[j] + 1]):
            entries[at + topics[e]] = above[e]
    for k in range(len(floor)):
        space.topics[k] = k
        space.slot_of_topic[k] = k
        space.floors[k] = floor[k]
    return len(floor)


@njit(cache=True, error_model="numpy")
def _largest(gradient, floor, total, slots, m, most, largest, best):
    """The `most` topics with the largest gradient of those outside of the block, into largest,
    int32[most]: returns their number and the largest gradient of the others, 0 where there are
    none.

    gradient: float32[K], becomes G, but -1 of the block's topics: the first m of slots, int32.
    floor: float32[K]. total: float32, sum_j r_j. best: float32[n], work space: lane i of n has the
    topics i, i + n, i + 2 n ..., so that their largest are found by vector instructions. Of equal
    gradients the smaller topic's counts.
    """
    K = len(floor)
    lanes = len(best)
    for k in range(K):
        gradient[k] = floor[k] * total + gradient[k]
    for a in range(m):
        gradient[slots[a]] = np.float32(-1.0)
    best[:] = np.float32(-1.0)
    full_lanes = K // lanes * lanes
    for first in range(0, full_lanes, lanes):
        part = gradient[first : first + lanes]
        for i in range(lanes):
            best[i] = part[i] if part[i] > best[i] else best[i]
    for k in range(full_lanes, K):
        best[k - full_lanes] = max(best[k - full_lanes], gradient[k])
    n = 0
    values = np.empty(COLUMNS, np.float32)
    while True:
        high = np.float32(-1.0)
        for i in range(lanes):
            high = best[i] if best[i] > high else high
        if n == most or high < np.float32(0.0):
            break
        first_largest = K
        for i in range(lanes):
            if best[i] == high:
                k = i
                while gradient[k] != high:
                    k += lanes
                first_largest = min(first_largest, k)
        largest[n] = first_largest
        values[n] = high
        gradient[first_largest] = np.float32(-1.0)
        n += 1
        again = np.float32(-1.0)
        i = first_largest % lanes
        for k in range(i, K, lanes):
            again = gradient[k] if gradient[k] > again else again
        best[i] = again
    for i in range(n):
        gradient[largest[i]] = values[i]
    return n, max(high, np.float32(0.0))


@njit(cache=True, error_model="numpy")
def _search(most, column, width, other, floor, floor_other, block, x, counts):
    """float64: the step in [0, most] along beta_k - x, or along beta_k - beta_other where other is
    not -1, at which f is largest: Newton's steps, and the middle of what is left where one would
    leave it or gains less than that would.

    column, other: int, of the two topics in the block, whose width is `width`; floor, floor_other:
    float32, of the topics. block: float32[n * width]; x, counts: float32[n], of the document's
    words."""
    low = 0.0
    high = most
    a = most
    last = 2.0 * most
    for _ in range(SEARCH):
        slope = 0.0
        curve = 0.0
        for j in range(len(x)):
            to = np.float64(floor + block[width * j + column])
            by = to - (
                np.float64(floor_other + block[width * j + other])
                if other >= 0
                else np.float64(x[j])
            )
            ratio = by / max(x[j] + a * by, ABOVE_ZERO)
            slope += counts[j] * ratio
            curve += counts[j] * ratio * ratio
        if slope >= 0.0:
            if a == most:
                return most
            low = a
        else:
            high = a
        by = slope / curve if curve > 0.0 else 0.0
        to = a + by if low < a + by < high and 2.0 * abs(by) < last else 0.5 * (low + high)
        last = abs(to - a)
        a = to
        if last <= SEARCH_PRECISION * a:
            break
    return a


@njit(cache=True, error_model="numpy")
def _step_size(kind, gap, most, column, width, other, floor, floor_other, block, x, counts):
    """float64: how far a step of FW goes, in [0, most]. kind: LINE_SEARCH or SAFE. gap: float64,
    the slope of f along it. The others: as in `_search`.

    SAFE maximises a lower bound of f along the step that holds since -c log x is self-concordant
    for c >= 1: f(theta + a v) >= f + a gap + log(1 - a e) + a e, e^2 = sum_j c_j (v_j / x_j)^2. So
    f never falls.
    """
    if kind == LINE_SEARCH:
        return _search(most, column, width, other, floor, floor_other, block, x, counts)
    square = 0.0
    for j in range(len(x)):
        to = np.float64(floor + block[width * j + column])
        ratio = (
            to
            - (
                np.float64(floor_other + block[width * j + other])
                if other >= 0
                else np.float64(x[j])
            )
        ) / x[j]
        square += counts[j] * ratio * ratio
    e = np.sqrt(square)
    return min(most, gap / (e * (e + gap))) if e > 0.0 and gap > 0.0 else 0.0


@njit(cache=True, error_model="numpy")
def _sum_afresh(width, block, rest, even, places, support, size, base, t, x):
    """x_j = rest even_j + sum_k t_k beta_kj, into x, in the order in which topics became vertices.

    block: float32[n * width]. rest: float32, the even share of theta; even: float32, of
    MinibatchRows; places: int32[n], the row of each word. support: int32, the columns of the first
    `size` vertices; base, t: float32, the floor and the weight of each column. x: float32[n]."""
    for j in range(len(x)):
        total = rest * even[places[j]]
        for i in range(size):
            a = support[i]
            total += t[a] * (base[a] + block[width * j + a])
        x[j] = total


@njit(cache=True, error_model="numpy")
def _winner(m, K, slots, t, support, size, rest, gradient, ones, twos, prior_weight):
    """The block's topic with the largest ones G_k - twos prior_weight / theta_k: its column and
    that value, float64. Of equal ones the smaller topic. theta_k = t_k + rest / K. Changes nothing,
    but sets gradients aside while it looks.

    m: columns in use. slots: int32, the topic of each; t, gradient: float32, its weight and G_k.
    support: int32, the columns of the first `size` vertices. rest: float32. ones, twos: float64,
    how often each part of OPE's objective was drawn; prior_weight: float64, of Method."""
    best_atom = -1
    value = -np.inf
    even = np.float64(rest) / K
    for i in range(size):  # topics that have more than their even share
        a = support[i]
        if t[a] > np.float32(0.0):
            v = ones * gradient[a] - (twos * prior_weight / (t[a] + even) if twos > 0.0 else 0.0)
            if v > value or (v == value and slots[a] < slots[best_atom]):
                best_atom = a
                value = v
    m0 = m1 = m2 = m3 = np.float32(-1.0)  # all others: the largest gradient
    for i in range(size):
        if t[support[i]] > np.float32(0.0):
            gradient[support[i]] = -gradient[support[i]]
    for a in range(0, m - 3, 4):
        m0 = max(m0, gradient[a])
        m1 = max(m1, gradient[a + 1])
        m2 = max(m2, gradient[a + 2])
        m3 = max(m3, gradient[a + 3])
    for a in range(m // 4 * 4, m):
        m0 = max(m0, gradient[a])
    largest = max(max(m0, m1), max(m2, m3))
    if largest > np.float32(0.0):
        v = ones * largest - (twos * prior_weight / even if twos > 0.0 else 0.0)
        if v >= value:
            for a in range(m):
                if gradient[a] == largest and (v > value or slots[a] < slots[best_atom]):
                    best_atom = a
                    value = v
    for i in range(size):
        if t[support[i]] > np.float32(0.0):
            gradient[support[i]] = -gradient[support[i]]
    return best_atom, value


@njit(cache=True, error_model="numpy")
def _space(K):
    """A Space for a document's topics, of K, before its first column."""
    columns = (K + ALIGNED - 1) // ALIGNED * ALIGNED
    return Space(
        np.empty(K, np.float32),
        np.full(K, -1, np.int32),
        np.empty(COLUMNS, np.int32),
        np.empty(min(LANES, K), np.float32),
        np.empty(columns, np.int32),
        np.empty(columns, np.float32),
        np.empty(2 * columns + 2 * COLUMNS, np.float32),
        np.zeros(columns, np.float32),
        np.zeros(columns, np.bool_),
        np.empty(columns, np.int32),
    )


@njit(cache=True, error_model="numpy")
def _is_dense(form, n, K, entries):
    """bool: whether a document's block has all topics from the beginning. form: of Method. n: int,
    its words; entries: int, of their rows."""
    if form != AUTOMATIC:
        return form == DENSE
    if K <= COLUMNS:
        return True
    width = (K + ALIGNED - 1) // ALIGNED * ALIGNED
    return n * K <= BLOCK and n * width < DENSE_ENTRIES * entries + DENSE_WORDS * n


@njit(cache=True, error_model="numpy")
def _begin_even(block, words, rows, floor, space):
    """theta before the first step, DocumentTheta: all of it spread evenly; with a column for each
    topic where the block is dense. block: EntryBlock; words: DocumentWords; rows: MinibatchRows;
    floor: float32[K]; space: Space."""
    n = len(words.x)
    columns = 0
    if block.is_dense:
        columns = _add_all_columns(block, words, rows, floor, space)
    else:
        block.entries[: block.width * n] = np.float32(0.0)
    for j in range(n):
        words.x[j] = rows.even[words.slots[j]]
    return DocumentTheta(block, columns, 0, np.float32(1.0))


@njit(cache=True, error_model="numpy")
def _begin_at_vertex(kind, theta, words, rows, floor, logs, space):
    """theta as one vertex, DocumentTheta: that with the largest f. kind: of Method. theta: of
    `_begin_even`. words: DocumentWords; rows: MinibatchRows, with `first`; floor: float32[K]; logs:
    float64[K], log floor_k; space: Space.

    The sparse block of PAIRWISE has the topics, too, that the even theta would go to.
    """
    block, m, _, _ = theta
    x = words.x
    if kind == PAIRWISE and not block.is_dense:
        total = _ratios(words.counts, x, words.ratios)
        _sum_rows(words.slots, rows, rows.above, words.ratios, space.gradient)
        added, _ = _largest(
            space.gradient, floor, total, space.topics, m, COLUMNS, space.largest, space.lanes
        )
        block, m = _add_columns(added, m, block, words, rows, floor, space)
    _sum_rows(words.slots, rows, rows.first, words.counts, space.gradient)
    best_topic = 0
    largest_f = -np.inf
    for k in range(len(floor)):
        f = words.tokens * logs[k] + space.gradient[k]
        if f > largest_f:
            best_topic = k
            largest_f = f
    if space.slot_of_topic[best_topic] < 0:
        space.largest[0] = best_topic
        block, m = _add_columns(1, m, block, words, rows, floor, space)
    a = space.slot_of_topic[best_topic]
    space.weights[a] = np.float32(1.0)
    space.support[0] = a
    space.is_vertex[a] = True
    for j in range(len(x)):
        x[j] = space.floors[a] + block.entries[block.width * j + a]
    return DocumentTheta(block, m, 1, np.float32(0.0))


@njit(cache=True, error_model="numpy")
def _least_vertex(vertices, support, weights, gradients):
    """The column, int, of the vertex with the smallest gradient, of those that have any weight; -1
    where none has. support: int32, the columns of the first `vertices` of them; weights, gradients:
    float32, of each column."""
    least = -1
    for i in range(vertices):
        a = support[i]
        if weights[a] > 0.0 and (least < 0 or gradients[a] < gradients[least]):
            least = a
    return least


@njit(cache=True, error_model="numpy")
def _may_win(outside, value, ones, even_pull, ratios, x_per_token):
    """bool: whether a topic outside of the block may have a larger value of OPE's objective than
    `value`, float64. outside: float32, the largest gradient of these when those of all topics were
    last known, infinite before. ones: float64, as in `_winner`; even_pull: float64, what the prior
    takes away from a topic with an even share. ratios, x_per_token: float32[n], of
    DocumentWords."""
    grown = np.float32(1.0)
    if outside < np.float32(np.inf):
        grown = _largest_product(ratios, x_per_token)
    bound = ones * ROUNDING_SLACK * np.float64(grown) * np.float64(outside)
    return not bound - even_pull < value


@njit(cache=True, error_model="numpy")
def _move_to(best, share, vertices, even_share, block, space, x):
    """A step from theta towards a vertex: theta becomes (1 - share) theta, and `share` more of it.
    Returns the even share, float32.

    best: int, the column of the vertex; share, even_share: float32. vertices: int, how many there
    are, in space.support. block: EntryBlock; space: Space; x: float32[n], follows."""
    entries = block.entries
    width = block.width
    left = np.float32(1.0) - share
    for i in range(vertices):
        space.weights[space.support[i]] *= left
    space.weights[best] += share
    floor = space.floors[best]
    for j in range(len(x)):
        # Never 0
        x[j] = left * x[j] + share * (floor + entries[width * j + best])
    return even_share * left


@njit(cache=True, error_model="numpy")
def _move_between(best, away, share, block, space, x):
    """A step that takes `share`, float32, of theta from one vertex to another. best, away: int, the
    columns of both. block: EntryBlock; space: Space; x: float32[n], follows."""
    entries = block.entries
    width = block.width
    space.weights[away] -= share
    space.weights[best] += share
    by = space.floors[best] - space.floors[away]
    for j in range(len(x)):
        x[j] += share * (by + entries[width * j + best] - entries[width * j + away])


@njit(cache=True, error_model="numpy")
def _take_steps(method, key, theta, words, rows, floor, space):
    """theta after all steps of a document, DocumentTheta. method: Method. key: uint64, of its
    random stream. theta: of `_begin_even` or `_begin_at_vertex`. words: DocumentWords; rows:
    MinibatchRows; floor: float32[K]; space: Space.

    One loop of some length: a step changes a dozen numbers that functions would have to hand back.
    In functions for the best topic, the look outside, the size and the step itself, with the same
    bits, it took 1.2 to 1.5 times as long, and 1.1 to 1.3 times where numba put them back into the
    loop (200 documents of 90 words, 300 topics, one thread).
    """
    kind, step, iterations, prior_weight, tolerance, _, _ = method
    block, m, size, even_share = theta
    is_dense = block.is_dense
    counts = words.counts
    tokens = words.tokens
    x = words.x
    r = words.ratios
    x_per_token = words.x_per_token
    gradient = space.gradient
    largest = space.largest
    topics = space.topics
    support = space.support
    base = space.floors
    t = space.weights
    scratch = space.gradients
    n = len(x)
    K = len(floor)
    # No gradient of a topic outside of the block was larger when x_per_token was known
    outside = np.float32(np.inf)
    # OPE: how often each part of its objective was drawn: the words' likelihood, and the prior. Its
    # first iteration is the start and counts as a draw of the likelihood.
    ones = 1.0
    twos = 0.0
    state = key
    length = (iterations - 1) if kind == OPE else iterations
    turns = ROUNDS if kind == PAIRWISE and not is_dense else 1
    for done in range(1, length * turns + 1):
        if kind == OPE:
            state = rng.after(state)
            if rng.unit(state) < 0.5:
                ones += 1.0
            else:
                twos += 1.0
        # The best topic of the block
        total = _ratios(counts, x, r)
        _sum_block(n, block.width, block.entries, r, scratch)
        for a in range(m):
            scratch[a] = base[a] * total + scratch[a]
        best_atom, value = _winner(
            m, K, topics, t, support, size, even_share, scratch, ones, twos, prior_weight
        )
        # Whether one outside of the block may be better
        look = False
        if m < K:
            if kind == PAIRWISE:
                look = done % length == 0 or value - tokens <= DUALITY_GAP * tokens
            else:
                even_pull = twos * prior_weight * K / even_share if twos > 0.0 else 0.0
                look = _may_win(outside, value, ones, even_pull, r, x_per_token)
        # The best of those outside, and columns for it or for some
        if look:
            _sum_rows(words.slots, rows, rows.above, r, gradient)
            wanted = MORE if kind == PAIRWISE else COLUMNS if m == 0 else 1
            added, outside = _largest(
                gradient, floor, total, topics, m, wanted, largest, space.lanes
            )
            for j in range(n):
                x_per_token[j] = x[j] / counts[j]
            if kind == PAIRWISE:
                best_outside = np.float64(gradient[largest[0]]) if added else 0.0
                if max(value, best_outside) - tokens <= tolerance * tokens:
                    break
                while added and gradient[largest[added - 1]] <= tokens:
                    added -= 1
            elif added:
                even_pull = twos * prior_weight * K / np.float64(even_share) if twos > 0.0 else 0.0
                v = ones * gradient[largest[0]] - even_pull
                wins = m == 0 or v > value or (v == value and largest[0] < topics[best_atom])
                if wins:
                    best_atom = m
                    value = v
                else:
                    added = 0
                    outside = gradient[largest[0]]
            for i in range(added):
                scratch[m + i] = gradient[largest[i]]
            block, m = _add_columns(added, m, block, words, rows, floor, space)
            if kind == PAIRWISE:
                best_atom, value = _winner(
                    m, K, topics, t, support, size, even_share, scratch, ones, twos, prior_weight
                )
        # How far the step goes, and from which vertex: -1 for all of theta
        away_atom = -1
        if kind == OPE:
            share = np.float32(1.0 / (done + 1))
        else:
            slope = value - tokens
            largest_step = 1.0
            if kind == PAIRWISE:
                away_atom = _least_vertex(size, support, t, scratch)
                slope = value - scratch[away_atom]
                largest_step = np.float64(t[away_atom])
            if slope <= DUALITY_GAP * tokens:
                break
            if step == FIXED and kind == FW:
                share = np.float32(2.0 / (done + 2))
            else:
                share = np.float32(
                    _step_size(
                        step,
                        slope,
                        largest_step,
                        best_atom,
                        block.width,
                        away_atom,
                        base[best_atom],
                        base[max(away_atom, 0)],
                        block.entries,
                        x,
                        counts,
                    )
                )
        # The step
        if not space.is_vertex[best_atom]:
            space.is_vertex[best_atom] = True
            support[size] = best_atom
            size += 1
        if away_atom < 0:
            even_share = _move_to(best_atom, share, size, even_share, block, space, x)
        else:
            share = min(share, t[away_atom])
            _move_between(best_atom, away_atom, share, block, space, x)
        if done % AFRESH == 0 or kind == PAIRWISE:
            _sum_afresh(
                block.width,
                block.entries,
                even_share,
                rows.even,
                words.slots,
                support,
                size,
                base,
                t,
                x,
            )
    return DocumentTheta(block, m, size, even_share)


@njit(cache=True, error_model="numpy")
def _list_vertices(theta, space, topics, weights):
    """Write the vertices that have any weight, and their weights; returns how many. theta:
    DocumentTheta; space: Space. topics: int32, weights: float32, with room for all vertices."""
    n = 0
    for i in range(theta.vertices):
        a = space.support[i]
        if space.weights[a] > 0.0:
            topics[n] = space.topics[a]
            weights[n] = space.weights[a]
            n += 1
    return n


@njit(cache=True, error_model="numpy")
def _list_tokens(theta, words, total, floor, space, topics, tokens):
    """Write the topics with LEAST_LISTED_TOKENS expected tokens at the least, or that are vertices,
    and these tokens: returns how many, f, and the largest gradient, both float64.

    theta: DocumentTheta; words: DocumentWords; floor: float32[K]. total: float32, of `_ratios`.
    space: Space, its gradient of `_sum_rows`. topics: int32, tokens: float32, with room for K."""
    K = len(floor)
    f = 0.0
    for j in range(len(words.x)):
        f += words.counts[j] * np.log(np.float64(words.x[j]))
    n = 0
    highest = -np.inf
    for k in range(K):
        g = floor[k] * total + space.gradient[k]
        highest = max(highest, np.float64(g))
        a = space.slot_of_topic[k]
        share = np.float64(theta.even_share) / K + (space.weights[a] if a >= 0 else 0.0)
        if share * g >= LEAST_LISTED_TOKENS or (a >= 0 and space.weights[a] > 0.0):
            topics[n] = k
            tokens[n] = share * g
            n += 1
    return n, f, highest


@njit(cache=True, error_model="numpy")
def _clear(theta, space):
    """Make the space what it was before a document. theta: DocumentTheta of it; space: Space."""
    for a in range(theta.columns):
        space.slot_of_topic[space.topics[a]] = -1
    for i in range(theta.vertices):
        space.weights[space.support[i]] = np.float32(0.0)
        space.is_vertex[space.support[i]] = False


@njit(cache=True, error_model="numpy")
def _documents(d0, d1, batch, rows, floor, method, keys, mixtures, factors, values, gaps):
    """`infer` of the documents d0 … d1 - 1. mixtures: MinibatchTheta, its argument theta."""
    doc_ptr = batch.doc_ptr
    slots_of_words = batch.places
    token_ptr = batch.token_ptr
    row_ptr = rows.row_ptr
    kind = method.kind
    K = len(floor)
    logs = np.empty(0) if kind == OPE else np.log(floor.astype(np.float64))
    space = _space(K)
    entries = np.empty(0, np.float32)
    longest = 0
    for d in range(d0, d1):
        longest = max(longest, doc_ptr[d + 1] - doc_ptr[d])
    counts = np.empty(longest, np.float32)
    x = np.empty(longest, np.float32)
    x_per_token = np.empty(longest, np.float32)
    for d in range(d0, d1):
        p0 = doc_ptr[d]
        p1 = doc_ptr[d + 1]
        n = p1 - p0
        mixtures.sizes[d] = 0
        mixtures.rests[d] = np.float32(0.0)
        if n == 0:
            continue
        in_rows = np.int64(0)
        for j in range(n):
            counts[j] = token_ptr[p0 + j + 1] - token_ptr[p0 + j]
            in_rows += row_ptr[slots_of_words[p0 + j] + 1] - row_ptr[slots_of_words[p0 + j]]
        words = DocumentWords(
            slots_of_words[p0:p1],
            counts[:n],
            np.float64(token_ptr[p1] - token_ptr[p0]),
            x[:n],
            factors[p0:p1],
            x_per_token[:n],
        )
        is_dense = _is_dense(method.form, n, K, in_rows)
        width = len(space.topics) if is_dense else COLUMNS
        if len(entries) < width * n:
            entries = np.zeros(width * n, np.float32)
        theta = _begin_even(EntryBlock(entries, width, is_dense), words, rows, floor, space)
        if kind != OPE:
            theta = _begin_at_vertex(kind, theta, words, rows, floor, logs, space)
        theta = _take_steps(method, keys[d], theta, words, rows, floor, space)
        entries = theta.block.entries  # the next document takes the larger one
        total = _ratios(words.counts, words.x, words.ratios)
        listed_topics = mixtures.topics[mixtures.starts[d] : mixtures.starts[d + 1]]
        listed_weights = mixtures.weights[mixtures.starts[d] : mixtures.starts[d + 1]]
        if method.final:
            _sum_rows(words.slots, rows, rows.above, words.ratios, space.gradient)
            size, f, highest = _list_tokens(
                theta, words, total, floor, space, listed_topics, listed_weights
            )
            values[d] = f
            gaps[d] = highest - words.tokens
        else:
            size = _list_vertices(theta, space, listed_topics, listed_weights)
        mixtures.sizes[d] = size
        mixtures.rests[d] = theta.even_share
        _clear(theta, space)


@njit(cache=True, parallel=PRANGE, error_model="numpy")
def infer(batch, rows, floor, method, keys, theta, factors, values, gaps):
    """theta of each document of a minibatch: fills a MinibatchTheta, and for each pair its factor,
    c_j / x_j.

    batch: minibatch.Minibatch. rows: MinibatchRows of its words; floor: float32[K]. method: Method.
    keys: uint64[n], a random stream for each document. theta: MinibatchTheta; factors: float32[P].
    Where method.final, listed are all topics with LEAST_LISTED_TOKENS tokens at the least, and
    instead of theta_k theta_k G_k, the tokens that one step of EM expects of topic k; values:
    float64[n], f; gaps: float64[n], max_k G_k - N, at least the distance of f to its maximum.
    """
    bounds = chunk_bounds(batch.token_ptr[batch.doc_ptr])
    counter = np.zeros(1, np.int64)
    for _ in prange(CHUNKS):  # whichever thread is free takes the next
        chunk = next_number(counter)
        while chunk < CHUNKS:
            _documents(
                bounds[chunk],
                bounds[chunk + 1],
                batch,
                rows,
                floor,
                method,
                keys,
                theta,
                factors,
                values,
                gaps,
            )
            chunk = next_number(counter)


@njit(cache=True, error_model="numpy")
def _draw(d0, d1, batch, rows, floor, theta, keys, out):
    """`draw` for the documents d0 ... d1 - 1. out: uint16[N, columns], is filled."""
    doc_ptr = batch.doc_ptr
    slots_of_words = batch.places
    token_ptr = batch.token_ptr
    row_ptr, topics, above, even, _ = rows
    starts, support_topics, support_theta, sizes, rests = theta
    K = len(floor)
    columns = out.shape[1]
    sums = np.empty(len(floor))
    for d in range(d0, d1):
        state = keys[d]
        at = starts[d]
        n = sizes[d]
        for p in range(doc_ptr[d], doc_ptr[d + 1]):
            w = slots_of_words[p]
            first = row_ptr[w]
            end = row_ptr[w + 1]
            total = 0.0
            for v in range(n):
                k = support_topics[at + v]
                e = first
                left = end - first
                while left > 1:
                    half = left >> 1
                    e += half * np.int64(topics[e + half] <= k)
                    left -= half
                is_listed = left > 0 and topics[e] == k
                total += support_theta[at + v] * (
                    np.float64(floor[k]) + (above[e] if is_listed else np.float32(0.0))
                )
                sums[v] = total
            even_weight = np.float64(rests[d]) / K
            total_weight = total + rests[d] * np.float64(even[w])
            state = rng.after(state)
            u = rng.unit(state)
            tokens = token_ptr[p + 1] - token_ptr[p]
            for s in range(tokens * columns):
                turned = u + s / (tokens * columns)
                x = (turned - np.float64(turned >= 1.0)) * total_weight
                k = (
                    np.int64(support_topics[at])
                    if n
                    else np.int64(topics[first])
                    if end > first
                    else np.int64(0)
                )
                if x < total:
                    v = 0
                    while sums[v] <= x:
                        v += 1
                    k = np.int64(support_topics[at + v])
                else:
                    x -= total
                    for e in range(first, end):
                        x -= even_weight * above[e]
                        if x < 0.0:
                            k = np.int64(topics[e])
                            break
                out[token_ptr[p] + s // columns, s % columns] = k


@njit(cache=True, parallel=PRANGE, error_model="numpy")
def draw(batch, rows, floor, theta, keys, columns):
    """A topic for each of a minibatch's tokens and columns, from phi_jk = theta_k beta_kj / x_j:
    uint16[N, columns].

    batch, rows, floor, theta: of `infer`. keys: uint64[n], a random stream for each document. A
    pair's draws are evenly spaced in the running sum of phi, from one random number on (systematic
    sampling), so that each topic gets its share of them but for one; so are those of each column.
    What theta spreads evenly goes to the topics of the word's row, and where they have less of it
    than it is, to the document's first vertex.
    """
    drawn_topics = np.empty((batch.token_ptr[-1], columns), np.uint16)
    bounds = chunk_bounds(batch.token_ptr[batch.doc_ptr])
    counter = np.zeros(1, np.int64)
    for _ in prange(CHUNKS):  # whichever thread is free takes the next
        chunk = next_number(counter)
        while chunk < CHUNKS:
            _draw(bounds[chunk], bounds[chunk + 1], batch, rows, floor, theta, keys, drawn_topics)
            chunk = next_number(counter)
    return drawn_topics


@njit(cache=True, error_model="numpy")
def _blend_rows(run, bounds, pairs, theta, rows, change, arena, new_rows):
    """`blend` of the words of one run, from bounds[run] on. bounds: int64[runs + 1]. new_rows:
    Blended.

    One long kernel: a row's old and new entries are merged in one walk over both. It takes the
    arrays out of their tuples before that: with parts of it in functions that numba puts in their
    place (inline="always"), and tuples given to these, it takes 2.7 times as long.
    """
    words, word_ptr, of_word, doc_of, tokens, factors = pairs
    starts, support_topics, support_theta, sizes, rests = theta
    row_ptr, row_topics, above = rows.row_ptr, rows.topics, rows.above
    floor, unit, keep, drop_below, credits = change
    indptr, new_sizes, new_topics, new_values, _ = new_rows
    added = new_rows.added[run]
    row_start = arena.start
    row_values = arena.values
    K = len(floor)
    tally = np.zeros(K)
    beta = floor.copy()
    is_met = np.zeros(K, np.bool_)
    fresh = np.empty(K, np.int32)
    for i in range(bounds[run], bounds[run + 1]):
        for e in range(row_ptr[i], row_ptr[i + 1]):
            beta[row_topics[e]] += above[e]
            is_met[row_topics[e]] = True
        m = 0
        spread = 0.0
        for q in range(word_ptr[i], word_ptr[i + 1]):
            p = of_word[q]
            d = doc_of[p]
            spread += np.float64(factors[p]) * rests[d]
            for e in range(starts[d], starts[d] + sizes[d]):
                k = np.uint32(support_topics[e])
                m = noted(k, is_met, fresh, m)
                if credits:
                    tally[k] += tokens[p] * np.float64(support_theta[e])
                else:
                    tally[k] += np.float64(factors[p]) * support_theta[e] * beta[k]
        spread = 0.0 if credits else spread / K
        sort_first(fresh, m)
        at = indptr[i]
        f = 0
        stored = row_start[words[i]] - row_ptr[i]
        for e in range(row_ptr[i], row_ptr[i + 1] + 1):
            k = np.int32(row_topics[e]) if e < row_ptr[i + 1] else np.int32(K)
            while f < m and fresh[f] < k:
                new = fresh[f]
                value = np.float32(unit[new] * tally[new])
                if value >= drop_below[new]:
                    new_topics[at] = new
                    new_values[at] = value
                    added[new] += value
                    at += 1
                tally[new] = 0.0
                is_met[new] = False
                f += 1
            if k < K:
                before = keep[k] * row_values[stored + e]
                value = np.float32(before + unit[k] * (tally[k] + spread * beta[k]))
                added[k] -= before
                if value >= drop_below[k]:
                    new_topics[at] = k
                    new_values[at] = value
                    added[k] += value
                    at += 1
                tally[k] = 0.0
                is_met[k] = False
                beta[k] = floor[k]
        new_sizes[i] = at - indptr[i]


@njit(cache=True, parallel=PRANGE, nogil=True, error_model="numpy")
def blended(bounds, pairs, theta, rows, change, arena):
    """`blend` of some of a minibatch's words, in runs of their own: Blended. bounds: int64[runs +
    1], from 0 to the number of words."""
    n = len(pairs.words)
    K = len(change.floor)
    runs = len(bounds) - 1
    most_each = np.empty(n, np.int64)
    word_ptr = pairs.word_ptr
    of_word = pairs.pairs
    for block in prange(CHUNKS):
        for i in range(block * n // CHUNKS, (block + 1) * n // CHUNKS):
            longest = rows.row_ptr[i + 1] - rows.row_ptr[i]
            for q in range(word_ptr[i], word_ptr[i + 1]):
                longest += theta.sizes[pairs.documents[of_word[q]]]
            most_each[i] = min(K, longest)
    indptr = cumulated(most_each)
    new_rows = Blended(
        indptr,
        np.empty(n, np.int64),
        np.empty(indptr[n], np.int32),
        np.empty(indptr[n], np.float32),
        np.zeros((runs, K)),
    )
    counter = np.zeros(1, np.int64)
    for _ in prange(CHUNKS):  # whichever thread is free takes the next
        run = next_number(counter)
        while run < runs:
            _blend_rows(run, bounds, pairs, theta, rows, change, arena, new_rows)
            run = next_number(counter)
    return new_rows


@njit(cache=True, error_model="numpy")
def blend(pairs, theta, rows, change, arena, totals):
    """A minibatch's rows with its documents' statistics added: (indptr int64[n + 1], sizes
    int64[n], topics int32, values float32); row i is the sizes[i] entries from indptr[i] on.
    Changes totals, not the arena.

    pairs: PairsByWord. theta: MinibatchTheta of `infer`. rows: MinibatchRows of pairs.words.
    change: Change. arena: rows.Arena. A pair gives c phi_k = factor theta_k beta_k to its
    document's vertices, and what is left of its theta to the topics of its word's row in proportion
    to beta_k; where `credits`, c theta_k to the vertices alone. A word's pairs are summed in their
    order, by one thread.
    """
    new_rows = blended(chunk_bounds(pairs.word_ptr), pairs, theta, rows, change, arena)
    totals *= change.keep
    add_by_topic(new_rows.added, totals)
    return new_rows.indptr, new_rows.sizes, new_rows.topics, new_rows.values


@njit(cache=True, error_model="numpy")
def uniform(seed, V, K):
    """float32[V * K]: numbers in (0, 1), a stream for each word. seed: uint64."""
    weights = np.empty(V * K, np.float32)
    for w in range(V):
        state = rng.key(seed, np.uint64(rng.FW), np.uint64(1), np.uint64(w))
        for k in range(K):
            state = rng.after(state)
            weights[w * K + k] = rng.unit(state) + LEAST_WEIGHT
    return weights
