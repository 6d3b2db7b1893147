"""Kernels of the search for spans of time in which there is more, or less, of something."""

import numpy as np

from inference.kernels import rng
from inference.runtime.jit import njit

ROUNDING = 1e-9
BLOCK = 64  # columns that are looked at together: their sums stay in the processor's nearest caches


@njit(cache=True, nogil=True)
def largest(sums, weight, lengths, cuts, thirds, most):
    """The largest excess of every kind of span, of more and of less.

    A span of weight p whose sum is s has the excess s / sqrt(p (1 - p)). sums: float64[G, T], of
    each period, of each column 0 in all; weight: float64[G], sums to 1. lengths: int64[L], periods
    of windows, at most G; cuts: int64[2], the first and the last place at which a step may begin
    (none where the first is the larger); thirds: int64[2], the end of the first and the begin of
    the last third of the weight (none where they are the same). Writes most: float32[2, L + 2, T]:
    of windows of each length, of the periods from a step on, and of the last third above the first;
    -inf where there is none.
    """
    G, T = sums.shape
    L = len(lengths)
    passed = np.zeros(G + 1)
    for g in range(G):
        passed[g + 1] = passed[g] + weight[g]
    running = np.zeros((G + 1, BLOCK))
    high = np.empty(BLOCK)
    low = np.empty(BLOCK)
    for begin in range(0, T, BLOCK):
        width = min(BLOCK, T - begin)
        for g in range(G):
            for t in range(width):
                running[g + 1, t] = running[g, t] + sums[g, begin + t]
        for j in range(L + 1):
            high[:] = -np.inf
            low[:] = -np.inf
            first = 0
            behind = G + 1 - lengths[j] if j < L else cuts[1] + 1
            if j == L:
                first = cuts[0]
            for g in range(first, behind):
                end = g + lengths[j] if j < L else G
                part = min(max(passed[end] - passed[g], ROUNDING), 1 - ROUNDING)
                scale = 1 / np.sqrt(part * (1 - part))
                for t in range(BLOCK):
                    excess = (running[end, t] - running[g, t]) * scale
                    high[t] = excess if excess > high[t] else high[t]
                    low[t] = -excess if -excess > low[t] else low[t]
            most[0, j, begin : begin + width] = high[:width]
            most[1, j, begin : begin + width] = low[:width]
        if thirds[0] == thirds[1]:
            most[:, L + 1, begin : begin + width] = -np.inf
            continue
        early = max(passed[thirds[0]], ROUNDING)
        late = max(passed[G] - passed[thirds[1]], ROUNDING)
        scale = np.sqrt(early * late / (early + late))
        for t in range(width):
            above = (running[G, t] - running[thirds[1], t]) / late
            excess = scale * (above - running[thirds[0], t] / early)
            most[0, L + 1, begin + t] = excess
            most[1, L + 1, begin + t] = -excess


@njit(cache=True, nogil=True)
def exchange(period, starts, state, placed):
    """Writes placed: int64[C], the periods of cells, exchanged within each pool: starts:
    int64[P + 1], where the cells of each pool begin. state: uint64, a random stream."""
    for c in range(len(period)):
        placed[c] = period[c]
    for pool in range(len(starts) - 1):
        state = rng.shuffle(placed, starts[pool], starts[pool + 1], state)


@njit(cache=True, nogil=True)
def place_cells(rows, sizes, period, sums, weight):
    """Writes sums: float64[G, T] and weight: float64[G], what the cells of each period have. rows:
    float32[C, T]; sizes: float64[C]; period: int64[C]."""
    sums[:] = 0.0
    weight[:] = 0.0
    T = rows.shape[1]
    for c in range(len(sizes)):
        g = period[c]
        weight[g] += sizes[c]
        for t in range(T):
            sums[g, t] += rows[c, t]
