"""A training that is taken a step or a pass at a time, to be timed."""

import time
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np

from inference import Bow, Topics
from inference.engines.contract import AnyEngine, ResolvedConfig, State
from inference.schedule import Schedule


class Trainer:
    """held_out: int64[n], documents that are not trained on; None: none. state: that the training
    continues from; None: one that it begins with. begin_seconds: that it took to make that one."""

    def __init__(
        self,
        bow: Bow,
        engine: AnyEngine,
        config: ResolvedConfig,
        seed: int,
        held_out: np.ndarray | None = None,
        threads: int = 1,
        state: State | None = None,
    ):
        self.bow = bow
        self.engine = engine
        self.config = config
        self.seed = seed
        self.threads = threads
        self.schedule = Schedule(
            bow, config, np.zeros(0, np.int64) if held_out is None else held_out
        )
        began = time.perf_counter()
        if state is None:
            state = engine.init(config, self.schedule.corpus, seed)
        self.begin_seconds = time.perf_counter() - began
        self.state: Any = state

    def take(self, documents: np.ndarray) -> None:
        """One step with these documents."""
        self.engine.step(self.config, self.state, self.bow, documents, self.schedule.corpus)

    def take_next(self) -> np.ndarray:
        """The schedule's next step: its documents."""
        documents = self.schedule.batch(self.state.t, self.seed)
        self.take(documents)
        return documents

    def steps(self) -> Iterator[np.ndarray]:
        """All steps that are left of the training: the documents of each, once it was taken."""
        while self.state.t < self.schedule.steps:
            yield self.take_next()

    def one_pass(self) -> tuple[float, float]:
        """Seconds, of the clock and of the processor."""
        numba.set_num_threads(self.threads)
        passes = self.schedule.paces.slice(self.state.t)[0]
        began = time.perf_counter()
        cpu = time.process_time()
        while self.state.t < self.schedule.paces.steps(passes + 1):
            self.take_next()
        return time.perf_counter() - began, time.process_time() - cpu

    def topics(self) -> Topics:
        return self.engine.topics(self.config, self.state)
