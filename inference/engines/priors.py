"""Learning the priors of LDA: Newton's method for alpha of each topic and for one eta (paper 004,
eqs. 12 and 13; 002, section 2.5).

Both maximise the terms of the variational bound that have the prior, and no step lowers it: where a
whole step does, it is halved.
"""

from typing import Any

import numpy as np
from scipy.special import gammaln, polygamma, psi

from inference.engines.contract import Priors

# of what is learned
LEAST_PRIOR = 1e-6
LARGEST_PRIOR = 1e3
STEPS = 20  # of Newton's method, at the most
# in a step no alpha falls below this part of itself: a topic that few use does not hold up the
# others
FALL = 10.0
SMALLEST_STEP = 1e-9  # part of Newton's step: where less is still no gain, it ends
SMALL_CHANGE = 1e-8  # a relative change that ends it


def as_set(config: Any, state: Any) -> Priors:
    """`priors` of an engine that does not learn them."""
    return Priors(np.full(config.topics, config.alpha), config.eta)


def as_learned(config: Any, state: Any) -> Priors:
    """`priors` of an engine whose state has them, learned or as they were set."""
    return as_set(config, state) if state is None else Priors(state.alpha, state.eta)


def alpha(start: np.ndarray, log_theta: np.ndarray, most: float, steps: int = STEPS) -> np.ndarray:
    """alpha, float64[K], that maximises lnG(sum a) - sum lnG(a_k) + sum (a_k - 1) m_k, from `start`
    on.

    log_theta: m, float64[K], the mean over documents of E[log theta_dk]. most: of the sum of alpha,
    such as the mean length of a document. steps: at the most. The Hessian is diag(h) + z 1 1', so a
    step costs K.
    """
    if len(start) == 1:  # theta is 1 whatever alpha is
        return start.copy()
    a = start.copy()
    value = _alpha_objective(a, log_theta)
    for _ in range(steps):
        step = alpha_step(a, log_theta)
        size = 1.0
        while size > SMALLEST_STEP:
            new = np.maximum(a - size * step, a / FALL)
            better = _alpha_objective(new, log_theta)
            if better >= value:
                break
            size /= 2
        else:
            break
        done = np.abs(new - a).max() <= SMALL_CHANGE * a.max()
        a = new
        value = better
        if done:
            break
    a = np.maximum(a, LEAST_PRIOR)
    total = a.sum()
    if total > most:
        return a * (most / total)
    return a


def alpha_step(a: np.ndarray, log_theta: np.ndarray) -> np.ndarray:
    """H^-1 g at a, float64[K]: what Newton's method takes away (004, below eq. 13). a: float64[K];
    log_theta: as in `alpha`."""
    g = psi(a.sum()) - psi(a) + log_theta
    h = -polygamma(1, a)
    z = polygamma(1, a.sum())
    return (g - (g / h).sum() / (1.0 / z + (1.0 / h).sum())) / h


def _alpha_objective(a: np.ndarray, log_theta: np.ndarray) -> float:
    return float(gammaln(a.sum()) - gammaln(a).sum() + ((a - 1.0) * log_theta).sum())


def eta(start: float, K: int, V: int, log_beta: float, steps: int = STEPS) -> float:
    """eta that maximises K (lnG(V eta) - V lnG(eta)) + (eta - 1) s, from `start` on, in steps by a
    factor of 2 at the most.

    log_beta: s, the sum over topics and words of E[log beta_kw].
    """
    if V == 1:  # beta is 1 whatever eta is
        return start
    now = start
    value = _eta_objective(start, K, V, log_beta)
    for _ in range(steps):
        slope = K * V * (psi(V * now) - psi(now)) + log_beta
        bend = K * V * (V * polygamma(1, V * now) - polygamma(1, now))
        below = bend * now * now + slope * now  # the second derivative by log eta
        step = -slope * now / below if below < 0.0 else np.sign(slope) * np.log(2.0)
        step = min(max(step, -np.log(2.0)), np.log(2.0))
        while abs(step) > SMALL_CHANGE:
            new = min(max(now * float(np.exp(step)), LEAST_PRIOR), LARGEST_PRIOR)
            better = _eta_objective(new, K, V, log_beta)
            if better >= value:
                break
            step /= 2
        else:
            return now
        now = new
        value = better
    return now


def _eta_objective(eta: float, K: int, V: int, log_beta: float) -> float:
    return float(K * (gammaln(V * eta) - V * gammaln(eta)) + (eta - 1.0) * log_beta)
