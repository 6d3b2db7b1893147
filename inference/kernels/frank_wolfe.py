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
from inference.kernels.gibbs import CHUNKS, cumulated, shares
from inference.kernels.rows import add_by_topic, noted, sort_first
from inference.kernels.special import sum_in_order
from inference.runtime.jit import PRANGE, njit

# how theta is inferred
OPE = 0
FW = 1
PAIRWISE = 2
# how far a step of FW goes
SAFE = 0
FIXED = 1
LINE_SEARCH = 2
# forms of a document's block: the results are the same
AUTOMATIC = 0
SPARSE = 1
DENSE = 2
COLUMNS = 16  # topics in a block to begin with
LANES = 64  # topics whose gradients are compared at a time
MORE = 8  # topics that a round of PAIRWISE adds
SEARCH = 60  # points that LINE_SEARCH looks at for the best step, at the most
ROUNDS = 16  # of PAIRWISE, at the most
SLACK = 1.0001  # times a bound, for what rounding does to it
ENOUGH = 1e-6  # of a document's tokens: FW stops at such a duality gap
AFRESH = 16  # steps after which x is summed again: increments drift
# Entries of a dense block that cost what an entry of a row does, and a word
DENSE_ENTRIES, DENSE_WORDS = (
    1.6,
    130.0,
)
BLOCK = 1 << 22  # entries: no larger block is dense
LISTED = 0.5  # tokens: a topic with fewer of a document is not listed, unless it is a vertex
# An entry with fewer tokens is dropped: so many for each topic, and at the most
DROPPED_TOKENS = 1e-4
DROPPED_MOST = 0.05


class Rows(NamedTuple):
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
    iterations: L. prior: 1 - alpha, for OPE. tolerance: of the duality gap over the document's
    tokens, for PAIRWISE. final: whether topics are listed with their tokens. form: AUTOMATIC to
    choose a document's block by its entries, SPARSE, DENSE."""

    kind: int
    step: int
    iterations: int
    prior: float
    tolerance: float
    final: bool
    form: int


class Mixtures(NamedTuple):
    """theta of each document: its vertices, the sizes[d] from room[d] on in topics and weights;
    `rests` is spread evenly over all K topics in addition. room: int64[n + 1]; topics: int32;
    weights: float32; sizes: int64[n]; rests: float32[n]."""

    room: np.ndarray
    topics: np.ndarray
    weights: np.ndarray
    sizes: np.ndarray
    rests: np.ndarray

    @classmethod
    def empty(cls, room: np.ndarray) -> "Mixtures":
        """To be filled by `infer`. room: how much each document has."""
        n = len(room) - 1
        listed_arrays = np.empty(room[-1], np.int32), np.empty(room[-1], np.float32)
        return cls(room, *listed_arrays, np.empty(n, np.int64), np.empty(n, np.float32))


class Pairs(NamedTuple):
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


def dropped(K):
    """Tokens: an entry of a row with fewer is dropped."""
    return min(DROPPED_TOKENS * K, DROPPED_MOST)


