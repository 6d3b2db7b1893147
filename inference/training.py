"""The training loop: calls an engine's steps, and yields its progress and topics."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from inference.bow import Bow, ranges
from inference.engines.contract import (
    LONGEST,
    AnyEngine,
    Bounded,
    Config,
    Growing,
    ResolvedConfig,
    Settling,
    Shape,
    State,
    WarmStart,
)
from inference.errors import Invalid
from inference.evaluate import Coherence, Completion
from inference.kernels import rng
from inference.runtime.memory import physical
from inference.topics import Theta, Topics

PROGRESS_EVERY = 0.25  # seconds
FIRST_SNAPSHOT = 50_000  # tokens
SNAPSHOTS, FEWEST_SNAPSHOTS = 60, 12  # the next comes after this part of the training,
GROWTH = 12  # or after so many times this part of what was trained so far, whichever is sooner
# of a training's time may go into snapshots at even distances; those of its beginning come to half
# as many
JUDGED = 0.04
# Rough figures of what a snapshot costs on one core, in seconds, measured on Reuters-21578 at K =
# 100 and 1000: by pairs of the corpus, whose rows are sorted; by topics, whose first words are
# looked up; by held-out tokens, which are folded in.
PAIR_SECONDS, TOPIC_SECONDS, TOKEN_SECONDS, TOKEN_TOPICS = 1.5e-8, 1.5e-5, 1.0e-6, 600
HELD_OUT_SHARE, HELD_OUT_MOST = (
    0.1,
    500,
)  # documents that are not trained on: this share, about so many at the most
FEWEST_OBJECTIVES = 4  # of the snapshots measure the objective, too, at the least
FEWEST_FOR_HOLDING_OUT = 20  # documents: of fewer none can be spared

THREADS = int(getattr(numba.config, "NUMBA_NUM_THREADS"))  # noqa: B009 (numba sets it when it is imported)

Threads = Callable[[], int] | int | None


# The objective that an engine maximises, measured while it trains on a sample that represents all
# documents.
SAMPLE = 125  # documents, about so many at the most
# What it costs on one core, in seconds, measured on Reuters-21578 at K = 100 and 1000: a parameter
# of the topics, and a token of the sample and topic.
VALUE_SECONDS, MEASURED_SECONDS = 2e-8, 4e-8


class Objective:
    """Built once for a training, then called for its states.

    held_out: int64[n], documents that are not trained on. seed: of the training.
    """

    def __init__(
        self, engine: AnyEngine, config: ResolvedConfig, bow: Bow, held_out: np.ndarray, seed: int
    ):
        self.engine, self.config, self.bow = engine, config, bow
        self.documents, self.tokens, self.times = np.zeros(0, np.int64), 0, 0.0
        if not isinstance(engine, Bounded):
            return
        lengths = np.diff(bow.first_token)
        chosen = rng.chosen(bow.D, rng.OBJECTIVE, min(1.0, SAMPLE / bow.D), np.uint64(seed))
        self.documents = chosen[(lengths[chosen] > 0) & ~np.isin(chosen, held_out)]
        self.tokens = int(bow.tokens - lengths[held_out].sum())
        self.times = self.tokens / max(1, int(lengths[self.documents].sum()))

    @property
    def seconds(self) -> float:
        """About what one call costs."""
        return (
            self.config.topics
            * (VALUE_SECONDS * self.bow.V + MEASURED_SECONDS * self.tokens / self.times)
            if len(self.documents)
            else 0.0
        )

    def __call__(self, state: object) -> float:
        """Nats per token that is trained on; NaN where the engine has no objective that can be
        measured, and where no document of the sample has a word."""
        if not len(self.documents) or not isinstance(self.engine, Bounded):
            return float("nan")
        return (
            self.engine.bound(self.config, state, self.bow, self.documents, self.times)
            / self.tokens
        )


@dataclass(frozen=True)
class Progress:
    """How far a training is, about four times a second, by the clock.

    step: done, of `steps`. documents: gone through by this call. tokens: gone through since the run
    began, over all passes.
    seconds: of this call.
    """

    step: int
    steps: int
    documents: int
    tokens: int
    seconds: float


@dataclass(frozen=True)
class Snapshot:
    """Topics and their measures, after a step that depends on corpus, settings and seed alone.

    step: done, of `steps`. tokens: gone through since the run began, over all passes. seconds: of
    this call. topics: as they are now.
    state: changes with the next event that is pulled: use it, or save it, before that.
    held_out: mean log probability of held-out words, in nats per token (evaluate.Completion); an
    estimate but in the last event of all. objective: what training raises, in nats per token that
    is trained on (Objective); NaN where the engine has none, and where it was not measured for its
    price. coherence: float64[K], UMass coherence (evaluate.Coherence), NaN for a topic that lists
    fewer than two words or is not in use. nonzero: share of the K x V parameters above their prior.
    """

    step: int
    steps: int
    tokens: int
    seconds: float
    topics: Topics
    state: Any
    held_out: float
    objective: float
    coherence: np.ndarray
    nonzero: float


def train(
    engine: AnyEngine,
    config: Config,
    bow: Bow,
    *,
    seed: int = 0,
    resume: State | None = None,
    until: Callable[[], bool] = lambda: False,
    threads: Threads = None,
    scratch: Path | None = None,
    last: int | None = None,
) -> Iterator[Progress | Snapshot]:
    """Train to the end of the last pass, or of the one after which the topics of an engine that can
    tell have settled: `steps` is then the step it ended with. The last event is always a Snapshot.

    engine: of `engines.get`. config: of that engine; what it leaves open is chosen from the corpus.
    bow: the corpus. seed: from 0 to 2^63 - 1; the same corpus, settings and seed give bitwise the
    same topics.
    resume: a State of the same engine, config, corpus and seed; what follows is bitwise what would
    have followed then. until: asked after each Progress; where it is true a last Snapshot follows,
    of what there is. To cancel, stop pulling.
    threads: how many of numba's threads to use, asked about four times a second; the result does
    not depend on it. scratch: a folder for what is large: a file without a name, which ends with
    the process.
    last: the step after which to end, as a run that was stopped there did; by default that of the
    last pass.

    Raises Invalid when the corpus has no words, a document of LONGEST tokens or more, or another
    seed than `resume`; and when the training would need more memory than the machine has.
    """
    resolved = config.resolve(bow.D, bow.tokens)
    held_out = held_out_documents(bow, seed)
    completion = Completion(bow, held_out)
    schedule = _checked(engine, resolved, bow, held_out)
    objective = Objective(engine, resolved, bow, held_out, seed)
    schedule.measure(snapshots(engine, resolved, bow, completion.sample_tokens))
    every = objective_every(engine, resolved, bow, schedule.snapshots, objective.seconds)
    if resume is not None and resume.seed != seed:
        raise Invalid("seed", f"The checkpoint was made with seed {resume.seed}, not {seed}.")
    state = resume if resume is not None else engine.init(resolved, schedule.shape, seed, scratch)
    judge = Coherence(bow)
    began = told = time.perf_counter()
    documents, (due, _) = 0, schedule.due(state.tokens)
    _use(threads)

    def snapshot(ends: bool, before: int) -> Snapshot:
        topics = engine.topics(resolved, state)
        share, seconds = state.nonzero / (bow.V * topics.K), time.perf_counter() - began
        used = topics.in_use()
        held_out = completion(used) if ends else completion.estimate(used)
        coherence = (
            judge(topics) if topics.used is None else np.where(topics.used, judge(topics), np.nan)
        )
        measured = (
            ends
            or every == 1
            or schedule.due(state.tokens)[1] // every > schedule.due(before)[1] // every
        )
        raised = objective(state) if measured else float("nan")
        return Snapshot(
            state.t,
            schedule.steps,
            state.tokens,
            seconds,
            topics,
            state,
            held_out,
            raised,
            coherence,
            share,
        )

    end = schedule.steps if last is None else min(last, schedule.steps)
    if (
        resume is not None
        and 0 < state.t < end
        and schedule.settles(engine, resolved, state, completion)
    ):
        end = state.t
    stopped = False
    while state.t < end and not stopped:
        batch, before = schedule.batch(state.t, seed), state.tokens
        engine.step(resolved, state, bow, batch, schedule.shape)
        documents += len(batch)
        if state.t < end and schedule.settles(engine, resolved, state, completion):
            end = state.t
        now = time.perf_counter()
        if now - told >= PROGRESS_EVERY:
            told = now
            yield Progress(state.t, schedule.steps, documents, state.tokens, now - began)
            stopped = until()
            _use(threads)
        new = not engine.ABOUT.batch or state.t % schedule.per_pass == 0
        if state.tokens >= due and new or state.t == end or stopped:
            due, _ = schedule.due(state.tokens)
            yield snapshot(state.t == end or stopped, before)


def _checked(
    engine: AnyEngine, config: ResolvedConfig, bow: Bow, held_out: np.ndarray
) -> "Schedule":
    """The schedule of a training that can be done. Raises Invalid where it can't."""
    if not bow.tokens:
        raise Invalid("corpus", "The corpus has no words to train on.")
    if np.diff(bow.first_token).max() >= LONGEST:
        raise Invalid(
            "corpus",
            f"A document must have fewer than {LONGEST:,} words; cut the longest into sections.",
        )
    schedule = Schedule(bow, config, held_out)
    needed, there = engine.memory(config, schedule.shape), physical()
    if there is not None and needed > there:
        raise Invalid(
            "topics",
            f"{config.topics:,} topics would need about {needed / 2**30:.1f} GiB of memory here,"
            f" and this machine has {there / 2**30:.1f} GiB. Choose fewer topics or leave out more"
            " words.",
        )
    return schedule


