"""How much a code depends on what is known of documents, with other things held constant: a contrast of a regression of all
documents' codes, each document counting the same.

With a = X (X'X)^-1 c of all documents, the contrast of what all would be coded as is a'y. Design-based supervised learning
(Egami, Hinck, Stewart and Wei 2023) puts the pseudo-outcome z = g + R/pi (y - g) in the place of y. *In these texts* only
the draw is chance: the variance is that of the total of a/pi (y - g) over the drawn, within strata. *Beyond them* z is
regressed with units as clusters, CR2 with Satterthwaite's degrees of freedom (inference.effects.regression)."""

from typing import NamedTuple

import numpy as np

from inference.codes.estimate import Bounds, Sample, bounds_of
from inference.codes.predict import Prediction
from inference.effects import regression
from inference.effects.units import LEAST as LEAST_UNITS, by_code

PRECISION = 1 << 30  # of the largest outcome: the regression takes whole numbers


class Effect(NamedTuple):
    """Of a contrast: Bounds of single numbers, NaN where the documents, or the coded ones, can't tell it. corrected, beyond: in
    these texts, and beyond them; coded: of the coded documents alone, weighted, in these texts; counted: of the predictions,
    the part above a half, or themselves for a scale: it is wrong by any amount. codes: documents it rests on."""

    corrected: Bounds
    beyond: Bounds
    coded: Bounds
    counted: float
    codes: int


def effect(
    cell: np.ndarray, rows: np.ndarray, contrast: np.ndarray, strata: np.ndarray, documents: np.ndarray, y: np.ndarray, pi: np.ndarray,
    prediction: Prediction, units: np.ndarray | None = None, scale: bool = False,
) -> Effect:  # fmt: skip
    """cell: int[D], the row of the design that each document has, below 0 of one that is left out; rows: float64[C, P]; contrast:
    float64[P]. The others as in inference.codes.estimate.cells."""
    g = prediction.g.mean(axis=0, dtype=np.float64)
    plain = g.copy() if scale else (g > 0.5).astype(float)
    g[documents] = prediction.coded.mean(axis=0, dtype=np.float64)
    sample = Sample(np.zeros(len(cell), np.int32), 1, strata, documents, y, pi, g, units)
    rows, known = np.vstack([rows, np.zeros_like(rows[:1])]), np.where(cell < 0, len(rows), cell)
    all_of, mine = _weights(rows, np.bincount(known, minlength=len(rows)), contrast), known[documents]
    own = np.bincount(mine, sample.w, len(rows))
    of_coded, outcome = _weights(rows, own, contrast), g.copy()
    outcome[documents] += sample.w * (y - g[documents])
    share = np.bincount(mine, sample.w * y, len(rows))
    beta = np.linalg.lstsq(rows.T * own @ rows, rows.T @ share, rcond=None)[0]
    codes, df = int(np.count_nonzero(mine < len(rows) - 1)), np.maximum(sample.df[0] - len(contrast) + 1, 1e-3)

    def in_these(estimate: np.ndarray, z: np.ndarray) -> Bounds:
        return bounds_of(estimate, sample.products(z, z)[1].sum(), df)

    corrected = in_these(all_of[known] @ outcome, all_of[mine] * (y - g[documents]))
    more, freedom = _beyond(cell, rows, contrast, outcome, units)
    return Effect(
        corrected,
        bounds_of(corrected.estimate, np.asarray(max(more, float(corrected.variance))), np.clip(freedom, 1e-3, df)),
        in_these(of_coded @ share, of_coded[mine] * (y - rows[mine] @ beta)),
        float(all_of[known] @ plain),
        codes,
    )


def _weights(rows: np.ndarray, sizes: np.ndarray, contrast: np.ndarray) -> np.ndarray:
    """float64[C]: what a document of each row adds to the contrast, NaN where these documents can't tell it."""
    gram = rows.T * sizes @ rows
    root = regression.half_inverse(gram)
    return (
        rows @ (root @ (root.T @ contrast))
        if regression.estimable(contrast[None], root, gram)[0]
        else np.full(len(rows), np.nan)
    )


def _beyond(
    cell: np.ndarray, rows: np.ndarray, contrast: np.ndarray, outcome: np.ndarray, units: np.ndarray | None
) -> tuple[float, float]:
    """(variance, degrees of freedom); NaN of fewer than LEAST_UNITS units, and where one alone decides."""
    D, parts = len(cell), PRECISION / max(float(np.abs(outcome).max(initial=0)), 1.0)
    known = np.full(D, -1) if units is None else units
    arrays = np.arange(D + 1), np.zeros(D), np.rint(outcome * parts), np.full(D, int(parts))
    data = regression.Data.from_documents(by_code(known), cell, arrays, np.zeros(1), 1)
    fit = regression.fit(data, rows, contrast[None])
    few = len(np.unique(known[(cell >= 0) & (known >= 0)])) + np.count_nonzero((cell >= 0) & (known < 0)) < LEAST_UNITS
    return (np.nan if few or fit.alone[0] else float(fit.variance[0, 0])), float(fit.df[0])
