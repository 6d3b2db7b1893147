"""Reading a text with given topics, against the model written out."""

import numpy as np
import pytest

from inference import Invalid, Snapshot, infer, train
from inference.kernels.beta_rows import BetaRows
from tests.engines import mixture
from tests.inference.corpora import planted


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
    n = 30
    K = 7
    alpha = 0.2
    word, topic, weight, floor, beta = rows(rng, n, K)
    words = BetaRows.from_entries(n, word, topic, weight, floor)
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
    words = BetaRows.from_entries(
        0, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.full(4, 0.1)
    )
    found = infer.read(words, np.zeros(0, np.int64), 0.1)
    assert np.allclose(found.theta, 0.25) and len(found.topics) == 0


def test_a_word_that_no_topic_lists_goes_by_the_floors():
    words = BetaRows.from_entries(
        2, np.array([0]), np.array([1]), np.array([0.5]), np.array([0.01, 0.02, 0.03])
    )
    found = infer.read(words, np.array([9, 1]), 0.1)
    assert found.topics[0] == 1 and np.argmax(found.theta) == 1
    assert found.topics[1] == np.argmax(found.theta * [0.01, 0.02, 0.03])


def test_words_that_are_none_are_refused():
    with pytest.raises(Invalid, match="from 0 to 1"):
        BetaRows.from_entries(2, np.array([2]), np.array([0]), np.array([0.5]), np.array([0.1]))


def test_a_document_of_one_topic_is_read_by_its_engine():
    """Where EM would mix topics the engine's own rule decides: a long text and a short one, and one
    without words."""
    bow = planted(3, 60, 120, 40, seed=2, alpha=0.02)[0]
    config = mixture.Config(topics=3, passes=4, minibatch=40).resolve(bow.D, bow.tokens)
    state = [event for event in train(mixture, config, bow, seed=1) if isinstance(event, Snapshot)][
        -1
    ].state
    scores = mixture.log_probabilities(config, state, bow, np.arange(bow.D))
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    for d in range(0, bow.D, 10):
        row = slice(bow.indptr[d], bow.indptr[d + 1])
        order = np.random.default_rng(d).permutation(row.stop - row.start)
        words = bow.words[row][order]
        counts = bow.counts[row][order]
        found = infer.read_by_document(mixture, config, state, bow.V, words, counts)
        assert np.abs(found.theta - p[d]).max() < 0.01 and found.theta.sum() == pytest.approx(1)
        assert (found.topics == p[d].argmax()).all() and len(found.topics) == len(words)
        assert (found.certainty == round(255 * found.theta.max())).all()
    none = np.zeros(0, np.int64)
    assert np.allclose(
        infer.read_by_document(mixture, config, state, bow.V, none, none).theta, 1 / 3
    )
