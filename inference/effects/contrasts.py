"""Two sides compared: shares, their difference and ratio, and what can't be said of them."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import logit, stdtr

from inference.effects import regression, shares
from inference.effects.regression import Data
from inference.effects.shares import Shares
from inference.effects.units import LEAST, LEVEL

Verdict = Literal["", "few units", "apart in time"]
SPOKEN = 0.05  # of a period's words that are a side's, for it to speak there
OVERLAP = 0.25  # of a side's words in periods where both speak
_RARE = 1e-12  # a share below which a logit says nothing
KNOTS = 6  # of the linear spline over time that is held constant


class Contrast(NamedTuple):
    """Of T topics. sides: of a and b, their shares as they are counted; a, b: the shares that are compared, b's at the times of a
    where time is held constant; float64[T, 2] each. correlation: float64[T], of both, as a unit may be on both. verdict: why no
    interval is given, or ""."""

    sides: Shares
    compared: Shares
    correlation: np.ndarray
    verdict: Verdict

    @property
    def difference(self) -> np.ndarray:
        """float64[T]: a - b."""
        return self.compared.share[:, 0] - self.compared.share[:, 1]

    @property
    def ratio(self) -> np.ndarray:
        """float64[T]: a / b."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.compared.share[:, 0] / np.maximum(self.compared.share[:, 1], 0.0)

    def between(self, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """(low, high) of the difference, by the method of variance estimates recovery (Zou and Donner 2008, eq. 7 and, of sides
        that depend on each other, section 2.2); NaN where there is a verdict."""
        return self._recovered(lambda x: x, level)

    def times(self, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """(low, high) of the ratio, the same on the scale of the logarithm; inf of nothing."""
        low, high = self._recovered(lambda x: np.log(np.maximum(x, _RARE)), level)
        interval, told = shares.intervals(self.compared, level), self._told
        a, b = self.compared.share.T
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            low = np.where((a > 0) & (b > 0), np.exp(low), interval.low[:, 0] / interval.high[:, 1])
            high = np.where(a > 0, np.exp(high), interval.high[:, 0] / interval.low[:, 1])
        return np.where(told, low, np.nan), np.where(told, np.where(b > 0, high, np.inf), np.nan)

    @property
    def _told(self) -> np.ndarray:
        """bool[T]: topics that LEAST units of one side have, where there is no verdict."""
        return (self.sides.holding.max(axis=1) >= LEAST) & (not self.verdict)

    def _recovered(self, scale: Callable[[np.ndarray], np.ndarray], level: float) -> tuple[np.ndarray, np.ndarray]:
        ends = shares.intervals(self.compared, level)
        point, low, high = (scale(array) for array in (self.compared.share, ends.low, ends.high))
        apart, down, up = point[:, 0] - point[:, 1], point - low, high - point

        def reach(first: np.ndarray, second: np.ndarray) -> np.ndarray:
            return np.sqrt(np.maximum(first**2 + second**2 - 2 * self.correlation * first * second, 0.0))

        told = np.where(self._told, 1.0, np.nan)
        return told * (apart - reach(down[:, 0], up[:, 1])), told * (apart + reach(up[:, 0], down[:, 1]))

    @property
    def p(self) -> np.ndarray:
        """float64[T]: two-sided, of no difference, on the scale of the logit, with the fewer degrees of freedom; 1 where there
        is a verdict or the larger side has the topic in FEW units."""
        interval = shares.intervals(self.compared)
        a, b = self.compared.share.T
        (a_tested, b_tested), (a_error, b_error) = interval.tested.T, interval.error.T
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.sqrt(a_error**2 + b_error**2 - 2 * self.correlation * a_error * b_error)
            p = 2 * stdtr(
                self.compared.df.min(), -np.abs(_logit(a_tested) - _logit(b_tested)) / np.maximum(error, _RARE)
            )
        larger_has_few = np.where(a > b, a_tested != a, b_tested != b)
        wrong = (a_tested > b_tested) != (a > b)  # the stand-in reaches over the other side
        known = np.isfinite(p) & ~larger_has_few & ~wrong & self._told
        return np.where(known, p, 1.0)


def _logit(x: np.ndarray) -> np.ndarray:
    return logit(np.clip(x, _RARE, 1 - _RARE))


def of_sides(data: Data, side: np.ndarray, period: np.ndarray | None = None) -> Contrast:
    """side: int8[C], of each cell of data.cell: 0 for a, 1 for b, -1 for neither. period: int[C], the cell's time, to be held
    constant: shares are then regressed on a linear spline of it, and b's share is told at the times of a.
    """
    side = np.asarray(side)
    data = data._replace(cell=np.where((data.cell >= 0) & (side[data.cell] >= 0), data.cell, np.int32(-1)))
    words = np.bincount(data.cell[data.cell >= 0], weights=data.lengths[data.cell >= 0], minlength=len(side))
    trend = np.ones((len(side), 1)) if period is None else spline(period, words)
    design = np.concatenate([trend, (side == 0).astype(float)[:, None]], axis=1)
    mix = np.where(side == 0, words, 0.0)
    base = np.append(mix @ trend / max(mix.sum(), 1e-300), 0.0)
    effect = np.append(np.zeros(trend.shape[1]), 1.0)
    fit = regression.fit(data, design, np.stack([base + effect, base, effect]))
    alone = data._replace(cell=np.where(data.cell >= 0, side[data.cell], -1).astype(np.int32))
    counted = shares.of_groups(alone, 2)
    verdict: Verdict = ""
    if counted.units.min() < LEAST:
        verdict = "few units"
    elif period is not None and not overlap(words, side, period):
        verdict = "apart in time"
    a, b, apart = fit.variance
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.clip(np.nan_to_num((a + b - apart) / (2 * np.sqrt(a * b))), -1.0, 1.0)
    compared = counted._replace(share=fit.estimate[:2].T, variance=fit.variance[:2].T, df=fit.df[:2])
    return Contrast(counted, compared, correlation, verdict)


def spline(period: np.ndarray, words: np.ndarray) -> np.ndarray:
    """float64[C, 1 + n]: 1, time from 0 to 1 and up to KNOTS - 1 bends of it, between which there are as many words."""
    period = np.asarray(period, float)
    some = words > 0
    if not some.any() or not np.ptp(period[some]):
        return np.ones((len(period), 1))
    t = (period - period[some].min()) / np.ptp(period[some])
    order = np.argsort(t[some], kind="stable")
    part = np.cumsum(words[some][order]) / words.sum()
    knots = np.unique(t[some][order][np.minimum(np.searchsorted(part, np.arange(1, KNOTS) / KNOTS), len(part) - 1)])
    bends = [np.maximum(t - knot, 0) for knot in knots if 0 < knot < 1]
    return np.stack([np.ones(len(t)), t, *bends], axis=1)


def overlap(words: np.ndarray, side: np.ndarray, period: np.ndarray) -> bool:
    """Whether each side has OVERLAP of its words in periods in which the other speaks, too: else an effect can't be told from
    time. words, side, period: of each cell."""
    _, place = np.unique(period, return_inverse=True)
    by_side = np.stack([np.bincount(place, weights=np.where(side == s, words, 0.0)) for s in (0, 1)])
    both = (by_side >= SPOKEN * by_side.sum(axis=0)).all(axis=0) & (by_side > 0).all(axis=0)
    return bool((by_side[:, both].sum(axis=1) >= OVERLAP * by_side.sum(axis=1)).all())
