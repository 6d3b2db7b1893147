"""The interval of one share: both formulas against scipy's distributions, one number at a time, and
where its three rules differ."""

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


LEVEL = 0.95
LEAST_UNITS = 5


def estimate_of(share, error, units, holding, of_holders) -> share_intervals.Estimate:
    return share_intervals.Estimate(
        share=np.array([share]),
        error=np.array([error]),
        df=np.array([max(holding - 1, 1)]),
        units=np.array([units]),
        holding=np.array([holding]),
        of_holders=np.array([of_holders]),
    )


def test_with_few_that_have_the_topic_only_the_rule_of_documents_takes_the_lower_end():
    estimate = estimate_of(share=0.01, error=0.01, units=30, holding=1, of_holders=0.3)
    _, students = share_intervals.logit_interval(estimate.share, estimate.error, estimate.df, LEVEL)
    end_of_few = share_intervals.high_of_few(
        estimate.units, estimate.holding, estimate.of_holders, LEVEL
    )
    assert students < end_of_few
    _, high = share_intervals.interval_of_documents(estimate, LEVEL)
    assert high == students
    for interval in (
        share_intervals.interval_of_units(estimate, LEVEL, LEAST_UNITS),
        share_intervals.interval_of_finding(estimate, LEVEL),
    ):
        assert interval.high == interval.tested == end_of_few
        assert interval.error == 0


def test_only_the_rule_of_a_finding_has_none_for_a_topic_with_all_words():
    estimate = estimate_of(share=1.0, error=np.inf, units=30, holding=30, of_holders=1.0)
    assert share_intervals.interval_of_documents(estimate, LEVEL) == (1, 1)
    of_units = share_intervals.interval_of_units(estimate, LEVEL, LEAST_UNITS)
    assert (of_units.low, of_units.high, of_units.error) == (1, 1, 0)
    of_finding = share_intervals.interval_of_finding(estimate, LEVEL)
    assert np.isnan(of_finding.low) and of_finding.high == 1


def test_of_one_unit_the_rule_of_units_says_nothing_and_the_others_everything():
    estimate = estimate_of(share=0.2, error=0.0, units=1, holding=1, of_holders=0.2)
    assert share_intervals.interval_of_documents(estimate, LEVEL) == (0, 1)
    of_finding = share_intervals.interval_of_finding(estimate, LEVEL)
    assert (of_finding.low, of_finding.high) == (0, 1)
    of_units = share_intervals.interval_of_units(estimate, LEVEL, LEAST_UNITS)
    assert np.isnan(of_units.low) and np.isnan(of_units.high)
