"""One set of topics from several runs of the same bag of words that differ in their seeds.

Topics of the run that is most like the others are averaged with those that they are matched with
(Kuhn 1955), each weighted by the square of how much their similarity exceeds CHANCE; six times
over. A topic that no other run has stays as it is.
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_matrix, diags

from inference.errors import Invalid
from inference.explore import matching
from inference.topics import Topics

CHANCE = 0.3  # the similarity that topics with little in common have
ROUNDS = 6
OWN_WEIGHT = 1e-9  # of a topic in its mean: one that is like no other stays as it is


def consensus(runs: Sequence[Topics]) -> Topics:
    """The topics, with the numbers of the first run where it has them; a topic is used where one of
    those that it was averaged of is. Raises Invalid for runs of other K or V."""
    first = runs[0]
    if {(topics.K, topics.V) for topics in runs} != {(first.K, first.V)}:
        raise Invalid("runs", "Runs of the same number of topics and the same words were expected.")
    similarity_to_all = [_similarity_to_all(topics, runs) for topics in runs]
    base = runs[int(np.argmax(similarity_to_all))]
    for _ in range(ROUNDS):
        base = _averaged(base, runs)
    numbers = _paired(first, base)[0]
    # Some rows, in another order
    topics = _topics(base.above[numbers], base.floor[numbers], base.share[numbers])
    return topics._replace(used=_used_in_any(topics, runs))


def _used_in_any(base: Topics, runs: Sequence[Topics]) -> np.ndarray | None:
    """bool[K]: topics that are matched with one that its run uses; None where all runs use all."""
    if all(topics.used is None for topics in runs):
        return None
    used = np.zeros(base.K, bool)
    for topics in runs:
        if topics.used is None:
            return np.ones(base.K, bool)
        partners, _ = _paired(base, topics)
        used |= topics.used[partners]
    return used


def _similarity_to_all(topics: Topics, runs: Sequence[Topics]) -> float:
    """How similar a run's topics are, in the mean, to those that they are matched with, added up
    over the runs, of which it is one itself: that adds the same to each."""
    means = []
    for run in runs:
        _, similar = _paired(topics, run)
        means.append(similar.mean())
    return float(np.sum(means))


def _paired(first: Topics, second: Topics) -> tuple[np.ndarray, np.ndarray]:
    """(int64[K]: the topic of the second for each of the first; float64[K]: how similar)."""
    # Here: a third of a second, of the start of every process
    from scipy.optimize import linear_sum_assignment

    similar = matching.similarities(first, second, range(first.V), range(second.V))  # type: ignore[arg-type]
    partners = linear_sum_assignment(similar, maximize=True)[1]
    return partners, similar[np.arange(first.K), partners]


def _averaged(base: Topics, runs: Sequence[Topics]) -> Topics:
    weight = np.full(base.K, OWN_WEIGHT)
    above = OWN_WEIGHT * base.above
    floor = OWN_WEIGHT * base.floor
    share = OWN_WEIGHT * base.share
    for topics in runs:
        partners, similar = _paired(base, topics)
        similarity_weights = np.maximum(similar - CHANCE, 0.0) ** 2
        weight = weight + similarity_weights
        above = above + diags(similarity_weights) @ topics.above[partners]
        floor = floor + similarity_weights * topics.floor[partners]
        share = share + similarity_weights * topics.share[partners]
    return _topics((diags(1 / weight) @ above).tocsr(), floor / weight, share / weight)


def _topics(above: csr_matrix, floor: np.ndarray, share: np.ndarray) -> Topics:
    """Words in the order of their weights."""
    topic_lengths = np.diff(above.indptr)
    weights = above.data + np.repeat(floor, topic_lengths)
    topic_of_entry = np.repeat(np.arange(len(floor)), topic_lengths)
    order = np.lexsort((above.indices, -weights, topic_of_entry))
    words = above.indices[order].astype(np.int32)
    topic_weights = weights[order].astype(np.float32)
    return Topics.of_listed(
        above.indptr.astype(np.int64), words, topic_weights, share, above.shape[1]
    )
