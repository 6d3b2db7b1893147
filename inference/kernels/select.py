"""The L largest of some weights, in linear time; of equal weights the first."""

import numpy as np

from inference.runtime.jit import njit

SCANNED = 32  # up to so many are looked for by a scan with a sorted buffer
# moves within that buffer for each weight, after which the scan is given up: weights that ascend
SHIFTS = 8


@njit(cache=True)
def largest(weights, m, L, buffer, places):
    """Places of the L largest of weights[:m], ascending, into places[:L]; of equal weights the
    first. Returns how many.

    weights: float64[>= m], no NaN. buffer: float64[>= m], work space. places: int32[>= min(L, m)].
    m may be less than L: all of them are taken then. Paper 003, Algorithm 1 (SelectTopL), with a
    total order, so that ties have one result.
    """
    if m <= L:
        for a in range(m):
            places[a] = a
        return m
    least = _least_of_largest(weights, m, L, buffer)
    ties = L
    for a in range(m):
        ties -= weights[a] > least
    n = 0
    for a in range(m):
        if weights[a] > least:
            places[n] = a
            n += 1
        elif weights[a] == least and ties > 0:
            places[n] = a
            n += 1
            ties -= 1
        if n == L:
            break
    return n


@njit(cache=True)
def _least_of_largest(weights, m, L, buffer):
    """The L-th largest of weights[:m]."""
    if L <= SCANNED:
        moves = 0
        for a in range(L):  # the first L, ascending
            i = a
            while i > 0 and buffer[i - 1] > weights[a]:
                buffer[i] = buffer[i - 1]
                i -= 1
            buffer[i] = weights[a]
        least = buffer[0]
        for a in range(L, m):
            x = weights[a]
            if x > least:
                i = 0
                while i + 1 < L and buffer[i + 1] < x:
                    buffer[i] = buffer[i + 1]
                    i += 1
                buffer[i] = x
                moves += i
                least = buffer[0]
                if moves > SHIFTS * m:
                    break
        if moves <= SHIFTS * m:
            return least
    for a in range(m):
        buffer[a] = weights[a]
    return nth(buffer, m, m - L)


@njit(cache=True)
def nth(values, n, place):
    """The value at `place` when values[:n] are sorted ascending; reorders them, so that none from
    `place` on is less than it, and none before is more. Quickselect with the median of three, and
    after 2 log2 n rounds a sort of what is left, which bounds the worst case."""
    low = 0
    high = n - 1
    rounds = 0
    depth_limit = 2
    while (1 << (depth_limit // 2)) < n:
        depth_limit += 2
    while high - low > 2:
        rounds += 1
        if rounds > depth_limit:
            values[low : high + 1].sort()
            return values[place]
        a = values[low]
        b = values[(low + high) // 2]
        c = values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i = low
        j = high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if place <= j:
            high = j
        elif place >= i:
            low = i
        else:
            return pivot
    values[low : high + 1].sort()
    return values[place]


@njit(cache=True)
def rounded(r, n, units, out):
    """r[:n], which sums to 1, as whole numbers of 1 / units that sum to `units`, each within one of
    its own.

    out: float64[>= n]. The running sums are rounded, so that no remainder has to be dealt.
    """
    total = 0.0
    before = 0.0
    for i in range(n):
        total += r[i]
        now = np.floor(min(total, 1.0) * units + 0.5) if i < n - 1 else units
        out[i] = max(now - before, 0.0)
        before = max(now, before)
