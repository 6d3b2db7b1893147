"""Whether topics that are named beforehand by seed words hold: on planted topics, and on manifestos
against people's codes.

    .venv/bin/python -m benchmarks.seeds [--quick]

Planted: texts from K known topics; five of them are named, each by the words of rank 4, 6, 9 and 10
in it. `cosine`: of the topic found with the planted one, the least of the five; `unseeded`: the same
of the best topic of a training without seeds. `completion`: by how much a held-out word's log
likelihood is above that of the training without seeds. `pass`: seconds of a pass with seeds to those
without, of trainings of the same number of passes.

Manifestos: 18,263 sentences of British party manifestos (Benoit, Conway, Lauderdale, Laver and
Mikhaylov 2016); a sentence is economic where three experts or more coded it so. Two topics are
named, the economy and immigration, by SEEDS, which were written before any result was looked at;
the corpus has no codes of immigration, so its first words are printed instead. `agreement`: the
chance that an economic sentence has a larger share of the topic than another one (area under the
ROC curve): of the seeded topic; of the best topic of a training without seeds, which is chosen by
the codes themselves; and of SeededLDA as it is usually done: collapsed Gibbs sampling, where each
seed has WEIGHT of all tokens of the texts beforehand in its topic, in proportion to its own
(compare Watanabe and Baturo 2024).
"""

import csv
import gzip
import time
from typing import Any, NamedTuple

import numba
import numpy as np

import inference
from benchmarks.engines.corpora import SHARED, read_words, synthetic
from benchmarks.origin import options
from inference import Bow, Snapshot, Topics, engines
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
QUICK_NUMBERS = (20,)
RANKS = [3, 5, 8, 9]  # of the seeds of a planted topic among its words
PLANTED = 5  # topics that are named
DOCUMENTS = 3_000  # of planted topics; and for each topic
DOCUMENTS_EACH = 50
WORDS_EACH = 40  # of the vocabulary, for each topic
PASSES = 12  # of the trainings that are timed
GIBBS = 200  # sweeps of the twin
LAST = 50  # of these, over which theta is a mean
WEIGHT = 0.01
GIBBS_ALPHA = 0.5  # of all topics of a document together
GIBBS_ETA = 0.1
WORDS = 10


class Trained(NamedTuple):
    """A training's end. theta: float64[D, K]. seconds: it took."""

    last: Snapshot
    theta: np.ndarray
    seconds: float


def trained(bow: Bow, topics: int, seeds: Seeds | None, **settings: Any) -> Trained:
    engine = engines.get("ssi")
    config = engines.config("ssi", topics=topics, **settings).resolve(bow.D, bow.tokens)
    began = time.perf_counter()
    state = None if seeds is None else inference.plant(engine, config, bow, seeds, seed=1)
    *_, last = inference.train(engine, config, bow, seed=1, resume=state)
    seconds = time.perf_counter() - began
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


def cosines(topics: Topics, beta: np.ndarray) -> np.ndarray:
    """float64[K, planted], of each topic with each planted one."""
    dense = topics.dense()
    lengths = np.linalg.norm(dense, axis=1)[:, None] * np.linalg.norm(beta, axis=1)
    return dense @ beta.T / lengths


def planted(topics: int) -> str:
    """A row of the table of planted topics."""
    bow, beta = synthetic(DOCUMENTS + DOCUMENTS_EACH * topics, WORDS_EACH * topics, topics)
    ranked = np.argsort(-beta, axis=1)
    seeds = of_words([ranked[k, RANKS].tolist() for k in range(PLANTED)])
    seeded = trained(bow, topics, seeds)
    free = trained(bow, topics, None)
    nearest = cosines(seeded.last.topics, beta)[np.arange(PLANTED), np.arange(PLANTED)].min()
    best = cosines(free.last.topics, beta)[:, :PLANTED].max(axis=0).min()
    return _row(
        [
            topics,
            f"{nearest:.3f}",
            f"{best:.3f}",
            f"{seeded.last.held_out - free.last.held_out:+.4f}",
            f"{_pass(bow, topics, seeds):.2f}",
        ]
    )


