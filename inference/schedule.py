"""Which documents are trained on, in which steps, and when a training is measured: functions of
corpus, settings and seed alone, never of the clock."""

from typing import NamedTuple

import numpy as np

from inference.bow import Bow, ranges
from inference.engines.batch import is_trained
from inference.engines.contract import AnyEngine, Growing, ResolvedConfig, TrainingCorpus
from inference.errors import Invalid
from inference.kernels import rng

SEEDS_END = 1 << 63  # behind the largest seed, which databases hold as an integer
FIRST_SNAPSHOT = 50_000  # tokens that are trained before the first snapshot, at the most
# A training has about so many snapshots at even distances, 1 / SNAPSHOTS of its tokens apart
SNAPSHOTS = 60
# In its beginning, where topics change fastest, they come sooner: after GROWTH / SNAPSHOTS of the
# tokens that were trained so far, 20%
GROWTH = 12
FEWEST_SNAPSHOTS = 12  # at even distances, however much of the time they take
# Part of a training's time that snapshots at even distances may take; those of its beginning come
# to half as much in addition
JUDGED = 0.04
# Rough figures of what a snapshot costs on one core, in seconds, measured on Reuters-21578 at K =
# 100 and 1000:
PAIR_SECONDS = 1.5e-8  # a pair of the corpus, whose rows are sorted
TOPIC_SECONDS = 1.5e-5  # a topic, whose first words are looked up
TOKEN_SECONDS = 1.0e-6  # a held-out token, which is folded in,
TOKEN_TOPICS = 600  # and as much again for so many topics
SHORTEST_SNAPSHOT_SECONDS = 1e-9  # seconds of a snapshot, which are divided by
HELD_OUT_SHARE = 0.1  # of the documents are not trained on,
HELD_OUT_MOST = 500  # but about so many at the most
HELD_OUT_TOKENS = 0.2  # of all tokens may be held out: one long book among letters stays
FEWEST_OBJECTIVES = 4  # of the snapshots measure the objective, too, at the least
FEWEST_FOR_HOLDING_OUT = 20  # documents: of fewer none can be spared


class Paces(NamedTuple):
    """How passes are cut into steps. D: documents, all of them. early: passes before minibatches
    grow. per_pass, later: steps of a pass before and after."""

    D: int
    early: int
    per_pass: int
    later: int

    @classmethod
    def from_config(cls, documents: int, config: ResolvedConfig) -> "Paces":
        """Of so many documents, held-out ones included, with the passes and minibatches of a
        config."""
        early = 0
        later_minibatch = config.minibatch
        if isinstance(config, Growing):
            early, later_minibatch = config.growth
        per_pass = _steps_of_a_pass(documents, config.minibatch)
        later_steps = _steps_of_a_pass(documents, later_minibatch)
        return cls(documents, min(early, config.passes), per_pass, later_steps)

    def steps(self, passes: int) -> int:
        """How many steps the first so many passes have."""
        return self.per_pass * min(passes, self.early) + self.later * max(0, passes - self.early)

    def slice(self, t: int) -> tuple[int, int, int]:
        """(pass, first, end) of step t, counted from 0: it takes the places first ... end - 1 of
        that pass's order."""
        early_steps = self.per_pass * self.early
        if t < early_steps:
            n = self.per_pass
            k, i = divmod(t, n)
        else:
            n = self.later
            k, i = divmod(t - early_steps, n)
            k += self.early
        return k, i * self.D // n, (i + 1) * self.D // n


