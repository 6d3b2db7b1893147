"""Kernel of the search for windows of time in which there is more of something."""

import numpy as np

from inference.runtime.jit import njit

BLOCK = 64  # columns that are looked at together: their sums stay in the processor's nearest caches


@njit(cache=True)
def largest(Z, weight, lengths, order, most):
    """The largest excess of the windows of each length over the rows of Z in this order.

    A window of weight p whose weighted sum of z is s has the excess s / sqrt(p (1 - p)). Z:
    float64[G, T], each column with mean 0 and variance 1; weight: float64[G], sums to 1; lengths:
    int64[L], in rows, at most G; order: int64[G]. Writes most: float32[L, T].
    """
    G, T = Z.shape
    passed = np.zeros(G + 1)
    for g in range(G):
        passed[g + 1] = passed[g] + weight[order[g]]
    sums, best = np.zeros((G + 1, BLOCK)), np.empty(BLOCK)
    for a in range(0, T, BLOCK):
        width = min(BLOCK, T - a)
        for g in range(G):
            for t in range(width):
                sums[g + 1, t] = sums[g, t] + weight[order[g]] * Z[order[g], a + t]
        for j in range(len(lengths)):
            n = lengths[j]
            best[:] = -np.inf
            for g in range(G + 1 - n):
                part = min(max(passed[g + n] - passed[g], 1e-9), 1 - 1e-9)
                scale = 1 / np.sqrt(part * (1 - part))
                for t in range(BLOCK):
                    excess = (sums[g + n, t] - sums[g, t]) * scale
                    best[t] = excess if excess > best[t] else best[t]
            most[j, a : a + width] = best[:width]
