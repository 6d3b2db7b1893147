"""Shares, or means of a scale, in cells of documents: of the drawn documents' codes, corrected by the predictions of all.

Given how many codes fell into each stratum of each cell, these are random samples of it: a cell's estimate is the mean over its
strata by their known sizes (those with fewer than LEAST codes joined), and cells are independent of each other. The corrected
estimate is design-based supervised learning (Egami, Hinck, Stewart and Wei 2023) with the prediction g weighted by lambda, in the cell
(PPI++, Angelopoulos, Duchi and Zrnic 2023): z = y - lambda (g - mean of g in the stratum). lambda is estimated without the code that it
is applied to, so it makes no interval too narrow. The splits' predictions are averaged: the mean is cross-fitted, too.

*In these texts* the variance is the design's, none where all is coded. *Beyond them* it is that of sums over units, CR2 with Satterthwaite's
degrees of freedom (inference.effects), of pseudo-outcomes lambda g + (y - lambda g) / pi. Intervals of shares are Wilson's, on the effective n.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from inference.codes.predict import Prediction
from inference.effects.units import LEAST as LEAST_UNITS

LEAST = 3  # codes of a stratum in a cell
OWN = 30  # codes of a cell at which its own lambda counts as much as that of all
FEW = 5  # codes of either kind, below which nothing should be concluded
LEVEL = 0.95
MOST = 1.0  # lambda


class Bounds(NamedTuple):
    """float64[C] each: estimates, their variances and 95% intervals, NaN where there is none."""

    estimate: np.ndarray
    variance: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True)
class Cells:
    """Of each of C cells. documents, codes, units: int64[C], how many it has; positive: float64[C], the sum of its codes.

    raw: float64[C], the plain mean of the codes; counted: of the predictions, the part above a half, or their mean for a scale: both are
    wrong, and are there to be compared with. coded, coded_beyond: by the codes alone, weighted; corrected, corrected_beyond: by the
    predictions, too; in these texts and beyond them. few: bool[C], whether fewer than FEW codes say yes, or no (of a scale: fewer than FEW
    codes): say a sentence instead. weight: float64[C], lambda.
    """

    documents: np.ndarray
    codes: np.ndarray
    units: np.ndarray
    positive: np.ndarray
    raw: np.ndarray
    counted: np.ndarray
    coded: Bounds
    coded_beyond: Bounds
    corrected: Bounds
    corrected_beyond: Bounds
    few: np.ndarray
    weight: np.ndarray


def cells(
    cell: np.ndarray, strata: np.ndarray, documents: np.ndarray, y: np.ndarray, pi: np.ndarray, prediction: Prediction | None = None,
    units: np.ndarray | None = None, scale: bool = False,
) -> Cells:  # fmt: skip
    """cell: int[D], -1 for none. strata: int[D], of all documents, that they were drawn in; zeros where that is not known. documents: int[n],
    those that are coded, all that were drawn or a beginning of them; y: float64[n], the mean of their codes (0 to 1, or a scale's
    values), or the settled one; pi: float64[n], with what probability each was drawn, but for a common factor. prediction: None where
    there is none yet. units: int[D], who is independent of each other, below 0: by itself; None: each document. scale: y is no part."""
    g, counted = _predicted(len(cell), documents, prediction, scale)
    kept = cell[documents] >= 0
    sample = _Sample(cell, strata, documents[kept], y[kept], 1 / pi[kept])
    C, c, n, M = sample.C, sample.c, sample.n, sample.M
    weight, lam = _tuned(*sample.products(sample.y, g[sample.documents]), c, n)
    plain = sample.mean(sample.y)
    corrected = sample.mean(sample.y - lam * (g[sample.documents] - sample.mean_of(g)))
    spread = np.where(scale, np.nan, plain[0] * (1 - plain[0]))  # of single codes, of a share
    of_units = None if units is None else np.unique(np.where(units < 0, -1 - np.arange(len(cell)), units), return_inverse=True)[1]
    df = n - sample.parts
    bounds, U = [], M
    for (estimate, variance), factor in ((plain, np.zeros(C)), (corrected, weight)):
        beyond, df_beyond, U = sample.beyond(factor, g, of_units)
        bounds.append(_bounds(estimate, variance, df, spread, n / M))
        bounds.append(_bounds(estimate, np.maximum(beyond, variance), np.minimum(df, df_beyond), spread, np.zeros(C)))
    positive = np.bincount(c, weights=sample.y, minlength=C)
    few = n < FEW if scale else np.minimum(positive, n - positive) < FEW
    with np.errstate(invalid="ignore"):
        raw, counts = positive / n, np.bincount(cell[cell >= 0], weights=counted[cell >= 0], minlength=C) / M
    return Cells(M, n, U, positive, raw, counts, *bounds, few, weight)


def _predicted(D: int, documents: np.ndarray, prediction: Prediction | None, scale: bool) -> tuple[np.ndarray, np.ndarray]:
    """g, of coded documents by models that have not seen them; and what is counted of it naively: float64[D] each."""
    if prediction is None:
        return np.zeros(D), np.full(D, np.nan)
    g = prediction.g.mean(axis=0, dtype=np.float64)
    counted = g if scale else (g > 0.5).astype(float)
    g = g.copy()
    g[documents] = prediction.coded.mean(axis=0, dtype=np.float64)
    return g, counted


class _Sample:
    """Coded documents in cells. c, part: int[n], their cells and the parts (strata of a cell, some joined); w: float64[n], how many documents
    each is for, which adds up to its part's. n, M, parts: int64[C], codes, documents and parts of each cell."""

    def __init__(self, cell: np.ndarray, strata: np.ndarray, documents: np.ndarray, y: np.ndarray, w: np.ndarray):
        self.documents, self.y, self.cell = documents, y, cell
        self.C, H = int(cell.max(initial=-1)) + 1, int(strata.max(initial=-1)) + 1
        self.c, self.inside = cell[documents], np.flatnonzero(cell >= 0)
        self.M, self.n = (np.bincount(each, minlength=self.C) for each in (cell[self.inside], self.c))
        slot = cell[self.inside].astype(np.int64) * H + strata[self.inside]
        sizes = np.bincount(slot, minlength=self.C * H)
        joined = _joined(sizes, np.bincount(self.c * H + strata[documents], minlength=self.C * H), H)
        self.part, self.part_of = joined[self.c * H + strata[documents]], joined[slot]
        self.P = int(joined.max(initial=-1)) + 1
        self.size = np.bincount(joined, weights=sizes, minlength=self.P)
        n_part = np.bincount(self.part, minlength=self.P)
        self.parts = np.bincount(self.c, weights=1 / n_part[self.part], minlength=self.C).round().astype(int)
        self.w = w * (self.size / np.maximum(self._sum(w), 1e-300))[self.part]
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.where(n_part < self.size, n_part / (n_part - 1) * (1 - n_part / self.size), 0.0)
        self.spread = factor[self.part] * self.w**2

    def _sum(self, x: np.ndarray) -> np.ndarray:
        return np.bincount(self.part, weights=x, minlength=self.P)

    def mean_of(self, g: np.ndarray) -> np.ndarray:
        """float64[n]: the mean over all documents of each one's part."""
        return (np.bincount(self.part_of, weights=g[self.inside], minlength=self.P) / self.size)[self.part]

    def products(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """float64[n] each: what every code adds to the covariance of the totals of a and b, and to the variance of that of b."""
        a, b = (x - (self._sum(self.w * x) / self.size)[self.part] for x in (a, b))
        with np.errstate(invalid="ignore"):
            return self.spread * a * b, self.spread * b * b

    def mean(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(estimate, variance): float64[C] each, NaN without codes; the variance is of the design, stratified, of finite populations."""
        sums = (np.bincount(self.c, weights=x, minlength=self.C) for x in (self.w * z, self.products(z, z)[1]))
        total, variance = (np.where(self.n > 0, x, np.nan) for x in sums)
        with np.errstate(invalid="ignore"):
            return total / self.M, variance / self.M**2

    def beyond(self, weight: np.ndarray, g: np.ndarray, units: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(variance, degrees of freedom, units) of sums over units of pseudo-outcomes: CR2 and Satterthwaite's, of a mean."""
        outcome = np.zeros(len(g))
        outcome[self.inside] = (weight[self.cell] * g)[self.inside]
        outcome[self.documents] += self.w * (self.y - weight[self.c] * g[self.documents])
        c, of = self.cell[self.inside], np.arange(len(g))[self.inside] if units is None else units[self.inside]
        slot = np.unique(c * (of.max(initial=0) + 1) + of, return_inverse=True)[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.bincount(c, weights=outcome[self.inside], minlength=self.C) / self.M
            m = np.bincount(slot)
            c_of = np.zeros(len(m), c.dtype)
            c_of[slot] = c
            h = m / self.M[c_of]
            rest = np.bincount(slot, weights=outcome[self.inside] - mean[c])

            def total(x: np.ndarray) -> np.ndarray:
                return np.bincount(c_of, weights=x, minlength=self.C)

            U, alone = total(np.ones(len(m))).astype(int), h**2 / (1 - h)
            df = 1 / (total(h**2) + total(alone) ** 2 - total(alone**2))
            variance = total(rest**2 / (1 - h)) / self.M**2
        return np.where(U >= LEAST_UNITS, variance, np.nan), df, U


def _joined(sizes: np.ndarray, codes: np.ndarray, H: int) -> np.ndarray:
    """int[C * H]: the part of each stratum of each cell: in their order, they are joined up to LEAST codes. sizes, codes: int[C * H]."""
    part, current, so_far = np.zeros(len(sizes), np.int64), -1, 0
    for i in np.flatnonzero(sizes).tolist():
        if current < 0 or so_far >= LEAST or i // H != cell:
            left = codes[i : (i // H + 1) * H].sum()
            if current < 0 or i // H != cell or left >= LEAST:
                current, so_far, cell = current + 1, 0, i // H
        part[i] = current
        so_far += codes[i]
    return part


def _tuned(product: np.ndarray, square: np.ndarray, c: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """lambda of each cell, float64[C], and for each code as the others have it, float64[n]: the cell's and all cells', by the codes."""
    product, square = np.nan_to_num(product), np.nan_to_num(square)

    def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.divide(a, b, out=np.zeros(np.shape(a)), where=b > 1e-12 * (square.sum() + 1e-300))

    def of(own: tuple, every: tuple, n: np.ndarray) -> np.ndarray:
        common = ratio(*every)
        return np.clip(common + n / (n + OWN) * (ratio(*own) - common), 0, MOST)

    a, b = (np.bincount(c, weights=x, minlength=len(n)) for x in (product, square))
    every = np.asarray(product.sum()), np.asarray(square.sum())
    return of((a, b), every, n), of((a[c] - product, b[c] - square), (every[0] - product, every[1] - square), n[c])


def _bounds(estimate: np.ndarray, variance: np.ndarray, df: np.ndarray, spread: np.ndarray, drawn: np.ndarray) -> Bounds:
    """spread: of single codes of a share, NaN of a scale. drawn: the part of the documents that is coded."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(df > 0, stdtrit(np.maximum(df, 1e-3), 0.5 + LEVEL / 2), np.nan)
        p = np.clip(estimate, 0, 1)
        effective = np.where((variance > 0) & (spread > 0), spread / variance, (df + 1) / (1 - drawn))
        r = np.where(np.isnan(variance), np.nan, t**2 / effective)
        middle, half = (p + r / 2) / (1 + r), np.sqrt(r * p * (1 - p) + r**2 / 4) / (1 + r)
        share = ~np.isnan(spread)
        low = np.where(share, middle - half, estimate - t * np.sqrt(variance))
        high = np.where(share, middle + half, estimate + t * np.sqrt(variance))
    return Bounds(np.where(share, p, estimate), variance, low, high)


def difference(bounds: Bounds, a: int | np.ndarray, b: int | np.ndarray) -> tuple[Bounds, Bounds]:
    """(a - b, a / b) of two cells, or of several pairs, by the method of variance estimates recovery (Zou and Donner 2008; the ratio by
    logarithms), NaN where it is not known. Cells are independent (see above), also where strata span them; units in both make the
    interval beyond these texts wider than need be where they are alike in both."""
    x, y = (Bounds(*(np.asarray(array)[i] for array in bounds)) for i in (a, b))

    def between(x: Bounds, y: Bounds) -> Bounds:
        d = x.estimate - y.estimate
        below, above = np.hypot(x.estimate - x.low, y.high - y.estimate), np.hypot(x.high - x.estimate, y.estimate - y.low)
        return Bounds(d, x.variance + y.variance, d - below, d + above)

    with np.errstate(divide="ignore", invalid="ignore"):
        logs = (Bounds(np.log(z.estimate), z.variance / z.estimate**2, np.log(z.low), np.log(z.high)) for z in (x, y))
        ratio = between(*logs)
        return between(x, y), Bounds(np.exp(ratio.estimate), ratio.variance, np.exp(ratio.low), np.exp(ratio.high))


def more_needed(found: Cells, half_width: float) -> np.ndarray:
    """float64[C]: how many more codes of a cell give its corrected share in these texts to plus or minus half_width; 0 where that is
    reached, NaN where nothing is known yet. To be drawn proportionally, times all documents over the cell's."""
    with np.errstate(divide="ignore", invalid="ignore"):
        n, M = found.codes, found.documents
        single = found.corrected.variance * n / (1 - n / M)  # the variance of one code's residual
        z = stdtrit(np.maximum(n - 1, 1), 0.5 + LEVEL / 2)
        return np.maximum(np.ceil(1 / ((half_width / z) ** 2 / single + 1 / M) - n), 0)
