"""Trainings in which a worker or the scheduler is killed."""

import random
import shutil
import threading
import time
from pathlib import Path

from benchmarks.scale_out.trainers import ENGINE, SEED, same
from inference import Bow, Snapshot, train
from inference.cluster.lead import Team
from tests.inference.cluster import Cluster


class Struck(Team):
    """Workers one of which, or the scheduler, is killed in the middle of a step."""

    wanted, strike = 0, staticmethod(lambda: None)

    def step(self, config, state, bow, documents, shape) -> None:
        if 0 <= self.wanted <= state.t and self.deal:
            threading.Timer(0.02, self.strike).start()
            self.wanted = -1
        super().step(config, state, bow, documents, shape)


def drill(bow: Bow, config, home: Path, cluster: Cluster, what: str, expected, step: int) -> bool:
    """Train while something is killed in the middle of a step; whether topics are as expected. step: which, or the next one in
    which workers take part."""
    file = home / f"killed-{what}-{step}"
    began = time.perf_counter()
    with Struck(ENGINE, cluster.address, file, home, least=2) as team:
        team.lead(config, SEED, bow, home / "bow")
        team.wanted = step
        team.strike = lambda: cluster.kill(what)
        for event in train(team, config, bow, seed=SEED):
            if isinstance(event, Snapshot):
                topics = event.topics
                team.save(file, event.state)
    bitwise = same(topics, expected)
    seconds = time.perf_counter() - began
    struck = f"{team.restarts} times back to a checkpoint" if team.restarts else "it did not strike"
    print(f"{what} killed within step {step}: {struck}, {seconds:.1f} s, bitwise {bitwise}", flush=True)
    return bitwise and team.restarts > 0


def drills(bow: Bow, config, home: Path, cluster: Cluster, expected, steps: int, count: int) -> int:
    """How many of so many trainings, in each of which a worker is killed at a random step, have the topics expected."""
    generator = random.Random(SEED)
    bitwise = 0
    for _ in range(count):
        step = generator.randrange(1, steps - 1)
        bitwise += drill(bow, config, home, cluster, "worker", expected, step)
        for path in home.glob("killed-*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return bitwise
