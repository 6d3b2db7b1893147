"""theta of a document as kernels/fold.py gives it, in plain Python and float64, and its plain form:
all topics, no end."""

import numpy as np

from inference.kernels import fold


def mixture(
    above: np.ndarray, floor: np.ndarray, words: np.ndarray, counts: np.ndarray, alpha: np.ndarray
) -> dict:
    """{topic: theta} of those that are listed. above: float64[K, V], beta without its floor; floor,
    alpha: float64[K]."""
    K = len(floor)
    N = int(counts.sum())
    whole = alpha @ (above[:, words] + floor[:, None])
    beta = (above[:, words] + floor[:, None]) / whole
    guess = alpha * ((above[:, words] / whole) @ counts)
    most = min(K, max(fold.BLOCK_TOPICS, N // fold.TOKENS_OF_TOPIC))
    largest_first = np.argsort(-guess, kind="stable")
    kept = sorted(k for k in largest_first[:most] if guess[k] > 0)
    gamma = {k: alpha[k] * beta[k] for k in kept}
    rest = np.maximum(1 - sum(gamma.values(), np.zeros(len(words))), fold.LEAST_REST)
    for i in range(fold.SWEEPS):
        if i == fold.FIRST_SWEEPS:
            kept, rest = thin(kept, gamma, beta, counts, alpha, rest)
        before = {k: gamma[k] @ counts for k in kept}
        tokens = dict(before)
        for j in range(len(words)):
            weights = {k: (alpha[k] + tokens[k] - gamma[k][j]) * beta[k, j] for k in kept}
            total = rest[j] + sum(weights.values())
            for k in kept:
                tokens[k] += counts[j] * (weights[k] / total - gamma[k][j])
                gamma[k][j] = weights[k] / total
        if (
            max((abs(tokens[k] - before[k]) for k in kept), default=0) < fold.NEAR_TOKENS
            and i > fold.FIRST_SWEEPS
        ):
            break
    kept, _ = thin(kept, gamma, beta, counts, alpha, rest)
    return {k: (alpha[k] + gamma[k] @ counts) / (alpha.sum() + N) for k in kept}


def thin(kept, gamma, beta, counts, alpha, rest):
    least = min(fold.LEAST_TOKENS, max(gamma[k] @ counts for k in kept))
    left = [k for k in kept if gamma[k] @ counts >= least]
    return left, rest + sum(
        (alpha[k] * beta[k] for k in kept if k not in left), np.zeros(len(rest))
    )


def cvb0(
    beta: np.ndarray, words: np.ndarray, counts: np.ndarray, alpha: np.ndarray, sweeps: int = 200
) -> np.ndarray:
    """theta, float64[K], where CVB0 over all topics comes to rest."""
    of = beta[:, words].T
    gamma = alpha * of / (of @ alpha)[:, None]
    tokens = counts @ gamma
    for _ in range(sweeps):
        for j in range(len(words)):
            new = (alpha + tokens - gamma[j]) * of[j]
            tokens += counts[j] * (new / new.sum() - gamma[j])
            gamma[j] = new / new.sum()
    return (alpha + tokens) / (alpha.sum() + counts.sum())
