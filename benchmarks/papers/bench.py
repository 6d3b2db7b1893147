"""What an experiment of a paper is, and what it may use: corpora, training by seconds, the judge.

A module `pNNN.py` has `PAPER = Paper(…)`; its experiments are functions that take a `Bench` and
return an `Outcome`, whose verdict follows from what was measured by a rule in the experiment's own
code.
"""

import time
import timeit
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.engines import corpora
from benchmarks.trainer import Trainer
from inference import Bow, Topics, compiling, engines
from inference.engines.contract import AnyEngine, ResolvedConfig
from inference.evaluate import Coherence, Completion
from inference.schedule import held_out_documents

HOLDS = "holds"
HOLDS_IN_PART = "holds in part"
FAILS = "does not hold"
VERDICTS = (HOLDS, HOLDS_IN_PART, FAILS)
SEEDS = (1, 2, 3)
QUICK_SEEDS = (1,)
QUICK_DOCUMENTS = 1500  # of a corpus, in the quick form
COMPILED_DOCUMENTS = 100  # on which a training runs once, so that it is compiled
COMPILED_PASSES = 2  # the second pass may call what the first does not
Curves = dict[str, list[tuple[float, float]]]


def verdict(whole: bool, part: bool) -> str:
    """What is said of a claim: that it holds as a whole, else in part, or fails."""
    if whole:
        return HOLDS
    return HOLDS_IN_PART if part else FAILS


def of_parts(*parts: bool) -> str:
    """What is said of a claim in several parts: it holds where all do, and in part where one
    does."""
    return verdict(all(parts), any(parts))


@dataclass(frozen=True)
class Outcome:
    """What came out of an experiment.

    verdict: one of VERDICTS. why: a sentence with the numbers it rests on. rows: a table, the same
    keys in each row. curves: points (x, y) by the name of a line; axes: the names of x and y.
    instead: where the paper's corpus can't be had, which one stands in.
    """

    verdict: str
    why: str
    rows: list[dict[str, Any]]
    curves: Curves = field(default_factory=dict)
    axes: tuple[str, str] = ("", "")
    instead: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"A verdict is one of {', '.join(VERDICTS)}, not {self.verdict!r}.")


@dataclass(frozen=True)
class Experiment:
    """name: the paper's figure or table, such as "Figure 3". claim: what the paper says of it, in a
    sentence."""

    name: str
    claim: str
    run: Callable[["Bench"], Outcome]


@dataclass(frozen=True)
class Paper:
    """id: its number, "000" to "004". citation: authors, year, title, where."""

    id: str
    citation: str
    experiments: tuple[Experiment, ...]


@dataclass(frozen=True)
class Point:
    """seconds: of steps alone. passes: over the documents that are trained on. documents: gone
    through."""

    seconds: float
    passes: float
    documents: int
    held_out: float  # nats per token


@dataclass
class Trained:
    """A training that has ended. seconds: of steps alone, without judging."""

    engine: AnyEngine
    config: ResolvedConfig
    state: Any
    bow: Bow
    documents: np.ndarray  # int64[n]: that were trained on
    seconds: float
    points: list[Point]

    @property
    def topics(self) -> Topics:
        return self.engine.topics(self.config, self.state)

    @property
    def held_out(self) -> float:
        """Completion of the last point, nats per token."""
        return self.points[-1].held_out


