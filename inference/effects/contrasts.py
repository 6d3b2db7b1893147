"""Two sides compared: shares, their difference and ratio, and what can't be said of them."""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import logit, stdtr

from inference.effects import regression, shares
from inference.effects.units import LEAST, LEVEL

Estimator = Callable[[regression.Data, np.ndarray, np.ndarray], regression.Fit]  # as regression.fit
Verdict = Literal["", "few units", "apart in time", "not apart"]
SPOKEN = 0.05  # of a period's words that are a side's, for it to speak there
OVERLAP = 0.25  # of a side's words in periods where both speak
_RARE = 1e-12  # a share below which a logit says nothing
KNOTS = 6  # of the linear spline over time that is held constant


class Plain(NamedTuple):
    """Two sides and their difference as a regression has them, with Student's t: for changes, which
    may be negative, and for shares that a design expects outside 0 to 1. fit: of a, b and a - b.
    told: bool[T], topics of which it can be said; verdict: why not of any."""

    fit: regression.Fit
    told: np.ndarray
    verdict: Verdict

    @property
    def value(self) -> np.ndarray:
        """float64[T, 2]."""
        return self.fit.estimate[:2].T

    @property
    def difference(self) -> np.ndarray:
        """float64[T]: a - b."""
        return self.fit.estimate[2]

    def ends(self, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """(low, high) of both sides: float64[T, 2] each, NaN where there is a verdict."""
        low, high = self._reach(level)
        return low[:2].T, high[:2].T

    def between(self, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """(low, high) of the difference: float64[T] each."""
        low, high = self._reach(level)
        return low[2], high[2]

    def _reach(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        known = self.told & (not self.verdict)
        low, high = (np.where(known, end, np.nan) for end in regression.reach(self.fit, level))
        return low, high

    @property
    def p(self) -> np.ndarray:
        """float64[T]: two-sided, of no difference; 1 where nothing is told."""
        with np.errstate(invalid="ignore", divide="ignore"):
            p = 2 * stdtr(self.fit.df[2], -np.abs(self.difference) / np.sqrt(self.fit.variance[2]))
        return np.where(np.isfinite(p) & self.told & (not self.verdict), p, 1.0)


class Contrast(NamedTuple):
    """Of T topics. sides: of a and b, their shares as they are counted; compared: the shares that
    are compared, b's at the times of a where time is held constant; float64[T, 2] each.
    correlation: float64[T], of both, as a unit may be on both. plain: the same as the regression
    has it, for shares that it expects outside 0 to 1."""

    sides: shares.Shares
    compared: shares.Shares
    correlation: np.ndarray
    plain: Plain

    @property
    def verdict(self) -> Verdict:
        return self.plain.verdict

    @property
    def value(self) -> np.ndarray:
        """float64[T, 2]: the shares that are compared, within 0 and 1."""
        return np.clip(self.compared.share, 0.0, 1.0)

    @property
    def difference(self) -> np.ndarray:
        """float64[T]: a - b."""
        return self.compared.share[:, 0] - self.compared.share[:, 1]

    def refused(self, verdict: Verdict) -> "Contrast":
        """The same of which nothing is concluded."""
        return self._replace(plain=self.plain._replace(verdict=verdict))

    @property
    def _outside(self) -> np.ndarray:
        return np.any((self.compared.share < 0) | (self.compared.share > 1), axis=1)

    def ends(self, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """(low, high) of both shares: float64[T, 2] each, NaN where there is a verdict."""
        interval, (low, high) = shares.intervals(self.compared, level), self.plain.ends(level)
        outside = self._outside[:, None]
        return np.where(outside, np.clip(low, 0, 1), interval.low), np.where(
            outside, np.clip(high, 0, 1), interval.high
        )

    @property
    def ratio(self) -> np.ndarray:
        """float64[T]: a / b."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.compared.share[:, 0] / np.maximum(self.compared.share[:, 1], 0.0)

    def between(self, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
        """(low, high) of the difference, by the method of variance estimates recovery (Zou and
        Donner 2008, eq. 7 and, of sides that depend on each other, section 2.2); NaN where there is
        a verdict."""
        (low, high), (least, most) = self._recovered(lambda x: x, level), self.plain.between(level)
        return np.where(self._outside, least, low), np.where(self._outside, most, high)

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

    def _recovered(
        self, scale: Callable[[np.ndarray], np.ndarray], level: float
    ) -> tuple[np.ndarray, np.ndarray]:
        ends = shares.intervals(self.compared, level)
        point, low, high = (scale(array) for array in (self.compared.share, ends.low, ends.high))
        apart, down, up = point[:, 0] - point[:, 1], point - low, high - point

        def reach(first: np.ndarray, second: np.ndarray) -> np.ndarray:
            return np.sqrt(
                np.maximum(first**2 + second**2 - 2 * self.correlation * first * second, 0.0)
            )

        told = np.where(self._told, 1.0, np.nan)
        return told * (apart - reach(down[:, 0], up[:, 1])), told * (
            apart + reach(up[:, 0], down[:, 1])
        )

    @property
    def p(self) -> np.ndarray:
        """float64[T]: two-sided, of no difference, on the scale of the logit, with the fewer
        degrees of freedom; 1 where there is a verdict or the larger side has the topic in FEW
        units."""
        interval = shares.intervals(self.compared)
        a, b = self.compared.share.T
        (a_tested, b_tested), (a_error, b_error) = interval.tested.T, interval.error.T
        with np.errstate(invalid="ignore", divide="ignore"):
            error = np.sqrt(a_error**2 + b_error**2 - 2 * self.correlation * a_error * b_error)
            p = 2 * stdtr(
                self.compared.df.min(),
                -np.abs(_logit(a_tested) - _logit(b_tested)) / np.maximum(error, _RARE),
            )
        larger_has_few = np.where(a > b, a_tested != a, b_tested != b)
        wrong = (a_tested > b_tested) != (a > b)  # the stand-in reaches over the other side
        known = np.isfinite(p) & ~larger_has_few & ~wrong & self._told
        return np.where(self._outside, self.plain.p, np.where(known, p, 1.0))


def _logit(x: np.ndarray) -> np.ndarray:
    return logit(np.clip(x, _RARE, 1 - _RARE))


def of_sides(data: regression.Data, side: np.ndarray, period: np.ndarray | None = None) -> Contrast:
    """side: int8[C], of each cell of data.cell: 0 for a, 1 for b, -1 for neither. period: int[C],
    the cell's time, to be held constant: shares are then regressed on a linear spline of it, and
    b's share is told at the times of a.
    """
    side = np.asarray(side)
    data = data._replace(
        cell=np.where((data.cell >= 0) & (side[data.cell] >= 0), data.cell, np.int32(-1))
    )
    words = np.bincount(
        data.cell[data.cell >= 0], weights=data.lengths[data.cell >= 0], minlength=len(side)
    )
    trend = np.ones((len(side), 1)) if period is None else spline(period, words)
    design = np.concatenate([trend, (side == 0).astype(float)[:, None]], axis=1)
    mix = np.where(side == 0, words, 0.0)
    base = np.append(mix @ trend / max(mix.sum(), 1e-300), 0.0)
    effect = np.append(np.zeros(trend.shape[1]), 1.0)
    contrast = of_settings(data, design, np.stack([base + effect, base]), side)
    apart = (
        contrast.verdict != "few units" and period is not None and not overlap(words, side, period)
    )
    return contrast.refused("apart in time") if apart else contrast


def of_settings(
    data: regression.Data,
    design: np.ndarray,
    settings: np.ndarray,
    side: np.ndarray,
    fit: Estimator = regression.fit,
) -> Contrast:
    """The shares that a design expects at two settings. design: float64[C, P]; settings: float64[2,
    P], a row of it for a and b; side: int8[C], the cells that speak of a (0), of b (1), or of
    neither (-1). fit: what estimates.
    """
    counted = _counted(data, side, 2)
    plain = _plain(
        fit(data, design, np.concatenate([settings, settings[:1] - settings[1:]])), counted
    )
    a, b, apart = plain.fit.variance
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.clip(np.nan_to_num((a + b - apart) / (2 * np.sqrt(a * b))), -1.0, 1.0)
    compared = counted._replace(
        share=np.where(np.abs(plain.value) < _RARE, 0.0, plain.value),
        variance=plain.fit.variance[:2].T,
        df=plain.fit.df[:2],
    )
    return Contrast(counted, compared, correlation, plain)


def along(
    data: regression.Data, design: np.ndarray, settings: np.ndarray, fit: Estimator = regression.fit
) -> Plain:
    """The same where all documents speak of both settings, as along a line."""
    return _plain(
        fit(data, design, np.concatenate([settings, settings[:1] - settings[1:]])),
        _counted(data, np.zeros(len(design), np.int8), 1),
    )


def of_changes(
    data: regression.Data,
    design: np.ndarray,
    settings: np.ndarray,
    side: np.ndarray,
    sides: int,
    fit: Estimator = regression.fit,
) -> Plain:
    """How a change differs: (settings[0] - settings[1]) against (settings[2] - settings[3]). side:
    as above, 0 to sides - 1."""
    first, second = settings[0] - settings[1], settings[2] - settings[3]
    return _plain(
        fit(data, design, np.stack([first, second, first - second])), _counted(data, side, sides)
    )


def _counted(data: regression.Data, side: np.ndarray, sides: int) -> shares.Shares:
    cell = np.where(data.cell >= 0, np.asarray(side)[data.cell], -1).astype(np.int32)
    return shares.of_groups(data._replace(cell=cell), sides)


def _plain(fit: regression.Fit, counted: shares.Shares) -> Plain:
    verdict: Verdict = ""
    if counted.units.min() < LEAST:
        verdict = "few units"
    elif fit.alone[2] or not np.isfinite(fit.variance).all():
        verdict = "not apart"
    return Plain(fit, counted.holding.max(axis=1) >= LEAST, verdict)


def spline(period: np.ndarray, words: np.ndarray) -> np.ndarray:
    """float64[C, 1 + n]: 1, time from 0 to 1 and up to KNOTS - 1 bends of it, between which there
    are as many words."""
    period = np.asarray(period, float)
    some = words > 0
    if not some.any() or not np.ptp(period[some]):
        return np.ones((len(period), 1))
    t = (period - period[some].min()) / np.ptp(period[some])
    order = np.argsort(t[some], kind="stable")
    part = np.cumsum(words[some][order]) / words.sum()
    knots = np.unique(
        t[some][order][
            np.minimum(np.searchsorted(part, np.arange(1, KNOTS) / KNOTS), len(part) - 1)
        ]
    )
    return np.stack(
        [np.ones(len(t)), t, *[np.maximum(t - knot, 0) for knot in knots if 0 < knot < 1]], axis=1
    )


def overlap(words: np.ndarray, side: np.ndarray, period: np.ndarray) -> bool:
    """Whether each side has OVERLAP of its words in periods in which the other speaks, too: else an
    effect can't be told from time. words, side, period: of each cell."""
    _, place = np.unique(period, return_inverse=True)
    by_side = np.stack(
        [np.bincount(place, weights=np.where(side == s, words, 0.0)) for s in (0, 1)]
    )
    both = (by_side >= SPOKEN * by_side.sum(axis=0)).all(axis=0) & (by_side > 0).all(axis=0)
    return bool((by_side[:, both].sum(axis=1) >= OVERLAP * by_side.sum(axis=1)).all())
