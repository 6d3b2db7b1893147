"""Paper 002's experiments with the HDP topic model: figures 11, 12 and 13; p002.py has LDA's."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from benchmarks.papers.bench import Bench, Curves, Experiment, Outcome, mean_seconds, verdict
from inference.engines import hdp, svi

CORPUS = "arxiv"
INSTEAD = "arXiv's abstracts in the place of Nature, the New York Times and Wikipedia"
PAPERS = {  # section 4's settings of both models
    "kappa": 0.9,
    "tau0": 1.0,
    "minibatch": 500,
    "eta": 0.01,
}
NEAR = 0.01  # nats per token: less is no difference
ALIKE = 0.05  # of large minibatches
DECIMALS = 4  # of nats per token in tables
SLOW_FORGETTING = 0.8  # the least kappa that is called near 1
LARGE_MINIBATCH = 100
JUDGE_ALPHA = 0.1


class Size(NamedTuple):
    """How much is trained. paper: truncations of the HDP by the paper, and passes; grid: those of
    figures 12 and 13, thirty trainings. topics: of the HDP by our settings; numbers: of LDA's
    topics, passes: of both. rates: of figure 12, minibatches: of figure 13."""

    paper: dict[str, int]
    grid: dict[str, int]
    topics: int
    numbers: tuple[int, ...]
    passes: int
    rates: tuple[float, ...]
    minibatches: tuple[int, ...]


FULL = Size(
    paper={"topics": 300, "document_topics": 20, "passes": 10},
    grid={"topics": 150, "document_topics": 15, "passes": 3},
    topics=150,
    numbers=(25, 50, 100, 200, 300),
    passes=10,
    rates=(0.51, 0.6, 0.7, 0.8, 0.9, 1.0),
    minibatches=(10, 50, 100, 500, 1000),
)
QUICK = Size(
    paper={"topics": 60, "document_topics": 8, "passes": 4},
    grid={"topics": 60, "document_topics": 8, "passes": 4},
    topics=60,
    numbers=(10, 25, 50),
    passes=4,
    rates=(0.51, 0.7, 0.9),
    minibatches=(10, 100, 500),
)


def size(bench: Bench) -> Size:
    return QUICK if bench.quick else FULL


def _mean(bench: Bench, engine: str, name: str, bow, **settings) -> dict:
    """A row: completion over the seeds, its spread, and how many topics are in use."""
    trainings = []
    for seed in bench.seeds:
        training = bench.train(
            engine, bow, seed, split="types", judge_alpha=JUDGE_ALPHA, looks=1, **settings
        )
        trainings.append(training)
    values = [training.held_out for training in trainings]
    topics_in_use = [training.topics.in_use().K for training in trainings]
    return {
        "model": name,
        "held out": round(float(np.mean(values)), DECIMALS),
        "spread": round(float(np.ptp(values)), DECIMALS),
        "topics in use": round(float(np.mean(topics_in_use)), 1),
        "seconds": round(mean_seconds(trainings), 1),
    }


def figure_11(bench: Bench) -> Outcome:
    """HDP against LDA by K: with the paper's alpha = 1 / K, and with a learned alpha for each
    topic, which may be what the HDP's gain comes from."""
    bow = bench.corpus(CORPUS)
    numbers = size(bench).numbers
    passes = size(bench).passes
    by_paper = PAPERS | size(bench).paper
    rows = [
        _mean(bench, hdp.NAME, "HDP, the paper's settings", bow, **by_paper),
        _mean(bench, hdp.NAME, "HDP, our settings", bow, topics=size(bench).topics, passes=passes),
    ]
    plain = []
    learned = []
    for K in numbers:
        settings = {
            "topics": K,
            "passes": passes,
            "alpha": 1.0 / K,
            "expectation": "log",
            "start": "random",
            **PAPERS,
        }
        plain.append(_mean(bench, svi.NAME, f"LDA, K = {K}", bow, **settings))
        settings["learn"] = "alpha"
        learned.append(_mean(bench, svi.NAME, f"LDA, K = {K}, alpha learned", bow, **settings))
    rows += plain + learned
    nonparametric = rows[0]["held out"]
    lda = max(row["held out"] for row in plain)
    asymmetric = max(row["held out"] for row in learned)
    falls = plain[-1]["held out"] < lda - NEAR
    curves: Curves = {
        "LDA": _by_topics(numbers, plain),
        "LDA, alpha learned": _by_topics(numbers, learned),
        "HDP": [(float(K), nonparametric) for K in (numbers[0], numbers[-1])],
    }
    return Outcome(
        verdict=verdict(nonparametric > lda + NEAR and falls, nonparametric >= lda - NEAR or falls),
        why=f"HDP {nonparametric:.3f}; the best LDA {lda:.3f}, with a learned alpha {asymmetric:.3f};"
        f" LDA with the most topics {plain[-1]['held out']:.3f} nats per token.",
        rows=rows,
        curves=curves,
        axes=("topics", "nats per token"),
        instead=INSTEAD,
    )


