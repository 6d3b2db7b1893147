"""Saliency: words that tell of their topic come first."""

import numpy as np
import pytest

from inference.explore.saliency import saliency
from tests.inference import naive_explore


def of(tokens: np.ndarray, of_topics: np.ndarray, into=None) -> np.ndarray:
    """saliency of int[n, K]."""
    word, topic = np.nonzero(tokens)
    ptr = np.concatenate([[0], np.cumsum(np.bincount(word, minlength=len(tokens)))])
    into = np.arange(tokens.shape[1]) if into is None else into
    return saliency(ptr, topic.astype(np.uint16), tokens[word, topic], of_topics, into)


def test_saliency_is_the_papers():
    rng = np.random.default_rng(3)
    tokens = rng.poisson(rng.gamma(0.3, 20, (50, 7)))
    tokens[4] = 0
    of_topics = tokens.sum(axis=0) + 100
    assert of(tokens, of_topics) == pytest.approx(naive_explore.saliency(tokens, of_topics))


def test_a_word_spread_as_the_topics_are_says_nothing():
    of_topics = np.array([10, 20, 70])
    found = of(np.array([[1, 2, 7], [10, 0, 0], [0, 0, 10]]), of_topics)
    assert found[0] == pytest.approx(0) and found[1] > found[2] > 0


def test_merged_topics_are_one():
    rng = np.random.default_rng(4)
    tokens = rng.poisson(rng.gamma(0.3, 20, (30, 5)))
    merged = tokens.copy()
    merged[:, 1] += merged[:, 3]
    merged[:, 3] = 0
    into = np.array([0, 1, 2, 1, 4])
    assert of(tokens, tokens.sum(axis=0), into) == pytest.approx(of(merged, merged.sum(axis=0)))