def _steps_of_a_pass(documents: int, minibatch: int) -> int:
    minibatch = max(1, min(minibatch, documents))
    return max(1, -(-documents // minibatch))


class Schedule:
    """Which documents a step takes, and after how many tokens a snapshot is due: functions of
    corpus and settings."""

    def __init__(self, bow: Bow, config: ResolvedConfig, held_out: np.ndarray):
        self.D = bow.D
        self.paces = Paces.from_config(bow.D, config)
        self.per_pass = self.paces.per_pass
        self.steps = self.paces.steps(config.passes)
        self.is_trained = is_trained(bow.D, held_out)
        self.corpus = TrainingCorpus.of_bow(bow, held_out, self.per_pass, self.paces.later)
        self.tokens = bow.tokens * config.passes
        self.measure(SNAPSHOTS)

    def measure(self, snapshots: int) -> None:
        """Let a training be measured about so many times: often in its beginning, and then
        evenly."""
        self.snapshots = snapshots
        self.gap = max(1, self.tokens // snapshots)
        self.first = min(FIRST_SNAPSHOT, self.tokens // SNAPSHOTS)
        self.growth = GROWTH / snapshots

    def batch(self, t: int, seed: int) -> np.ndarray:
        """The documents of step t, counted from 0: a slice of this pass's permutation, held-out
        documents left out.

        The slices of a pass are equal but for one document. What a few documents left over would
        say, times D over their number, is mostly noise, and an engine whose statistics fade would
        give it a whole step.
        """
        k, first, end = self.paces.slice(t)
        order = np.uint64(
            rng.key(np.uint64(seed), np.uint64(rng.PERMUTE), np.uint64(k), np.uint64(0))
        )
        batch = rng.permutation_shared(first, end, self.D, order)
        return batch[self.is_trained[batch]]

    def due(self, tokens: int) -> tuple[int, int]:
        """When the next snapshot is due, in tokens, and how many were due by then."""
        due = max(1, self.first)
        number = 0
        while due <= tokens:
            due += max(1, min(self.gap, int(self.growth * due)))
            number += 1
        return due, number


def snapshots(engine: AnyEngine, config: ResolvedConfig, bow: Bow, sample_tokens: int) -> int:
    """How many snapshots take JUDGED of a training's time, from FEWEST_SNAPSHOTS to SNAPSHOTS.

    By rough figures for the two, not by the clock: a run's points depend on corpus and settings
    alone. sample_tokens: of the held-out documents that each of them is measured on.
    """
    K = config.topics
    seconds = PAIR_SECONDS * len(bow.words) + TOPIC_SECONDS * K
    seconds += TOKEN_SECONDS * sample_tokens * (1 + K / TOKEN_TOPICS)
    affordable = int(
        JUDGED * engine.seconds(config, bow.tokens) / max(seconds, SHORTEST_SNAPSHOT_SECONDS)
    )
    return min(SNAPSHOTS, max(FEWEST_SNAPSHOTS, affordable))


def objective_every(
    engine: AnyEngine, config: ResolvedConfig, bow: Bow, points: int, seconds: float
) -> int:
    """With which of `points` snapshots the objective is measured: every so many, so that this takes
    JUDGED of a training's time, too, but with FEWEST_OBJECTIVES at the least. Batch engines, whose
    snapshots are few, measure it with each. seconds: of one."""
    if engine.ABOUT.batch or not seconds:
        return 1
    affordable = int(JUDGED * engine.seconds(config, bow.tokens) / seconds)
    return max(1, points // max(FEWEST_OBJECTIVES, affordable))


def held_out_documents(bow: Bow, seed: int) -> np.ndarray:
    """int64[n], ascending: documents that are measured on and not trained on, the same for every
    engine.

    A tenth, about 500 at the most, by a hash of seed and number; none of a corpus of fewer than 20.
    Of these the longest are trained on after all where they would hold more than HELD_OUT_TOKENS of
    the tokens. Where rows are sections, the rows of such documents, so that no document is both
    measured and trained on; of fewer than 20 long documents sections are held out.

    seed: of the training. Raises Invalid for one that is not from 0 to 2^63 - 1.
    """
    if not 0 <= seed < SEEDS_END:
        raise Invalid("seed", f"The seed must be from 0 to 2^63 - 1, not {seed}.")
    documents = bow.by_document()
    if bow.first_row is not None and documents.D >= FEWEST_FOR_HOLDING_OUT:
        held_out = _held_out(documents, seed)
        return ranges(bow.first_row[held_out], np.diff(bow.first_row)[held_out])
    return _held_out(bow, seed)


def _held_out(bow: Bow, seed: int) -> np.ndarray:
    if bow.D < FEWEST_FOR_HOLDING_OUT:
        return np.zeros(0, np.int64)
    share = min(HELD_OUT_SHARE, HELD_OUT_MOST / bow.D)
    held_out = rng.choose_items(bow.D, rng.HOLD_OUT, share, np.uint64(seed))
    lengths = bow.lengths[held_out]
    shortest_first = np.argsort(lengths, kind="stable")
    tokens = np.cumsum(lengths[shortest_first])
    affordable = np.searchsorted(tokens, HELD_OUT_TOKENS * bow.tokens, side="right")
    return np.sort(held_out[shortest_first[:affordable]])
