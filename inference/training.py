"""The training loop: calls an engine's steps, and yields its progress and topics."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numba
import numpy as np

from inference.bow import Bow
from inference.engines.contract import (
    MOST_DOCUMENT_TOKENS,
    AnyEngine,
    Bounded,
    Config,
    Remembering,
    ResolvedConfig,
    Seedable,
    Seeds,
    Settling,
    State,
    WarmStart,
)
from inference.errors import Invalid
from inference.evaluate import Coherence, Completion
from inference.objective import Objective
from inference.runtime.memory import usable_memory
from inference.schedule import Schedule, held_out_documents, objective_every, snapshots
from inference.topics import Theta, Topics

PROGRESS_EVERY = 0.25  # seconds
GIB = 1 << 30  # bytes

THREADS = int(getattr(numba.config, "NUMBA_NUM_THREADS"))  # noqa: B009 (numba sets it when it is imported)

Threads = Callable[[], int] | int | None


@dataclass(frozen=True)
class Progress:
    """How far a training is, about four times a second, by the clock.

    step: done, of `steps`. documents: gone through by this call. tokens: gone through since the run
    began, over all passes. seconds: of this call.
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
    this call. topics: as they are now. state: changes with the next event that is pulled: use it,
    or save it, before that. held_out: mean log probability of held-out words, in nats per token
    (evaluate.Completion); an estimate but in the last event of all. objective: what training
    raises, in nats per token that is trained on (Objective); NaN where the engine has none, and
    where it was not measured for its price. coherence: float64[K], UMass coherence
    (evaluate.Coherence), NaN for a topic that lists fewer than two words or is not in use. nonzero:
    share of the K x V parameters that hold tokens (State.count_parameters).
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
    tell have settled: `steps` is then the step it ended with. The last event is always a Snapshot,
    of a `resume` that is at its end already, too.

    engine: of `engines.get`. config: of that engine; what it leaves open is chosen from the corpus.
    bow: the corpus. seed: from 0 to 2^63 - 1; the same corpus, settings and seed give bitwise the
    same topics.

    resume: a State of the same engine, config, corpus and seed; what follows is bitwise what would
    have followed then. until: asked after each Progress; where it is true a last Snapshot follows,
    of what there is. To cancel, stop pulling. last: the step after which to end, as a run that was
    stopped there did; by default that of the last pass.

    threads: how many of numba's threads to use, asked about four times a second; the result does
    not depend on it. scratch: a folder for what is large: a file without a name, which ends with
    the process.

    Raises Invalid, with the first event that is pulled, when the corpus has no words, a document of
    MOST_DOCUMENT_TOKENS tokens or more, or another seed than `resume`; when `resume` is of a file
    from which `checkpoint.finish` took what was remembered, and steps or the objective need it; and
    when the training would need more memory than the machine has.
    """
    training = _Training(engine, config, bow, seed, resume, last, scratch)
    _set_threads(threads)
    training.end_where_settled()
    training.check_remembered()
    if training.is_over:
        yield training.snapshot(is_last=True)
    is_stopped = False
    while not training.is_over and not is_stopped:
        training.step()
        if training.progress_is_due():
            yield training.progress()
            is_stopped = until()
            _set_threads(threads)
        is_last = training.is_over or is_stopped
        if is_last or training.snapshot_is_due():
            yield training.snapshot(is_last)


class _Training:
    """A training's state, when it is measured, and when it ends. Raises Invalid where it can't be
    done. The parameters are those of `train`."""

    def __init__(
        self,
        engine: AnyEngine,
        config: Config,
        bow: Bow,
        seed: int,
        resume: State | None,
        last: int | None,
        scratch: Path | None,
    ):
        held_out = held_out_documents(bow, seed)
        self.engine = engine
        self.config = config.resolve(bow.D, bow.tokens)
        self.bow = bow
        self.seed = seed
        self.completion = Completion(bow, held_out)
        self.schedule = _checked(engine, self.config, bow, held_out, seed, resume)
        self.coherence = Coherence(bow)
        self.objective = Objective(engine, self.config, bow, held_out, seed)
        self.schedule.measure(snapshots(engine, self.config, bow, self.completion.sample_tokens))
        self.objective_every = objective_every(
            engine, self.config, bow, self.schedule.snapshots, self.objective.seconds
        )
        self.steps = self.schedule.steps  # as many as it says that there are
        self.end = self.steps  # the step after which it ends
        if last is not None:
            self.end = min(last, self.end)
        if resume is not None:
            self.state: Any = resume
        else:
            self.state = engine.init(self.config, self.schedule.corpus, seed, scratch)
        self._due, _ = self.schedule.due(self.state.tokens)
        self._tokens_before = self.state.tokens  # gone through before the last step
        self._documents = 0
        self._began = time.perf_counter()
        self._last_progress = self._began

    @property
    def is_over(self) -> bool:
        """Whether its last step was made."""
        return self.state.t >= self.end

    def check_remembered(self) -> None:
        """Raises Invalid where the state lacks what its next step, or its objective, reads of each
        document: kernels check no bounds, and would write beyond an empty array."""
        state = self.state
        engine = self.engine
        if not isinstance(engine, Remembering) or not state.tokens:
            return
        if self.is_over and not isinstance(engine, Bounded):
            return
        mapped = [getattr(state, f.name) for f in fields(state) if f.metadata.get("mapped")]
        is_empty = not any(array.size for array in mapped)
        if is_empty and engine.remembered_bytes(self.config, self.schedule.corpus):
            raise Invalid(
                "checkpoint",
                "What this training remembered of each document was taken out of its checkpoint"
                " when it was done (checkpoint.finish), so it can't be continued. Begin a training"
                " with its topics instead.",
            )

    def step(self) -> None:
        """Make the next step; the training may end with it (Settling)."""
        self._tokens_before = self.state.tokens
        batch = self.schedule.batch(self.state.t, self.seed)
        self.engine.step(self.config, self.state, self.bow, batch, self.schedule.corpus)
        self._documents += len(batch)
        self.end_where_settled()

    def end_where_settled(self) -> None:
        """Let the training end with this step, where the engine finds that topics have settled."""
        step = self.state.t
        if 0 < step < self.end and self._has_settled():
            self.steps = step
            self.end = step

    def _has_settled(self) -> bool:
        """At the end of a pass: what the engine says, where it can tell (Settling)."""
        passes, place, _ = self.schedule.paces.slice(self.state.t)
        if place or not isinstance(self.engine, Settling):
            return False

        def quality() -> float:
            return self.completion.quick(self.engine.topics(self.config, self.state).in_use())

        return self.engine.settled(self.config, self.state, passes, quality)

    def progress_is_due(self) -> bool:
        """By the clock."""
        return time.perf_counter() - self._last_progress >= PROGRESS_EVERY

    def progress(self) -> Progress:
        """How far it is now."""
        self._last_progress = time.perf_counter()
        return Progress(
            step=self.state.t,
            steps=self.steps,
            documents=self._documents,
            tokens=self.state.tokens,
            seconds=self._last_progress - self._began,
        )

    def snapshot_is_due(self) -> bool:
        """Whether a snapshot is due after this step. The topics of a batch engine change with the
        last step of a pass alone."""
        topics_changed = not self.engine.ABOUT.batch or self.state.t % self.schedule.per_pass == 0
        return topics_changed and self.state.tokens >= self._due

    def snapshot(self, is_last: bool) -> Snapshot:
        """Its topics, measured: in the last snapshot on all held-out documents."""
        state = self.state
        self._due, _ = self.schedule.due(state.tokens)
        topics = self.engine.topics(self.config, state)
        seconds = time.perf_counter() - self._began
        in_use = topics.in_use()
        coherence = self.coherence(topics)
        if topics.used is not None:
            coherence = np.where(topics.used, coherence, np.nan)
        objective = float("nan")
        if is_last or self._objective_is_due():
            objective = self.objective(state)
        return Snapshot(
            step=state.t,
            steps=self.steps,
            tokens=state.tokens,
            seconds=seconds,
            topics=topics,
            state=state,
            held_out=self.completion(in_use) if is_last else self.completion.estimate(in_use),
            objective=objective,
            coherence=coherence,
            nonzero=state.count_parameters() / (self.bow.V * topics.K),
        )

    def _objective_is_due(self) -> bool:
        """With every so many snapshots: whether one of them was due within the last step's
        tokens."""
        if self.objective_every == 1:
            return True
        _, due_before = self.schedule.due(self._tokens_before)
        _, due_now = self.schedule.due(self.state.tokens)
        return due_now // self.objective_every > due_before // self.objective_every


def _checked(
    engine: AnyEngine,
    config: ResolvedConfig,
    bow: Bow,
    held_out: np.ndarray,
    seed: int,
    resume: State | None,
) -> Schedule:
    """The schedule of a training that can be done. Raises Invalid where it can't."""
    if resume is not None and resume.seed != seed:
        raise Invalid("seed", f"The checkpoint was made with seed {resume.seed}, not {seed}.")
    if not bow.tokens:
        raise Invalid("corpus", "The corpus has no words to train on.")
    if bow.lengths.max() >= MOST_DOCUMENT_TOKENS:
        raise Invalid(
            "corpus",
            f"A document must have fewer than {MOST_DOCUMENT_TOKENS:,} words; cut the longest"
            " into sections.",
        )
    schedule = Schedule(bow, config, held_out)
    corpus = schedule.corpus
    if resume is not None:
        corpus = resume.continued_corpus(corpus, bow)
    needed = engine.memory_bytes(config, corpus)
    available = usable_memory()
    if available is not None and needed > available:
        raise Invalid(
            "topics",
            f"{config.topics:,} topics would need about {needed / GIB:.1f} GiB of memory here,"
            f" and this machine has {available / GIB:.1f} GiB. Choose fewer topics or leave out more"
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
    holds out are left out. scratch: as for `train`. Raises Invalid where the engine can't, or can't
    with these settings.
    """
    if not isinstance(engine, WarmStart):
        raise Invalid(
            "engine", f"The engine {engine.NAME} can't begin with the topics of another training."
        )
    held_out = held_out_documents(bow, seed)
    return engine.begin(
        config, Schedule(bow, config, held_out).corpus, seed, bow, topics, held_out, scratch
    )


def plant(
    engine: AnyEngine,
    config: ResolvedConfig,
    bow: Bow,
    seeds: Seeds,
    *,
    state: State | None = None,
    seed: int = 0,
    scratch: Path | None = None,
) -> Any:
    """A State for `train` to continue from, whose topics 0 … n - 1 are held to seed words.

    state: of `begin`, changed in place; None: one as a training begins with. seed, scratch: as for
    `train`. Raises Invalid where the engine can't, or can't with these settings, and where a topic
    or a word is not there.
    """
    check_seeds(engine, config)
    _check_range("word", seeds.words, bow.V)
    _check_range("topic", np.append(seeds.topics, seeds.empty), config.topics)
    if len(seeds.empty) == config.topics:
        raise Invalid("seeds", "No topic has seeds that occur in the texts, and no topic is free.")
    if state is None:
        schedule = Schedule(bow, config, held_out_documents(bow, seed))
        state = engine.init(config, schedule.corpus, seed, scratch)
    assert isinstance(engine, Seedable)
    engine.plant(config, state, bow, seeds)
    return state


def _check_range(name: str, numbers: np.ndarray, end: int) -> None:
    if len(numbers) and not 0 <= numbers.min() <= numbers.max() < end:
        raise Invalid("seeds", f"Seeds must have {name}s from 0 to {end - 1:,}.")


def check_seeds(engine: AnyEngine, config: Config) -> None:
    """Raises Invalid where the engine can't hold topics to seed words, or not with these
    settings."""
    if not isinstance(engine, Seedable):
        raise Invalid(
            "seeds",
            f"The engine {engine.NAME} can't train topics that are named beforehand by seed words."
            " Choose the default engine, or name no topics.",
        )
    engine.check_seeds(config)


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


def _set_threads(threads: Threads) -> None:
    """How many of numba's threads are used from now on; None: as many as before."""
    number = threads() if callable(threads) else threads
    if number is not None:
        numba.set_num_threads(max(1, min(number, THREADS)))
