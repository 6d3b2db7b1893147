"""Shares, or means of a scale, in cells of documents: of the drawn documents' codes, corrected by
the predictions of all.

Given how many codes fell into each stratum of each cell, these are random samples of it: a cell's
estimate is the mean over its strata by their known sizes (those with fewer than LEAST_CODES codes
joined), and cells are independent of each other. The corrected estimate is design-based supervised
learning (Egami, Hinck, Stewart and Wei 2023) with the prediction g weighted by lambda, in the cell
(PPI++, Angelopoulos, Duchi and Zrnic 2023): z = y - lambda (g - mean of g in the stratum). lambda
is estimated without the code that it is applied to, so it makes no interval too narrow. The splits'
predictions are averaged: the mean is cross-fitted, too.

*In these texts* the variance is the design's, none where all is coded. *Beyond them* it is that of
sums over units, CR2 with Satterthwaite's degrees of freedom (inference.effects), of pseudo-outcomes
lambda g + (y - lambda g) / pi. Intervals of shares are Wilson's, on the effective n."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import stdtrit

from inference.codes.predict import Prediction
from inference.effects.leverage import LEAST_FREEDOM
from inference.effects.unit_documents import LEAST_UNITS
from inference.share_intervals import USUAL_LEVEL

LEAST_CODES = 3  # codes of a stratum in a cell
OWN_LAMBDA_CODES = 30  # codes of a cell at which its own lambda counts as much as that of all
FEW_CODES = 5  # codes of either kind, below which nothing should be concluded
TINY = 1e-12  # of the sum of squares: below it a ratio tells nothing
SURE_CODES = 10.0  # codes of a kind at which their variance counts as much as that of the weights


class Bounds(NamedTuple):
    """float64[C] each: estimates, their variances and 95% intervals, NaN where there is none."""

    estimate: np.ndarray
    variance: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def first(self, count: int) -> "Bounds":
        """Of the first `count` cells."""
        return Bounds(*(array[:count] for array in self))

    def at(self, cells: int | np.ndarray) -> "Bounds":
        """Of one cell, or of some: their numbers."""
        return Bounds(*(np.asarray(array)[cells] for array in self))

    def logarithm(self) -> "Bounds":
        """Bounds of the logarithms of positive numbers, by the delta method."""
        variance = self.variance / self.estimate**2
        return Bounds(
            np.log(self.estimate), variance, np.log(np.maximum(self.low, 0)), np.log(self.high)
        )


@dataclass(frozen=True)
class CellEstimates:
    """Estimates of each of C cells. documents, codes, units: int64[C], how many it has; positive:
    float64[C], the sum of its codes.

    counted: float64[C], of the predictions, the part above a half, or their mean for a scale: it is
    wrong, and is there to be compared with. coded: by the codes alone, weighted, in these texts;
    corrected, corrected_beyond: by the predictions, too; in these texts and beyond them. few:
    bool[C], whether fewer than FEW_CODES codes say yes, or no (of a scale: fewer than FEW_CODES
    codes): say a sentence instead. weight: float64[C], lambda. correlation: float64[C, C], of
    corrected_beyond, by units that are in two cells."""

    documents: np.ndarray
    codes: np.ndarray
    units: np.ndarray
    positive: np.ndarray
    counted: np.ndarray
    coded: Bounds
    corrected: Bounds
    corrected_beyond: Bounds
    few: np.ndarray
    weight: np.ndarray
    correlation: np.ndarray


@np.errstate(divide="ignore", invalid="ignore")
def cells(
    cell: np.ndarray,
    strata: np.ndarray,
    documents: np.ndarray,
    y: np.ndarray,
    pi: np.ndarray,
    prediction: Prediction | None = None,
    units: np.ndarray | None = None,
    scale: bool = False,
) -> CellEstimates:
    """cell: int[D], from 0 on, -1 for none. strata: int[D], of all documents, that they were drawn
    in; zeros where that is not known. documents: int[n], each once, those that are coded: all that
    were drawn, or a beginning of them; y: float64[n], the mean of their codes (0 to 1, or a scale's
    values), or the settled one; pi: float64[n], with what probability each was drawn, but for a
    common factor. prediction: None where there is none yet: then corrected is coded. units: int[D],
    who is independent of each other, below 0: by itself; None: each document. scale: y is no
    share."""
    D = len(cell)
    C = int(cell.max(initial=-1)) + 1
    if prediction is None:
        g = np.zeros(D)
        values_counted = np.full(D, np.nan)
    else:
        g = prediction.g.mean(axis=0, dtype=np.float64)
        values_counted = np.where(scale, g, g > 0.5)
        g[documents] = prediction.coded.mean(axis=0, dtype=np.float64)
    sample = CodedSample(np.where(cell < 0, C, cell), C + 1, strata, documents, y, pi, g, units)
    lam = _tuned(*sample.products(y, g[documents]), sample)
    weight = np.where(sample.n > 0, sample.total(lam) / sample.n, 0.0)
    positive = sample.total(y)
    if scale:
        fewer = sample.n
    else:
        fewer = np.minimum(positive, sample.n - positive)
    estimate, variance = sample.mean(y)
    single = None if scale else sample.single(estimate, variance, fewer)
    coded = bounds_of(estimate, variance, sample.df, single)
    estimate, variance = sample.mean(y - lam * (g[documents] - sample.mean_g))
    corrected = bounds_of(estimate, variance, sample.df, single)
    covariance, df = sample.beyond(weight)
    variance_beyond = np.maximum(np.diagonal(covariance), variance)
    corrected_beyond = bounds_of(estimate, variance_beyond, np.minimum(df, sample.df), single)
    correlation = np.nan_to_num(covariance / np.sqrt(np.outer(variance_beyond, variance_beyond)))
    return CellEstimates(
        documents=sample.M[:C],
        codes=sample.n[:C],
        units=sample.U[:C],
        positive=positive[:C],
        counted=(np.bincount(sample.cell, values_counted, C + 1) / sample.M)[:C],
        coded=coded.first(C),
        corrected=corrected.first(C),
        corrected_beyond=corrected_beyond.first(C),
        few=fewer[:C] < FEW_CODES,
        weight=weight[:C],
        correlation=correlation[:C, :C],
    )


class CodedSample:
    """Coded documents in C cells, the last of which is of those in none. c, part: int[n], their
    cells and the parts (strata of a cell, some joined); w: float64[n], how many documents each is
    for, which adds up to its part's. n, M: int64[C], codes and documents; df: degrees of freedom of
    the design. U: int64[C], units; pairs: (cell, unit) of all that there are; pair: int[D], each
    document's. mean_g: float64[n], of all documents of each one's part."""

    def __init__(self, cell, C, strata, documents, y, pi, g, units):
        self.cell = cell.astype(np.int64)
        self.C = C
        self.y = y
        self.g = g
        self.documents = documents
        self.c = self.cell[documents]
        H = int(strata.max(initial=-1)) + 1
        stratum_of_cell = self.cell * H + strata
        stratum_of_code = stratum_of_cell[documents]
        sizes = np.bincount(stratum_of_cell, minlength=C * H).reshape(C, H)
        codes = np.bincount(stratum_of_code, minlength=C * H).reshape(C, H)
        self.M = sizes.sum(axis=1)
        self.n = codes.sum(axis=1)
        part_of_stratum = _joined(sizes, codes).reshape(-1)
        self.part = part_of_stratum[stratum_of_code]
        self.size = np.bincount(part_of_stratum, weights=sizes.reshape(-1))
        n = np.bincount(self.part, minlength=len(self.size))  # codes of each part
        self.df = self.n - self.total(1 / n[self.part])
        self.w = 1 / pi * (self.size / self._of_parts(1 / pi))[self.part]
        sum_of_g = np.bincount(
            part_of_stratum[stratum_of_cell], weights=g, minlength=len(self.size)
        )
        self.mean_g = (sum_of_g / self.size)[self.part]
        finite_population = np.where(n < self.size, n / (n - 1) * (1 - n / self.size), 0.0)
        self.spread = finite_population[self.part] * self.w**2

        unit = (
            _each_alone(len(g))
            if units is None
            else np.where(units < 0, _alone_above(units), units)
        )
        count = unit.max(initial=0) + 1
        pairs, self.pair = np.unique(self.cell * count + unit, return_inverse=True)
        self.pairs = np.divmod(pairs, count)
        self.U = np.bincount(self.pairs[0], minlength=C)

    def _of_parts(self, x: np.ndarray) -> np.ndarray:
        return np.bincount(self.part, weights=x, minlength=len(self.size))

    def total(self, x: np.ndarray) -> np.ndarray:
        """float64[C], of x: float64[n]."""
        return np.bincount(self.c, weights=x, minlength=self.C)

    def products(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """float64[n] each: what every code adds to the covariance of the totals of a and b, and to
        the variance of that of b."""
        a = self._centred(a)
        b = self._centred(b)
        return self.spread * a * b, self.spread * b * b

    def _centred(self, x: np.ndarray) -> np.ndarray:
        """Without the weighted mean of its part."""
        return x - (self._of_parts(self.w * x) / self.size)[self.part]

    def mean(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(estimate, variance of the design): float64[C] each, NaN without codes."""
        scale = np.where(self.n > 0, 1, np.nan) / self.M
        _, variance = self.products(z, z)
        return self.total(self.w * z) * scale, self.total(variance) * scale**2

    def single(
        self, p: np.ndarray, variance: np.ndarray, codes: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(1 / p (1 - p), 0 where that is not known; what is added): float64[C] each. An estimate's
        variance times the first and the second are 1 over its effective n. A variance of few codes
        of a kind (codes: float64[C]) may miss strata that weigh much, so n leans on that of the
        weights (Kish 1965) where this is less. p, variance: of the codes alone."""
        scale = np.where(p * (1 - p) > 0, 1 / (p * (1 - p)), 0.0)
        by_weights = self.total(self.w**2) / self.M**2 * (1 - self.n / self.M)
        return scale, SURE_CODES / (codes + SURE_CODES) * np.maximum(
            by_weights - variance * scale, 0
        )

    def beyond(self, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(covariance of cells, float64[C, C], degrees of freedom) of sums over units of
        pseudo-outcomes: CR2 and Satterthwaite's, of means; NaN of fewer than LEAST_UNITS. weight:
        float64[C], of g."""
        outcome = weight[self.cell] * self.g
        outcome[self.documents] += self.w * (self.y - weight[self.c] * self.g[self.documents])
        mean = np.bincount(self.cell, outcome, self.C) / self.M
        residual = outcome - mean[self.cell]
        c, unit = self.pairs
        # Leverage of a unit in a cell: its part of the documents
        h = np.bincount(self.pair) / self.M[c]
        q = h**2 / (1 - h)
        adjusted = np.where(
            h < 1, np.bincount(self.pair, residual) / np.sqrt(1 - h) / self.M[c], 0.0
        )
        by_unit = csr_array((adjusted, (c, unit)), shape=(self.C, int(unit.max(initial=0)) + 1))
        covariance = (by_unit @ by_unit.T).toarray()
        sum_h2 = np.bincount(c, h**2, self.C)
        sum_q = np.bincount(c, q, self.C)
        sum_q2 = np.bincount(c, q**2, self.C)
        return np.where(self.U >= LEAST_UNITS, covariance, np.nan), 1 / (sum_h2 + sum_q**2 - sum_q2)


def _each_alone(count: int) -> np.ndarray:
    """int[D]: a unit for each document."""
    return np.arange(count)


def _alone_above(units: np.ndarray) -> np.ndarray:
    """int[D]: a unit for each document, above all that there are."""
    return units.max(initial=-1) + 1 + np.arange(len(units))


def _joined(sizes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """int[C, H], the parts of all strata of cells: in their order strata are joined up to
    LEAST_CODES codes. sizes, codes: int[C, H]."""
    part = np.zeros(sizes.shape, np.int64)
    newest_part = -1
    for c, size in enumerate(sizes):
        codes_in_part = LEAST_CODES
        codes_to_come = max(int(codes[c].sum()), LEAST_CODES)
        for h in np.flatnonzero(size):
            if min(codes_in_part, codes_to_come) >= LEAST_CODES:
                newest_part += 1
                codes_in_part = 0
            part[c, h] = newest_part
            codes_in_part += codes[c, h]
            codes_to_come -= codes[c, h]
    return part


def _tuned(product: np.ndarray, square: np.ndarray, sample: CodedSample) -> np.ndarray:
    """float64[n]: lambda for each code, as the other codes have it: of all cells, and by the cell's
    codes more of its own. A code that is alone in its part tells nothing."""
    product = np.where(np.isfinite(product), product, 0.0)
    square = np.where(np.isfinite(square), square, 0.0)
    c = sample.c
    least = TINY * square.sum()

    def ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.where(b > least, a / b, 0.0)

    common = ratio(product.sum() - product, square.sum() - square)
    of_cell = ratio(sample.total(product)[c] - product, sample.total(square)[c] - square)
    weight_of_cell = sample.n[c] / (sample.n[c] + OWN_LAMBDA_CODES)
    return np.clip(common + weight_of_cell * (of_cell - common), 0, 1)


def bounds_of(
    estimate: np.ndarray, variance: np.ndarray, df: np.ndarray, single: tuple | None = None
) -> Bounds:
    """The interval of each estimate at USUAL_LEVEL by Student's t, NaN where there are no degrees of
    freedom. estimate, variance, df: float64[C] or numbers. single: as Sample.single has it, of
    shares; None for a scale."""
    t = np.where(df > 0, stdtrit(np.maximum(df, LEAST_FREEDOM), 0.5 + USUAL_LEVEL / 2), np.nan)
    if single is None:
        half = t * np.sqrt(variance)
        return Bounds(estimate, variance, estimate - half, estimate + half)
    scale, added = single
    r = t**2 * (variance * scale + added)
    estimate = np.clip(estimate, 0, 1)
    middle = (estimate + r / 2) / (1 + r)
    half = np.sqrt(r * estimate * (1 - estimate) + r**2 / 4) / (1 + r)
    return Bounds(estimate, variance, middle - half, middle + half)


@np.errstate(divide="ignore", invalid="ignore")
def difference(
    bounds: Bounds, a: int | np.ndarray, b: int | np.ndarray, correlation: np.ndarray | None = None
) -> tuple[Bounds, Bounds]:
    """(a - b, a / b) of two cells, or of several pairs, by the method of variance estimates
    recovery (Zou and Donner 2008; the ratio by logarithms), NaN where it is not known.

    In these texts cells are independent, also where strata span them (see above). Beyond them,
    units that are in both are not: correlation is that of CellEstimates; without it intervals are
    too wide where such units are alike in both."""
    x = bounds.at(a)
    y = bounds.at(b)
    r = np.zeros(np.shape(x.estimate)) if correlation is None else correlation[a, b]
    log_ratio = _between(r, x.logarithm(), y.logarithm())
    ratio = Bounds(
        np.exp(log_ratio.estimate),
        log_ratio.variance,
        np.exp(log_ratio.low),
        np.exp(log_ratio.high),
    )
    return _between(r, x, y), ratio


def _between(r: np.ndarray, x: Bounds, y: Bounds) -> Bounds:
    """x - y. r: how they are correlated."""
    difference = x.estimate - y.estimate
    variance = x.variance + y.variance - 2 * r * np.sqrt(x.variance * y.variance)
    below = _together(r, x.estimate - x.low, y.high - y.estimate)
    above = _together(r, x.high - x.estimate, y.estimate - y.low)
    return Bounds(difference, variance, difference - below, difference + above)


def _together(r: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far an end of a difference is from it, by how far those of both sides are."""
    return np.sqrt(a**2 + b**2 - 2 * np.nan_to_num(r * a * b))


@np.errstate(divide="ignore", invalid="ignore")
def more_needed(cells: CellEstimates, half_width: float) -> np.ndarray:
    """float64[C]: how many more codes of a cell give its corrected share in these texts to plus or
    minus half_width; 0 where that is reached, NaN where nothing is known yet. In a draw of all
    documents: times all over the cell's."""
    n = cells.codes
    M = cells.documents
    residual_variance = cells.corrected.variance * n / (1 - n / M)  # of one code
    t = stdtrit(np.maximum(n - 1, 1), 0.5 + USUAL_LEVEL / 2)
    needed = 1 / ((half_width / t) ** 2 / residual_variance + 1 / M)
    return np.where(n >= M, 0.0, np.maximum(np.ceil(needed - n), 0.0))