@njit(cache=True, parallel=PRANGE, error_model="numpy")
def gather(words, arena, factor, floor, logs):
    """Rows of a minibatch's words, with `first` where `logs`.

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
    bounds = shares(indptr)
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
    return Rows(indptr, topics, above, even, first)


@njit(cache=True, error_model="numpy")
def _ratios(counts, x, r):
    """c_j / x_j, into r; returns their sum, float32."""
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
    """The largest a_j b_j, at least 1: float32."""
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
def _gradient(first, end, places, row_ptr, topics, weights, r, out):
    """sum_j r_j a_kj of every topic, into out, float32[K]."""
    out[:] = np.float32(0.0)
    for p in range(first, end):
        factor = r[p - first]
        for e in range(row_ptr[places[p]], row_ptr[places[p] + 1]):
            out[np.uint64(topics[e])] += factor * weights[e]


@njit(cache=True, error_model="numpy")
def _block_gradient(n, width, block, r, out):
    """The same of the block's topics, each summed in the order of the words; four words at a
    time."""
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
def _add_columns(
    new, number, m, width, block, places, row_ptr, topics, above, place, slots, base, floor
):
    """The first `number` topics of `new` as the block's columns from m on; returns the block and
    its width, twice as wide where it was full, and the number of columns. places: of the document's
    words."""
    n = len(places)
    while m + number > width:
        wider = np.zeros(2 * width * n, np.float32)
        for j in range(n):
            wider[2 * width * j : 2 * width * j + width] = block[width * j : width * j + width]
        block = wider
        width = 2 * width
    for i in range(number):
        slots[m + i] = new[i]
        place[new[i]] = m + i
        base[m + i] = floor[new[i]]
    if number > 2:  # one walk through the rows
        for j in range(n):
            at = width * j
            for e in range(row_ptr[places[j]], row_ptr[places[j] + 1]):
                a = place[np.uint64(topics[e])]
                if a >= m:
                    block[at + a] = above[e]
        return block, width, m + number
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
                block[width * j + m + i] = above[at]
    return block, width, m + number


@njit(cache=True, error_model="numpy")
def _all_columns(width, block, first, end, places, row_ptr, topics, above):
    """The block of all topics."""
    block[: width * (end - first)] = np.float32(0.0)
    for p in range(first, end):
        at = width * (p - first)
        for e in range(row_ptr[places[p]], row_ptr[places[p] + 1]):
            block[at + topics[e]] = above[e]


@njit(cache=True, error_model="numpy")
def _largest(gradient, floor, total, slots, m, most, largest, best):
    """The `most` topics with the largest gradient of those outside of the block, into largest,
    int32[most]: returns their number and the largest gradient of the others, 0 where there are
    none.

    gradient: float32[K], becomes G, but -1 of the block's topics: the first m of slots. total:
    sum_j r_j. best: float32[n], work space: lane i of n has the topics i, i + n, i + 2 n ..., so
    that their largest are found by vector instructions. Of equal gradients the smaller topic's
    counts.
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
    """The step in [0, most] along beta_k - x, or along beta_k - beta_other where other is not -1,
    at which f is largest: Newton's steps, and the middle of what is left where one would leave it
    or gains less than that would."""
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
            ratio = by / max(x[j] + a * by, 1e-300)
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
        if last <= 1e-7 * a:
            break
    return a


