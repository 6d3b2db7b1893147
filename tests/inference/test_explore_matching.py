"""Matching: the best there is, over words as strings, with what was split, merged and lost."""

import numpy as np
import pytest

from inference.errors import Invalid
from inference.explore import matching
from inference.topics import Topics
from tests.inference import naive_explore
from tests.inference.test_evaluate import topics_of


def beta(K: int, V: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.full(V, 0.2), K)


def words(V: int) -> list[str]:
    return [f"w{i}" for i in range(V)]


@pytest.mark.parametrize(("Ka", "Kb"), [(5, 5), (4, 6), (6, 4), (1, 3), (3, 1)])
def test_no_matching_is_better(Ka, Kb):
    a = topics_of(beta(Ka, 12, 1), 8)
    b = topics_of(beta(Kb, 12, 2), 8)
    found = matching.match(a, b, words(12), words(12), least=0.0, margin=-1.0)
    similar = 1 - naive_explore.divergences(a.dense(), b.dense()) / np.log(2)
    assert matching.similarities(a, b, words(12), words(12)) == pytest.approx(similar)
    assert found.similarity.sum() == pytest.approx(naive_explore.assignment(similar))
    paired = np.flatnonzero(found.partner >= 0)
    assert len(paired) == min(Ka, Kb) == len(set(found.partner[paired]))
    assert found.similarity[paired] == pytest.approx(similar[paired, found.partner[paired]])
    assert (
        found.best_b.tolist() == similar.argmax(axis=1).tolist()
        and found.best_a.tolist() == similar.argmax(axis=0).tolist()
    )
    assert found.best_b_similarity == pytest.approx(
        similar.max(axis=1)
    ) and found.best_a_similarity == pytest.approx(similar.max(axis=0))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("least", "margin"), [(0.0, 0.0), (0.3, 0.02), (0.4, 0.1)])
def test_the_same_is_alike_and_more_so_than_any_other(seed, least, margin):
    """b has a's topics with some of their words swapped, one of them twice."""
    dense = beta(5, 14, seed)
    other = 0.6 * dense + 0.4 * beta(5, 14, seed + 50)
    a = topics_of(dense, 14)
    b = topics_of(other[[3, 0, 1, 0, 2]], 14)
    found = matching.match(a, b, words(14), words(14), least=least, margin=margin)
    similar = 1 - naive_explore.divergences(a.dense(), b.dense()) / np.log(2)
    assert found.partner.tolist() == naive_explore.same(similar.tolist(), least, margin)
    paired = found.partner >= 0
    assert found.similarity.tolist() == pytest.approx(
        np.where(paired, similar[range(5), found.partner], 0).tolist()
    )


def test_what_could_be_two_topics_is_not_found():
    """b has a's topic 0 twice, and a's topic 1 in a form that is unlike it."""
    block = np.kron(np.eye(4), np.full((1, 4), 0.25))
    a = block[:3]
    b = np.array([block[0], block[0], (block[1] + block[3]) / 2, block[2]])
    found = matching.match(topics_of(a, 16), topics_of(b, 16), words(16), words(16))
    assert found.partner.tolist() == [-1, 2, 3]
    assert found.best_b_similarity[0] == pytest.approx(1) and found.similarity[0] == 0
    assert matching.match(
        topics_of(a, 16), topics_of(b, 16), words(16), words(16), least=0.7
    ).partner.tolist() == [
        -1,
        -1,
        3,
    ]


def test_the_same_topics_in_another_order_and_vocabulary():
    """b numbers the words backwards, lacks w0 and has three more; the topics are a's, shuffled."""
    dense = beta(6, 30, 3)
    dense[:, 0] = 0
    dense /= dense.sum(axis=1, keepdims=True)
    shuffle = np.array([3, 0, 5, 1, 4, 2])
    other = np.hstack([dense[shuffle][:, :0:-1], np.zeros((6, 3))])
    other_words = words(30)[:0:-1] + ["x", "y", "z"]
    found = matching.match(topics_of(dense, 30), topics_of(other, 29), words(30), other_words)
    assert shuffle[found.partner].tolist() == list(range(6))
    assert found.similarity == pytest.approx(np.ones(6))
    assert (
        found.only_a.tolist() == found.only_b.tolist() == [] and found.splits == found.merges == []
    )

    # With floors, which lie on the words of one side too
    a, b = (
        topics_of(dense, 12),
        topics_of(other, 12),
    )
    wide = (
        np.hstack([a.dense(), np.zeros((6, 3))]),
        np.hstack([np.zeros((6, 1)), b.dense()[:, 28::-1], b.dense()[:, 29:]]),
    )
    expected = 1 - naive_explore.divergences(*wide) / np.log(2)
    assert matching.similarities(a, b, words(30), other_words) == pytest.approx(expected)


def test_vocabularies_without_a_common_word():
    a = topics_of(beta(2, 5, 1), 3)
    found = matching.match(a, a, words(5), list("abcde"))
    assert found.partner.tolist() == [-1, -1] and found.similarity.tolist() == [0, 0]
    assert found.only_b.tolist() == [0, 1]


def test_splits_merges_and_what_is_gone():
    """b splits a's topic 0 in two, merges 1 and 2, and has nothing like 3; its own 3 is new."""
    block = np.kron(np.eye(6), np.full((1, 4), 0.25))
    a = np.array([(block[0] + block[1]) / 2, block[2], block[3], block[4]])
    b = np.array([block[1], block[0], (block[2] + block[3]) / 2, block[5]])
    found = matching.match(topics_of(a, 24), topics_of(b, 24), words(24), words(24))
    assert found.splits == [(0, [0, 1])] and found.merges == [(2, [1, 2])]
    assert found.partner.tolist() == [-1, -1, -1, -1]  # halves are as good as each other
    assert found.only_a.tolist() == found.only_b.tolist() == [0, 1, 2, 3]


def test_it_can_be_turned():
    a = topics_of(beta(4, 12, 1), 8)
    b = topics_of(beta(6, 12, 2), 8)
    for least in (0.0, 0.4, 0.6):
        found = matching.match(a, b, words(12), words(12), least=least).turned()
        for x, y in zip(
            found, matching.match(b, a, words(12), words(12), least=least), strict=True
        ):
            assert x == y if isinstance(x, list) else x.tolist() == pytest.approx(y.tolist())
            assert isinstance(x, list) or x.dtype == y.dtype


def test_stability():
    a = topics_of(beta(4, 20, 1), 20)
    same, other = (
        matching.match(a, b, words(20), words(20)) for b in (a, topics_of(beta(4, 20, 9), 20))
    )
    found = matching.stability([same, other])
    assert found == pytest.approx((1 + other.similarity) / 2)
    assert matching.stability([same]).tolist() == [1, 1, 1, 1]


def test_runs_without_topics():
    none = Topics(
        np.zeros(1, np.int64),
        np.zeros(0, np.int32),
        np.zeros(0, np.float32),
        np.zeros(0),
        np.zeros(0),
        np.zeros(0),
        5,
    )
    some = topics_of(beta(3, 5, 1), 3)
    assert matching.match(some, none, words(5), words(5)).best_b.tolist() == [-1, -1, -1]
    assert matching.match(none, some, words(5), words(5)).only_b.tolist() == [0, 1, 2]


def test_a_vocabulary_of_another_corpus():
    some = topics_of(beta(3, 5, 1), 3)
    with pytest.raises(Invalid, match="each of the 5 numbers"):
        matching.match(some, some, words(5), words(6))
