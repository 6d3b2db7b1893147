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
    alpha = engine.priors(config, None).alpha
    settings = engine.continued(dataclasses.asdict(config))  # type: ignore[attr-defined]
    topics = consensus([run.topics for run in runs])
    same_words = np.arange(bow.V, dtype=np.int32)
    from_consensus = trained(bow, seeds[0], settings, inherit(topics, same_words, bow, alpha))
    return [(run.topics, run.held_out) for run in (runs[0], from_consensus)]


def part_found(a: Topics, b: Topics, bow: Bow) -> float:
    """The part of a's topics that b has, too."""
    words = range(bow.V)
    partner = matching.match(a, b, words, words).partner  # type: ignore[arg-type]
    return float((partner >= 0).mean())


def compared(bow: Bow, K: int, runs: int, halves: int) -> str:
    """`A against B`, of the consensus and of single runs; a line of each kind is printed."""
    stable = np.zeros((halves, len(KINDS)))
    likely = np.zeros((halves, len(KINDS)))
    for n in range(halves):
        middle = (2 * n + 1) * runs
        first = half(bow, range(middle - runs, middle), K)
        second = half(bow, range(middle, middle + runs), K)
        for kind in range(len(KINDS)):
            topics, held_out = first[kind]
            other_topics, other_held_out = second[kind]
            stable[n, kind] = part_found(topics, other_topics, bow)
            likely[n, kind] = (held_out + other_held_out) / 2
    for kind, name in enumerate(KINDS):
        part = stable[:, kind]
        error = part.std(ddof=1) / np.sqrt(halves)
        print(
            f"found of {name}: {part.mean():.2f} (standard error {error:.3f});"
            f" held out: {likely[:, kind].mean():.4f}",
            flush=True,
        )
    return f"{stable[:, 1].mean():.2f} against {stable[:, 0].mean():.2f}"
