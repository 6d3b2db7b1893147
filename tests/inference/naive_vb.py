"""Slow, obvious twins of the variational kernels and engines: straight from papers 002 and 004,
with phi[n, k] written out."""

import numpy as np
from scipy.special import digamma, gammaln


def e_log_dirichlet(parameters: np.ndarray) -> np.ndarray:
    """E[log x] of x ~ Dirichlet, along the last axis."""
    return digamma(parameters) - digamma(parameters.sum(axis=-1, keepdims=True))


def phi_of(gamma: np.ndarray, log_b: np.ndarray, words: np.ndarray) -> np.ndarray:
    """phi[n, k] of a document's words, 002 eq. 31. log_b: [K, V]."""
    logits = e_log_dirichlet(gamma)[None, :] + log_b[:, words].T
    phi = np.exp(logits - logits.max(axis=1, keepdims=True))
    return phi / phi.sum(axis=1, keepdims=True)


def document(words, counts, log_b, alpha, gamma, limit: float, most: int):
    """(gamma, phi[n, k] at this gamma, iterations): eqs. 31 and 32 in turn, until the sum of
    |change| is below `limit`."""
    iteration = 0
    change = np.inf
    while iteration < most and change >= limit:
        iteration += 1
        new = alpha + counts @ phi_of(gamma, log_b, words)
        change = np.abs(new - gamma).sum()
        gamma = new
    return gamma, phi_of(gamma, log_b, words), iteration


def documents_bound(documents, log_b, alpha, gammas) -> float:
    """The bound's terms of documents, each (words, counts), at phi of their gamma, in full: 002 eq.
    15 for LDA."""
    total = 0.0
    for (words, counts), gamma in zip(documents, gammas, strict=True):
        phi = phi_of(gamma, log_b, words)
        log_theta = e_log_dirichlet(gamma)
        total += (
            counts[:, None] * phi * (log_theta + log_b[:, words].T - np.log(phi + 1e-300))
        ).sum()
        total += gammaln(alpha.sum()) - gammaln(alpha).sum() + ((alpha - 1) * log_theta).sum()
        total -= gammaln(gamma.sum()) - gammaln(gamma).sum() + ((gamma - 1) * log_theta).sum()
    return float(total)


def topics_bound(lam: np.ndarray, eta: float) -> float:
    """The bound's terms of topics: E[log p(beta)] - E[log q(beta)]."""
    log_beta, (K, V) = e_log_dirichlet(lam), lam.shape
    prior = K * (gammaln(V * eta) - V * gammaln(eta)) + ((eta - 1) * log_beta).sum()
    return float(
        prior
        - (
            gammaln(lam.sum(axis=1)) - gammaln(lam).sum(axis=1) + ((lam - 1) * log_beta).sum(axis=1)
        ).sum()
    )
