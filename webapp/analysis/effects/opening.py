"""Which two values of a category the page of effects compares where none are asked for."""

from itertools import combinations

import numpy as np

from inference.answers import LEAST_UNITS
from inference.effects import time_curve
from webapp.analysis.answers.cautions import FEW_UNITS


def comparable_values(
    value: np.ndarray,
    words: np.ndarray,
    unit: np.ndarray | None,
    period: np.ndarray | None,
    named: int,
) -> tuple[int, int] | None:
    """The two most frequent values that many units have and that occur at the same times; of
    LEAST_UNITS units where no two have FEW_UNITS. None where no two can be compared.

    value: int32[D], of each document, -1 for none; the values below `named` may be compared. words:
    float64[D], 0 for a document that does not count. unit: int[D], -1 for a document that is one by
    itself; None: each is. period: int[D], -1 without a date; None: time is not held constant.
    """
    counts = (value >= 0) & (value < named) & (words > 0)
    value = value[counts]
    words = words[counts]
    words_of_value = np.bincount(value, weights=words, minlength=named)
    by_frequency = np.argsort(-words_of_value, kind="stable").tolist()
    units_of_value = _count_units(value, None if unit is None else unit[counts], named)
    period_of_document = None if period is None else period[counts]
    for least in (FEW_UNITS, LEAST_UNITS):
        enough = [i for i in by_frequency if units_of_value[i] >= least]
        pairs = sorted(combinations(range(len(enough)), 2), key=sum)
        for first, second in pairs:
            pair = (enough[first], enough[second])
            if period_of_document is None or _overlap(value, words, period_of_document, pair):
                return pair
    return None


def _count_units(value: np.ndarray, unit: np.ndarray | None, named: int) -> np.ndarray:
    """int64[named]: units with texts of each value."""
    if unit is None:
        return np.bincount(value, minlength=named)
    by_itself = np.bincount(value[unit < 0], minlength=named)
    has_unit = unit >= 0
    value_and_unit = np.stack([value[has_unit], unit[has_unit]]).astype(np.int64)
    distinct = np.unique(value_and_unit, axis=1)
    return by_itself + np.bincount(distinct[0], minlength=named)


def _overlap(
    value: np.ndarray, words: np.ndarray, period: np.ndarray, pair: tuple[int, int]
) -> bool:
    """Whether two values occur at the same times."""
    of_pair = np.isin(value, pair) & (period >= 0)
    if len(np.unique(value[of_pair])) < len(pair):
        return False
    side = (value[of_pair] == pair[1]).astype(np.int64)
    return time_curve.overlap(words[of_pair], side, period[of_pair])
