"""A mixture of zero-mean Gaussians in which each point is in at most L clusters: memoized
variational inference, as Hughes and Sudderth (2016), paper 003, cluster image patches. A library
function for the paper's experiments; no page uses it.

Each cluster has a precision Lam_k ~ Wishart(nu, B^-1), E[Lam_k] = nu_k B_k^-1, and the clusters'
shares have a Dirichlet prior of alpha / K each.
"""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import digamma, gammaln, logsumexp, multigammaln, softmax, xlogy

from inference.errors import Invalid

AT_ONCE = 4096  # points of a block
RIDGE = 1e-9  # that the points' mean square may be inverted where they span no whole space
LEAST_LENGTH = 1e-12  # of a point that is divided by it


@dataclass
class Gaussians:
    """q of the clusters. N: float64[K], points. nu: float64[K]. roots: float64[K, P, P], C_k, lower
    triangular, with B_k = C_k C_k'. alpha, nu0: of the prior; root0: its C, float64[P, P]."""

    N: np.ndarray
    nu: np.ndarray
    roots: np.ndarray
    alpha: float
    nu0: float
    root0: np.ndarray

    def log_weights(self, points: np.ndarray) -> np.ndarray:
        """W_nk = E log pi_k + E log N(x_n | 0, Lam_k^-1): float64[n, K] (003, section 2)."""
        P = points.shape[1]
        shares = digamma(self.N + self.alpha / len(self.N)) - digamma(self.N.sum() + self.alpha)
        constant = P * np.log(2 * np.pi)
        logs = []
        for k, share in enumerate(shares):
            squares = self.nu[k] * _squares(points, self.roots[k])
            logs.append(share + 0.5 * (self.e_log_det(k) - constant - squares))
        return np.stack(logs, axis=1)

    def e_log_det(self, k: int) -> float:
        """E log |Lam_k|."""
        P = len(self.root0)
        half_log_det = np.log(np.diag(self.roots[k])).sum()
        e_logs = digamma((self.nu[k] - np.arange(P)) / 2)
        return float(e_logs.sum() + P * np.log(2) - 2 * half_log_det)

    def covariances(self) -> np.ndarray:
        """B_k / (nu_k - P - 1), the posterior mean of each covariance: float64[K, P, P]."""
        return (
            np.einsum("kij,klj->kil", self.roots, self.roots)
            / (self.nu - self.roots.shape[1] - 1)[:, None, None]
        )

    def score(self, points: np.ndarray) -> float:
        """Mean log density of points, in nats, under the posterior means of shares and
        covariances."""
        shares = np.log((self.N + self.alpha / len(self.N)) / (self.N.sum() + self.alpha))
        roots = np.linalg.cholesky(self.covariances())
        constant = points.shape[1] * np.log(2 * np.pi)
        densities = []
        for share, root in zip(shares, roots, strict=True):
            log_det = 2 * np.log(np.diag(root)).sum()
            densities.append(share - 0.5 * (constant + log_det + _squares(points, root)))
        return float(logsumexp(densities, axis=0).mean())


def _squares(points: np.ndarray, root: np.ndarray) -> np.ndarray:
    """x' (C C')^-1 x of each point, for a lower triangular C: float64[n]."""
    scaled = solve_triangular(root, points.T, lower=True, check_finite=False)
    return np.einsum("in,in->n", scaled, scaled)


def responsibilities(log_weights: np.ndarray, L: int) -> tuple[np.ndarray, np.ndarray]:
    """(clusters int64[n, L], r float64[n, L]): the L largest of each row, of equal ones the first,
    and their softmax (003, Algorithm 1). log_weights: float64[n, K]."""
    n, K = log_weights.shape
    L = min(L, K)
    if L == 1:
        best_clusters = log_weights.argmax(axis=1)[:, None]
    else:
        least = np.partition(log_weights, K - L, axis=1)[:, K - L]
        above = log_weights > least[:, None]
        equal = log_weights == least[:, None]
        still_to_take = L - above.sum(axis=1)
        is_taken = above | (equal & (np.cumsum(equal, axis=1) <= still_to_take[:, None]))
        best_clusters = np.nonzero(is_taken)[1].reshape(n, L)
    return best_clusters, softmax(np.take_along_axis(log_weights, best_clusters, 1), axis=1)


def summary(
    points: np.ndarray, active: np.ndarray, r: np.ndarray, K: int
) -> tuple[np.ndarray, np.ndarray]:
    """(N float64[K], S float64[K, P, P]): sum_n r_nk and sum_n r_nk x_n x_n'. Time grows with L:
    points are grouped by cluster, and each is multiplied out for its own clusters alone. points:
    float64[n, P]; active, r: the clusters and the weights of `responsibilities`."""
    n, P = points.shape
    flat = active.ravel()
    weight = r.ravel()
    N = np.bincount(flat, weights=weight, minlength=K)
    S = np.zeros((K, P, P))
    order = np.argsort(flat, kind="stable")
    bounds = np.searchsorted(flat[order], np.arange(K + 1))
    row = order // active.shape[1]
    for k in range(K):
        cluster_slice = slice(bounds[k], bounds[k + 1])
        if bounds[k] < bounds[k + 1]:
            scaled = points[row[cluster_slice]] * np.sqrt(weight[order[cluster_slice]])[:, None]
            S[k] = scaled.T @ scaled
    return N, S


class Lap(NamedTuple):
    """After a pass: the model, and the evidence lower bound in nats."""

    model: Gaussians
    bound: float


