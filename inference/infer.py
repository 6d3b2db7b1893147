"""Topics of a text that was not trained on: its mixture, and a topic for each of its words."""

from typing import Any, NamedTuple

import numpy as np

from inference import fold_in
from inference.bow import Bow
from inference.engines.contract import AnyEngine, ResolvedConfig
from inference.kernels import assign
from inference.kernels.beta_rows import BetaRows
from inference.runtime.arrays import frozen


class Reading(NamedTuple):
    """theta: float64[K], sums to 1. topics: uint16[n] and certainty: uint8[n], p(k | w, d) times
    255, of each word."""

    theta: np.ndarray
    topics: np.ndarray
    certainty: np.ndarray


def read(beta: BetaRows, counts: np.ndarray, alpha: float | np.ndarray) -> Reading:
    """theta by EM (inference.fold_in), always the same; words assigned as those of the corpus are
    (kernels.assign).

    beta: of the text's words, each once. counts: int[n], how often the text has each. alpha: the
    model's (Engine.priors), float64[K], or one for all topics. A text without words is an even mixture.
    """
    positions = np.arange(len(beta.row_ptr) - 1)
    counts = np.asarray(counts, np.int64)
    alpha_of_topics = np.full(len(beta.floor), alpha)
    theta = fold_in.fit(beta, positions, counts, alpha_of_topics, fold_in.ITERATIONS)
    return _assigned(theta, beta)


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
        assign.fill_theta(
            frozen(folded.topics, np.int32), frozen(folded.weights, np.float32), theta
        )
    return _assigned(theta, BetaRows.even(n, K))


def _assigned(theta: np.ndarray, beta: BetaRows) -> Reading:
    positions = np.arange(len(beta.row_ptr) - 1)
    topics = np.empty(len(positions), np.uint16)
    certainty = np.empty(len(positions), np.uint8)
    assign.likeliest_topics(theta, positions, beta, topics, certainty)
    return Reading(theta, topics, certainty)
