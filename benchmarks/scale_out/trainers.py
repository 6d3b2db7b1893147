"""A training by this process, and the same by several workers, a pass at a time."""

import statistics
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from benchmarks.trainer import Trainer
from inference import Bow, engines
from inference.cluster.lead import Team
from inference.training import held_out_documents
from tests.inference.cluster import Cluster

SEED = 1
ENGINE = engines.get(engines.DEFAULT)
SPENT = ("computing", "exchanging", "cpu", "sent")


def alone(bow: Bow, config) -> Trainer:
    """A training by this process, with one thread."""
    return Trainer(bow, ENGINE, config, SEED, held_out_documents(bow, SEED))


class Several(Trainer):
    """A training by so many workers, which this process leads."""

    def __init__(self, bow: Bow, config, home: Path, cluster: Cluster, workers: int, folder: str = "bow"):
        super().__init__(bow, ENGINE, config, SEED, held_out_documents(bow, SEED))
        file = home / f"{folder}-{workers}"
        self.team = Team(ENGINE, cluster.address, file, home, least=workers, most=workers)
        self.team.lead(config, SEED, bow, home / folder)
        self.team.begin()
        self.state = self.team.init(config, self.schedule.shape, SEED)
        self.sent = 0.0

    def take(self, documents: np.ndarray) -> None:
        self.team.step(self.config, self.state, self.bow, documents, self.schedule.shape)

    def one_pass(self) -> tuple[float, float]:
        """The processor's seconds are those of the worker that has most of them."""
        before, t = self.team.seats(), self.state.t
        seconds, _ = super().one_pass()
        self.spent = [
            {name: b[name] - a[name] for name in SPENT} for a, b in zip(before, self.team.seats(), strict=True)
        ]
        self.sent = max(spent["sent"] for spent in self.spent) / (self.state.t - t)
        return seconds, max(spent["cpu"] for spent in self.spent)

    def topics(self):
        return self.team.topics(self.config, self.state)


def same(a, b) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def slowed(folder: Path, config) -> float:
    """How much longer a pass takes in each of two processes that train at the same time than in one alone: the median over the
    passes after the warm-up, the last third of them."""
    alone, pair = _passes(folder, config, 1)[0], _passes(folder, config, 2)
    last = -(-2 * config.passes // 3)
    return statistics.median(b / a for taken in pair for a, b in zip(alone[last:], taken[last:], strict=True))


def _passes(folder: Path, config, processes: int) -> list[list[float]]:
    """Seconds of each pass, in each of so many processes at the same time."""
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        return list(pool.map(_train, [folder] * processes, [config] * processes))


def _train(folder: Path, config) -> list[float]:
    one = alone(Bow.open(folder), config)
    return [one.one_pass()[0] for _ in range(config.passes)]
