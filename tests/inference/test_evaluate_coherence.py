"""Coherence against its slow twin and against gensim; test_evaluate.py has UMass against eq. 13."""

import time

import numba
import numpy as np
import pytest
from gensim.corpora import Dictionary
from gensim.models import CoherenceModel
from gensim.topic_coherence import direct_confirmation_measure

from inference.evaluate import Coherence, coherence
from tests.inference import naive, naive_evaluate
from tests.inference.corpora import bow_of, planted
from tests.inference.test_evaluate import topics_of

PAIRS = coherence.WORDS * (coherence.WORDS - 1) / 2


@pytest.fixture(scope="module")
def known():
    bow, beta = planted(K=4, V=60, D=80, length=25, seed=5)
    beta = np.vstack([beta, beta[:, ::-1], np.random.default_rng(2).dirichlet(np.ones(60), 3)])
    return (
        bow,
        topics_of(beta, 15),
        [bow.words[a:b].tolist() for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)],
    )


def of_gensim(measure, topics, documents):
    """Its probabilities are of documents where the window is as wide as all of them."""
    texts = [[f"{w:03}" for w in d] for d in documents]
    words = [[f"{w:03}" for w in row] for row in topics.top(coherence.WORDS)]
    model = CoherenceModel(
        topics=words,
        texts=texts,
        dictionary=Dictionary(texts),
        coherence=measure,
        window_size=1000,
        topn=coherence.WORDS,
        processes=1,
    )
    return model.get_coherence_per_topic()


def test_npmi_is_that_of_gensim(known):
    bow, topics, documents = known
    assert Coherence(bow).npmi(topics).tolist() == pytest.approx(
        of_gensim("c_npmi", topics, documents), rel=1e-9
    )


def test_umass_is_that_of_gensim_where_its_epsilon_is_a_document(known, monkeypatch):
    bow, topics, documents = known
    monkeypatch.setattr(direct_confirmation_measure, "EPSILON", coherence.EPSILON / bow.D)
    expected = np.array(of_gensim("u_mass", topics, documents)) * PAIRS  # gensim gives the mean
    assert Coherence(bow).umass(topics).tolist() == pytest.approx(expected, rel=1e-9)


def test_both_are_the_papers(known):
    bow, topics, documents = known
    top = topics.top(coherence.WORDS)
    judge = Coherence(bow)
    umass = [naive.umass(words, documents, coherence.EPSILON) for words in top]
    npmi = [naive_evaluate.npmi(words, documents, coherence.NPMI_EPSILON) for words in top]
    assert judge(topics).tolist() == judge.umass(topics).tolist() == pytest.approx(umass)
    assert judge.npmi(topics).tolist() == pytest.approx(npmi)


def test_pairs_at_the_ends():
    bow = bow_of([[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 4], [0, 1]], 7)
    pairs = {
        (0, 1): 0.0,
        (2, 3): 1.0,
        (2, 4): -1 - np.log(2 / 4 / 4) / -np.log(1e-12),
        (5, 6): -1 - np.log(1 / 16) / -np.log(1e-12),
    }
    for pair, expected in pairs.items():
        beta = np.zeros((1, 7))
        beta[0, list(pair)] = 0.6, 0.4
        assert Coherence(bow).npmi(topics_of(beta, 2))[0] == pytest.approx(expected, abs=1e-9)


def test_topics_with_few_words(known):
    bow, _, documents = known
    beta = np.random.default_rng(1).dirichlet(np.ones(60), 3)
    for listed in (0, 1):
        assert np.isnan(Coherence(bow).npmi(topics_of(beta, listed))).all()
        assert np.isnan(Coherence(bow).umass(topics_of(beta, listed))).all()
    topics = topics_of(beta, 3)
    npmi = [
        naive_evaluate.npmi(words, documents, coherence.NPMI_EPSILON) for words in topics.top(3)
    ]
    assert Coherence(bow).npmi(topics).tolist() == pytest.approx(npmi)


def test_documents_without_words_and_none_at_all():
    topics = topics_of(np.array([[0.6, 0.4]]), 2)
    assert Coherence(bow_of([[0, 1], [], [0], [1]], 2)).npmi(topics)[0] == pytest.approx(
        0, abs=1e-9
    )
    assert np.isfinite(Coherence(bow_of([], 2)).npmi(topics)).all()
    assert np.isfinite(Coherence(bow_of([], 2)).umass(topics)).all()


def test_a_large_corpus_is_sampled(known, monkeypatch):
    bow, topics, _ = known
    whole = Coherence(bow)
    monkeypatch.setattr(coherence, "MOST_DOCUMENTS", 40)
    part = Coherence(bow)
    assert 25 < part.D < 55 < whole.D
    assert abs(part.npmi(topics).mean() - whole.npmi(topics).mean()) < 0.1


def test_threads_change_nothing(known):
    bow, topics, _ = known
    judge = Coherence(bow)
    before = numba.get_num_threads()
    found = []
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        numba.set_num_threads(threads)
        found.append((judge.umass(topics), judge.npmi(topics)))
    numba.set_num_threads(before)
    assert (found[0][0] == found[1][0]).all() and (found[0][1] == found[1][1]).all()


def test_a_thousand_topics_are_quick():
    bow, _ = planted(K=4, V=2000, D=1000, length=100, seed=1)
    reps = 20
    tiled = type(bow)(
        np.concatenate(
            [bow.indptr[:-1] + i * bow.indptr[-1] for i in range(reps)] + [[reps * bow.indptr[-1]]]
        ),
        np.tile(bow.words, reps),
        np.tile(bow.counts, reps),
        bow.V,
    )
    topics = topics_of(np.random.default_rng(1).dirichlet(np.full(2000, 0.1), 1000), 20)
    judge = Coherence(tiled)
    judge.npmi(topics)
    began = time.perf_counter()
    judge.npmi(topics)
    assert time.perf_counter() - began < 1


def test_what_was_counted_at_the_last_call_changes_nothing():
    bow, beta = planted(K=6, V=60, D=200, length=30, seed=2)
    judge = Coherence(bow)
    other = beta.copy()
    other[2] = beta[2][::-1]
    for topics in (
        topics_of(beta, 20),
        topics_of(other, 20),
        topics_of(beta[:3], 20),
        topics_of(beta, 20),
    ):
        assert np.array_equal(judge.umass(topics), Coherence(bow).umass(topics))
