"""Whether the default engine should begin with joined topics: seconds to the best of CVB0, for both
of its starts.

    .venv/bin/python -m benchmarks.engines.starts [--corpora reuters,arxiv,sotu,peps] [--topics
    100] [--seconds 20] [--seeds 5] [--threads 2]

For each collection and seed, CVB0 (our engine `cvb0`) is trained for so many seconds, then `ssi`
with start=documents and with start=joined for half of them, each in a process of its own. Prints
for each start the seconds until it is as good as CVB0's best, divided by the seconds at which CVB0
had that (inf where it never is), and its best completion. The start counts as training. Run it on
an idle machine: it takes some 18 minutes, of which judging and starting processes are half. The
last lines are the medians over the seeds, in the order of the collections: `documents: A B C D` and
`joined: A B C D`. Joined is to be the default if none of its medians is above that of documents,
and all are at most a quarter.
"""

import argparse
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.engines import corpora, peers
from benchmarks.engines.__main__ import run
from benchmarks.engines.judge import Curve, Judge
from benchmarks.origin import commit, machine, options
from inference import Bow, compiling

OPTIONS: dict[str, dict[str, Any]] = {
    "--corpora": {"default": "reuters,arxiv,sotu,peps", "metavar": "NAME,..."},
    "--topics": {"type": int, "default": 100},
    "--seconds": {"type": float, "default": 20.0},
    "--seeds": {"type": int, "default": 5},
    "--threads": {"type": int, "default": 2},
    "--quick": {"action": "store_true", "help": "small simulated texts, one seed, two seconds"},
}
STARTS = ("documents", "joined")
# Of CVB0's seconds, which a start has: a quarter of the time in which CVB0 is best is wanted
PART = 0.5
LINE = "{:<12}{:>5}{:>11}{:>9}{:>11}{:>11}{:>10}"


def ratios(curves: dict[str, Curve], seconds: float) -> dict[str, float]:
    """The seconds of each start to CVB0's best, over CVB0's; inf where it is never as good."""
    best = curves["cvb0"].best(seconds)
    if best is None:
        return dict.fromkeys(STARTS, math.nan)
    return {start: curves[start].reached(best.held_out) / best.seconds for start in STARTS}


def train_all(arguments: argparse.Namespace, bow: Bow, seed: int, folder: Path) -> dict[str, Curve]:
    """CVB0's curve and those of both starts. folder: an empty one."""
    held_out, train = corpora.split(bow, seed)
    judge = Judge(bow, held_out, train, arguments.topics)
    bow.save(folder / "whole")
    train.save(folder / "train")
    settings: dict[str, dict] = {"cvb0": {"engine": "cvb0"}}
    for start in STARTS:
        settings[start] = {"start": start}
    curves = {}
    for name, of_engine in settings.items():
        task = peers.Task(
            engine=peers.OURS,
            settings=of_engine,
            whole=str(folder / "whole"),
            train=str(folder / "train"),
            topics=arguments.topics,
            seconds=arguments.seconds * (1.0 if name == "cvb0" else PART),
            seed=seed,
            threads=arguments.threads,
            one_pass=False,
            cpu=False,
        )
        curves[name] = run(peers.Variant(peers.OURS, of_engine, name), task, judge)
    return curves


def measure(arguments: argparse.Namespace, name: str) -> dict[str, list[float]]:
    """Ratios of each start by seed, of one collection. Prints a line for each curve."""
    _, bow, _ = corpora.load(name, arguments.quick)
    by_start: dict[str, list[float]] = {start: [] for start in STARTS}
    for seed in range(1, arguments.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            curves = train_all(arguments, bow, seed, Path(folder))
        of_seed = ratios(curves, arguments.seconds)
        for label, curve in curves.items():
            best = curve.best(arguments.seconds)
            if best is None:
                print(f"{name} {seed} {label}: {curve.problem or 'nothing in time'}", flush=True)
                continue
            ratio = f"{of_seed[label]:.3f}" if label in of_seed else ""
            quality = (f"{best.held_out:.4f}", f"{best.seconds:.2f}", f"{best.npmi:.4f}", ratio)
            print(LINE.format(name, seed, label, *quality), flush=True)
        for start, reached in of_seed.items():
            by_start[start].append(reached)
    return by_start


def main() -> None:
    arguments = options(__doc__, OPTIONS).parse_args()
    if arguments.quick:
        arguments.corpora, arguments.topics = "synthetic", 10
        arguments.seeds, arguments.seconds = 1, 2.0
    compiling.engine("ssi")
    compiling.engine("cvb0")
    print(machine(), commit(), flush=True)
    print(LINE.format("corpus", "seed", "start", "best", "at, s", "NPMI", "ratio"), flush=True)
    medians: dict[str, list[str]] = {start: [] for start in STARTS}
    for name in arguments.corpora.split(","):
        for start, reached in measure(arguments, name).items():
            medians[start].append(f"{np.median(reached):.3f}")
    for start, by_corpus in medians.items():
        print(f"{start}: {' '.join(by_corpus)}")


if __name__ == "__main__":
    main()
