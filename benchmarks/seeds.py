"""Whether topics that are named beforehand by seed words hold: on planted topics, and on texts with
people's codes.

    .venv/bin/python -m benchmarks.seeds [--quick] [--texts manifestos] [--topics 20 60 200]
        [--trainings 3] [--no-peers]

Planted: texts from K known topics; five of them are named, each by the words of rank 4, 6, 9 and 10
in it. `holds`: the cosine of the topic found with the planted one, the least of the five.

Texts with codes: topics are named by NAMED, which was written before any result was looked at.
`holds`: the chance that a document with the code has a larger share of the topic than one without
(area under the ROC curve), the mean of the named topics that have codes. manifestos: 18,263 sentences
of British party manifestos (Benoit, Conway, Lauderdale, Laver and Mikhaylov 2016); a sentence is
economic where three experts or more coded it so; nobody coded immigration, so its first words are
printed. reuters: newswire with the codes of its editors. arxiv: abstracts with the categories of
their authors. sotu: State of the Union addresses, without codes.

`unseeded`: the same of the best topic of a training without seeds, which is chosen by the codes
themselves. keyATM (Eshima, Imai and Sasaki 2024), SeededLDA (Watanabe and Baturo 2024): of topica, on
the same seeds and texts in the same run, with their own settings and SWEEPS sweeps; where topica is
not installed the columns say so: `pip install topica`, or the packages of
requirements/benchmarks.lock. `completion`: by how much a held-out word's log likelihood is above
that of the training without seeds. Each as the mean over trainings with other seeds, of random
numbers, and the least and most of them. `pass`: seconds of the processor of a pass with seeds to
those of one without, with one thread, the two in turn: the median of passes.
"""

import importlib.util
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numba
import numpy as np

import inference
from benchmarks.collection_files import csv_rows
from benchmarks.engines.corpora import SHARED, file, read_words, synthetic, values
from benchmarks.engines.peers import token_lists
from benchmarks.origin import options
from benchmarks.trainer import Trainer
from inference import Bow, Invalid, Snapshot, engines
from inference.engines.contract import Seeds
from inference.schedule import held_out_documents

MANIFESTOS = SHARED / "manifestos.csv.gz"
# By the code, where there is one, else by a name of its own
NAMED = {
    "manifestos": {
        "economy": (
            "economy tax taxes taxation jobs employment unemployment business businesses inflation"
            " investment growth spending interest wage market trade industry enterprise budget"
        ),
        "immigration": (
            "immigration immigrants immigrant migrants migration asylum refugees border borders"
            " passport visa citizenship deportation"
        ),
    },
    "reuters": {
        "grain": "wheat corn grain crop harvest maize barley",
        "crude": "oil crude barrel barrels opec petroleum",
        "ship": "ship ships shipping vessel port cargo",
        "money-fx": "dollar yen currency currencies exchange intervention",
        "gold": "gold ounce ounces mine",
    },
    "arxiv": {
        "cond-mat.quant-gas": "bose einstein condensate condensates ultracold trapped",
        "cs.NI": "wireless network networks routing protocol packet",
        "math.GT": "knot knots link links manifolds",
        "cs.CR": "encryption security attack attacks cryptographic",
        "astro-ph.EP": "planet planets planetary exoplanet orbit",
    },
    "sotu": {
        "navy": "navy ships vessels naval squadron",
        "tariff": "tariff duties revenue imports customs",
        "indians": "indians indian tribes reservation",
        "soviet": "soviet nuclear missiles arms",
        "slavery": "slavery slaves territory constitution",
    },
}
ECONOMIC = 3  # experts who say that a sentence is economic, at the least
NUMBERS = (20, 60, 200)
TEXTS = ("planted", *NAMED)
QUICK_NUMBERS = (20,)
RANKS = [3, 5, 8, 9]  # of the seeds of a planted topic among its words
PLANTED = 5  # topics that are named
DOCUMENTS = 3_000  # of planted topics; and for each topic
DOCUMENTS_EACH = 50
WORDS_EACH = 40  # of the vocabulary, for each topic
TRAININGS = 3  # with other random numbers
QUICK_TRAININGS = 1
# Passes of the two trainings that are timed: the first ones of them are not
UNTIMED = 8
TIMED = 24
SWEEPS = 1_000  # of topica's samplers; their defaults are 1,500 and 2,000
QUICK_SWEEPS = 200
NOT_MEASURED = "not measured"
WORDS = 10


class Trained(NamedTuple):
    """A training's end. theta: float64[D, K]."""

    last: Snapshot
    theta: np.ndarray


class Task(NamedTuple):
    """Texts, and topics to be named in them. seeds: columns of each topic's. judge: dense beta,
    float64[K, V], and theta, float64[D, K] -> how well each topic is each named one: float64[K, n],
    n of the first named ones. of_several: what one number says of several named topics. words: the
    vocabulary, [] of planted texts."""

    name: str
    bow: Bow
    topics: int
    seeds: list[list[int]]
    judge: Callable[[np.ndarray, np.ndarray], np.ndarray]
    of_several: Callable[[np.ndarray], np.floating]
    words: list[str]


