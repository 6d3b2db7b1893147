"""Paper 000, Mimno, Hoffman and Blei (2012): its figures 1 to 4 and section 4.4, with svi and smc
beside ssi.

The paper's corpus (350,000 articles of Science, Nature and PNAS) can't be had; Reuters-21578 stands
in, or another of STAND_INS. What the paper does not say (B and S of section 4.2, eta) is as it
recommends: five sweeps, eta 0.4. tau0 is the paper's, {3000 … 300000}, divided as the corpus is
smaller than the paper's. p is of a two-sample t-test over the topics or documents of all seeds, as
in the paper, and significant below 0.001, or below 0.05 where a claim is of equality. `topics` in
the tables are those that list two words at least, by run: of the others there is no coherence.
"""

from typing import Any, NamedTuple

import numpy as np

from benchmarks.engines import corpora
from benchmarks.papers.bench import Bench, Experiment, Outcome, Paper, Trained, of_parts, umass
from inference import Bow, Topics
from inference.engines import smc, ssi, svi
from inference.evaluate import LeftToRight
from inference.schedule import held_out_documents

SAMPLED: dict[str, Any] = {
    "statistics": "decay",
    "expectation": "log",
    "draws": 1,
    "alpha": 0.1,
    "eta": 0.4,
    "minibatch": 100,
    "kappa": 0.6,
    "burn_in": 2,
    "samples": 3,
}
VARIATIONAL: dict[str, Any] = {
    "expectation": "log",
    "start": "random",
    "alpha": 0.1,
    "eta": 0.4,
    "minibatch": 100,
    "kappa": 0.6,
    "truncate": 0.0,
    "tolerance": 0.0,
}
SWEEPS = 5  # B + S, and the variational engine's iterations
PAIRS = ((1, 1), (2, 1), (3, 1), (2, 3), (3, 2), (4, 1), (5, 5), (10, 10), (20, 20))  # B, S
DELAYS = (3000, 15000, 30000, 150000, 300000)
DOCUMENTS = 350_000  # of the paper
SHARES = (1.0, 0.5, 0.25, 0.125)
SIGNIFICANT = 1e-3
EQUAL = 0.05
# of figure 3
RUNS = 10
QUICK_RUNS = 3
SCORED, QUICK_SCORED, MOST = (
    200,
    30,
    300,
)  # documents that are scored from left to right, and their tokens
STAND_INS = {
    "reuters": "Reuters-21578 (18,777 newswire articles)",
    "arxiv": "50,000 abstracts of arXiv",
    corpora.LONG: (
        f"50,000 abstracts of arXiv, {corpora.TOGETHER} of one category joined as a document each,"
    ),
}


def instead(bench: Bench) -> str:
    return f"{STAND_INS[bench.stand_in]} for 350,000 articles of Science, Nature and PNAS."


class Measured(NamedTuple):
    """coherence: float64[n], UMass by topic. held_out: completion, nats per token. documents:
    float64[m], left-to-right, nats per token of each document. entropy: float64[K], nats, of the
    topics. seconds: of steps."""

    coherence: np.ndarray
    held_out: float
    documents: np.ndarray
    entropy: np.ndarray
    seconds: float


def delay(bow: Bow, tau0: int = DELAYS[0]) -> float:
    """A delay of the paper, for a corpus of another size."""
    return float(max(1, round(tau0 * bow.D / DOCUMENTS)))


def measured(bench: Bench, trained: Trained, bow: Bow, seed: int, scored: bool) -> Measured:
    held_out = (
        held_out_documents(bow, seed)[: QUICK_SCORED if bench.quick else SCORED]
        if scored
        else np.zeros(0, np.int64)
    )
    judge = LeftToRight(bow, held_out, 10, most=MOST)
    documents = (
        judge.documents_log(trained.topics, 0.1) / np.maximum(np.diff(judge.indptr), 1)
        if scored
        else np.zeros(0)
    )
    return Measured(
        umass(trained), trained.held_out, documents, entropy(trained.topics), trained.seconds
    )


def entropy(topics: Topics) -> np.ndarray:
    """float64[K], nats."""
    beta = topics.dense()
    return -(beta * np.log(np.maximum(beta, 1e-300))).sum(axis=1)


def runs(
    bench: Bench, engine: str, seeds: Any = None, scored: bool = False, **settings: Any
) -> list[Measured]:
    """One training for each seed."""
    bow = bench.corpus(bench.stand_in)
    return [
        measured(bench, bench.train(engine, bow, seed, looks=1, **settings), bow, seed, scored)
        for seed in (bench.seeds if seeds is None else seeds)
    ]


def together(trainings: list[Measured], name: str) -> np.ndarray:
    return np.concatenate([np.atleast_1d(getattr(one, name)) for one in trainings])


