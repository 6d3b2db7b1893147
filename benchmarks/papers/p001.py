"""Than and Ho 2015, "Inference in topic models: sparsity and trade-off": Frank-Wolfe inference, and
what is learned by it.

The paper's corpora can't be had; Reuters-21578, and its smaller part with --quick, stand in. Its
ratios compare programs in Python; here all are compiled, and all run on one thread.
"""

from functools import partial
from typing import Any, cast

import numpy as np

from benchmarks.papers.bench import (
    Bench,
    Experiment,
    Outcome,
    Paper,
    Trained,
    fastest,
    npmi,
    of_parts,
    verdict,
)
from inference import engines
from inference.engines import fw
from inference.engines.batch import expand

INSTEAD = "Reuters-21578 (18,777 documents) in the place of New York Times and PubMed"
HALF = 0.5
FLAT = 0.02  # nats a token: less is no difference
K = 100
QUICK_K = 30
LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    f"{name} by {inference}": (fw.NAME, {"learn": learn, "inference": inference})
    for name, learn in (("ML", "ml"), ("Online", "online"), ("Streaming", "streaming"))
    for inference in ("fw", "ope")
}
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    name: (name, {}) for name in engines.ENGINES if name != fw.NAME
}
BY_INFERENCE = {
    f"{fw.NAME} {kind}": (fw.NAME, {"inference": kind}) for kind in ("fw", "ope")
} | OTHERS


def _topics(bench: Bench) -> int:
    return QUICK_K if bench.quick else K


def _inferred(trained: Trained, documents: int) -> tuple[float, float]:
    """Seconds that a document's theta takes, and how many topics a document has half a token of, on
    average."""
    end = min(documents, trained.bow.D)
    infer = partial(trained.engine.fold_in, trained.config, trained.state, trained.bow, 0, end)
    theta = infer()
    lengths = np.diff(trained.bow.first_token)[:end]
    document = np.repeat(np.arange(end), np.diff(theta.indptr))
    alpha = trained.engine.priors(trained.config, trained.state).alpha
    tokens = theta.weights * (alpha.sum() + lengths[document]) - alpha[theta.topics]
    return fastest(infer) / end, float((tokens >= HALF - 1e-3).sum() / max(1, (lengths > 0).sum()))


def _one_pass(bench: Bench, name: str, seed: int, **settings: Any) -> Trained:
    return bench.train(
        name, bench.corpus("reuters"), seed, topics=_topics(bench), **{"passes": 1, **settings}
    )


def time_of_inference(bench: Bench) -> Outcome:
    rows: list[dict[str, Any]] = []
    for label, (name, settings) in BY_INFERENCE.items():
        seconds, found = _inferred(
            _one_pass(bench, name, bench.seeds[0], **settings), 200 if bench.quick else 2000
        )
        rows.append({"engine": label, "microseconds a document": 1e6 * seconds, "topics": found})
    ours = rows[0]["microseconds a document"]
    others = [row["microseconds a document"] for row in rows[2:]]
    return Outcome(
        verdict(ours < min(others), ours < max(others)),
        f"Frank-Wolfe takes {ours:.0f} µs a document, the other engines {min(others):.0f} to"
        f" {max(others):.0f} µs.",
        rows,
        instead=INSTEAD,
    )


def sparsity(bench: Bench) -> Outcome:
    rows: list[dict[str, Any]] = []
    bow = bench.corpus("reuters")
    for label, (name, settings) in BY_INFERENCE.items():
        for share in (0.25, 0.5, 1.0):
            trained = bench.train(
                name,
                bow,
                bench.seeds[0],
                topics=_topics(bench),
                passes=1,
                looks=1,
                documents=np.arange(int(share * bow.D)),
                **settings,
            )
            rows.append(
                {
                    "engine": label,
                    "share of the corpus": share,
                    "topics": _inferred(trained, 200 if bench.quick else 2000)[1],
                }
            )
    frank_wolfe = [row["topics"] for row in rows[:3]]
    sampler = [row["topics"] for row in rows[6:9]]
    flat = max(frank_wolfe) - min(frank_wolfe) <= 1.5
    fewer = max(frank_wolfe) < max(sampler)
    curves = {
        label: [
            (row["share of the corpus"], row["topics"]) for row in rows if row["engine"] == label
        ]
        for label in BY_INFERENCE
    }
    return Outcome(
        of_parts(flat, fewer),
        f"Frank-Wolfe gives a document {min(frank_wolfe):.1f} to {max(frank_wolfe):.1f} topics,"
        f" sampling {min(sampler):.1f} to {max(sampler):.1f}, as more documents are trained on.",
        rows,
        curves,
        ("share of the corpus", "topics a document"),
        INSTEAD,
    )


