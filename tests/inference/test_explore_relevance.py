"""Relevance and distinctive words against their formulas."""

import numpy as np
import pytest

from inference.explore import relevance
from tests.inference import naive_explore


@pytest.mark.parametrize("lam", [0.0, 0.3, 0.6, 1.0])
def test_relevance_is_eq_1(lam):
    inside = np.array([40, 10, 3, 1])
    everywhere = np.array([400, 10, 5, 1000])
    found = relevance.relevance(inside, everywhere, lam, inside_total=60, total=5000)
    assert found == pytest.approx(
        [
            naive_explore.relevance(i, e, 60, 5000, lam)
            for i, e in zip(inside, everywhere, strict=True)
        ]
    )


def test_relevance_of_logs_is_the_same():
    inside = np.array([40, 10, 3])
    everywhere = np.array([400, 10, 5])
    of_logs = relevance.relevance_of_logs(np.log(inside / 60), np.log(everywhere / 5000), 0.6)
    of_counts = relevance.relevance(inside, everywhere, 0.6, inside_total=60, total=5000)
    assert of_logs == pytest.approx(of_counts)


def test_lam_goes_from_what_is_nowhere_else_to_what_is_frequent():
    inside = np.array([40, 10, 0])
    everywhere = np.array([400, 10, 7])
    for lam, first in ((0.0, 1), (1.0, 0)):
        found = relevance.relevance(inside, everywhere, lam, inside_total=50, total=1000)
        assert found.argmax() == first and found[2] == -np.inf


def test_distinctive_is_monroes():
    rng = np.random.default_rng(1)
    everywhere = rng.integers(1, 500, 30)
    inside = rng.binomial(everywhere, rng.uniform(0, 0.5, 30))
    found = relevance.distinctive(inside, everywhere, prior=50.0)
    assert found == pytest.approx(naive_explore.distinctive(inside, everywhere, 50.0))


def test_often_and_only_here_beats_once_and_only_here():
    everywhere = np.array([10_000, 200, 1, 300, 0])
    found = relevance.distinctive(np.array([1000, 150, 1, 30, 0]), everywhere)
    assert found.argmax() == 1 and found[1] > 2 * found[2] > 0
    assert abs(found[3]) < 4 and found[4] == 0


@pytest.mark.parametrize("inside", [[0, 0], [5, 3]])
def test_nothing_or_everything_is_not_distinctive(inside):
    assert relevance.distinctive(np.array(inside), np.array([5, 3])).tolist() == [0, 0]
