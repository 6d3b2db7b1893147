"""Leading a training that workers share: `inference.train` is given a `Team` instead of its engine.

A step counts when all workers took it. When a worker or the scheduler is lost, the training goes
back to the last checkpoint with the workers that remain, and repeats the steps since then, which
gives the same bits.
"""

import contextlib
import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from inference import checkpoint
from inference.bow import Bow
from inference.cluster import parts
from inference.cluster.calls import LOST, Calls
from inference.cluster.member import Unable
from inference.cluster.share import Job, divide
from inference.engines.contract import AnyEngine, Divisible, Settling, TrainingCorpus
from inference.errors import Invalid
from inference.runtime.versions import versions
from inference.topics import Topics

LOOK_SECONDS = 1.0  # seconds between two looks for workers
PATIENCE = 600.0  # seconds that a training waits for workers
# Seconds between two checkpoints at the least, and the share of the time they may take
SAVE_EVERY = 10.0
SAVE_SHARE = 0.02
SETTLING = 3.0  # seconds in which a worker that was lost may come back, before the others continue
# seconds for which a worker is left out that can't do its share; each further time twice as long
LEFT_OUT = 300.0
log = logging.getLogger(__name__)


class Lost(RuntimeError):
    """No workers came for as long as a training waits for them: it ends here."""


