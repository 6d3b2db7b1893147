"""The local step of variational Bayes and its statistics against slow twins, and what dense topics
become."""

import math

import numba
import numpy as np
import pytest
from scipy.special import digamma

from inference.engines import dense
from inference.kernels import special, vb
from tests.inference import naive_vb
from tests.inference.corpora import bow_of, planted


def corpus(V=60, D=25, seed=0):
    """Documents of very different length, one of them without words."""
    generator = np.random.default_rng(seed)
    lengths = [0, 1, 2, 2000, *generator.integers(3, 60, D - 4)]
    return bow_of(
        [
            generator.choice(V, size=n, p=generator.dirichlet(np.full(V, 2.0))).tolist()
            for n in lengths
        ],
        V,
    )


def dirichlets(V, K, dtype, seed=0, mean=3.0):
    values = np.random.default_rng(seed).exponential(mean, (V, K)).astype(dtype)
    return values, values.sum(axis=0, dtype=np.float64)


def documents_of(bow):
    return [
        (bow.words[a:b], bow.counts[a:b]) for a, b in zip(bow.indptr, bow.indptr[1:], strict=False)
    ]


@pytest.mark.parametrize(
    "x", [1e-9, 1e-6, 0.0014, 0.01, 0.5, 1.0, 3.3, 11.999, 12.0, 40.0, 1e5, 1e12]
)
def test_digamma_by_parts(x):
    value, shift = special.digamma_parts.py_func(x)
    assert math.log(value) - shift == pytest.approx(digamma(x), rel=1e-11, abs=1e-11)
    assert special.coarse_digamma(x) == pytest.approx(digamma(x), rel=1e-11, abs=1e-11)
    if special.exp_digamma(x):
        assert value * special.exp_minus.py_func(shift) == pytest.approx(
            special.exp_digamma(x), rel=1e-9
        )


@pytest.mark.parametrize("s", [0.0, 1e-9, 0.3, 1.0, 10.0, 88.0, 300.0, 699.0])
def test_exp_minus(s):
    assert special.exp_minus.py_func(s) == pytest.approx(
        math.exp(-s), rel=1e-8 if s > 200 else 1e-11
    )


@pytest.mark.parametrize("eta", [1e-6, 0.01, 0.4, 1e5])
@pytest.mark.parametrize("K", [1, 7, 16, 40])
def test_the_table_is_the_expectation(K, eta):
    values, totals = dirichlets(30, K, np.float64)
    values[3] = 0.0
    values[4, 0] = 0.0
    totals = values.sum(axis=0)
    lam = (eta + 0.5 * values).T
    words = np.array([0, 3, 4, 29])
    for log in (True, False):
        b, log_scale = vb.table(words, values, 0.5, eta, totals, log)
        exact = (
            naive_vb.e_log_dirichlet(lam)[:, words].T
            if log
            else np.log(lam / lam.sum(1, keepdims=True))[:, words].T
        )
        kept = exact > exact.max(axis=1, keepdims=True) + np.log(vb.LEAST_WEIGHT)
        assert (np.log(b) + log_scale[:, None])[kept] == pytest.approx(
            exact[kept], rel=1e-9, abs=1e-8
        )
        assert (b[~kept] == vb.LEAST_WEIGHT).all() and b.max(axis=1) == pytest.approx(np.ones(4))


