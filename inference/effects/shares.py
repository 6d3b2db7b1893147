"""Shares of topics in groups of documents, with the CR2 variance of each: a regression on the
groups alone, whose formulas close."""

from typing import NamedTuple

import numpy as np

from inference.effects.regression import ALONE_LEVERAGE_GAP, Data
from inference.effects.unit_documents import LEAST_UNITS, LEVEL
from inference.runtime.arrays import ABOVE_ZERO
from inference.runtime.jit import njit
from inference.share_intervals import FEW_WITH_TOPIC, high_of_few, logit_interval


class Shares(NamedTuple):
    """share: float64[T, G], NaN for a group without words; variance: of it, beyond these texts. df:
    float64[G], Satterthwaite's. units: int64[G], that have words in the group; holding: int64[T,
    G], of these with the topic. tokens: float64[G]. typical: float64[T, 1], the share in the units
    that have the topic."""

    share: np.ndarray
    variance: np.ndarray
    df: np.ndarray
    units: np.ndarray
    holding: np.ndarray
    tokens: np.ndarray
    typical: np.ndarray


class Interval(NamedTuple):
    """low, high: of a share, NaN where unknown. tested: the share, or instead the upper end where
    FEW_WITH_TOPIC units have the topic. error: standard error of its logit, 0 of an upper end."""

    low: np.ndarray
    high: np.ndarray
    tested: np.ndarray
    error: np.ndarray


def of_groups(data: Data, G: int) -> Shares:
    """data.cell: the group of each document. One pass; memory is that of G x T sums.

    With h the part that a unit has of its group's words, the variance is sum_c (x_c - share n_c)^2
    / (1 - h_c) / (sum n)^2.
    """
    in_group = data.cell >= 0
    tokens = np.bincount(data.cell[in_group], weights=data.lengths[in_group], minlength=G)[:G]
    by_topic, sums_of_groups = _sums(*data.units, *data.arrays, tokens, data.T)
    x, xx, xn, holding, words = np.moveaxis(by_topic, 2, 0)
    units, nn, squares, u = sums_of_groups
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(tokens > 0, x / tokens, np.nan)
        variance = np.maximum(xx - 2 * share * xn + share**2 * nn, 0.0) / tokens**2
        df = np.where(units > 1, 1 / np.maximum(squares + u**2, ABOVE_ZERO), 0.0)
    typical = x.sum(axis=1, keepdims=True) / np.maximum(words.sum(axis=1, keepdims=True), 1.0)
    return Shares(
        share, variance, df, units.astype(np.int64), holding.astype(np.int64), tokens, typical
    )


def intervals(shares: Shares, level: float = LEVEL) -> Interval:
    """float64[T, G], on the scale of the logit with Student's t.

    NaN below LEAST_UNITS units. Where FEW_WITH_TOPIC units have the topic, the upper end is that of
    the share of units that may have it (Clopper and Pearson 1934) times its typical share, or its
    share here in those that do, as explore.bands does with documents.
    """
    n = np.broadcast_to(shares.units, shares.share.shape)
    m = shares.holding
    share = shares.share
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        error = np.sqrt(shares.variance) / (share * (1 - share))
        low, high = logit_interval(share, error, np.maximum(shares.df, 1e-3), level)
        share_of_holders = np.where(m > 0, share * n / np.maximum(m, 1), 0.0)
    rests_on_few = (m <= FEW_WITH_TOPIC) & (m < n)
    largest_of_units = high_of_few(n, m, np.maximum(shares.typical, share_of_holders), level)
    low = np.where(m == 0, 0.0, low)
    high = np.where(rests_on_few, np.clip(np.maximum(largest_of_units, share), 0.0, 1.0), high)
    low = np.where(share == 1, 1.0, low)
    high = np.where(share == 1, 1.0, high)
    has_interval = (n >= LEAST_UNITS) & np.isfinite(share)
    return Interval(
        np.where(has_interval, low, np.nan),
        np.where(has_interval, high, np.nan),
        np.where(rests_on_few, high, share),
        np.where(rests_on_few | (share == 1), 0.0, error),
    )


@njit(cache=True, nogil=True)
def _sums(
    order, starts, group, doc_ptr, doc_topics, doc_tokens, lengths, column_of_topic, tokens, T
):
    """float64[T, G, 5], of the units' tokens of a topic their sum, the sums of their squares and of
    their products with the units' lengths, both over 1 - h, how many units have it, and the words
    of these. float64[4, G]: units, the sum of squared lengths over 1 - h, and sums of d^2 - 2 d u^2
    and of u^2 for the degrees of freedom."""
    G = len(tokens)
    by_topic = np.zeros((T, G, 5))
    sums_of_groups = np.zeros((4, G))
    unit_words = np.zeros(G)
    own_topics = np.zeros((T, G))
    groups = np.empty(G, np.int64)
    pairs = np.empty(T * G, np.int64)
    for b in range(len(starts) - 1):
        n = 0
        m = 0
        for d in order[starts[b] : starts[b + 1]]:
            g = group[d]
            if g < 0 or lengths[d] == 0:
                continue
            if unit_words[g] == 0.0:
                groups[n] = g
                n += 1
            unit_words[g] += lengths[d]
            for j in range(doc_ptr[d], doc_ptr[d + 1]):
                t = column_of_topic[doc_topics[j]]
                if t < 0 or doc_tokens[j] == 0:
                    continue
                if own_topics[t, g] == 0.0:
                    pairs[m] = t * G + g
                    m += 1
                own_topics[t, g] += doc_tokens[j]
        for pair in pairs[:m]:
            t = pair // G
            g = pair % G
            value = own_topics[t, g]
            left = 1 - unit_words[g] / tokens[g]
            own_topics[t, g] = 0.0
            row = by_topic[t, g]
            row[0] += value
            row[3] += 1
            row[4] += unit_words[g]
            if left > ALONE_LEVERAGE_GAP:
                row[1] += value * value / left
                row[2] += value * unit_words[g] / left
        for g in groups[:n]:
            h = unit_words[g] / tokens[g]
            sums_of_groups[0, g] += 1
            if 1 - h > ALONE_LEVERAGE_GAP:
                part = h / (1 - h)
                sums_of_groups[1, g] += unit_words[g] * unit_words[g] / (1 - h)
                sums_of_groups[2, g] += part * part * (1 - 2 * h)
                sums_of_groups[3, g] += part * h
            unit_words[g] = 0.0
    return by_topic, sums_of_groups
