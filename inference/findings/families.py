"""Families of topics: topics that use similar words and occur in the same documents."""

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

FAMILIES = (4, 7)  # at least and at most, where there are enough topics
SMALL = 4  # topics up to which each is a family of its own
PRESENT = 0.1  # share of a document from which on it holds a topic
_KEPT = 2_000  # topics that are clustered, the largest; the others join the nearest


def apart(both: np.ndarray, similar: list[list[tuple[int, float]]]) -> np.ndarray:
    """How far topics are apart, 0 to 1, symmetric: float64[K, K]; half by words, half by documents.

    both: of cooccurrence.together, with PRESENT. similar: of each topic others and their Jensen-Shannon divergences in nats (explore.distances);
    topics that are not among each other's count as wholly unlike. By documents: 1 - both / sqrt(a b) (Ochiai 1957).
    """
    K, each = len(both), np.diag(both)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_documents = 1 - np.nan_to_num(both / np.sqrt(np.outer(each, each)))
    of_words = np.ones((K, K))
    for k, others in enumerate(similar):
        for j, divergence in others:
            of_words[k, j] = of_words[j, k] = min(of_words[k, j], divergence / np.log(2))
    out = (np.clip(of_documents, 0, 1) + np.clip(of_words, 0, 1)) / 2
    np.fill_diagonal(out, 0.0)
    return out


def families(apart: np.ndarray, size: np.ndarray, given: np.ndarray) -> np.ndarray:
    """The family of each topic, 0 for the one with most words: int32[K]; -1 for a topic of size 0.

    apart: float64[K, K]; size: float64[K], words of each topic, 0 for those to be left out. given: int[K], topics with one
    number are a family by themselves; the others, of -1, are clustered.
    """
    out = np.full(len(size), -1, np.int32)
    used = np.flatnonzero(size > 0)
    label = given[used].copy()
    label[label < 0] = given.max(initial=-1) + 1 + _clustered(apart, size, used[label < 0])
    _, label = np.unique(label, return_inverse=True)
    weight = np.bincount(label, weights=size[used])
    place = np.empty(len(weight), np.int32)
    place[np.argsort(-weight, kind="stable")] = np.arange(len(weight))
    out[used] = place[label]
    return out


def _clustered(apart: np.ndarray, size: np.ndarray, used: np.ndarray) -> np.ndarray:
    """int[n], a family of each topic in `used`: Ward's clustering (1963) of the distances; of FAMILIES the number with the largest mean
    silhouette (Rousseeuw 1987)."""
    if len(used) <= SMALL:
        return np.arange(len(used))
    large = np.sort(used[np.argsort(-size[used], kind="stable")][:_KEPT])
    near = apart[np.ix_(large, large)]
    tree = linkage(squareform(near, checks=False), "ward")
    most = min(FAMILIES[1], len(large) // 2)
    cuts = [fcluster(tree, n, "maxclust") - 1 for n in range(min(FAMILIES[0], most), most + 1)]
    label = max(cuts, key=lambda cut: _silhouette(near, cut))
    out, rest = np.zeros(len(size), np.int64), np.setdiff1d(used, large)
    out[large], out[rest] = label, label[np.argmin(apart[np.ix_(rest, large)], axis=1)]
    return out[used]


def _silhouette(apart: np.ndarray, label: np.ndarray) -> float:
    """Mean over topics; 0 for one that is alone."""
    F = int(label.max()) + 1
    member = np.eye(F)[label]
    count = member.sum(axis=0)
    if np.count_nonzero(count) < 2:
        return -1.0
    total = apart @ member
    rows = np.arange(len(label))
    own = total[rows, label] / np.maximum(count[label] - 1, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        others = np.where(count > 0, total / count, np.inf)
    others[rows, label] = np.inf
    nearest = others.min(axis=1)
    value = (nearest - own) / np.maximum(np.maximum(nearest, own), 1e-12)
    return float(np.where(count[label] > 1, value, 0.0).mean())
