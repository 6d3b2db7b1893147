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
from typing import Any

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

import inference
from benchmarks.engines import corpora
from benchmarks.origin import options
from inference import Bow, engines
from inference.engines.contract import AnyEngine, ResolvedConfig
from inference.evaluate import Coherence
from inference.training import fold_in_corpus

LEAST = 1e-3  # share of the words of a topic that counts as used
FIRST_WORDS = 10  # of a topic
PLANTED = 4_000  # documents of simulated texts
WORDS = 5_000  # of their vocabulary
OPTIONS: dict[str, dict[str, Any]] = {
    "file": {},
    "--field": {},
    "--topics": {"type": int, "default": 30},
    "--passes": {"type": int},
    "--engines": {"default": ",".join(engines.ENGINES)},
}
LINE = "{:<10}{:>7}{:>9}{:>12}{:>8}{:>10}{:>8}"


def measured(name: str, bow: Bow, labels: np.ndarray | None, **settings: int) -> list[str]:
    """An engine's row of the table. labels: int64[D], -1 for none."""
    engine = engines.get(name)
    config = engines.config(name, **settings).resolve(bow.D, bow.tokens)
    began = time.process_time()
    *_, last = inference.train(engine, config, bow, seed=1, threads=1)
    seconds = time.process_time() - began
    assert isinstance(last, inference.Snapshot)
    topics = last.topics.in_use()
    first_words = topics.top(FIRST_WORDS)
    first_words = first_words[first_words >= 0]
    npmi = np.nanmean(Coherence(bow).npmi(topics))
    distinct = len(np.unique(first_words)) / len(first_words)
    likeness = ""
    if labels is not None:
        largest = largest_topics(engine, config, last.state, bow)
        both = (labels >= 0) & (largest >= 0)
        likeness = f"{normalized_mutual_info_score(labels[both], largest[both]):.3f}"
    return [
        f"{(topics.share >= LEAST).sum()}",
        f"{seconds:.1f}",
        f"{last.held_out:.3f}",
        f"{npmi:.3f}",
        f"{distinct:.2f}",
        likeness,
    ]


def largest_topics(engine: AnyEngine, config: ResolvedConfig, state: Any, bow: Bow) -> np.ndarray:
    """int64[D]: of each document, -1 where it has no words."""
    largest = np.full(bow.D, -1)
    for theta in fold_in_corpus(engine, config, state, bow):
        with_topics = np.flatnonzero(np.diff(theta.indptr))
        largest[theta.first + with_topics] = theta.topics[theta.indptr[with_topics]]
    return largest


def main() -> None:
    arguments = options(__doc__, OPTIONS).parse_args()
    path = Path(arguments.file)
    _, _, planted = arguments.file.partition("planted:")
    if planted:
        bow, _ = corpora.synthetic(PLANTED, WORDS, int(planted))
    else:
        bow = corpora.read(path)
    labels = corpora.labels(path, arguments.field) if arguments.field else None
    print(f"{path.name}: {bow.D:,} documents, {bow.tokens:,} words; K = {arguments.topics}")
    columns = ("engine", "used", "cpu s", "completion", "NPMI", "distinct", arguments.field or "")
    print(LINE.format(*columns))
    settings = {"topics": arguments.topics}
    if arguments.passes:
        settings["passes"] = arguments.passes
    for name in arguments.engines.split(","):
        print(LINE.format(name, *measured(name, bow, labels, **settings)), flush=True)


if __name__ == "__main__":
    main()
