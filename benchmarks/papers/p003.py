"""Paper 003: Hughes and Sudderth (2016), posteriors in which a point or token has at most L
clusters or topics.

Its formulas and the numbers of its figures were lost in the copy that we have; the claims are those
of its text.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from functools import cache, partial
from typing import Any, cast

import numpy as np
from numba import njit

from benchmarks.engines import corpora
from benchmarks.papers.bench import Bench, Experiment, Outcome, Paper, fastest, of_parts
from inference import Bow, mixtures
from inference.engines import arena, lsparse, sparse, ssi
from inference.kernels import select
from inference.schedule import Schedule, held_out_documents

SIDE = 8  # of a patch, in pixels
NEAR = 0.05  # total variation
LITTLE = 0.01  # nats a token or dimension
# of a corpus, for what is trained many times: all of it takes about a quarter of an hour of one
# core
DOCUMENTS = 4000
LEAVES = (
    "Natural images could not be had offline: images of discs that cover each other (dead leaves)"
    " stand in."
)


def _some(bench: Bench, name: str) -> Bow:
    """DOCUMENTS of a corpus, at random, or all that `bench` has."""
    bow = bench.corpus(name)
    if bow.D <= DOCUMENTS:
        return bow
    order = np.random.default_rng(0).permutation(np.flatnonzero(np.diff(bow.indptr)))
    return corpora.taken(bow, np.sort(order[:DOCUMENTS]))


def _seconds(work: Callable[[], object]) -> float:
    """Processor time of the fastest of some runs, after one that compiles."""
    work()
    return max(fastest(work, time.process_time), 1e-6)


def _rows(weights: np.ndarray, L: int) -> tuple[np.ndarray, np.ndarray]:
    """(places int32[n, L], r float64[n, L]) of each row of weights, by the kernel that the engine
    uses."""
    n, K = weights.shape
    places = np.empty((n, min(L, K)), np.int32)
    r = np.empty((n, min(L, K)))
    _select(weights, L, np.empty(K), places, r)
    return places, r


@njit
def _select(weights, L, buffer, places, r):
    """Fill places with the L largest of each row of weights, logarithms, and r with their
    shares."""
    for i in range(len(weights)):
        size = select.largest(weights[i], weights.shape[1], L, buffer, places[i])
        total = 0.0
        for s in range(size):
            r[i, s] = np.exp(weights[i, places[i, s]])
            total += r[i, s]
        r[i, :size] /= total


def _figure_1(bench: Bench) -> Outcome:
    """r and summaries of Gaussian clusters, by K and L."""
    points = _patches(1, 2_000 if bench.quick else 20_000)
    rows: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    for K in (50, 200) if bench.quick else (50, 200, 800):
        model = mixtures.fit(
            points, K, K if bench.quick else 16, passes=1 if bench.quick else 3, seed=1
        )[-1].model
        weights = model.log_weights(points)
        weights -= weights.max(axis=1, keepdims=True)
        _compare(
            rows, curves, weights, lambda chosen, r, K=K: mixtures.summary(points, chosen, r, K)
        )
    return _timings(rows, curves, LEAVES)


def _compare(
    rows: list[dict], curves: dict, weights: np.ndarray, summary: Callable, dtype: type = np.int64
) -> None:
    """Add a row for each L: milliseconds of shares and of their summary, and how far the shares are
    from dense ones.

    weights: float64[n, K], logarithms, the largest of each 0. summary: of the chosen, dtype[n, L],
    and their shares.
    """
    K = weights.shape[1]
    dense = np.exp(weights)
    dense /= dense.sum(axis=1, keepdims=True)
    for L in (1, 2, 4, 8, 16, K):
        places, r = _rows(weights, L)
        chosen: np.ndarray = places.astype(dtype)
        own = np.zeros_like(dense)
        np.put_along_axis(own, places.astype(np.int64), r, 1)
        rows.append(
            {
                "K": K,
                "L": L,
                "shares, ms": 1e3 * _seconds(partial(_rows, weights, L)),
                "summary, ms": 1e3 * _seconds(partial(summary, chosen, r)),
                "distance": float(0.5 * np.abs(own - dense).sum(axis=1).mean()),
            }
        )
        curves.setdefault(f"K = {K}", []).append((float(L), rows[-1]["summary, ms"]))


def _figure_3(bench: Bench) -> Outcome:
    """The same of topics: the statistics of Reuters' tokens."""
    bow = _some(bench, "reuters")
    rows: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    for K in (50, 200) if bench.quick else (50, 200, 800):
        trained = bench.train(
            lsparse.NAME, bow, 1, topics=K, most=8, passes=1 if bench.quick else 3, restarts=0
        )
        batch = sparse.expand(bow, trained.documents[: 300 if bench.quick else 2000])
        weights = _token_weights(cast("lsparse.Resolved", trained.config), trained.state, batch)
        _compare(
            rows,
            curves,
            weights,
            partial(_summed, bow.V, K, batch),
            np.uint16,
        )
    return _timings(rows, curves)


