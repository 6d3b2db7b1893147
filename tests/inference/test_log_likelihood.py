"""G² against a naive twin, scipy and the table of Dunning (1993)."""

import numpy as np
import pytest
from scipy import stats

from inference.log_likelihood import SIGNIFICANT_G2, g2_of_cells, g2_of_parts, signed
from tests.inference import naive_senses as naive


def test_the_threshold_is_the_point_of_chi_squared():
    assert stats.chi2.isf(0.001, df=1) == pytest.approx(SIGNIFICANT_G2, abs=0.005)


def test_parts_are_those_of_scipy_and_of_the_naive_twin():
    random = np.random.default_rng(3)
    totals = np.array([400, 1500])
    counts = np.stack([random.integers(1, 400, 50), random.integers(0, 1500, 50)], axis=1)
    found = g2_of_parts(counts, totals)
    for (first, second), g2 in zip(counts.tolist(), found.tolist(), strict=True):
        table = [[first, second], [400 - first, 1500 - second]]
        test = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
        assert g2 == pytest.approx(test.statistic, abs=1e-9)
        assert g2 == pytest.approx(naive.ratio(first, 400, second, 1500), abs=1e-9)


def test_cells_of_none():
    """A word that is in all of one part and in none of the other, one that is nowhere, and parts
    without anything."""
    found = g2_of_parts(np.array([[20, 0], [0, 0]]), np.array([20, 40]))
    assert found[0] == pytest.approx(2 * (-20 * np.log(1 / 3) - 40 * np.log(2 / 3)))
    assert found[1] == 0
    assert g2_of_parts(np.array([[0, 0], [3, 0]]), np.array([3, 0])).tolist() == [0, 0]
    assert g2_of_parts(np.zeros((0, 2), int), np.array([3, 0])).shape == (0,)


def test_expected_counts_may_be_given():
    cells = np.array([[[10.0, 0.0], [5.0, 85.0]]])
    expected = np.array([[[1.5, 8.5], [13.5, 76.5]]])
    by_hand = 2 * (10 * np.log(10 / 1.5) + 5 * np.log(5 / 13.5) + 85 * np.log(85 / 76.5))
    assert g2_of_cells(cells, expected).tolist() == pytest.approx([by_hand])


def test_fewer_than_expected_are_below_0():
    found = signed(np.array([4.0, 4.0, 4.0]), np.array([1, 2, 3]), np.array([2.0, 2.0, 2.0]))
    assert found.tolist() == [-4.0, 4.0, 4.0]
