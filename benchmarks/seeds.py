"""Whether topics that are named beforehand by seed words hold: on planted topics, and on manifestos
against people's codes.

    .venv/bin/python -m benchmarks.seeds [--quick] [--topics 20 60 200] [--texts manifestos]

Planted: texts from K known topics; five of them are named, each by the words of rank 4, 6, 9 and 10
in it. `cosine`: of the topic found with the planted one, the least of the five; `unseeded`: the same
of the best topic of a training without seeds. `completion`: by how much a held-out word's log
likelihood is above that of the training without seeds. `pass`: seconds of the processor of a pass
with seeds to those of one without, with one thread.

Manifestos: 18,263 sentences of British party manifestos (Benoit, Conway, Lauderdale, Laver and
Mikhaylov 2016); a sentence is economic where three experts or more coded it so. Two topics are
named, the economy and immigration, by SEEDS, which were written before any result was looked at;
the corpus has no codes of immigration, so its first words are printed instead. `agreement`: the
chance that an economic sentence has a larger share of the topic than another one (area under the
ROC curve): of the seeded topic; of the best topic of a training without seeds, which is chosen by
the codes themselves; and, of the same seeds and texts in the same run, of topica's keyATM (Eshima,
Imai and Sasaki 2024) and SeededLDA (Watanabe and Baturo 2024), with their own settings and SWEEPS
sweeps. Where topica is not installed the columns say so: `pip install topica`, or the packages of
requirements/benchmarks.lock. `completion` as above.
"""

import csv
import gzip
import importlib.util
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

import inference
from benchmarks.engines.corpora import SHARED, read_words, synthetic
from benchmarks.engines.peers import token_lists
from benchmarks.origin import options
from inference import Bow, Snapshot, engines
from inference.engines.contract import Seeds

FILE = SHARED / "manifestos.csv.gz"
SEEDS = {
    "economy": (
        "economy tax taxes taxation jobs employment unemployment business businesses inflation"
        " investment growth spending interest wage market trade industry enterprise budget"
    ).split(),
    "immigration": (
        "immigration immigrants immigrant migrants migration asylum refugees border borders"
        " passport visa citizenship deportation"
    ).split(),
}
ECONOMIC = 3  # experts who say that a sentence is economic, at the least
NUMBERS = (20, 60, 200)
TEXTS = ("planted", "manifestos")
QUICK_NUMBERS = (20,)
RANKS = [3, 5, 8, 9]  # of the seeds of a planted topic among its words
PLANTED = 5  # topics that are named
DOCUMENTS = 3_000  # of planted topics; and for each topic
DOCUMENTS_EACH = 50
WORDS_EACH = 40  # of the vocabulary, for each topic
# Passes of the trainings that are timed, and how often each is
SHORT = 12
LONG = 36
TRIALS = 3
SWEEPS = 1_000  # of topica's samplers; their defaults are 1,500 and 2,000
QUICK_SWEEPS = 200
NOT_INSTALLED = "topica is not installed"
WORDS = 10


class Trained(NamedTuple):
    """A training's end. theta: float64[D, K]. seconds: of the processor, that it took."""

    last: Snapshot
    theta: np.ndarray
    seconds: float


def trained(
    bow: Bow, topics: int, seeds: Seeds | None, threads: int | None = None, **settings: Any
) -> Trained:
    """threads: None for one a core."""
    engine = engines.get("ssi")
    config = engines.config("ssi", topics=topics, **settings).resolve(bow.D, bow.tokens)
    began = time.process_time()
    state = None if seeds is None else inference.plant(engine, config, bow, seeds, seed=1)
    *_, last = inference.train(engine, config, bow, seed=1, resume=state, threads=threads)
    seconds = time.process_time() - began
    assert isinstance(last, Snapshot)
    theta = np.zeros((bow.D, topics))
    for block in inference.fold_in_corpus(engine, config, last.state, bow):
        document = block.first + np.repeat(np.arange(len(block.indptr) - 1), np.diff(block.indptr))
        theta[document, block.topics] = block.weights
    return Trained(last, theta, seconds)