def iterations(bench: Bench) -> Outcome:
    rows: list[dict[str, Any]] = []
    for count in (1, 5, 20, 50) if bench.quick else (1, 2, 5, 10, 20, 30, 50, 100):
        runs = [
            _one_pass(bench, fw.NAME, seed, inference="fw", learn="ml", iterations=count)
            for seed in bench.seeds
        ]
        rows.append(
            {
                "L": count,
                "held-out": float(np.mean([run.held_out for run in runs])),
                "topics": _inferred(runs[0], 500)[1],
                "seconds": float(np.mean([run.seconds for run in runs])),
            }
        )
    from_20 = [row["held-out"] for row in rows if row["L"] >= 20]
    spread = max(from_20) - min(from_20)
    gained = from_20[0] - rows[0]["held-out"]
    curve = {"ML by fw": [(float(row["L"]), float(row["held-out"])) for row in rows]}
    return Outcome(
        verdict(spread <= FLAT, spread <= max(gained, 0.0) / 2),
        f"From 20 iterations on completion differs by {spread:.3f} nats; from 1 to 20 it changes by"
        f" {gained:.3f}.",
        rows,
        curve,
        ("iterations", "nats per token"),
        INSTEAD,
    )


def predictiveness(bench: Bench) -> Outcome:
    rows: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    for label, (name, settings) in (LEARNERS | OTHERS).items():
        trained = [_one_pass(bench, name, seed, split="tokens", **settings) for seed in bench.seeds]
        rows.append(
            {
                "learner": label,
                "held-out": float(np.mean([run.held_out for run in trained])),
                "seconds": float(np.mean([run.seconds for run in trained])),
                "NPMI": float(np.mean([npmi(run) for run in trained])),
            }
        )
        curves[label] = [(point.seconds, point.held_out) for point in trained[0].points]
    ours = rows[: len(LEARNERS)]
    others = rows[len(LEARNERS) :]
    ml = next(row for row in ours if row["learner"] == "ML by fw")
    best_other = max(others, key=lambda row: row["held-out"])
    best = max(ours, key=lambda row: row["held-out"])
    factor = best_other["seconds"] / best["seconds"]
    ahead = best["held-out"] >= best_other["held-out"] and factor >= 1
    return Outcome(
        verdict(ahead and best is ml and factor >= 10, ahead),
        f"After one pass {best['learner']} is the best of the paper's family at"
        f" {best['held-out']:.3f} nats (ML by fw {ml['held-out']:.3f}); of the others"
        f" {best_other['learner']} at {best_other['held-out']:.3f}, which takes {factor:.1f} times"
        " as long.",
        rows,
        curves,
        ("seconds", "nats per token"),
        INSTEAD,
    )


def coherence(bench: Bench) -> Outcome:
    rows: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    bow = bench.corpus("reuters" if bench.quick else "arxiv")
    for label, (_, settings) in LEARNERS.items():
        for share in (0.25, 1.0) if bench.quick else (0.125, 0.25, 0.5, 1.0):
            documents = np.arange(int(share * bow.D))
            runs = [
                bench.train(
                    fw.NAME,
                    bow,
                    seed,
                    topics=_topics(bench),
                    passes=1,
                    looks=1,
                    documents=documents,
                    **settings,
                )
                for seed in bench.seeds
            ]
            value = float(np.mean([npmi(run) for run in runs]))
            rows.append(
                {
                    "learner": label,
                    "documents": len(documents),
                    "NPMI": value,
                    "seconds": float(np.mean([r.seconds for r in runs])),
                }
            )
            curves.setdefault(label, []).append((float(len(documents)), value))
    last = {label: points[-1][1] for label, points in curves.items()}
    lowest = min(last, key=lambda label: last[label])
    by_fw = {label: value for label, value in last.items() if label.endswith("fw")}
    lowest_fw = min(by_fw, key=lambda label: by_fw[label])
    return Outcome(
        verdict(lowest == "Streaming by fw", lowest_fw == "Streaming by fw"),
        f"With all documents seen {lowest} has the lowest NPMI, {last[lowest]:.3f}; of those by"
        f" Frank-Wolfe {lowest_fw}.",
        rows,
        curves,
        ("documents", "NPMI"),
        "arXiv (50,000 abstracts) in the place of PubMed",
    )


