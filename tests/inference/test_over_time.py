"""One test of several runs of a claim about time, against years that depend on each other."""

import numpy as np
import pytest

from inference.effects import over_time
from inference.effects.joint import UnitResiduals

T = 12
RUNS = 3


def runs_of(
    chance: np.random.Generator, phi: float, P: int, rise: float = 0.0
) -> tuple[list[UnitResiduals], np.ndarray]:
    """Series of AR(1), the first of them rising, read with noise in each run; and what moves a
    straight line's end."""
    years = chance.normal(size=(P, T))
    for t in range(1, P):
        years[t] = phi * years[t - 1] + np.sqrt(1 - phi**2) * years[t]
    x = np.arange(P) / P
    words = chance.lognormal(0, 0.5, P)
    years[:, 0] += rise * x
    centred = x - words @ x / words.sum()
    read = [years + 0.3 * chance.normal(size=years.shape) for _ in range(RUNS)]
    return [UnitResiduals(r * words[:, None], words) for r in read], words * centred / (
        words @ centred**2
    )


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(over_time, "DRAWS", (99, 99))


@pytest.mark.parametrize("phi", [0.0, 0.6])
def test_years_that_depend_on_each_other_are_no_trend(phi):
    chance = np.random.default_rng(3)
    found = [over_time.tested(*runs_of(chance, phi, 40)) for _ in range(60)]
    assert np.mean([test.p <= 0.05 for test in found]) <= 0.06
    assert np.mean([test.p_of_clearest.min() <= 0.05 for test in found]) <= 0.1


def test_a_rise_is_told():
    chance = np.random.default_rng(4)
    runs, lever = runs_of(chance, 0.4, 100, rise=6.0)
    test = over_time.tested(runs, lever)
    assert test.p[0] <= 0.02 and test.p_of_clearest[0] <= 0.05 < np.median(test.p)
    assert test.median[0] == pytest.approx(
        np.median([lever @ (run.residual[:, 0] / run.words) for run in runs])
    )


def test_a_run_of_other_words_has_shares_of_its_own_words():
    """A choice of words that keeps half of them halves what is counted, and no share."""
    chance = np.random.default_rng(7)
    runs, lever = runs_of(chance, 0.4, 60, rise=6.0)
    halved = [runs[0], *(UnitResiduals(run.residual / 2, run.words / 2) for run in runs[1:])]
    alike = over_time.tested(runs, lever)
    test = over_time.tested(halved, lever)
    assert test.median == pytest.approx(alike.median) and (test.p == alike.p).all()


def test_a_run_without_the_topic_counts_as_no_change():
    chance = np.random.default_rng(5)
    runs, lever = runs_of(chance, 0.2, 60, rise=6.0)
    for run in runs[1:]:
        run.residual[:, 0] = np.nan
    test = over_time.tested(runs, lever)
    assert test.median[0] == 0 and test.p[0] == 1


def test_the_coefficient_is_found_through_noise():
    chance = np.random.default_rng(6)
    years = chance.normal(size=(400, 30))
    for t in range(1, 400):
        years[t] = 0.7 * years[t - 1] + np.sqrt(1 - 0.49) * years[t]
    noisy = years + 0.7 * chance.normal(size=years.shape)
    assert np.median(over_time.coefficients(noisy)) == pytest.approx(0.7, abs=0.05)
    assert np.median(over_time.coefficients(years)) == pytest.approx(0.7, abs=0.05)
