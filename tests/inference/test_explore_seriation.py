"""Orders: like beside like, the best there is where that can be tried out, and always the same."""

import itertools

import numpy as np
import pytest

from inference.explore import seriation
from tests.inference import naive_explore


def band(n: int, m: int) -> np.ndarray:
    """Rows that go over into one another: row i is heavy around column i m / n."""
    at = np.arange(n)[:, None] / n - np.arange(m) / m
    return np.exp(-((at * 12) ** 2)) + 1e-6


@pytest.mark.parametrize("n", [30, seriation.LEAVES, seriation.LEAVES + 1, 800])
def test_a_hidden_order_is_found(n):
    shuffle = np.random.default_rng(1).permutation(n)
    found = shuffle[seriation.order(band(n, 40)[shuffle])]
    found = found if found[0] < found[-1] else found[::-1]
    # Rows nearer than a column's width may change places
    assert np.abs(found - np.arange(n)).max() <= n / 40


def test_leaves_are_as_good_as_the_tree_allows():
    """Against every order of six rows: a tree forbids most of them, so it is near the best, and
    better than nearly all."""
    matrix = np.random.default_rng(4).dirichlet(np.full(5, 0.3), 6)
    every = sorted(
        naive_explore.roughness(matrix, list(p)) for p in itertools.permutations(range(6))
    )
    found = naive_explore.roughness(matrix, seriation.order(matrix))
    assert found <= every[len(every) // 50] and found <= 1.1 * every[0]


def test_topics_without_words_in_common_stay_together(monkeypatch):
    blocks = np.kron(np.eye(3), np.ones((5, 4))) * np.random.default_rng(0).uniform(1, 2, (15, 12))
    shuffle = np.random.default_rng(2).permutation(15)
    for most in (500, 2):
        monkeypatch.setattr(seriation, "LEAVES", most)
        found = shuffle[seriation.order(blocks[shuffle])] // 5
        assert len(list(itertools.groupby(found))) == 3


def test_empty_rows_come_last_and_frequency_says_nothing():
    matrix = np.array([[0, 0, 0], [8, 1, 0], [0, 0, 0], [0, 1, 9], [800, 100, 0]])
    found = seriation.order(matrix)
    assert found.dtype == np.int64 and found[3:].tolist() == [0, 2]
    assert abs(found.tolist().index(1) - found.tolist().index(4)) == 1


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (1, 3), (2, 3), (3, 1), (3, 0), (600, 1)])
def test_small_shapes(shape):
    assert sorted(seriation.order(np.ones(shape))) == list(range(shape[0]))


def test_it_is_the_same_each_time():
    for n in (50, 700):
        matrix = np.random.default_rng(3).dirichlet(np.full(8, 0.5), n)
        found = seriation.order(matrix)
        assert (found == seriation.order(matrix.copy())).all() and found[0] < found[-1]
