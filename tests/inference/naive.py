"""Slow, obvious twins of what inference/ does fast: straight from the papers, on dense arrays."""

import itertools
import math

import numpy as np
from scipy.special import digamma, gammaln


def exp_e_log_beta(lam: np.ndarray) -> np.ndarray:
    """exp E[log beta], float64[K, V] (SSI, below eq. 9)."""
    return np.exp(digamma(lam) - digamma(lam.sum(axis=1, keepdims=True)))


def conditional(
    lam: np.ndarray, counts: np.ndarray, word: int, alpha: float, expectation: str
) -> np.ndarray:
    """Eq. 9, normalised: float64[K]; with E[beta] in the place of exp E[log beta] where expectation
    is "mean"."""
    beta = exp_e_log_beta(lam) if expectation == "log" else lam / lam.sum(axis=1, keepdims=True)
    p = (alpha + counts) * beta[:, word]
    return p / p.sum()


def configurations(lam: np.ndarray, words: list[int], alpha: float) -> dict[tuple[int, ...], float]:
    """q*(z) of eq. 3 for every z, normalised: feasible for a handful of tokens."""
    K = len(lam)
    weight = exp_e_log_beta(lam)
    q = {}
    for z in itertools.product(range(K), repeat=len(words)):
        n = np.bincount(z, minlength=K)
        log = (gammaln(alpha + n) - gammaln(alpha)).sum() + sum(
            math.log(weight[k, w]) for k, w in zip(z, words, strict=True)
        )
        q[z] = math.exp(log)
    total = sum(q.values())
    return {z: p / total for z, p in q.items()}


def update(
    lam: np.ndarray, statistics: np.ndarray, rho: float, scale: float, eta: float
) -> np.ndarray:
    """Eq. 11: statistics are counts averaged over samples, scale is D / |B|."""
    return (1 - rho) * lam + rho * (eta + scale * statistics)


def train(
    documents: list[list[int]],
    K: int,
    V: int,
    *,
    alpha,
    eta,
    kappa,
    tau0,
    minibatch,
    burn_in,
    samples,
    passes,
    rng,
):
    """Algorithm 1, line by line; returns lambda."""
    D = len(documents)
    lam = np.full((K, V), eta)
    t = 0
    for _ in range(passes):
        order = rng.permutation(D)
        for first in range(0, D, minibatch):
            t += 1
            batch = order[first : first + minibatch]
            weight = exp_e_log_beta(lam)
            statistics = np.zeros((K, V))
            for d in batch:
                z = []
                counts = np.zeros(K)
                for sweep in range(burn_in + samples + 1):
                    for i, w in enumerate(documents[d]):
                        if sweep:
                            counts[z[i]] -= 1
                        p = (alpha + counts) * weight[:, w]
                        k = rng.choice(K, p=p / p.sum())
                        counts[k] += 1
                        if sweep:
                            z[i] = k
                        else:
                            z.append(k)
                        if sweep > burn_in:
                            statistics[k, w] += 1 / samples
            lam = update(lam, statistics, (tau0 + t) ** -kappa, D / len(batch), eta)
    return lam


def umass(top: np.ndarray, documents: list[list[int]], epsilon: float) -> float:
    """Eq. 13 for one topic's words, best first."""
    sets = [set(d) for d in documents]
    total = 0.0
    for i in range(1, len(top)):
        for j in range(i):
            both = sum(top[i] in s and top[j] in s for s in sets)
            total += math.log((both + epsilon) / max(1, sum(top[j] in s for s in sets)))
    return total


def completion(
    beta: np.ndarray, observed: np.ndarray, scored: np.ndarray, alpha: float, iterations: int
) -> float:
    """Sum of log p of the scored counts of one document, theta fitted by EM to the observed ones.
    beta: [K, V]."""
    K = len(beta)
    theta = np.full(K, 1 / K)
    for _ in range(iterations):
        phi = theta[:, None] * beta
        phi /= phi.sum(axis=0)
        theta = alpha + phi @ observed
        theta /= theta.sum()
    return float(scored @ np.log(theta @ beta))
