"""Which topics depend on a group."""

import math

import numpy as np
import pytest

from inference.explore import change


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
