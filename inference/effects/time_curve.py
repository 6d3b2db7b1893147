"""Time that is held constant: a curve over periods, and whether two sides speak at the same
times."""

import numpy as np

SPOKEN = 0.05  # of a period's words that are a side's, for it to speak there
OVERLAP = 0.25  # of a side's words in periods where both speak
KNOTS = 6  # of the linear spline over time that is held constant


def spline(period: np.ndarray, words: np.ndarray) -> np.ndarray:
    """float64[C, 1 + n]: 1, time from 0 to 1 and up to KNOTS - 1 bends of it, between which there
    are as many words. period, words: float64[C], of each cell."""
    period = np.asarray(period, float)
    has_words = words > 0
    if not has_words.any() or not np.ptp(period[has_words]):
        return np.ones((len(period), 1))
    t = (period - period[has_words].min()) / np.ptp(period[has_words])
    order = np.argsort(t[has_words], kind="stable")
    part = np.cumsum(words[has_words][order]) / words.sum()
    times = t[has_words][order]
    periods_of_knots = np.searchsorted(part, np.arange(1, KNOTS) / KNOTS)
    knots = np.unique(times[np.minimum(periods_of_knots, len(part) - 1)])
    bends = [np.maximum(t - knot, 0) for knot in knots if 0 < knot < 1]
    return np.stack([np.ones(len(t)), t, *bends], axis=1)


def overlap(words: np.ndarray, side: np.ndarray, period: np.ndarray) -> bool:
    """Whether each side has OVERLAP of its words in periods in which the other speaks, too: else an
    effect can't be told from time. words, side, period: of each cell."""
    _, period_number = np.unique(period, return_inverse=True)
    by_side = np.stack(
        [np.bincount(period_number, weights=np.where(side == s, words, 0.0)) for s in (0, 1)]
    )
    has_both_sides = (by_side >= SPOKEN * by_side.sum(axis=0)).all(axis=0) & (by_side > 0).all(
        axis=0
    )
    return bool((by_side[:, has_both_sides].sum(axis=1) >= OVERLAP * by_side.sum(axis=1)).all())