def _token_weights(
    config: lsparse.Resolved, state: lsparse.State, batch: sparse.Batch
) -> np.ndarray:
    """W of each pair, float64[P, K], the largest of each 0: psi(alpha + N_dk) + E log beta_kw, N
    from the local step."""
    from scipy.special import digamma

    V = len(state.start)
    K = config.topics
    given, shares, _ = lsparse._visit(config, state, batch)
    document = np.repeat(np.arange(len(batch.doc_ptr) - 1), np.diff(batch.doc_ptr))
    N = np.zeros((len(batch.doc_ptr) - 1, K))
    np.add.at(N, (document[:, None], given.astype(np.int64)), batch.counts[:, None] * shares)
    lam = np.full((len(batch.words), K), config.eta)
    for i, w in enumerate(batch.words):
        row = slice(state.start[w], state.start[w] + state.length[w])
        lam[i, state.arena_topics[row]] += state.pi * state.arena_values[row]
    log_beta = digamma(lam) - digamma(V * config.eta + np.maximum(state.pi * state.totals, 0.0))
    weights = digamma(config.alpha + N)[document] + log_beta[batch.places]
    return weights - weights.max(axis=1, keepdims=True)


def _summed(V: int, K: int, batch: sparse.Batch, given: np.ndarray, r: np.ndarray) -> None:
    sparse.add(
        arena.Rows(seed=0, **arena.empty(V, K, np.float64)),
        batch,
        given,
        r,
        *sparse.NOTHING,
        drop_below=0.0,
    )


def _timings(rows: list[dict], curves: dict, instead: str = "") -> Outcome:
    """The claim in three parts: L = 4 to 8 is near to dense and L = 1 is not; summaries take less;
    shares don't cost more."""
    largest = max(row["K"] for row in rows)
    at = {row["L"]: row for row in rows if row["K"] == largest}
    faster = at[largest]["summary, ms"] / at[8]["summary, ms"]
    shares = at[largest]["shares, ms"] / at[8]["shares, ms"]
    return Outcome(
        of_parts(at[8]["distance"] < NEAR < at[1]["distance"], faster >= 3.0, shares >= 1.0),
        f"At K = {largest} and L = 8 shares differ from dense ones by {at[8]['distance']:.3f}"
        f" (total variation), at L = 1 by {at[1]['distance']:.3f}; dense summaries take"
        f" {faster:.1f} times as long as at L = 8, dense shares {shares:.1f} times.",
        rows,
        curves,
        ("L", "summary, ms"),
        instead,
    )


