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
from benchmarks.papers.bench import (
    Bench,
    Curves,
    Experiment,
    Outcome,
    Paper,
    Trained,
    of_parts,
    umass,
)
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
MORE_ITERATIONS = 10 * SWEEPS  # for the paper's guess that its variational engine had not converged
USUAL_ETA = 0.4  # that the paper recommends
USUAL_PAIR = (2, 3)
DOCUMENTS = 350_000  # of the paper
# p: of a difference, and of a claim of equality
SIGNIFICANT = 1e-3
EQUAL = 0.05
ENOUGH_VALUES = 2  # for a t-test, of each side
# By which parts of a claim are judged
LINEAR = 0.8  # the least power of K that is called linear
SLOWER_GROWTH = 0.1  # by which one power of K is below another
NEARLY_EVERY = 0.95  # of the documents
AS_GOOD = 0.05  # nats a token: five sweeps are enough within that
ACTIVE = 0.1  # tokens in a topic from which the variational engine visits it
SCORING_ALPHA = 0.1
PARTICLES = 10  # of scoring from left to right
MOST_TOKENS = 300  # of a document that is scored
LEAST_PROBABILITY = 1e-300  # stands for 0, which has no logarithm
WORST = 0.1  # of the topics, by coherence


class Size(NamedTuple):
    """How much is trained. topics: of figures 2 and 3; topics_of_4_4: of section 4.4; numbers: of
    topics, of figure 1. runs: of figure 3. scored: documents that are scored from left to right.
    pairs: B and S of section 4.4. shares: of the documents, and delays: tau0, of figure 4."""

    topics: int
    topics_of_4_4: int
    numbers: tuple[int, ...]
    passes: int
    runs: int
    scored: int
    etas_of_figure_2: tuple[float, ...]
    etas: tuple[float, ...]
    pairs: tuple[tuple[int, int], ...]
    shares: tuple[float, ...]
    delays: tuple[int, ...]


FULL = Size(
    topics=200,
    topics_of_4_4=100,
    numbers=(50, 100, 200, 400, 1000, 2000),
    passes=5,
    runs=10,
    scored=200,
    etas_of_figure_2=(0.1, USUAL_ETA, 0.6),
    etas=(0.1, 0.2, 0.3, USUAL_ETA, 0.5, 0.6),
    pairs=((1, 1), (2, 1), (3, 1), USUAL_PAIR, (3, 2), (4, 1), (5, 5), (10, 10), (20, 20)),
    shares=(1.0, 0.5, 0.25, 0.125),
    delays=(3000, 15000, 30000, 150000, 300000),
)
QUICK = Size(
    topics=50,
    topics_of_4_4=30,
    numbers=(50, 100, 200),
    passes=3,
    runs=3,
    scored=30,
    etas_of_figure_2=(USUAL_ETA,),
    etas=(0.1, USUAL_ETA, 0.6),
    pairs=((1, 1), USUAL_PAIR, (5, 5)),
    shares=(1.0, 0.125),
    delays=(3000, 30000, 300000),
)
STAND_INS = {
    "reuters": "Reuters-21578 (18,777 newswire articles)",
    "arxiv": "50,000 abstracts of arXiv",
    corpora.LONG: (
        f"50,000 abstracts of arXiv, {corpora.TOGETHER} of one category joined as a document each,"
    ),
}


def size(bench: Bench) -> Size:
    return QUICK if bench.quick else FULL


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


def delay(bow: Bow, tau0: int = FULL.delays[0]) -> float:
    """A delay of the paper, for a corpus of another size."""
    return float(max(1, round(tau0 * bow.D / DOCUMENTS)))


