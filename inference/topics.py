"""An engine's results: topics, and documents' mixtures of them; both sparse, both summing to
one."""

from typing import Any, NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.runtime.arrays import offsets_of_parts

# A word is listed in a topic that holds at least half a token of it; the rest is the floor
LISTED_TOKENS = 0.5
MASS_TOLERANCE = 1e-3  # of a topic's weights, which are float32 and sum to 1
ROUNDING = 1e-5  # what sums of float32 may miss of 1 after many steps


class Topics(NamedTuple):
    """beta, a row for each topic: weights that are listed, and one small weight for every word that
    is not.

    indptr: int64[K + 1]. words: int32[nnz]. weights: float32[nnz], largest first within a topic.
    floor: float64[K], beta of each word that is not listed in the row; floor_mass: float64[K],
    their sum, 1 - sum(weights). share: float64[K], of the corpus's tokens; sums to 1. V: the
    vocabulary's size. used: bool[K], topics that the model uses where it has fewer than K, as
    nonparametric ones do; None: all of them. A topic that is not used is a row like any other.
    """

    indptr: np.ndarray
    words: np.ndarray
    weights: np.ndarray
    floor: np.ndarray
    floor_mass: np.ndarray
    share: np.ndarray
    V: int
    used: np.ndarray | None = None

    @classmethod
    def of_listed(
        cls,
        indptr: np.ndarray,
        words: np.ndarray,
        weights: np.ndarray,
        tokens: np.ndarray,
        V: int,
        used: np.ndarray | None = None,
    ) -> "Topics":
        """What is not listed has what weights leave of 1; where a topic lists all words, and
        weights leave more than ROUNDING, each weighs as much more. tokens: float64[K], of each
        topic, whose shares are shares of their sum; all 0: even ones."""
        K = len(tokens)
        unlisted = V - np.diff(indptr)
        topic = np.repeat(np.arange(K), np.diff(indptr))
        mass = np.bincount(topic, weights=weights, minlength=K)
        floor_mass = np.maximum(1.0 - mass, 0.0)
        # No word is left to have it, as where a mean of states left out small values
        is_short = (unlisted == 0) & (mass > 0.0) & (floor_mass > ROUNDING)
        if is_short.any():
            weights = (weights / np.where(is_short, mass, 1.0)[topic]).astype(np.float32)
            floor_mass[is_short] = 0.0
        share = tokens / tokens.sum() if tokens.sum() else np.full(K, 1.0 / K)
        return cls(
            indptr, words, weights, floor_mass / np.maximum(unlisted, 1), floor_mass, share, V, used
        )

    @property
    def K(self) -> int:
        """The number of rows."""
        return len(self.floor)

    @property
    def above(self) -> Any:
        """scipy's csr_matrix, float64[K, V]: what listed weights have above the floor; beta is that
        and the floor."""
        from scipy.sparse import (
            csr_matrix,  # here: a part of a second, of the start of every process
        )

        above = self.weights.astype(float) - np.repeat(self.floor, np.diff(self.indptr))
        return csr_matrix((above, self.words, self.indptr), shape=(self.K, self.V))

    def proper(self) -> "Topics":
        """Itself. Raises Invalid where a topic's weights are not within 0.001 of summing to 1:
        measures would flatter it."""
        entries_of_topic = np.diff(self.indptr)
        topic = np.repeat(np.arange(self.K), entries_of_topic)
        mass = np.bincount(topic, weights=self.weights, minlength=self.K) + self.floor * (
            self.V - entries_of_topic
        )
        worst = int(np.argmax(np.where(np.isnan(mass), np.inf, np.abs(mass - 1.0))))
        if not abs(mass[worst] - 1.0) < MASS_TOLERANCE:
            raise Invalid(
                "topics",
                f"The weights of a topic must sum to 1; those of topic {worst} sum to"
                f" {mass[worst]:.4g}.",
            )
        return self

    def in_use(self) -> "Topics":
        """The rows of topics that the model uses, in their order, numbered from 0: what is measured
        of a model as a whole."""
        if self.used is None or self.used.all():
            return self._replace(used=None)
        used_entries = np.repeat(self.used, np.diff(self.indptr))
        indptr = offsets_of_parts(np.diff(self.indptr)[self.used])
        floor = self.floor[self.used]
        floor_mass = self.floor_mass[self.used]
        share = self.share[self.used]
        return Topics(
            indptr=indptr,
            words=self.words[used_entries],
            weights=self.weights[used_entries],
            floor=floor,
            floor_mass=floor_mass,
            share=share,
            V=self.V,
        )

    def top(self, n: int) -> np.ndarray:
        """The n largest words of each topic: int32[K, n], -1 where a topic lists fewer."""
        top = np.full((self.K, n), -1, np.int32)
        for k in range(self.K):
            row = self.words[self.indptr[k] : min(self.indptr[k] + n, self.indptr[k + 1])]
            top[k, : len(row)] = row
        return top

    def columns(self, words: np.ndarray) -> np.ndarray:
        """beta of some words only: float64[K, n]. words: int[n], distinct numbers from 0 to V -
        1."""
        column_of_word = np.full(self.V, -1, np.int64)
        column_of_word[words] = np.arange(len(words))
        beta = np.repeat(self.floor[:, None], len(words), axis=1)
        topic = np.repeat(np.arange(self.K), np.diff(self.indptr))
        at = column_of_word[self.words]
        beta[topic[at >= 0], at[at >= 0]] = self.weights[at >= 0]
        return beta

    def dense(self) -> np.ndarray:
        """float64[K, V]: beta."""
        return self.columns(np.arange(self.V))


class Theta(NamedTuple):
    """theta of consecutive documents, from number `first` on.

    indptr: int64[n + 1]. topics: int32[nnz]. weights: float32[nnz], largest first within a
    document: what they leave of 1 is spread over all other topics. A document without words has an
    empty row.
    """

    first: int
    indptr: np.ndarray
    topics: np.ndarray
    weights: np.ndarray