def fit(
    points: np.ndarray,
    K: int,
    L: int,
    *,
    passes: int = 10,
    batches: int = 4,
    alpha: float = 1.0,
    seed: int = 0,
    stochastic: bool = False,
    kappa: float = 0.6,
    tau0: float = 1.0,
    first: np.ndarray | None = None,
) -> list[Lap]:
    """A lap for each pass over the points.

    points: float64[n, P]. L: clusters of a point at the most; K is usual inference. batches: of a
    pass; the model is updated after each. alpha: of all clusters together. stochastic: with a step
    size of (tau0 + t)^-kappa instead of memoized (003, section 3). first: int64[n], each point's
    cluster to begin with; by default the nearest of K random points, by angle.

    Raises Invalid for fewer points than clusters or batches, and for K, L or batches below 1.
    """
    n, P = points.shape
    if not 1 <= K <= n or L < 1:
        raise Invalid(
            "topics",
            f"K must be from 1 to the number of points, {n:,}, and L at least 1; got {K} and {L}.",
        )
    if not 1 <= batches <= n:
        raise Invalid(
            "batches",
            f"batches must be from 1 to the number of points, {n:,}; got {batches}.",
        )
    root0 = np.linalg.cholesky(points.T @ points / n + RIDGE * np.eye(P))  # of nu0 - P - 1 = 1
    model_of = partial(_model, alpha=alpha, nu0=P + 2.0, root0=root0)
    random = np.random.default_rng(seed)
    if first is None:
        seeds = points[random.choice(n, K, replace=False)]
        seeds = seeds / np.maximum(np.linalg.norm(seeds, axis=1, keepdims=True), LEAST_LENGTH)
        blocks = [points[start : start + AT_ONCE] for start in range(0, n, AT_ONCE)]
        first = np.concatenate([np.abs(block @ seeds.T).argmax(axis=1) for block in blocks])
    points_of_batches = np.array_split(random.permutation(n), batches)
    width = min(L, K)
    best_clusters = np.zeros((n, width), np.int64)
    r = np.zeros((n, width))
    best_clusters[:, 0] = first
    r[:, 0] = 1.0
    parts = [
        summary(points[batch], best_clusters[batch], r[batch], K) for batch in points_of_batches
    ]
    N = np.sum([part[0] for part in parts], axis=0)
    S = np.sum([part[1] for part in parts], axis=0)
    model = model_of(N, S)
    laps = []
    t = 0
    for _ in range(passes):
        for b, batch in enumerate(points_of_batches):
            t += 1
            best_clusters[batch], r[batch] = _local(model, points[batch], L)
            new = summary(points[batch], best_clusters[batch], r[batch], K)
            if stochastic:
                rho = (tau0 + t) ** -kappa
                times = n / len(batch)
                N = (1 - rho) * N + rho * times * new[0]
                S = (1 - rho) * S + rho * times * new[1]
            else:
                N = N + new[0] - parts[b][0]
                S = S + new[1] - parts[b][1]
            parts[b] = new
            model = model_of(np.maximum(N, 0.0), S)
        laps.append(Lap(model, bound(model, points, best_clusters, r)))
    return laps


def _local(model: Gaussians, points: np.ndarray, L: int) -> tuple[np.ndarray, np.ndarray]:
    blocks = [
        responsibilities(model.log_weights(points[a : a + AT_ONCE]), L)
        for a in range(0, len(points), AT_ONCE)
    ]
    return np.concatenate([block[0] for block in blocks]), np.concatenate(
        [block[1] for block in blocks]
    )


def _model(N: np.ndarray, S: np.ndarray, alpha: float, nu0: float, root0: np.ndarray) -> Gaussians:
    """nu_k = nu0 + N_k and B_k = B0 + S_k; the prior's mean covariance is that of all points."""
    roots = np.linalg.cholesky(root0 @ root0.T + (S + S.transpose(0, 2, 1)) / 2)
    return Gaussians(N=N, nu=nu0 + N, roots=roots, alpha=alpha, nu0=nu0, root0=root0)


def bound(model: Gaussians, points: np.ndarray, active: np.ndarray, r: np.ndarray) -> float:
    """The evidence lower bound of all points, in nats, for any model and r (003, eqs. 18-31).
    points: float64[n, P]; active, r: as in `summary`."""
    total = 0.0
    K = len(model.N)
    P = points.shape[1]
    for a in range(0, len(points), AT_ONCE):
        W = np.take_along_axis(
            model.log_weights(points[a : a + AT_ONCE]), active[a : a + AT_ONCE], 1
        )
        point_shares = r[a : a + AT_ONCE]
        total += (point_shares * W - xlogy(point_shares, point_shares)).sum()
    shares = model.N + model.alpha / K
    e_log = digamma(shares) - digamma(shares.sum())
    of_prior = gammaln(model.alpha) - K * gammaln(model.alpha / K)
    total += of_prior - gammaln(shares.sum()) + gammaln(shares).sum()
    total -= (model.N * e_log).sum()
    for k in range(K):
        e_det = model.e_log_det(k)
        scaled = solve_triangular(model.roots[k], model.root0, lower=True)
        of_posterior = _log_normaliser(model.nu[k], model.roots[k])
        total += of_posterior - _log_normaliser(model.nu0, model.root0)
        excess_trace = (scaled**2).sum() - P
        total += 0.5 * (model.nu0 - model.nu[k]) * e_det - 0.5 * model.nu[k] * excess_trace
    return float(total)


def _log_normaliser(nu: float, root: np.ndarray) -> float:
    """log of the integral of |Lam|^((nu - P - 1) / 2) exp(-tr(B Lam) / 2)."""
    P = len(root)
    half_log_det = np.log(np.diag(root)).sum()
    return float(nu * P / 2 * np.log(2) + multigammaln(nu / 2, P) - nu * half_log_det)
