"""Which topics depend on the group that a document is of."""

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