def measured(bench: Bench, trained: Trained, bow: Bow, seed: int, scored: bool) -> Measured:
    """scored: whether held-out documents are also scored from left to right."""
    by_document = np.zeros(0)
    if scored:
        held_out = held_out_documents(bow, seed)[: size(bench).scored]
        judge = LeftToRight(bow, held_out, PARTICLES, limit=MOST_TOKENS)
        tokens = np.maximum(np.diff(judge.tokens_in_order.token_ptr), 1)
        by_document = judge.documents_log(trained.topics, SCORING_ALPHA) / tokens
    return Measured(
        coherence=umass(trained),
        held_out=trained.held_out,
        documents=by_document,
        entropy=entropy(trained.topics),
        seconds=trained.seconds,
    )


def entropy(topics: Topics) -> np.ndarray:
    """float64[K], nats."""
    beta = topics.dense()
    return -(beta * np.log(np.maximum(beta, LEAST_PROBABILITY))).sum(axis=1)


def runs(
    bench: Bench, engine: str, seeds: Any = None, scored: bool = False, **settings: Any
) -> list[Measured]:
    """One training for each seed."""
    bow = bench.corpus(bench.stand_in)
    trainings = []
    for seed in bench.seeds if seeds is None else seeds:
        trained = bench.train(engine, bow, seed, looks=1, **settings)
        trainings.append(measured(bench, trained, bow, seed, scored))
    return trainings


def together(trainings: list[Measured], name: str) -> np.ndarray:
    """float64: a field of Measured, of all trainings."""
    return np.concatenate([np.atleast_1d(getattr(training, name)) for training in trainings])


def mean(trainings: list[Measured], name: str) -> float:
    return float(together(trainings, name).mean())


def p_value(a: np.ndarray, b: np.ndarray) -> float:
    """p of Welch's t-test of two samples, a and b; 1 where there is none: with fewer than two
    values, or where all are equal."""
    from scipy.stats import ttest_ind

    all_are_equal = np.ptp(np.concatenate((a, b))) == 0
    if min(len(a), len(b)) < ENOUGH_VALUES or all_are_equal:
        return 1.0
    return float(ttest_ind(a, b, equal_var=False).pvalue)


def worse(a: np.ndarray, b: np.ndarray, level: float) -> bool:
    """Whether the mean of a is below that of b, with a p below this level."""
    return bool(a.mean() < b.mean() and p_value(a, b) < level)


def judged(true: dict[str, bool], before: str = "", after: str = "") -> tuple[str, str]:
    """holds where all parts of a claim are true, in part where some are; and which, between what is
    said besides."""
    answers = [f"{part}: {'yes' if holds else 'no'}" for part, holds in true.items()]
    return of_parts(*true.values()), f"{before}{'; '.join(answers)}.{after}"


def outcome(
    bench: Bench,
    true: dict[str, bool],
    rows: list[dict[str, Any]],
    curves: Curves | None = None,
    axes: tuple[str, str] = ("", ""),
) -> Outcome:
    """What came out, by the parts of a claim and whether each is true."""
    answer, why = judged(true)
    return Outcome(answer, why, rows, curves or {}, axes, instead(bench))


def slope(points: list[tuple[float, float]]) -> float:
    """The slope of log y by log x, by least squares."""
    logs = np.log(np.array(points))
    return float(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])