def of_words(seeds: list[list[int]]) -> Seeds:
    """seeds: columns of each topic's, none of which is without."""
    topics = np.repeat(np.arange(len(seeds)), [len(words) for words in seeds])
    return Seeds(np.concatenate(seeds).astype(np.int64), topics, np.zeros(0, np.int64))


class Peers(NamedTuple):
    """What topica's two samplers say of the same seeds, by their names. theta: float64[D, K];
    beta: float64[K, V]. Empty where topica is not installed."""

    theta: dict[str, np.ndarray]
    beta: dict[str, np.ndarray]

    def cells(self, measured: dict[str, float]) -> list[str]:
        if not measured:
            return [NOT_INSTALLED] * 2
        return [f"{measured[name]:.3f}" for name in ("KeyATM", "SeededLDA")]


def sample_peers(bow: Bow, topics: int, seeds: list[list[int]], sweeps: int) -> Peers:
    """Words are given to topica as their numbers. Documents without words have the mean theta."""
    if importlib.util.find_spec("topica") is None:
        return Peers({}, {})
    import topica

    lists = list(token_lists(bow))
    filled = [d for d, tokens in enumerate(lists) if tokens]
    corpus = topica.Corpus.from_documents([lists[d] for d in filled])
    keywords = {}
    for k, words in enumerate(seeds):
        keywords[f"topic{k}"] = [str(word) for word in words]
    models = {
        "KeyATM": topica.KeyATM(keywords, num_topics=topics, seed=1),
        "SeededLDA": topica.SeededLDA(keywords, residual=topics - len(seeds), seed=1),
    }
    theta: dict[str, np.ndarray] = {}
    beta: dict[str, np.ndarray] = {}
    for name, model in models.items():
        model.fit(corpus, iters=sweeps, keep_theta_draws=False, progress=_say_nothing)
        of_documents = np.asarray(model.doc_topic)
        theta[name] = np.tile(of_documents.mean(axis=0), (bow.D, 1))
        theta[name][filled] = of_documents
        beta[name] = np.zeros((topics, bow.V))
        beta[name][:, [int(word) for word in model.vocabulary]] = np.asarray(model.topic_word)
    return Peers(theta, beta)


def _say_nothing(*_: Any) -> None:
    """topica draws a bar where it is told nothing."""


