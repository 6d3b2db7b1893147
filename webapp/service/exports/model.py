"""A run's numbers as arrays, for the files that other programs read."""

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from inference import Evidence
from webapp.core.results import evidence
from webapp.core.results.priors import priors
from webapp.models import Run
from webapp.platform.storage.sql import tuples


class Words(NamedTuple):
    """Listed words of a topic, largest weight first: int32[n], float32[n], int64[n]."""

    words: np.ndarray
    weights: np.ndarray
    tokens: np.ndarray


class Model:
    """K, V, D; alpha: float64[K], eta: the priors; floor: float64[K], beta of each word that a
    topic does not list."""

    def __init__(self, run: Run):
        self.run = run
        self.evidence: Evidence = evidence.of(run)
        self.K = run.topics
        self.V = self.evidence.document_bow.V
        self.D = self.evidence.document_bow.D
        self.alpha, self.eta = priors(run)
        self.floor = np.array([row[0] for row in self._topics("floor")], np.float64)

    def _topics(self, *columns: str) -> list[tuple]:
        return tuples(
            f"SELECT {', '.join(columns)} FROM webapp_topic WHERE snapshot_id = %s ORDER BY number",
            [self.run.snapshot_id],
        )

    @cached_property
    def tokens(self) -> np.ndarray:
        """int64[K]"""
        return np.array([row[0] for row in self._topics("tokens")], np.int64)

    @cached_property
    def map(self) -> np.ndarray:
        """float64[K, 2]: each topic's place; the origin of a topic that is not in use, which has
        none, as no reader of the files takes NaN."""
        return np.nan_to_num(np.array(self._topics("x", "y"), np.float64).reshape(self.K, 2))

    @cached_property
    def vocabulary(self) -> list[str]:
        """The words of the run's version, by their number; read once."""
        return [
            row[0]
            for row in tuples(
                "SELECT word FROM word WHERE version_id = %s ORDER BY number", [self.run.version_id]
            )
        ]

    @cached_property
    def word_tokens(self) -> np.ndarray:
        """int64[V]"""
        return self.evidence.document_bow.word_tokens.astype(np.int64)

    def topic(self, k: int) -> Words:
        """The stored words of a topic, by rank: numbers int32, weights float32, tokens int64; none
        before its topics are stored."""
        records = tuples(
            "SELECT word, weight, tokens FROM topic_word WHERE snapshot_id = %s AND topic = %s"
            " ORDER BY rank",
            [self.run.snapshot_id, k],
        )
        words, weights, tokens = zip(*records, strict=True) if records else ((), (), ())
        return Words(
            np.array(words, np.int32), np.array(weights, np.float32), np.array(tokens, np.int64)
        )

    def most_frequent(self, k: int, n: int) -> list[int]:
        """The n of a topic's listed words with most tokens of it, of equals the later one first."""
        records = tuples(
            "SELECT word FROM topic_word WHERE snapshot_id = %s AND topic = %s AND tokens > 0 ORDER"
            " BY tokens DESC, word DESC LIMIT %s",
            [self.run.snapshot_id, k, n],
        )
        return [word for (word,) in records]

    def beta(self) -> Iterator[np.ndarray]:
        """Rows of beta, float32[1, V] each."""
        for k in range(self.K):
            entries = self.topic(k)
            row = np.full((1, self.V), self.floor[k], np.float32)
            row[0, entries.words] = entries.weights
            yield row

    def theta(self) -> Iterator[np.ndarray]:
        """theta with its prior, (N_dk + alpha_k) / (N_d + sum of alpha), a block of documents at a
        time: float32[n, K]."""
        total = self.alpha.sum()
        step = max(1, (1 << 20) // self.K)
        for first in range(0, self.D, step):
            end = min(first + step, self.D)
            ptr = self.evidence.mixtures.doc_ptr[first : end + 1]
            block = np.tile(self.alpha, (end - first, 1))
            document = np.repeat(np.arange(end - first), np.diff(ptr))
            block[document, self.evidence.mixtures.doc_topics[ptr[0] : ptr[-1]]] += (
                self.evidence.mixtures.doc_tokens[ptr[0] : ptr[-1]]
            )
            block /= (self.evidence.lengths[first:end] + total)[:, None]
            yield block.astype(np.float32)
