"""One training over several processes: whether the topics are bitwise those of one, also through kills, and what it costs.

    .venv/bin/python -m benchmarks.scale_out [CORPUS] [--topics 100] [--minibatch N] [--passes 6] [--quick] [--model]

CORPUS: as for benchmarks.engines; by default a made one of 32,000 documents, in minibatches of 8,000. One process with one thread takes each pass in
turns with one worker and with two, each of one thread, by dask.distributed on this machine (pip install 'topograph[cluster]').
Seconds of the clock, communication included; the worst worker's seconds of the processor; bytes that a worker sends in a step.
Then a worker is killed, then the scheduler. --quick: small, three passes. --model: see benchmarks/scale_out/model.py.

The last line is `bitwise: yes efficiency: E`: E is one process's seconds over twice those of two workers, median over passes. It
means something on an idle machine with two cores or more alone; the line before has it by the processor's seconds.
"""

import argparse
import os
import random
import statistics
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numba
import numpy as np

from benchmarks.engines import corpora
from benchmarks.scale_out import model
from inference import Bow, Snapshot, engines, simulate, train
from inference.cluster.lead import Team
from inference.training import Schedule, held_out_documents
from tests.inference.cluster import Cluster, running

SEED = 1
ENGINE = engines.get(engines.DEFAULT)


class One:
    """A training by this process, with one thread."""

    def __init__(self, bow: Bow, config):
        self.bow, self.config = bow, config
        self.schedule = Schedule(bow, config, held_out_documents(bow, SEED))
        self.state = ENGINE.init(config, self.schedule.shape, SEED)

    def one_pass(self) -> tuple[float, float]:
        """Seconds, of the clock and of the processor."""
        numba.set_num_threads(1)
        began, cpu = time.perf_counter(), time.process_time()
        for _ in range(self.schedule.per_pass):
            self.take(self.schedule.batch(self.state.t, SEED))
        return time.perf_counter() - began, time.process_time() - cpu

    def take(self, documents: np.ndarray) -> None:
        ENGINE.step(self.config, self.state, self.bow, documents, self.schedule.shape)


class Several(One):
    """A training by so many workers, which this process leads."""

    def __init__(self, bow: Bow, config, home: Path, cluster: Cluster, workers: int, folder: str = "bow"):
        super().__init__(bow, config)
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
        before = self._about()
        seconds, _ = super().one_pass()
        after = self._about()
        spent = {name: [b[name] - a[name] for a, b in zip(before, after, strict=True)] for name in ("cpu", "sent")}
        self.sent = max(spent["sent"]) / self.schedule.per_pass
        return seconds, max(spent["cpu"])

    def _about(self) -> list[dict]:
        return [about["seats"][self.team.deal] for about in self.team.about().values()]

    def topics(self):
        return self.team.topics(self.config, self.state)


def same(a, b) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def efficiency(bow: Bow, config, home: Path, cluster: Cluster) -> tuple[bool, float, float]:
    """(bitwise, by the clock, by the processor). Every pass in turns."""
    one, single, two = One(bow, config), Several(bow, config, home, cluster, 1), Several(bow, config, home, cluster, 2)
    print("pass | one process: s, processor s | one worker | two workers: s, s of the worst | sent a step by each, kB")
    rows = []
    for number in range(config.passes):
        rows.append([trainer.one_pass() for trainer in (one, single, two)])
        cells = " | ".join(f"{clock:.2f}, {cpu:.2f}" for clock, cpu in rows[-1])
        print(f"{number + 1} | {cells} | {two.sent / 1000:,.0f}", flush=True)
    topics = ENGINE.topics(one.config, one.state)
    bitwise = same(topics, single.topics()) and same(topics, two.topics())
    by = [statistics.median(row[0][i] / (2 * row[2][i]) for row in rows) for i in (0, 1)]
    for several in (single, two):
        several.team.__exit__()
    return bitwise, *by


def drill(bow: Bow, config, home: Path, cluster: Cluster, what: str, expected) -> bool:
    """Train while something is killed in the middle of steps; says what it cost."""
    file, killed = home / f"killed-{what}", None
    began = time.perf_counter()
    with Team(ENGINE, cluster.address, file, home, least=2) as team:
        team.lead(config, SEED, bow, home / "bow")
        for event in train(team, config, bow, seed=SEED):
            if isinstance(event, Snapshot):
                topics = event.topics
                team.save(file, event.state)
            if event.step >= event.steps // 3 and killed is None:
                killed = time.perf_counter() - began
                threading.Timer(random.uniform(0.0, 0.5), cluster.kill, [what]).start()  # in the middle of a step
    seconds = time.perf_counter() - began
    bitwise = same(topics, expected)
    print(
        f"{what} killed after {killed or 0:.1f} of {seconds:.1f} s: {team.restarts} times back to a checkpoint, bitwise {bitwise}"
    )
    return bitwise


def settings(given) -> tuple[Bow, dict]:
    if given.corpus:
        bow = corpora.load(given.corpus)[1]
    else:
        D, V, minibatch = (6_000, 2_000, 3_000) if given.quick else (32_000, 10_000, 8_000)
        bow, given.minibatch = simulate.corpus(D, 50, V, 80, seed=1)[0], given.minibatch or minibatch
    chosen = {"topics": given.topics, "passes": 4 if given.quick else given.passes}
    return bow, chosen | ({"minibatch": given.minibatch} if given.minibatch else {})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?")
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--minibatch", type=int)
    parser.add_argument("--passes", type=int, default=6)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--model", action="store_true", help="measure what many workers would do, and nothing else")
    given = parser.parse_args()
    if given.model:
        return model.main(given.quick)
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
            bitwise, clock, processor = efficiency(bow, config, home, cluster)
            trainer = One(bow, config)
            for _ in range(config.passes):
                trainer.one_pass()
            topics = ENGINE.topics(config, trainer.state)
            for what in ("worker", "scheduler"):
                bitwise &= drill(bow, config, home, cluster, what, topics)
    print(f"by the processor's seconds: {processor:.2f}")
    print(f"bitwise: {'yes' if bitwise else 'no'} efficiency: {clock:.2f}")


def warm_up(home: Path, cluster: Cluster) -> None:
    """Wait for the workers, and have them and this process compile or load all kernels."""
    bow = simulate.corpus(120, 5, 50, 20, seed=1)[0]
    bow.save(home / "warm-up")
    bow = Bow.open(home / "warm-up")
    config = engines.config(ENGINE.NAME, topics=20, passes=4).resolve(bow.D, bow.tokens)
    several = Several(bow, config, home, cluster, 2, folder="warm-up")
    for trainer in (One(bow, config), several):
        for _ in range(config.passes):
            trainer.one_pass()
    several.team.__exit__()


if __name__ == "__main__":
    main()
