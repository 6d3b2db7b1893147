"""Effects on codes with others held constant: against plain matrices, and that intervals hold where
counted predictions fail."""

import numpy as np
import pytest

from inference.codes.draw import draw, strata
from inference.codes.effect import effect
from inference.codes.predict import Prediction


def planted(D: int, seed: int, units: int = 60):
    """(y, g, rows, cell, of): a group's codes differ by 0.2 at each time, and later documents have
    more; the prediction misses most in the group. Who speaks is in one group."""
    chance = np.random.default_rng(seed)
    of = chance.integers(0, units, D)
    group = of % 2
    time = np.clip(chance.integers(0, 4, D) + of % 2, 0, 4)
    y = (chance.random(D) < 0.2 + 0.2 * group + 0.08 * time + 0.1 * np.sin(of)).astype(float)
    g = 0.1 + 0.5 * y * np.where(group, 0.4, 1.0) + chance.normal(0, 0.1, D)
    rows = np.array([[1.0, k, t / 4] for k in (0, 1) for t in range(5)])
    return y, g.astype(np.float32), rows, group * 5 + time, of


def given(g: np.ndarray, documents: np.ndarray) -> Prediction:
    return Prediction(g[None], g[None, documents], float("nan"))


CONTRAST = np.array([0.0, 1.0, 0.0])


def ols(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return np.linalg.solve(X.T @ (X * weight[:, None]), X.T @ (weight * y))


def design_variance(z: np.ndarray, of: np.ndarray, pi: np.ndarray, stratum: np.ndarray) -> float:
    """Of a total of z of the drawn over pi, by strata of known size."""
    out = 0.0
    for h in np.unique(of):
        mine = stratum == h
        N = (of == h).sum()
        n = mine.sum()
        if n < N:
            out += N**2 * (1 - n / N) / n * z[mine].var(ddof=1)
    return out


@pytest.mark.parametrize("seed", range(3))
def test_an_effect_is_that_of_plain_matrices(seed):
    y, g, rows, cell, of = planted(400, seed)
    strata_ = strata(None, cell % 5)
    made = draw(strata_, 120, 4, seed)
    drawn = made.documents
    pi = made.pi
    cell = np.where(np.arange(400) < 15, -1, cell)
    found = effect(cell, rows, CONTRAST, strata_, drawn, y[drawn], pi, given(g, drawn), of)
    known = cell >= 0
    X = rows[np.maximum(cell, 0)] * (cell >= 0)[:, None]
    z = g.astype(float)
    z[drawn] += (y[drawn] - z[drawn]) / pi
    inverse = np.linalg.inv(X.T @ X)
    a = X @ inverse @ CONTRAST
    beta = ols(X, z, np.ones(400))
    assert found.corrected.estimate == pytest.approx(beta[1])
    assert found.counted == pytest.approx(ols(X, (g > 0.5).astype(float), np.ones(400))[1])
    variance = design_variance(a[drawn] * (y - g)[drawn], strata_, pi, made.strata)
    assert found.corrected.variance == pytest.approx(variance, rel=1e-5)
    total = 0.0  # CR2: residuals of each unit by (I - H)^(-1/2)
    for unit in np.unique(of[known]):
        mine = known & (of == unit)
        left = np.eye(mine.sum()) - X[mine] @ inverse @ X[mine].T
        values, vectors = np.linalg.eigh(left)
        adjusted = vectors / np.sqrt(values) @ vectors.T @ (z - X @ beta)[mine]
        total += (a[mine] @ adjusted) ** 2
    assert (
        found.beyond.variance == pytest.approx(max(total, variance), rel=1e-5)
        and total > variance / 3
    )
    some = known[drawn]
    alone = ols(X[drawn], y[drawn], 1 / pi)
    assert found.coded.estimate == pytest.approx(alone[1]) and found.codes == some.sum()
    own = (
        X[drawn]
        @ np.linalg.inv(X[drawn].T @ (X[drawn] / pi[:, None]))
        @ CONTRAST
        * (y[drawn] - X[drawn] @ alone)
    )
    assert found.coded.variance == pytest.approx(
        design_variance(own, strata_, pi, made.strata), rel=1e-5
    )


def test_intervals_hold_the_effect_in_all_texts_and_counted_predictions_do_not():
    y, g, rows, cell, _ = planted(4_000, 1)
    truth = ols(rows[cell], y, np.ones(4_000))[1]
    of = strata(None, cell % 5)
    held = []
    counted = []
    widths = []
    for seed in range(300):
        made = draw(of, 200, 1, seed)
        e = effect(
            cell,
            rows,
            CONTRAST,
            of,
            made.documents,
            y[made.documents],
            made.pi,
            given(g, made.documents),
        )
        held.append([one.low <= truth <= one.high for one in (e.corrected, e.beyond, e.coded)])
        counted.append(e.counted - truth)
        widths.append((e.corrected.high - e.corrected.low) / (e.coded.high - e.coded.low))
    assert np.all(np.mean(held, axis=0) >= 0.92) and np.mean(held, axis=0)[0] < 0.99
    assert abs(np.mean(counted)) > 0.1 and np.mean(widths) < 0.95


def test_what_documents_can_not_tell_has_no_interval():
    y, g, rows, cell, of = planted(400, 2)
    made = draw(strata(None, cell), 60, 1, 0)
    rows = np.column_stack([rows, rows[:, 1]])  # the group twice
    e = effect(
        cell,
        rows,
        np.append(CONTRAST, 0.0),
        strata(None, cell),
        made.documents,
        y[made.documents],
        made.pi,
        given(g, made.documents),
    )
    assert np.isnan(e.corrected.estimate) and np.isnan(e.coded.low) and np.isnan(e.beyond.high)
    few = effect(
        cell,
        rows[:, :3],
        CONTRAST,
        strata(None, cell),
        made.documents,
        y[made.documents],
        made.pi,
        given(g, made.documents),
        of % 4,
    )
    assert np.isfinite(few.corrected.low) and np.isnan(few.beyond.low)
