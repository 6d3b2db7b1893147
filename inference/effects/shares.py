"""Shares of topics in groups of documents, with the CR2 variance of each: a regression on the
groups alone, whose formulas close."""

from typing import NamedTuple

import numpy as np

from inference.effects.leverage import ALONE_LEVERAGE_GAP, LEAST_FREEDOM
from inference.effects.regression import Data
from inference.effects.unit_documents import LEAST_UNITS
from inference.runtime.arrays import ABOVE_ZERO
from inference.runtime.jit import njit
from inference.share_intervals import USUAL_LEVEL, Estimate, ShareInterval, interval_of_units

# Columns of what `_sums` gives of each topic and group: of the units with the topic the sums of
# their tokens x of it, of x^2 and x n over 1 - h, how many they are, and the sum of their words n
_TOKENS, _SQUARE, _PRODUCT, _UNITS, _WORDS = range(5)
_MEASURES = 5


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


def of_groups(data: Data, G: int) -> Shares:
    """data.cell: the group of each document. One pass; memory is that of G x T sums.

    With h the part that a unit has of its group's words, the variance is sum_c (x_c - share n_c)^2
    / (1 - h_c) / (sum n)^2.
    """
    in_group = data.cell >= 0
    tokens = np.bincount(data.cell[in_group], weights=data.lengths[in_group], minlength=G)[:G]
    by_topic, sums_of_groups = _sums(data, tokens)
    x, xx, xn, holding, words = np.moveaxis(by_topic, 2, 0)
    units, nn, squares, u = sums_of_groups
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(tokens > 0, x / tokens, np.nan)
        variance = np.maximum(xx - 2 * share * xn + share**2 * nn, 0.0) / tokens**2
        df = np.where(units > 1, 1 / np.maximum(squares + u**2, ABOVE_ZERO), 0.0)
    typical = x.sum(axis=1, keepdims=True) / np.maximum(words.sum(axis=1, keepdims=True), 1.0)
    return Shares(
        share=share,
        variance=variance,
        df=df,
        units=units.astype(np.int64),
        holding=holding.astype(np.int64),
        tokens=tokens,
        typical=typical,
    )


def intervals(shares: Shares, level: float = USUAL_LEVEL) -> ShareInterval:
    """float64[T, G], on the scale of the logit with Student's t; NaN below LEAST_UNITS units. Where
    few have the topic, the ends are those of share_intervals.interval_of_units."""
    n = np.broadcast_to(shares.units, shares.share.shape)
    m = shares.holding
    share = shares.share
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        error = np.sqrt(shares.variance) / (share * (1 - share))
        share_of_holders = np.where(m > 0, share * n / np.maximum(m, 1), 0.0)
    estimate = Estimate(
        share=share,
        error=error,
        df=np.maximum(shares.df, LEAST_FREEDOM),
        units=n,
        holding=m,
        of_holders=np.maximum(shares.typical, share_of_holders),
    )
    return interval_of_units(estimate, level, LEAST_UNITS)


@njit(cache=True, nogil=True)
def _sums(data, tokens):
    """float64[T, G, 5], of the units' tokens of a topic their sum, the sums of their squares and of
    their products with the units' lengths, both over 1 - h, how many units have it, and the words
    of these. float64[4, G]: units, the sum of squared lengths over 1 - h, and sums of d^2 - 2 d u^2
    and of u^2 for the degrees of freedom.

    data: regression.Data, whose cells are groups. tokens: float64[G], of each group."""
    G = len(tokens)
    by_topic = np.zeros((data.T, G, _MEASURES))
    sums_of_groups = np.zeros((4, G))
    unit_words = np.zeros(G)
    own_topics = np.zeros((data.T, G))
    groups = np.empty(G, np.int64)
    pairs = np.empty(data.T * G, np.int64)
    for b in range(len(data.units.starts) - 1):
        n = 0
        m = 0
        for d in data.units.order[data.units.starts[b] : data.units.starts[b + 1]]:
            g = data.cell[d]
            if g < 0 or data.lengths[d] == 0:
                continue
            if unit_words[g] == 0.0:
                groups[n] = g
                n += 1
            unit_words[g] += data.lengths[d]
            for j in range(data.doc_ptr[d], data.doc_ptr[d + 1]):
                t = data.column_of_topic[data.doc_topics[j]]
                if t < 0 or data.doc_tokens[j] == 0:
                    continue
                if own_topics[t, g] == 0.0:
                    pairs[m] = t * G + g
                    m += 1
                own_topics[t, g] += data.doc_tokens[j]
        for pair in pairs[:m]:
            t = pair // G
            g = pair % G
            value = own_topics[t, g]
            left = 1 - unit_words[g] / tokens[g]
            own_topics[t, g] = 0.0
            row = by_topic[t, g]
            row[_TOKENS] += value
            row[_UNITS] += 1
            row[_WORDS] += unit_words[g]
            if left > ALONE_LEVERAGE_GAP:
                row[_SQUARE] += value * value / left
                row[_PRODUCT] += value * unit_words[g] / left
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
