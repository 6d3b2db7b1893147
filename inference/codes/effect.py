"""How much a code depends on what is known of documents, with other things held constant: a
contrast of a regression of all documents' codes, each document counting the same.

With a = X (X'X)^-1 c of all documents, the contrast of what all would be coded as is a'y.
Design-based supervised learning (Egami, Hinck, Stewart and Wei 2023) puts the pseudo-outcome z = g
+ R/pi (y - g) in the place of y. *In these texts* only the draw is chance: the variance is that of
the total of a/pi (y - g) over the drawn, within strata. *Beyond them* z is regressed with units as
clusters, CR2 with Satterthwaite's degrees of freedom (inference.effects.regression)."""

from typing import NamedTuple

import numpy as np

from inference.codes.estimate import Bounds, CodedSample, bounds_of
from inference.codes.predict import Prediction
from inference.effects import regression
from inference.effects.leverage import LEAST_FREEDOM
from inference.effects.unit_documents import LEAST_UNITS, by_code

PRECISION = 1 << 30  # of the largest outcome: the regression takes whole numbers


class Effect(NamedTuple):
    """The effect that a contrast has on codes: Bounds of single numbers, NaN where the documents,
    or the coded ones, can't tell it. corrected, beyond: in these texts, and beyond them; coded: of
    the coded documents alone, weighted, in these texts; counted: of the predictions, the part above
    a half, or themselves for a scale: it is wrong by any amount. codes: documents it rests on."""

    corrected: Bounds
    beyond: Bounds
    coded: Bounds
    counted: float
    codes: int


def effect(
    cell: np.ndarray,
    rows: np.ndarray,
    contrast: np.ndarray,
    strata: np.ndarray,
    documents: np.ndarray,
    y: np.ndarray,
    pi: np.ndarray,
    prediction: Prediction,
    units: np.ndarray | None = None,
    scale: bool = False,
) -> Effect:
    """cell: int[D], the row of the design that each document has, below 0 of one that is left out;
    rows: float64[C, P]; contrast: float64[P]. The others as in inference.codes.estimate.cells."""
    g = prediction.g.mean(axis=0, dtype=np.float64)
    plain = g.copy() if scale else (g > 0.5).astype(float)
    g[documents] = prediction.coded.mean(axis=0, dtype=np.float64)
    sample = CodedSample(np.zeros(len(cell), np.int32), 1, strata, documents, y, pi, g, units)
    # The last row is of those that are left out
    row_of_document = np.where(cell < 0, len(rows), cell)
    row_of_code = row_of_document[documents]
    rows = np.vstack([rows, np.zeros_like(rows[:1])])
    weight = _weights(rows, np.bincount(row_of_document, minlength=len(rows)), contrast)
    df = np.maximum(sample.df[0] - len(contrast) + 1, LEAST_FREEDOM)

    def in_these(estimate: np.ndarray, z: np.ndarray) -> Bounds:
        _, variance = sample.products(z, z)
        return bounds_of(estimate, variance.sum(), df)

    residual = y - g[documents]
    outcome = g.copy()
    outcome[documents] += sample.w * residual
    corrected = in_these(weight[row_of_document] @ outcome, weight[row_of_code] * residual)
    variance_beyond, df_beyond = _beyond(cell, rows, contrast, outcome, units)
    variance_beyond = max(variance_beyond, float(corrected.variance))
    beyond = bounds_of(
        corrected.estimate, np.asarray(variance_beyond), np.clip(df_beyond, LEAST_FREEDOM, df)
    )

    coded_documents = np.bincount(row_of_code, sample.w, len(rows))
    coded_sum = np.bincount(row_of_code, sample.w * y, len(rows))
    weight_of_coded = _weights(rows, coded_documents, contrast)
    beta, *_ = np.linalg.lstsq(rows.T * coded_documents @ rows, rows.T @ coded_sum, rcond=None)
    residual_of_fit = y - rows[row_of_code] @ beta
    coded = in_these(weight_of_coded @ coded_sum, weight_of_coded[row_of_code] * residual_of_fit)

    codes = int(np.count_nonzero(row_of_code < len(rows) - 1))
    return Effect(corrected, beyond, coded, float(weight[row_of_document] @ plain), codes)


def _weights(rows: np.ndarray, sizes: np.ndarray, contrast: np.ndarray) -> np.ndarray:
    """float64[C]: what a document of each row adds to the contrast, NaN where these documents can't
    tell it."""
    gram = rows.T * sizes @ rows
    root = regression.half_inverse(gram)
    (estimable,) = regression.estimable(contrast[None], root, gram)
    if not estimable:
        return np.full(len(rows), np.nan)
    return rows @ (root @ (root.T @ contrast))


def _beyond(
    cell: np.ndarray,
    rows: np.ndarray,
    contrast: np.ndarray,
    outcome: np.ndarray,
    units: np.ndarray | None,
) -> tuple[float, float]:
    """(variance, degrees of freedom); NaN of fewer than LEAST_UNITS units, and where one alone
    decides."""
    D = len(cell)
    scale = PRECISION / max(float(np.abs(outcome).max(initial=0)), 1.0)
    unit = np.full(D, -1) if units is None else units
    one_topic_each = (
        np.arange(D + 1),
        np.zeros(D),
        np.rint(outcome * scale),
        np.full(D, int(scale)),
    )
    data = regression.Data.from_documents(by_code(unit), cell, one_topic_each, np.zeros(1), 1)
    fit = regression.fit(data, rows, contrast[None])
    unit_in_design = unit[cell >= 0]
    units_given = len(np.unique(unit_in_design[unit_in_design >= 0]))
    units_alone = np.count_nonzero(unit_in_design < 0)
    variance = float(fit.variance[0, 0])
    if units_given + units_alone < LEAST_UNITS or fit.alone[0]:
        variance = np.nan
    return variance, float(fit.df[0])
