"""The Gaussian mixture with at most L clusters a point: bounds, limit cases, and scikit-learn's at
L = K."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from inference import Invalid, gaussian_mixtures
from tests.inference.naive_sparse import top


@pytest.fixture(scope="module")
def points():
    """Three clusters of unlike shape in three dimensions."""
    rng = np.random.default_rng(4)
    shapes = [np.diag([9.0, 0.1, 0.1]), np.diag([0.1, 9.0, 0.1]), np.diag([0.05, 0.05, 4.0])]
    out = np.concatenate([rng.multivariate_normal(np.zeros(3), shape, 400) for shape in shapes])
    return out[rng.permutation(len(out))]


@pytest.mark.parametrize("L", [1, 2, 5])
def test_the_bound_rises_with_each_pass(points, L):
    bounds = [lap.bound for lap in gaussian_mixtures.fit(points, 5, L, passes=8, batches=3)]
    assert (np.diff(bounds) > -1e-9 * abs(bounds[0])).all() and bounds[-1] > bounds[0]


def test_more_clusters_of_a_point_bound_it_better(points):
    one, two, dense = (gaussian_mixtures.fit(points, 5, L, passes=15)[-1].bound for L in (1, 2, 5))
    assert one < two <= dense + 1e-6 * abs(dense)


def test_at_l_of_k_it_is_scikit_learns_mixture(points):
    """With so many points the priors hardly matter: the same shares, covariances and score as by
    maximum likelihood. Each point and its opposite, so that scikit-learn's means stay at zero."""
    points = np.concatenate([points, -points])
    first = np.abs(points).argmax(axis=1)
    model = gaussian_mixtures.fit(points, 3, 3, passes=60, batches=1, first=first)[-1].model
    theirs = GaussianMixture(
        3,
        tol=1e-9,
        max_iter=500,
        reg_covar=0,
        means_init=np.zeros((3, 3)),
        precisions_init=np.linalg.inv(np.array([np.cov(points[first == k].T) for k in range(3)])),
        weights_init=np.full(3, 1 / 3),
    ).fit(points)
    assert np.allclose(model.N / model.N.sum(), theirs.weights_, atol=0.01)
    assert np.allclose(model.covariances(), theirs.covariances_, rtol=0.1, atol=0.05)
    assert model.score(points) == pytest.approx(theirs.score(points), abs=0.01)


def test_at_l_of_k_responsibilities_are_exact(points):
    model = gaussian_mixtures.fit(points, 4, 4, passes=2)[-1].model
    chosen, r = gaussian_mixtures.responsibilities(model.log_weights(points[:50]), 4)
    W = model.log_weights(points[:50])
    assert np.array_equal(chosen, np.tile(np.arange(4), (50, 1)))
    assert np.allclose(r, np.exp(W) / np.exp(W).sum(axis=1, keepdims=True), rtol=1e-12)


def test_ties_and_the_largest():
    rng = np.random.default_rng(0)
    W = rng.normal(size=(300, 9)).round(1)
    for L in (1, 2, 4, 8, 9, 12):
        chosen, r = gaussian_mixtures.responsibilities(W, L)
        assert all(np.array_equal(row, top(w, L)) for row, w in zip(chosen, W, strict=True))
        assert np.allclose(r.sum(axis=1), 1)


def test_the_summary_is_the_sum(points):
    chosen, r = gaussian_mixtures.responsibilities(
        np.random.default_rng(1).normal(size=(len(points), 6)), 2
    )
    N, S = gaussian_mixtures.summary(points, chosen, r, 6)
    dense = np.zeros((len(points), 6))
    np.put_along_axis(dense, chosen, r, 1)
    assert np.allclose(N, dense.sum(axis=0)) and np.allclose(
        S, np.einsum("nk,ni,nj->kij", dense, points, points)
    )


def test_the_score_is_the_density(points):
    model = gaussian_mixtures.fit(points, 2, 2, passes=2, stochastic=True)[-1].model
    shares = (model.N + 0.5) / (model.N.sum() + 1)
    density = sum(
        share * multivariate_normal(np.zeros(3), cov).pdf(points)
        for share, cov in zip(shares, model.covariances(), strict=True)
    )
    assert model.score(points) == pytest.approx(np.log(density).mean())


def test_a_cluster_may_lose_all_its_points_and_there_may_be_too_many():
    """Twenty equal points in four clusters: the bound is finite all the same."""
    points = np.tile([[1.0, 2.0]], (20, 1))
    lap = gaussian_mixtures.fit(points, 4, 1, passes=3, first=np.arange(20) % 4)[-1]
    assert np.isfinite(lap.bound) and (lap.model.N == 0).any() and lap.model.N.sum() == 20


@pytest.mark.parametrize(
    ("K", "L", "batches", "sentence"),
    [
        (21, 1, 4, "K must be from 1 to the number of points, 20"),
        (0, 1, 4, "K must be from 1 to the number of points, 20"),
        (4, 0, 4, "L at least 1"),
        (4, 1, 21, "batches must be from 1 to the number of points, 20"),
        (4, 1, 0, "batches must be from 1 to the number of points, 20"),
    ],
)
def test_what_can_not_be_is_refused(K, L, batches, sentence):
    with pytest.raises(Invalid, match=sentence):
        gaussian_mixtures.fit(np.ones((20, 2)), K, L, batches=batches)
