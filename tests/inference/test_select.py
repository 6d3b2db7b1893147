"""The L largest in linear time, against a sort; and whole shares."""

import numpy as np
import pytest

from inference.kernels import select
from tests.inference.naive_sparse import best_support, top


def largest(weights, L):
    weights = np.asarray(weights, np.float64)
    places = np.empty(max(L, 1), np.int32)
    n = select.largest(weights, len(weights), L, np.empty(len(weights)), places)
    return places[:n].copy()


@pytest.mark.parametrize(
    "kind", ["random", "equal", "ascending", "descending", "few values", "organ pipe", "zeros"]
)
@pytest.mark.parametrize("m", [1, 2, 7, 64, 65, 1000])
def test_as_by_sorting(kind, m):
    rng = np.random.default_rng(m)
    for L in (1, 2, 3, 8, 33, 40, m - 1, m, m + 3):
        if L < 1:
            continue
        weights = {
            "random": rng.random(m),
            "equal": np.full(m, 0.5),
            "ascending": np.arange(m),
            "descending": -np.arange(m),
            "few values": rng.integers(0, 3, m),
            "organ pipe": np.minimum(np.arange(m), m - np.arange(m)),
            "zeros": np.zeros(m),
        }[kind]
        assert np.array_equal(largest(weights, L), top(np.asarray(weights, float), L)), L


def test_many_arrays():
    rng = np.random.default_rng(0)
    for _ in range(3000):
        m = int(rng.integers(1, 200))
        weights = rng.random(m).round(int(rng.integers(1, 4)))
        L = int(rng.integers(1, 60))
        assert np.array_equal(largest(weights, L), top(weights, L))


def test_not_a_number_writes_no_more_than_l():
    weights = np.full(100, np.nan)
    places = np.full(10, -1, np.int32)
    assert select.largest(weights, 100, 4, np.empty(100), places) <= 4 and (places[4:] == -1).all()


def test_it_is_the_best_of_all_supports():
    """Proof 3.1 of the paper, by trying each subset."""
    rng = np.random.default_rng(1)
    for K in (2, 5, 8):
        for L in range(1, K + 1):
            W = rng.normal(size=K) * 3
            value, support = best_support(W, L)
            assert np.array_equal(largest(np.exp(W), L), support)
            assert np.log(np.exp(W[largest(np.exp(W), L)]).sum()) == pytest.approx(value)


def test_the_worst_case_is_linear():
    """Of ascending weights each would move the whole buffer: it is given up for a selection."""
    values = np.arange(2_000_00, dtype=float)
    assert np.array_equal(largest(values, 32), np.arange(len(values) - 32, len(values)))
    assert np.array_equal(largest(values, 1000), np.arange(len(values) - 1000, len(values)))


@pytest.mark.parametrize("n", [1, 2, 5, 300])
def test_whole_shares_sum_and_are_near(n):
    rng = np.random.default_rng(n)
    for r in (rng.dirichlet(np.full(n, 0.3)), np.full(n, 1 / n), np.eye(n)[n // 2]):
        out = np.empty(n)
        select.rounded(r, n, 65535.0, out)
        assert out.sum() == 65535 and (out >= 0).all() and np.array_equal(out, np.floor(out))
        assert np.abs(out - 65535 * r).max() <= 1 + 1e-6
