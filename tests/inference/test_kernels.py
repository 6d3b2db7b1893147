import ast
from collections import Counter

import numpy as np
import pytest
from numba import njit
from scipy.special import digamma
from scipy.stats import chisquare, kstest

from inference.kernels import rng
from inference.kernels.bits import count_ones
from inference.kernels.special import digamma_rise, exp_digamma, log_in_loop, sum_in_order
from tests.conftest import ROOT


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


def test_streams_are_those_of_keys():
    key = rng.key(np.uint64(5), np.uint64(rng.SIDES), np.uint64(3), np.uint64(8))
    assert rng.stream(rng.SIDES, 3, 8, seed=5) == key
    assert rng.streams(rng.SIDES, range(8, 10), 3, seed=5)[0] == key
    purposes = [value for name, value in vars(rng).items() if name.isupper() and type(value) is int]
    assert len(purposes) > 20
    assert len(purposes) == len(set(purposes)), "two purposes never share a stream"


def test_orders_are_as_likely_as_each_other():
    """And the same by the same stream, in whatever part of an array."""
    orders = [tuple(rng.shuffled(4, rng.stream(rng.PERIODS, i))) for i in range(4_800)]
    times = Counter(orders)
    assert len(times) == 24
    assert chisquare(list(times.values())).pvalue > 1e-3
    values = np.arange(9)
    rng.shuffle(values, 3, 7, rng.stream(rng.PERIODS, 5))
    assert values.tolist() == [0, 1, 2, *(3 + place for place in orders[5]), 7, 8]
    assert [len(rng.shuffled(n, rng.stream(rng.PERIODS))) for n in (0, 1)] == [0, 1]


def test_numbers_of_a_stream_have_their_distribution():
    streams = rng.streams(rng.SIDES, range(3))
    drawn = rng.uniforms(streams, 5_000)
    assert kstest(drawn.ravel(), "uniform").pvalue > 1e-3
    assert (rng.uniforms(streams[1:2], 7) == drawn[1, :7]).all()
    normal = rng.normals(9_999, streams[0])
    assert kstest(normal, "norm").pvalue > 1e-3
    assert abs(np.corrcoef(normal[:-1], normal[1:])[0, 1]) < 0.05
    assert (rng.normals(4, streams[0]) == normal[:4]).all()


def test_exp_digamma():
    x = np.concatenate([np.logspace(-2.5, 8, 3000), np.arange(1, 40) / 2])
    assert [exp_digamma(v) for v in x] == pytest.approx(np.exp(digamma(x)).tolist(), rel=2e-12)
    assert exp_digamma(1e-6) == 0.0


@pytest.mark.parametrize("x", [1e-6, 0.02, 0.3, 7.5, 19.9, 20.0, 4000.0])
@pytest.mark.parametrize("n", [0, 0.003, 0.5, 1, 1.5, 2, 19, 19.7, 20, 21, 33.25, 500, 10**7])
def test_digamma_rise(x, n):
    assert digamma_rise(x, float(n)) == pytest.approx(
        digamma(x + n) - digamma(x), rel=1e-9, abs=1e-12
    )


def test_log_in_loop():
    @njit(error_model="numpy")
    def logs(x):
        out = np.empty_like(x)
        for i in range(len(x)):
            out[i] = log_in_loop(x[i])
        return out

    rng = np.random.default_rng(1)
    x = np.concatenate(
        [
            10.0 ** rng.uniform(-300, 300, 10_000),
            rng.uniform(0.5, 2, 10_000),
            [1.0, 0.5, 2.0**-1022],
        ]
    )
    np.testing.assert_array_max_ulp(logs(x), np.log(x), maxulp=2)
    assert logs(np.zeros(1))[0] * 0.0 == 0.0 and logs(np.ones(1))[0] == 0.0


def test_count_ones():
    count = njit(lambda x: count_ones(x))
    for x in (0, 1, 2**64 - 1, 0xF0F0, 0x8000000000000001):
        assert count(np.uint64(x)) == x.bit_count()


def test_parallel_functions_add_in_an_order_of_their_own():
    """numba makes np.sum and its like parallel in them, and then the last bit depends on the number
    of threads."""
    reductions = {"sum", "mean", "dot", "prod", "var", "std"}
    for path in sorted((ROOT / "inference").rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef) and any(
                "parallel" in ast.dump(d) for d in function.decorator_list
            ):
                for call in ast.walk(function):
                    name = getattr(getattr(call, "func", None), "attr", None)
                    assert name not in reductions, (
                        f"{path.name}: {function.name}, line {call.lineno}: use special.sum_in_order"
                    )


def test_sum_in_order_is_the_sum():
    values = np.random.default_rng(1).random(1000)
    assert sum_in_order(values) == np.cumsum(values)[-1]


# Why a module draws by numpy: its numbers are in what people have
DRAWN_BY_NUMPY = {
    "inference/codes/draw.py": "by its bits alone, which it promises: a larger draw holds an earlier one",
    "inference/gaussian_mixtures.py": "a library's function alone, which no page shows",
    "inference/simulate.py": "texts that were simulated would be others from the same seed",
    "inference/steering.py": "a topic is divided, and training goes on by the bits that it always had",
    "inference/text/duplicates.py": "texts that repeat others are left out of a corpus, and so of its topics",
    "webapp/core/curation/intrusion.py": "answers that readers gave are about the passages and words that it drew",
    "webapp/platform/accounts/embargo/rules.py": "by its bits alone, which it promises: counts were told so",
}


def test_answers_draw_by_keyed_streams():
    """numpy may change what methods of a Generator draw in any version (NEP 19): an interval that
    somebody cited would have other ends."""
    drawing = {
        str(path.relative_to(ROOT))
        for package in ("inference", "webapp")
        for path in (ROOT / package).rglob("*.py")
        if "np.random" in path.read_text(encoding="utf-8")
    }
    assert drawing == set(DRAWN_BY_NUMPY)