def planted(topics: int) -> Task:
    """Texts from known topics."""
    bow, beta = synthetic(DOCUMENTS + DOCUMENTS_EACH * topics, WORDS_EACH * topics, topics)
    ranked = np.argsort(-beta, axis=1)
    seeds = [ranked[k, RANKS].tolist() for k in range(PLANTED)]

    def judge(dense: np.ndarray, theta: np.ndarray) -> np.ndarray:
        return cosines(dense, beta[:PLANTED])

    return Task("planted", bow, topics, seeds, judge, np.min, [])


def cosines(dense: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """float64[K, planted], of each topic with each planted one. dense: [K, V], the topics; beta:
    [planted, V]."""
    lengths = np.linalg.norm(dense, axis=1)[:, None] * np.linalg.norm(beta, axis=1)
    return dense @ beta.T / lengths


def with_codes(name: str, topics: int) -> Task:
    """Texts of one of NAMED."""
    path = MANIFESTOS if name == "manifestos" else file(name)
    bow, words = read_words(path)
    column = {word: i for i, word in enumerate(words)}
    seeds = [
        [column[word] for word in text.split() if word in column] for text in NAMED[name].values()
    ]
    codes = _codes(name)

    def judge(dense: np.ndarray, theta: np.ndarray) -> np.ndarray:
        return np.array([[area_under_curve(share, code) for code in codes] for share in theta.T])

    return Task(name, bow, topics, seeds, judge, np.mean, words)


def _codes(name: str) -> list[np.ndarray]:
    """bool[D] of each named topic that has codes, which are the first ones."""
    if name == "manifestos":
        rows = csv_rows(MANIFESTOS)
        return [np.array([int(row["economic_experts"]) >= ECONOMIC for row in rows])]
    if name == "sotu":
        return []
    field = {"reuters": "topics", "arxiv": "category"}[name]
    codes = [separate(value) for value in values(file(name), field)]
    judged = []
    for code in NAMED[name]:
        has_code = np.array([code in several for several in codes])
        if not has_code.any():
            raise Invalid("texts", f"No document of {name} has the code {code}.")
        judged.append(has_code)
    return judged


def separate(value: str) -> set[str]:
    """The codes of a document, which a field has in one string."""
    return set(value.replace(";", ",").replace(",", " ").split())


def area_under_curve(score: np.ndarray, coded: np.ndarray) -> float:
    """The area under the ROC curve; of equal scores half counts. score: float[n]; coded:
    bool[n]."""
    _, place, times = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(times) - (times - 1) / 2)[place]
    ones = coded.sum()
    return float((rank[coded].sum() - ones * (ones + 1) / 2) / (ones * (len(coded) - ones)))


def trained(bow: Bow, topics: int, seeds: Seeds | None, seed: int, **settings: Any) -> Trained:
    """seed: of the random numbers."""
    engine = engines.get("ssi")
    config = engines.config("ssi", topics=topics, **settings).resolve(bow.D, bow.tokens)
    state = None if seeds is None else inference.plant(engine, config, bow, seeds, seed=seed)
    *_, last = inference.train(engine, config, bow, seed=seed, resume=state)
    assert isinstance(last, Snapshot)
    theta = np.zeros((bow.D, topics))
    for block in inference.fold_in_corpus(engine, config, last.state, bow):
        document = block.first + np.repeat(np.arange(len(block.indptr) - 1), np.diff(block.indptr))
        theta[document, block.topics] = block.weights
    return Trained(last, theta)


def of_words(seeds: list[list[int]]) -> Seeds:
    """seeds: columns of each topic's, none of which is without."""
    topics = np.repeat(np.arange(len(seeds)), [len(words) for words in seeds])
    return Seeds(np.concatenate(seeds).astype(np.int64), topics, np.zeros(0, np.int64))


class Scores(NamedTuple):
    """What each training reached. seeded, free: how well the named topics hold; completion: of the
    seeded training above that of the free one."""

    seeded: list[float]
    free: list[float]
    completion: list[float]


def score(task: Task, trainings: int) -> Scores:
    """The scores of trainings with the random seeds 1, 2 …"""
    scores = Scores([], [], [])
    for seed in range(1, trainings + 1):
        seeded = trained(task.bow, task.topics, of_words(task.seeds), seed)
        free = trained(task.bow, task.topics, None, seed)
        scores.completion.append(seeded.last.held_out - free.last.held_out)
        judged = task.judge(seeded.last.topics.dense(), seeded.theta)
        if judged.size:
            scores.seeded.append(_of_named(task, judged))
            best = task.judge(free.last.topics.dense(), free.theta).max(axis=0)
            scores.free.append(float(task.of_several(best)))
        if task.words and seed == 1:
            _print_first_words(task, seeded)
    return scores


