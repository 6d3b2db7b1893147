"""One training over several processes: whether the topics are bitwise those of one, and what sharing
costs.

    .venv/bin/python -m benchmarks.scale_out [--topics K] [--documents N] [--minibatch N] [--quick]

Simulated texts of 80 words, in minibatches of the size that large collections have. One process with
one thread takes each pass in turns with one worker and with two, each of one thread, which share the
training by dask.distributed on this machine (pip install 'topograph[cluster]'; docs/scaling.md). Of
each pass: seconds of the clock, communication included; the processor's seconds, of workers those of
the one that has most; and what each of two workers sends in a step. Workers of other machines join
by the commands of docs/scaling.md; tests/inference/test_cluster.py kills workers and the scheduler.

The line before the last has the efficiency by the processor's seconds, which other programs hardly
change. The last line is `bitwise: yes efficiency: E`: one process's seconds over twice those of two
workers, the median over passes; it needs an idle machine with two cores or more.
"""

import statistics
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from benchmarks.origin import options
from benchmarks.trainer import Trainer
from inference import Bow, Topics, engines, simulate
from inference.cluster.lead import Team
from inference.engines.contract import ResolvedConfig
from inference.training import held_out_documents
from tests.inference.cluster import Cluster, running

SEED = 1
ENGINE = engines.get(engines.DEFAULT)
TRUE_TOPICS = 50
VOCABULARY = 10_000
WORDS = 80  # of a document
TOPICS = 100
DOCUMENTS = 65_536
MINIBATCH = 16_384  # that of four million documents and more
PASSES = 6
QUICK_DOCUMENTS = 6_000
QUICK_MINIBATCH = 3_000
QUICK_PASSES = 4
WORKERS = 2
# Of the training for which all processes load or compile their kernels
WARMING_DOCUMENTS = 120
WARMING_VOCABULARY = 100
WARMING_TOPICS = 20
WARMING_PASSES = 4
KILOBYTE = 1000


class Seconds(NamedTuple):
    """Seconds of a pass, by the clock and of the processor."""

    clock: float
    processor: float


class Shared(Trainer):
    """A training by so many workers, which this process leads. folder: of the saved bag of words.
    sent: bytes of a step, of the worker that sends most."""

    def __init__(
        self, bow: Bow, config: ResolvedConfig, folder: Path, cluster: Cluster, workers: int
    ):
        super().__init__(bow, ENGINE, config, SEED, held_out_documents(bow, SEED))
        home = folder.parent
        checkpoint = home / f"{folder.name}-{workers}"
        self.team = Team(ENGINE, cluster.address, checkpoint, home, least=workers, most=workers)
        self.team.lead(config, SEED, bow, folder)
        self.team.begin()
        self.state = self.team.init(config, self.schedule.corpus, SEED)
        self.sent = 0.0

    def take(self, documents: np.ndarray) -> None:
        self.team.step(self.config, self.state, self.bow, documents, self.schedule.corpus)

    def one_pass(self) -> tuple[float, float]:
        """The processor's seconds are those of the worker that has most of them."""
        seats_before = self.team.seats()
        step_before = self.state.t
        clock, _ = super().one_pass()
        pairs = list(zip(seats_before, self.team.seats(), strict=True))
        processor = max(after["cpu"] - before["cpu"] for before, after in pairs)
        sent_bytes = max(after["sent"] - before["sent"] for before, after in pairs)
        self.sent = sent_bytes / (self.state.t - step_before)
        return clock, processor

    def topics(self) -> Topics:
        return self.team.topics(self.config, self.state)

    def end(self) -> None:
        self.team.__exit__()


def arrays_of(trainer: Trainer) -> list[np.ndarray]:
    return [value for value in trainer.topics() if isinstance(value, np.ndarray)]


def same_topics(trainer: Trainer, sharing: Trainer) -> bool:
    pairs = zip(arrays_of(trainer), arrays_of(sharing), strict=True)
    return all(np.array_equal(expected, actual) for expected, actual in pairs)


