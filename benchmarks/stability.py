"""Does a run that begins with the consensus of several hang less on the seed than a single one?

    .venv/bin/python -m benchmarks.stability CORPUS [--topics K] [--runs M] [--halves N]

CORPUS: a file, or a name of benchmarks.engines.corpora. N times two halves of seeds, none of which comes twice: of each half M runs are
trained, and one that begins with their consensus, as a press on the page of a run does. Printed are, with standard errors over the
N: the part of topics that is found in the other half (inference.explore.matching), of single runs and of those of a consensus, and
the held-out log likelihood. The last line is `stable: A against B`: of the consensus, and of single runs.
"""

import argparse
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

import inference
from benchmarks.engines import corpora
from inference import Bow, engines
from inference.consensus import consensus
from inference.explore import matching
from inference.warm_start import inherit

ENGINE = "ssi"


def trained(bow: Bow, seed: int, settings: dict[str, Any], start: np.ndarray | None = None) -> inference.Snapshot:
    engine = engines.get(ENGINE)
    config = engines.config(ENGINE, **settings).resolve(bow.D, bow.tokens)
    state = None if start is None else inference.begin(engine, config, bow, start, seed=seed)
    *_, last = inference.train(engine, config, bow, seed=seed, resume=state)
    assert isinstance(last, inference.Snapshot)
    return last


def half(bow: Bow, seeds: range, K: int) -> tuple[inference.Snapshot, inference.Snapshot]:
    """A single run, and one that begins with the consensus of all."""
    runs = [trained(bow, seed, {"topics": K}) for seed in seeds]
    engine, config = engines.get(ENGINE), engines.config(ENGINE, topics=K).resolve(bow.D, bow.tokens)
    alpha = engine.priors(config, None).alpha
    start = inherit(consensus([run.topics for run in runs]), np.arange(bow.V, dtype=np.int32), bow, alpha)
    return runs[0], trained(bow, seeds[0], engine.continued(dataclasses.asdict(config)), start)  # type: ignore[attr-defined]


def found(a: inference.Snapshot, b: inference.Snapshot, bow: Bow) -> float:
    words = range(bow.V)
    return float((matching.match(a.topics, b.topics, words, words).partner >= 0).mean())  # type: ignore[arg-type]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--halves", type=int, default=5)
    given = parser.parse_args()
    path = Path(given.corpus)
    bow = corpora.read(path) if path.is_file() else corpora.load(given.corpus)[1]
    stable, completion = [], []
    for n in range(given.halves):
        first = 2 * n * given.runs
        halves = [half(bow, range(a, a + given.runs), given.topics) for a in (first, first + given.runs)]
        stable.append([found(one, other, bow) for one, other in zip(*halves, strict=True)])
        completion.append([np.mean([one.held_out for one in kind]) for kind in zip(*halves, strict=True)])
        print(
            f"found: {stable[-1][0]:.2f} single, {stable[-1][1]:.2f} consensus; held out: {completion[-1][0]:.4f}, {completion[-1][1]:.4f}",
            flush=True,
        )
    mean, error = np.mean(stable, axis=0), np.std(stable, axis=0, ddof=1) / np.sqrt(given.halves)
    likely = np.mean(completion, axis=0)
    print(f"standard errors: {error[1]:.3f}, {error[0]:.3f}; held out: {likely[1]:.4f} against {likely[0]:.4f}")
    print(f"stable: {mean[1]:.2f} against {mean[0]:.2f}")


if __name__ == "__main__":
    main()
