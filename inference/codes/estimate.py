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
SURE = 10.0  # codes of a kind at which their variance counts as much as that of the weights


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
    sample = _Sample(cell, strata, documents[kept], y[kept], 1 / pi[kept], g)
    weight, lam = _tuned(*sample.products(sample.y, g[sample.documents]), sample.c, sample.n)
    plain, corrected = sample.mean(np.zeros(len(lam))), sample.mean(lam)
    positive = sample.total(sample.y)
    few = sample.n if scale else np.minimum(positive, sample.n - positive)
    single = None if scale else sample.single(*plain, few)
    unit = (
        np.arange(len(cell))
        if units is None
        else np.where(units < 0, units.max(initial=0) + 1 + np.arange(len(cell)), units)
    )
    df, four, U = sample.n - sample.parts, [], sample.M
    for factor, (estimate, variance) in ((np.zeros(sample.C), plain), (weight, corrected)):
        beyond, df_beyond, U = sample.beyond(factor, unit)
        four.append(_bounds(estimate, variance, df, single, plain[1]))
        four.append(_bounds(estimate, np.maximum(beyond, variance), np.minimum(df, df_beyond), single, plain[1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        return Cells(
            documents=sample.M, codes=sample.n, units=U, positive=positive, raw=positive / sample.n,
            counted=np.bincount(sample.cell, weights=counted[sample.inside], minlength=sample.C) / sample.M,
            coded=four[0], coded_beyond=four[1], corrected=four[2], corrected_beyond=four[3], few=few < FEW, weight=weight,
        )  # fmt: skip


def _predicted(
    D: int, documents: np.ndarray, prediction: Prediction | None, scale: bool
) -> tuple[np.ndarray, np.ndarray]:
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
    each is for, which adds up to its part's. n, M, parts: int64[C], codes, documents and parts of each cell. inside: int[m], documents
    in any cell; cell: int[m], theirs."""

    def __init__(self, cell, strata, documents, y, w, g):
        self.documents, self.y, self.g, self.inside = documents, y, g, np.flatnonzero(cell >= 0)
        self.C, H = int(cell.max(initial=-1)) + 1, int(strata.max(initial=-1)) + 1
        self.c, self.cell = cell[documents], cell[self.inside]
        slot, mine = (cell[d].astype(np.int64) * H + strata[d] for d in (self.inside, documents))
        sizes, codes = (np.bincount(each, minlength=self.C * H) for each in (slot, mine))
        joined = _joined(sizes.reshape(self.C, H), codes.reshape(self.C, H)).reshape(-1)
        self.part, self.P = joined[mine], int(joined.max(initial=-1)) + 1
        self.size = np.bincount(joined, weights=sizes, minlength=self.P)
        self.M, self.n = np.bincount(self.cell, minlength=self.C), np.bincount(self.c, minlength=self.C)
        n = np.bincount(self.part, minlength=self.P)
        self.parts = np.rint(self.total(1 / n[self.part])).astype(int)
        self.w = w * (self.size / np.maximum(self._sum(w), 1e-300))[self.part]
        self.mean_g = (np.bincount(joined[slot], weights=g[self.inside], minlength=self.P) / self.size)[self.part]
        with np.errstate(divide="ignore", invalid="ignore"):
            self.spread = np.where(n < self.size, n / (n - 1) * (1 - n / self.size), 0.0)[self.part] * self.w**2

    def _sum(self, x: np.ndarray) -> np.ndarray:
        return np.bincount(self.part, weights=x, minlength=self.P)

    def total(self, x: np.ndarray) -> np.ndarray:
        """float64[C], of x: float64[n]."""
        return np.bincount(self.c, weights=x, minlength=self.C)

    def products(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """float64[n] each: what every code adds to the covariance of the totals of a and b, and to the variance of that of b."""
        a, b = (x - (self._sum(self.w * x) / self.size)[self.part] for x in (a, b))
        with np.errstate(invalid="ignore"):
            return self.spread * a * b, self.spread * b * b

    def mean(self, lam: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(estimate, variance of the design): float64[C] each, NaN without codes. lam: float64[n], the weight of g for each code."""
        z = self.y - lam * (self.g[self.documents] - self.mean_g)
        with np.errstate(invalid="ignore", divide="ignore"):
            none = np.where(self.n > 0, 1, np.nan) / self.M
            return self.total(self.w * z) * none, self.total(self.products(z, z)[1]) * none**2

    def single(self, p: np.ndarray, variance: np.ndarray, few: np.ndarray) -> np.ndarray:
        """float64[C]: 1 over the effective n of a share. That is variance / p (1 - p), but a variance of few codes of a kind (few: float64[C])
        may miss strata that weigh much, so it leans on that of the weights (Kish 1965) where this is larger."""
        with np.errstate(divide="ignore", invalid="ignore"):
            by_weights = self.total(self.w**2) / self.M**2 * (1 - self.n / self.M)
            measured = np.where(p * (1 - p) > 0, variance / (p * (1 - p)), by_weights)
            return (few * measured + SURE * np.maximum(measured, by_weights)) / (few + SURE)

    def beyond(self, weight: np.ndarray, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(variance, degrees of freedom, units) of sums over units of pseudo-outcomes: CR2 and Satterthwaite's, of a mean, NaN of fewer than
        LEAST_UNITS. weight: float64[C], of g; unit: int[D]."""
        outcome = np.zeros(len(self.g))
        outcome[self.inside] = weight[self.cell] * self.g[self.inside]
        outcome[self.documents] += self.w * (self.y - weight[self.c] * self.g[self.documents])
        pairs, slot = np.unique(self.cell * (unit.max(initial=0) + 1) + unit[self.inside], return_inverse=True)
        of_pair = pairs // (unit.max(initial=0) + 1)

        def total(x: np.ndarray, of: np.ndarray = of_pair) -> np.ndarray:
            return np.bincount(of, weights=x, minlength=self.C)

        with np.errstate(divide="ignore", invalid="ignore"):
            residual = outcome[self.inside] - (total(outcome[self.inside], self.cell) / self.M)[self.cell]
            h = np.bincount(slot) / self.M[of_pair]
            left, U = h**2 / (1 - h), np.bincount(of_pair, minlength=self.C)
            df = 1 / (total(h**2) + total(left) ** 2 - total(left**2))
            variance = total(np.bincount(slot, weights=residual) ** 2 / (1 - h)) / self.M**2
        return np.where(U >= LEAST_UNITS, variance, np.nan), df, U


def _joined(sizes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """int[C, H]: the part that each stratum of each cell is of: in their order they are joined up to LEAST codes. sizes, codes: int[C, H],
    their documents, and those that are coded."""
    part, last = np.zeros(sizes.shape, np.int64), -1
    for row, size, coded in zip(part, sizes, codes, strict=True):
        so_far, left = 0, int(coded.sum())
        for i, h in enumerate(np.flatnonzero(size)):
            if i == 0 or min(so_far, left) >= LEAST:
                last, so_far = last + 1, 0
            row[h], so_far, left = last, so_far + coded[h], left - coded[h]
    return part


def _tuned(product: np.ndarray, square: np.ndarray, c: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """lambda of each cell, float64[C], and for each code as the others have it, float64[n]: the cell's and all cells', by the codes."""
    product, square = np.nan_to_num(product), np.nan_to_num(square)

    def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.divide(a, b, out=np.zeros(np.shape(a)), where=b > 1e-12 * (square.sum() + 1e-300))

    def of(own: tuple, every: tuple, n: np.ndarray) -> np.ndarray:
        common = ratio(*every)
        return np.clip(common + n / (n + OWN) * (ratio(*own) - common), 0, 1)

    a, b = (np.bincount(c, weights=x, minlength=len(n)) for x in (product, square))
    every = np.asarray(product.sum()), np.asarray(square.sum())
    return of((a, b), every, n), of((a[c] - product, b[c] - square), (every[0] - product, every[1] - square), n[c])


def _bounds(
    estimate: np.ndarray, variance: np.ndarray, df: np.ndarray, single: np.ndarray | None, plain: np.ndarray
) -> Bounds:
    """single: 1 over the effective n of a share whose variance is `plain`; None for a scale."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(df > 0, stdtrit(np.maximum(df, 1e-3), 0.5 + LEVEL / 2), np.nan)
        if single is None:
            return Bounds(estimate, variance, estimate - t * np.sqrt(variance), estimate + t * np.sqrt(variance))
        r, p = t**2 * single * np.where(plain > 0, variance / plain, 1), np.clip(estimate, 0, 1)
        middle, half = (p + r / 2) / (1 + r), np.sqrt(r * p * (1 - p) + r**2 / 4) / (1 + r)
    return Bounds(p, variance, middle - half, middle + half)


def difference(bounds: Bounds, a: int | np.ndarray, b: int | np.ndarray) -> tuple[Bounds, Bounds]:
    """(a - b, a / b) of two cells, or of several pairs, by the method of variance estimates recovery (Zou and Donner 2008; the ratio by
    logarithms), NaN where it is not known. Cells are independent (see above), also where strata span them; units in both make the
    interval beyond these texts wider than need be where they are alike in both."""
    x, y = (Bounds(*(np.asarray(array)[i] for array in bounds)) for i in (a, b))

    def between(x: Bounds, y: Bounds) -> Bounds:
        d = x.estimate - y.estimate
        below, above = (
            np.hypot(x.estimate - x.low, y.high - y.estimate),
            np.hypot(x.high - x.estimate, y.estimate - y.low),
        )
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