@pytest.mark.parametrize(("dtype", "near"), [(np.float64, 1e-9), (np.float32, 1e-4)])
@pytest.mark.parametrize(("K", "V"), [(1, 60), (5, 60), (37, 60), (1040, 500)])
def test_the_local_step_is_the_slow_twins(dtype, near, K, V):
    """With 1040 topics the longest document does not fit into a block: it is gone through in
    several."""
    bow = corpus(V, D=5 if K > 1000 else 25)
    assert (np.diff(bow.indptr).max() * K > vb.BLOCK) == (K == 1040)
    values, totals = dirichlets(bow.V, K, dtype)
    alpha = np.random.default_rng(1).uniform(0.05, 0.6, K)
    log_b = naive_vb.e_log_dirichlet((0.1 + values.astype(np.float64)).T)
    batch = dense.batch_of(bow, np.arange(bow.D)[::-1].copy())
    b, log_scale = vb.table(batch.words, values, 1.0, 0.1, totals, True)
    limits = 1e-3 * batch.lengths
    gamma = np.ones((bow.D, K))
    e, f, iterations = vb.local_step(
        batch.doc_ptr, batch.places, batch.counts, b, alpha, gamma, limits, 12, 0.0
    )
    statistics = np.zeros((bow.V, K), dtype)
    sums = np.zeros(K)
    vb.add_statistics(
        batch.words, batch.word_ptr, batch.pairs, batch.documents, e, f, b, 2.0, statistics, sums
    )
    expected = np.zeros((bow.V, K))
    documents = documents_of(bow)[::-1]
    for d, (words, counts) in enumerate(documents):
        if not len(words):
            assert np.array_equal(gamma[d], alpha) and not e[d].any()
            continue
        found, phi, n = naive_vb.document(words, counts, log_b, alpha, np.ones(K), limits[d], 12)
        assert gamma[d] == pytest.approx(found, rel=near, abs=near) and (
            dtype is np.float32 or n == iterations[d]
        )
        pairs = slice(batch.doc_ptr[d], batch.doc_ptr[d + 1])
        ours = e[d] * b[batch.places[pairs]] * f[pairs, None] / counts[:, None]
        assert np.allclose(ours, phi, rtol=0, atol=near)
        expected[words] += 2.0 * counts[:, None] * phi
    assert np.allclose(statistics, expected, rtol=near, atol=10 * near)
    assert sums == pytest.approx(expected.sum(axis=0), rel=near) and sums.sum() == pytest.approx(
        2 * bow.tokens
    )


def test_iterations_have_a_bound():
    bow = corpus()
    values, totals = dirichlets(bow.V, 5, np.float32)
    batch = dense.batch_of(bow, np.arange(bow.D))
    b, _ = vb.table(batch.words, values, 1.0, 0.1, totals, True)
    for most in (1, 2, 4):
        _, _, iterations = vb.local_step(
            batch.doc_ptr,
            batch.places,
            batch.counts,
            b,
            np.full(5, 0.1),
            np.ones((bow.D, 5)),
            np.zeros(bow.D),
            most,
            0.0,
        )
        assert set(iterations.tolist()) == {0, most}


def test_a_word_stays_where_a_point_estimate_has_it():
    """b may be beta itself, with zeros: a topic that never has a word gets nothing of it."""
    bow = corpus(V=20)
    beta = np.random.default_rng(2).dirichlet(np.full(20, 0.5), 4).T
    beta[:10, 0] = 0.0
    beta[10:, 1] = 0.0
    batch = dense.batch_of(bow, np.arange(bow.D))
    b = (beta / beta.max(axis=1, keepdims=True))[batch.words].astype(np.float32)
    gamma = np.ones((bow.D, 4))
    e, f, _ = vb.local_step(
        batch.doc_ptr,
        batch.places,
        batch.counts,
        b,
        np.full(4, 1e-6),
        gamma,
        1e-6 * batch.lengths,
        50,
        0.0,
    )
    statistics = np.zeros((20, 4), np.float32)
    sums = np.zeros(4)
    vb.add_statistics(
        batch.words, batch.word_ptr, batch.pairs, batch.documents, e, f, b, 1.0, statistics, sums
    )
    assert (statistics[:10, 0] == 0).all() and (statistics[10:, 1] == 0).all()
    assert sums.sum() == pytest.approx(bow.tokens) and np.isfinite(gamma).all()


