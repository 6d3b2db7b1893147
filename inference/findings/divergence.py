"""How much two shares tell, together more than one."""

import math

LEAST_SHARE = 1e-12  # a smaller share has no logarithm
NEARLY_NOTHING = 1e-6  # of the words: no claim is made of how much less a share is


def divergence(share: float, other_share: float, part: float) -> float:
    """Nats for each word that two shares tell more than one: `part` of the words has `share`, all
    others `other_share`; each 0 to 1. It is the Jensen-Shannon divergence of the two, weighted by
    their words (Lin 1991, equation 5.1)."""
    mean = part * share + (1 - part) * other_share
    if not 0 < mean < 1:
        return 0.0
    nats = part * _nats(share, mean) + (1 - part) * _nats(other_share, mean)
    return max(nats, 0.0)


def _nats(share: float, mean: float) -> float:
    """Kullback-Leibler divergence of a share from the mean of both, in nats."""
    with_it = share * math.log(max(share, LEAST_SHARE) / mean)
    without = (1 - share) * math.log(max(1 - share, LEAST_SHARE) / (1 - mean))
    return with_it + without


def log_ratio(share: float, other_share: float) -> float:
    """Natural logarithm of how many times as large a share is as another; shares below NEARLY_NOTHING
    count as that."""
    return math.log(max(share, NEARLY_NOTHING) / max(other_share, NEARLY_NOTHING))