@cache
def _patches(seed: int, n: int) -> np.ndarray:
    """float64[n, 64]: patches of 8 by 8 pixels, mean removed, of images of discs whose radii follow
    r^-3, each with a grey of its own, that cover each other: their statistics are like those of
    natural images (dead leaves, Lee and others 2001).
    """
    random = np.random.default_rng(seed)
    size = 256
    images = 4
    y, x = np.mgrid[:size, :size]
    out = []
    for _ in range(images):
        image = np.zeros((size, size))
        for _ in range(2500):
            radius = 1 / np.sqrt(random.uniform(1 / 80**2, 1 / 2**2))
            centre = random.uniform(-40, size + 40, 2)
            grey = random.uniform(0, 1)
            slope = random.normal(0, 0.005, 2)  # shading, as no surface is of one grey
            box = tuple(slice(max(0, int(c - radius)), max(0, int(c + radius) + 2)) for c in centre)
            dy = y[box] - centre[0]
            dx = x[box] - centre[1]
            inside = dy**2 + dx**2 < radius**2
            image[box][inside] = (grey + slope[0] * dy + slope[1] * dx)[inside]
        image += random.normal(0, 0.01, image.shape)
        corners = random.integers(0, size - SIDE, (n, 2))
        out.append(
            np.lib.stride_tricks.sliding_window_view(image, (SIDE, SIDE))[
                corners[:, 0], corners[:, 1]
            ].reshape(n, -1)
        )
    patches = np.concatenate(out)
    patches = patches[random.permutation(len(patches))]
    patches = patches - patches.mean(axis=1, keepdims=True)
    patches = patches[patches.var(axis=1) > 1e-8][:n]
    return patches + random.normal(0, 1e-4, patches.shape)