def figure_1(bench: Bench) -> Outcome:
    """Seconds for a minibatch of 100 documents, by K; one pass, five sweeps or iterations."""
    bow = bench.corpus(bench.stand_in)
    dense = {**VARIATIONAL, "tau0": delay(bow), "iterations": SWEEPS, "passes": 1}
    sampled = "sampled"
    variational = "variational, all topics"
    kinds: dict[str, tuple[str, dict[str, Any]]] = {
        sampled: (ssi.NAME, SAMPLED | {"tau0": delay(bow), "passes": 1}),
        variational: (svi.NAME, dense),
        "variational, active topics": (svi.NAME, dense | {"truncate": ACTIVE}),
    }
    lines: Curves = {name: [] for name in kinds}
    rows: list[dict[str, Any]] = []
    for K in size(bench).numbers:
        row_of_K: dict[str, Any] = {"K": K}
        for name, (engine, settings) in kinds.items():
            trained = bench.train(engine, bow, bench.seeds[0], looks=1, topics=K, **settings)
            row_of_K[name] = trained.seconds / trained.state.t
            lines[name].append((float(K), row_of_K[name]))
        rows.append(row_of_K)
    slopes = {name: slope(line) for name, line in lines.items()}
    faster_from = [row_of_K["K"] for row_of_K in rows if row_of_K[variational] > row_of_K[sampled]]
    true = {
        "variational linear in K (power above 0.8)": slopes[variational] > LINEAR,
        "sampled grows more slowly": slopes[sampled] < slopes[variational] - SLOWER_GROWTH,
        "sampled faster at the largest K": rows[-1][sampled] < rows[-1][variational],
    }
    powers = ", ".join(f"{name} {power:.2f}" for name, power in slopes.items())
    crossing = "sampling is nowhere faster"
    if faster_from:
        crossing = f"from K = {faster_from[0]} on sampling is faster"
    answer, why = judged(true, after=f" Seconds grow as a power of K: {powers}; {crossing}.")
    return Outcome(
        verdict=answer,
        why=why,
        rows=rows,
        curves=lines,
        axes=("K", "seconds a minibatch"),
        instead=instead(bench),
    )


def row(name: str, trainings: list[Measured], scored: bool = True) -> dict[str, Any]:
    """Means over trainings by the same settings. scored: whether left to right, too."""
    coherence = together(trainings, "coherence")
    columns: dict[str, Any] = {
        "": name,
        "topics": len(coherence) / len(trainings),
        "coherence": coherence.mean(),
        "worst tenth": float(np.quantile(coherence, WORST)),
        "completion": mean(trainings, "held_out"),
    }
    if scored:
        entropies = together(trainings, "entropy")
        columns["left to right"] = mean(trainings, "documents")
        columns["entropy of topics"] = f"{entropies.mean():.2f} ± {entropies.std():.2f}"
    columns["seconds"] = mean(trainings, "seconds")
    return columns


def figure_2(bench: Bench) -> Outcome:
    """Coherence by topic, held-out probability by document, and the topics' entropy; also with ten
    times the iterations, for the paper's guess that its variational engine had not converged."""
    bow = bench.corpus(bench.stand_in)
    shared: dict[str, Any] = {
        "topics": size(bench).topics,
        "passes": size(bench).passes,
        "tau0": delay(bow),
    }
    by_name: dict[str, list[Measured]] = {}
    for eta in size(bench).etas_of_figure_2:
        settings = SAMPLED | shared | {"eta": eta}
        by_name[f"sampled, eta {eta}"] = runs(bench, ssi.NAME, scored=True, **settings)
        for iterations in (SWEEPS, MORE_ITERATIONS):
            settings = VARIATIONAL | shared | {"eta": eta, "iterations": iterations}
            name = f"variational, eta {eta}, {iterations} iterations"
            by_name[name] = runs(bench, svi.NAME, scored=True, **settings)
    sampled = by_name[f"sampled, eta {USUAL_ETA}"]
    variational = by_name[f"variational, eta {USUAL_ETA}, {SWEEPS} iterations"]
    converged = by_name[f"variational, eta {USUAL_ETA}, {MORE_ITERATIONS} iterations"]
    p = p_value(together(sampled, "coherence"), together(variational, "coherence"))
    is_more_coherent = mean(sampled, "coherence") > mean(variational, "coherence")
    is_more_probable = together(sampled, "documents") > together(variational, "documents")
    better = float(is_more_probable.mean())
    true = {
        f"sampled topics more coherent (p {p:.2g})": is_more_coherent and p < SIGNIFICANT,
        f"held-out documents more probable ({better:.0%} of them)": better > NEARLY_EVERY,
        "variational topics have the lower entropy": (
            mean(variational, "entropy") < mean(sampled, "entropy")
        ),
    }
    gap = mean(sampled, "documents") - mean(variational, "documents")
    gap_converged = mean(sampled, "documents") - mean(converged, "documents")
    guess = (
        f"With ten times the iterations the gap in held-out probability goes from {gap:.3f} to"
        f" {gap_converged:.3f} nats per token"
    )
    answer, why = judged(true, after=f" {guess}.")
    rows = [row(name, trainings) for name, trainings in by_name.items()]
    return Outcome(answer, why, rows, instead=instead(bench))


