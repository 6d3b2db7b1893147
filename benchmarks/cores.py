"""How much of a training by the default engine is done by one thread alone, and what that leaves of
sixteen cores.

    .venv/bin/python -m benchmarks.cores [--topics K] [--documents N] [--corpus NAME --copies N] [--quick]

Simulated texts of 80 words, or a corpus of `benchmarks.engines` copied N times; four passes with the
steps of a large collection, the last one past the first sampling. It is trained by one thread, and
then by one thread that does the work of sixteen, share after share (benchmarks/parallel_loops.py):
so the figures are seconds of the processor, and other programs hardly change them. `serial`: outside
of the loops that are divided among threads. `longest`: of these loops the longest share of each.
`predicted`: how many times as fast sixteen cores are, if memory is fast enough for them, and threads
never wait for anything but each other's shares. `once`: what a training does once. Then the kernels
with serial work; `between kernels` is Python and numpy. Topics must be the same bit for bit.

The last line is `serial: S% predicted: P`: of all of it.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from benchmarks.engines import corpora
from benchmarks.origin import options
from benchmarks.parallel_loops import Loops, Spent, played, watched
from benchmarks.trainer import Trainer
from inference import Bow, engines, schedule, simulate
from inference.engines import arena, averaging, batch, from_documents, ssi
from inference.engines.contract import ResolvedConfig
from inference.engines.ssi import (
    algorithm,
    beginning,
    counting,
    learned_priors,
    named_topics,
    published,
    sampling,
    state,
)

THREADS = 16
PASSES = 4  # two of the warm-up, the first sampling, and one that is like all later ones
# Of a collection of half a million documents and more
MINIBATCH = 2_048
MINIBATCH_AFTER = 6_250
DOCUMENTS = 400_000
QUICK_DOCUMENTS = 20_000
WORDS = 80  # of a document
VOCABULARY = 10_000
TRUE_TOPICS = 50
SEED = 1
WARMING = 1_000  # documents of the training for which kernels are compiled
LEAST_SHARE = 0.0005  # of all: a kernel with less serial work is not shown
CALLERS = [
    algorithm, arena, averaging, batch, beginning, counting, from_documents, learned_priors,
    named_topics, published, sampling, schedule, state,
]  # fmt: skip
# In these kernels a thread takes the next documents or words when it is free
IN_TURN = {"frank_wolfe.infer", "frank_wolfe.draw", "frank_wolfe.blend", "gibbs.sample"}
BETWEEN = "between kernels"


class Measured(NamedTuple):
    """What a training spent: in all that is done once, in each pass without that, in each
    kernel. topics: what it found."""

    once: Spent
    passes: list[Spent]
    kernels: dict[str, Spent]
    topics: Any


def texts(documents: int) -> Bow:
    return simulate.corpus(documents, TRUE_TOPICS, VOCABULARY, WORDS, seed=SEED)[0]


def copied(bow: Bow, copies: int) -> Bow:
    """All documents so many times."""
    ends = [bow.indptr[1:] + copy * len(bow.words) for copy in range(copies)]
    words = np.tile(bow.words, copies)
    return Bow(np.concatenate([[0], *ends]), words, np.tile(bow.counts, copies), bow.V)


def for_compiling(bow: Bow) -> Bow:
    """Some documents, with one word as frequent as the most frequent of the whole corpus: kernels
    are compiled for numbers as large."""
    end = bow.indptr[min(WARMING, bow.D)]
    counts = bow.counts[:end].copy()
    counts[0] = bow.word_tokens.max()
    return Bow(bow.indptr[: WARMING + 1], bow.words[:end], counts, bow.V)


def measure(bow: Bow, config: ResolvedConfig, loops: Loops) -> Measured:
    """Train with as many threads as `loops` plays."""
    once = Spent()
    passes: list[Spent] = []
    with watched(CALLERS, "inference.kernels", loops, IN_TURN) as kernels:
        with loops.timed() as beginning:
            trainer = Trainer(bow, engines.get(ssi.NAME), config, SEED, None, loops.threads)
        once.add(beginning)
        with _set_apart(loops, once):
            for _ in range(config.passes):
                before = Spent()
                before.add(once)
                with loops.timed() as spent:
                    trainer.one_pass()
                spent.seconds -= once.seconds - before.seconds
                spent.serial -= once.serial - before.serial
                spent.longest -= once.longest - before.longest
                passes.append(spent)
    return Measured(once, passes, kernels, trainer.topics())


@contextmanager
def _set_apart(loops: Loops, once: Spent) -> Iterator[None]:
    """Meanwhile, add what is done once to `once`: choosing documents to begin with, and counting
    what the warm-up drew."""

    def timed(function: Callable) -> Callable:
        def call(*arguments: Any, **named: Any) -> Any:
            with loops.timed() as spent:
                result = function(*arguments, **named)
            once.add(spent)
            return result

        return call

    with ExitStack() as stack:
        for module, name in ((from_documents, "begin"), (counting, "recount")):
            in_place = timed(getattr(module, name))
            stack.enter_context(mock.patch.object(module, name, in_place))
        yield


def row(name: str, single: Spent, divided: Spent) -> str:
    predicted = single.seconds / (divided.serial + divided.longest)
    share = divided.serial / single.seconds
    cells = [f"{single.seconds:.3f}", f"{divided.serial:.3f} ({share:.1%})"]
    cells += [f"{divided.longest:.3f}", f"{predicted:.1f}"]
    return f"| {name} | {' | '.join(cells)} |"


def report(single: Measured, divided: Measured) -> None:
    """Prints tables, and the last line. single, divided: by one thread and by THREADS."""
    single_sum = Spent()
    divided_sum = Spent()
    for spent in (single.once, *single.passes):
        single_sum.add(spent)
    for spent in (divided.once, *divided.passes):
        divided_sum.add(spent)
    print("| | one thread, s | serial, s | longest, s | predicted |")
    print("|---|---|---|---|---|")
    print(row("once", single.once, divided.once))
    for number, (single_spent, divided_spent) in enumerate(
        zip(single.passes, divided.passes, strict=True)
    ):
        print(row(f"pass {number}", single_spent, divided_spent))
    print(row("all", single_sum, divided_sum))
    in_kernels = sum(spent.serial for spent in divided.kernels.values())
    kernels = divided.kernels | {BETWEEN: Spent(serial=divided_sum.serial - in_kernels)}
    print("\n| kernel | calls | serial, s | longest, s |\n|---|---|---|---|")
    for name, spent in sorted(kernels.items(), key=lambda item: -item[1].serial):
        if spent.serial > LEAST_SHARE * single_sum.seconds:
            print(f"| {name} | {spent.calls} | {spent.serial:.3f} | {spent.longest:.3f} |")
    predicted = single_sum.seconds / (divided_sum.serial + divided_sum.longest)
    print(
        f"serial: {100 * divided_sum.serial / single_sum.seconds:.2f}% predicted: {predicted:.1f}"
    )


def main(bow: Bow, topics: int) -> None:
    """Prints what was measured. Raises AssertionError where topics are not the same."""
    settings = ssi.Config(
        topics=topics,
        passes=PASSES,
        minibatch=MINIBATCH,
        minibatch_after=MINIBATCH_AFTER,
    )
    config = settings.resolve(bow.D, bow.tokens)
    print(f"{bow.D:,} documents, {bow.tokens:,} words, {topics:,} topics", flush=True)
    with played(THREADS) as loops:
        for threads in (THREADS, 1):
            loops.threads = threads
            measure(for_compiling(bow), config, loops)
        single = measure(bow, config, loops)
        loops.threads = THREADS
        divided = measure(bow, config, loops)
    for single_array, divided_array in zip(single.topics, divided.topics, strict=True):
        assert np.array_equal(single_array, divided_array), "topics differ with threads"
    report(single, divided)


def with_threads(arguments: list[str]) -> int:
    """Run this program where numba may have so many threads: it asks when it is imported."""
    environment = os.environ | {"NUMBA_NUM_THREADS": str(THREADS)}
    command = [sys.executable, "-m", "benchmarks.cores", *arguments]
    return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    declared: dict[str, dict[str, Any]] = {
        "--topics": {"type": int, "default": 100},
        "--documents": {"type": int},
        "--corpus": {"help": "as for benchmarks.engines"},
        "--copies": {"type": int, "default": 1},
        "--quick": {"action": "store_true"},
    }
    arguments = options(__doc__, declared).parse_args()
    if os.environ.get("NUMBA_NUM_THREADS") != str(THREADS):
        sys.exit(with_threads(sys.argv[1:]))
    if arguments.corpus:
        main(copied(corpora.load(arguments.corpus)[1], arguments.copies), arguments.topics)
    else:
        number = arguments.documents or (QUICK_DOCUMENTS if arguments.quick else DOCUMENTS)
        main(texts(number), arguments.topics)
