"""Paper 002: stochastic variational inference. The experiments with LDA; those with the HDP are in
p002_hdp.py."""

from itertools import chain
from typing import Any

import numpy as np

from benchmarks.papers.bench import Bench, Experiment, Outcome, Paper, Trained, of_parts
from benchmarks.papers.p002_hdp import HDP_EXPERIMENTS

CORPORA = "Nature (350,000 articles), the New York Times (1.8 million) and Wikipedia (3.8 million)"
NEAR = 0.01  # nats per token: closer than that is as good
_BOTH = {"expectation": "log", "start": "random"}
OURS = _BOTH | {"eta": 0.1}
PAPERS = _BOTH | {"eta": 0.01}


def _topics(bench: Bench) -> int:
    return 20 if bench.quick else 100


def _instead(bench: Bench) -> str:
    return f"arXiv abstracts{' (a part)' if bench.quick else ' (50,000)'} for {CORPORA}"


def whole_and_part(bench: Bench) -> Outcome:
    """svi on all documents against vb on a fifth of them, and on all."""
    bow, K, passes = bench.corpus("arxiv"), _topics(bench), 3 if bench.quick else 20

    def fifth(seed: int) -> np.ndarray:
        return np.sort(np.random.default_rng(seed).permutation(bow.D)[: bow.D // 5])

    def trained(engine: str, n: int, part: bool = False) -> list[Trained]:
        settings: dict[str, Any] = {"topics": K, "passes": n, "alpha": 0.1, **OURS}
        return [
            bench.train(
                engine,
                bow,
                seed,
                split="types",
                documents=fifth(seed) if part else None,
                **settings,
            )
            for seed in bench.seeds
        ]

    runs = {
        "svi, all documents": trained("svi", 3),
        "vb, a fifth": trained("vb", passes, part=True),
        "vb, all documents": trained("vb", passes),
    }
    curves = {
        name: [(point.seconds, point.held_out) for point in seeds[0].points]
        for name, seeds in runs.items()
    }
    early = [
        _at(whole.points, quick.seconds)
        for whole, quick in zip(runs["vb, all documents"], runs["svi, all documents"], strict=True)
    ]
    finals = {name: [one.held_out for one in seeds] for name, seeds in runs.items()}
    rows = [
        {
            "training": name,
            "held-out": round(np.mean(values), 3),
            "± over seeds": round(np.std(values), 3),
            "seconds": round(np.mean([one.seconds for one in runs[name]]), 1),
        }
        for name, values in finals.items()
    ]
    svi, part, whole = (float(np.mean(finals[name])) for name in finals)
    return Outcome(
        of_parts(svi > part, svi >= whole - NEAR, svi > float(np.mean(early))),
        f"After 3 passes svi has {svi:.3f}; vb on a fifth ends at {part:.3f}, and on all at"
        f" {whole:.3f} after {passes} passes; in the time of svi it had {np.mean(early):.3f}.",
        rows,
        curves,
        ("seconds", "held-out"),
        _instead(bench),
    )


def _at(points, seconds: float) -> float:
    """The completion of the last point within so many seconds, or the first."""
    return (
        [point.held_out for point in points if point.seconds <= seconds] or [points[0].held_out]
    )[-1]


def _grid(bench: Bench, name: str, values: list, fixed: dict) -> tuple[list[dict], dict, dict]:
    """Rows, curves, and the mean completion by priors and value: svi, one setting changed at a
    time."""
    bow = bench.corpus("arxiv")
    K = _topics(bench)
    rows: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    means = {}
    for priors, label in ((PAPERS, "η = 0.01"), (OURS, "η = 0.1")):
        for value in values:
            settings = {
                "topics": K,
                "passes": 1 if bench.quick else 3,
                **fixed,
                name: value,
                **priors,
            }
            trained = [
                bench.train("svi", bow, seed, split="types", **settings) for seed in bench.seeds
            ]
            curves[f"{label}, {value}"] = [
                (point.documents, point.held_out) for point in trained[0].points
            ]
            ends = [one.held_out for one in trained]
            means[label, value] = float(np.mean(ends))
            rows.append(
                {
                    "priors": label,
                    name: value,
                    "held-out": round(means[label, value], 3),
                    "± over seeds": round(np.std(ends), 3),
                }
            )
    return rows, curves, means


def forgetting(bench: Bench) -> Outcome:
    """kappa from 0.5 to 1, minibatches of 500 (of 50 in the quick form), tau0 = 1."""
    values = [0.5, 0.9] if bench.quick else [0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    rows, curves, means = _grid(
        bench, "kappa", values, {"tau0": 1.0, "minibatch": 50 if bench.quick else 500}
    )
    best = {}
    for label, _ in means:
        of_label = {value: means[label, value] for value in values}
        best[label] = max(of_label, key=of_label.__getitem__)
    return Outcome(
        of_parts(*(kappa >= 0.7 for kappa in best.values())),
        (
            "The best kappa is "
            + " and ".join(f"{value} with {label}" for label, value in best.items())
            + "."
        ),
        rows,
        curves,
        ("documents", "held-out"),
        _instead(bench),
    )


def minibatches(bench: Bench) -> Outcome:
    """S from 10 to 1000 (to 100 in the quick form), kappa = 0.9, tau0 = 1."""
    values = [10, 50, 100] if bench.quick else [10, 50, 100, 500, 1000]
    rows, curves, means = _grid(bench, "minibatch", values, {"kappa": 0.9, "tau0": 1.0})
    by_label = {label: [means[label, v] for v in values] for label, _ in means}
    checks = [(ends[0] == min(ends), ends[-2] > max(ends) - 5 * NEAR) for ends in by_label.values()]
    told = [
        f"S = 10 has {ends[0]:.3f} and S = {values[-2]} has {ends[-2]:.3f}, the best"
        f" {max(ends):.3f}, with {label}"
        for label, ends in by_label.items()
    ]
    return Outcome(
        of_parts(*chain(*checks)),
        ("; ".join(told) + "."),
        rows,
        curves,
        ("documents", "held-out"),
        _instead(bench),
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
