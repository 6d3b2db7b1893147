"""A claim about time in several runs at once: neighbouring periods are alike, so that they can't be
exchanged as units are.

Each topic's series of residual shares is compared with series that have no direction but depend on
the period before as it does: AR(1), its coefficient from the mean of all runs' series, which has
the least noise of reading, freed from the change that is tested and corrected for the bias that
this brings (a little more than Kendall 1954 has), with the runs' correlations. The statistic is the
median over runs of what moves the estimate, in the series' own size. A run in which the topic is
not found counts as no change.

Of planted nulls with AR(1) 0.5 about 5% are called robust, picked as the clearest of 40 or not,
with 0.7 up to 15% of picked ones (`python -m benchmarks.conclusions --robust`).
"""

from collections.abc import Sequence

import numpy as np

from inference.effects.joint import Joint, UnitResiduals
from inference.kernels import rng
from inference.runtime.arrays import ABOVE_ZERO

LEAST_PERIODS = 12
MOST_PERIODS = 120
DRAWS = 199, 999  # series drawn for each topic, as many as NUMBERS allow
NUMBERS = 100_000_000
_STEADY = 0.97  # the largest coefficient
_NOTABLE = 0.15  # a correlation
RIDGE = 1e-6  # added to correlations of runs that are nearly the same
ROUNDING = 1e-12


def tested(runs: Sequence[UnitResiduals], lever: np.ndarray) -> Joint:
    """runs: of each the same T topics' sums by P periods in their order, NaN of a topic that it has
    not; lever: float64[P], what a share of 1 in each period adds to the estimate."""
    # Shares are of each run's own words: another choice of words counts others
    own_words = [np.maximum(run.words, ABOVE_ZERO) for run in runs]
    words = own_words[0]
    series = np.stack(
        [
            np.nan_to_num(run.residual) / words_of_run[:, None]
            for run, words_of_run in zip(runs, own_words, strict=True)
        ]
    )
    has_topic = np.stack([np.isfinite(run.residual).all(axis=0) for run in runs])
    V, P, T = series.shape
    weight = words / words.sum()
    series = series - np.einsum("p,vpt->vt", weight, series)[:, None]
    phi = coefficients(_without_line(series.mean(axis=0), lever / words, weight))
    root = _root_of_correlation(series)
    n = int(np.clip(NUMBERS // series.size, *DRAWS))
    null = np.empty((n, T))
    for i in range(n):
        at_random = rng.normals(P * V * T, rng.stream(rng.SERIES, i)).reshape(P, V, T)
        drawn = np.einsum("tvu,put->pvt", root, at_random)
        drawn[1:] *= np.sqrt(1 - phi**2)
        for p in range(1, P):
            drawn[p] += phi * drawn[p - 1]
        null[i] = np.abs(_moved(drawn.swapaxes(0, 1) * has_topic[:, None], weight, lever))
    observed = np.abs(_moved(series, weight, lever))
    scale = np.maximum(np.sqrt((null**2).mean(axis=0)), ABOVE_ZERO)
    scores = null / scale
    least = observed / scale - ROUNDING
    largest = scores.max(axis=1)[:, None]
    p = (1 + (scores >= least).sum(axis=0)) / (1 + n)
    p_of_clearest = (1 + (largest >= least).sum(axis=0)) / (1 + n)
    estimate = np.median(np.einsum("p,vpt->vt", lever, series), axis=0)
    return Joint(estimate, p, p_of_clearest)


def _without_line(series: np.ndarray, line: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """float64[P, T]: what a line, float64[P], leaves of each topic's series. weight: float64[P], of
    each period."""
    weighted_line = weight * line
    slopes = weighted_line @ series / (weighted_line @ line)
    return series - np.outer(line, slopes)


def _root_of_correlation(series: np.ndarray) -> np.ndarray:
    """float64[T, V, V]: of the runs' series of each topic. series: float64[V, P, T]."""
    product = np.einsum("vpt,upt->tvu", series, series)
    size = np.sqrt(np.maximum(np.einsum("tvv->tv", product), ABOVE_ZERO))
    correlation = product / (size[:, :, None] * size[:, None])
    return np.linalg.cholesky(correlation + RIDGE * np.eye(len(series)))


def coefficients(series: np.ndarray) -> np.ndarray:
    """float64[T], how much of itself each series keeps from one period to the next: the coefficient
    of AR(1). series: float64[P, T]. What is counted has noise, which lowers all
    correlations alike: by as much as those of two periods are above the square of those of one, in
    the middle of all topics."""
    P = len(series)
    variance = np.maximum((series**2).sum(axis=0), ABOVE_ZERO)

    def correlation(lag: int) -> np.ndarray:
        product = (series[lag:] * series[:-lag]).sum(axis=0)
        return (product / variance * P + 3) / (P - 5)

    of_next = correlation(1)
    usual = np.median(of_next)
    next_but_one = np.median(correlation(2))
    noise = np.clip(next_but_one / usual**2, 1.0, 2.0) if usual > _NOTABLE else 1.0
    return np.clip(np.maximum(of_next, usual * noise), 0.0, _STEADY)


def _moved(series: np.ndarray, weight: np.ndarray, lever: np.ndarray) -> np.ndarray:
    """float64[T]. series: float64[V, P, T]."""
    deviation = series - np.einsum("p,vpt->vt", weight, series)[:, None]
    size = np.sqrt(np.maximum(np.einsum("p,vpt->vt", weight, deviation**2), ABOVE_ZERO))
    return np.median(np.einsum("p,vpt->vt", lever, deviation) / size, axis=0)
