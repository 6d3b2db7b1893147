"""Learned priors: Newton's steps against dense linear algebra and differences, and what they
find."""

import numpy as np
import pytest
from scipy.special import digamma, gammaln

from inference.engines import priors
from inference.kernels import vb
from tests.inference import naive_vb


def expectations(alpha, D=500, seed=0):
    """Mean E[log theta] of documents with some tokens each, drawn with alpha."""
    generator = np.random.default_rng(seed)
    gamma = alpha + np.array(
        [generator.multinomial(80, generator.dirichlet(alpha)) for _ in range(D)]
    )
    return naive_vb.e_log_dirichlet(gamma), gamma


def test_a_step_solves_the_dense_system():
    generator = np.random.default_rng(1)
    a = generator.gamma(1.0, 0.5, 9) + 0.01
    m = -generator.gamma(2.0, 2.0, 9)
    trigamma = np.vectorize(lambda x: (digamma(x + 1e-6) - digamma(x - 1e-6)) / 2e-6)
    H = np.diag(-trigamma(a)) + trigamma(a.sum())
    g = digamma(a.sum()) - digamma(a) + m
    assert priors.alpha_step(a, m) == pytest.approx(np.linalg.solve(H, g), rel=1e-4)


def test_alpha_is_learned():
    true = np.array([0.05, 0.1, 0.2, 0.4, 0.8])
    logs, _ = expectations(true, D=20_000)
    for start in (np.full(5, 1e-4), np.full(5, 50.0), true):
        assert priors.alpha(start, logs.mean(axis=0), 1e6, 100) == pytest.approx(true, rel=0.1)


def test_a_step_never_lowers_the_objective():
    logs, _ = expectations(np.array([0.02, 0.3, 0.5]))
    m = logs.mean(axis=0)
    a = np.full(3, 400.0)
    value = -np.inf
    for _ in range(60):
        new = gammaln(a.sum()) - gammaln(a).sum() + ((a - 1) * m).sum()
        assert new >= value
        a = priors.alpha(a, m, 1e6, 1)
        value = new
    gradient = digamma(a.sum()) - digamma(a) + m
    assert np.abs(gradient).max() < 1e-6
    assert priors.alpha(a, m, 1e6) == pytest.approx(a, rel=1e-7), "what is learned stays"


def test_alpha_has_bounds():
    m = np.array([-1e9, -0.5, -0.9])
    a = priors.alpha(np.full(3, 0.5), m, 1e6)
    assert a.min() == priors.LEAST_PRIOR and np.isfinite(a).all()
    even = np.full(4, digamma(1e7) - digamma(4e7))  # theta is the same in all documents
    assert priors.alpha(np.full(4, 1.0), even, 50.0, 200).sum() == pytest.approx(50.0)
    assert np.array_equal(priors.alpha(np.array([0.3]), np.array([0.0]), 50.0), [0.3])


def test_eta_is_learned():
    generator = np.random.default_rng(0)
    for true in (0.02, 0.3, 3.0):
        beta = np.array(
            [
                generator.multinomial(20_000, generator.dirichlet(np.full(200, true)))
                for _ in range(20)
            ]
        )
        log_beta = naive_vb.e_log_dirichlet(true + beta)
        for start in (1e-3, 30.0):
            assert priors.eta(start, 20, 200, log_beta.sum(), 100) == pytest.approx(true, rel=0.1)
    assert priors.eta(0.7, 3, 1, 0.0) == 0.7


def test_eta_is_where_the_slope_is_nought():
    log_beta = -9000.0
    K = 6
    V = 150
    eta = priors.eta(0.3, K, V, log_beta, 100)
    assert K * V * (digamma(V * eta) - digamma(eta)) + log_beta == pytest.approx(0, abs=1e-4)
    values = []
    now = 40.0
    for _ in range(30):
        values.append(K * (gammaln(V * now) - V * gammaln(now)) + (now - 1) * log_beta)
        now = priors.eta(now, K, V, log_beta, 1)
    assert (np.diff(values) >= 0).all() and 2 * now > priors.eta(now, K, V, log_beta, 1)


def test_sums_of_expectations():
    _, gamma = expectations(np.array([0.02, 0.3, 0.5]), D=70)
    doc_ptr = np.arange(71)
    doc_ptr[41:] -= 1  # document 40 has no words
    expected = np.delete(naive_vb.e_log_dirichlet(gamma), 40, axis=0).sum(axis=0)
    assert vb.log_theta(doc_ptr, gamma) == pytest.approx(expected, rel=1e-10)
    values = np.random.default_rng(0).exponential(2.0, (40, 5))
    lam = 0.1 + 0.5 * values
    found = vb.topics_sums(values, 0.5, 0.1)
    assert found == pytest.approx(
        [digamma(lam).sum(), ((lam - 0.1) * digamma(lam)).sum(), gammaln(lam).sum()]
    )
