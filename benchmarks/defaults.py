"""The evidence for the engine's defaults: held-out completion, coherence and dead topics by setting.

    .venv/bin/python -m benchmarks.defaults [--topics 50] [--passes 8] [--quick]

Trains on the example corpus with one setting changed at a time. The last line is `settings: N`.
"""

import argparse
import tempfile

import numpy as np

from inference import Snapshot, engines, train, warm_up
from inference.text import CorpusBuilder, Tokeniser, VocabularyOptions, stop_words
from tasks import readers
from webapp.local.folder import ROOT

EXAMPLE = ROOT / "webapp" / "example" / "state_of_the_union.csv.gz"
DEAD = 20  # words: a topic that lists fewer
CHANGES = [
    {}, {"eta": 0.1}, {"eta": 0.2}, {"eta": 0.3}, {"eta": 0.6}, {"alpha": 0.05}, {"alpha": 0.1}, {"alpha": 0.2}, {"tau0": 1.0}, {"tau0": 100.0},
    {"kappa": 0.6}, {"kappa": 0.9}, {"minibatch": 100}, {"minibatch": 200}, {"minibatch": 800}, {"burn_in": 1, "samples": 1}, {"burn_in": 5, "samples": 5},
]  # fmt: skip


def example(folder: str):
    """The example's bag of words, read as the pages read it by default."""
    options = readers.sniff(EXAMPLE, EXAMPLE.name).options
    with CorpusBuilder(folder, Tokeniser("en")) as builder:
        for item in readers.read(EXAMPLE, EXAMPLE.name, options):
            builder.add(item.text)
        return builder.finish(VocabularyOptions(stop_words("en")))[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--passes", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="the defaults and one change only")
    given = parser.parse_args()
    engine = engines.get("ssi")
    warm_up()
    changes = CHANGES[:2] if given.quick else CHANGES
    print("| change | held-out | coherence | dead topics | seconds |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        bow = example(folder)
        for change in changes:
            config = engines.config("ssi", **{"topics": given.topics, "passes": given.passes} | change)
            last = [event for event in train(engine, config, bow, seed=given.seed) if isinstance(event, Snapshot)][-1]
            dead = int((np.diff(last.topics.indptr) < DEAD).sum())
            said = ", ".join(f"{k} = {v}" for k, v in change.items()) or "defaults"
            print(f"| {said} | {last.held_out:.3f} | {np.nanmean(last.coherence):.1f} | {dead} | {last.seconds:.1f} |", flush=True)
    print(f"settings: {len(changes)}")


if __name__ == "__main__":
    main()
