"""Paper 002: stochastic variational inference. The experiments with LDA; those with the HDP are in
p002_hdp.py."""

from typing import Any, NamedTuple

import numpy as np

from benchmarks.papers.bench import (
    Bench,
    Curves,
    Experiment,
    Outcome,
    Paper,
    Point,
    Trained,
    by_seconds,
    mean_and_spread,
    mean_held_out,
    mean_seconds,
    of_parts,
)
from benchmarks.papers.p002_hdp import HDP_EXPERIMENTS

CORPORA = "Nature (350,000 articles), the New York Times (1.8 million) and Wikipedia (3.8 million)"
NEAR = 0.01  # nats per token: closer than that is as good
DECIMALS = 3  # of nats per token in tables
PART = 5  # of which batch inference sees one
SVI_PASSES = 3
AS_GOOD = 5 * NEAR  # of minibatches
SLOW_FORGETTING = 0.7  # the least kappa that is called so
_BOTH: dict[str, Any] = {"expectation": "log", "start": "random"}
OURS = _BOTH | {"eta": 0.1}
PAPERS = _BOTH | {"eta": 0.01}


class Size(NamedTuple):
    """How much is trained. passes: of vb; passes_of_grid: of figures 14 and 15, whose values are
    kappas and minibatches. minibatch: of figure 14."""

    topics: int
    passes: int
    passes_of_grid: int
    kappas: tuple[float, ...]
    minibatch: int
    minibatches: tuple[int, ...]


