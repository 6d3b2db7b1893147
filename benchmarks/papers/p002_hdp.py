"""Paper 002's experiments with the HDP topic model: figures 11, 12 and 13; p002.py has LDA's."""

import numpy as np

from benchmarks.papers.bench import Bench, Experiment, Outcome, verdict
from inference.engines import hdp, svi

CORPUS = "arxiv"
INSTEAD = "arXiv's abstracts in the place of Nature, the New York Times and Wikipedia"
PAPERS = {
    "kappa": 0.9,
    "tau0": 1.0,
    "minibatch": 500,
    "eta": 0.01,
}  # section 4's settings of both models
NEAR = 0.01  # nats per token: less is no difference
GRID = {
    "topics": 150,
    "document_topics": 15,
    "passes": 3,
}  # of figures 12 and 13, thirty trainings: the paper has 300 and 20


def _hdp(bench: Bench, **settings) -> dict:
    """The paper's settings; with --quick smaller truncations and fewer passes."""
    size = (
        {"topics": 60, "document_topics": 8, "passes": 4}
        if bench.quick
        else {"topics": 300, "document_topics": 20}
    )
    return {"passes": 10, **PAPERS, **size, **settings}


def _grid(bench: Bench, **settings) -> dict:
    """Those of figures 12 and 13."""
    return _hdp(bench, **settings) | ({} if bench.quick else GRID)


def _mean(bench: Bench, engine: str, name: str, bow, **settings) -> dict:
    """A row: completion over the seeds, its spread, and how many topics are in use."""
    trained = [
        bench.train(engine, bow, seed, split="types", judge_alpha=0.1, looks=1, **settings)
        for seed in bench.seeds
    ]
    values = [one.held_out for one in trained]
    return {
        "model": name,
        "held out": round(float(np.mean(values)), 4),
        "spread": round(float(np.ptp(values)), 4),
        "topics in use": round(float(np.mean([one.topics.in_use().K for one in trained])), 1),
        "seconds": round(float(np.mean([one.seconds for one in trained])), 1),
    }


def figure_11(bench: Bench) -> Outcome:
    """HDP against LDA by K: with the paper's alpha = 1 / K, and with a learned alpha for each
    topic, which may be what the HDP's gain comes from."""
    bow = bench.corpus(CORPUS)
    sizes = (10, 25, 50) if bench.quick else (25, 50, 100, 200, 300)
    passes = 4 if bench.quick else 10
    rows = [
        _mean(bench, hdp.NAME, "HDP, the paper's settings", bow, **_hdp(bench)),
        _mean(
            bench,
            hdp.NAME,
            "HDP, our settings",
            bow,
            topics=60 if bench.quick else 150,
            passes=passes,
        ),
    ]
    plain = []
    learned = []
    for K in sizes:
        settings = {
            "topics": K,
            "passes": passes,
            "alpha": 1.0 / K,
            "expectation": "log",
            "start": "random",
            **PAPERS,
        }
        plain.append(_mean(bench, svi.NAME, f"LDA, K = {K}", bow, **settings))
        learned.append(
            _mean(bench, svi.NAME, f"LDA, K = {K}, alpha learned", bow, **settings, learn="alpha")
        )
    rows += plain + learned
    nonparametric = rows[0]["held out"]
    lda = max(r["held out"] for r in plain)
    asymmetric = max(r["held out"] for r in learned)
    falls = plain[-1]["held out"] < lda - NEAR
    curves = {
        "LDA": [(float(K), row["held out"]) for K, row in zip(sizes, plain, strict=True)],
        "LDA, alpha learned": [
            (float(K), row["held out"]) for K, row in zip(sizes, learned, strict=True)
        ],
        "HDP": [(float(K), nonparametric) for K in (sizes[0], sizes[-1])],
    }
    return Outcome(
        verdict(nonparametric > lda + NEAR and falls, nonparametric >= lda - NEAR or falls),
        f"HDP {nonparametric:.3f}; the best LDA {lda:.3f}, with a learned alpha {asymmetric:.3f};"
        f" LDA with the most topics {plain[-1]['held out']:.3f} nats per token.",
        rows,
        curves,
        ("topics", "nats per token"),
        INSTEAD,
    )


def figure_12(bench: Bench) -> Outcome:
    """The forgetting rate."""
    rates = (0.51, 0.7, 0.9) if bench.quick else (0.51, 0.6, 0.7, 0.8, 0.9, 1.0)
    rows = [
        _mean(bench, hdp.NAME, f"kappa = {rate}", bench.corpus(CORPUS), **_grid(bench, kappa=rate))
        for rate in rates
    ]
    values = [row["held out"] for row in rows]
    best = rates[int(np.argmax(values))]
    rises = all(b >= a - NEAR for a, b in zip(values, values[1:], strict=False))
    return Outcome(
        verdict(
            rises and best >= 0.8,
            max(v for rate, v in zip(rates, values, strict=True) if rate >= 0.8)
            >= max(values) - NEAR,
        ),
        f"The best rate is {best} ({max(values):.3f} nats per token); at {rates[0]} it is"
        f" {values[0]:.3f}, at {rates[-1]} {values[-1]:.3f}.",
        rows,
        {"HDP": list(zip(rates, values, strict=True))},
        ("kappa", "nats per token"),
        INSTEAD,
    )


def figure_13(bench: Bench) -> Outcome:
    """The size of minibatches."""
    sizes = (10, 100, 500) if bench.quick else (10, 50, 100, 500, 1000)
    rows = [
        _mean(bench, hdp.NAME, f"S = {size}", bench.corpus(CORPUS), **_grid(bench, minibatch=size))
        for size in sizes
    ]
    values = [row["held out"] for row in rows]
    worst = sizes[int(np.argmin(values))]
    large = [v for size, v in zip(sizes, values, strict=True) if size >= 100]
    alike = float(np.ptp(large))
    small_is_worst = worst == sizes[0] and values[0] < max(values) - NEAR
    return Outcome(
        verdict(small_is_worst and alike < 0.05, small_is_worst),
        f"The worst size is {worst} ({min(values):.3f} nats per token); those of 100 and more"
        f" differ by {alike:.3f}.",
        rows,
        {"HDP": list(zip(sizes, values, strict=True))},
        ("documents of a minibatch", "nats per token"),
        INSTEAD,
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
