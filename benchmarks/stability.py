"""Does a run that begins with the consensus of several hang less on the seed than a single one? A
part of benchmarks.conclusions; what it told of five collections, and of topica's consensus, is in
docs/measurements/conclusions.md, with the commit that measured it."""

import dataclasses
from typing import Any

import numpy as np

import inference
from inference import Bow, Topics, engines
from inference.consensus import consensus
from inference.explore import matching
from inference.warm_start import inherit

ENGINE = "ssi"
KINDS = ["single", "consensus"]


def trained(
    bow: Bow, seed: int, settings: dict[str, Any], start: np.ndarray | None = None
) -> inference.Snapshot:
    engine = engines.get(ENGINE)
    config = engines.config(ENGINE, **settings).resolve(bow.D, bow.tokens)
    state = None if start is None else inference.begin(engine, config, bow, start, seed=seed)
    *_, last = inference.train(engine, config, bow, seed=seed, resume=state)
    assert isinstance(last, inference.Snapshot)
    return last


def half(bow: Bow, seeds: range, K: int) -> list[tuple[Topics, float]]:
    """Topics and held-out log likelihood of KINDS."""
    runs = [trained(bow, seed, {"topics": K}) for seed in seeds]
    engine = engines.get(ENGINE)
    config = engines.config(ENGINE, topics=K).resolve(bow.D, bow.tokens)
    alpha, again = engine.priors(config, None).alpha, engine.continued(dataclasses.asdict(config))  # type: ignore[attr-defined]
    topics = consensus([run.topics for run in runs])
    begun = trained(
        bow, seeds[0], again, inherit(topics, np.arange(bow.V, dtype=np.int32), bow, alpha)
    )
    return [(run.topics, run.held_out) for run in (runs[0], begun)]


def found(a: Topics, b: Topics, bow: Bow) -> float:
    return float((matching.match(a, b, range(bow.V), range(bow.V)).partner >= 0).mean())  # type: ignore[arg-type]


def compared(bow: Bow, K: int, runs: int, halves: int) -> str:
    """`A against B`, of the consensus and of single runs; a line of each kind is printed."""
    stable = np.zeros((halves, len(KINDS)))
    likely = np.zeros((halves, len(KINDS)))
    for n in range(halves):
        both = [half(bow, range(a * runs, (a + 1) * runs), K) for a in (2 * n, 2 * n + 1)]
        stable[n] = [found(one[0], other[0], bow) for one, other in zip(*both, strict=True)]
        likely[n] = np.mean([[held_out for _, held_out in each] for each in both], axis=0)
    for kind, part, log in zip(KINDS, stable.T, likely.mean(axis=0), strict=True):
        print(
            f"found of {kind}: {part.mean():.2f} (standard error"
            f" {part.std(ddof=1) / np.sqrt(halves):.3f}); held out: {log:.4f}",
            flush=True,
        )
    return f"{stable[:, 1].mean():.2f} against {stable[:, 0].mean():.2f}"
