"""Than and Ho 2015, "Inference in topic models: sparsity and trade-off": Frank-Wolfe inference, and
what is learned by it.

The paper's corpora can't be had; Reuters-21578, and its smaller part with --quick, stand in. Its
ratios compare programs in Python; here all are compiled, and all run on one thread.
"""

from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from benchmarks.papers.bench import (
    Bench,
    Curves,
    Experiment,
    Outcome,
    Paper,
    Trained,
    by_seconds,
    fastest,
    mean_held_out,
    mean_seconds,
    npmi,
    of_parts,
    verdict,
)
from inference import engines
from inference.engines import fw
from inference.engines.batch import expand

INSTEAD = "Reuters-21578 (18,777 documents) in the place of New York Times and PubMed"
HALF = 0.5  # of a token in a topic
ROUNDING = 1e-3
FLAT = 0.02  # nats a token: less is no difference
FLAT_TOPICS = 1.5  # topics a document
SHARES = (0.25, 0.5, 1.0)  # of the documents, in figure 2
ENOUGH_ITERATIONS = 20  # by the paper
SOONER = 10  # times: "tens to thousands"
BASE_TOPICS = 100  # of table 1: what more topics cost is compared with it
MOST_TOPICS = 1000  # with which it is compared
TIMED_DOCUMENTS = 2000  # of table 1
INFERRED_DOCUMENTS = 500  # of figure 3
PER_SECOND = {"µs": 1e6, "ns": 1e9}
DENSE_NAME = "inference dense, ns a token"
CHOSEN_NAME = "inference chosen by entries, ns a token"
TRAINING_NAME = "training, ns a token"


class Size(NamedTuple):
    """How much is trained. inferred: documents whose theta is timed. iterations: of figure 3.
    corpus, shares: of its documents, in figures 5 and 6. numbers: of topics, in table 1."""

    topics: int
    inferred: int
    iterations: tuple[int, ...]
    corpus: str
    shares: tuple[float, ...]
    numbers: tuple[int, ...]


FULL = Size(
    topics=100,
    inferred=2000,
    iterations=(1, 2, 5, 10, 20, 30, 50, 100),
    corpus="arxiv",
    shares=(0.125, 0.25, 0.5, 1.0),
    numbers=(50, 100, 300, 1000, 2000),
)
QUICK = Size(
    topics=30,
    inferred=200,
    iterations=(1, 5, 20, 50),
    corpus="reuters",
    shares=(0.25, 1.0),
    numbers=(50, 100, 300),
)
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


def size(bench: Bench) -> Size:
    return QUICK if bench.quick else FULL


def _inferred(trained: Trained, documents: int) -> tuple[float, float]:
    """Seconds that a document's theta takes, and how many topics a document has half a token of, on
    average."""
    end = min(documents, trained.bow.D)
    infer = partial(trained.engine.fold_in, trained.config, trained.state, trained.bow, 0, end)
    theta = infer()
    lengths = trained.bow.lengths[:end]
    document = np.repeat(np.arange(end), np.diff(theta.indptr))
    alpha = trained.engine.priors(trained.config, trained.state).alpha
    tokens = theta.weights * (alpha.sum() + lengths[document]) - alpha[theta.topics]
    topics = (tokens >= HALF - ROUNDING).sum()
    documents_with_words = max(1, (lengths > 0).sum())
    return fastest(infer) / end, float(topics / documents_with_words)


def _one_pass(bench: Bench, name: str, seed: int, **settings: Any) -> Trained:
    settings = {"topics": size(bench).topics, "passes": 1, **settings}
    return bench.train(name, bench.corpus("reuters"), seed, **settings)


def time_of_inference(bench: Bench) -> Outcome:
    """Figure 1: microseconds a document, by engine."""
    column = "microseconds a document"
    rows: list[dict[str, Any]] = []
    for label, (name, settings) in BY_INFERENCE.items():
        trained = _one_pass(bench, name, bench.seeds[0], **settings)
        seconds, topics = _inferred(trained, size(bench).inferred)
        rows.append({"engine": label, column: PER_SECOND["µs"] * seconds, "topics": topics})
    ours = rows[0][column]
    others = [row[column] for row in rows if row["engine"] in OTHERS]
    return Outcome(
        verdict=verdict(ours < min(others), ours < max(others)),
        why=f"Frank-Wolfe takes {ours:.0f} µs a document, the other engines {min(others):.0f} to"
        f" {max(others):.0f} µs.",
        rows=rows,
        instead=INSTEAD,
    )


