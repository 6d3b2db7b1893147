"""Slow, obvious twins of lsparse and clusters: paper 003 on dense arrays, with explicit
responsibilities."""

import itertools

import numpy as np
from scipy.special import digamma, gammaln


def top(weights: np.ndarray, L: int) -> np.ndarray:
    """The L largest, of equal ones the first: ascending places."""
    return np.sort(np.lexsort((np.arange(len(weights)), -weights))[:L])


def best_support(W: np.ndarray, L: int) -> tuple[float, tuple[int, ...]]:
    """max over all supports of at most L topics of max_r sum r W - r log r = log sum exp W over the
    support (003, eqs. 5 and 8), by trying each."""
    return max(
        (np.log(np.exp(W[list(s)]).sum()), s)
        for n in range(1, L + 1)
        for s in itertools.combinations(range(len(W)), n)
    )


def e_log_beta(lam: np.ndarray) -> np.ndarray:
    """float64[K, V]"""
    return digamma(lam) - digamma(lam.sum(axis=1, keepdims=True))


def local(words, counts, log_beta, alpha, L, *, sweeps, change, restarts=0, r=None):
    """The local step of one document (003, Algorithm 2): r float64[n, K]. r: where it begins, by
    default its words."""
    K = len(log_beta)
    logs = log_beta[:, words].T
    if r is None:
        r = np.array([_softmax(row, top(row, L)) for row in logs])
    N = counts @ r
    dense = L >= K

    def sweep(N):
        e = np.where((N > 1e-9) | dense, digamma(alpha + N), -np.inf)
        return np.array([_softmax(e + row, top(e + row, L)) for row in logs])

    for _ in range(sweeps):
        r = sweep(N)
        moved = np.abs(counts @ r - N).max()
        N = counts @ r
        if moved < change:
            break
    score = objective(words, counts, log_beta, alpha, r)
    order = N.copy()
    tried = 0
    while tried < restarts:
        left = np.flatnonzero((N > 1e-9) & (order < np.inf))
        if (N > 1e-9).sum() < 2 or not len(left):
            break
        k = left[np.argmin(order[left])]
        tried = tried + 1
        order[k] = np.inf
        proposed = r
        M = N.copy()
        M[k] = 0.0
        for _ in range(2):
            proposed = sweep(M)
            M = counts @ proposed
        if (new := objective(words, counts, log_beta, alpha, proposed)) > score:
            r = proposed
            N = M
            score = new
    return r


def _softmax(W, support):
    p = np.zeros(len(W))
    support = support[np.isfinite(W[support])]
    p[support] = np.exp(W[support] - W[support].max())
    return p / p.sum()


def objective(words, counts, log_beta, alpha, r) -> float:
    """L_d: a document's part of the bound (003, eqs. 46-49), theta at its best for r."""
    N = counts @ r
    K = len(log_beta)
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = np.where(r > 0, r * (log_beta[:, words].T - np.log(r)), 0.0).sum(axis=1)
    return float(
        counts @ inner
        + (gammaln(alpha + N) - gammaln(alpha)).sum()
        + gammaln(K * alpha)
        - gammaln(K * alpha + N.sum())
    )


def topics_objective(lam: np.ndarray, eta: float) -> float:
    """E[log p(beta)] - E[log q(beta)] for any lam (003, eq. 35)."""
    K, V = lam.shape
    return float(
        K * (gammaln(V * eta) - V * gammaln(eta))
        - gammaln(lam.sum(axis=1)).sum()
        + gammaln(lam).sum()
        + ((eta - lam) * e_log_beta(lam)).sum()
    )


def statistics(documents, r, V):
    """sum_d c_dw r_dwk: float64[K, V]. documents: (words, counts); r: of each float64[n, K]."""
    out = np.zeros((r[0].shape[1], V))
    for (words, counts), own in zip(documents, r, strict=True):
        np.add.at(out.T, words, counts[:, None] * own)
    return out


def cluster_scores(documents, lam, N, alpha):
    """W_dk of the mixture (003, eqs. 1-8): float64[D, K]."""
    log_beta = e_log_beta(lam)
    prior = digamma(N + alpha / len(N)) - digamma(N.sum() + alpha)
    return np.array([prior + log_beta[:, words] @ counts for words, counts in documents])


def cluster_objective(documents, r, lam, N, alpha, eta) -> float:
    """The bound of the mixture (003, eqs. 18-24 and 35) but for the multinomial coefficients:
    float. r: float64[D, K]."""
    K = len(N)
    prior = digamma(N + alpha / K) - digamma(N.sum() + alpha)
    W = cluster_scores(documents, lam, N, alpha)
    with np.errstate(divide="ignore", invalid="ignore"):
        inner = np.where(r > 0, r * (W - np.log(r)), 0.0).sum()
    shares = (
        gammaln(alpha)
        - K * gammaln(alpha / K)
        - gammaln(N.sum() + alpha)
        + gammaln(N + alpha / K).sum()
    )
    return float(inner + shares - (N * prior).sum() + topics_objective(lam, eta))
