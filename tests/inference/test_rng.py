import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import kstest

from inference.kernels import rng
from inference.kernels.special import exp_digamma


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 17, 64, 65, 1000, 4097])
def test_permutation_is_one(n):
    found = rng.permutation_slice(0, n, n, np.uint64(2**63 + 11))
    assert sorted(found) == list(range(n))


def test_permutations_differ_and_slices_agree():
    first, second = (rng.permutation_slice(0, 500, 500, np.uint64(k)) for k in (1, 2))
    assert (first != second).mean() > 0.9
    assert (rng.permutation_slice(100, 200, 500, np.uint64(1)) == first[100:200]).all()


def test_streams_are_uniform_and_do_not_depend_on_order():
    keys = rng.keys(np.uint64(5), np.uint64(rng.SAMPLE), np.uint64(3), np.arange(20_000))
    assert kstest([rng.unit(np.uint64(k)) for k in keys[:5000]], "uniform").pvalue > 1e-3
    assert len(np.unique(keys)) == len(keys)
    some = np.array([77, 3, 19_999])
    assert (rng.keys(np.uint64(5), np.uint64(rng.SAMPLE), np.uint64(3), some) == keys[some]).all()


def test_exp_digamma():
    x = np.concatenate([np.logspace(-2.5, 8, 3000), np.arange(1, 40) / 2])
    assert [exp_digamma(v) for v in x] == pytest.approx(np.exp(digamma(x)).tolist(), rel=2e-12)
    assert exp_digamma(1e-6) == 0.0
