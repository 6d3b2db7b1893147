"""Windows of time in which more documents have a word than chance explains, document by document:
also of a single period, of which permuted periods (inference.findings.changes) can tell nothing."""

from typing import NamedTuple

import numpy as np
from scipy.special import bdtrc

from inference.findings.changes import lengths_of_windows


class Windows(NamedTuple):
    """Of each word its clearest window: documents with the word in all, p, int64 first and end
    (places), documents with the word in it, and how many were expected; [W] each. windows: how many
    were looked at, of which p is not yet corrected."""

    windows: int
    total: np.ndarray
    p: np.ndarray
    first: np.ndarray
    end: np.ndarray
    seen: np.ndarray
    expected: np.ndarray


def clearest(counted: np.ndarray, expected: np.ndarray, longest: float, least: int) -> Windows:
    """counted, expected: float64[G, W], documents of each period that have each word, and how many
    would by chance; longest: part of the periods that a window covers at most; least: documents of
    a window. By the binomial distribution: each document of a word may be in the window."""
    G, W = counted.shape
    sums, chance = (
        np.vstack([np.zeros(W), np.cumsum(each, axis=0)]) for each in (counted, expected)
    )
    every, total = np.arange(W), counted.sum(axis=0)
    best = [np.ones(W), np.zeros(W, np.int64), np.ones(W, np.int64), np.zeros(W), np.ones(W)]
    windows = 0
    for n in lengths_of_windows(G, longest).tolist():
        seen, by_chance = sums[n:] - sums[:-n], np.maximum(chance[n:] - chance[:-n], 1e-9)
        p = np.ones(seen.shape)
        tried = (seen >= least) & (seen > by_chance)
        p[tried] = _beyond(seen[tried], np.broadcast_to(total, seen.shape)[tried], by_chance[tried])
        at = p.argmin(axis=0)
        better = p[at, every] < best[0]
        this = (p[at, every], at, at + n, seen[at, every], by_chance[at, every])
        best = [np.where(better, new, old) for new, old in zip(this, best, strict=True)]
        windows += len(seen)
    return Windows(windows, total, *best)


def corrected(best: Windows, independent: np.ndarray) -> np.ndarray:
    """float64[W]: p of the clearest window, corrected for all that were looked at, and for
    documents that are alike: independent: how many of those who speak have the word in it. A
    speaker's documents count as one."""
    as_one = np.maximum(independent, 1) / np.maximum(best.seen, 1)
    p = _beyond(np.maximum(independent, 1), best.total * as_one, best.expected * as_one)
    return np.where(best.p < 1, np.minimum(p * best.windows, 1.0), 1.0)


def _beyond(seen: np.ndarray, total: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """p of as many as seen, of all, where so many are expected."""
    total = np.maximum(np.ceil(total).astype(np.int64), seen.astype(np.int64))
    return bdtrc(seen - 1, total, np.clip(expected / np.maximum(total, 1), 0, 1))
