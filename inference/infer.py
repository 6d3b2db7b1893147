"""Topics of a text that was not trained on: its mixture, and a topic for each of its words."""

from typing import Any, NamedTuple

import numpy as np

from inference import fold_in
from inference.bow import Bow
from inference.engines.contract import AnyEngine, ResolvedConfig
from inference.errors import Invalid
from inference.kernels import assign


class Words(NamedTuple):
    """beta of n words: what each topic's weight has above the topic's floor.

    row_ptr: int64[n + 1]. topics: int32, ascending within a word. above: float64. floor:
    float64[K].
    """

    row_ptr: np.ndarray
    topics: np.ndarray
    above: np.ndarray
    floor: np.ndarray

    @classmethod
    def from_entries(
        cls, n: int, word: np.ndarray, topic: np.ndarray, weight: np.ndarray, floor: np.ndarray
    ) -> "Words":
        """From rows in any order: word in 0 … n - 1, topic, beta."""
        if len(word) and not 0 <= word.min() <= word.max() < n:
            raise Invalid(
                "words", f"words must be from 0 to {n - 1}, got {word.min()} to {word.max()}."
            )
        order = np.lexsort((topic, word))
        row_ptr = np.concatenate([[0], np.cumsum(np.bincount(word, minlength=n))]).astype(np.int64)
        floor = np.asarray(floor, np.float64)
        topic = np.asarray(topic, np.int32)[order]
        # A weight that was rounded when it was stored may lie a hair below the floor.
        return cls(
            row_ptr,
            topic,
            np.maximum(np.asarray(weight, np.float64)[order] - floor[topic], 0.0),
            floor,
        )

    def dense(self) -> np.ndarray:
        """float64[n, K]."""
        beta = np.repeat(self.floor[None], len(self.row_ptr) - 1, axis=0)
        beta[np.repeat(np.arange(len(beta)), np.diff(self.row_ptr)), self.topics] += self.above
        return beta


class Reading(NamedTuple):
    """theta: float64[K], sums to 1. topics: uint16[n] and certainty: uint8[n], p(k | w, d) times
    255, of each word."""

    theta: np.ndarray
    topics: np.ndarray
    certainty: np.ndarray


def read(words: Words, counts: np.ndarray, alpha: float | np.ndarray) -> Reading:
    """theta by EM (inference.fold_in), always the same; words assigned as those of the corpus are
    (kernels.assign).

    words: of the text, each once. counts: int[n], how often the text has each. alpha: the model's
    (Engine.priors), float64[K], or one for all topics. A text without words is an even mixture.
    """
    word_rows = np.arange(len(words.row_ptr) - 1)
    counts = np.asarray(counts, np.int64)
    theta = fold_in.fit(
        words.floor,
        words.row_ptr,
        words.topics,
        words.above,
        word_rows,
        counts,
        np.full(len(words.floor), alpha),
        fold_in.ITERATIONS,
    )
    return _assigned(theta, word_rows, *words)


def read_by_document(
    engine: AnyEngine,
    config: ResolvedConfig,
    state: Any,
    V: int,
    words: np.ndarray,
    counts: np.ndarray,
) -> Reading:
    """A text read by an engine that gives a document one topic as a whole (About.by_document):
    theta by the engine's own `fold_in`, as for the documents of the corpus, and every word in the
    topic with the largest theta, the least of equals. EM would mix topics instead.

    config, state: of the finished run. V: of its vocabulary. words: int[n], each once; counts:
    int[n], how often the text has each. A text without words is an even mixture.
    """
    K = config.topics
    n = len(words)
    theta = np.full(K, 1.0 / K)
    if n:
        order = np.argsort(words)
        sorted_words = np.asarray(words, np.int32)[order]
        sorted_counts = np.asarray(counts, np.int32)[order]
        bow = Bow(np.array([0, n]), sorted_words, sorted_counts, V)
        folded = engine.fold_in(config, state, bow, 0, 1)
        theta[:] = max(1.0 - float(folded.weights.sum()), 0.0) / max(K - len(folded.topics), 1)
        theta[folded.topics] = folded.weights
    return _assigned(theta, np.arange(n), *assign.even(n, K))


def _assigned(
    theta: np.ndarray,
    positions: np.ndarray,
    row_ptr: np.ndarray,
    row_topics: np.ndarray,
    above: np.ndarray,
    floor: np.ndarray,
) -> Reading:
    topics = np.empty(len(positions), np.uint16)
    certainty = np.empty(len(positions), np.uint8)
    assign.likeliest_topics(theta, positions, row_ptr, row_topics, above, floor, topics, certainty)
    return Reading(theta, topics, certainty)
