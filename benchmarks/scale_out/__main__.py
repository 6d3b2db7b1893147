"""One training over several processes: whether the topics are bitwise those of one, also through kills, and what it costs.

    .venv/bin/python -m benchmarks.scale_out [CORPUS] [--topics 100] [--minibatch N] [--passes 6] [--quick]
        [--documents N] [--words N] [--drills N]

CORPUS: as for benchmarks.engines; by default a made one of 32,000 documents of 80 words, 10,000 different ones, in minibatches of
8,000. First one process trains alone, then two at the same time, each for itself: how much longer these take is what the
machine's cores cost each other, however a training is shared. Then one process with one thread takes each pass in
turns with one worker and with two, each of one thread, by dask.distributed on this machine (pip install 'topograph[cluster]').
Seconds of the clock, communication included; the worst worker's seconds of the processor; bytes that a worker sends in a step.
Finally a worker is killed in the middle of a step, then the scheduler. --quick: small, four passes. --drills: instead of all
this N trainings in each of which a worker is killed at a random step; the last line is then `bitwise: M of N`.

The last line is `bitwise: yes efficiency: E`: E is one process's seconds over twice those of two workers, median over passes,
and needs an idle machine with two cores or more; the line before has it by the processor's seconds.
"""

import argparse
import os
import statistics
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.engines import corpora
from benchmarks.scale_out.drills import drill, drills
from benchmarks.scale_out.trainers import ENGINE, Several, alone, same, slowed
from inference import Bow, engines, simulate
from tests.inference.cluster import Cluster, running


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
    parser.add_argument("--drills", type=int, default=0, metavar="N")
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
            trainer = alone(bow, config)
            steps = trainer.schedule.steps
            for _ in range(config.passes):
                trainer.one_pass()
            topics = trainer.topics()
            if given.drills:
                count = drills(bow, config, home, cluster, topics, steps, given.drills)
                return print(f"bitwise: {count} of {given.drills}")
            print(f"two processes, each for itself: {1 / slowed(home / 'bow', config):.2f} of one's speed", flush=True)
            bitwise, clock, processor = efficiency(bow, config, home, cluster)
            for what in ("worker", "scheduler"):
                bitwise &= drill(bow, config, home, cluster, what, topics, steps // 3)
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
