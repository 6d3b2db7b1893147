"""The order of a matrix's rows that puts similar rows next to each other: for Termite's table of
words by topics."""

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.linalg import eigh
from scipy.sparse import block_array, csr_array
from scipy.sparse.csgraph import connected_components

LEAVES = 500  # rows up to which leaves are ordered optimally, which takes time as their cube


def order(matrix: np.ndarray) -> np.ndarray:
    """int64[n]: the rows of a matrix without negative numbers, float[n, m], in their order; call it
    with .T for the columns.

    Rows are compared as shares of their sums, by Hellinger's distance, so that a frequent word is
    like a rare one of the same topics. Up to LEAVES rows: average linkage with optimal leaf
    ordering (Bar-Joseph et al. 2001). Beyond: along the first axis of correspondence analysis
    (Chuang et al. 2012 order Termite's words by such a spectral order). Rows without any weight
    come last. The same matrix gives the same order; of an order and its mirror, the one that begins
    with the lower row.
    """
    matrix = np.asarray(matrix, np.float64)
    full = np.flatnonzero(matrix.sum(axis=1) > 0)
    empty = np.flatnonzero(~(matrix.sum(axis=1) > 0))
    full_rows = matrix[full]
    leaves = np.arange(len(full))
    if len(full) > 2:
        leaves = _leaves(full_rows) if len(full) <= LEAVES else _spectral(full_rows)
    if len(leaves) and leaves[-1] < leaves[0]:
        leaves = leaves[::-1]
    return np.concatenate([full[leaves], empty]).astype(np.int64)


def _leaves(matrix: np.ndarray) -> np.ndarray:
    roots = np.sqrt(matrix / matrix.sum(axis=1, keepdims=True))
    return leaves_list(linkage(roots, method="average", metric="euclidean", optimal_ordering=True))


def _spectral(matrix: np.ndarray) -> np.ndarray:
    """By the first axis, for each part of the table that has no column in common with the
    others."""
    linked = csr_array(matrix)
    _, part = connected_components(block_array([[None, linked], [linked.T, None]]), directed=False)
    part = part[: len(matrix)]
    axis = np.zeros(len(matrix))
    for p in np.unique(part):
        axis[part == p] = _axis(matrix[part == p])
    return np.lexsort((axis, part))


def _axis(matrix: np.ndarray) -> np.ndarray:
    """The second singular vector of the table scaled by the roots of its sums, from the smaller
    Gram matrix: float64[n]."""
    rows = matrix.sum(axis=1)
    columns = matrix.sum(axis=0)
    scaled = (matrix / np.sqrt(rows)[:, None])[:, columns > 0] / np.sqrt(columns[columns > 0])
    n, m = scaled.shape
    if min(n, m) < 2:
        return np.zeros(n)
    gram = scaled.T @ scaled if m < n else scaled @ scaled.T
    _, vectors = eigh(gram, subset_by_index=[len(gram) - 2, len(gram) - 1])
    axis = (scaled @ vectors[:, 0] if m < n else vectors[:, 0]) / np.sqrt(rows)
    size = np.abs(axis).max()
    return np.round(axis / size, 9) if size > 0 else axis
