"""The judges against their slow twins."""

import numpy as np
import pytest

from inference import fold_in
from inference.evaluate import Coherence, Completion, coherence
from inference.topics import Topics
from tests.inference import naive, naive_evaluate
from tests.inference.corpora import bow_of, planted


def topics_of(beta: np.ndarray, listed: int) -> Topics:
    """Rows with the `listed` largest words of each topic."""
    K, V = beta.shape
    words = np.argsort(-beta, axis=1, kind="stable")[:, :listed].astype(np.int32)
    weights = np.take_along_axis(beta, words, axis=1).astype(np.float32)
    mass = 1 - weights.sum(axis=1, dtype=float)
    return Topics(
        np.arange(K + 1) * listed,
        words.ravel(),
        weights.ravel(),
        mass / max(1, V - listed),
        mass,
        np.full(K, 1 / K),
        V,
    )


@pytest.fixture(scope="module")
def known():
    bow, beta = planted(K=4, V=40, D=60, length=30, seed=5)
    documents = [bow.words[a:b].tolist() for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)]
    return bow, beta, documents


def test_coherence_is_eq_13(known):
    bow, beta, documents = known
    topics = topics_of(beta, 15)
    expected = [
        naive.umass(topics.top(coherence.WORDS)[k], documents, coherence.EPSILON) for k in range(4)
    ]
    assert Coherence(bow)(topics).tolist() == pytest.approx(expected)


def test_coherence_of_a_topic_of_one_word_is_unknown(known):
    assert np.isnan(Coherence(known[0])(topics_of(known[1], 1))).all()


def test_coherence_tells_good_topics_from_shuffled_ones(known):
    bow, beta, _ = known
    shuffled = np.random.default_rng(1).permuted(beta, axis=1)
    judge = Coherence(bow)
    assert judge(topics_of(beta, 10)).mean() > judge(topics_of(shuffled, 10)).mean() + 5


def test_completion_splits_every_document_in_half(known):
    bow, _, _ = known
    judge = Completion(bow, np.arange(bow.D))
    lengths = np.add.reduceat(bow.counts, bow.indptr[:-1])
    observed = np.add.reduceat(judge.parts.observed, judge.parts.indptr[:-1])
    assert (observed == (lengths + 1) // 2).all()
    assert (judge.parts.observed + judge.parts.scored == bow.counts).all()
    assert (judge.words[judge.parts.positions] == bow.words).all()


def test_completion_is_em(known):
    bow, beta, _ = known
    judge = Completion(bow, np.arange(20), seed=3)
    expected = naive_evaluate.completion(
        judge, beta, fold_in.alpha_for(len(beta)), fold_in.ITERATIONS
    )
    assert judge(topics_of(beta, 40)) == pytest.approx(expected, rel=1e-5)


def test_completion_prefers_the_truth(known):
    bow, beta, _ = known
    judge = Completion(bow, np.arange(bow.D))
    uniform = np.full_like(beta, 1 / 40)
    assert judge(topics_of(beta, 20)) > judge(topics_of(uniform, 20)) + 0.2
    assert judge(topics_of(uniform, 20)) == pytest.approx(np.log(1 / 40), rel=1e-6)


def test_nothing_held_out():
    bow = bow_of([[0, 1], [1]], 2)
    assert np.isnan(Completion(bow, np.zeros(0, np.int64))(topics_of(np.array([[0.5, 0.5]]), 2)))
