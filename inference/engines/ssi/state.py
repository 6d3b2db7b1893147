"""What a training holds between steps, and what a checkpoint has of it."""

from dataclasses import dataclass, field

import numpy as np

from inference.bow import Bow
from inference.engines import arena, averaging
from inference.engines.contract import LEADING, MAPPED, SCRATCH, Shape
from inference.kernels import counts, gibbs

NOT_COUNTED = -1  # the step in which a state was last counted, before any was
NO_TABLE = gibbs.CountTable(np.zeros((0, 0), np.int32), np.zeros((0, 0), np.uint16))


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

    Where documents' counts are replaced, `table` has them by word and topic: those of step
    `counted`. The rows follow when they are asked for, by `refresh`; they have those of step
    `written`. Steps are compared, as a state whose fields came from a checkpoint or another process
    has no table of its step. sums: room for gibbs.Terms. A checkpoint has the rows, and none of
    these four fields.

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
    counted: int = field(default=NOT_COUNTED, metadata=SCRATCH)
    written: int = field(default=NOT_COUNTED, metadata=SCRATCH)

    @property
    def is_in_table(self) -> bool:
        """Whether the table has the counts of this step; if not, only the rows have lambda."""
        return self.counted == self.t

    def enter_table(self, table: gibbs.CountTable) -> None:
        """Let lambda be in a table from now on, which has the counts of the rows."""
        self.table = table
        self.counted = self.t
        self.written = NOT_COUNTED

    def leave_table(self) -> None:
        """Let lambda be in the rows from now on, which get the counts of the table before."""
        self.refresh()
        self.counted = NOT_COUNTED

    def count_step(self, step: int) -> None:
        """Begin a step, counted from 1: lambda stays where it is, in the rows or in the table."""
        stays_in_table = self.is_in_table
        self.t = step
        if stays_in_table:
            self.counted = step

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

    def continued_shape(self, shape: Shape, bow: Bow) -> Shape:
        """With the prior of the seeds."""
        if not self.has_named_topics:
            return shape
        return shape._replace(word_tokens=self.most_tokens(bow), seeded=self.t == 0)

    def refresh(self) -> None:
        """Bring the rows to what the table has."""
        rows_are_behind = self.written != self.t
        if not (self.is_in_table and rows_are_behind):
            return
        arena.put_all(self, *counts.rows(self.table, self.arena_values[:0]))
        self.written = self.t

    def count_parameters(self) -> int:
        """How many of the K x V parameters hold tokens: the entries of the rows, which are brought
        up to date before."""
        self.refresh()
        return super().count_parameters()