def figure_3(bench: Bench) -> Outcome:
    """One pass over the corpus, in another order for each run."""
    bow = bench.corpus(bench.stand_in)
    seeds = range(1, 1 + size(bench).runs)
    shared: dict[str, Any] = {"topics": size(bench).topics, "passes": 1}
    sampled = runs(bench, ssi.NAME, seeds, True, **SAMPLED | shared | {"tau0": delay(bow)})
    by_name = {"sampled": sampled}
    for eta in (0.1, USUAL_ETA):
        settings = shared | {"alpha": 0.1, "eta": eta, "sweeps": SWEEPS}
        name = f"sequential Monte Carlo, eta {eta}"
        by_name[name] = runs(bench, smc.NAME, seeds, True, **settings)
    others = [trainings for name, trainings in by_name.items() if name != "sampled"]
    true = {}
    for measure, name in (("coherence", "coherence"), ("held-out probability", "documents")):
        of_sampled = together(sampled, name)
        true[f"its {measure} is worse at each eta (p below {EQUAL})"] = all(
            worse(together(trainings, name), of_sampled, EQUAL) for trainings in others
        )
    means = [f"{name} {mean(trainings, 'documents'):.3f}" for name, trainings in by_name.items()]
    after = f" Left to right: {', '.join(means)}."
    answer, why = judged(true, "Of sequential Monte Carlo, ", after)
    rows = [row(name, trainings) for name, trainings in by_name.items()]
    return Outcome(answer, why, rows, instead=instead(bench))


def samples(bench: Bench) -> Outcome:
    """Section 4.4: burn-in sweeps B and saved sweeps S."""
    bow = bench.corpus(bench.stand_in)
    pairs = size(bench).pairs
    shared = SAMPLED | {
        "topics": size(bench).topics_of_4_4,
        "passes": size(bench).passes,
        "tau0": delay(bow),
    }
    by_pair = {}
    for burn_in, saved in pairs:
        settings = shared | {"burn_in": burn_in, "samples": saved}
        by_pair[burn_in, saved] = runs(bench, ssi.NAME, **settings)
    held_out = {pair: mean(trainings, "held_out") for pair, trainings in by_pair.items()}
    coherence = {pair: together(trainings, "coherence") for pair, trainings in by_pair.items()}
    fewest = pairs[0]
    most = pairs[-1]
    true = {
        "(1, 1) is the worst held out": held_out[fewest] == min(held_out.values()),
        "(1, 1) is more coherent than (2, 3)": (
            coherence[fewest].mean() > coherence[USUAL_PAIR].mean()
        ),
        f"{most} is less coherent than (2, 3)": (
            coherence[most].mean() < coherence[USUAL_PAIR].mean()
        ),
        f"five sweeps are within 0.05 nats of {most}": (
            held_out[most] - held_out[USUAL_PAIR] < AS_GOOD
        ),
    }
    rows = []
    for (burn_in, saved), trainings in by_pair.items():
        p = p_value(coherence[burn_in, saved], coherence[USUAL_PAIR])
        rows.append(row(f"B = {burn_in}, S = {saved}", trainings, False) | {"p": p})
    return outcome(bench, true, rows)


