"""Effects as stm's estimateEffect has them: those of topica, and of a slow twin."""

import json
from pathlib import Path

import numpy as np
import pytest

from inference.effects import as_stm, unit_documents
from inference.effects.regression import Data
from tests.inference import naive_effects

TOPICA = json.loads((Path(__file__).parent / "stm_effects.json").read_text())
GROUPS = 3
NUMBERS = 10
DESIGN = np.array(
    [[1, g == 1, g == 2, n / 9] for g in range(GROUPS) for n in range(NUMBERS)], float
)


def data_of(counts, of_units, cell, into=None):
    counts = np.asarray(counts)
    held = np.nonzero(counts)
    ptr = np.concatenate([[0], np.cumsum((counts > 0).sum(axis=1))])
    into = np.arange(counts.shape[1]) if into is None else np.array(into)
    return Data.from_documents(
        of_units, cell, (ptr, held[1], counts[held], counts.sum(axis=1)), into, into.max() + 1
    )


def units_of(codes):
    return (
        unit_documents.documents(len(TOPICA["unit"]))
        if codes is None
        else unit_documents.by_code(np.array(codes))
    )


@pytest.fixture(params=[1 << 14, 7], ids=["one block", "small blocks"])
def block(request, monkeypatch):
    monkeypatch.setattr(as_stm, "BLOCK", request.param)


@pytest.mark.parametrize("kind", ["documents", "units"])
def test_it_equals_topica(block, kind):
    """How its figures were made: stm_effects.json, `made`."""
    known = TOPICA[kind]
    cell = np.array(TOPICA["group"]) * NUMBERS + np.array(TOPICA["number"])
    data = data_of(TOPICA["counts"], units_of(TOPICA["unit"] if kind == "units" else None), cell)
    alpha = np.array(TOPICA["alpha"])
    fixed = as_stm.fit(data, alpha, DESIGN, np.eye(4), draws=0)
    np.testing.assert_allclose(fixed.estimate.T, known["coef"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(np.sqrt(fixed.variance.T), known["se"], rtol=0, atol=1e-10)
    drawn = as_stm.fit(data, alpha, DESIGN, np.eye(4), draws=25)
    np.testing.assert_allclose(drawn.estimate, fixed.estimate)
    apart = np.abs(drawn.variance.T - known["drawn_variance"]) / known["drawn_error"]
    assert apart.max() < 4 and (drawn.variance > 1.02 * fixed.variance).all()


@pytest.mark.parametrize("clustered", [False, True])
def test_it_equals_the_twin_where_topics_are_merged_and_documents_left_out(block, clustered):
    chance = np.random.default_rng(7)
    counts = chance.integers(0, 6, (70, 5)) * (chance.random((70, 5)) < 0.5)
    alpha = np.array([0.3, 0.2, 0.1, 0.05, 0.4])
    counts[:, 0] += 1
    cell = np.where(chance.random(70) < 0.2, -1, chance.integers(0, len(DESIGN), 70))
    unit = chance.integers(0, 9, 70)
    data = data_of(
        counts,
        unit_documents.by_code(unit) if clustered else unit_documents.documents(70),
        cell,
        [0, 1, 0, 2, -1],
    )
    fixed, drawn = (as_stm.fit(data, alpha, DESIGN, np.eye(4), draws) for draws in (0, 10))
    kept = cell >= 0
    X = DESIGN[cell[kept]]
    of_units = unit[kept] if clustered else None
    concentration = (counts + alpha)[kept]
    merged = np.stack(
        [concentration[:, [0, 2]].sum(axis=1), *concentration[:, [1, 3, 4]].T], axis=1
    )
    for t in range(3):
        beta, variance = naive_effects.as_stm(merged[:, t] / merged.sum(axis=1), X, of_units)
        np.testing.assert_allclose(fixed.estimate[:, t], beta, atol=1e-12)
        np.testing.assert_allclose(fixed.variance[:, t], np.diag(variance), rtol=1e-9)
        pooled = np.array(
            [naive_effects.composed(chance, merged, t, X, 10, of_units) for _ in range(150)]
        )
        apart = (drawn.variance[:, t] - pooled.mean(axis=0)) / (pooled.std(axis=0) / np.sqrt(150))
        assert np.abs(apart).max() < 4.5


def test_what_the_documents_do_not_say_is_unknown():
    data = data_of(np.ones((8, 2), int), unit_documents.documents(8), np.arange(8) % 2)
    fit = as_stm.fit(data, np.ones(2), np.array([[1, 0, 0], [1, 1, 0]], float), np.eye(3))
    assert np.isnan(fit.estimate[2]).all() and np.isnan(fit.variance[2]).all()
    np.testing.assert_allclose(fit.estimate[:2], [[0.5, 0.5], [0, 0]], atol=1e-12)
