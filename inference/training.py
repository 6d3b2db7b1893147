"""The loop that trains: pulls an engine's steps, and yields how far it is and what it has found."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numba
import numpy as np

from inference.bow import Bow
from inference.engines import ssi
from inference.errors import Invalid
from inference.evaluate import Coherence, Completion
from inference.kernels import rng
from inference.topics import Theta, Topics

PROGRESS_EVERY = 0.25  # seconds
FIRST_SNAPSHOT = 50_000  # tokens
GROWTH = 0.2  # the next snapshot comes after so much more training,
SNAPSHOTS = 60  # or after this fraction of all of it, whichever is sooner


@dataclass(frozen=True)
class Progress:
    """About four a second, by the clock."""

    step: int
    steps: int
    documents: int  # gone through by this call
    tokens: int  # gone through since the run began, over all passes
    seconds: float  # of this call


@dataclass(frozen=True)
class Snapshot:
    """Topics and their measures, after a step that depends on corpus, settings and seed alone.

    `state` goes on changing when the loop goes on: use it, or save it, before the next event is pulled.
    held_out: nats per token (evaluate.Completion), NaN where the corpus is too small. coherence: float64[K].
    nonzero: share of the K x V parameters that are above eta.
    """

    step: int
    steps: int
    tokens: int
    seconds: float
    topics: Topics
    state: ssi.State
    held_out: float
    coherence: np.ndarray
    nonzero: float


def train(
    engine: ModuleType,
    config,
    bow: Bow,
    *,
    seed: int = 0,
    resume=None,
    until: Callable[[], bool] = lambda: False,
    threads: Callable[[], int] | int | None = None,
    scratch: Path | None = None,
    last: int | None = None,
) -> Iterator[Progress | Snapshot]:
    """Train to the end of the last pass. To stop early and keep what there is let `until`, asked after each Progress, be
    true: a last Snapshot follows. The last event is always one. To cancel, stop pulling.

    resume: a State of the same engine, config and corpus; what follows is bitwise what would have followed then.
    config: what it leaves open (None) is chosen from the corpus.
    threads: how many of numba's threads to use, asked about four times a second; the result does not depend on it.
    scratch: a folder for what is large: a file without a name, which ends with the process.
    last: the step after which to end, as a run that was stopped there did; by default that of the last pass.
    Raises Invalid when the corpus has no words.
    """
    if not bow.tokens:
        raise Invalid("corpus", "The corpus has no words to train on.")
    if np.diff(bow.first_token).max() >= ssi.LONGEST:
        raise Invalid(
            "corpus", f"A document must have fewer than {ssi.LONGEST:,} words; cut the longest into sections."
        )
    config = config.chosen(bow.D, bow.tokens)
    held_out = held_out_documents(bow, seed)
    schedule = Schedule(bow, config, held_out)
    state = resume if resume is not None else engine.init(config, schedule.shape, seed, scratch)
    if resume is not None and state.seed != seed:
        raise Invalid("seed", f"The checkpoint was made with seed {state.seed}, not {seed}.")
    judge, completion = Coherence(bow), Completion(bow, held_out)
    began = told = time.perf_counter()
    documents = 0
    due = schedule.after(state.tokens)
    _use(threads)

    def snapshot() -> Snapshot:
        found = engine.topics(config, state)
        share = state.nonzero / (bow.V * config.topics)
        seconds = time.perf_counter() - began
        return Snapshot(
            state.t, schedule.steps, state.tokens, seconds, found, state, completion(found), judge(found), share
        )

    end = schedule.steps if last is None else min(last, schedule.steps)
    stopped = False
    while state.t < end and not stopped:
        batch = schedule.batch(state.t, seed)
        engine.step(config, state, bow, batch, schedule.shape)
        documents += len(batch)
        now = time.perf_counter()
        if now - told >= PROGRESS_EVERY:
            told = now
            yield Progress(state.t, schedule.steps, documents, state.tokens, now - began)
            stopped = until()
            _use(threads)
        if state.tokens >= due or state.t == end or stopped:
            due = schedule.after(state.tokens)
            yield snapshot()


def begin(
    engine: ModuleType, config, bow: Bow, topics: np.ndarray, *, seed: int = 0, scratch: Path | None = None
) -> ssi.State:
    """A state that `train` goes on from, in which each token has a topic already, such as another training gave it.

    topics: uint16[nnz], of the bag's pairs. config: without None, and without a warm-up. Documents that are measured on are left out.
    """
    held_out = held_out_documents(bow, seed)
    return engine.begin(config, Schedule(bow, config, held_out).shape, seed, bow, topics, held_out, scratch)


class Schedule:
    """Which documents a step takes, and after how many tokens a snapshot is due: functions of corpus and settings."""

    def __init__(self, bow: Bow, config, held_out: np.ndarray):
        self.D, self.minibatch = bow.D, min(config.minibatch, bow.D)
        self.per_pass = -(-bow.D // self.minibatch)
        self.steps = self.per_pass * config.passes
        self.held_out = held_out
        self.shape = ssi.Shape(D=bow.D - len(held_out), V=bow.V, tokens=bow.tokens, per_pass=self.per_pass)
        self.gap = max(1, bow.tokens * config.passes // SNAPSHOTS)
        self.first = min(FIRST_SNAPSHOT, self.gap)

    def batch(self, t: int, seed: int) -> np.ndarray:
        """The documents of step t, counted from 0: a slice of this pass's permutation, held-out documents left out."""
        k, i = divmod(t, self.per_pass)
        first = i * self.minibatch
        order = np.uint64(rng.key(np.uint64(seed), np.uint64(rng.PERMUTE), np.uint64(k), np.uint64(0)))
        batch = rng.permutation_slice(first, min(first + self.minibatch, self.D), self.D, order)
        return batch[~np.isin(batch, self.held_out)]

    def after(self, tokens: int) -> int:
        """When the next snapshot is due, in tokens."""
        due = self.first
        while due <= tokens:
            due += max(1, min(self.gap, int(GROWTH * due)))
        return due


def held_out_documents(bow: Bow, seed: int) -> np.ndarray:
    """Documents that are measured on and not trained on: a tenth, about 500 at the most, by a hash of seed and number."""
    if bow.D < 20:
        return np.zeros(0, np.int64)  # too few to spare one
    share = min(ssi.HELD_OUT_SHARE, ssi.HELD_OUT_MOST / bow.D)
    return rng.chosen(bow.D, rng.HOLD_OUT, share, np.uint64(seed))


def fold_in_corpus(engine: ModuleType, config, state, bow: Bow, *, block: int = 1000) -> Iterator[Theta]:
    """theta of every document, in their order, a block at a time.

    Blocks of 1000 documents: enough of them to share the rows of their words.
    """
    for first in range(0, bow.D, block):
        yield engine.fold_in(config, state, bow, first, min(first + block, bow.D))


def _use(threads: Callable[[], int] | int | None) -> None:
    wanted = threads() if callable(threads) else threads
    if wanted is not None:
        numba.set_num_threads(max(1, min(wanted, numba.config.NUMBA_NUM_THREADS)))