def sparsity(bench: Bench) -> Outcome:
    """Figure 2: topics a document, by engine and by the share of the corpus trained on."""
    column = "share of the corpus"
    rows: list[dict[str, Any]] = []
    curves: Curves = {}
    bow = bench.corpus("reuters")
    for label, (name, settings) in BY_INFERENCE.items():
        curves[label] = []
        for share in SHARES:
            trained = bench.train(
                name,
                bow,
                bench.seeds[0],
                topics=size(bench).topics,
                passes=1,
                looks=1,
                documents=np.arange(int(share * bow.D)),
                **settings,
            )
            topics = _inferred(trained, size(bench).inferred)[1]
            rows.append({"engine": label, column: share, "topics": topics})
            curves[label].append((share, topics))
    labels = list(BY_INFERENCE)
    frank_wolfe = [topics for _, topics in curves[labels[0]]]
    sampler = [topics for _, topics in curves[labels[2]]]
    flat = max(frank_wolfe) - min(frank_wolfe) <= FLAT_TOPICS
    fewer = max(frank_wolfe) < max(sampler)
    return Outcome(
        verdict=of_parts(flat, fewer),
        why=f"Frank-Wolfe gives a document {min(frank_wolfe):.1f} to {max(frank_wolfe):.1f} topics,"
        f" sampling {min(sampler):.1f} to {max(sampler):.1f}, as more documents are trained on.",
        rows=rows,
        curves=curves,
        axes=(column, "topics a document"),
        instead=INSTEAD,
    )


def iterations(bench: Bench) -> Outcome:
    """Figure 3: held-out completion by iterations of Frank-Wolfe."""
    rows: list[dict[str, Any]] = []
    curve = []
    for count in size(bench).iterations:
        settings = {"inference": "fw", "learn": "ml", "iterations": count}
        runs = [_one_pass(bench, fw.NAME, seed, **settings) for seed in bench.seeds]
        rows.append(
            {
                "L": count,
                "held-out": mean_held_out(runs),
                "topics": _inferred(runs[0], INFERRED_DOCUMENTS)[1],
                "seconds": mean_seconds(runs),
            }
        )
        curve.append((float(count), mean_held_out(runs)))
    enough = [row["held-out"] for row in rows if row["L"] >= ENOUGH_ITERATIONS]
    spread = max(enough) - min(enough)
    gained = enough[0] - rows[0]["held-out"]
    return Outcome(
        verdict=verdict(spread <= FLAT, spread <= max(gained, 0.0) / 2),
        why=f"From 20 iterations on completion differs by {spread:.3f} nats; from 1 to 20 it changes by"
        f" {gained:.3f}.",
        rows=rows,
        curves={"ML by fw": curve},
        axes=("iterations", "nats per token"),
        instead=INSTEAD,
    )


def predictiveness(bench: Bench) -> Outcome:
    """Figure 4: held-out completion and seconds after one pass, by learner."""
    rows: list[dict[str, Any]] = []
    curves: Curves = {}
    for label, (name, settings) in (LEARNERS | OTHERS).items():
        trained = [_one_pass(bench, name, seed, split="tokens", **settings) for seed in bench.seeds]
        rows.append(
            {
                "learner": label,
                "held-out": mean_held_out(trained),
                "seconds": mean_seconds(trained),
                "NPMI": float(np.mean([npmi(run) for run in trained])),
            }
        )
        curves[label] = by_seconds(trained[0])
    ours = rows[: len(LEARNERS)]
    others = rows[len(LEARNERS) :]
    ml = next(row for row in ours if row["learner"] == "ML by fw")
    best_other = max(others, key=lambda row: row["held-out"])
    best = max(ours, key=lambda row: row["held-out"])
    factor = best_other["seconds"] / best["seconds"]
    ahead = best["held-out"] >= best_other["held-out"] and factor >= 1
    far_ahead = ahead and best is ml and factor >= SOONER
    of_family = f"{best['held-out']:.3f} nats (ML by fw {ml['held-out']:.3f})"
    of_others = f"{best_other['learner']} at {best_other['held-out']:.3f}"
    return Outcome(
        verdict=verdict(far_ahead, ahead),
        why=f"After one pass {best['learner']} is the best of the paper's family at {of_family};"
        f" of the others {of_others}, which takes {factor:.1f} times as long.",
        rows=rows,
        curves=curves,
        axes=("seconds", "nats per token"),
        instead=INSTEAD,
    )


