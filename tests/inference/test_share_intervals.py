"""Both formulas of the interval of one share, against scipy's distributions, one number at a
time."""

import math

import numpy as np
import pytest
from scipy import stats

from inference import share_intervals


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_a_share_has_students_interval_on_the_scale_of_the_logit(level):
    share = np.array([0.001, 0.2, 0.5, 0.97])
    error = np.array([0.7, 0.1, 2.0, 0.4])
    df = np.array([1.0, 2.5, 30.0, 1e6])
    low, high = share_intervals.logit_interval(share, error, df, level)
    for i in range(len(share)):
        at = math.log(share[i] / (1 - share[i]))
        reach = stats.t.ppf(0.5 + level / 2, df[i]) * error[i]
        assert low[i] == pytest.approx(1 / (1 + math.exp(reach - at)))
        assert high[i] == pytest.approx(1 / (1 + math.exp(-reach - at)))


def test_nothing_is_known_of_a_share_without_words():
    low, high = share_intervals.logit_interval(np.array([np.nan]), np.ones(1), np.ones(1), 0.95)
    assert np.isnan(low).all() and np.isnan(high).all()


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_where_few_units_have_a_topic_the_end_is_that_of_clopper_and_pearson(level):
    for n in (1, 2, 5, 300):
        for m in range(min(n, share_intervals.FEW_WITH_TOPIC + 1)):
            part = stats.binomtest(m, n).proportion_ci(level).high
            high = share_intervals.high_of_few(np.array([n]), np.array([m]), np.array([0.3]), level)
            assert high == pytest.approx(0.3 * part)


def test_of_units_that_all_have_the_topic_all_may_have_it():
    high = share_intervals.high_of_few(np.array([2]), np.array([2]), np.array([0.3]), 0.95)
    assert high == pytest.approx(0.3)
