"""One training over several processes: whether the topics are bitwise those of one, and what it costs.

    .venv/bin/python -m benchmarks.scale_out [CORPUS] [--topics 100] [--minibatch N] [--passes 6] [--quick]
        [--documents N] [--words N]

CORPUS: as for benchmarks.engines; by default a made one of 32,000 documents of 80 words, 10,000 different ones, in minibatches of
8,000. First one process trains alone, then two at the same time, each for itself: how much longer these take is what the
machine's cores cost each other, however a training is shared. Then one process with one thread takes each pass in
turns with one worker and with two, each of one thread, by dask.distributed on this machine (pip install 'topograph[cluster]').
Seconds of the clock, communication included; the worst worker's seconds of the processor; bytes that a worker sends in a step.
--quick: small, four passes. tests/inference/test_cluster.py kills a worker, and the scheduler, in the middle of a training.

The last line is `bitwise: yes efficiency: E`: E is one process's seconds over twice those of two workers, median over passes,
and needs an idle machine with two cores or more; the line before has it by the processor's seconds.
"""

import argparse
import os
import statistics
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.engines import corpora
from benchmarks.trainer import Trainer
from inference import Bow, engines, simulate
from inference.cluster.lead import Team
from inference.training import held_out_documents
from tests.inference.cluster import Cluster, running

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


def efficiency(bow: Bow, config, home: Path, cluster: Cluster) -> tuple[bool, float, float]:
    """(bitwise, by the clock, by the processor). Every pass in turns."""
    one, single, two = (
        alone(bow, config),
        Several(bow, config, home, cluster, 1),
        Several(bow, config, home, cluster, 2),
    )
    print("pass | one process: s, processor s | one worker | two workers: s, s of the worst | sent a step by each, kB")
    rows = []
    for number in range(config.passes):
        rows.append([trainer.one_pass() for trainer in (one, single, two)])
        cells = " | ".join(f"{clock:.2f}, {cpu:.2f}" for clock, cpu in rows[-1])
        print(f"{number + 1} | {cells} | {two.sent / 1000:,.0f}", flush=True)
    topics = one.topics()
    bitwise = same(topics, single.topics()) and same(topics, two.topics())
    by = [statistics.median(row[0][i] / (2 * row[2][i]) for row in rows) for i in (0, 1)]
    for several in (single, two):
        several.team.__exit__()
    return bitwise, *by


def settings(given) -> tuple[Bow, dict]:
    if given.corpus:
        bow = corpora.load(given.corpus)[1]
    else:
        D, V, minibatch = (6_000, 2_000, 3_000) if given.quick else (32_000, 10_000, 8_000)
        D, V = given.documents or D, given.words or V
        bow, given.minibatch = simulate.corpus(D, 50, V, 80, seed=1)[0], given.minibatch or minibatch
    chosen = {"topics": given.topics, "passes": 4 if given.quick else given.passes}
    return bow, chosen | ({"minibatch": given.minibatch} if given.minibatch else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?")
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--minibatch", type=int)
    parser.add_argument("--passes", type=int, default=6)
    parser.add_argument("--documents", type=int)
    parser.add_argument("--words", type=int)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    bow, chosen = settings(given)
    with TemporaryDirectory() as name:
        home = Path(name)
        bow.save(home / "bow")
        bow = Bow.open(home / "bow")
        config = engines.config(ENGINE.NAME, **chosen).resolve(bow.D, bow.tokens)
        load = os.getloadavg()[0]
        print(
            f"{bow.D:,} documents, {bow.tokens:,} tokens, K = {config.topics}, minibatch {config.minibatch}; load {load:.1f}"
        )
        with running(home, workers=2) as cluster:
            warm_up(home, cluster)
            print(f"two processes, each for itself: {1 / slowed(home / 'bow', config):.2f} of one's speed", flush=True)
            bitwise, clock, processor = efficiency(bow, config, home, cluster)
    print(f"by the processor's seconds: {processor:.2f}")
    print(f"bitwise: {'yes' if bitwise else 'no'} efficiency: {clock:.2f}")


def warm_up(home: Path, cluster: Cluster) -> None:
    """Wait for the workers, and have them and this process compile or load all kernels."""
    bow = simulate.corpus(120, 5, 50, 20, seed=1)[0]
    bow.save(home / "warm-up")
    bow = Bow.open(home / "warm-up")
    config = engines.config(ENGINE.NAME, topics=20, passes=4).resolve(bow.D, bow.tokens)
    several = Several(bow, config, home, cluster, 2, folder="warm-up")
    for trainer in (alone(bow, config), several):
        for _ in range(config.passes):
            trainer.one_pass()
    several.team.__exit__()


if __name__ == "__main__":
    main()
