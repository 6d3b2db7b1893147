"""Learning alpha, of each topic, and eta."""

from math import ceil, log, log2

import numpy as np

from inference.engines.contract import MOST_DOCUMENT_TOKENS
from inference.engines.ssi.settings import Resolved
from inference.engines.ssi.state import State
from inference.kernels import gibbs, rows
from inference.kernels.chunks import CHUNKS

LEAST_ALPHA = 1e-6  # of what is learned
EXACT_BITS = 51  # of a float64, in which sums are exact in any order


def empty_rises(config: Resolved, state: State) -> gibbs.Rises:
    """Room for what alpha is learned from in a step; without columns where nothing is learned."""
    columns = config.topics + 1 if config.learns_priors else 0
    return gibbs.Rises(np.zeros((CHUNKS, columns)), _grain(config, state))


def _grain(config: Resolved, state: State) -> float:
    """What all that `state.rises` is a sum of is rounded to a multiple of, so that it is exact in
    any order: the least power of two with which it is, as psi(alpha + n) - psi(alpha) <= 1 / alpha
    + 1 + log n."""
    documents = config.interval * max(config.minibatch, config.minibatch_after)
    largest_rise = 1.0 / state.alpha.min() + 1.0 + log(MOST_DOCUMENT_TOKENS)
    return 2.0 ** (ceil(log2(documents * largest_rise)) - EXACT_BITS)


def learn_priors(config: Resolved, state: State) -> None:
    """One fixed-point step (Minka 2000, eq. 55) for alpha, from the documents since the last step,
    and for eta.

    Empirical Bayes as in paper 002, section 2.5, and 004, eqs. 12 and 13, whose Newton steps have
    the same fixed point.
    """
    if state.rises[-1] > 0.0:
        state.alpha = np.maximum(state.alpha * state.rises[:-1] / state.rises[-1], LEAST_ALPHA)
    state.rises[:] = 0.0
    if config.learn == "both":
        state.refresh()
        state.eta = rows.better_eta(state.arena, state.pi, state.totals, state.eta)
