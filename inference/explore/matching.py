"""Which topics of two runs are the same, which were split or merged, and which are only in one of
them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.explore import distances
from inference.topics import Topics

# Similarity from which two topics are called the same: see docs/decisions/README.md
LEAST_SIMILARITY = 0.6
MARGIN = 0.05  # by which both must be more alike than either is to any other topic of the other run


class Matching(NamedTuple):
    """Topics of a compared with topics of b, by similarity, 1 - JSD / log 2: from 0, no word in
    common, to 1, the same.

    partner: int32[Ka], b's topic that is the same, -1 for none; similarity: float64[Ka], with it, 0
    where there is none. best_b: int32[Ka], the topic of b most like each of a, whoever's partner it
    is, and best_a: int32[Kb] the other way round; -1 where the other run has no topic.
    best_b_similarity: float64[Ka]; best_a_similarity: float64[Kb]. splits: (topic of a, topics of b
    that are most like it), for two or more of them that are at least as similar as a match must be;
    merges: (topic of b, topics of a) likewise. Both by the first number, then by number. used_a:
    bool[Ka], used_b: bool[Kb]: topics that are in use; one that is not is like none.
    """

    partner: np.ndarray
    similarity: np.ndarray
    best_b: np.ndarray
    best_b_similarity: np.ndarray
    best_a: np.ndarray
    best_a_similarity: np.ndarray
    splits: list[tuple[int, list[int]]]
    merges: list[tuple[int, list[int]]]
    used_a: np.ndarray
    used_b: np.ndarray

    @property
    def only_a(self) -> np.ndarray:
        """int64: topics of a, in use, without a partner."""
        return np.flatnonzero((self.partner < 0) & self.used_a)

    @property
    def only_b(self) -> np.ndarray:
        """int64: topics of b, in use, that are no topic's partner."""
        return np.setdiff1d(np.flatnonzero(self.used_b), self.partner)

    def turned(self) -> "Matching":
        """The matching from b's side."""
        partner = np.full(len(self.best_a), -1, np.int32)
        similarity = np.zeros(len(self.best_a))
        paired = np.flatnonzero(self.partner >= 0)
        partners = self.partner[paired]
        partner[partners] = paired
        similarity[partners] = self.similarity[paired]
        a = (self.best_a, self.best_a_similarity)
        b = (self.best_b, self.best_b_similarity)
        return Matching(
            partner, similarity, *a, *b, self.merges, self.splits, self.used_b, self.used_a
        )


def similarities(
    a: Topics,
    b: Topics,
    words_a: Sequence[str],
    words_b: Sequence[str],
    advance: Callable[[float], None] = lambda share: None,
) -> np.ndarray:
    """float64[Ka, Kb], over the words that either has: a word that one vocabulary lacks has
    probability 0 there.

    words_a, words_b: the vocabularies, a word for each number. advance: called with the share of
    the work that is done. Raises Invalid where they have not one word for each number.
    """
    for topics, words in ((a, words_a), (b, words_b)):
        if len(words) != topics.V:
            raise Invalid(
                "words",
                f"A word for each of the {topics.V:,} numbers was expected, got {len(words):,}.",
            )
    if words_a is words_b or list(words_a) == list(words_b):
        rows_a = distances.rows(a)
        rows_b = distances.rows(b)
    else:
        number = {word: w for w, word in enumerate(words_a)}
        row_in_a = np.full(a.V, -1, np.int32)
        place_b = np.full(b.V, -1, np.int32)
        common = [(number[word], w) for w, word in enumerate(words_b) if word in number]
        for row, (in_a, in_b) in enumerate(common):
            row_in_a[in_a] = place_b[in_b] = row
        rows_a = distances.restricted(a, row_in_a)
        rows_b = distances.restricted(b, place_b)
    similar = distances.between(rows_a, rows_b, advance)
    similar /= -np.log(2)
    similar += 1
    return np.clip(similar, 0.0, 1.0, out=similar)


def match(
    a: Topics,
    b: Topics,
    words_a: Sequence[str],
    words_b: Sequence[str],
    *,
    least: float = LEAST_SIMILARITY,
    margin: float = MARGIN,
    advance: Callable[[float], None] = lambda share: None,
) -> Matching:
    """Which topics are the same: the one definition of it. They are pairs of the one-to-one
    matching with the largest sum of similarities (Kuhn 1955; as used for stability by Greene et al.
    2014), at least `least` similar, and by `margin` more than either is to any other topic of the
    other run: what could as well be another one is not found.

    least=0, margin=-1: every pair of the matching. advance: of `similarities`, nearly all of the
    work.
    """
    from scipy.optimize import (
        linear_sum_assignment,  # here: a third of a second, of the start of every process
    )

    similar = similarities(a, b, words_a, words_b, advance)
    used_a = _topics_in_use(a)
    used_b = _topics_in_use(b)
    similar[~used_a] = 0.0
    similar[:, ~used_b] = 0.0
    partner = np.full(a.K, -1, np.int32)
    similarity = np.zeros(a.K)
    for i, j in zip(*linear_sum_assignment(similar, maximize=True), strict=True):
        unmatched = np.concatenate(
            [similar[i, :j], similar[i, j + 1 :], similar[:i, j], similar[i + 1 :, j]]
        )
        if similar[i, j] >= max(least, unmatched.max(initial=0.0) + margin):
            partner[i] = j
            similarity[i] = similar[i, j]
    best_b, best_b_similarity = _best(similar)
    nearest_of_b, similarity_of_b = _best(similar.T)
    return Matching(
        partner=partner,
        similarity=similarity,
        best_b=best_b,
        best_b_similarity=best_b_similarity,
        best_a=nearest_of_b,
        best_a_similarity=similarity_of_b,
        splits=_gathered(nearest_of_b, similarity_of_b, least),
        merges=_gathered(best_b, best_b_similarity, least),
        used_a=used_a,
        used_b=used_b,
    )


def stability(matchings: Sequence[Matching]) -> np.ndarray:
    """float64[K]: how similar each topic's partners in other runs are on average, 0 for a run in
    which it has none."""
    return np.mean([matching.similarity for matching in matchings], axis=0)


def _best(similar: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nearest = similar.argmax(axis=1) if similar.shape[1] else np.full(len(similar), -1)
    return nearest.astype(np.int32), similar.max(axis=1, initial=0.0)


def _gathered(
    best_partner: np.ndarray, similarity: np.ndarray, least: float
) -> list[tuple[int, list[int]]]:
    """Topics that are the best of two or more."""
    groups: dict[int, list[int]] = {}
    for topic in np.flatnonzero(similarity >= least):
        groups.setdefault(int(best_partner[topic]), []).append(int(topic))
    return sorted((partner, topics) for partner, topics in groups.items() if len(topics) > 1)


def _topics_in_use(topics: Topics) -> np.ndarray:
    """bool[K]; all where the model does not say which it uses."""
    if topics.used is None:
        return np.ones(topics.K, bool)
    return topics.used