@pytest.mark.parametrize("alpha", [1e-6, 1e5])
@pytest.mark.parametrize("eta", [1e-6, 1e5])
def test_nothing_underflows(alpha, eta):
    bow = corpus()
    values, totals = dirichlets(bow.V, 300, np.float32)
    values[:, 7] = 0.0
    batch = dense.batch_of(bow, np.arange(bow.D))
    b, log_scale = vb.table(
        batch.words, values, 1.0, eta, values.sum(axis=0, dtype=np.float64), True
    )
    gamma = np.full((bow.D, 300), alpha)
    for truncate in (0.0, 0.1):
        e, f, _ = vb.local_step(
            batch.doc_ptr,
            batch.places,
            batch.counts,
            b,
            np.full(300, alpha),
            gamma,
            1e-3 * batch.lengths,
            50,
            truncate,
        )
        assert np.isfinite(e).all() and np.isfinite(f).all() and np.isfinite(log_scale).all()
        assert gamma.sum(axis=1) == pytest.approx(300 * alpha + batch.lengths, rel=1e-5)


def test_active_topics_are_all_that_matter():
    """Leaving out topics with less than a tenth of a token moves theta by little; with 0 it moves
    nothing."""
    K = 60
    bow, beta = planted(K, 600, 200, 80, seed=1, alpha=0.05)
    values = (beta.T * 3000).astype(np.float32)
    batch = dense.batch_of(bow, np.arange(bow.D))
    b, _ = vb.table(batch.words, values, 1.0, 0.1, values.sum(axis=0, dtype=np.float64), True)
    found = []
    for truncate in (0.0, 0.1, 1e-300):
        gamma = np.ones((bow.D, K))
        vb.local_step(
            batch.doc_ptr,
            batch.places,
            batch.counts,
            b,
            np.full(K, 0.1),
            gamma,
            1e-4 * batch.lengths,
            100,
            truncate,
        )
        found.append(gamma / gamma.sum(axis=1, keepdims=True))
    distance = 0.5 * np.abs(found[0] - found[1]).sum(axis=1)
    assert distance.max() > 0 and np.mean(distance < 0.002) > 0.97 and distance.mean() < 0.001
    assert np.array_equal(found[0], found[2])


@pytest.mark.parametrize("K", [3, 70])
def test_threads_change_no_bit(K):
    bow = corpus(D=200)
    batch = dense.batch_of(bow, np.arange(bow.D))
    results = []
    try:
        for threads in (1, 2):
            numba.set_num_threads(threads)
            values = np.empty((bow.V, K), np.float32)
            totals = np.empty(K)
            vb.scatter(np.uint64(5), 2.0, values, totals)
            b, log_scale = vb.table(batch.words, values, 1.0, 0.1, totals, True)
            gamma = np.ones((bow.D, K))
            e, f, _ = vb.local_step(
                batch.doc_ptr,
                batch.places,
                batch.counts,
                b,
                np.full(K, 0.1),
                gamma,
                1e-3 * batch.lengths,
                50,
                0.1,
            )
            vb.add_statistics(
                batch.words,
                batch.word_ptr,
                batch.pairs,
                batch.documents,
                e,
                f,
                b,
                1.0,
                values,
                totals,
            )
            vb.rescale(values, 0.3, totals)
            results.append([values, totals, b, log_scale, gamma, e, f])
    finally:
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))


def test_random_topics_are_exponential():
    values = np.empty((400, 30), np.float32)
    totals = np.empty(30)
    vb.scatter(np.uint64(3), 2.5, values, totals)
    assert values.mean() == pytest.approx(2.5, rel=0.03) and values.std() == pytest.approx(
        2.5, rel=0.05
    )
    assert values.min() >= 0 and totals == pytest.approx(values.sum(axis=0, dtype=np.float64))
    other = np.empty_like(values)
    vb.scatter(np.uint64(4), 2.5, other, totals)
    assert abs(np.corrcoef(values.ravel(), other.ravel())[0, 1]) < 0.03
    assert abs(np.corrcoef(values[:, 0], values[:, 1])[0, 1]) < 0.2


