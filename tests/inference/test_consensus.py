"""What several runs have in common."""

import numpy as np
import pytest

from inference.consensus import consensus
from inference.errors import Invalid
from inference.explore import matching
from inference.topics import Topics

K = 6
V = 200


def of_rows(beta: np.ndarray) -> Topics:
    """The largest words of each row are listed, the others are its floor."""
    order = np.argsort(-beta, axis=1, kind="stable")[:, :60]
    weights = np.take_along_axis(beta, order, axis=1).astype(np.float32)
    indptr = np.arange(0, 60 * len(beta) + 1, 60)
    return Topics.of_listed(
        indptr, order.ravel().astype(np.int32), weights.ravel(), np.ones(len(beta)), beta.shape[1]
    )


def dense(topics: Topics) -> np.ndarray:
    return topics.above.toarray() + topics.floor[:, None]


def runs_of(chance, truth, n):
    """Each sees the truth by a sample of words, in an order of its own; one topic of each is
    another one."""
    made = []
    for _ in range(n):
        beta = np.array([chance.multinomial(3000, row) + 0.01 for row in truth])
        beta[chance.integers(1, K)] = chance.dirichlet(np.full(V, 0.05)) + 1e-4
        made.append(of_rows(beta[chance.permutation(K)] / beta.sum(axis=1, keepdims=True).max()))
    return made


def test_it_is_nearer_to_the_truth_than_its_runs():
    chance = np.random.default_rng(1)
    truth = chance.dirichlet(np.full(V, 0.1), K)
    runs = runs_of(chance, truth, 5)
    joined = consensus(runs)
    words = range(V)
    near = [
        matching.match(of_rows(truth), topics, words, words, least=0, margin=-1).similarity.mean()
        for topics in [joined, *runs]
    ]
    assert near[0] > max(near[1:])
    assert dense(joined).sum(axis=1) == pytest.approx(1, abs=1e-3)
    assert joined.share.sum() == pytest.approx(1)
    for k in range(K):
        row = joined.weights[joined.indptr[k] : joined.indptr[k + 1]]
        assert (np.diff(row) <= 0).all()


def test_topics_have_the_numbers_of_the_first_run_and_a_run_with_itself_is_itself():
    chance = np.random.default_rng(2)
    one = of_rows(chance.dirichlet(np.full(V, 0.1), K))
    turned = of_rows(dense(one)[chance.permutation(K)])
    assert dense(consensus([one, turned])) == pytest.approx(dense(one), abs=1e-6)
    assert dense(consensus([turned, one])) == pytest.approx(dense(turned), abs=1e-6)


def test_a_topic_is_used_where_one_of_its_runs_uses_it():
    chance = np.random.default_rng(4)
    rows = chance.dirichlet(np.full(V, 0.1), K)
    one = of_rows(rows)
    order = chance.permutation(K)
    turned = of_rows(rows[order])
    assert consensus([one, turned]).used is None
    first = one._replace(used=np.arange(K) < 2)
    second = turned._replace(used=order == 3)
    assert consensus([first, second]).used.tolist() == [True, True, False, True, False, False]
    assert consensus([first, turned]).used.all()


def test_only_runs_of_one_kind_are_joined():
    chance = np.random.default_rng(3)
    one, other = (of_rows(chance.dirichlet(np.full(V, 0.1), k)) for k in (4, 5))
    with pytest.raises(Invalid, match="same number of topics"):
        consensus([one, other])
