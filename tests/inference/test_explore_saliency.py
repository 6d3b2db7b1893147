"""Saliency: words that tell of their topic come first."""

import numpy as np
import pytest

from inference.explore.saliency import saliency
from tests.inference import naive_explore


def test_saliency_is_the_papers():
    rng = np.random.default_rng(3)
    tokens = rng.poisson(rng.gamma(0.3, 20, (50, 7)))
    tokens[4] = 0
    of_topics = tokens.sum(axis=0) + 100
    assert saliency(tokens, of_topics) == pytest.approx(naive_explore.saliency(tokens, of_topics))


def test_a_word_spread_as_the_topics_are_says_nothing():
    of_topics = np.array([10, 20, 70])
    found = saliency(np.array([[1, 2, 7], [10, 0, 0], [0, 0, 10]]), of_topics)
    assert found[0] == pytest.approx(0) and found[1] > found[2] > 0
