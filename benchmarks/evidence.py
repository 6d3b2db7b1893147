"""python -m benchmarks.evidence [--engine NAME] [--topics K] [--passes N]: what the evidence of tokens costs and
changes, on the example.

Compares giving each word of a document to its most probable topic with the soft proportions that the rule starts from.
"""

import argparse
import csv
import gzip
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from inference import Evidence, Postings, Snapshot, engines, fold_in_corpus, gather, train
from inference.text import Choice, Stream, Tokeniser, choose, stop_words

EXAMPLE = Path(__file__).resolve().parent.parent / "webapp" / "example" / "state_of_the_union.csv.gz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=list(engines.ENGINES), default=engines.DEFAULT)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--passes", type=int, default=20)
    arguments = parser.parse_args()
    csv.field_size_limit(sys.maxsize)
    with tempfile.TemporaryDirectory() as name:
        report(Path(name), arguments.engine, arguments.topics, arguments.passes)


def report(folder: Path, name: str, K: int, passes: int) -> None:
    with (
        Stream.write(folder / "tokens", Tokeniser("en")) as stream,
        gzip.open(EXAMPLE, "rt", encoding="utf-8", newline="") as file,
    ):
        texts = [row["text"] for row in csv.DictReader(file)]
        stream.add(texts, [""] * len(texts))
        stream.commit()
    bow, _ = choose(Stream.open(folder / "tokens"), Choice(stop_words("en")), folder / "bow")
    postings, engine = Postings.open(folder / "bow" / "by_word"), engines.get(name)
    config = engines.config(name, topics=K, passes=passes).resolve(bow.D, bow.tokens)
    *_, last = (event for event in train(engine, config, bow, seed=1) if isinstance(event, Snapshot))
    thetas = list(fold_in_corpus(engine, config, last.state, bow))
    began = time.perf_counter()
    list(gather(folder / "evidence", bow, postings, last.topics, thetas, by_document=engine.BY_DOCUMENT))
    seconds = time.perf_counter() - began
    evidence = Evidence.open(folder / "evidence", bow, postings)

    soft = np.zeros(K)
    for theta in thetas:
        document = np.repeat(np.arange(theta.first, theta.first + len(theta.indptr) - 1), np.diff(theta.indptr))
        np.add.at(soft, theta.topics, theta.weights * evidence.lengths[document])
    soft /= soft.sum()
    tokens, _ = evidence.sums(np.zeros(bow.D, np.int32), 1)
    share = tokens[0] / tokens.sum()
    apart = np.abs(share - soft) / soft
    print(
        f"shares of topics, given tokens against soft proportions: {apart.mean():.1%} apart on average, {apart.max():.1%} at most;"
    )
    print(f"correlation {np.corrcoef(soft, share)[0, 1]:.4f}")
    ptr, topic, of, _ = evidence.by_word()
    word, top = np.repeat(np.arange(bow.V), np.diff(ptr)), last.topics.top(10)
    common = [
        len(set(word[topic == k][np.argsort(-of[topic == k], kind="stable")[:10]]) & set(top[k])) for k in range(K)
    ]
    print(
        f"of the 10 words with most tokens in a topic, among its 10 of largest beta: {np.mean(common):.1f} on average, {min(common)} at least"
    )
    print(f"certainty of a token: {np.average(evidence.certainty / 255, weights=bow.counts):.2f} on average")
    print(
        f"topics of a document: {np.diff(evidence.doc_ptr).mean():.1f} with tokens, {np.mean([len(t.topics) / (len(t.indptr) - 1) for t in thetas]):.1f} touched by the fold-in"
    )
    print(f"seconds: {seconds:.2f} for {bow.tokens:,} tokens")


if __name__ == "__main__":
    main()