def _of_named(task: Task, judged: np.ndarray) -> float:
    """How well the named topics, which are the first ones, are what they should be."""
    return float(task.of_several(np.diagonal(judged)))


def _print_first_words(task: Task, seeded: Trained) -> None:
    for number, name in enumerate(NAMED[task.name]):
        top = seeded.last.topics.top(WORDS)[number]
        print(f"{name}, K = {task.topics}: {' '.join(task.words[w] for w in top)}", flush=True)


def sample_peers(task: Task, sweeps: int) -> list[float] | None:
    """How well the named topics of topica's keyATM and SeededLDA hold; None where that is not
    installed. Words are given to it as their numbers. Documents without words have the mean
    theta."""
    if importlib.util.find_spec("topica") is None:
        return None
    import topica

    lists = list(token_lists(task.bow))
    filled = [d for d, tokens in enumerate(lists) if tokens]
    corpus = topica.Corpus.from_documents([lists[d] for d in filled])
    keywords = {}
    for k, words in enumerate(task.seeds):
        keywords[f"topic{k}"] = [str(word) for word in words]
    models = [
        topica.KeyATM(keywords, num_topics=task.topics, seed=1),
        topica.SeededLDA(keywords, residual=task.topics - len(task.seeds), seed=1),
    ]
    held = []
    for model in models:
        model.fit(corpus, iters=sweeps, keep_theta_draws=False, progress=_say_nothing)
        of_documents = np.asarray(model.doc_topic)
        theta = np.tile(of_documents.mean(axis=0), (task.bow.D, 1))
        theta[filled] = of_documents
        beta = np.zeros((task.topics, task.bow.V))
        beta[:, [int(word) for word in model.vocabulary]] = np.asarray(model.topic_word)
        held.append(_of_named(task, task.judge(beta, theta)))
    return held


def _say_nothing(*_: Any) -> None:
    """topica draws a bar where it is told nothing."""


def compare_passes(task: Task) -> float:
    """Seconds of the processor of a pass with seeds to those of one without, the two in turn,
    whatever a training begins with: the median of TIMED passes."""
    bow = task.bow
    config = engines.config("ssi", topics=task.topics).resolve(bow.D, bow.tokens)
    held_out = held_out_documents(bow, 1)
    engine = engines.get("ssi")
    planted_state = inference.plant(engine, config, bow, of_words(task.seeds), seed=1)
    with_seeds = Trainer(bow, engine, config, 1, held_out, state=planted_state)
    without = Trainer(bow, engine, config, 1, held_out)
    threads = numba.get_num_threads()
    ratios = []
    for number in range(UNTIMED + TIMED):
        _, seconds_with_seeds = with_seeds.one_pass()
        _, seconds_without = without.one_pass()
        if number >= UNTIMED:
            ratios.append(seconds_with_seeds / seconds_without)
    numba.set_num_threads(threads)
    return float(np.median(ratios))


def row_of(task: Task, trainings: int, sweeps: int) -> str:
    """sweeps: of the peers; 0 where they are not wanted."""
    scores = score(task, trainings)
    peers = sample_peers(task, sweeps) if sweeps and scores.seeded else None
    cells = [
        task.name,
        str(task.topics),
        _mean_and_range(scores.seeded, "{:.3f}"),
        _mean_and_range(scores.free, "{:.3f}"),
        *(["", ""] if peers is None else [f"{held:.3f}" for held in peers]),
        _mean_and_range(scores.completion, "{:+.3f}"),
        f"{compare_passes(task):.2f}",
    ]
    return f"| {' | '.join(cell or NOT_MEASURED for cell in cells)} |"


def _mean_and_range(values: Sequence[float], form: str) -> str:
    """The mean, and the least and most of several."""
    if not values:
        return ""
    mean = form.format(np.mean(values))
    if len(values) == 1:
        return mean
    return f"{mean} ({form.format(min(values))} to {form.format(max(values))})"


def main() -> None:
    declared: dict[str, dict[str, Any]] = {
        "--quick": {"action": "store_true"},
        "--no-peers": {"action": "store_true"},
        "--topics": {"type": int, "nargs": "+"},
        "--trainings": {"type": int},
        "--texts": {"nargs": "+", "choices": TEXTS, "default": TEXTS},
    }
    asked = options(__doc__, declared).parse_args()
    numbers = asked.topics or (QUICK_NUMBERS if asked.quick else NUMBERS)
    trainings = asked.trainings or (QUICK_TRAININGS if asked.quick else TRAININGS)
    sweeps = QUICK_SWEEPS if asked.quick else SWEEPS
    if asked.no_peers:
        sweeps = 0
    print("| texts | K | holds | unseeded | keyATM | SeededLDA | completion | pass |")
    print("|---|---|---|---|---|---|---|---|")
    for name in asked.texts:
        for topics in numbers:
            task = planted(topics) if name == "planted" else with_codes(name, topics)
            print(row_of(task, trainings, sweeps), flush=True)


if __name__ == "__main__":
    main()
