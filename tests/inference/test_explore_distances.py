"""Divergences against their dense twin, on rows with floors, and where there is nothing to
compare."""

import numba
import numpy as np
import pytest

from inference.explore import distances
from inference.topics import Topics
from tests.inference import naive_explore
from tests.inference.test_evaluate import topics_of


def some(K: int, V: int, listed: int, seed: int) -> Topics:
    return topics_of(np.random.default_rng(seed).dirichlet(np.full(V, 0.1), K), listed)


def ragged() -> Topics:
    """A topic that lists every word, one that lists none, one without a floor, and two that are the
    same."""
    weights = [[0.4, 0.3, 0.2, 0.1], [], [0.6, 0.4], [0.5, 0.25], [0.5, 0.25]]
    words = [[3, 0, 1, 2], [], [2, 1], [1, 3], [1, 3]]
    floor = np.array([0.0, 0.25, 0.0, 0.125, 0.125])
    sizes = [len(row) for row in words]
    return Topics(
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate(words).astype(np.int32),
        np.concatenate(weights).astype(np.float32),
        floor,
        floor * (4 - np.array(sizes)),
        np.full(5, 0.2),
        4,
    )


@pytest.mark.parametrize(
    "topics", [some(7, 40, 12, 1), some(8, 40, 3, 2), some(2, 5, 5, 3), some(1, 5, 2, 4), ragged()]
)
def test_they_are_lins_formula(topics):
    found = distances.divergences(topics)
    assert found.dtype == np.float64
    assert found == pytest.approx(
        naive_explore.divergences(topics.dense(), topics.dense()), abs=1e-12
    )
    assert (found == found.T).all() and (np.diag(found) == 0).all()
    assert ((found >= 0) & (found <= np.log(2) + 1e-9)).all()


def test_the_same_topic_is_at_no_distance():
    assert distances.divergences(ragged())[3, 4] == 0


def test_topics_without_a_common_word_are_log_2_apart():
    topics = topics_of(np.array([[0.5, 0.5, 0, 0], [0, 0, 0.25, 0.75]]), 2)
    assert distances.divergences(topics)[0, 1] == pytest.approx(np.log(2))


def test_between_topics_over_other_words():
    """Words 0 … 29 are common; 30 … 39 are a's alone, 30 … 34 b's, which numbers the common ones
    backwards."""
    a = some(5, 40, 9, 5)
    b = some(6, 35, 12, 6)
    place_a = np.full(40, -1, np.int32)
    place_b = np.full(35, -1, np.int32)
    place_a[:30] = np.arange(30)
    place_b[:30] = np.arange(30)[::-1]
    found = distances.between(distances.restricted(a, place_a), distances.restricted(b, place_b))
    wide_a = np.hstack([a.dense(), np.zeros((5, 5))])
    wide_b = np.hstack([b.dense()[:, 29::-1], np.zeros((6, 10)), b.dense()[:, 30:]])
    assert found == pytest.approx(naive_explore.divergences(wide_a, wide_b), abs=1e-12)


def test_between_the_same_vocabulary():
    a = some(5, 40, 9, 5)
    b = some(6, 40, 12, 6)
    found = distances.between(distances.rows(a), distances.rows(b))
    assert found == pytest.approx(naive_explore.divergences(a.dense(), b.dense()), abs=1e-12)


def test_parts_change_nothing(monkeypatch):
    a = distances.rows(some(7, 40, 9, 5))
    b = distances.rows(some(6, 40, 12, 6))
    whole = distances.between(a, b)
    alone = distances.between(a, a)
    monkeypatch.setattr(distances, "LEAST_PART_TOPICS", 2)
    monkeypatch.setattr(distances, "BLOCKS", 3)
    done = []
    assert (distances.between(a, b, done.append) == whole).all() and (
        distances.between(a, a) == alone
    ).all()
    assert done == [3 / 7, 6 / 7, 1.0]


def test_nearest():
    found = distances.divergences(ragged())
    near, how_near = distances.nearest(found, 3)
    assert near.dtype == np.int32 and near.tolist() == naive_explore.nearest(found, 3)
    assert how_near == pytest.approx(np.take_along_axis(found, near.astype(int), axis=1))
    assert near[3, 0] == 4 and how_near[3, 0] == 0


@pytest.mark.parametrize("K", [0, 1, 2])
def test_nearest_of_few(K):
    near, how_near = distances.nearest(np.zeros((K, K)), 5)
    assert near.shape == how_near.shape == (K, max(0, K - 1))


def test_threads_change_nothing():
    topics = some(9, 200, 30, 7)
    before = numba.get_num_threads()
    found = []
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        numba.set_num_threads(threads)
        found.append(
            (
                distances.divergences(topics),
                distances.between(distances.rows(topics), distances.rows(topics)),
            )
        )
    numba.set_num_threads(before)
    assert (found[0][0] == found[1][0]).all() and (found[0][1] == found[1][1]).all()


def test_topics_with_very_small_floors_are_far_apart():
    """Two topics, each of one word, the other of which has next to no weight."""
    topics = Topics(
        np.array([0, 2, 4]),
        np.array([0, 1, 1, 0], np.int32),
        np.array([1, 1e-26, 1, 1e-26], np.float32),
        np.full(2, 1e-27),
        np.full(2, 1e-27),
        np.full(2, 0.5),
        3,
    )
    assert distances.divergences(topics)[0, 1] == pytest.approx(np.log(2))


@pytest.mark.parametrize("spread", [1.0, 30.0, 1e4])
def test_floors_of_all_sizes(spread):
    """Weights just above another topic's floor, far above it and below it: the series and the
    formula give the same."""
    rng = np.random.default_rng(8)
    K = 12
    V = 300
    listed = 40
    floor = 1e-3 * spread ** rng.uniform(-1, 0, K)
    weights = np.sort(spread ** rng.uniform(-1, 0, (K, listed)), axis=1)[:, ::-1]
    weights *= ((1 - floor * (V - listed)) / weights.sum(axis=1))[:, None]
    words = np.array([rng.permutation(V)[:listed] for _ in range(K)], np.int32)
    topics = Topics(
        np.arange(K + 1) * listed,
        words.ravel(),
        weights.astype(np.float32).ravel(),
        floor,
        floor * (V - listed),
        np.full(K, 1 / K),
        V,
    )
    assert distances.divergences(topics) == pytest.approx(
        naive_explore.divergences(topics.dense(), topics.dense()), abs=1e-12
    )