@njit(cache=True, error_model="numpy")
def _step_size(kind, gap, most, column, width, other, floor, floor_other, block, x, counts):
    """How far a step of FW goes, in [0, most]. gap: the slope of f along it.

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
    """x_j = rest even_j + sum_k t_k beta_kj, in the order in which topics became vertices."""
    for j in range(len(x)):
        total = rest * even[places[j]]
        for i in range(size):
            a = support[i]
            total += t[a] * (base[a] + block[width * j + a])
        x[j] = total


@njit(cache=True, error_model="numpy")
def _winner(m, K, slots, t, support, size, rest, gradient, ones, twos, prior):
    """The block's topic with the largest ones G_k - twos prior / theta_k: its column and that
    value, float64. Of equal ones the smaller topic. theta_k = t_k + rest / K. Changes nothing, but
    sets gradients aside while it looks."""
    best_atom = -1
    value = -np.inf
    even = np.float64(rest) / K
    for i in range(size):  # topics that have more than their even share
        a = support[i]
        if t[a] > np.float32(0.0):
            v = ones * gradient[a] - (twos * prior / (t[a] + even) if twos > 0.0 else 0.0)
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
        v = ones * largest - (twos * prior / even if twos > 0.0 else 0.0)
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
def _documents(d0, d1, batch, rows, floor, method, keys, theta, factors, values, gaps):
    """`infer` of the documents d0 … d1 - 1.

    One long kernel: a step changes a dozen numbers of its document that functions would have to
    hand back.
    """
    _, doc_ptr, slots_of_words, token_ptr = batch
    row_ptr, topics, above, even, first = rows
    kind, step, iterations, prior, tolerance, final, form = method
    room, support_topics, support_theta, sizes, rests = theta
    K = len(floor)
    full_width = (K + 7) // 8 * 8
    logs = np.empty(0) if kind == OPE else np.log(floor.astype(np.float64))
    gradient = np.empty(K, np.float32)
    slot_of_topic = np.full(K, -1, np.int32)
    largest = np.empty(COLUMNS, np.int32)
    slots = np.empty(full_width, np.int32)
    support = np.empty(full_width, np.int32)
    base = np.empty(full_width, np.float32)
    t = np.zeros(full_width, np.float32)
    member = np.zeros(full_width, np.bool_)
    scratch = np.empty(2 * full_width + 2 * COLUMNS, np.float32)
    block = np.empty(0, np.float32)
    lanes = np.empty(min(LANES, K), np.float32)
    longest = 0
    for d in range(d0, d1):
        longest = max(longest, doc_ptr[d + 1] - doc_ptr[d])
    room_counts = np.empty(longest, np.float32)
    room_x = np.empty(longest, np.float32)
    room_known = np.empty(longest, np.float32)
    for d in range(d0, d1):
        p0 = doc_ptr[d]
        p1 = doc_ptr[d + 1]
        n = p1 - p0
        sizes[d] = 0
        rests[d] = np.float32(0.0)
        if n == 0:
            continue
        tokens = np.float64(token_ptr[p1] - token_ptr[p0])
        counts = room_counts[:n]
        x = room_x[:n]
        x_per_token = room_known[:n]
        r = factors[p0:p1]
        own_slots = slots_of_words[p0:p1]
        entries = np.int64(0)
        for j in range(n):
            counts[j] = token_ptr[p0 + j + 1] - token_ptr[p0 + j]
            entries += row_ptr[slots_of_words[p0 + j] + 1] - row_ptr[slots_of_words[p0 + j]]
        dense = form == 2 or (
            form == 0
            and (
                K <= COLUMNS
                or (n * K <= BLOCK and n * full_width < DENSE_ENTRIES * entries + DENSE_WORDS * n)
            )
        )
        width = full_width if dense else COLUMNS
        if len(block) < width * n:
            block = np.zeros(width * n, np.float32)
        m = 0
        size = 0
        if dense:
            _all_columns(width, block, p0, p1, slots_of_words, row_ptr, topics, above)
            for k in range(K):
                slots[k] = k
                slot_of_topic[k] = k
                base[k] = floor[k]
            m = K
        else:
            block[: width * n] = np.float32(0.0)
        even_share = np.float32(1.0)
        for j in range(n):
            x[j] = even[slots_of_words[p0 + j]]
        # No gradient of a topic outside of the block was larger, when x was `known`
        outside = np.float32(np.inf)
        if kind != OPE:  # begin at the vertex with the largest f
            # and with the topics that the even theta would go to
            if kind == PAIRWISE and not dense:
                total = _ratios(counts, x, r)
                _gradient(p0, p1, slots_of_words, row_ptr, topics, above, r, gradient)
                columns_found, _ = _largest(
                    gradient, floor, total, slots, m, COLUMNS, largest, lanes
                )
                block, width, m = _add_columns(
                    largest,
                    columns_found,
                    m,
                    width,
                    block,
                    own_slots,
                    row_ptr,
                    topics,
                    above,
                    slot_of_topic,
                    slots,
                    base,
                    floor,
                )
            _gradient(p0, p1, slots_of_words, row_ptr, topics, first, counts, gradient)
            best_atom = 0
            largest_step = -np.inf
            for k in range(K):
                if tokens * logs[k] + gradient[k] > largest_step:
                    best_atom = k
                    largest_step = tokens * logs[k] + gradient[k]
            if slot_of_topic[best_atom] < 0:
                largest[0] = best_atom
                block, width, m = _add_columns(
                    largest,
                    1,
                    m,
                    width,
                    block,
                    own_slots,
                    row_ptr,
                    topics,
                    above,
                    slot_of_topic,
                    slots,
                    base,
                    floor,
                )
            a = slot_of_topic[best_atom]
            even_share = np.float32(0.0)
            t[a] = np.float32(1.0)
            support[0] = a
            member[a] = True
            size = 1
            for j in range(n):
                x[j] = base[a] + block[width * j + a]
        ones = 1.0
        twos = 0.0
        state = keys[d]
        length = (iterations - 1) if kind == OPE else iterations
        turns = ROUNDS if kind == PAIRWISE and not dense else 1
        for done in range(1, length * turns + 1):
            if kind == OPE:
                state = rng.after(state)
                if rng.unit(state) < 0.5:
                    ones += 1.0
                else:
                    twos += 1.0
            total = _ratios(counts, x, r)
            _block_gradient(n, width, block, r, scratch)
            for a in range(m):
                scratch[a] = base[a] * total + scratch[a]
            best_atom, value = _winner(
                m, K, slots, t, support, size, even_share, scratch, ones, twos, prior
            )
            look = False
            if m < K:
                if kind == PAIRWISE:
                    look = done % length == 0 or value - tokens <= ENOUGH * tokens
                else:
                    grown = (
                        _largest_product(r, x_per_token)
                        if outside < np.float32(np.inf)
                        else np.float32(1.0)
                    )
                    bound = ones * SLACK * np.float64(grown) * np.float64(outside)
                    look = (
                        not bound - (twos * prior * K / even_share if twos > 0.0 else 0.0) < value
                    )
            if look:
                _gradient(p0, p1, slots_of_words, row_ptr, topics, above, r, gradient)
                columns_wanted = MORE if kind == PAIRWISE else COLUMNS if m == 0 else 1
                columns_found, outside = _largest(
                    gradient, floor, total, slots, m, columns_wanted, largest, lanes
                )
                for j in range(n):
                    x_per_token[j] = x[j] / counts[j]
                if kind == PAIRWISE:
                    if (
                        max(value, np.float64(gradient[largest[0]]) if columns_found else 0.0)
                        - tokens
                        <= tolerance * tokens
                    ):
                        break
                elif columns_found:
                    v = ones * gradient[largest[0]] - (
                        twos * prior * K / np.float64(even_share) if twos > 0.0 else 0.0
                    )
                    wins = m == 0 or v > value or (v == value and largest[0] < slots[best_atom])
                    if m > 0 and not wins:
                        columns_found = 0
                        outside = gradient[largest[0]]
                    elif wins:
                        best_atom = m
                        value = v
                while (
                    kind == PAIRWISE
                    and columns_found
                    and gradient[largest[columns_found - 1]] <= tokens
                ):
                    columns_found -= 1
                for i in range(columns_found):
                    scratch[m + i] = gradient[largest[i]]
                block, width, m = _add_columns(
                    largest,
                    columns_found,
                    m,
                    width,
                    block,
                    own_slots,
                    row_ptr,
                    topics,
                    above,
                    slot_of_topic,
                    slots,
                    base,
                    floor,
                )
                if kind == PAIRWISE:
                    best_atom, value = _winner(
                        m, K, slots, t, support, size, even_share, scratch, ones, twos, prior
                    )
            away_atom = -1
            if kind == OPE:
                share = np.float32(1.0 / (done + 1))
            else:
                slope = value - tokens
                largest_step = 1.0
                if kind == PAIRWISE:
                    for i in range(size):
                        if t[support[i]] > 0.0 and (
                            away_atom < 0 or scratch[support[i]] < scratch[away_atom]
                        ):
                            away_atom = support[i]
                    slope = value - scratch[away_atom]
                    largest_step = np.float64(t[away_atom])
                if slope <= ENOUGH * tokens:
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
                            width,
                            away_atom,
                            base[best_atom],
                            base[max(away_atom, 0)],
                            block,
                            x,
                            counts,
                        )
                    )
            if not member[best_atom]:
                member[best_atom] = True
                support[size] = best_atom
                size += 1
            if away_atom < 0:
                left = np.float32(1.0) - share
                for i in range(size):
                    t[support[i]] *= left
                even_share *= left
                t[best_atom] += share
                for j in range(n):
                    # Never 0
                    x[j] = left * x[j] + share * (base[best_atom] + block[width * j + best_atom])
            else:
                share = min(share, t[away_atom])
                t[away_atom] -= share
                t[best_atom] += share
                by = base[best_atom] - base[away_atom]
                for j in range(n):
                    x[j] += share * (
                        by + block[width * j + best_atom] - block[width * j + away_atom]
                    )
            if done % AFRESH == 0 or kind == PAIRWISE:
                _sum_afresh(width, block, even_share, even, own_slots, support, size, base, t, x)
        total = _ratios(counts, x, r)
        at = room[d]
        if final:
            _gradient(p0, p1, slots_of_words, row_ptr, topics, above, r, gradient)
            highest = -np.inf
            f = 0.0
            for j in range(n):
                f += counts[j] * np.log(np.float64(x[j]))
            for k in range(K):
                g = floor[k] * total + gradient[k]
                highest = max(highest, np.float64(g))
                a = slot_of_topic[k]
                share = np.float64(even_share) / K + (t[a] if a >= 0 else 0.0)
                if share * g >= LISTED or (a >= 0 and t[a] > 0.0):
                    support_topics[at] = k
                    support_theta[at] = share * g
                    at += 1
            values[d] = f
            gaps[d] = highest - tokens
        else:
            for i in range(size):
                a = support[i]
                if t[a] > 0.0:
                    support_topics[at] = slots[a]
                    support_theta[at] = t[a]
                    at += 1
        sizes[d] = at - room[d]
        rests[d] = even_share
        for a in range(m):
            slot_of_topic[slots[a]] = -1
        for i in range(size):
            t[support[i]] = np.float32(0.0)
            member[support[i]] = False


@njit(cache=True, parallel=PRANGE, error_model="numpy")
def infer(batch, rows, floor, method, keys, theta, factors, values, gaps):
    """theta of each document of a minibatch: fills Mixtures, and for each pair its factor, c_j /
    x_j.

    batch: engines.batch.Batch. rows: Rows of its words; floor: float32[K]. method: Method. keys:
    uint64[n], a random stream for each document. theta: Mixtures; factors: float32[P]. Where
    method.final, listed are all topics with LISTED tokens at the least, and instead of theta_k
    theta_k G_k, the tokens that one step of EM expects of topic k; values: float64[n], f; gaps:
    float64[n], max_k G_k - N, at least the distance of f to its maximum.
    """
    bounds = shares(batch.token_ptr[batch.doc_ptr])
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
    """`draw` for the documents d0 ... d1 - 1."""
    _, doc_ptr, slots_of_words, token_ptr = batch
    row_ptr, topics, above, even, _ = rows
    room, support_topics, support_theta, sizes, rests = theta
    K = len(floor)
    columns = out.shape[1]
    sums = np.empty(len(floor))
    for d in range(d0, d1):
        state = keys[d]
        at = room[d]
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
    bounds = shares(batch.token_ptr[batch.doc_ptr])
    counter = np.zeros(1, np.int64)
    for _ in prange(CHUNKS):  # whichever thread is free takes the next
        chunk = next_number(counter)
        while chunk < CHUNKS:
            _draw(bounds[chunk], bounds[chunk + 1], batch, rows, floor, theta, keys, drawn_topics)
            chunk = next_number(counter)
    return drawn_topics


@njit(cache=True, error_model="numpy")
def _blend_rows(
    i0,
    i1,
    pairs,
    theta,
    rows,
    change,
    start,
    arena_values,
    indptr,
    sizes_out,
    topics_out,
    values_out,
    added,
):
    """`blend` of the words i0 … i1 - 1; added: float64[K], grows by what their rows have more than
    before.

    One long kernel: a row's old and new entries are merged in one walk over both.
    """
    words, word_ptr, of_word, doc_of, tokens, factors = pairs
    room, support_topics, support_theta, sizes, rests = theta
    row_ptr = rows.row_ptr
    topics = rows.topics
    above = rows.above
    floor, unit, keep, drop_below, credits = change
    K = len(floor)
    tally = np.zeros(K)
    beta = floor.copy()
    is_met = np.zeros(K, np.bool_)
    fresh = np.empty(K, np.int32)
    for i in range(i0, i1):
        for e in range(row_ptr[i], row_ptr[i + 1]):
            beta[topics[e]] += above[e]
            is_met[topics[e]] = True
        m = 0
        spread = 0.0
        for q in range(word_ptr[i], word_ptr[i + 1]):
            p = of_word[q]
            d = doc_of[p]
            spread += np.float64(factors[p]) * rests[d]
            for e in range(room[d], room[d] + sizes[d]):
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
        stored = start[words[i]] - row_ptr[i]
        for e in range(row_ptr[i], row_ptr[i + 1] + 1):
            k = np.int32(topics[e]) if e < row_ptr[i + 1] else np.int32(K)
            while f < m and fresh[f] < k:
                value = np.float32(unit[fresh[f]] * tally[fresh[f]])
                if value >= drop_below[fresh[f]]:
                    topics_out[at] = fresh[f]
                    values_out[at] = value
                    added[fresh[f]] += value
                    at += 1
                tally[fresh[f]] = 0.0
                is_met[fresh[f]] = False
                f += 1
            if k < K:
                before = keep[k] * arena_values[stored + e]
                value = np.float32(before + unit[k] * (tally[k] + spread * beta[k]))
                added[k] -= before
                if value >= drop_below[k]:
                    topics_out[at] = k
                    values_out[at] = value
                    added[k] += value
                    at += 1
                tally[k] = 0.0
                is_met[k] = False
                beta[k] = floor[k]
        sizes_out[i] = at - indptr[i]


@njit(cache=True, parallel=PRANGE, nogil=True, error_model="numpy")
def blended(bounds, pairs, theta, rows, change, start, arena_values):
    """`blend` of some of a minibatch's words, in runs of their own: what that returns, and added:
    float64[runs, K], what the rows of each run have more than before. bounds: int64[runs + 1], from
    0 to the number of words."""
    n = len(pairs.words)
    K = len(change.floor)
    runs = len(bounds) - 1
    room = np.empty(n, np.int64)
    word_ptr = pairs.word_ptr
    of_word = pairs.pairs
    for block in prange(CHUNKS):
        for i in range(block * n // CHUNKS, (block + 1) * n // CHUNKS):
            longest = rows.row_ptr[i + 1] - rows.row_ptr[i]
            for q in range(word_ptr[i], word_ptr[i + 1]):
                longest += theta.sizes[pairs.documents[of_word[q]]]
            room[i] = min(K, longest)
    indptr = cumulated(room)
    topics_out = np.empty(indptr[n], np.int32)
    values_out = np.empty(indptr[n], np.float32)
    sizes_out = np.empty(n, np.int64)
    added = np.zeros((runs, K))
    counter = np.zeros(1, np.int64)
    for _ in prange(CHUNKS):  # whichever thread is free takes the next
        run = next_number(counter)
        while run < runs:
            _blend_rows(
                bounds[run],
                bounds[run + 1],
                pairs,
                theta,
                rows,
                change,
                start,
                arena_values,
                indptr,
                sizes_out,
                topics_out,
                values_out,
                added[run],
            )
            run = next_number(counter)
    return indptr, sizes_out, topics_out, values_out, added


@njit(cache=True, error_model="numpy")
def blend(pairs, theta, rows, change, start, arena_values, totals):
    """A minibatch's rows with its documents' statistics added: (indptr int64[n + 1], sizes
    int64[n], topics int32, values float32); row i is the sizes[i] entries from indptr[i] on.
    Changes totals, not the arena.

    pairs: Pairs. theta: Mixtures of `infer`. rows: Rows of pairs.words. change: Change. A pair
    gives c phi_k = factor theta_k beta_k to its document's vertices, and what is left of its theta
    to the topics of its word's row in proportion to beta_k; where `credits`, c theta_k to the
    vertices alone. A word's pairs are summed in their order, by one thread.
    """
    indptr, sizes, topics, values, added = blended(
        shares(pairs.word_ptr), pairs, theta, rows, change, start, arena_values
    )
    totals *= change.keep
    add_by_topic(added, totals)
    return indptr, sizes, topics, values


@njit(cache=True, error_model="numpy")
def uniform(seed, V, K):
    """Numbers in (0, 1): float32[V * K], a stream for each word."""
    weights = np.empty(V * K, np.float32)
    for w in range(V):
        state = rng.key(seed, np.uint64(rng.FW), np.uint64(1), np.uint64(w))
        for k in range(K):
            state = rng.after(state)
            weights[w * K + k] = rng.unit(state) + 1e-10
    return weights