def smoothing(bench: Bench) -> Outcome:
    """Section 4.4: eta, of sampling; and of variational Bayes, where it is there."""
    bow = bench.corpus(bench.stand_in)
    etas = size(bench).etas
    shared: dict[str, Any] = {
        "topics": size(bench).topics_of_4_4,
        "passes": size(bench).passes,
        "tau0": delay(bow),
    }
    sampled = {eta: runs(bench, ssi.NAME, **SAMPLED | shared | {"eta": eta}) for eta in etas}
    variational = {}
    for eta in etas:
        settings = VARIATIONAL | shared | {"iterations": SWEEPS, "eta": eta}
        variational[eta] = runs(bench, svi.NAME, **settings)
    rows = [row(f"sampled, eta {eta}", sampled[eta], False) for eta in etas]
    rows += [row(f"variational, eta {eta}", variational[eta], False) for eta in etas]
    coherence = {eta: together(sampled[eta], "coherence") for eta in etas}
    means = [coherence[eta].mean() for eta in etas if eta <= USUAL_ETA]
    rises = bool((np.diff(means) > 0).all())
    p = p_value(coherence[etas[0]], coherence[USUAL_ETA])
    p_beyond = [p_value(coherence[eta], coherence[USUAL_ETA]) for eta in etas if eta > USUAL_ETA]
    gain = means[-1] - means[0]
    true = {
        f"coherence rises at each step up to 0.4, by {gain:.1f} in all (p {p:.2g})": (
            rises and p < SIGNIFICANT
        ),
        "no significant difference beyond 0.4": all(value > EQUAL for value in p_beyond),
    }
    curves = {
        "sampled": [(eta, mean(sampled[eta], "coherence")) for eta in etas],
        "variational": [(eta, mean(variational[eta], "coherence")) for eta in etas],
    }
    return outcome(bench, true, rows, curves, ("eta", "coherence"))


def figure_4(bench: Bench) -> Outcome:
    """Section 4.4 and figure 4: tau0, on parts of the corpus, each a part of the one before."""
    bow = bench.corpus(bench.stand_in)
    order = np.random.default_rng(0).permutation(bow.D)
    delays = size(bench).delays
    shared = SAMPLED | {"topics": size(bench).topics_of_4_4, "passes": size(bench).passes}
    rows: list[dict[str, Any]] = []
    curves: Curves = {}
    coherence = {}
    p = {}  # of the difference from the smallest tau0
    for share in size(bench).shares:
        documents = np.sort(order[: int(share * bow.D)])
        curve = curves[f"{share:.1%} of the documents"] = []
        for tau0 in delays:
            settings = shared | {"tau0": delay(bow, tau0), "documents": documents}
            trainings = runs(bench, ssi.NAME, **settings)
            coherence[share, tau0] = together(trainings, "coherence")
            p[share, tau0] = p_value(coherence[share, tau0], coherence[share, delays[0]])
            columns = row(f"tau0 {delay(bow, tau0):.0f}", trainings, False)
            rows.append({"share": f"{share:.1%}", **columns, "p": p[share, tau0]})
            curve.append((delay(bow, tau0), float(coherence[share, tau0].mean())))
    true = _parts_of_figure_4(coherence, p, delays)
    return outcome(bench, true, rows, curves, ("tau0", "coherence"))


def _parts_of_figure_4(
    coherence: dict[tuple[float, int], np.ndarray],
    p: dict[tuple[float, int], float],
    delays: tuple[int, ...],
) -> dict[str, bool]:
    """coherence: of topics, by share of the documents and tau0. p: of its difference from that at
    the smallest tau0. delays: tau0, ascending."""
    smallest = min(share for share, _ in coherence)
    *shorter, longest = (coherence[smallest, tau0] for tau0 in delays)
    elsewhere = [
        value for (share, tau0), value in p.items() if share > smallest and tau0 != delays[0]
    ]
    on_the_whole = [p[1.0, tau0] for tau0 in delays]
    return {
        f"the largest tau0 is worse on {smallest:.1%} of the documents": all(
            worse(longest, values, SIGNIFICANT) for values in shorter
        ),
        "elsewhere no significant difference": all(value > SIGNIFICANT for value in elsewhere),
        "none on the whole corpus": all(value > SIGNIFICANT for value in on_the_whole),
    }


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
