"""Whether the names that are proposed for topics tell them apart as well as their words do, measured without readers.

    .venv/bin/python -m benchmarks.names                     # sotu and reuters, 50 topics; prints a table and every name
    .venv/bin/python -m benchmarks.names reuters --topics 100 --seed 1

Of every corpus a tenth of the documents is held out. The model is trained on the others, and its names are made of them.
Then each held-out document whose largest topic has at least a third of it is given to a topic by the words of one kind of
label alone, by the sum of tf / (tf + 1) log(D / df) over the label's words, divided by the number of them: names as they
are proposed; the first word, the first three and the first five, by probability and by relevance. `right` is how many
are given to their largest topic; `none` have no word of any label. It is what the topic test of the reading protocol asks
people (Chang et al. 2009), asked of labels: a label is good when documents can be told by it.

Beside it: names that are equal, that have two words with one stem, that have a word of a fifth of all documents, and
topics that are called general talk.
"""

import argparse
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import regex

import inference
from benchmarks.engines.corpora import FILES
from inference import Bow, Evidence, Postings, Topics, engines
from inference.evaluate import Diagnostics
from inference.explore import naming, neighbours
from inference.explore.relevance import relevance
from inference.text import Choice, Stream, Tokeniser, choose, stop_words

HELD_OUT = 10  # one document of so many
LARGEST = 1 / 3  # share of its largest topic that a held-out document needs
COMMON = 0.2  # of the documents: a word of more says little


class Model(NamedTuple):
    """What was trained. words: the vocabulary. names, general: of each topic. held_out: int64[n, V] as a Bow; largest: the
    largest topic of each of its documents, -1 where that is small."""

    topics: Topics
    bow: Bow
    words: list[str]
    names: list[str]
    general: np.ndarray
    held_out: Bow
    largest: np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", nargs="*", help="sotu, reuters, or a file (default: both)")
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for name in given.corpus or ["sotu", "reuters"]:
        report(name, trained(Path(FILES.get(name, name)), given.topics, given.seed))


def report(name: str, model: Model) -> None:
    """Print what was measured."""
    K, number = model.topics.K, {word: w for w, word in enumerate(model.words)}
    top = model.topics.top(naming.CANDIDATES)
    relevant = by_relevance(model, top)
    of_names = [[number[word] for word in parts(text) if word in number] for text in model.names]
    print(f"\n{name}: {model.bow.D:,} documents, {K} topics, {np.count_nonzero(model.largest >= 0):,} held out")
    kinds = {"names": of_names, "1 word": top[:, :1], "3 words": top[:, :3], "5 words": top[:, :5]}
    kinds |= {"3 by relevance": relevant[:, :3], "5 by relevance": relevant[:, :5]}
    for kind, words in kinds.items():
        right, none = retrieved(model, [[int(w) for w in of if w >= 0] for of in words])
        size = np.mean([len(of) for of in words])
        print(f"  {kind:15} {size:.1f} words  right {right:.3f}  none {none:.3f}")
    share = np.bincount(model.bow.words, minlength=model.bow.V) / model.bow.D
    equal = K - len({text.casefold() for text in model.names})
    stems = sum(any(naming.alike(a, b) for i, a in enumerate(of) for b in of[:i]) for of in map(parts, model.names))
    common = sum(any(share[w] > COMMON for w in of) for of in of_names)
    phrases = sum(any(" " in part for part in text.split(", ")) for text in model.names)
    print(
        f"  of {K} names: {equal} equal to another, {stems} with two words alike, {common} with a common word, {phrases} with a phrase"
    )
    for k, text in enumerate(model.names):
        general = " (general talk)" if model.general[k] else ""
        print(f"    T{k:02d} {text}{general} | {' '.join(model.words[w] for w in top[k][:6] if w >= 0)}")


def parts(name: str) -> list[str]:
    """The words of a name."""
    return regex.findall(r"[\p{L}\p{M}\p{N}]+", name.lower())


def by_relevance(model: Model, top: np.ndarray) -> np.ndarray:
    """The same words in the order of their relevance: int32[K, n]."""
    ordered, tokens = top.copy(), model.bow.word_tokens
    for k, row in enumerate(top):
        words = row[row >= 0]
        inside = model.topics.columns(words)[k]
        score = relevance(inside, tokens[words], 0.6, inside_total=1, total=int(tokens.sum()))
        ordered[k, : len(words)] = words[np.argsort(-score, kind="stable")]
    return ordered


