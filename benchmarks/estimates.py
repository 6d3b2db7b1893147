"""The seconds that the form of a run estimates beside those that a training takes.

    .venv/bin/python -m benchmarks.estimates [--corpus NAME | --documents N] [--topics K,K,…] [--threads N]

By default simulated texts of 80 words, at 20, 100, 1,000 and 10,000 topics. The default engine makes
the passes of its warm-up, the first pass of sampling and two later ones; as many later ones as a run
is expected to make are reckoned by these two. A line for each number of topics: seconds as estimated
for so many cores, those of the clock and of the processor, and the first over the second. On a
machine where other programs run only the processor's are to be trusted, with one thread.

The last line is `worst: R`: the estimate over the clock, or the clock over the estimate, where they
are furthest apart; wanted is 1.5 at the most. With `--threads 1`, of the processor's seconds.
"""

from typing import Any, NamedTuple

import numpy as np

from benchmarks.cores import for_compiling, texts
from benchmarks.engines import corpora
from benchmarks.origin import options
from benchmarks.trainer import Trainer
from inference import Bow, engines
from inference.engines import ssi
from inference.engines.ssi import costs
from inference.schedule import held_out_documents

DOCUMENTS = 20_000
TOPICS = "20,100,1000,10000"
THREADS = 2
LATER_PASSES = 2  # passes that are like all that follow
COMPILED = 4  # passes over a few documents: the kernels of the three kinds of passes
SEED = 1


class Seconds(NamedTuple):
    """estimated: of a whole training. clock, processor: of what it takes."""

    estimated: float
    clock: float
    processor: float

    def __str__(self) -> str:
        return (
            f"estimated {self.estimated:.1f} s, clock {self.clock:.1f} s, processor"
            f" {self.processor:.1f} s"
        )


def measure(bow: Bow, topics: int, threads: int) -> Seconds:
    """A training by the default engine with the settings that a run has."""
    engine = engines.get(ssi.NAME)
    config = ssi.Config(topics=topics).resolve(bow.D, bow.tokens)
    few_documents = Trainer(for_compiling(bow), engine, config, SEED, threads=threads)
    for _ in range(COMPILED):
        few_documents.one_pass()
    trainer = Trainer(bow, engine, config, SEED, held_out_documents(bow, SEED), threads)
    first_passes = [trainer.one_pass() for _ in range(config.warm_up + 1)]
    later_passes = [trainer.one_pass() for _ in range(LATER_PASSES)]
    times = (costs.expected_passes(config) - len(first_passes)) / LATER_PASSES
    clock, processor = np.sum(first_passes, axis=0) + times * np.sum(later_passes, axis=0)
    estimated = ssi.seconds(config, bow.tokens) / ssi.times_as_fast(threads)
    return Seconds(estimated, clock, processor)


def main(bow: Bow, numbers: list[int], threads: int) -> None:
    """Prints a line for each of these numbers of topics, and the worst ratio."""
    worst = 1.0
    for topics in numbers:
        seconds = measure(bow, topics, threads)
        compared = seconds.processor if threads == 1 else seconds.clock
        ratio = seconds.estimated / compared
        worst = max(worst, ratio, 1 / ratio)
        print(f"{topics:,} topics, {bow.tokens:,} tokens: {seconds}: {ratio:.2f}", flush=True)
    print(f"worst: {worst:.2f}")


if __name__ == "__main__":
    declared: dict[str, dict[str, Any]] = {
        "--corpus": {"help": "of benchmarks.engines, instead of simulated texts"},
        "--documents": {"type": int, "default": DOCUMENTS},
        "--topics": {"default": TOPICS, "metavar": "K,K,…"},
        "--threads": {"type": int, "default": THREADS},
    }
    arguments = options(__doc__, declared).parse_args()
    if arguments.corpus:
        measured = corpora.load(arguments.corpus)[1]
    else:
        measured = texts(arguments.documents)
    main(measured, [int(number) for number in arguments.topics.split(",")], arguments.threads)
