"""How much two shares tell, together more than one."""

import math

LEAST_SHARE = 1e-12  # a smaller share has no logarithm


def information(a: float, b: float, part: float) -> float:
    """Nats for each word that two shares tell more than one: `part` of the words has share a, the
    rest b; each 0 to 1. It is the Jensen-Shannon divergence of the two, weighted by their words (Lin
    1991, equation 5.1)."""
    mean = part * a + (1 - part) * b
    if not 0 < mean < 1:
        return 0.0
    return max(part * _nats(a, mean) + (1 - part) * _nats(b, mean), 0.0)


def _nats(share: float, mean: float) -> float:
    """Kullback-Leibler divergence of a share from the mean of both, in nats."""
    with_it = share * math.log(max(share, LEAST_SHARE) / mean)
    without = (1 - share) * math.log(max(1 - share, LEAST_SHARE) / (1 - mean))
    return with_it + without


def log_ratio(a: float, b: float, least: float) -> float:
    """Logarithm of a / b, where shares below `least` count as that."""
    return math.log(max(a, least) / max(b, least))
