"""beta of some words, by word: a floor that all words share, and what a word has above it."""

from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.runtime.arrays import offsets_of_parts


class BetaRows(NamedTuple):
    """beta of n words: beta_kw is floor_k, and what row w has above it of topic k.

    row_ptr: int64[n + 1]. row_topics: int32, ascending within a word. above: float64. floor:
    float64[K].
    """

    row_ptr: np.ndarray
    row_topics: np.ndarray
    above: np.ndarray
    floor: np.ndarray

    @classmethod
    def even(cls, n: int, K: int) -> "BetaRows":
        """Every topic gives every word the same weight: theta alone decides then."""
        return cls(np.zeros(n + 1, np.int64), np.zeros(0, np.int32), np.zeros(0), np.ones(K))

    @classmethod
    def from_entries(
        cls, n: int, word: np.ndarray, topic: np.ndarray, weight: np.ndarray, floor: np.ndarray
    ) -> "BetaRows":
        """From entries in any order: word in 0 … n - 1, topic, beta. Raises Invalid."""
        if len(word) and not 0 <= word.min() <= word.max() < n:
            raise Invalid(
                "words", f"words must be from 0 to {n - 1}, got {word.min()} to {word.max()}."
            )
        order = np.lexsort((topic, word))
        row_ptr = offsets_of_parts(np.bincount(word, minlength=n))
        floor = np.asarray(floor, np.float64)
        row_topics = np.asarray(topic, np.int32)[order]
        # A weight that was rounded when it was stored may lie a hair below the floor.
        above = np.maximum(np.asarray(weight, np.float64)[order] - floor[row_topics], 0.0)
        return cls(row_ptr, row_topics, above, floor)

    def dense(self) -> np.ndarray:
        """float64[n, K]."""
        beta = np.repeat(self.floor[None], len(self.row_ptr) - 1, axis=0)
        beta[np.repeat(np.arange(len(beta)), np.diff(self.row_ptr)), self.row_topics] += self.above
        return beta
