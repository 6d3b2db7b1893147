"""Does a run that begins with the consensus of several hang less on the seed than a single one?

    .venv/bin/python -m benchmarks.stability CORPUS [--topics K] [--runs M] [--halves N]

CORPUS: a file, or a name of benchmarks.engines.corpora. N times two halves of seeds, none of which comes twice: of each half M runs are
trained, and one that begins with their consensus, as a press on the page of a run does. Where topica can be imported, also one that begins with
what its `ensemble` makes of the same M runs by "align", and those topics as they are. Printed are, with standard errors over the N: the part
of topics that is found in the other half (inference.explore.matching), and the held-out log likelihood of the runs. The last line is
`stable: A against B`: of the consensus, and of single runs.
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
from inference.simulate import as_topics
from inference.topics import Topics
from inference.warm_start import inherit

try:
    from topica.ensemble import ensemble
except ImportError:  # it is a peer, in an environment of its own
    ensemble = None
ENGINE = "ssi"
KINDS = ["single", "consensus", "topica's align", "the same, not trained on"][: 2 if ensemble is None else None]


def trained(bow: Bow, seed: int, settings: dict[str, Any], start: np.ndarray | None = None) -> inference.Snapshot:
    engine = engines.get(ENGINE)
    config = engines.config(ENGINE, **settings).resolve(bow.D, bow.tokens)
    state = None if start is None else inference.begin(engine, config, bow, start, seed=seed)
    *_, last = inference.train(engine, config, bow, seed=seed, resume=state)
    assert isinstance(last, inference.Snapshot)
    return last


def aligned(runs: list[Topics]) -> Topics:
    """As topica averages them, matched with one of them, every word listed."""
    beta = ensemble([topics.dense() for topics in runs], method="align").topic_word
    return as_topics(beta, np.full(len(beta), 1 / len(beta)))


def half(bow: Bow, seeds: range, K: int) -> list[tuple[Topics, float]]:
    """Topics and held-out log likelihood of KINDS."""
    runs = [trained(bow, seed, {"topics": K}) for seed in seeds]
    engine, config = engines.get(ENGINE), engines.config(ENGINE, topics=K).resolve(bow.D, bow.tokens)
    alpha, again = engine.priors(config, None).alpha, engine.continued(dataclasses.asdict(config))  # type: ignore[attr-defined]
    joined = [join([run.topics for run in runs]) for join in (consensus, aligned)[: len(KINDS) - 1]]
    made = runs[:1] + [
        trained(bow, seeds[0], again, inherit(topics, np.arange(bow.V, dtype=np.int32), bow, alpha))
        for topics in joined
    ]
    return [(run.topics, run.held_out) for run in made] + [(topics, np.nan) for topics in joined[1:]]


def found(a: Topics, b: Topics, bow: Bow) -> float:
    return float((matching.match(a, b, range(bow.V), range(bow.V)).partner >= 0).mean())  # type: ignore[arg-type]


def compared(bow: Bow, K: int, runs: int, halves: int) -> str:
    """`A against B`, of the consensus and of single runs; a line of each kind is printed."""
    stable, likely = np.zeros((halves, len(KINDS))), np.zeros((halves, len(KINDS)))
    for n in range(halves):
        both = [half(bow, range(a * runs, (a + 1) * runs), K) for a in (2 * n, 2 * n + 1)]
        stable[n] = [found(one[0], other[0], bow) for one, other in zip(*both, strict=True)]
        likely[n] = np.mean([[held_out for _, held_out in each] for each in both], axis=0)
    for kind, part, log in zip(KINDS, stable.T, likely.mean(axis=0), strict=True):
        print(
            f"found of {kind}: {part.mean():.2f} (standard error {part.std(ddof=1) / np.sqrt(halves):.3f}); "
            f"held out: {log:.4f}",
            flush=True,
        )
    print("topica is left out: it can't be imported." if ensemble is None else "topica's align is of the same runs.")
    return f"{stable[:, 1].mean():.2f} against {stable[:, 0].mean():.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--halves", type=int, default=5)
    given = parser.parse_args()
    bow = corpora.read(Path(given.corpus)) if Path(given.corpus).is_file() else corpora.load(given.corpus)[1]
    print(f"stable: {compared(bow, given.topics, given.runs, given.halves)}")


if __name__ == "__main__":
    main()