def begin(
    engine: AnyEngine,
    config: ResolvedConfig,
    bow: Bow,
    topics: np.ndarray,
    *,
    seed: int = 0,
    scratch: Path | None = None,
) -> Any:
    """A State for `train` to continue from, in which each token has a topic already, such as
    another training gave it.

    topics: uint16[nnz], of the bag's pairs. seed: of the training that follows; documents that it
    holds out are left out.
    scratch: as for `train`. Raises Invalid where the engine can't, or can't with these settings.
    """
    if not isinstance(engine, WarmStart):
        raise Invalid(
            "engine", f"The engine {engine.NAME} can't begin with the topics of another training."
        )
    held_out = held_out_documents(bow, seed)
    return engine.begin(
        config, Schedule(bow, config, held_out).shape, seed, bow, topics, held_out, scratch
    )


class Paces(NamedTuple):
    """How passes are cut into steps. D: documents, all of them. early: passes before minibatches
    grow. per_pass, later: steps of a pass before and after."""

    D: int
    early: int
    per_pass: int
    later: int

    @classmethod
    def from_config(cls, documents: int, config: ResolvedConfig) -> "Paces":
        early, minibatch = config.growth if isinstance(config, Growing) else (0, config.minibatch)
        per_pass, later = (
            -(-documents // max(1, min(most, documents))) for most in (config.minibatch, minibatch)
        )
        return cls(documents, min(early, config.passes), max(1, per_pass), max(1, later))

    def steps(self, passes: int) -> int:
        """Of the first so many passes."""
        return self.per_pass * min(passes, self.early) + self.later * max(0, passes - self.early)

    def slice(self, t: int) -> tuple[int, int, int]:
        """(pass, first, end) of step t, counted from 0: it takes the places first ... end - 1 of
        that pass's order."""
        warm = self.per_pass * self.early
        k, i = divmod(t, self.per_pass) if t < warm else divmod(t - warm, self.later)
        k, n = (k, self.per_pass) if t < warm else (k + self.early, self.later)
        return k, i * self.D // n, (i + 1) * self.D // n


class Schedule:
    """Which documents a step takes, and after how many tokens a snapshot is due: functions of
    corpus and settings."""

    def __init__(self, bow: Bow, config: ResolvedConfig, held_out: np.ndarray):
        self.D, self.paces = bow.D, Paces.from_config(bow.D, config)
        self.per_pass, self.steps = self.paces.per_pass, self.paces.steps(config.passes)
        self.held_out = np.isin(np.arange(bow.D), held_out)
        self.shape = Shape(
            bow.D - len(held_out),
            bow.V,
            bow.tokens,
            self.per_pass,
            len(bow.words),
            held_out,
            self.paces.later,
        )
        self.tokens = bow.tokens * config.passes
        self.measure(SNAPSHOTS)

    def measure(self, snapshots: int) -> None:
        """Let a training be measured about so many times: often in its beginning, and then
        evenly."""
        self.snapshots = snapshots
        self.gap = max(1, self.tokens // snapshots)
        self.first = min(FIRST_SNAPSHOT, self.tokens // SNAPSHOTS)
        self.growth = GROWTH / snapshots

    def settles(
        self, engine: AnyEngine, config: ResolvedConfig, state: State, completion: Completion
    ) -> bool:
        """Whether the engine ends the training with this pass, which is its last then."""
        passes, begun, _ = self.paces.slice(state.t)
        if begun or not isinstance(engine, Settling):
            return False
        if not engine.settled(
            config, state, passes, lambda: completion.quick(engine.topics(config, state).in_use())
        ):
            return False
        self.steps = state.t
        return True

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
        return batch[~self.held_out[batch]]

    def due(self, tokens: int) -> tuple[int, int]:
        """When the next snapshot is due, in tokens, and how many were due by then."""
        due, number = max(1, self.first), 0
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
    one = (
        PAIR_SECONDS * len(bow.words)
        + TOPIC_SECONDS * K
        + TOKEN_SECONDS * sample_tokens * (1 + K / TOKEN_TOPICS)
    )
    return min(
        SNAPSHOTS,
        max(FEWEST_SNAPSHOTS, int(JUDGED * engine.seconds(config, bow.tokens) / max(one, 1e-9))),
    )


def objective_every(
    engine: AnyEngine, config: ResolvedConfig, bow: Bow, points: int, seconds: float
) -> int:
    """With which of `points` snapshots the objective is measured: every so many, so that this takes
    JUDGED of a training's time, too, but with FEWEST_OBJECTIVES at the least. Batch engines, whose
    snapshots are few, measure it with each. seconds: of one."""
    if engine.ABOUT.batch or not seconds:
        return 1
    return max(
        1,
        points
        // max(FEWEST_OBJECTIVES, int(JUDGED * engine.seconds(config, bow.tokens) / seconds)),
    )


def held_out_documents(bow: Bow, seed: int) -> np.ndarray:
    """int64[n], ascending: documents that are measured on and not trained on, the same for every
    engine.

    A tenth, about 500 at the most, by a hash of seed and number; none of a corpus of fewer than 20.
    Where rows are sections, the rows of such documents, so that no document is both measured and
    trained on; of fewer than 20 long documents sections are held out.
    """
    D = bow.by_document().D
    whole = bow.first_row if D >= FEWEST_FOR_HOLDING_OUT else None
    D = bow.D if whole is None else D
    if D < FEWEST_FOR_HOLDING_OUT:
        return np.zeros(0, np.int64)
    chosen = rng.chosen(D, rng.HOLD_OUT, min(HELD_OUT_SHARE, HELD_OUT_MOST / D), np.uint64(seed))
    return chosen if whole is None else ranges(whole[chosen], np.diff(whole)[chosen])


def fold_in_corpus(
    engine: AnyEngine, config: Config, state: State, bow: Bow, *, block: int = 1000
) -> Iterator[Theta]:
    """theta of every document under a state's topics, in their order, `block` documents at a time.

    Blocks of 1000 documents: enough of them to share the rows of their words. The result does not
    depend on it.
    """
    resolved = config.resolve(bow.D, bow.tokens)
    for first in range(0, bow.D, block):
        yield engine.fold_in(resolved, state, bow, first, min(first + block, bow.D))


def _use(threads: Threads) -> None:
    wanted = threads() if callable(threads) else threads
    if wanted is not None:
        numba.set_num_threads(max(1, min(wanted, THREADS)))