@dataclass
class Bench:
    """quick: small corpora and one seed, so that every paper takes two minutes at the most.
    stand_in: the corpus of paper 000."""

    quick: bool
    stand_in: str = "reuters"
    _corpora: dict[str, Bow] = field(default_factory=dict)
    _ready: set[tuple] = field(default_factory=set)

    @property
    def seeds(self) -> tuple[int, ...]:
        return QUICK_SEEDS if self.quick else SEEDS

    def corpus(self, name: str) -> Bow:
        """ "sotu", "reuters", "arxiv" or "arxiv-long"; with `quick` some of its documents. Raises
        Invalid where it is missing."""
        if name not in self._corpora:
            _, bow, _ = corpora.load(name)
            if self.quick:
                bow = at_random(bow, QUICK_DOCUMENTS)
            self._corpora[name] = bow
        return self._corpora[name]

    def train(
        self,
        engine: str,
        bow: Bow,
        seed: int = 1,
        *,
        split: str = "half",
        judge_alpha: float | None = None,
        looks: int = 8,
        documents: np.ndarray | None = None,
        **settings: Any,
    ) -> Trained:
        """Train to the end of the last pass on one thread, judged `looks` times (at growing
        distances, and at the end).

        split, judge_alpha: of the judge (inference.evaluate.Completion). documents: train on these
        alone, int64[n] (held-out ones are left out). settings: of the engine, `topics` among them.
        """
        module = engines.get(engine)
        config = engines.config(engine, **settings).resolve(bow.D, bow.tokens)
        self._compile(engine, module, config, bow)
        held_out = held_out_documents(bow, seed)
        judge = Completion(bow, held_out, split=split, alpha=judge_alpha)
        used = bow
        if documents is not None:
            used_documents = np.union1d(documents, held_out)
            used = corpora.taken(bow, used_documents)
            held_out = np.searchsorted(used_documents, held_out)
        trainer = Trainer(used, module, config, seed, held_out)
        trained = Trained(
            engine=module,
            config=config,
            state=trainer.state,
            bow=used,
            documents=np.setdiff1d(np.arange(used.D), held_out),
            seconds=trainer.begin_seconds,
            points=[],
        )
        # Steps after which to judge, each about twice the one before, and the last
        due = {max(1, round(trainer.schedule.steps / 2**i)) for i in range(looks)}
        self._run(trained, trainer, sorted(due), judge)
        return trained

    def _run(
        self,
        trained: Trained,
        trainer: Trainer,
        due: list[int],
        judge: Completion,
    ) -> None:
        """All steps of a training. due: steps after which it is judged, ascending; where batches
        are passed over in parts, at the end of the pass that follows."""
        state = trained.state
        schedule = trainer.schedule
        documents_seen = 0
        while state.t < schedule.steps:
            began = time.perf_counter()
            documents = trainer.take_next()
            trained.seconds += time.perf_counter() - began
            documents_seen += len(documents)
            can_be_judged = not trained.engine.ABOUT.batch or state.t % schedule.per_pass == 0
            is_due = bool(due) and state.t >= due[0]
            if (is_due and can_be_judged) or state.t == schedule.steps:
                trained.points.append(
                    Point(
                        seconds=trained.seconds,
                        passes=documents_seen / max(1, len(trained.documents)),
                        documents=documents_seen,
                        held_out=judge(trained.topics.in_use()),
                    )
                )
                due = [step for step in due if step > state.t]

    def _compile(self, name: str, module: AnyEngine, config: ResolvedConfig, bow: Bow) -> None:
        """Every kernel of these settings runs once on a few documents, outside of all times."""
        choices = {(key, value) for key, value in vars(config).items() if isinstance(value, str)}
        key = (name, *sorted(choices))
        if key in self._ready:
            return
        compiling.engine(name)
        few_documents = corpora.taken(bow, np.arange(min(COMPILED_DOCUMENTS, bow.D)))
        trainer = Trainer(few_documents, module, config, 0)
        for _ in range(min(config.passes, COMPILED_PASSES)):
            trainer.one_pass()
        trainer.topics()
        self._ready.add(key)


def at_random(bow: Bow, most: int) -> Bow:
    """At most so many documents of a corpus, those without words left out, always the same."""
    with_words = np.flatnonzero(np.diff(bow.indptr))
    order = np.random.default_rng(0).permutation(with_words)
    return corpora.taken(bow, np.sort(order[:most]))


def mean_and_spread(values: list[float]) -> tuple[float, float]:
    """Their mean, and their standard deviation."""
    return float(np.mean(values)), float(np.std(values))


def mean_held_out(trainings: list[Trained]) -> float:
    """Completion of the last points, nats per token."""
    return float(np.mean([training.held_out for training in trainings]))


def mean_seconds(trainings: list[Trained]) -> float:
    return float(np.mean([training.seconds for training in trainings]))


def by_seconds(training: Trained) -> list[tuple[float, float]]:
    """A curve: completion by seconds of steps."""
    return [(point.seconds, point.held_out) for point in training.points]


def fastest(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the fastest of three runs."""
    return min(timeit.repeat(work, timer=clock, repeat=3, number=1))


def npmi(trained: Trained) -> float:
    """Mean NPMI of the topics' ten first words, over all documents of the training."""
    return float(np.nanmean(Coherence(trained.bow).npmi(trained.topics)))


def umass(trained: Trained) -> np.ndarray:
    """float64[K]: UMass coherence of each topic that lists two words at least."""
    values = Coherence(trained.bow)(trained.topics)
    return values[~np.isnan(values)]