def p_value(a: np.ndarray, b: np.ndarray) -> float:
    """p of Welch's t-test; 1 where there is none: with fewer than two values, or where all are
    equal."""
    from scipy.stats import ttest_ind

    if min(len(a), len(b)) < 2 or np.ptp(np.concatenate((a, b))) == 0:
        return 1.0
    return float(ttest_ind(a, b, equal_var=False).pvalue)


def worse(a: np.ndarray, b: np.ndarray, level: float) -> bool:
    """Whether the mean of a is below that of b, with a p below this level."""
    return bool(a.mean() < b.mean() and p_value(a, b) < level)


def judged(true: dict[str, bool], before: str = "", after: str = "") -> tuple[str, str]:
    """holds where all parts of a claim are true, in part where some are; and which, between what is
    said besides."""
    told = "; ".join(f"{part}: {'yes' if holds else 'no'}" for part, holds in true.items())
    return of_parts(*true.values()), f"{before}{told}.{after}"


def slope(points: list[tuple[float, float]]) -> float:
    """The slope of log y by log x, by least squares."""
    logs = np.log(np.array(points))
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def figure_1(bench: Bench) -> Outcome:
    """Seconds for a minibatch of 100 documents, by K; one pass, five sweeps or iterations."""
    bow = bench.corpus(bench.stand_in)
    dense = {**VARIATIONAL, "tau0": delay(bow), "iterations": SWEEPS, "passes": 1}
    kinds: dict[str, tuple[str, dict[str, Any]]] = {
        "sampled": (ssi.NAME, SAMPLED | {"tau0": delay(bow), "passes": 1}),
        "variational, all topics": (svi.NAME, dense),
        "variational, active topics": (svi.NAME, dense | {"truncate": 0.1}),
    }
    lines: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
    for K in (50, 100, 200) if bench.quick else (50, 100, 200, 400, 1000, 2000):
        for name, (engine, settings) in kinds.items():
            trained = bench.train(engine, bow, bench.seeds[0], looks=1, topics=K, **settings)
            lines[name].append((float(K), trained.seconds / trained.state.t))
    slopes = {name: slope(line) for name, line in lines.items()}
    first, second, _ = lines
    slower = [K for (K, a), (_, b) in zip(lines[first], lines[second], strict=True) if b > a]
    true = {
        "variational linear in K (power above 0.8)": slopes[second] > 0.8,
        "sampled grows more slowly": slopes[first] < slopes[second] - 0.1,
        "sampled faster at the largest K": lines[first][-1][1] < lines[second][-1][1],
    }
    powers = ", ".join(f"{name} {power:.2f}" for name, power in slopes.items())
    crossing = (
        f"from K = {slower[0]:.0f} on sampling is faster"
        if slower
        else "sampling is nowhere faster"
    )
    table = [
        {"K": int(line[0][0])} | {name: y for name, (_, y) in zip(lines, line, strict=True)}
        for line in zip(*lines.values(), strict=True)
    ]
    return Outcome(
        *judged(true, after=f" Seconds grow as a power of K: {powers}; {crossing}."),
        table,
        lines,
        ("K", "seconds a minibatch"),
        instead(bench),
    )


def row(name: str, trainings: list[Measured], scored: bool = True) -> dict[str, Any]:
    coherence = together(trainings, "coherence")
    entropies = together(trainings, "entropy")
    out = {
        "": name,
        "topics": len(coherence) / len(trainings),
        "coherence": coherence.mean(),
        "worst tenth": float(np.quantile(coherence, 0.1)),
        "completion": float(np.mean([one.held_out for one in trainings])),
    }
    if scored:
        out |= {
            "left to right": float(together(trainings, "documents").mean()),
            "entropy of topics": f"{entropies.mean():.2f} ± {entropies.std():.2f}",
        }
    return out | {"seconds": float(np.mean([one.seconds for one in trainings]))}


