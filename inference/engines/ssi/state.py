"""What a training holds between steps, and what a checkpoint has of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from inference.bow import Bow
from inference.engines import arena, averaging
from inference.engines.contract import LEADING, MAPPED, SCRATCH, TrainingCorpus
from inference.kernels import counts, gibbs

NO_TABLE = gibbs.CountTable(np.zeros((0, 0), np.int32), np.zeros((0, 0), np.uint16))


class Store(Enum):
    """Where lambda of the present step is: in the rows alone; in the table alone, as the rows have
    an older one; or the same in both."""

    ROWS = "rows"
    TABLE = "table"
    ROWS_AND_TABLE = "rows and table"


@dataclass(kw_only=True)
class State(averaging.Averaged):
    """All there is to checkpoint. `step` changes it in place.

    The rows hold (lambda - eta) / pi. Where all statistics fade, pi falls with each step. Where
    documents' counts are replaced, it is 1 / M, of the M = samples * draws topics that each token
    has: rows and table hold whole numbers of draws, and pi times these are tokens.

    alpha: float64[K]. rises: float64[K + 1], what alpha is learned from. memory: uint16[tokens, M],
    each token's topics of its last visit, in order of samples, gibbs.UNSEEN before the first visit;
    without rows where statistics decay. All M count in lambda; the token's topic, with which the
    next visit begins, is that of column (samples - 1) * draws, the first draw of the last sample.
    judged: float64[n], held-out completion at the looks so far.

    Where documents' counts are replaced, `table` has them by word and topic, and the rows follow
    when they are asked for, by `refresh`; `lambda_in` says which of the two has lambda. sums: room
    for gibbs.Terms. A checkpoint has the rows, and none of these three fields; nor has what another
    process sends (`take`).

    seed_words, seed_topics: int64[m], and seed_tokens: float64[m], by how much lambda's prior is
    above eta for a seed in its topic (`named_topics.plant`): it is part of the rows and of the
    table at every step. near_words, near_topics: int64[n], near_tokens: float64[n], the same of
    words that occur with seeds, in the passes of the start. empty: int64[e], topics that get no
    tokens. All without elements where nothing was named.
    """

    alpha: np.ndarray
    eta: float
    rises: np.ndarray
    memory: np.ndarray = field(metadata=MAPPED)
    judged: np.ndarray = field(default_factory=lambda: np.zeros(0), metadata=LEADING)
    seed_words: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    seed_topics: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    seed_tokens: np.ndarray = field(default_factory=lambda: np.zeros(0))
    near_words: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    near_topics: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    near_tokens: np.ndarray = field(default_factory=lambda: np.zeros(0))
    empty: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    table: gibbs.CountTable = field(default=NO_TABLE, metadata=SCRATCH)
    sums: np.ndarray = field(default_factory=lambda: np.zeros(0, np.float32), metadata=SCRATCH)
    lambda_in: Store = field(default=Store.ROWS, metadata=SCRATCH)

    @property
    def is_in_table(self) -> bool:
        """Whether the table has lambda, which steps then change there; if not, only the rows have
        it."""
        return self.lambda_in is not Store.ROWS

    def enter_table(self, table: gibbs.CountTable) -> None:
        """Let lambda be in a table from now on, which has the counts of the rows."""
        self.table = table
        self.lambda_in = Store.TABLE

    def leave_table(self) -> None:
        """Let lambda be in the rows from now on, which get the counts of the table before."""
        self.refresh()
        self.lambda_in = Store.ROWS

    def take(self, values: Mapping[str, Any]) -> None:
        """Fields of another process, among them the rows: a table that is here is of an older
        step."""
        super().take(values)
        self.lambda_in = Store.ROWS

    @property
    def has_named_topics(self) -> bool:
        """Whether a reader named any topics beforehand."""
        return len(self.seed_words) > 0 or len(self.empty) > 0

    def most_tokens(self, bow: Bow) -> np.ndarray:
        """float64[V]: the most that counts of a word come to: its tokens, and its prior as a seed.
        bow: of all documents."""
        if not len(self.seed_words):
            return bow.word_tokens
        prior = np.bincount(self.seed_words, np.ceil(self.seed_tokens), bow.V)
        return bow.word_tokens + prior

    def continued_corpus(self, corpus: TrainingCorpus, bow: Bow) -> TrainingCorpus:
        """With the prior of the seeds."""
        if not self.has_named_topics:
            return corpus
        return corpus._replace(word_tokens=self.most_tokens(bow), seeded=self.t == 0)

    def refresh(self) -> None:
        """Bring the rows to what the table has."""
        if self.lambda_in is not Store.TABLE:
            return
        arena.put_all(self, *counts.rows(self.table, self.arena_values[:0]))
        self.lambda_in = Store.ROWS_AND_TABLE

    def count_parameters(self) -> int:
        """How many of the K x V parameters hold tokens: the entries of the rows, which are brought
        up to date before."""
        self.refresh()
        return super().count_parameters()
