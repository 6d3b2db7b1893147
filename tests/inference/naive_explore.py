"""Slow, obvious twins of inference/explore: dense, one formula after another."""

import itertools

import numpy as np
from scipy.special import rel_entr


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    m = (p + q) / 2
    return float(rel_entr(p, m).sum() + rel_entr(q, m).sum()) / 2


def divergences(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Of dense topics: float64[Ka, Kb]."""
    return np.array([[divergence(p, q) for q in b] for p in a]).reshape(len(a), len(b))


def nearest(divergences: np.ndarray, n: int) -> list[list[int]]:
    K = len(divergences)
    return [sorted((j for j in range(K) if j != k), key=lambda j: (divergences[k, j], j))[:n] for k in range(K)]


def guttman(xy: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """One step of SMACOF as its matrix: B(X) X / K."""
    K = len(xy)
    B = np.zeros((K, K))
    for i, j in itertools.permutations(range(K), 2):
        d = np.linalg.norm(xy[i] - xy[j])
        if d > 1e-12:
            B[i, j] = -wanted[i, j] / d
    np.fill_diagonal(B, -B.sum(axis=1))
    return B @ xy / K


def overlap(xy: np.ndarray, radii: np.ndarray) -> float:
    """The largest by which two discs overlap."""
    pairs = itertools.combinations(range(len(xy)), 2)
    return max((radii[i] + radii[j] - np.linalg.norm(xy[i] - xy[j]) for i, j in pairs), default=0.0)


def roughness(matrix: np.ndarray, order: np.ndarray) -> float:
    """What an order of rows is to make small: the sum of Hellinger distances between neighbours."""
    roots = np.sqrt(matrix / matrix.sum(axis=1, keepdims=True))[order]
    return float(np.linalg.norm(np.diff(roots, axis=0), axis=1).sum())
