"""What each engine is better at than the default, if anything: all of them on one collection, each
with its own defaults.

    .venv/bin/python -m benchmarks.engines.purposes FILE [--field category] [--topics 30] [--passes
    N] [--engines ssi,fw]

Prints for each engine: topics with a thousandth of the words at least; processor seconds of the
whole training, on one thread; document completion of held-out documents (nats a token) and mean
NPMI, higher is better; the share of distinct words among the first ten of all topics; and, with
--field, how well the documents' largest topics tell its values apart: normalised mutual information
(scikit-learn's, by the mean of both entropies), 0 to 1. --passes: of all engines, where their own
number is not wanted. FILE may be `planted:K`: texts simulated from K topics.
"""

import time
from pathlib import Path

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

import inference
from benchmarks.engines import corpora
from benchmarks.origin import options
from inference import Bow, engines
from inference.evaluate import Coherence
from inference.training import fold_in_corpus

LEAST = 1e-3  # share of the words of a topic that counts as used
# documents of simulated texts, and the vocabulary's size
PLANTED = 4_000
WORDS = 5_000
LINE = "{:<10}{:>7}{:>9}{:>12}{:>8}{:>10}{:>8}"


def measured(name: str, bow: Bow, labels: np.ndarray | None, **settings: int) -> list[str]:
    """Of an engine: a row of the table. labels: int64[D], -1 for none."""
    engine = engines.get(name)
    config = engines.config(name, **settings).resolve(bow.D, bow.tokens)
    began = time.process_time()
    *_, last = inference.train(engine, config, bow, seed=1, threads=1)
    seconds = time.process_time() - began
    assert isinstance(last, inference.Snapshot)
    topics = last.topics.in_use()
    first = topics.top(10)[topics.top(10) >= 0]
    npmi = np.nanmean(Coherence(bow).npmi(topics))
    distinct = len(np.unique(first)) / len(first)
    alike = ""
    if labels is not None:
        largest = np.full(bow.D, -1)
        for theta in fold_in_corpus(engine, config, last.state, bow):
            some = np.flatnonzero(np.diff(theta.indptr))
            largest[theta.first + some] = theta.topics[theta.indptr[some]]
        known = (labels >= 0) & (largest >= 0)
        alike = f"{normalized_mutual_info_score(labels[known], largest[known]):.3f}"
    return [
        f"{(topics.share >= LEAST).sum()}",
        f"{seconds:.1f}",
        f"{last.held_out:.3f}",
        f"{npmi:.3f}",
        f"{distinct:.2f}",
        alike,
    ]


def main() -> None:
    given = options(
        __doc__,
        {
            "file": {},
            "--field": {},
            "--topics": {"type": int, "default": 30},
            "--passes": {"type": int},
            "--engines": {"default": ",".join(engines.ENGINES)},
        },
    ).parse_args()
    path = Path(given.file)
    planted = given.file.partition("planted:")[2]
    bow = corpora.synthetic(PLANTED, WORDS, int(planted))[0] if planted else corpora.read(path)
    labels = corpora.labels(path, given.field) if given.field else None
    print(f"{path.name}: {bow.D:,} documents, {bow.tokens:,} words; K = {given.topics}")
    print(
        LINE.format("engine", "used", "cpu s", "completion", "NPMI", "distinct", given.field or "")
    )
    for name in given.engines.split(","):
        settings = {"topics": given.topics} | ({"passes": given.passes} if given.passes else {})
        print(LINE.format(name, *measured(name, bow, labels, **settings)), flush=True)


if __name__ == "__main__":
    main()
