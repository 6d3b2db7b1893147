"""A text that the topics were not made from: its mixture, and a topic for each of its words."""

from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.evaluate import fold_in
from inference.kernels import assign


class Words(NamedTuple):
    """beta of n words: what each topic's weight has above the topic's floor.

    row_ptr: int64[n + 1]. topics: int32, ascending within a word. above: float64. floor: float64[K].
    """

    row_ptr: np.ndarray
    topics: np.ndarray
    above: np.ndarray
    floor: np.ndarray

    @classmethod
    def of(cls, n: int, word: np.ndarray, topic: np.ndarray, weight: np.ndarray, floor: np.ndarray) -> "Words":
        """From rows in any order: word in 0 … n - 1, topic, beta."""
        if len(word) and not 0 <= word.min() <= word.max() < n:
            raise Invalid("words", f"words must be from 0 to {n - 1}, got {word.min()} to {word.max()}.")
        order = np.lexsort((topic, word))
        row_ptr = np.concatenate([[0], np.cumsum(np.bincount(word, minlength=n))]).astype(np.int64)
        floor = np.asarray(floor, np.float64)
        topic = np.asarray(topic, np.int32)[order]
        # A weight that was rounded when it was stored may lie a hair below the floor.
        return cls(row_ptr, topic, np.maximum(np.asarray(weight, np.float64)[order] - floor[topic], 0.0), floor)

    def dense(self) -> np.ndarray:
        """float64[n, K]."""
        beta = np.repeat(self.floor[None], len(self.row_ptr) - 1, axis=0)
        beta[np.repeat(np.arange(len(beta)), np.diff(self.row_ptr)), self.topics] += self.above
        return beta


class Reading(NamedTuple):
    """theta: float64[K], sums to 1. topics: uint16[n] and certainty: uint8[n], p(k | w, d) times 255, of each word."""

    theta: np.ndarray
    topics: np.ndarray
    certainty: np.ndarray


def read(words: Words, counts: np.ndarray, alpha: float | np.ndarray, *, by_document: bool = False) -> Reading:
    """theta by EM (evaluate.fold_in), always the same; words assigned as those of the corpus are (kernels.assign).

    words: of the text, each once. counts: int[n], how often the text has each. alpha: the model's (Engine.priors),
    float64[K], or one for all topics. by_document: Engine.BY_DOCUMENT. A text without words is an even mixture.
    """
    n = len(words.row_ptr) - 1
    places, counts = np.arange(n), np.asarray(counts, np.int64)
    K = len(words.floor)
    theta = fold_in.fit(
        words.floor, words.row_ptr, words.topics, words.above, places, counts, np.full(K, alpha), fold_in.ITERATIONS
    )
    row_ptr, row_topics, above, floor = assign.even(n, K) if by_document else words
    topics, certainty = np.empty(n, np.uint16), np.empty(n, np.uint8)
    assign.given(theta, places, row_ptr, row_topics, above, floor, topics, certainty)
    return Reading(theta, topics, certainty)
