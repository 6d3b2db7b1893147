"""Topics that rose or fell, and since when: one change of level, located and tested over all periods at once."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri_exp

from inference.findings import sums
from inference.findings.sums import Ratio, Shares, Sums

EDGE = 0.05  # of the words that must lie on either side of a change
LEAST_DOCUMENTS = 30  # on either side
LEAST_UNITS = 4
STAYS = 1 / 3  # of the change, on the logarithm, that each half of either side must show: a burst is no rise
HANSEN = (
    7.35  # by how many variances a place within the 95% interval may fit worse than the best (Hansen 2000, table 1)
)


class Changes(NamedTuple):
    """Of each topic the best place to cut time in two: float64[T] or int64[T].

    cut: the first period of the later side, -1 where there can be none; first, last: periods between which it may lie
    (95%). before, after: shares, and their ends low_before …. ratio, low, high: after over before, 95%. p: of no change at
    all, the choice of the place included. stays: bool[T], whether both halves of each side are on their side.
    """

    cut: np.ndarray
    first: np.ndarray
    last: np.ndarray
    before: np.ndarray
    low_before: np.ndarray
    high_before: np.ndarray
    after: np.ndarray
    low_after: np.ndarray
    high_after: np.ndarray
    ratio: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    stays: np.ndarray


def changes(of: Sums) -> Changes:
    """of: a group for each period, in time's order (by_group or in_blocks).

    Time is cut where two levels fit the periods' shares best, by least squares with the words as weights, so that "since"
    is when most of the change came. The shares on either side are then compared (sums.ratio). As the place was chosen,
    that statistic is tested as the largest of all places: the maximum of a standardised Brownian bridge (Csörgő and
    Horváth 1997, eq. 1.3.26), or by Bonferroni over the places where that is smaller.
    """
    T = of.x.shape[1]
    cuts = _cuts(of)
    if not len(cuts):
        nan, no = np.full(T, np.nan), np.full(T, -1)
        none = (nan, nan, nan, nan, nan, nan, nan, nan, nan)
        return Changes(no, no, no, *none, np.ones(T), np.zeros(T, bool))
    typical = sums.typical(of)
    fit, noise = _fits(of, cuts)
    best = fit.argmax(axis=0)
    near = fit >= fit.max(axis=0) - HANSEN * noise
    first, last = near.argmax(axis=0), len(cuts) - 1 - near[::-1].argmax(axis=0)
    both, ratio = np.empty((6, T)), np.empty((4, T))
    for i in np.unique(best):
        here = best == i
        sides = [sums.shares(of.over(side), typical) for side in (slice(0, cuts[i]), slice(cuts[i], None))]
        both[:, here] = np.array([value[0] for side in sides for value in side[:3]])[:, here]
        ratio[:, here] = np.array([value[0] for value in sums.ratio(sides[1], sides[0])])[:, here]
    part = np.cumsum(of.tokens)[cuts - 1] / of.tokens.sum()
    p = np.minimum(of_maximum(_normal(ratio[3]), part[0], part[-1]), np.minimum(ratio[3] * len(cuts), 1.0))
    cut = cuts[best]
    return Changes(
        cut, cuts[first], cuts[last], both[0], both[1], both[2], both[3], both[4], both[5], ratio[0], ratio[1], ratio[2], p,
        _stays(of, cut),
    )  # fmt: skip


def _fits(of: Sums, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By how much each place to cut reduces the weighted squares of the periods' shares around their mean: float64[C, T];
    and the variance of a share of one word around the best two means: float64[T] (least squares: Bai 1997)."""
    tokens, T = np.cumsum(of.tokens), of.tokens.sum()
    x = np.cumsum(of.x, axis=0)
    left, right = tokens[cuts - 1][:, None], T - tokens[cuts - 1][:, None]
    before, after = x[cuts - 1] / left, (x[-1] - x[cuts - 1]) / right
    fit = left * right / T * (after - before) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = np.nansum(of.x**2 / np.maximum(of.tokens, 1)[:, None], axis=0) - x[-1] ** 2 / T
    noise = np.maximum(squares - fit.max(axis=0), 0.0) / max(np.count_nonzero(of.tokens) - 2, 1)
    return fit, noise


def _cuts(of: Sums) -> np.ndarray:
    """int64: the places that leave enough on either side; a cut is before a period that has documents."""

    def enough(array, least):
        total = np.cumsum(array)
        return (total[:-1] >= least) & (total[-1] - total[:-1] >= least)

    if len(of.tokens) < 2:
        return np.zeros(0, np.int64)
    tokens = of.tokens.sum()
    allowed = (
        enough(of.documents, LEAST_DOCUMENTS) & enough(of.units, LEAST_UNITS) & enough(of.tokens, max(EDGE * tokens, 1))
    )
    return np.flatnonzero(allowed & (of.documents[1:] > 0)) + 1


def _normal(p: np.ndarray) -> np.ndarray:
    """The normal deviate with the same two-sided p."""
    with np.errstate(divide="ignore"):
        return -ndtri_exp(np.log(np.maximum(p, 1e-300)) - np.log(2))


def of_maximum(z: np.ndarray, first: float, last: float) -> np.ndarray:
    """P(the largest of the statistics is z or more) where nothing changed. first, last: parts of the words before the first
    and the last place that were tried. Formula of the tail: 1 below z = 2."""
    z = np.asarray(z, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        span = np.log(max((1 - first) * last / (first * (1 - last)), 1.0))
        tail = z * np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi) * ((1 - 1 / z**2) * span + 4 / z**2)
    return np.where(z < 2, 1.0, np.clip(tail, 0.0, 1.0))


def _stays(of: Sums, cut: np.ndarray) -> np.ndarray:
    """bool[T]: both halves of each side, by words, show STAYS of the change."""
    tokens, G, T = np.concatenate([[0], np.cumsum(of.tokens)]), len(of.tokens), len(cut)
    counted = np.concatenate([np.zeros((1, T)), np.cumsum(of.x, axis=0)])

    def share(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        topics = np.arange(T)
        with np.errstate(invalid="ignore", divide="ignore"):
            return (counted[b, topics] - counted[a, topics] + 0.5) / (tokens[b] - tokens[a])

    def middle(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        at = np.searchsorted(tokens, (tokens[a] + tokens[b]) / 2)
        return np.clip(at, np.minimum(a + 1, b - 1), np.maximum(b - 1, a))

    zero, end = np.zeros(T, np.int64), np.full(T, G, np.int64)
    left, right = middle(zero, cut), middle(cut, end)
    before, after = share(zero, cut), share(cut, end)
    sign = np.sign(np.log(np.maximum(after / before, 1e-12)))
    least = STAYS * np.abs(np.log(np.maximum(after / before, 1e-12)))
    halves = (
        [(share(zero, left), after), (share(left, cut), after)],
        [(before, share(cut, right)), (before, share(right, end))],
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        kept = [sign * np.log(b / a) >= least for side in halves for a, b in side]
    return np.logical_and.reduce(kept)


def contrasts(of: Sums) -> tuple[Shares, Ratio]:
    """Of each group: its shares, and how many times they are those of all other documents together: [G, T]."""
    typical = sums.typical(of)
    own = sums.shares(of, typical)
    return own, sums.ratio(own, sums.shares(of.rest(), typical))