FULL = Size(
    topics=100,
    passes=20,
    passes_of_grid=3,
    kappas=(0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    minibatch=500,
    minibatches=(10, 50, 100, 500, 1000),
)
QUICK = Size(
    topics=20,
    passes=3,
    passes_of_grid=1,
    kappas=(0.5, 0.9),
    minibatch=50,
    minibatches=(10, 50, 100),
)


def size(bench: Bench) -> Size:
    return QUICK if bench.quick else FULL


def _instead(bench: Bench) -> str:
    part = "a part" if bench.quick else "50,000"
    return f"arXiv abstracts ({part}) for {CORPORA}"


def whole_and_part(bench: Bench) -> Outcome:
    """svi on all documents against vb on a fifth of them, and on all."""
    passes = size(bench).passes
    runs = {
        "svi, all documents": _trained(bench, "svi", SVI_PASSES),
        "vb, a fifth": _trained(bench, "vb", passes, is_part=True),
        "vb, all documents": _trained(bench, "vb", passes),
    }
    rows = []
    for name, trainings in runs.items():
        mean, spread = mean_and_spread([training.held_out for training in trainings])
        rows.append(
            {
                "training": name,
                "held-out": round(mean, DECIMALS),
                "± over seeds": round(spread, DECIMALS),
                "seconds": round(mean_seconds(trainings), 1),
            }
        )
    all_by_svi, part_by_vb, all_by_vb = runs.values()
    svi = mean_held_out(all_by_svi)
    part = mean_held_out(part_by_vb)
    whole = mean_held_out(all_by_vb)
    meanwhile = [
        _completion_at(slow.points, fast.seconds)
        for slow, fast in zip(all_by_vb, all_by_svi, strict=True)
    ]
    early = float(np.mean(meanwhile))
    return Outcome(
        verdict=of_parts(svi > part, svi >= whole - NEAR, svi > early),
        why=f"After 3 passes svi has {svi:.3f}; vb on a fifth ends at {part:.3f}, and on all at"
        f" {whole:.3f} after {passes} passes; in the time of svi it had {early:.3f}.",
        rows=rows,
        curves={name: by_seconds(trainings[0]) for name, trainings in runs.items()},
        axes=("seconds", "held-out"),
        instead=_instead(bench),
    )


def _trained(bench: Bench, engine: str, passes: int, is_part: bool = False) -> list[Trained]:
    """A training a seed, on all documents or, where is_part, on a fifth of them."""
    bow = bench.corpus("arxiv")
    settings: dict[str, Any] = {"topics": size(bench).topics, "passes": passes, "alpha": 0.1}
    trainings = []
    for seed in bench.seeds:
        documents = None
        if is_part:
            order = np.random.default_rng(seed).permutation(bow.D)
            documents = np.sort(order[: bow.D // PART])
        trainings.append(
            bench.train(engine, bow, seed, split="types", documents=documents, **settings, **OURS)
        )
    return trainings


def _completion_at(points: list[Point], seconds: float) -> float:
    """The completion of the last point within so many seconds, or the first."""
    within = [point.held_out for point in points if point.seconds <= seconds]
    return within[-1] if within else points[0].held_out


def _grid(bench: Bench, name: str, values: tuple, fixed: dict) -> tuple[list[dict], Curves, dict]:
    """Rows, curves, and the mean completion by priors and value: svi, one setting changed at a
    time."""
    bow = bench.corpus("arxiv")
    rows: list[dict[str, Any]] = []
    curves: Curves = {}
    means: dict[str, dict[float, float]] = {}
    for priors, label in ((PAPERS, "η = 0.01"), (OURS, "η = 0.1")):
        means[label] = {}
        for value in values:
            settings = {
                "topics": size(bench).topics,
                "passes": size(bench).passes_of_grid,
                **fixed,
                name: value,
                **priors,
            }
            trainings = [
                bench.train("svi", bow, seed, split="types", **settings) for seed in bench.seeds
            ]
            curves[f"{label}, {value}"] = [
                (point.documents, point.held_out) for point in trainings[0].points
            ]
            mean, spread = mean_and_spread([training.held_out for training in trainings])
            means[label][value] = mean
            rows.append(
                {
                    "priors": label,
                    name: value,
                    "held-out": round(mean, DECIMALS),
                    "± over seeds": round(spread, DECIMALS),
                }
            )
    return rows, curves, means


def forgetting(bench: Bench) -> Outcome:
    """kappa from 0.5 to 1, minibatches of 500 (of 50 in the quick form), tau0 = 1."""
    fixed = {"tau0": 1.0, "minibatch": size(bench).minibatch}
    rows, curves, means = _grid(bench, "kappa", size(bench).kappas, fixed)
    best = {label: max(by_kappa, key=by_kappa.__getitem__) for label, by_kappa in means.items()}
    sentences = [f"{kappa} with {label}" for label, kappa in best.items()]
    return Outcome(
        verdict=of_parts(*(kappa >= SLOW_FORGETTING for kappa in best.values())),
        why=f"The best kappa is {' and '.join(sentences)}.",
        rows=rows,
        curves=curves,
        axes=("documents", "held-out"),
        instead=_instead(bench),
    )


def minibatches(bench: Bench) -> Outcome:
    """S from 10 to 1000 (to 100 in the quick form), kappa = 0.9, tau0 = 1."""
    sizes = size(bench).minibatches
    rows, curves, means = _grid(bench, "minibatch", sizes, {"kappa": 0.9, "tau0": 1.0})
    smallest = sizes[0]
    large = sizes[-2]
    parts = []
    sentences = []
    for label, by_size in means.items():
        best = max(by_size.values())
        parts.append(by_size[smallest] == min(by_size.values()))
        parts.append(by_size[large] > best - AS_GOOD)
        sentences.append(
            f"S = {smallest} has {by_size[smallest]:.3f} and S = {large} has {by_size[large]:.3f},"
            f" the best {best:.3f}, with {label}"
        )
    return Outcome(
        verdict=of_parts(*parts),
        why="; ".join(sentences) + ".",
        rows=rows,
        curves=curves,
        axes=("documents", "held-out"),
        instead=_instead(bench),
    )


LDA = (
    Experiment(
        "Figures 7 and 10",
        "Stochastic inference on all documents finds better topics than batch inference on a part"
        " of them, and long before batch inference on all has.",
        whole_and_part,
    ),
    Experiment("Figure 14", "For LDA slower forgetting, a kappa near 1, does better.", forgetting),
    Experiment(
        "Figure 15",
        "For LDA minibatches of 10 documents do worst, and larger ones better.",
        minibatches,
    ),
)


PAPER = Paper(
    "002",
    "M. Hoffman, D. Blei, C. Wang, J. Paisley, Stochastic variational inference, Journal of Machine"
    " Learning Research 14, 2013",
    (*LDA, *HDP_EXPERIMENTS),
)