class Team:
    """The workers of a cluster, with all that `inference.train` asks of an engine: `step` has all
    of them take it.

    engine: Divisible. address: of dask's scheduler. checkpoint: the file to continue from, in a
    folder that all workers see, with the parts of its remembered topics. home: paths within it are
    sent relative to it. tick: called about once a second while workers are at work or waited for;
    what it raises ends the training. least: workers that a training waits for before it begins, not
    when some are lost; most: that it takes. patience: seconds to wait for them.
    """

    def __init__(
        self,
        engine: AnyEngine,
        address: str,
        checkpoint: Path,
        home: Path,
        *,
        tick: Callable[[], None] = lambda: None,
        least: int = 1,
        most: int | None = None,
        patience: float = PATIENCE,
    ):
        if not isinstance(engine, Divisible):
            raise Invalid(
                "engine",
                f"A training of the engine {engine.NAME} can't be shared by several workers.",
            )
        self.engine = engine
        self.checkpoint = Path(checkpoint)
        self.home = Path(home)
        self.NAME = engine.NAME
        self.ABOUT = engine.ABOUT
        self.memory_bytes = engine.memory_bytes
        self.seconds = engine.seconds
        self.patience = patience
        self._least = least
        self._most = most
        self.calls = Calls(address, tick)
        self.members: list[str] = []  # addresses, in the order of their ranks
        self.deal = ""  # the present sharing
        self.at = 0  # the workers' step
        self.saved: int | None = None  # the checkpoint's step
        self._fetched = 0  # the step after which the leader's state has the workers' topics
        self.restarts = 0
        # Workers that could not do their share, by address: how often, and until when each is left
        # out
        self.unable: dict[str, tuple[int, float]] = {}
        # Whether other workers than the members were there after the last checkpoint
        self._others = False
        self._saved_at = time.monotonic()  # when a checkpoint was written
        self.saving_seconds = 0.0  # seconds that this took

    def __enter__(self) -> "Team":
        return self

    def __exit__(self, *_: Any) -> None:
        self.end()

    def lead(self, config: Any, seed: int, bow: Bow, folder: Path, state: Any = None) -> None:
        """Say what is to be trained. folder: of the bag of words. state: that the training
        continues from. One without remembered topics has them in the checkpoint's parts; one with
        them is written there first."""
        self.config = config
        self.bow = bow
        self.seed = seed
        self.job = asdict(
            Job(
                engine=self.engine.NAME,
                settings=asdict(config),
                seed=seed,
                bow=self._path(folder),
                digest=bow.digest,
                checkpoint=self._path(self.checkpoint),
            )
        )
        self.saved, self._fetched = (None, 0) if state is None else (state.t, state.t)
        if state is not None and len(state.memory):
            self.commit_parts(
                [
                    parts.write_whole(
                        parts.folder_of(self.checkpoint), state.t, 0, bow.D, state.memory
                    )
                ],
                state,
            )

    def _path(self, path: Path) -> str:
        path = Path(path).absolute()
        home = self.home.absolute()
        return str(path.relative_to(home) if path.is_relative_to(home) else path)

    # Used instead of the engine's own.

    def init(
        self, config: Any, corpus: TrainingCorpus, seed: int, scratch: Path | None = None
    ) -> Any:
        """A state without memory of documents: the workers have theirs."""
        return self.engine.init(config, corpus.of_process(0), seed)

    def step(
        self, config: Any, state: Any, bow: Bow, documents: np.ndarray, corpus: TrainingCorpus
    ) -> None:
        """Wait until the workers have made the next step, and write a checkpoint where one is
        due."""
        self._make_way(state)
        state.tokens += self.catch_up(state.t + 1)
        state.t += 1
        if time.monotonic() - self._saved_at > max(SAVE_EVERY, self.saving_seconds / SAVE_SHARE):
            self.fetch(state)
            self.save(self.checkpoint, state)

    def topics(self, config: Any, state: Any) -> Topics:
        """The topics that the workers have."""
        self.fetch(state)
        return self.engine.topics(config, state)

    def settled(self, config: Any, state: Any, passes: int, judge: Callable[[], float]) -> bool:
        """What the engine says, where it can tell."""
        return isinstance(self.engine, Settling) and self.engine.settled(
            config, state, passes, judge
        )

    def fetch(self, state: Any) -> None:
        """Give the state the topics that the workers have; all have the same."""
        while self.at == state.t and self._fetched != state.t:
            self.catch_up(state.t)
            try:
                (now,) = self.calls.all(self.members[:1], "topics", deal=self.deal)
            except LOST as error:
                self.lose(error)
                continue
            state.take(now)
            self._fetched = state.t

    def save(self, path: Path, state: Any) -> None:
        """Write the checkpoint: each worker its documents' memory, then the rest here. Workers that
        have come since the one before take part from the next step on. `step` saves, too, as often
        as SAVE_SHARE allows."""
        while True:
            self.catch_up(state.t)
            began = time.monotonic()
            try:
                written = [
                    parts.PartFile(*part_fields)
                    for answer_of_worker in self.ask_all("save")
                    for part_fields in answer_of_worker
                ]
                break
            except LOST as error:
                self.lose(error)
        self.commit_parts(written, state)
        self.saved = state.t
        self._saved_at = time.monotonic()
        self.saving_seconds = self._saved_at - began
        self._others = set(self.present_workers()) != set(self.members)

    def commit_parts(self, written: list[parts.PartFile], state: Any) -> None:
        """Make the checkpoint whole, of the workers' part files and of the leader's own state
        without the memory of documents, and drop the parts of other steps."""
        folder = parts.folder_of(self.checkpoint)
        folder.mkdir(parents=True, exist_ok=True)
        parts.commit(folder, state.t, written)
        without_memory = replace(state, memory=state.memory[:0])
        checkpoint.save(
            self.checkpoint, without_memory, engine=self.engine, config=self.config, bow=self.bow
        )
        parts.drop_others(folder, state.t)

    # Workers.

    def about(self) -> dict[str, dict]:
        """`member.about` of each worker of the training, by its address; empty where a worker is
        lost."""
        try:
            return dict(zip(self.members, self.calls.all(self.members, "about"), strict=True))
        except LOST:
            return {}

    def seats(self) -> list[dict]:
        """For each worker of the training its name, and inference.cluster.member.Seat.about."""
        return [
            {"worker": about["name"]} | about["seats"][self.deal]
            for about in self.about().values()
            if self.deal in about["seats"]
        ]

    def ready(self, state: Any) -> bool:
        """Whether workers have the state's topics. If none take part and the state is the
        checkpoint's, the training is shared out first."""
        self._make_way(state)
        if not self.deal and self.saved == state.t and self.present_workers():
            try:
                self.begin()
            except Lost:
                log.info("all workers went while they took their seats")
        return bool(self.deal) and self.at == state.t

    def begin(self) -> None:
        """Share the training out to the workers that are there, from the checkpoint on. Raises Lost
        where none come."""
        while not self.deal:
            members = self.gather()
            deal = uuid.uuid4().hex
            bounds = divide(self.bow, len(members))
            begin_arguments = {
                "deal": deal,
                "job": self.job,
                "bounds": bounds.tolist(),
                "peers": members,
                "t": self.saved,
            }
            try:
                self.calls.each(
                    members,
                    "begin",
                    [begin_arguments | {"rank": rank} for rank in range(len(members))],
                )
            except LOST as error:
                self.lose(error)
                continue
            self.members = members
            self.deal = deal
            self.at = self.saved or 0
            self._others = False
            log.info("%d workers share the training from step %d on", len(members), self.at)

    def gather(self) -> list[str]:
        """Addresses of the workers that can take part, when there are enough. Raises Lost where
        for `patience` seconds there are not."""
        began = looked = time.monotonic()
        while len(members := self.present_workers()) < self._least:
            if looked - began > self.patience:
                raise Lost(
                    f"For {self.patience:.0f} seconds {self.calls.address} had fewer than"
                    f" {self._least} workers, besides {len(self.unable)} that can't do their share."
                )
            self.calls.sleep(LOOK_SECONDS)
            # A look may take long, where a worker hangs: the last one is of after that
            looked = time.monotonic()
        self._least = 1
        return members

    def present_workers(self) -> list[str]:
        """Addresses of the workers that can take part now, `most` at most; none where the scheduler
        is away."""
        try:
            now = time.monotonic()
            seen = [
                worker
                for worker in self.calls.workers()
                if self.unable.get(worker, (0, now))[1] <= now
            ]
            abouts = self.calls.all(seen, "about")
        except LOST as error:
            log.info("no workers: %s", type(error).__name__)
            self.calls.close()
            return []
        # One of dask's own workers answers None
        theirs = {
            member: (about or {}).get("versions")
            for member, about in zip(seen, abouts, strict=True)
        }
        for member, their_versions in theirs.items():
            if their_versions != versions():
                log.warning(
                    "the worker %s has other versions, and is left out: %s", member, their_versions
                )
        return [
            member for member, their_versions in theirs.items() if their_versions == versions()
        ][: self._most]

    def end(self) -> None:
        """End the training on the workers, and close the connection."""
        try:
            self._end()
        finally:
            self.calls.close()

    def lose(self, error: BaseException) -> None:
        """Give up the present sharing after a worker or the scheduler was lost, and wait SETTLING
        seconds. A worker that can't do its share is left out for a while. error: one of LOST."""
        if isinstance(error, Unable):
            worker, why = error.args
            times = self.unable.get(worker, (0, 0.0))[0] + 1
            seconds = LEFT_OUT * 2 ** (times - 1)
            self.unable[worker] = times, time.monotonic() + seconds
            log.warning(
                "the worker %s can't do its share, and is left out for %.0f seconds: %s",
                worker,
                seconds,
                why,
            )
        log.warning(
            "a worker or the scheduler was lost (%s); back to step %d",
            type(error).__name__,
            self.saved or 0,
        )
        self.deal = ""
        self.members = []
        self.restarts += 1
        self.calls.close()
        self.calls.sleep(SETTLING)

    def catch_up(self, t: int) -> int:
        """Take the steps up to t, also those that were taken before a loss. Returns the tokens of
        the last one."""
        tokens = 0
        while self.at < t or not self.deal:
            self.begin()
            try:
                while self.at < t:
                    tokens = sum(self.ask_all("step", t=self.at))
                    self.at += 1
            except LOST as error:
                self.lose(error)
        return tokens

    def _make_way(self, state: Any) -> None:
        """End the present sharing if other workers came and the checkpoint is of this step: `begin`
        then shares it among all."""
        if self._others and self.saved == state.t:
            self._end()

    def _end(self) -> None:
        """Let the workers forget the training."""
        if self.deal:
            with contextlib.suppress(*LOST):
                self.ask_all("end")
        self.deal = ""
        self.members = []

    def ask_all(self, what: str, **arguments: Any) -> list:
        """What each worker of the training answers; see `Calls.result`."""
        assert self.deal, "No worker takes part: an empty list would pass for all workers' answers."
        return self.calls.all(self.members, what, deal=self.deal, **arguments)

    def ask(self, member: str, what: str, **arguments: Any) -> Any:
        """Ask a worker for something of this training, without waiting for it: for `result`."""
        return self.calls.ask(member, what, deal=self.deal, **arguments)

    def result(self, asked: Any, member: str) -> Any:
        """What a worker said. Raises one of LOST where it is lost."""
        return self.calls.result(asked, [member])