def figure_2(bench: Bench) -> Outcome:
    """Coherence by topic, held-out probability by document, and the topics' entropy; also with ten
    times the iterations, for the paper's guess that its variational engine had not converged."""
    bow = bench.corpus(bench.stand_in)
    K = 50 if bench.quick else 200
    shared: dict[str, Any] = {"topics": K, "passes": 3 if bench.quick else 5, "tau0": delay(bow)}
    found: dict[str, list[Measured]] = {}
    for eta in (0.4,) if bench.quick else (0.1, 0.4, 0.6):
        found[f"sampled, eta {eta}"] = runs(
            bench, ssi.NAME, scored=True, **SAMPLED | shared | {"eta": eta}
        )
        for iterations in (SWEEPS, 10 * SWEEPS):
            settings = VARIATIONAL | shared | {"eta": eta, "iterations": iterations}
            found[f"variational, eta {eta}, {iterations} iterations"] = runs(
                bench, svi.NAME, scored=True, **settings
            )
    a, b, more = (
        found[f"{name}"]
        for name in (
            "sampled, eta 0.4",
            f"variational, eta 0.4, {SWEEPS} iterations",
            f"variational, eta 0.4, {10 * SWEEPS} iterations",
        )
    )
    p = p_value(together(a, "coherence"), together(b, "coherence"))
    documents = together(a, "documents")
    others = together(b, "documents")
    better = float((documents > others).mean())
    true = {
        f"sampled topics more coherent (p {p:.2g})": (
            together(a, "coherence").mean() > together(b, "coherence").mean() and p < SIGNIFICANT
        ),
        f"held-out documents more probable ({better:.0%} of them)": better > 0.95,
        "variational topics have the lower entropy": (
            together(b, "entropy").mean() < together(a, "entropy").mean()
        ),
    }
    gap, left = (
        float(together(a, "documents").mean() - together(trainings, "documents").mean())
        for trainings in (b, more)
    )
    guess = (
        f"With ten times the iterations the gap in held-out probability goes from {gap:.3f} to"
        f" {left:.3f} nats per token"
    )
    return Outcome(
        *judged(true, after=f" {guess}."),
        [row(name, trainings) for name, trainings in found.items()],
        instead=instead(bench),
    )


def figure_3(bench: Bench) -> Outcome:
    """One pass over the corpus, in another order for each run."""
    bow = bench.corpus(bench.stand_in)
    K = 50 if bench.quick else 200
    seeds = range(1, 1 + (QUICK_RUNS if bench.quick else RUNS))
    shared: dict[str, Any] = {"topics": K, "passes": 1}
    found = {
        "sampled": runs(bench, ssi.NAME, seeds, True, **SAMPLED | shared | {"tau0": delay(bow)})
    }
    for eta in (0.1, 0.4):
        found[f"sequential Monte Carlo, eta {eta}"] = runs(
            bench, smc.NAME, seeds, True, alpha=0.1, eta=eta, sweeps=SWEEPS, **shared
        )
    ours, *others = found.values()
    true = {
        f"its {what} is worse at each eta (p below {EQUAL})": all(
            worse(together(one, name), together(ours, name), EQUAL) for one in others
        )
        for what, name in (("coherence", "coherence"), ("held-out probability", "documents"))
    }
    means = ", ".join(
        f"{name} {together(trainings, 'documents').mean():.3f}" for name, trainings in found.items()
    )
    return Outcome(
        *judged(true, "Of sequential Monte Carlo, ", f" Left to right: {means}."),
        [row(*one) for one in found.items()],
        instead=instead(bench),
    )


def samples(bench: Bench) -> Outcome:
    """Section 4.4: burn-in sweeps B and saved sweeps S."""
    bow = bench.corpus(bench.stand_in)
    K = 30 if bench.quick else 100
    pairs = ((1, 1), (2, 3), (5, 5)) if bench.quick else PAIRS
    shared = SAMPLED | {"topics": K, "passes": 3 if bench.quick else 5, "tau0": delay(bow)}
    found = {
        f"B = {b}, S = {s}": runs(bench, ssi.NAME, **shared | {"burn_in": b, "samples": s})
        for b, s in pairs
    }
    held = {
        name: float(np.mean([one.held_out for one in trainings]))
        for name, trainings in found.items()
    }
    coherence = {name: together(trainings, "coherence") for name, trainings in found.items()}
    few, usual, most = (f"B = {b}, S = {s}" for b, s in (pairs[0], (2, 3), pairs[-1]))
    true = {
        "(1, 1) is the worst held out": held[few] == min(held.values()),
        "(1, 1) is more coherent than (2, 3)": coherence[few].mean() > coherence[usual].mean(),
        f"{pairs[-1]} is less coherent than (2, 3)": (
            coherence[most].mean() < coherence[usual].mean()
        ),
        f"five sweeps are within 0.05 nats of {pairs[-1]}": held[most] - held[usual] < 0.05,
    }
    rows = [
        row(name, trainings, False) | {"p": p_value(coherence[name], coherence[usual])}
        for name, trainings in found.items()
    ]
    return Outcome(*judged(true), rows, instead=instead(bench))