def _figure_2(bench: Bench) -> Outcome:
    """Clusters of image patches: score of unseen patches by L."""
    n = 3_000 if bench.quick else 10_000
    rows: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    for K in (50,) if bench.quick else (50, 100):
        for L in (1, 4, 8, 16, K):
            for stochastic in (False, True):
                scores = []
                took = []
                for seed in bench.seeds:
                    points = _patches(seed, n)
                    unseen = _patches(100 + seed, n // 4)
                    began = time.process_time()
                    last = mixtures.fit(
                        points,
                        K,
                        L,
                        passes=3 if bench.quick else 6,
                        seed=seed,
                        stochastic=stochastic,
                    )[-1]
                    took.append(time.process_time() - began)
                    scores.append(last.model.score(unseen) / SIDE**2)
                rows.append(
                    {
                        "K": K,
                        "L": L,
                        "learning": "stochastic" if stochastic else "memoized",
                        "nats a dimension": float(np.mean(scores)),
                        "spread": float(np.std(scores)),
                        "seconds": float(np.mean(took)),
                    }
                )
                curves.setdefault(f"K = {K}, {rows[-1]['learning']}", []).append(
                    (float(L), rows[-1]["nats a dimension"])
                )
    largest = max(row["K"] for row in rows)
    at = {(row["L"], row["learning"]): row for row in rows if row["K"] == largest}
    same = max(
        abs(at[L, how]["nats a dimension"] - at[largest, how]["nats a dimension"])
        for L in (8, 16)
        for how in ("memoized", "stochastic")
    )
    lowest = all(
        at[1, how]["nats a dimension"]
        <= min(at[L, how]["nats a dimension"] for L in (4, 8, 16, largest))
        for how in ("memoized", "stochastic")
    )
    faster = at[largest, "memoized"]["seconds"] / at[8, "memoized"]["seconds"]
    return Outcome(
        of_parts(same < LITTLE, lowest, faster >= 2.0),
        f"At K = {largest}, L = 8 and 16 come within {same:.4f} nats a dimension of L = K; L = 1 is"
        f" {'the lowest' if lowest else 'not the lowest'}; L = K takes {faster:.1f} times as long"
        " as L = 8.",
        rows,
        curves,
        ("L", "nats a dimension"),
        LEAVES,
    )


def _figure_4(bench: Bench) -> Outcome:
    """Topics by L, memoized and stochastic, compared with a sampler."""
    rows: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    for name, K in (("sotu", 30),) if bench.quick else (("sotu", 50), ("reuters", 100)):
        bow = _some(bench, name)
        for statistics in ("memo", "decay"):
            for L in (1, 4, 8, K):
                runs = [
                    bench.train(
                        lsparse.NAME,
                        bow,
                        seed,
                        split="types",
                        topics=K,
                        start="cold",
                        restarts=0 if L == K else 5,
                        most=L,
                        statistics=statistics,
                        passes=3 if bench.quick or statistics == "decay" else 6,
                    )
                    for seed in bench.seeds
                ]
                rows.append(_said(name, K, f"L = {L}" if L < K else "L = K", statistics, runs))
                curves[f"{name}, K = {K}, {rows[-1]['L']}, {statistics}"] = [
                    (p.seconds, p.held_out) for p in runs[0].points
                ]
        sampled = [
            bench.train(
                ssi.NAME, bow, seed, split="types", topics=K, passes=3 if bench.quick else 6
            )
            for seed in bench.seeds
        ]
        rows.append(_said(name, K, "sampler", "memo", sampled))
        curves[f"{name}, K = {K}, sampler"] = [(p.seconds, p.held_out) for p in sampled[0].points]
    gaps = []
    hard = []
    ratios = []
    for row in rows:
        if row["L"] == "L = K":
            at = {
                r["L"]: r
                for r in rows
                if (r["corpus"], r["K"], r["statistics"])
                == (row["corpus"], row["K"], row["statistics"])
            }
            gaps.append(row["held out"] - max(at["L = 4"]["held out"], at["L = 8"]["held out"]))
            hard.append(row["held out"] - at["L = 1"]["held out"])
            ratios.append(row["seconds"] / at["L = 8"]["seconds"])
    instead = (
        f"NIPS, Wikipedia and the New York Times are replaced by up to {DOCUMENTS:,} documents of"
        " the corpora named."
    )
    return Outcome(
        of_parts(max(gaps) < LITTLE, min(hard) > NEAR, min(ratios) >= 3.0),
        f"The better of L = 4 and 8 lies at most {max(gaps):.3f} nats a token below L = K, L = 1 at"
        f" least {min(hard):.3f}; L = K takes {min(ratios):.1f} to {max(ratios):.1f} times as long"
        f" as L = 8. The sampler of this program ends {min(_beside(rows)):.3f} to"
        f" {max(_beside(rows)):.3f} above the best of them.",
        rows,
        curves,
        ("seconds", "held out, nats per token"),
        instead,
    )


def _said(name: str, K: int, L: str, statistics: str, runs: list) -> dict:
    return {
        "corpus": name,
        "K": K,
        "L": L,
        "statistics": statistics,
        "held out": float(np.mean([run.held_out for run in runs])),
        "spread": float(np.std([run.held_out for run in runs])),
        "seconds": float(np.mean([run.seconds for run in runs])),
    }


def _beside(rows: list[dict]) -> list[float]:
    """How much better the sampler is than the best of the others, for each corpus and K."""
    ends: dict[tuple, dict[bool, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        ends[row["corpus"], row["K"]][row["L"] == "sampler"].append(row["held out"])
    return [max(end[True]) - max(end[False]) for end in ends.values()]


VARIANTS = {
    "warm": {"start": "warm", "restarts": 0},
    "warm, restarts": {"start": "warm", "restarts": 5},
    "cold": {"start": "cold", "restarts": 0},
    "cold, restarts": {"start": "cold", "restarts": 5},
}


def _figure_5(bench: Bench) -> Outcome:
    """The bound by passes, with warm and cold starts and restart proposals."""
    bow = _some(bench, "sotu" if bench.quick else "reuters")
    K, passes = (20, 4) if bench.quick else (50, 10)
    rows: list[dict[str, Any]] = []
    curves: dict[str, list[tuple[float, float]]] = {}
    ends = {}
    for name, settings in VARIANTS.items():
        bounds = [
            _bounds(bow, seed, passes, topics=K, most=4, warm_up=0, **settings)
            for seed in bench.seeds
        ]
        values = np.mean([each for each, _ in bounds], axis=0)
        curves[name] = [(float(i + 1), float(value)) for i, value in enumerate(values)]
        ends[name] = values[-1]
        rows.append(
            {
                "variant": name,
                "bound, nats a token": float(values[-1]),
                "passes that fell": sum(int((np.diff(each) < 0).sum()) for each, _ in bounds),
                "accepted": float(np.mean([share for _, share in bounds])),
            }
        )
    best = max(ends, key=lambda name: ends[name])
    ordered = ends["cold, restarts"] >= ends["cold"] and ends["cold, restarts"] >= ends["warm"]
    share = next(row["accepted"] for row in rows if row["variant"] == "cold, restarts")
    fell = ", ".join(f"{row['variant']}: {row['passes that fell']}" for row in rows)
    return Outcome(
        of_parts(best == "cold, restarts", ordered, 0.4 <= share <= 0.8),
        f"The best bound has “{best}” ({ends[best]:.4f} nats a token; cold with restarts"
        f" {ends['cold, restarts']:.4f}, cold {ends['cold']:.4f}, warm {ends['warm']:.4f}); passes"
        f" in which it fell: {fell}; {share:.0%} of the proposals were accepted.",
        rows,
        curves,
        ("passes", "bound, nats a token"),
        f"Wikipedia is replaced by up to {DOCUMENTS:,} documents of"
        f" {'the State of the Union' if bench.quick else 'Reuters-21578'}.",
    )


def _bounds(bow: Bow, seed: int, passes: int, **settings: Any) -> tuple[list[float], float]:
    """(the bound after each pass, in nats a token; the share of restart proposals that the last
    pass accepted)."""
    config = lsparse.Config(passes=passes, **settings).resolve(bow.D, bow.tokens)
    held_out = held_out_documents(bow, seed)
    schedule = Schedule(bow, config, held_out)
    documents = np.setdiff1d(np.arange(bow.D), held_out)
    state = lsparse.init(config, schedule.shape, seed)
    out = []
    told = np.zeros(4, np.int64)
    tokens = np.diff(bow.first_token)[documents].sum()
    while state.t < schedule.steps:
        lsparse.step(config, state, bow, schedule.batch(state.t, seed), schedule.shape)
        if state.t % schedule.per_pass == 0:
            out.append(lsparse.bound(config, state, bow, documents) / tokens)
    for first in range(0, len(documents), lsparse.AT_ONCE):
        batch = sparse.expand(bow, documents[first : first + lsparse.AT_ONCE])
        told += lsparse._visit(config, state, batch)[2].sum(axis=0)
    return out, told[2] / max(told[1], 1)


PAPER = Paper(
    "003",
    "M. C. Hughes, E. B. Sudderth, Fast learning of clusters and topics via sparse posteriors, 2016"
    " (arXiv 1609.07521).",
    (
        Experiment(
            "Figure 1",
            "For mixtures, L of 4 to 8 is near to dense posteriors and L = 1 is not; summaries cost"
            " in proportion to L, and finding the L largest no more than dense posteriors do.",
            _figure_1,
        ),
        Experiment(
            "Figure 2",
            "Clusters of image patches reach the score of dense posteriors at moderate L in a half"
            " to a quarter of the time; L = 1 is worse.",
            _figure_2,
        ),
        Experiment(
            "Figure 3",
            "For topics likewise: L of 4 to 8 is near to dense, summaries cost in proportion to L.",
            _figure_3,
        ),
        Experiment(
            "Figure 4",
            "Topic models at moderate L predict as well as dense ones and are several times faster;"
            " L = 1 is worse.",
            _figure_4,
        ),
        Experiment(
            "Figure 5",
            "Cold starts with restart proposals reach the best bound, of which 40 to 80 per cent"
            " are accepted; warm starts stick.",
            _figure_5,
        ),
    ),
)
