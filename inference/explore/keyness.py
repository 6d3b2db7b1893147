"""Keyness: which words one set of documents uses more than another, with intervals.

The measure is the log ratio of relative frequencies (Hardie 2014), to the base 2. Its interval
takes documents as independent, not tokens: a word that is in one document comes in many of its
sentences. On random halves of a collection the log-likelihood G2 of tokens (Dunning 1993) calls
every eighth word different; the intervals here hold 0 in 95 of 100.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from inference.effects.corrections import level_of_named
from inference.explore.association import log_likelihood
from inference.index.two_sets import FormSums, Totals

LEVEL = (
    0.05  # false discoveries among what is shown, and 1 - the coverage of the intervals of these
)
FEW = 5  # documents of a side below which it has too few for an interval
HALF = (
    0.5  # added to counts (Agresti 2013, section 3.1): a word that a side lacks has a finite ratio
)
BURST = 0.5  # of a word's tokens on its side: if one document has as many, the word is marked


class Keyness(NamedTuple):
    """Of forms, float64[n] unless said otherwise.

    ratio: log2 of the first set's relative frequency over the second's; low, high: its interval,
    adjusted for selection, infinite at the end that a side with few documents leaves open ("at
    least"). adjusted: p values of ratio = 0 (Benjamini and Hochberg 1995). different: bool[n],
    those of which at most LEVEL are expected to be false. g2: the log-likelihood ratio of the four
    cells of tokens, for an order only. burst: bool[n], of those one document has half of the uses
    on the larger side, or without that document the interval holds 0.
    """

    ratio: np.ndarray
    low: np.ndarray
    high: np.ndarray
    adjusted: np.ndarray
    different: np.ndarray
    g2: np.ndarray
    burst: np.ndarray


def keyness(of_forms: FormSums, totals: Totals, level: float = LEVEL) -> Keyness:
    """Every form is tested; intervals are those of a family of selected ones (level_of_named). A
    set without tokens has no frequencies: the caller refuses it."""
    from scipy.stats import (
        false_discovery_control,  # here: half a second, of the start of every process
    )

    n = len(of_forms.forms)
    ratio, error = _estimate(of_forms, totals)
    p = 2 * ndtr(-np.abs(ratio) / error)
    adjusted = false_discovery_control(p) if n else p
    different = adjusted <= level
    z = float(ndtri((1 + level_of_named(int(different.sum()), n, level)) / 2))
    low, high = ratio - z * error, ratio + z * error
    few = of_forms.documents < FEW
    rarer = np.where(ratio > 0, 1, 0)  # the side that uses it less
    open_end = few[np.arange(n), rarer]
    different &= ~few[np.arange(n), 1 - rarer]
    return Keyness(
        ratio,
        np.where(open_end & (ratio < 0), -np.inf, low),
        np.where(open_end & (ratio > 0), np.inf, high),
        adjusted,
        different,
        log_likelihood(of_forms.tokens, totals.tokens),
        different & _one_document(of_forms, totals, z),
    )


def differ(of_forms: FormSums, totals: Totals, level: float = LEVEL) -> np.ndarray:
    """bool[n]: whose relative frequencies differ, at most `level` of them falsely: by the
    generalized score test (Boos 1992) with documents as units. Where counts are small it finds more
    than `keyness`, whose intervals are wide for a set with hardly any."""
    from scipy.stats import false_discovery_control

    f, tokens = of_forms.tokens.astype(np.float64), totals.tokens.astype(np.float64)
    rate = f.sum(axis=1, keepdims=True) / tokens.sum()  # were it the same in both
    spread = of_forms.squares - 2 * rate * of_forms.products + rate * rate * totals.squares
    error = np.sqrt((spread * (1 - tokens / tokens.sum()) ** 2).sum(axis=1))
    p = 2 * ndtr(-np.abs(f[:, 0] - rate[:, 0] * tokens[0]) / np.maximum(error, 1e-300))
    return false_discovery_control(p) <= level if len(p) else np.zeros(0, bool)


def nearer_end(k: Keyness) -> np.ndarray:
    """float64[n]: the end of the interval that is nearer to 0, 0 where it holds 0: what is surely
    so."""
    return np.where(k.low > 0, k.low, np.where(k.high < 0, k.high, 0.0))


def _estimate(of_forms: FormSums, totals: Totals) -> tuple[np.ndarray, np.ndarray]:
    """Log ratio and its standard error, to the base 2: float64[n] each. The variance of each side's
    log frequency is that of a ratio of two sums over documents (Cochran 1977, section 6.4), at
    least that of as many independent documents as have the word."""
    f, df = of_forms.tokens.astype(np.float64), of_forms.documents
    tokens, squares = totals.tokens.astype(np.float64), totals.squares.astype(np.float64)
    rate = (f + HALF) / (tokens + 1)
    documents = totals.documents.astype(np.float64)
    spread = of_forms.squares - 2 * rate * of_forms.products + rate * rate * squares
    variance = np.maximum(
        spread * (documents / np.maximum(documents - 1, 1)) / (f + HALF) ** 2, 1 / (df + HALF)
    )
    return np.log2(rate[:, 0] / rate[:, 1]), np.sqrt(variance.sum(axis=1)) / np.log(2)


def _one_document(of_forms: FormSums, totals: Totals, z: float) -> np.ndarray:
    """bool[n]: whether the document with most of a word, on the side that uses it more, carries the
    finding."""
    rows, side = np.arange(len(of_forms.forms)), np.where(_estimate(of_forms, totals)[0] > 0, 0, 1)
    count, length = of_forms.largest[rows, side], of_forms.longest[rows, side]
    out = np.zeros(of_forms.tokens.shape, np.int64)
    out[rows, side] = 1
    without = of_forms._replace(
        tokens=of_forms.tokens - out * count[:, None],
        documents=of_forms.documents - out,
        squares=of_forms.squares - out * (count * count)[:, None],
        products=of_forms.products - out * (count * length)[:, None],
    )
    left = Totals(  # int64[n, 2]: each form leaves out a document of its own
        totals.documents - out,
        totals.tokens - out * length[:, None],
        totals.squares - out * (length * length)[:, None],
    )
    ratio, error = _estimate(without, left)
    same_side = np.where(side == 0, ratio, -ratio)
    return (count >= BURST * of_forms.tokens[rows, side]) | (same_side - z * error <= 0)
