"""An engine by itself: seconds, speed, held-out probability and coherence on one corpus.

    .venv/bin/python -m benchmarks.engine CORPUS --topics 50 [--engine NAME] [--seeds 3] [--threads 2] [--set eta=0.2] [--words FILE]

CORPUS: a saved bag of words (a folder), or a sparse matrix of documents by words (.npz, as scipy's save_npz writes it).
--words: a file with a word on each line, in the order of the vocabulary; the topics are printed with it. The last line
is JSON, one number for each figure, means over the seeds. Compiling is not counted.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

import inference
from inference import Bow, Invalid, Snapshot, compiling, engines
from inference.engines.contract import AnyEngine, Config


def load(path: Path) -> Bow:
    if path.is_dir():
        return Bow.open(path)
    from scipy.sparse import csr_array, load_npz

    return Bow.from_csr(csr_array(load_npz(path)))


def measure(bow: Bow, engine: AnyEngine, config: Config, seed: int, threads: int | None) -> tuple[Snapshot, dict]:
    """The final snapshot of a run, and its figures."""
    for event in inference.train(engine, config, bow, seed=seed, threads=threads):
        if isinstance(event, Snapshot):
            last = event
    began = time.perf_counter()
    for _ in inference.fold_in_corpus(engine, config, last.state, bow):
        pass
    return last, {
        "seconds": last.seconds,
        "fold_in_seconds": time.perf_counter() - began,
        "tokens_per_second": last.tokens / last.seconds,
        "held_out": last.held_out,  # nats per token
        "coherence": float(np.nanmean(last.coherence)),
        "coherence_median": float(np.nanmedian(last.coherence)),
        "starved_topics": int((last.topics.share < 0.1 / config.topics).sum()),  # below a tenth of an equal share
        "nonzero": last.nonzero,
    }


def show(last: Snapshot, vocabulary: list[str]) -> None:
    for k, row in sorted(enumerate(last.topics.top(12)), key=lambda topic: -last.topics.share[topic[0]]):
        words = " ".join(vocabulary[w] for w in row if w >= 0)
        print(f"T{k:02d} {last.topics.share[k]:6.1%} {last.coherence[k]:7.1f}  {words}")


def setting(text: str) -> tuple[str, int | float | str]:
    name, _, value = text.partition("=")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--topics", type=int, required=True)
    parser.add_argument("--engine", choices=list(engines.ENGINES), default=engines.DEFAULT)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--words", type=Path)
    given = parser.parse_args()
    try:
        bow = load(given.corpus)
        config = engines.config(given.engine, topics=given.topics, **dict(given.set))
    except Invalid as error:
        parser.error(error.message)
    compiling.engine(given.engine)
    print(f"{bow.D:,} documents, {bow.V:,} words, {bow.tokens:,} tokens; {config}")
    figures = []
    for seed in range(given.seeds):
        last, found = measure(bow, engines.get(given.engine), config, seed, given.threads)
        figures.append(found)
        print(f"seed {seed}: " + ", ".join(f"{name} {value:.4g}" for name, value in found.items()), flush=True)
    if given.words:
        show(last, given.words.read_text().split("\n"))
    print(json.dumps({name: round(float(np.mean([f[name] for f in figures])), 4) for name in figures[0]}))


if __name__ == "__main__":
    main()
