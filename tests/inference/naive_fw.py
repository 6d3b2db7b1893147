"""Slow, obvious twins of the engine fw, straight from the papers: dense, in double precision."""

import numpy as np
from scipy.optimize import minimize_scalar

from inference.kernels import rng


def f(beta: np.ndarray, counts: np.ndarray, theta: np.ndarray) -> float:
    """Paper 001, eq. 9. beta: [K, n], of the document's words."""
    return float(counts @ np.log(theta @ beta))


def gradient(beta: np.ndarray, counts: np.ndarray, theta: np.ndarray) -> np.ndarray:
    return beta @ (counts / (theta @ beta))


def ope(
    beta: np.ndarray, counts: np.ndarray, alpha: float, coins: list[bool], iterations: int
) -> np.ndarray:
    """OPE from the even theta; a coin says whether a step is by the likelihood. theta: [K]."""
    K = len(beta)
    theta = np.full(K, 1 / K)
    likelihood = 1
    prior = 0
    for t in range(1, iterations):
        likelihood, prior = (likelihood + 1, prior) if coins[t - 1] else (likelihood, prior + 1)
        objective = likelihood * gradient(beta, counts, theta) + prior * (alpha - 1) / theta
        share = 1 / (t + 1)
        theta = (1 - share) * theta
        theta[objective.argmax()] += share
    return theta


def safe(
    beta: np.ndarray, counts: np.ndarray, theta: np.ndarray, k: int
) -> tuple[float, float, float]:
    """The safe step towards topic k, the gap g and e."""
    g = gradient(beta, counts, theta)[k] - counts.sum()
    e = np.sqrt(counts @ (beta[k] / (theta @ beta) - 1) ** 2)
    return min(1.0, g / (e * (e + g))), g, e


def frank_wolfe(beta: np.ndarray, counts: np.ndarray, iterations: int, step: str) -> np.ndarray:
    """Paper 001, Algorithm 5, from the best vertex: theta, [K]."""
    K = len(beta)
    theta = np.eye(K)[(np.log(beta) @ counts).argmax()]
    for t in range(iterations):
        k = gradient(beta, counts, theta).argmax()
        if step == "fixed":
            share = 2 / (t + 3)
        elif step == "safe":
            share = max(0.0, safe(beta, counts, theta, k)[0])
        else:
            towards = np.eye(K)[k] - theta
            share = minimize_scalar(
                lambda a, theta=theta, towards=towards: -f(beta, counts, theta + a * towards),
                bounds=(0, 1),
                method="bounded",
                options={"xatol": 1e-12},
            ).x
        theta = (1 - share) * theta
        theta[k] += share
    return theta


def maximum(beta: np.ndarray, counts: np.ndarray, steps: int = 5000) -> float:
    """max f over the simplex, by EM from the even theta."""
    theta = np.full(len(beta), 1 / len(beta))
    for _ in range(steps):
        theta = theta * gradient(beta, counts, theta) / counts.sum()
    return f(beta, counts, theta)


def statistics(beta: np.ndarray, counts: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """c_j phi_jk: [K, n]."""
    return theta[:, None] * beta * (counts / (theta @ beta))


def from_documents(
    beta: np.ndarray, counts: np.ndarray, key: int, iterations: int = 20
) -> tuple[np.ndarray, np.ndarray]:
    """phi of OPE with alpha = 1/K, [K, n], and what of it is the vertices' own; the rest is of the
    theta_0 that is left.

    key: the start of the stream of coins.
    """
    state = key
    coins = []
    for _ in range(iterations):
        state = np.uint64(rng.after(state))
        coins.append(rng.unit(state) < 0.5)
    K = len(beta)
    theta = ope(beta, counts, 1 / K, coins, iterations)
    left = 1 / iterations / K
    phi = theta[:, None] * beta / (theta @ beta)
    return phi, phi * np.where(theta > left + 1e-9, 1 - left / theta, 0.0)[:, None]
