"""Windows of time in which more documents have a word than chance explains, document by document: also of a single period, of which
permuted periods (inference.findings.changes) can tell nothing."""

from typing import NamedTuple

import numpy as np
from scipy.special import pdtrc

from inference.findings.changes import lengths_of_windows


class Windows(NamedTuple):
    """Of each word its clearest window: p, int64 first and end (places), documents with the word in it, and how many were expected;
    [W] each. windows: how many were looked at, of which p is not yet corrected."""

    windows: int
    p: np.ndarray
    first: np.ndarray
    end: np.ndarray
    seen: np.ndarray
    expected: np.ndarray


def clearest(counted: np.ndarray, expected: np.ndarray, longest: float, least: int) -> Windows:
    """counted, expected: float64[G, W], documents of each period that have each word, and how many would by chance; longest: part of
    the periods that a window covers at most; least: documents of a window. By Poisson's distribution: it allows for more chance than
    drawing documents without replacement."""
    G, W = counted.shape
    sums, chance = (np.vstack([np.zeros(W), np.cumsum(each, axis=0)]) for each in (counted, expected))
    every = np.arange(W)
    best = [np.ones(W), np.zeros(W, np.int64), np.ones(W, np.int64), np.zeros(W), np.ones(W)]
    windows = 0
    for n in lengths_of_windows(G, longest).tolist():
        seen, by_chance = sums[n:] - sums[:-n], np.maximum(chance[n:] - chance[:-n], 1e-9)
        p = np.ones(seen.shape)
        tried = (seen >= least) & (seen > by_chance)
        p[tried] = pdtrc(seen[tried] - 1, by_chance[tried])
        at = p.argmin(axis=0)
        better = p[at, every] < best[0]
        this = (p[at, every], at, at + n, seen[at, every], by_chance[at, every])
        best = [np.where(better, new, old) for new, old in zip(this, best, strict=True)]
        windows += len(seen)
    return Windows(windows, *best)


def corrected(best: Windows, independent: np.ndarray) -> np.ndarray:
    """float64[W]: p of the clearest window, corrected for all that were looked at, and for documents that are alike: independent: how
    many of those who speak have the word in it. A speaker's documents count as one."""
    as_one = np.maximum(independent, 1) / np.maximum(best.seen, 1)
    p = pdtrc(np.maximum(independent, 1) - 1, best.expected * as_one)
    return np.where(best.p < 1, np.minimum(p * best.windows, 1.0), 1.0)