def coherence(bench: Bench) -> Outcome:
    """Figures 5 and 6: NPMI by documents seen, by learner."""
    rows: list[dict[str, Any]] = []
    curves: Curves = {}
    bow = bench.corpus(size(bench).corpus)
    for label, (_, settings) in LEARNERS.items():
        curves[label] = []
        for share in size(bench).shares:
            documents = np.arange(int(share * bow.D))
            runs = [
                bench.train(
                    fw.NAME,
                    bow,
                    seed,
                    topics=size(bench).topics,
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
                    "seconds": mean_seconds(runs),
                }
            )
            curves[label].append((float(len(documents)), value))
    last = {label: points[-1][1] for label, points in curves.items()}
    lowest = min(last, key=lambda label: last[label])
    by_fw = {label: value for label, value in last.items() if label.endswith("fw")}
    lowest_fw = min(by_fw, key=lambda label: by_fw[label])
    return Outcome(
        verdict=verdict(lowest == "Streaming by fw", lowest_fw == "Streaming by fw"),
        why=f"With all documents seen {lowest} has the lowest NPMI, {last[lowest]:.3f}; of those by"
        f" Frank-Wolfe {lowest_fw}.",
        rows=rows,
        curves=curves,
        axes=("documents", "NPMI"),
        instead="arXiv (50,000 abstracts) in the place of PubMed",
    )


def cost(bench: Bench) -> Outcome:
    """Table 1: nanoseconds a token, by the number of topics."""
    rows: list[dict[str, Any]] = []
    names = (DENSE_NAME, CHOSEN_NAME, TRAINING_NAME)
    curves: Curves = {name.partition(",")[0]: [] for name in names}
    bow = bench.corpus("reuters")
    for topics in size(bench).numbers:
        run = bench.train(fw.NAME, bow, bench.seeds[0], topics=topics, passes=1, looks=1)
        row = {
            "K": topics,
            TRAINING_NAME: PER_SECOND["ns"] * run.seconds / run.state.tokens,
            "entries a word": run.state.count_parameters() / bow.V,
            DENSE_NAME: _inference(run, fw.DENSE),
            CHOSEN_NAME: _inference(run, fw.AUTOMATIC),
        }
        rows.append(row)
        for name in names:
            curves[name.partition(",")[0]].append((float(topics), float(row[name])))
    base = next(row for row in rows if row["K"] == BASE_TOPICS)
    compared = [row for row in rows if row["K"] <= MOST_TOPICS]
    last = max(compared, key=lambda row: row["K"])
    linear = last["K"] / BASE_TOPICS
    dense = last[DENSE_NAME] / base[DENSE_NAME]
    chosen = last[TRAINING_NAME] / base[TRAINING_NAME]
    return Outcome(
        verdict=verdict(dense >= linear / 2, dense >= linear / 4),
        why=f"From 100 to {last['K']} topics the dense form of inference takes {dense:.1f} times as"
        f" long, where O(K n) is {linear:.0f} times; training with sparse rows takes {chosen:.1f}"
        " times as long, with the same results.",
        rows=rows,
        curves=curves,
        axes=("K", "ns a token"),
        instead=INSTEAD,
    )


def _inference(run: Trained, form: int) -> float:
    """Nanoseconds a token that OPE takes for 2,000 documents, with blocks of one form."""
    documents = run.documents[:TIMED_DOCUMENTS]
    config = cast("fw.Resolved", run.config)
    weights = fw.weights_of(config, run.state)
    batch = expand(run.bow, documents)
    gathered = fw.gather_rows(config, run.state, batch.words, weights)
    keys = np.arange(len(documents), dtype=np.uint64)
    infer = partial(fw.infer_theta, config, batch, gathered, weights, keys, False, form)
    return PER_SECOND["ns"] * fastest(infer) / batch.token_ptr[-1]


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
