"""What one process does in a shared training. How it communicates with the others is in
`member`."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from inference import checkpoint, engines
from inference.bow import Bow
from inference.cluster import parts
from inference.engines.contract import AnyEngine, Divisible
from inference.engines.sharing import Exchange, Site
from inference.errors import Invalid
from inference.evidence import Assigned, assigned, rows_by_word
from inference.kernels import rows
from inference.runtime.arrays import offsets_of_parts
from inference.schedule import Schedule, held_out_documents


@dataclass(frozen=True)
class Job:
    """A training. engine, settings: by name, nothing left open. bow: the folder of its corpus;
    digest: of that. checkpoint: the file to continue from after a kill, if it is there. Paths may
    be relative to the folder that leader and workers share."""

    engine: str
    settings: dict[str, Any]
    seed: int
    bow: str
    digest: str
    checkpoint: str


class Share:
    """A process's part of a training: all topics, and the memory of the documents bounds[rank] ...
    bounds[rank + 1] - 1.

    home: the folder that paths may be relative to. bounds: int64[ranks + 1]. t: the step of the
    checkpoint to continue from; None: from the beginning. scratch: a folder of this machine for
    what is large, None for memory.
    """

    def __init__(
        self,
        job: Job,
        home: Path,
        bounds: np.ndarray,
        rank: int,
        t: int | None,
        scratch: Path | None,
    ):
        self.engine = engines.get(job.engine)
        self.checkpoint = home / job.checkpoint
        self.parts = parts.folder_of(self.checkpoint)
        bow = Bow.open(home / job.bow)
        if bow.digest != job.digest:
            raise Invalid(
                "corpus", f"The corpus in {home / job.bow} is another one than the leader's."
            )
        self.config: Any = engines.config(job.engine, **job.settings).resolve(bow.D, bow.tokens)
        self.schedule = Schedule(bow, self.config, held_out_documents(bow, job.seed))
        self.site = Site.of_rank(bow, bounds, rank)
        self.first = int(bounds[rank])
        self.end = int(bounds[rank + 1])
        self.state = self._state(job.seed, t, scratch)
        self._laid: tuple[int, Any] = (-1, None)  # a step, and what can be done for it before
        self._assigner = Assigner(self.engine, self.config, self.site.bow)
        self.written: list[
            parts.PartFile
        ] = []  # that hold the memory after step self.saved, when there are any
        self.saved = t or 0
        self.visited = 0

    def _state(self, seed: int, t: int | None, scratch: Path | None) -> Any:
        state = self.engine.init(
            self.config, self.schedule.corpus.of_process(self.site.own.tokens), seed, scratch
        )
        if t is not None:
            memory = state.memory
            state = checkpoint.load(
                self.checkpoint, engine=self.engine, config=self.config, bow=self.site.bow
            )
            if state.t != t:
                raise Invalid(
                    "checkpoint",
                    f"{self.checkpoint} is of step {state.t}, and the leader's of step {t}.",
                )
            if len(memory):
                parts.read(self.parts, t, self.site.bow, self.first, self.end, memory)
            state.memory = memory
        state.tokens = 0  # from here on: of its own documents
        return state

    def lay_out(self, t: int) -> Any:
        """What can be done for step t before the one before it has ended; kept until it is
        taken."""
        assert isinstance(self.engine, Divisible)
        if self._laid[0] != t and t < self.schedule.steps:
            self._laid = t, self.engine.lay_out(self.site, self.schedule.batch(t, self.state.seed))
        return self._laid[1]

    def step(self) -> Exchange:
        """This process's part of the next step (Divisible.divided)."""
        assert isinstance(self.engine, Divisible)
        yield from self.engine.divided(
            self.config, self.state, self.site, self.lay_out(self.state.t), self.schedule.corpus
        )

    def evidence(self, first: int, end: int) -> Assigned:
        """The topics of the tokens of the documents first ... end - 1 of the corpus, whichever
        process has them."""
        return self._assigner(self.state, first, end)

    def save(self) -> list[parts.PartFile]:
        """Write what this process's memory has become; returns the files that hold it. What its
        documents gave before is not written again, unless that takes too much room."""
        bow = self.site.bow
        t = self.state.t
        if not len(self.state.memory) or (self.written and t == self.saved):
            return self.written
        seen = self._visited()
        self.visited += int((bow.first_token[seen + 1] - bow.first_token[seen]).sum())
        # With more than half of a range's tokens in files of visited documents, all is written
        # again
        if not self.written or self.visited > 0.5 * len(self.state.memory):
            self.written = [
                parts.write_whole(self.parts, t, self.first, self.end, self.state.memory)
            ]
            self.visited = 0
        elif len(seen):
            own_rows = seen - self.first
            first_token = self.site.own.first_token
            token_ptr = offsets_of_parts(first_token[own_rows + 1] - first_token[own_rows])
            samples = rows.recall(
                own_rows, first_token, self.state.memory, np.arange(len(own_rows) + 1), token_ptr
            )
            self.written = [
                *self.written,
                parts.write_visited_samples(self.parts, t, self.first, self.end, seen, samples),
            ]
        self.saved = t
        return self.written

    def _visited(self) -> np.ndarray:
        """int64[n], ascending: its own documents in the steps since the last save."""
        batches = [self.schedule.batch(t, self.state.seed) for t in range(self.saved, self.state.t)]
        seen = np.unique(np.concatenate([np.zeros(0, np.int64), *batches]))
        return seen[(self.first <= seen) & (seen < self.end)]

    def topics_state(self) -> dict[str, Any]:
        """The fields of the state that are the same in all processes, without room that rows do not
        need; the memory is left out."""
        left_out = {f.name for f in fields(self.state) if f.metadata} | {"tokens"}
        self.state.refresh()
        state = (
            engines.arena.compacted(self.state)
            if isinstance(self.state, engines.arena.Rows)
            else self.state
        )
        return {f.name: getattr(state, f.name) for f in fields(state) if f.name not in left_out}


class Assigner:
    """Gives documents' tokens their topics, under a state that ends a training."""

    def __init__(self, engine: AnyEngine, config: Any, bow: Bow):
        self.engine = engine
        self.config = config
        self.bow = bow
        self._beta: tuple[int, Any] = (-1, None)  # a step, and its topics

    def __call__(self, state: Any, first: int, end: int) -> Assigned:
        if self._beta[0] != state.t:
            self._beta = (
                state.t,
                rows_by_word(
                    self.bow, self.engine.topics(self.config, state), self.engine.ABOUT.by_document
                ),
            )
        return assigned(
            self.bow,
            self.config.topics,
            self._beta[1],
            self.engine.fold_in(self.config, state, self.bow, first, end),
        )


def divide(bow: Bow, processes: int) -> np.ndarray:
    """int64[processes + 1]: bounds of ranges of documents with about as many tokens each."""
    return np.concatenate(
        [
            [0],
            np.searchsorted(bow.first_token, bow.tokens * np.arange(1, processes) / processes),
            [bow.D],
        ]
    ).astype(np.int64)
