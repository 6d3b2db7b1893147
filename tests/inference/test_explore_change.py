"""Which topics depend on a group, and how far two groups are apart."""

import math

import numpy as np
import pytest

from inference.explore import bands, change
from tests.inference.test_explore_bands import flat


def test_information_is_the_mutual_information_of_topic_and_group():
    tokens = (
        np.random.default_rng(3).poisson(4.0, (7, 5)) * np.array([0, 1, 1, 3, 1, 2, 1])[:, None]
    )
    n = tokens.sum()
    expected = [
        sum(
            tokens[g, k] / n * math.log((tokens[g, k] / tokens[g].sum()) / (tokens[:, k].sum() / n))
            for g in range(7)
            if tokens[g, k]
        )
        for k in range(5)
    ]
    assert change.information(tokens) == pytest.approx(expected)
    assert (change.information(tokens) >= 0).all()


def test_what_never_changes_tells_nothing():
    assert change.information(np.outer([3, 0, 5], [2, 4, 0, 1])) == pytest.approx(0, abs=1e-12)
    assert change.information(np.zeros((4, 2), int)).tolist() == [0, 0]
    # The second topic changes most, for its size and outright
    changing = np.array([[50, 50, 900], [60, 140, 800]])
    assert change.information(changing).argmax() == 1


@pytest.mark.parametrize("each", [5, 20, 200])
def test_an_interval_of_a_difference_holds_it(each):
    """Two groups of the same share, 600 times over: 0 is inside about 95 times of 100. 90% is what
    chance may make of it."""
    pairs = 600
    arrays, _ = flat(2 * pairs, each, 0.1, 10.0, each)
    found = bands.shares(*arrays, 2 * pairs, [0])
    two = [np.ravel(array).reshape(pairs, 2) for array in (found.share, found.low, found.high)]
    apart, low, high = change.difference(*two)
    assert ((low <= 0) & (0 <= high)).mean() > 0.9
    assert ((low <= apart) & (apart <= high)).all() and (low >= -1).all() and (high <= 1).all()
    assert apart == pytest.approx(two[0][:, 0] - two[0][:, 1])


def test_a_difference_is_sure_where_shares_are_far_apart():
    low = change.difference(
        np.array([[0.3, 0.1]]), np.array([[0.25, 0.07]]), np.array([[0.35, 0.13]])
    )[1]
    assert low[0] == pytest.approx(0.2 - math.hypot(0.05, 0.03))