def cost(bench: Bench) -> Outcome:
    rows: list[dict[str, Any]] = []
    bow = bench.corpus("reuters")
    for topics in (50, 100, 300) if bench.quick else (50, 100, 300, 1000, 2000):
        run = bench.train(fw.NAME, bow, bench.seeds[0], topics=topics, passes=1, looks=1)
        at = {
            "K": topics,
            "training, ns a token": 1e9 * run.seconds / run.state.tokens,
            "entries a word": run.state.nonzero / bow.V,
        }
        for label, form in (("dense", fw.DENSE), ("chosen by entries", fw.AUTOMATIC)):
            at[f"inference {label}, ns a token"] = _inference(run, form)
        rows.append(at)
    first = next(row for row in rows if row["K"] == 100)
    last = max((row for row in rows if row["K"] <= 1000), key=lambda row: row["K"])
    linear = last["K"] / 100
    dense, chosen = (
        last[name] / first[name] for name in ("inference dense, ns a token", "training, ns a token")
    )
    names = (
        "inference dense, ns a token",
        "inference chosen by entries, ns a token",
        "training, ns a token",
    )
    curves = {
        name.partition(",")[0]: [(float(row["K"]), float(row[name])) for row in rows]
        for name in names
    }
    return Outcome(
        verdict(dense >= linear / 2, dense >= linear / 4),
        f"From 100 to {last['K']} topics the dense form of inference takes {dense:.1f} times as"
        f" long, where O(K n) is {linear:.0f} times; training with sparse rows takes {chosen:.1f}"
        " times as long, with the same results.",
        rows,
        curves,
        ("K", "ns a token"),
        INSTEAD,
    )


def _inference(run: Trained, form: int) -> float:
    """Nanoseconds a token that OPE takes for 2,000 documents, with blocks of one form."""
    documents = run.documents[:2000]
    config = cast("fw.Resolved", run.config)
    weights = fw._weights(config, run.state)
    batch = expand(run.bow, documents)
    gathered = fw._gather(config, run.state, batch.words, weights)
    keys = np.arange(len(documents), dtype=np.uint64)
    return (
        1e9
        * fastest(lambda: fw._infer(config, batch, gathered, weights, keys, False, form))
        / batch.token_ptr[-1]
    )


PAPER = Paper(
    "001",
    "K. Than, T. B. Ho, Inference in topic models: sparsity and trade-off. 2015",
    (
        Experiment(
            "Figure 1",
            "Frank-Wolfe infers a document faster than variational Bayes, CVB0 and Gibbs"
            " sampling do.",
            time_of_inference,
        ),
        Experiment(
            "Figure 2",
            "Frank-Wolfe gives a document few topics, however much was learned; sampling gives it"
            " more.",
            sparsity,
        ),
        Experiment(
            "Figure 3", "From 20 iterations on, quality does not change significantly.", iterations
        ),
        Experiment(
            "Figure 4",
            "ML-FW reaches good predictions tens to thousands of times sooner than its"
            " competitors.",
            predictiveness,
        ),
        Experiment(
            "Figures 5 and 6",
            "Coherence grows with the documents seen; Streaming-FW has the lowest.",
            coherence,
        ),
        Experiment(
            "Table 1", "An iteration of Frank-Wolfe costs O(K n) for a document of n words.", cost
        ),
    ),
)
