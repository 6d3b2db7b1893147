"""The evidence for the defaults of the engine `ssi`: one setting changed at a time.

    .venv/bin/python -m benchmarks.defaults [CORPUS] [--topics 50] [--seeds 3] [--quick]

CORPUS: as for benchmarks.engine; the example, where none is given. Held-out: document completion, nats per token. NPMI,
UMass: means over topics. Starved: topics with less than a tenth of an equal share. ±: one standard deviation over the
seeds. The last line is `settings: N`.
"""

import argparse
from pathlib import Path

import numpy as np

from benchmarks.engine import load
from benchmarks.engines import corpora
from inference import Bow, Snapshot, compiling, engines, train
from inference.engines import ssi
from inference.evaluate import Coherence

PAPER = {"statistics": "decay", "expectation": "log", "passes": 15}


def changes(default) -> list[dict]:
    """What is tried; multiples of the defaults."""
    return [
        {},
        *({"alpha": default.alpha * factor} for factor in (0.25, 0.5, 2.0)),
        *({"eta": default.eta * factor} for factor in (0.1, 0.33, 3.0, 10.0)),
        *({"draws": draws} for draws in (1, 3, 5)),
        *({"warm_up": passes} for passes in (0, 2, 5)),
        *({"minibatch": max(1, int(default.minibatch * factor))} for factor in (0.25, 4.0)),
        {"samples": 2},
        {"learn": "alpha"}, {"learn": "both"},
        {"expectation": "log"},
        {"statistics": "decay", "passes": 15},
        PAPER,
    ]  # fmt: skip


def measure(bow: Bow, judge: Coherence, settings: dict, seed: int) -> list[float]:
    for event in train(engines.get(ssi.NAME), engines.config(ssi.NAME, **settings), bow, seed=seed):
        if isinstance(event, Snapshot):
            last = event
    starved = (last.topics.share < 0.1 / last.topics.K).sum()
    return [
        last.held_out,
        np.nanmean(judge.npmi(last.topics)),
        np.nanmean(last.coherence),
        starved,
        last.nonzero,
        last.seconds,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, nargs="?")
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="the defaults and one change only, one seed")
    given = parser.parse_args()
    compiling.warm_up()
    bow = load(given.corpus) if given.corpus else corpora.read(corpora.FILES["sotu"])
    default = engines.config(ssi.NAME, topics=given.topics).resolve(bow.D, bow.tokens)
    print(f"{bow.D:,} documents, {bow.V:,} words, {bow.tokens:,} tokens; {default}\n")
    judge = Coherence(bow)
    tried = changes(default)[: 2 if given.quick else None]
    print("| change | held-out | NPMI | UMass | starved | non-zero | seconds |\n|---|---|---|---|---|---|---|")
    for change in tried:
        seeds = range(1 if given.quick else given.seeds)
        found = np.array([measure(bow, judge, {"topics": given.topics} | change, seed) for seed in seeds])
        mean, spread = found.mean(axis=0), found.std(axis=0, ddof=1 if len(found) > 1 else 0)
        said = (
            "defaults"
            if not change
            else ", ".join(f"{k} = {v:.3g}" if isinstance(v, float) else f"{k} = {v}" for k, v in change.items())
        )
        print(
            f"| {said} | {mean[0]:.3f} ± {spread[0]:.3f} | {mean[1]:.4f} ± {spread[1]:.4f} | {mean[2]:.1f} | {mean[3]:.1f} "
            f"| {mean[4]:.1%} | {mean[5]:.1f} |", flush=True,
        )  # fmt: skip
    print(f"settings: {len(tried)}")


if __name__ == "__main__":
    main()
