"""The diagnostics against their dense twin, and where there is little to diagnose."""

import numba
import numpy as np
import pytest

from inference.errors import Invalid
from inference.evaluate import Coherence, Diagnostics, TopicMeasures, coherence, diagnostics, fold_in
from inference.topics import Topics
from tests.inference import naive_evaluate
from tests.inference.corpora import bow_of, planted
from tests.inference.test_evaluate import topics_of


def counts_of(bow):
    counts = np.zeros((bow.D, bow.V))
    for d in range(bow.D):
        counts[d, bow.words[bow.indptr[d] : bow.indptr[d + 1]]] = bow.counts[bow.indptr[d] : bow.indptr[d + 1]]
    return counts


def check(bow, topics, alpha=fold_in.ALPHA):
    counts, beta = counts_of(bow), topics.dense()
    N = naive_evaluate.expected(beta, counts, alpha, fold_in.ITERATIONS)
    found = Diagnostics(bow, alpha=alpha)(topics)
    expected = naive_evaluate.diagnostics(beta, np.diff(topics.indptr), counts, N, coherence.WORDS)
    expected |= {"coherence": Coherence(bow).umass(topics), "npmi": Coherence(bow).npmi(topics)}
    assert set(expected) == set(TopicMeasures._fields)
    for name, values in expected.items():
        assert getattr(found, name).dtype == np.float64
        assert getattr(found, name) == pytest.approx(values, rel=1e-6, abs=1e-6, nan_ok=True), name
    return found


@pytest.fixture(scope="module")
def known():
    bow, beta = planted(K=4, V=60, D=80, length=25, seed=5)
    return bow, topics_of(np.vstack([beta, np.random.default_rng(2).dirichlet(np.ones(60), 2)]), 15)


@pytest.mark.parametrize("alpha", [0.1, 0.01])
def test_all_are_their_formulas(known, alpha):
    found = check(*known, alpha)
    assert found.tokens.sum() == pytest.approx(known[0].tokens)
    assert found.rank_1_documents.sum() == pytest.approx(1)


def test_blocks_change_nothing(known, monkeypatch):
    whole = Diagnostics(known[0])(known[1])
    monkeypatch.setattr(diagnostics, "_BLOCK", 7 * known[1].K)
    for a, b in zip(whole, Diagnostics(known[0])(known[1]), strict=True):
        assert (a == b).all()


def test_a_sample_stands_for_the_corpus(monkeypatch):
    bow, beta = planted(K=4, V=60, D=2000, length=25, seed=5)
    whole = Diagnostics(bow)(topics_of(beta, 15))
    monkeypatch.setattr(diagnostics, "MOST_DOCUMENTS", 500)
    judge = Diagnostics(bow)
    assert 400 < len(judge.documents) < 600
    part = judge(topics_of(beta, 15))
    assert part.tokens.sum() == pytest.approx(bow.tokens)
    assert part.tokens == pytest.approx(whole.tokens, rel=0.2)
    assert part.rank_1_documents == pytest.approx(whole.rank_1_documents, abs=0.1)


def test_empty_documents_and_words_that_never_occur():
    beta = np.random.default_rng(3).dirichlet(np.ones(12), 3)
    check(bow_of([[], [0, 1, 1, 2], [], [3, 4, 5, 5], [2, 3], []], 12), topics_of(beta, 5))


def test_an_empty_topic_is_uniform():
    rng = np.random.default_rng(3)
    bow, beta = bow_of([[0, 1, 1, 2], [3, 4, 5, 5]], 8), rng.dirichlet(np.ones(8))
    full = topics_of(beta[None, :], 5)
    topics = Topics(
        np.array([0, 5, 5]), full.words, full.weights, np.array([full.floor[0], 1 / 8]), np.array([full.floor_mass[0], 1]),
        np.array([1.0, 0.0]), 8,
    )  # fmt: skip
    found = check(bow, topics)
    assert found.effective_words[1] == pytest.approx(8) and found.uniform_distance[1] == pytest.approx(0, abs=1e-12)
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
    found = Diagnostics(bow_of([[0, 1, 1], [2]], 3))(topics)
    assert found.tokens.tolist() == pytest.approx([4, 0])
    assert found.rank_1_documents.tolist() == [1, 0]
    assert np.isfinite([x[0] for x in found]).all()
    assert np.isnan([found.document_entropy[1], *(x[1] for x in found[3:])]).all()


def test_one_topic():
    found = check(bow_of([[0, 1, 1], [2, 0], [1]], 3), topics_of(np.array([[0.5, 0.3, 0.2]]), 2))
    assert found.tokens.tolist() == pytest.approx([6])
    assert found.exclusivity.tolist() == pytest.approx([1])
    assert found.document_entropy[0] == pytest.approx(-(np.log(1 / 2) / 2 + np.log(1 / 3) / 3 + np.log(1 / 6) / 6))


def test_one_word():
    found = check(bow_of([[0, 0], [0]], 1), topics_of(np.ones((2, 1)), 1))
    assert found.tokens.tolist() == pytest.approx([1.5, 1.5])
    assert found.effective_words.tolist() == pytest.approx([1, 1])
    assert found.exclusivity.tolist() == pytest.approx([0.5, 0.5])


def test_words_of_no_topic_are_in_none():
    beta = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    found = Diagnostics(bow_of([[0, 1, 2], [2, 2], [0, 0, 1]], 3))(topics_of(beta, 3))
    assert found.tokens.sum() == pytest.approx(5)
    assert found.rank_1_documents.sum() == pytest.approx(1)


@pytest.mark.parametrize("documents", [[], [[], []]])
def test_a_corpus_without_words(documents):
    found = Diagnostics(bow_of(documents, 3))(topics_of(np.array([[0.5, 0.3, 0.2]]), 2))
    assert found.tokens.tolist() == [0]
    assert np.isnan([found.document_entropy[0], found.rank_1_documents[0]]).all()
    assert np.isfinite([x[0] for x in found[3:]]).all()


def test_bad_settings(known):
    with pytest.raises(Invalid):
        Diagnostics(known[0], alpha=0)


def test_threads_change_nothing(known):
    judge, before, found = Diagnostics(known[0]), numba.get_num_threads(), []
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        numba.set_num_threads(threads)
        found.append(judge(known[1]))
    numba.set_num_threads(before)
    for a, b in zip(*found, strict=True):
        assert (a == b).all()
