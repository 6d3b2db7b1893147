"""The diagnostics against their dense twin, and where there is little to diagnose."""

from types import SimpleNamespace

import numpy as np
import pytest

from inference.evaluate import Coherence, TopicMeasures, coherence, diagnose
from inference.topics import Topics
from tests.inference import naive_evaluate
from tests.inference.corpora import bow_of, planted
from tests.inference.test_evaluate import topics_of


def counts_of(bow):
    counts = np.zeros((bow.D, bow.V))
    for d in range(bow.D):
        counts[d, bow.words[bow.indptr[d] : bow.indptr[d + 1]]] = bow.counts[
            bow.indptr[d] : bow.indptr[d + 1]
        ]
    return counts


def assigned(bow, K):
    """(each token given a topic at random: N_dk, and the same as rows of evidence)."""
    random = np.random.default_rng(7)
    N = np.array(
        [np.bincount(random.integers(0, K, n), minlength=K) for n in np.diff(bow.first_token)]
    ).reshape(bow.D, K)
    return N, rows_of(N)


def rows_of(N):
    """N_dk as rows of evidence."""
    document, topic = np.nonzero(N := np.asarray(N))
    mixtures = SimpleNamespace(
        doc_ptr=np.searchsorted(document, np.arange(len(N) + 1)),
        doc_topics=topic.astype(np.uint16),
        doc_tokens=N[document, topic].astype(np.int32),
    )
    return SimpleNamespace(mixtures=mixtures, K=N.shape[1])


def check(bow, topics):
    counts = counts_of(bow)
    beta = topics.dense()
    N, evidence = assigned(bow, topics.K)
    found = diagnose(bow, topics, evidence)
    expected = naive_evaluate.diagnostics(beta, np.diff(topics.indptr), counts, N, coherence.WORDS)
    expected |= {"coherence": Coherence(bow).umass(topics), "npmi": Coherence(bow).npmi(topics)}
    assert set(expected) == set(TopicMeasures._fields)
    for name, values in expected.items():
        assert getattr(found, name).dtype == np.float64
        assert getattr(found, name) == pytest.approx(values, rel=1e-6, abs=1e-6, nan_ok=True), name
    return found


def test_all_are_their_formulas():
    bow, beta = planted(K=4, V=60, D=80, length=25, seed=5)
    found = check(
        bow, topics_of(np.vstack([beta, np.random.default_rng(2).dirichlet(np.ones(60), 2)]), 15)
    )
    assert found.tokens.sum() == bow.tokens
    assert found.rank_1_documents.sum() == pytest.approx(1)


def test_empty_documents_and_words_that_never_occur():
    beta = np.random.default_rng(3).dirichlet(np.ones(12), 3)
    check(bow_of([[], [0, 1, 1, 2], [], [3, 4, 5, 5], [2, 3], []], 12), topics_of(beta, 5))


def test_an_empty_topic_is_uniform():
    rng = np.random.default_rng(3)
    bow = bow_of([[0, 1, 1, 2], [3, 4, 5, 5]], 8)
    beta = rng.dirichlet(np.ones(8))
    full = topics_of(beta[None, :], 5)
    topics = Topics(
        np.array([0, 5, 5]),
        full.words,
        full.weights,
        np.array([full.floor[0], 1 / 8]),
        np.array([full.floor_mass[0], 1]),
        np.array([1.0, 0.0]),
        8,
    )
    found = check(bow, topics)
    assert found.effective_words[1] == pytest.approx(8) and found.uniform_distance[
        1
    ] == pytest.approx(0, abs=1e-12)
    assert found.entropy[1] == pytest.approx(np.log(8))
    assert np.isnan([found.exclusivity[1], found.coherence[1], found.npmi[1]]).all()


def test_a_topic_without_weight():
    beta = np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 0.0]])
    topics = Topics(
        np.array([0, 3, 3]),
        np.arange(3, dtype=np.int32),
        beta[0].astype(np.float32),
        np.zeros(2),
        np.zeros(2),
        np.array([1.0, 0.0]),
        3,
    )
    bow = bow_of([[0, 1, 1], [2]], 3)
    found = diagnose(bow, topics, rows_of([[4, 0]]))
    assert found.tokens.tolist() == [4, 0]
    assert found.rank_1_documents.tolist() == [1, 0]
    assert np.isfinite([x[0] for x in found]).all()
    assert np.isnan([found.document_entropy[1], *(x[1] for x in found[3:])]).all()


def test_one_topic():
    found = check(bow_of([[0, 1, 1], [2, 0], [1]], 3), topics_of(np.array([[0.5, 0.3, 0.2]]), 2))
    assert found.tokens.tolist() == pytest.approx([6])
    assert found.exclusivity.tolist() == pytest.approx([1])
    assert found.document_entropy[0] == pytest.approx(
        -(np.log(1 / 2) / 2 + np.log(1 / 3) / 3 + np.log(1 / 6) / 6)
    )


def test_one_word():
    found = check(bow_of([[0, 0], [0]], 1), topics_of(np.ones((2, 1)), 1))
    assert found.tokens.sum() == 3
    assert found.effective_words.tolist() == pytest.approx([1, 1])
    assert found.exclusivity.tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("documents", [[], [[], []]])
def test_a_corpus_without_words(documents):
    bow = bow_of(documents, 3)
    found = diagnose(bow, topics_of(np.array([[0.5, 0.3, 0.2]]), 2), assigned(bow, 1)[1])
    assert found.tokens.tolist() == [0]
    assert np.isnan([found.document_entropy[0], found.rank_1_documents[0]]).all()
    assert np.isfinite([x[0] for x in found[3:]]).all()
