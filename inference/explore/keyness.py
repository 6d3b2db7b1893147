"""Keyness: which words one set of documents uses more than another, with intervals.

The measure is the ratio of relative frequencies (its logarithm is the log ratio of Hardie 2014). It
is answered as every difference is (inference.answers): units are independent of each other, not
tokens. On random halves of a collection the log-likelihood G2 of tokens (Dunning 1993) calls every
eighth word different.
"""

from typing import NamedTuple

import numpy as np

from inference.answers import MOST_OF_ONE, Answers
from inference.answers.words import UnitWordSums
from inference.log_likelihood import g2_of_parts


class Keyness(NamedTuple):
    """How much more often forms are in one set than in another, float64[n] unless said otherwise.

    ratio: log2 of the first set's relative frequency over the second's, inf or -inf where one of
    them has none; low, high: its interval, infinite at an end that nothing bounds, NaN where
    nothing can be said. p: of ratio = 0. different: bool[n], those beyond chance: exactly where the
    interval excludes 0. g2: the log-likelihood ratio of the four cells of tokens, for an order
    only. burst: bool[n], of those one unit has more than half of the uses on the larger side, or
    without it the difference may be chance.
    """

    ratio: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    different: np.ndarray
    g2: np.ndarray
    burst: np.ndarray


def keyness(answers: Answers, sums: UnitWordSums, words: np.ndarray) -> Keyness:
    """words: float64[2], of either set."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log2(answers.ratio)
        low = np.log2(answers.ratio_low)
        high = np.log2(answers.ratio_high)
        without = np.sign(answers.difference) * answers.without
        may_be_chance = without <= answers.critical * answers.error
        burst = answers.accepted & ((answers.part > MOST_OF_ONE) | may_be_chance)
    return Keyness(
        ratio=ratio,
        low=low,
        high=high,
        p=answers.p,
        different=answers.accepted,
        g2=g2_of_parts(sums.tokens, np.asarray(words)),
        burst=burst,
    )


def nearer_end(k: Keyness) -> np.ndarray:
    """float64[n]: the end of the interval that is nearer to 0, 0 where it holds 0 or is not known:
    what is surely so."""
    return np.where(k.low > 0, k.low, np.where(k.high < 0, k.high, 0.0))
