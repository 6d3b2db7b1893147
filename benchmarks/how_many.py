"""Whether six passes tell of a number of topics what twenty-four do: the page "How many topics?"
makes short trainings.

    .venv/bin/python -m benchmarks.how_many [--quick]

Of each collection a training of 24 passes at K topics is the run. At a third, the same and three
times K there are trainings of 6 and of 24 passes, with two seeds each. Printed, for both lengths:
`held-out`, log likelihood of a held-out word, nats, the mean of the seeds; `found again`, the part
of the topics that the other seed has; `mixed`, the part of the topics that are mixed; `seconds` of
the two trainings. Then, of the run's topics in the trainings at a third, and of the topics at three
times K in the run: the part of which 6 and 24 passes with one seed say the same (stays, inside
another, spread over several), and, to compare with, the same of 24 passes with two seeds. Parts of
topics at three times K are compared by how many of each kind there are, as topics of two trainings
have no common numbers.
"""

import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import inference
from benchmarks.engines.corpora import load
from benchmarks.origin import options
from benchmarks.stability import part_found
from inference import Bow, Postings, Snapshot, engines, open_evidence
from inference.explore import flows
from inference.explore.company import company

ENGINE = "ssi"
SHORT = 6
LONG = 24
TIMES = 3  # as many topics, or a third
SEEDS = (0, 1)
COLLECTIONS = [("reuters", 60), ("sotu", 60), ("sotu", 20)]
QUICK = [("sotu", 20)]
KINDS = ("stays", "inside", "spread")


class Trial(NamedTuple):
    """last: of the training; assigned: uint16[nnz], the topic of each pair of the bag; mixed: part
    of the topics; seconds of the training alone."""

    last: Snapshot
    assigned: np.ndarray
    mixed: float
    seconds: float


def trained(bow: Bow, postings: Postings, topics: int, passes: int, seed: int) -> Trial:
    """A training to its last pass."""
    engine = engines.get(ENGINE)
    config = engines.config(ENGINE, topics=topics, passes=passes, until="passes")
    config = config.resolve(bow.D, bow.tokens)
    began = time.perf_counter()
    *_, last = inference.train(engine, config, bow, seed=seed)
    seconds = time.perf_counter() - began
    assert isinstance(last, Snapshot)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "evidence"
        blocks = inference.fold_in_corpus(engine, config, last.state, bow)
        list(inference.gather(folder, bow, postings, last.topics, blocks))
        evidence = open_evidence(folder, bow, postings)
        assigned = np.array(evidence.token_topics.topics)
        mixed = float(company(evidence).mixed.mean())
    return Trial(last, assigned, mixed, seconds)


def kinds(bow: Bow, fine: Trial, coarse: Trial) -> np.ndarray:
    """int[K] of KINDS: what became of each topic of the finer training."""
    sizes = fine.last.topics.K, coarse.last.topics.K
    descent = flows.descent(flows.count(fine.assigned, coarse.assigned, bow.counts, *sizes))
    return np.where(descent.stays, 0, np.where(descent.inside, 1, 2))


def measure(name: str, topics: int) -> None:
    """The rows of a collection."""
    _, bow, _ = load(name)
    numbers = (round(topics / TIMES), topics, TIMES * topics)
    trials: dict[tuple[int, int, int], Trial] = {}
    with tempfile.TemporaryDirectory() as by_word:
        folder = Path(by_word) / "by_word"
        Postings.write(folder, bow)
        postings = Postings.open(folder)
        run = trained(bow, postings, topics, LONG, SEEDS[0])
        for number, passes, seed in product(numbers, (SHORT, LONG), SEEDS):
            trials[number, passes, seed] = trained(bow, postings, number, passes, seed)
    for number, passes in product(numbers, (SHORT, LONG)):
        pair = [trials[number, passes, seed] for seed in SEEDS]
        row = f"{name} | {number} | {passes} | {_measures(bow, pair)}"
        print(f"| {row} |", flush=True)
    of_run = {}
    for passes, seed in product((SHORT, LONG), SEEDS):
        of_run[passes, seed] = kinds(bow, run, trials[numbers[0], passes, seed])
        title = f"{name}, K {topics}, in {numbers[0]}, {passes} passes, seed {seed}"
        print(f"{title}: {count_kinds(of_run[passes, seed])}")
    for passes in (SHORT, LONG):
        in_run = kinds(bow, trials[numbers[-1], passes, SEEDS[0]], run)
        print(f"{name}, {numbers[-1]} in K {topics}, {passes} passes: {count_kinds(in_run)}")
    by_passes = float((of_run[SHORT, SEEDS[0]] == of_run[LONG, SEEDS[0]]).mean())
    by_seeds = float((of_run[LONG, SEEDS[0]] == of_run[LONG, SEEDS[1]]).mean())
    agreement = f"{SHORT} and {LONG} passes agree on {by_passes:.2f}, seeds on {by_seeds:.2f}"
    print(f"{name}, K {topics}: {agreement}\n")


def _measures(bow: Bow, pair: list[Trial]) -> str:
    first, second = (trial.last.topics for trial in pair)
    cells = [
        f"{np.mean([trial.last.held_out for trial in pair]):.3f}",
        f"{part_found(first, second, bow):.2f}",
        f"{np.mean([trial.mixed for trial in pair]):.2f}",
        f"{np.sum([trial.seconds for trial in pair]):.1f}",
    ]
    return " | ".join(cells)


def count_kinds(topic_kinds: np.ndarray) -> str:
    """How many topics are of each kind. topic_kinds: int[K], the place of each one's in KINDS."""
    counts = np.bincount(topic_kinds, minlength=len(KINDS))
    return ", ".join(f"{kind} {number}" for kind, number in zip(KINDS, counts, strict=True))


def main() -> None:
    declared: dict[str, dict[str, Any]] = {"--quick": {"action": "store_true"}}
    quick = options(__doc__, declared).parse_args().quick
    print("| collection | topics | passes | held-out | found again | mixed | seconds |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for name, topics in QUICK if quick else COLLECTIONS:
        measure(name, topics)


if __name__ == "__main__":
    main()