def smoothing(bench: Bench) -> Outcome:
    """Section 4.4: eta, of sampling; and of variational Bayes, where it is there."""
    bow = bench.corpus(bench.stand_in)
    K = 30 if bench.quick else 100
    etas = (0.1, 0.4, 0.6) if bench.quick else (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    shared: dict[str, Any] = {"topics": K, "passes": 3 if bench.quick else 5, "tau0": delay(bow)}
    found = {eta: runs(bench, ssi.NAME, **SAMPLED | shared | {"eta": eta}) for eta in etas}
    rows = [row(f"sampled, eta {eta}", trainings, False) for eta, trainings in found.items()]
    rows += [
        row(
            f"variational, eta {eta}",
            runs(bench, svi.NAME, **VARIATIONAL | shared | {"iterations": SWEEPS, "eta": eta}),
            False,
        )
        for eta in etas
    ]
    coherence = {eta: together(trainings, "coherence") for eta, trainings in found.items()}
    means = [coherence[eta].mean() for eta in etas if eta <= 0.4]
    p = p_value(coherence[0.1], coherence[0.4])
    later = {eta: p_value(coherence[eta], coherence[0.4]) for eta in etas if eta > 0.4}
    true = {
        f"coherence rises at each step up to 0.4, by {means[-1] - means[0]:.1f} in all (p {p:.2g})": bool(
            (np.diff(means) > 0).all() and p < SIGNIFICANT
        ),
        "no significant difference beyond 0.4": all(value > EQUAL for value in later.values()),
    }
    curves = {
        "sampled": [(eta, float(coherence[eta].mean())) for eta in etas],
        "variational": [
            (eta, one["coherence"]) for eta, one in zip(etas, rows[len(etas) :], strict=True)
        ],
    }
    return Outcome(*judged(true), rows, curves, ("eta", "coherence"), instead(bench))


def figure_4(bench: Bench) -> Outcome:
    """Section 4.4 and figure 4: tau0, on parts of the corpus, each a part of the one before."""
    bow = bench.corpus(bench.stand_in)
    K = 30 if bench.quick else 100
    order = np.random.default_rng(0).permutation(bow.D)
    delays = DELAYS[::2] if bench.quick else DELAYS
    shared = SAMPLED | {"topics": K, "passes": 3 if bench.quick else 5}
    rows: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    coherence = {}
    for share in (SHARES[0], SHARES[-1]) if bench.quick else SHARES:
        documents = np.sort(order[: int(share * bow.D)])
        for tau0 in delays:
            trainings = runs(
                bench, ssi.NAME, **shared | {"tau0": delay(bow, tau0), "documents": documents}
            )
            coherence[share, tau0] = together(trainings, "coherence")
            p = p_value(coherence[share, tau0], coherence[share, delays[0]])
            rows.append(
                {"share": f"{share:.1%}"}
                | row(f"tau0 {delay(bow, tau0):.0f}", trainings, False)
                | {"p": p}
            )
        curves[f"{share:.1%} of the documents"] = [
            (delay(bow, tau0), float(coherence[share, tau0].mean())) for tau0 in delays
        ]
    shares = sorted({share for share, _ in coherence})
    smallest = [coherence[shares[0], tau0] for tau0 in delays]
    other = [
        p_value(coherence[share, tau0], coherence[share, delays[0]])
        for share, tau0 in coherence
        if share > shares[0] and tau0 != delays[0]
    ]
    true = {
        f"the largest tau0 is worse on {shares[0]:.1%} of the documents": all(
            worse(smallest[-1], one, SIGNIFICANT) for one in smallest[:-1]
        ),
        "elsewhere no significant difference": all(p > SIGNIFICANT for p in other),
        "none on the whole corpus": all(
            p_value(coherence[1.0, tau0], coherence[1.0, delays[0]]) > SIGNIFICANT
            for tau0 in delays
        ),
    }
    return Outcome(*judged(true), rows, curves, ("tau0", "coherence"), instead(bench))


PAPER = Paper(
    "000",
    "David Mimno, Matthew D. Hoffman and David M. Blei. Sparse stochastic inference for latent"
    " Dirichlet allocation. ICML 2012.",
    (
        Experiment(
            "Figure 1",
            "A minibatch of online variational Bayes takes time linear in K; sampled inference"
            " grows more slowly.",
            figure_1,
        ),
        Experiment(
            "Figure 2",
            "At K = 200 sampled inference has fewer very poor topics (p < 0.001), a higher"
            " probability for every held-out document, and topics of higher entropy (6.8 ± 0.46"
            " against 6.0 ± 0.58).",
            figure_2,
        ),
        Experiment(
            "Figure 3",
            "One pass of sequential Monte Carlo has consistently worse coherence by topic and"
            " held-out probability by document.",
            figure_3,
        ),
        Experiment(
            "Section 4.4 samples",
            "(1, 1) is better in coherence and worse held out; many sweeps are worse in coherence;"
            " three to five sweeps are enough.",
            samples,
        ),
        Experiment(
            "Section 4.4 smoothing",
            "Coherence improves significantly with each eta up to 0.4; between 0.4, 0.5 and 0.6"
            " there is no significant difference.",
            smoothing,
        ),
        Experiment(
            "Figure 4",
            "tau0 makes no significant difference to coherence, but for the largest on an eighth of"
            " the corpus, which is worse (p < 0.001).",
            figure_4,
        ),
    ),
)