def _pass(bow: Bow, topics: int, seeds: Seeds) -> float:
    """Seconds of a training with seeds to those of one without, the better of two each."""
    fixed = {"passes": PASSES, "until": "passes"}
    least = [
        min(trained(bow, topics, each, **fixed).seconds for _ in range(2)) for each in (seeds, None)
    ]
    return least[0] / least[1]


def manifestos(topics: int, bow: Bow, words: list[str], economic: np.ndarray) -> str:
    """A row of the table of manifestos; the first words of both topics are printed."""
    column = {word: i for i, word in enumerate(words)}
    seeds = of_words([_columns(words_of_topic, column) for words_of_topic in SEEDS.values()])
    seeded = trained(bow, topics, seeds)
    free = trained(bow, topics, None)
    for number, name in enumerate(SEEDS):
        top = seeded.last.topics.top(WORDS)[number]
        print(f"{name}, K = {topics}: {' '.join(words[w] for w in top)}", flush=True)
    best = max(agreement(free.theta[:, k], economic) for k in range(topics))
    twin = seeded_lda(bow, topics, seeds)
    return _row(
        [
            topics,
            f"{agreement(seeded.theta[:, 0], economic):.3f}",
            f"{best:.3f}",
            f"{agreement(twin[:, 0], economic):.3f}",
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


def seeded_lda(bow: Bow, topics: int, seeds: Seeds) -> np.ndarray:
    """float64[D, K]: theta by collapsed Gibbs sampling."""
    prior = np.zeros((bow.V, topics))
    prior[seeds.words, seeds.topics] = WEIGHT * bow.word_tokens[seeds.words]
    document = np.repeat(np.arange(bow.D), np.diff(bow.first_token))
    tokens = np.repeat(np.asarray(bow.words), np.asarray(bow.counts)).astype(np.int64)
    return _gibbs(document, tokens, prior + GIBBS_ETA, bow.D, GIBBS_ALPHA / topics)


@numba.njit
def _gibbs(document, tokens, prior, D, alpha):
    np.random.seed(1)
    K = prior.shape[1]
    of_document = np.zeros((D, K))
    of_word = prior.copy()
    totals = prior.sum(axis=0)
    topic = np.empty(len(tokens), np.int64)
    mean = np.zeros((D, K))
    weights = np.empty(K)
    for sweep in range(GIBBS):
        for i in range(len(tokens)):
            d = document[i]
            w = tokens[i]
            if sweep:
                of_document[d, topic[i]] -= 1
                of_word[w, topic[i]] -= 1
                totals[topic[i]] -= 1
            total = 0.0
            for k in range(K):
                total += (of_document[d, k] + alpha) * of_word[w, k] / totals[k]
                weights[k] = total
            k = min(np.searchsorted(weights, np.random.random() * total), K - 1)
            topic[i] = k
            of_document[d, k] += 1
            of_word[w, k] += 1
            totals[k] += 1
        if sweep >= GIBBS - LAST:
            mean += of_document + alpha
    for d in range(D):
        mean[d] /= mean[d].sum()
    return mean


def _row(cells: list[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    declared: dict[str, dict[str, Any]] = {"--quick": {"action": "store_true"}}
    quick = options(__doc__, declared).parse_args().quick
    numbers = QUICK_NUMBERS if quick else NUMBERS
    print("| K planted | cosine | unseeded | completion | pass |\n|---|---|---|---|---|")
    for topics in numbers:
        print(planted(topics), flush=True)
    bow, words = read_words(FILE)
    with gzip.open(FILE, "rt", encoding="utf-8", newline="") as file:
        coded = [int(row["economic_experts"]) >= ECONOMIC for row in csv.DictReader(file)]
    rows = [manifestos(topics, bow, words, np.array(coded)) for topics in numbers]
    print("| K manifestos | agreement | unseeded, best | SeededLDA | completion |")
    print("\n".join(["|---|---|---|---|---|", *rows]))


if __name__ == "__main__":
    main()
