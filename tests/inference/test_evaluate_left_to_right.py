"""The left-to-right estimate against the sum over all assignments."""

import numba
import numpy as np
import pytest

from inference.errors import Invalid
from inference.evaluate import LeftToRight
from inference.evaluate.left_to_right import within
from tests.inference import naive_evaluate
from tests.inference.corpora import bow_of, planted
from tests.inference.test_evaluate import topics_of

COPIES = 20_000  # of a document: each has random numbers of its own


@pytest.mark.parametrize(
    ("K", "document", "alpha", "particles"),
    [
        (2, [0, 1, 2, 0], 0.1, 1),
        (2, [3, 3, 0, 1, 1, 2], 0.5, 3),
        (3, [0, 4, 2, 2, 5], [0.05, 0.4, 1.0], 2),
        (3, [1, 3, 5, 0, 2, 4], 0.1, 5),
    ],
)
def test_mean_over_seeds_is_the_probability(K, document, alpha, particles):
    beta = np.random.default_rng(K + len(document)).dirichlet(np.full(6, 0.3), K)
    topics = topics_of(beta, 4)
    judge = LeftToRight(
        bow_of([document] * COPIES, 6), np.arange(COPIES), particles=particles, seed=7
    )
    estimates = np.exp(judge.documents_log(topics, np.array(alpha)))
    exact = naive_evaluate.probability(
        topics.dense(), document, np.broadcast_to(alpha, K).astype(float)
    )
    error = estimates.std() / np.sqrt(COPIES)
    assert abs(estimates.mean() - exact) < 4 * error
    assert error < 0.02 * exact


def test_more_particles_come_closer():
    beta = np.random.default_rng(1).dirichlet(np.full(6, 0.3), 3)
    bow = bow_of([[0, 1, 2, 3, 4, 5]] * 500, 6)
    few, many = (
        LeftToRight(bow, np.arange(500), particles=n).documents_log(topics_of(beta, 6), 0.1).std()
        for n in (2, 50)
    )
    assert many < few / 3


def test_one_topic_is_exact():
    beta = np.random.default_rng(2).dirichlet(np.ones(6), 1)
    documents = [[0, 1, 1, 5], [], [2] * 7]
    topics = topics_of(beta, 3)
    judge = LeftToRight(bow_of(documents, 6), np.arange(3))
    log = np.log(topics.dense()[0])
    assert judge.documents_log(topics, 0.1) == pytest.approx(
        [log[d].sum() for d in documents], rel=1e-12
    )
    assert judge(topics, 0.1) == pytest.approx(sum(log[d].sum() for d in documents) / 11, rel=1e-12)


def test_long_documents_are_cut():
    bow = bow_of([[0] * 30 + [1] * 10, [0]], 2)
    judge = LeftToRight(bow, np.arange(2), limit=20)
    assert judge.tokens == 21
    in_order = judge.tokens_in_order
    positions = in_order.positions[in_order.tokens[:20]]
    assert 0 < (judge.words[positions] == 1).sum() < 10


def test_a_word_of_no_topic_is_passed_over():
    beta = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    with_it, without = (
        LeftToRight(bow_of([d], 3), np.arange(1)).documents_log(topics_of(beta, 3), 0.3)[0]
        for d in ([0, 2], [0])
    )
    assert with_it == pytest.approx(without + np.log(1e-300))


def test_what_can_be_afforded():
    """200 documents of 30 words: 465 draws for each particle and document."""
    bow, _ = planted(K=4, V=40, D=200, length=30, seed=5)
    every = np.arange(0, 200, 2)
    assert (within(bow, every, 10**9, 4) == every).all() and len(
        within(bow, np.zeros(0, int), 1)
    ) == 0
    some = within(bow, every, 10 * 4 * 465, 4)
    assert some.tolist() == list(range(0, 200, 20)), "evenly from first to last"
    assert len(within(bow, every, 1, 4)) == 1
    assert len(within(bow, every, 10 * 4 * 55, 4, limit=10)) == 10, (
        "of longer documents the first tokens"
    )


def test_nothing_held_out():
    bow = bow_of([[0, 1], []], 2)
    topics = topics_of(np.array([[0.5, 0.5]]), 2)
    assert np.isnan(LeftToRight(bow, np.zeros(0, np.int64))(topics, 0.1))
    assert np.isnan(LeftToRight(bow, np.array([1]))(topics, 0.1))


def test_bad_settings():
    bow = bow_of([[0, 1]], 2)
    with pytest.raises(Invalid):
        LeftToRight(bow, np.arange(1), particles=0)
    with pytest.raises(Invalid):
        LeftToRight(bow, np.arange(1))(topics_of(np.array([[0.5, 0.5]]), 2), 0.0)


def test_threads_and_company_change_nothing():
    bow, beta = planted(K=4, V=40, D=30, length=30, seed=5)
    topics = topics_of(beta, 15)
    judge = LeftToRight(bow, np.arange(30), particles=5)
    before = numba.get_num_threads()
    found = []
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        numba.set_num_threads(threads)
        found.append(judge.documents_log(topics, 0.1))
    numba.set_num_threads(before)
    assert (found[0] == found[1]).all()
    assert (
        LeftToRight(bow, np.arange(10, 20), particles=5).documents_log(topics, 0.1)
        == found[0][10:20]
    ).all()


def test_prefers_the_truth():
    bow, beta = planted(K=4, V=40, D=60, length=30, seed=5)
    judge = LeftToRight(bow, np.arange(bow.D))
    uniform = topics_of(np.full_like(beta, 1 / 40), 20)
    assert judge(uniform, 0.1) == pytest.approx(np.log(1 / 40), rel=1e-6)
    assert judge(topics_of(beta, 20), 0.1) > judge(uniform, 0.1) + 0.2