def retrieved(model: Model, labels: list[list[int]]) -> tuple[float, float]:
    """The part of the held-out documents that the labels give to their largest topic, and that no label has a word of."""
    documents = np.flatnonzero(model.largest >= 0)
    frequency = np.bincount(model.bow.words, minlength=model.bow.V)
    weight = np.log(model.bow.D / np.maximum(frequency, 1))
    right = none = 0
    for d in documents.tolist():
        counts = dict(zip(*_row(model.held_out, d), strict=True))
        scores = [
            sum(counts.get(w, 0) / (counts.get(w, 0) + 1) * weight[w] for w in of) / len(of) if of else 0.0
            for of in labels
        ]
        none += not max(scores)
        right += bool(max(scores)) and int(np.argmax(scores)) == model.largest[d]
    return right / len(documents), none / len(documents)


def _row(bow: Bow, d: int) -> tuple[list[int], list[int]]:
    span = slice(bow.indptr[d], bow.indptr[d + 1])
    return bow.words[span].tolist(), bow.counts[span].tolist()


def trained(path: Path, K: int, seed: int) -> Model:
    """Train on nine tenths of a file, and name the topics."""
    from webapp import readers

    options = readers.sniff(path, path.name).options
    texts = [item.text for item in readers.read(path, path.name, options) if hasattr(item, "text")]  # not a Problem
    kept = [text for i, text in enumerate(texts) if i % HELD_OUT]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        choice = Choice(stop_words("en"))
        bow, vocabulary = choose(_stream(folder / "tokens", kept), choice, folder / "bow")
        engine, config = engines.get(engines.DEFAULT), engines.config(engines.DEFAULT, topics=K)
        config = config.resolve(bow.D, bow.tokens)
        events = list(inference.train(engine, config, bow, seed=seed))
        state = [event for event in events if isinstance(event, inference.Snapshot)][-1].state
        topics, postings = engine.topics(config, state), Postings.open(folder / "bow" / "by_word")
        thetas = inference.fold_in_corpus(engine, config, state, bow)
        for _ in inference.gather(folder / "evidence", bow, postings, topics, thetas, by_document=engine.BY_DOCUMENT):
            pass
        evidence = Evidence.open(folder / "evidence", bow, postings)
        names = named(topics, evidence, list(vocabulary.words), kept)
        exclusivity = Diagnostics(bow)(topics, evidence).exclusivity
        general = naming.background(exclusivity, evidence.documents)
        held_out = _held_out(texts[::HELD_OUT], list(vocabulary.words))
        largest = np.concatenate(
            [_largest(theta) for theta in inference.fold_in_corpus(engine, config, state, held_out)]
        )
        bow = Bow(*(np.array(part) for part in (bow.indptr, bow.words, bow.counts)), bow.V)
        return Model(topics, bow, list(vocabulary.words), names, general, held_out, largest)


def named(topics: Topics, evidence: Evidence, words: list[str], texts: list[str]) -> list[str]:
    """The names, as webapp.runs.names makes them."""
    looked_at, top = [], topics.top(naming.CANDIDATES)
    for sample, own in zip(
        neighbours.samples(evidence, np.array([len(word) for word in words], np.int32)), top.tolist(), strict=True
    ):
        written = neighbours.written(
            evidence, sample, [w for w in own if w >= 0], words.__getitem__, lambda ds, n: {d: texts[d][:n] for d in ds}
        )
        looked_at.append((sample, written))
    return naming.names(topics, dict(enumerate(words)), looked_at)


def _stream(folder: Path, texts: list[str]) -> Stream:
    with Stream.write(folder, Tokeniser("en")) as stream:
        stream.add(texts, [""] * len(texts))
        stream.commit()
    return Stream.open(folder)


def _held_out(texts: list[str], words: list[str]) -> Bow:
    """Documents in the words of a vocabulary."""
    number = {word: w for w, word in enumerate(words)}
    indptr, columns, counts = [0], [], []
    for text in texts:
        seen = [number[word] for word in parts(text) if word in number]
        distinct, times = np.unique(np.array(seen, np.int64), return_counts=True)
        indptr.append(indptr[-1] + len(distinct))
        columns.append(distinct)
        counts.append(times)
    return Bow(np.array(indptr), np.concatenate(columns), np.concatenate(counts), len(words))


def _largest(theta: inference.Theta) -> np.ndarray:
    """int64[n]: the largest topic of each document of a block, -1 where it has less than LARGEST."""
    first, some = theta.indptr[:-1], np.diff(theta.indptr) > 0
    largest = np.full(len(first), -1)
    at = first[some]
    largest[some] = np.where(theta.weights[at] >= LARGEST, theta.topics[at], -1)
    return largest


if __name__ == "__main__":
    main()
