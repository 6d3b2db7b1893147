"""Reading a text with given topics, against the model written out."""

import numpy as np
import pytest

from inference import Invalid, infer


def rows(rng, n: int, K: int):
    """Some rows of beta above a floor."""
    beta = np.where(rng.random((n, K)) < 0.4, rng.random((n, K)), 0.0)
    word, topic = np.nonzero(beta)
    floor = rng.random(K) * 1e-3
    shuffled = rng.permutation(len(word))
    return (
        word[shuffled],
        topic[shuffled],
        (floor[topic] + beta[word, topic])[shuffled],
        floor,
        np.where(beta > 0, beta, 0.0) + floor,
    )


@pytest.mark.parametrize("seed", range(5))
def test_words_and_mixture_are_the_models(seed):
    rng = np.random.default_rng(seed)
    n, K, alpha = 30, 7, 0.2
    word, topic, weight, floor, beta = rows(rng, n, K)
    words = infer.Words.of(n, word, topic, weight, floor)
    assert np.allclose(words.dense(), beta)
    counts = rng.integers(1, 6, n)
    found = infer.read(words, counts, alpha)
    theta = np.full(K, 1 / K)
    for _ in range(50):
        p = theta * beta
        theta = alpha + (counts[:, None] * p / p.sum(axis=1, keepdims=True)).sum(axis=0)
        theta /= theta.sum()
    assert np.allclose(found.theta, theta) and found.theta.sum() == pytest.approx(1)
    p = theta * beta
    p /= p.sum(axis=1, keepdims=True)
    assert np.array_equal(found.topics, p.argmax(axis=1))
    assert np.abs(found.certainty / 255 - p.max(axis=1)).max() <= 0.5 / 255 + 1e-9
    again = infer.read(words, counts, alpha)
    assert np.array_equal(again.theta, found.theta)


def test_a_text_without_words_is_an_even_mixture():
    words = infer.Words.of(0, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.full(4, 0.1))
    found = infer.read(words, np.zeros(0, np.int64), 0.1)
    assert np.allclose(found.theta, 0.25) and len(found.topics) == 0


def test_a_word_that_no_topic_lists_goes_by_the_floors():
    words = infer.Words.of(2, np.array([0]), np.array([1]), np.array([0.5]), np.array([0.01, 0.02, 0.03]))
    found = infer.read(words, np.array([9, 1]), 0.1)
    assert found.topics[0] == 1 and np.argmax(found.theta) == 1
    assert found.topics[1] == np.argmax(found.theta * [0.01, 0.02, 0.03])


def test_words_that_are_none_are_refused():
    with pytest.raises(Invalid, match="from 0 to 1"):
        infer.Words.of(2, np.array([2]), np.array([0]), np.array([0.5]), np.array([0.1]))