def cosines(dense: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """float64[K, planted], of each topic with each planted one."""
    lengths = np.linalg.norm(dense, axis=1)[:, None] * np.linalg.norm(beta, axis=1)
    return dense @ beta.T / lengths


def planted(topics: int, sweeps: int) -> str:
    """A row of the table of planted topics."""
    bow, beta = synthetic(DOCUMENTS + DOCUMENTS_EACH * topics, WORDS_EACH * topics, topics)
    ranked = np.argsort(-beta, axis=1)
    words = [ranked[k, RANKS].tolist() for k in range(PLANTED)]
    seeds = of_words(words)
    seeded = trained(bow, topics, seeds)
    free = trained(bow, topics, None)
    similarities = cosines(free.last.topics.dense(), beta)[:, :PLANTED]
    best = similarities.max(axis=0).min()
    peers = sample_peers(bow, topics, words, sweeps)
    return _row(
        [
            topics,
            f"{_least_cosine(seeded.last.topics.dense(), beta):.3f}",
            f"{best:.3f}",
            *peers.cells({name: _least_cosine(of, beta) for name, of in peers.beta.items()}),
            f"{seeded.last.held_out - free.last.held_out:+.4f}",
            f"{_pass(bow, topics, seeds):.2f}",
        ]
    )


def _least_cosine(dense: np.ndarray, beta: np.ndarray) -> float:
    """Of the named topics, which are the first ones, with those that they should be."""
    return float(cosines(dense, beta)[np.arange(PLANTED), np.arange(PLANTED)].min())


def _pass(bow: Bow, topics: int, seeds: Seeds) -> float:
    """Seconds of a pass with seeds to those of one without, whatever a training begins with."""
    return _seconds_of_pass(bow, topics, seeds) / _seconds_of_pass(bow, topics, None)


def _seconds_of_pass(bow: Bow, topics: int, seeds: Seeds | None) -> float:
    """By how much a training of LONG passes takes longer than one of SHORT, the best of TRIALS."""
    seconds = {}
    for passes in (SHORT, LONG):
        settings = {"passes": passes, "until": "passes"}
        trials = [trained(bow, topics, seeds, threads=1, **settings) for _ in range(TRIALS)]
        seconds[passes] = min(trial.seconds for trial in trials)
    return (seconds[LONG] - seconds[SHORT]) / (LONG - SHORT)


def manifestos(topics: int, bow: Bow, words: list[str], economic: np.ndarray, sweeps: int) -> str:
    """A row of the table of manifestos; the first words of both topics are printed."""
    column = {word: i for i, word in enumerate(words)}
    words_of_seeds = [_columns(words_of_topic, column) for words_of_topic in SEEDS.values()]
    seeds = of_words(words_of_seeds)
    seeded = trained(bow, topics, seeds)
    free = trained(bow, topics, None)
    for number, name in enumerate(SEEDS):
        top = seeded.last.topics.top(WORDS)[number]
        print(f"{name}, K = {topics}: {' '.join(words[w] for w in top)}", flush=True)
    best = max(agreement(free.theta[:, k], economic) for k in range(topics))
    peers = sample_peers(bow, topics, words_of_seeds, sweeps)
    agreements = {name: agreement(theta[:, 0], economic) for name, theta in peers.theta.items()}
    return _row(
        [
            topics,
            f"{agreement(seeded.theta[:, 0], economic):.3f}",
            f"{best:.3f}",
            *peers.cells(agreements),
            f"{seeded.last.held_out - free.last.held_out:+.4f}",
        ]
    )


def _columns(seeds: list[str], column: dict[str, int]) -> list[int]:
    return [column[word] for word in seeds if word in column]


def agreement(score: np.ndarray, coded: np.ndarray) -> float:
    """The area under the ROC curve; of equal scores half counts."""
    _, place, times = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(times) - (times - 1) / 2)[place]
    ones = coded.sum()
    return float((rank[coded].sum() - ones * (ones + 1) / 2) / (ones * (len(coded) - ones)))


def _row(cells: list[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    declared: dict[str, dict[str, Any]] = {
        "--quick": {"action": "store_true"},
        "--topics": {"type": int, "nargs": "+"},
        "--texts": {"nargs": "+", "choices": TEXTS, "default": TEXTS},
    }
    asked = options(__doc__, declared).parse_args()
    quick = asked.quick
    numbers = asked.topics or (QUICK_NUMBERS if quick else NUMBERS)
    sweeps = QUICK_SWEEPS if quick else SWEEPS
    if "planted" in asked.texts:
        _print_planted(numbers, sweeps)
    if "manifestos" in asked.texts:
        _print_manifestos(numbers, sweeps)


def _print_planted(numbers: Sequence[int], sweeps: int) -> None:
    print("| K planted | cosine | unseeded | keyATM | SeededLDA | completion | pass |")
    print("|---|---|---|---|---|---|---|")
    for topics in numbers:
        print(planted(topics, sweeps), flush=True)


def _print_manifestos(numbers: Sequence[int], sweeps: int) -> None:
    bow, words = read_words(FILE)
    with gzip.open(FILE, "rt", encoding="utf-8", newline="") as file:
        coded = [int(row["economic_experts"]) >= ECONOMIC for row in csv.DictReader(file)]
    print("| K manifestos | agreement | unseeded, best | keyATM | SeededLDA | completion |")
    print("|---|---|---|---|---|---|")
    for topics in numbers:
        print(manifestos(topics, bow, words, np.array(coded), sweeps), flush=True)


if __name__ == "__main__":
    main()
