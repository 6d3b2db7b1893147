"""How topics differ between groups of documents: which depend on the group at all, and how far two
groups are apart."""

import numpy as np


def information(tokens: np.ndarray) -> np.ndarray:
    """What the group tells of each topic, in nats per token: float64[K], at least 0, 0 for a topic
    with the same share everywhere.

    Each topic's part of the mutual information of topic and group, sum_g p(g, k) log(p(k | g) /
    p(k)) (Cover and Thomas 2006, section 2.3): parts of a sum that is 0 where topics and groups are
    independent. A large topic that changes a little and a small one that changes much may tell the
    same; groups of few tokens weigh little. tokens: int[G, K].
    """
    joint = np.asarray(tokens, np.float64)
    group = joint.sum(axis=1, keepdims=True)
    topic = joint.sum(axis=0, keepdims=True)
    total = joint.sum() or 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(joint > 0, joint * np.log(joint * total / (group * topic)), 0.0)
    return np.maximum(parts.sum(axis=0) / total, 0.0)


def difference(
    share: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How much larger a share is in the first of two groups than in the second, and an interval:
    float64[T] each, of bands[T, 2].

    The interval is made of those of the shares, of documents that are not the same, by the method
    of variance estimates recovery (Newcombe 1998, method 10; Zou and Donner 2008, eq. 7): d -
    sqrt((a - low_a)^2 + (high_b - b)^2) and likewise above. It keeps their level and their
    asymmetry.
    """
    gap = share[:, 0] - share[:, 1]
    below_share = share - low
    above_share = high - share
    below = np.hypot(below_share[:, 0], above_share[:, 1])
    above = np.hypot(above_share[:, 0], below_share[:, 1])
    return gap, np.maximum(gap - below, -1.0), np.minimum(gap + above, 1.0)
