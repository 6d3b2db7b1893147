"""Section 4.4 of Mimno, Hoffman and Blei (2012), again: coherence by eta, by sweeps, by tau0 and the corpus's size.

    .venv/bin/python -m benchmarks.section_4_4 CORPUS [--topics 100] [--seeds 5] [--quick]

CORPUS: as for benchmarks.engine. The paper's form of the engine (decay, log, one draw), five passes. p: of a two-sample
t-test over the topics of all seeds, as in the paper, against the row marked as the reference. tau0 is the paper's,
{3000 … 300000}, divided as the corpus is smaller than the paper's 350,000 documents. The tables go to standard output,
as docs/engines/ssi.md has them; the last line is `runs: N`.
"""

import argparse
from pathlib import Path

import numpy as np

from benchmarks.engine import load
from benchmarks.engines.corpora import taken
from inference import Bow, Snapshot, compiling, engines, train
from inference.engines import ssi

PAPER = {
    "statistics": "decay",
    "expectation": "log",
    "draws": 1,
    "alpha": 0.1,
    "passes": 5,
    "minibatch": 100,
    "kappa": 0.6,
}
ETAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
SWEEPS = ((1, 1), (2, 1), (3, 1), (2, 3), (3, 2), (4, 1), (5, 5), (10, 10), (20, 20))
DELAYS = (3000, 15000, 30000, 150000, 300000)
DOCUMENTS = 350_000  # of the paper
SHARES = (1.0, 0.5, 0.25, 0.125)


def measure(bow: Bow, seed: int, topics: int, **settings) -> tuple[np.ndarray, float, float]:
    """UMass coherence of each topic that lists two words, held-out nats per token, seconds."""
    config = engines.config(ssi.NAME, topics=topics, **PAPER | settings)
    for event in train(engines.get(ssi.NAME), config, bow, seed=seed, threads=1):
        if isinstance(event, Snapshot):
            last = event
    return last.coherence[~np.isnan(last.coherence)], last.held_out, last.seconds


def table(title: str, header: str, rows: dict, reference: str) -> int:
    """rows: label -> what was measured for each seed."""
    from scipy.stats import ttest_ind

    print(f"\n{title}\n\n| {header} | coherence | p | held-out | seconds |\n|---|---|---|---|---|")
    base = np.concatenate([found[0] for found in rows[reference]])
    for label, found in rows.items():
        values = np.concatenate([f[0] for f in found])
        p = "reference" if label == reference else f"{ttest_ind(values, base, equal_var=False).pvalue:.3f}"
        held, seconds = (float(np.mean([f[i] for f in found])) for i in (1, 2))
        print(f"| {label} | {values.mean():.1f} | {p} | {held:.3f} | {seconds:.1f} |", flush=True)
    return sum(map(len, rows.values()))


def part(bow: Bow, share: float) -> Bow:
    """The first documents of a shuffled corpus."""
    return taken(bow, np.sort(np.random.default_rng(0).permutation(bow.D)[: int(share * bow.D)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="two seeds, and the first table only")
    given = parser.parse_args()
    bow, K = load(given.corpus), given.topics
    seeds = range(2 if given.quick else given.seeds)
    compiling.warm_up()
    print(f"{bow.D:,} documents, {bow.tokens:,} tokens, K = {K}, {len(seeds)} seeds; {PAPER}")
    by_eta = {f"{eta}": [measure(bow, s, K, eta=eta) for s in seeds] for eta in ETAS}
    runs = table("Topic smoothing", "eta", by_eta, "0.4")
    if not given.quick:
        sweeps = {f"{b}, {n}": [measure(bow, s, K, burn_in=b, samples=n) for s in seeds] for b, n in SWEEPS}
        runs += table("Sweeps", "B, S", sweeps, "2, 3")
        for share in SHARES:
            smaller = part(bow, share)
            scaled = [round(tau0 * bow.D / DOCUMENTS) for tau0 in DELAYS]
            delays = {f"{tau0}": [measure(smaller, s, K, tau0=float(tau0)) for s in seeds] for tau0 in scaled}
            runs += table(f"Delay, on {share:.1%} of the documents", "tau0", delays, f"{scaled[0]}")
    print(f"runs: {runs}")


if __name__ == "__main__":
    main()