def compare(
    bow: Bow, config: ResolvedConfig, folder: Path, cluster: Cluster
) -> tuple[bool, Seconds]:
    """(whether topics are the same, the efficiency of WORKERS by each kind of seconds). Every pass
    in turns."""
    process = Trainer(bow, ENGINE, config, SEED, held_out_documents(bow, SEED))
    worker = Shared(bow, config, folder, cluster, 1)
    workers = Shared(bow, config, folder, cluster, WORKERS)
    print(f"| pass | one process: s, processor | one worker | {WORKERS} workers | kB sent a step |")
    print("|---|---|---|---|---|")
    efficiencies = []
    for number in range(config.passes):
        seconds = [Seconds(*trainer.one_pass()) for trainer in (process, worker, workers)]
        cells = [f"{spent.clock:.2f}, {spent.processor:.2f}" for spent in seconds]
        kilobytes = workers.sent / KILOBYTE
        print(f"| {number + 1} | {' | '.join(cells)} | {kilobytes:,.0f} |", flush=True)
        single, _, shared = seconds
        clock = single.clock / (WORKERS * shared.clock)
        efficiencies.append(Seconds(clock, single.processor / (WORKERS * shared.processor)))
    is_bitwise = same_topics(process, worker) and same_topics(process, workers)
    for training in (worker, workers):
        training.end()
    by_clock = statistics.median(efficiency.clock for efficiency in efficiencies)
    by_processor = statistics.median(efficiency.processor for efficiency in efficiencies)
    return is_bitwise, Seconds(by_clock, by_processor)


def warm_up(home: Path, cluster: Cluster) -> None:
    """Wait for the workers, and have them and this process compile or load all kernels."""
    folder = home / "warm-up"
    texts, _ = simulate.corpus(WARMING_DOCUMENTS, TRUE_TOPICS, WARMING_VOCABULARY, WORDS, seed=SEED)
    texts.save(folder)
    bow = Bow.open(folder)
    settings = engines.config(ENGINE.NAME, topics=WARMING_TOPICS, passes=WARMING_PASSES)
    config = settings.resolve(bow.D, bow.tokens)
    shared = Shared(bow, config, folder, cluster, WORKERS)
    for trainer in (Trainer(bow, ENGINE, config, SEED), shared):
        for _ in range(config.passes):
            trainer.one_pass()
    shared.end()


def main(topics: int, documents: int, minibatch: int, passes: int) -> None:
    """Prints a table, and the last line."""
    with TemporaryDirectory() as name:
        home = Path(name)
        folder = home / "bow"
        simulate.corpus(documents, TRUE_TOPICS, VOCABULARY, WORDS, seed=SEED)[0].save(folder)
        bow = Bow.open(folder)
        settings = engines.config(
            ENGINE.NAME, topics=topics, passes=passes, minibatch=minibatch, until="passes"
        )
        config = settings.resolve(bow.D, bow.tokens)
        print(f"{bow.D:,} documents, {bow.tokens:,} words, {topics} topics, steps of {minibatch:,}")
        with running(home, workers=WORKERS) as cluster:
            warm_up(home, cluster)
            is_bitwise, efficiency = compare(bow, config, folder, cluster)
    print(f"by the processor's seconds: {efficiency.processor:.2f}")
    print(f"bitwise: {'yes' if is_bitwise else 'no'} efficiency: {efficiency.clock:.2f}")


if __name__ == "__main__":
    declared: dict[str, dict[str, Any]] = {
        "--topics": {"type": int, "default": TOPICS},
        "--documents": {"type": int},
        "--minibatch": {"type": int},
        "--quick": {"action": "store_true"},
    }
    arguments = options(__doc__, declared).parse_args()
    usual = (QUICK_DOCUMENTS, QUICK_MINIBATCH) if arguments.quick else (DOCUMENTS, MINIBATCH)
    usual_documents, usual_minibatch = usual
    main(
        arguments.topics,
        arguments.documents or usual_documents,
        arguments.minibatch or usual_minibatch,
        QUICK_PASSES if arguments.quick else PASSES,
    )