def test_a_batch_is_its_documents():
    bow = corpus()
    batch = dense.batch_of(bow, np.array([7, 0, 3]))
    for i, d in enumerate((7, 0, 3)):
        pairs = slice(batch.doc_ptr[i], batch.doc_ptr[i + 1])
        assert np.array_equal(
            batch.words[batch.places[pairs]], bow.words[bow.indptr[d] : bow.indptr[d + 1]]
        )
        assert np.array_equal(batch.counts[pairs], bow.counts[bow.indptr[d] : bow.indptr[d + 1]])
        assert (batch.documents[pairs] == i).all() and batch.lengths[i] == batch.counts[pairs].sum()
    for w in range(len(batch.words)):
        own = batch.pairs[batch.word_ptr[w] : batch.word_ptr[w + 1]]
        assert (batch.places[own] == w).all() and (np.diff(own) > 0).all()
    assert (
        batch.tokens == batch.lengths.sum()
        and len(dense.batch_of(bow, np.zeros(0, np.int64)).words) == 0
    )


@pytest.mark.parametrize("eta", [0.0, 1e-6, 0.4])
def test_topics_are_the_expectation_with_a_floor(eta):
    values = np.random.default_rng(0).gamma(0.3, 3.0, (300, 6)).astype(np.float32)
    values[5, 2] = 0.5
    values[:, 4] = 0.0
    values[7:9, 1] = 3.0
    totals = values.sum(axis=0, dtype=np.float64)
    found = dense.topics(values, 2.0, eta, totals).proper()
    exact = (eta + 2.0 * values.astype(np.float64)) / np.maximum(300 * eta + 2.0 * totals, 1e-300)
    at_least = 0.05 if eta == 0.4 else 0.5  # by which the floors would hold more than a twentieth
    for k in range(6):
        row = slice(found.indptr[k], found.indptr[k + 1])
        words = found.words[row]
        assert set(words.tolist()) == set(np.flatnonzero(2.0 * values[:, k] >= at_least).tolist())
        assert found.weights[row] == pytest.approx(exact[words, k], rel=1e-5)
        assert np.array_equal(words, words[np.lexsort((words, -values[words, k]))])
        rest = np.setdiff1d(np.arange(300), words)
        if k != 4:
            assert found.floor[k] == pytest.approx(exact[rest, k].mean(), rel=1e-3)
    assert found.floor[4] == pytest.approx(1 / 300) and found.indptr[5] == found.indptr[4]
    assert found.share == pytest.approx(totals / totals.sum()) and found.dense().sum(
        axis=1
    ) == pytest.approx(np.ones(6))


def test_flat_topics_list_more():
    """Where most of the mass lies in words of less than half a token, words are listed down to a
    twentieth."""
    values = np.full((1000, 3), 0.2, np.float32)
    values[:5] = 10.0
    totals = values.sum(axis=0, dtype=np.float64)
    assert np.array_equal(
        np.diff(dense.topics(values, 1.0, 0.1, totals).indptr), [1000, 1000, 1000]
    )
    assert np.array_equal(
        np.diff(dense.topics(values[:100], 1.0, 1e-4, values[:100].sum(0)).indptr), [100, 100, 100]
    )
    values[5:] = 0.001
    found = dense.topics(values, 1.0, 1e-6, values.sum(axis=0, dtype=np.float64))
    assert (
        np.array_equal(np.diff(found.indptr), [5, 5, 5])
        and (found.floor_mass < dense.FLOOR_MASS).all()
    )


def test_mixtures_list_what_matters():
    gamma = np.array([[10.0, 0.04, 5.0, 5.0], [0.1, 0.1, 0.1, 0.1], [1.0, 2.0, 3.0, 4.0]])
    found = dense.theta(gamma, 12, np.array([20, 0, 10]))
    assert found.first == 12 and np.array_equal(found.indptr, [0, 3, 3, 7])
    assert np.array_equal(found.topics, [0, 2, 3, 3, 2, 1, 0])
    assert found.weights[:3] == pytest.approx(np.array([10, 5, 5]) / 20.04, rel=1e-6)
    flat = dense.theta(np.ones((1, 1000)), 0, np.array([3]))
    assert np.array_equal(flat.topics, [0]), "the largest is always listed"