def _by_topics(numbers: tuple[int, ...], rows: list[dict]) -> list[tuple[float, float]]:
    """A curve: completion by the number of topics."""
    return [(float(K), row["held out"]) for K, row in zip(numbers, rows, strict=True)]


def _grid(bench: Bench, name: str, label: str, values: tuple) -> list[dict]:
    """A row for each value of a setting, whose name in the tables is label."""
    bow = bench.corpus(CORPUS)
    rows = []
    for value in values:
        settings = PAPERS | size(bench).grid | {name: value}
        rows.append(_mean(bench, hdp.NAME, f"{label} = {value}", bow, **settings))
    return rows


def figure_12(bench: Bench) -> Outcome:
    """The forgetting rate."""
    rates = size(bench).rates
    rows = _grid(bench, "kappa", "kappa", rates)
    values = [row["held out"] for row in rows]
    curve = list(zip(rates, values, strict=True))
    best = rates[int(np.argmax(values))]
    rises = all(after >= before - NEAR for before, after in pairwise(values))
    best_of_slow = max(value for rate, value in curve if rate >= SLOW_FORGETTING)
    slow_is_good = best_of_slow >= max(values) - NEAR
    return Outcome(
        verdict=verdict(rises and best >= SLOW_FORGETTING, slow_is_good),
        why=f"The best rate is {best} ({max(values):.3f} nats per token); at {rates[0]} it is"
        f" {values[0]:.3f}, at {rates[-1]} {values[-1]:.3f}.",
        rows=rows,
        curves={"HDP": curve},
        axes=("kappa", "nats per token"),
        instead=INSTEAD,
    )


def figure_13(bench: Bench) -> Outcome:
    """The size of minibatches."""
    sizes = size(bench).minibatches
    rows = _grid(bench, "minibatch", "S", sizes)
    values = [row["held out"] for row in rows]
    curve = [(float(of_batch), value) for of_batch, value in zip(sizes, values, strict=True)]
    worst = sizes[int(np.argmin(values))]
    large = [value for of_batch, value in curve if of_batch >= LARGE_MINIBATCH]
    difference = float(np.ptp(large))
    small_is_worst = worst == sizes[0] and values[0] < max(values) - NEAR
    return Outcome(
        verdict=verdict(small_is_worst and difference < ALIKE, small_is_worst),
        why=f"The worst size is {worst} ({min(values):.3f} nats per token); those of 100 and more"
        f" differ by {difference:.3f}.",
        rows=rows,
        curves={"HDP": curve},
        axes=("documents of a minibatch", "nats per token"),
        instead=INSTEAD,
    )


HDP_EXPERIMENTS = (
    Experiment(
        "Figure 11",
        "The HDP predicts better than LDA whatever K is, and LDA overfits with many topics.",
        figure_11,
    ),
    Experiment(
        "Figure 12", "A forgetting rate near 1 leads the HDP to a better optimum.", figure_12
    ),
    Experiment(
        "Figure 13",
        "Minibatches of ten documents are too small for the HDP; large ones hardly differ.",
        figure_13,
    ),
)
