"""How sure a topic's share in a group of documents is: a time, a category, a set.

A share is the ratio of tokens, sum_d N_dk / sum_d N_d, over the group's documents. Another draw of documents would give
another share; the interval says how far it may lie. Documents, not tokens, are drawn, as a document's words come
together.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.special import betaincinv, expit, logit, stdtrit

from inference.errors import Invalid
from inference.explore import documents

THIN = 10  # documents with words below which a group's share is not to be relied on
FEW = 2  # documents with a topic up to which their own variance says too little


class Bands(NamedTuple):
    """share, low, high: float64[T, G], NaN for a group without words. documents: int64[G], those with words; tokens:
    int64[G], all of theirs. thin: bool[G], groups of fewer than THIN documents, the empty ones too.
    """

    share: np.ndarray
    low: np.ndarray
    high: np.ndarray
    documents: np.ndarray
    tokens: np.ndarray
    thin: np.ndarray


def shares(
    doc_ptr: np.ndarray, doc_topics: np.ndarray, doc_tokens: np.ndarray, lengths: np.ndarray, group: np.ndarray, G: int,
    topics: np.ndarray, *, level: float = 0.95,
) -> Bands:  # fmt: skip
    """Of each topic asked for and each group, with an interval that holds the share at `level`, group by group.

    doc_ptr: int64[D + 1]; doc_topics: uint16[m] and doc_tokens: int32[m], a document's topics and their tokens N_dk;
    lengths:
    int64[D], N_d; group: int32[D], 0 … G - 1, or -1 for a document that is in none. topics: [T], each once.

    The linearised variance of a ratio, n / (n - 1) sum_d (N_dk - r N_d)^2 / (sum_d N_d)^2 (Cochran 1977, section 6.4),
    laid on the scale of the logit, so that the interval stays within 0 and 1, with Student's t for one less than the
    documents that have the topic: the others, all alike, say nothing of how it varies. In simulations with 2 to 2,000
    documents a group the intervals of 95% hold 90% at worst. A bootstrap over documents says the same where documents
    are many, and holds 78% at worst (docs/decisions/README.md, tests/inference/test_explore_bands.py).

    Where m documents, FEW or less, of n have the topic, the interval ends at u s: u, the share of documents that may
    have it (Clopper and Pearson 1934), s, the share that it has in those that do, in the whole corpus or here,
    whichever is larger. Where none has it, it begins at 0 = the share; a single document says from 0 to 1.
    Raises Invalid for a level that is not in (0, 1).
    """
    if not 0 < level < 1:
        raise Invalid("level", f"level must be between 0 and 1, got {level}.")
    doc_ptr, doc_topics, doc_tokens, lengths = documents.arrays(doc_ptr, doc_topics, doc_tokens, lengths)
    group = documents.frozen(group, np.int32)
    topics, T = np.asarray(topics, np.int64), len(topics)
    slot = np.full(1 << 16, -1, np.int32)
    slot[topics] = np.arange(T)
    n, tokens, squares = _sums(lengths, group, G)
    starts, holders, held = _entries(doc_ptr, doc_topics, doc_tokens, slot, T)
    share, low, high = (np.full((T, G), np.nan) for _ in range(3))
    for k in range(T):
        holding, x = holders[starts[k] : starts[k + 1]], held[starts[k] : starts[k + 1]].astype(np.float64)
        length = lengths[holding].astype(np.float64)
        typical = x.sum() / max(length.sum(), 1.0)
        at = group[holding]
        x, length, at = x[at >= 0], length[at >= 0], at[at >= 0]
        ones, of_x, of_length, of_xx, of_both = (
            np.bincount(at, weights=values, minlength=G) for values in (np.ones(len(x)), x, length, x * x, x * length)
        )
        share[k], low[k], high[k] = _intervals(
            n, tokens, squares, ones, of_x, of_length, of_xx, of_both, typical, level
        )
    return Bands(share, low, high, n, tokens, n < THIN)


def _intervals(n, tokens, squares, m, x, length, xx, xl, typical, level):
    """share, low, high of a topic: float64[G] each. m, x, length, xx, xl: of the documents with the topic, how many,
    and the sums of their N_dk, N_d, N_dk^2 and N_dk N_d: sum (N_dk - r N_d)^2 needs no more from the documents without
    it than their N_d^2.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        share = x / tokens
        deviations = np.maximum(xx - 2 * share * xl + share**2 * squares, 0.0)
        error = np.sqrt(n / np.maximum(n - 1, 1) * deviations) / tokens / (share * (1 - share))
        reach = stdtrit(np.maximum(m - 1, 1), 0.5 + level / 2) * error
        low, high = expit(logit(share) - reach), expit(logit(share) + reach)
        most = betaincinv(m + 1, np.maximum(n - m, 1e-9), 0.5 + level / 2) * np.maximum(
            typical, np.where(m > 0, x / length, 0.0)
        )
    few, whole = (n > 0) & (m <= FEW) & (m < n), (n > 0) & (share == 1)
    high[few] = np.where(m[few] > 0, np.minimum(high[few], np.maximum(most[few], share[few])), most[few])
    low[m == 0], low[whole], high[whole] = np.where(n[m == 0] > 0, 0.0, np.nan), 1.0, 1.0
    low[n == 1], high[n == 1] = 0.0, 1.0
    return share, low, high


@njit(cache=True, nogil=True)
def _sums(lengths, group, G):
    """Documents with words, their tokens and the sum of the squares of their tokens, of each group: int64[G], int64[G],
    float64[G]."""
    n, tokens, squares = np.zeros(G, np.int64), np.zeros(G, np.int64), np.zeros(G)
    for d in range(len(lengths)):
        g = group[d]
        if g >= 0 and lengths[d] > 0:
            n[g] += 1
            tokens[g] += lengths[d]
            squares[g] += float(lengths[d]) * lengths[d]
    return n, tokens, squares


@njit(cache=True, nogil=True)
def _entries(doc_ptr, doc_topics, doc_tokens, slot, T):
    """The documents of each topic asked for, ascending, and their tokens: (int64[T + 1], int64[m], int64[m])."""
    starts = np.zeros(T + 1, np.int64)
    for j in range(len(doc_topics)):
        k = slot[doc_topics[j]]
        if k >= 0:
            starts[k + 1] += 1
    starts = np.cumsum(starts)
    documents, tokens = np.empty(starts[T], np.int64), np.empty(starts[T], np.int64)
    cursor = starts[:-1].copy()
    for d in range(len(doc_ptr) - 1):
        for j in range(doc_ptr[d], doc_ptr[d + 1]):
            k = slot[doc_topics[j]]
            if k >= 0:
                documents[cursor[k]], tokens[cursor[k]] = d, doc_tokens[j]
                cursor[k] += 1
    return starts, documents, tokens
