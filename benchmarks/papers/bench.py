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
from inference import Bow, Topics, engines
from inference.engines.contract import AnyEngine, ResolvedConfig
from inference.evaluate import Coherence, Completion
from inference.runtime import compiling
from inference.schedule import Schedule, held_out_documents

VERDICTS = ("holds", "holds in part", "does not hold")
SEEDS = (1, 2, 3)
QUICK_SEEDS = (1,)
Curves = dict[str, list[tuple[float, float]]]


def verdict(whole: bool, part: bool) -> str:
    """Of a claim: whether it holds as a whole, else in part."""
    return VERDICTS[0 if whole else 1 if part else 2]


def of_parts(*parts: bool) -> str:
    """Of a claim in several parts: it holds where all do, and in part where one does."""
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
                order = np.random.default_rng(0).permutation(np.flatnonzero(np.diff(bow.indptr)))
                bow = corpora.taken(bow, np.sort(order[:1500]))
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
            kept = np.union1d(documents, held_out)
            used = corpora.taken(bow, kept)
            held_out = np.searchsorted(kept, held_out)
        schedule = Schedule(used, config, held_out)
        trained_on = np.setdiff1d(np.arange(used.D), held_out)
        # Steps after which to look, each about twice the one before, and the last
        due = iter(sorted({max(1, round(schedule.steps / 2**i)) for i in range(looks)}))
        began = time.perf_counter()
        state = module.init(config, schedule.shape, seed)
        out = Trained(module, config, state, used, trained_on, time.perf_counter() - began, [])
        next_look = next(due)
        seen = 0
        while state.t < schedule.steps:
            began = time.perf_counter()
            batch = schedule.batch(state.t, seed)
            module.step(config, state, used, batch, schedule.shape)
            out.seconds += time.perf_counter() - began
            seen += len(batch)
            whole = not module.ABOUT.batch or state.t % schedule.per_pass == 0
            if (state.t >= next_look and whole) or state.t == schedule.steps:
                out.points.append(
                    Point(
                        out.seconds,
                        seen / max(1, len(trained_on)),
                        seen,
                        judge(out.topics.in_use()),
                    )
                )
                next_look = next((step for step in due if step > state.t), schedule.steps)
        return out

    def _compile(self, name: str, module: AnyEngine, config: ResolvedConfig, bow: Bow) -> None:
        """Every kernel of these settings runs once on a few documents, outside of all times."""
        key = (name, tuple(sorted((k, v) for k, v in vars(config).items() if isinstance(v, str))))
        if key in self._ready:
            return
        compiling.engine(name)
        trainer = Trainer(corpora.taken(bow, np.arange(min(100, bow.D))), module, config, 0)
        for _ in range(min(config.passes, 2)):
            trainer.one_pass()
        trainer.topics()
        self._ready.add(key)


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
