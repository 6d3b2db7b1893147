"""What an engine costs: seconds by K and by threads, memory, folding in, and the wait for the first event.

    .venv/bin/python -m benchmarks.scaling CORPUS [--engine NAME] [--quick]
    .venv/bin/python -m benchmarks.scaling CORPUS --parts     # of a pass of ssi: nanoseconds a token by part

CORPUS: a name or a path as for benchmarks.engines. Each figure is beside the target of the default engine; compiling is not counted. By
K: median seconds of a pass after the second, the Ks taking turns. Memory: a process of its own on a made corpus with V
= 65,536. The last line is `met: N of M`.
"""

import argparse
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numba
import numpy as np

from benchmarks.engines import corpora
from benchmarks.trainer import Trainer
from inference import Bow, Progress, compiling, engines, fold_in_corpus, train
from inference.engines import ssi
from inference.kernels import counts, gibbs

WARM_PASSES, TIMED_PASSES = 3, 5
PARTS = {gibbs: ("sum_words", "sample"), counts: ("apply",)}


def begin(bow: Bow, engine: str, topics: int, threads: int = 1) -> Trainer:
    config = engines.config(engine, topics=topics).resolve(bow.D, bow.tokens)
    return Trainer(bow, engines.get(engine), config, 1, threads=threads)


def turns(trainers: dict, passes: int) -> dict:
    """Median seconds of a pass of each."""
    for trainer in trainers.values():
        for _ in range(WARM_PASSES):
            trainer.one_pass()
    found = [[trainer.one_pass()[0] for trainer in trainers.values()] for _ in range(passes)]
    return dict(zip(trainers, np.median(found, axis=0), strict=True))


def by_part(trainer: Trainer, passes: int) -> dict[str, float]:
    """Nanoseconds a token of a pass of ssi after the third, by part; and how many topics the tokens of a document have,
    on average."""
    for _ in range(WARM_PASSES):
        trainer.one_pass()
    began, seconds = trainer.state.tokens, Counter[str]()

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            start = time.perf_counter()
            result = function(*args)
            seconds[name] += time.perf_counter() - start
            return result

        return call

    with ExitStack() as patches:
        for module, names in PARTS.items():
            for name in names:
                patches.enter_context(mock.patch.object(module, name, timed(name, getattr(module, name))))
        whole = sum(trainer.one_pass()[0] for _ in range(passes))
    tokens = trainer.state.tokens - began
    by_name = {name: 1e9 * value / tokens for name, value in seconds.items()}
    bow, memory = trainer.bow, trainer.state.memory
    several = [len(np.unique(memory[bow.first_token[d] : bow.first_token[d + 1], 0])) for d in range(min(bow.D, 5000))]
    return {"all": 1e9 * whole / tokens, **by_name, "topics of a document": float(np.mean(several))}


def drawn(bow: Bow, length: int, most: int) -> Bow:
    """So many tokens, drawn without putting back, of each of the first documents that have as many."""
    random, rows = np.random.default_rng(0), []
    for d in np.flatnonzero(np.diff(bow.first_token) >= length)[:most]:
        row = slice(bow.indptr[d], bow.indptr[d + 1])
        tokens = random.choice(np.repeat(bow.words[row], bow.counts[row]), length, replace=False)
        rows.append(np.unique(tokens, return_counts=True))
    return corpora.of_rows(rows, bow.V)


def made(D: int, V: int, length: int, blocks: int = 64) -> Bow:
    """Documents of Zipf-distributed words, each about two of some blocks of the vocabulary."""
    generator = np.random.default_rng(0)
    rows = []
    for _ in range(D):
        own = generator.integers(0, blocks, 2)
        rank = np.minimum(
            (1.0 / generator.random(length)).astype(np.int64) - 1 + generator.integers(0, 3, length), V // blocks - 1
        )
        words = (rank * blocks + own[generator.integers(0, 2, length)]) % V
        rows.append(np.unique(words, return_counts=True))
    return corpora.of_rows(rows, V)


def resident(name: str) -> int:
    """KiB of this process, now (VmRSS) or at the most (VmHWM); Linux only."""
    return int(Path("/proc/self/status").read_text().split(name + ":")[1].split()[0])


def peak_memory() -> None:
    """In a process of its own: prints MiB beyond the corpus at K = 2000, V = 65,536, and the share of non-zero
    parameters."""
    compiling.warm_up()
    bow = Bow.open(Path(sys.argv[3]))
    before = resident("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    trainer = begin(bow, sys.argv[4], 2000, threads=2)
    for _ in range(3):
        trainer.one_pass()
    trainer.topics()
    print((resident("VmHWM") - before) / 1024, trainer.state.nonzero / (65_536 * 2000))


def first_event() -> None:
    """In a process of its own: prints the seconds from the call to the first event, of any kind, and to the first
    topics."""
    _, bow, _ = corpora.load(sys.argv[3])
    began = time.perf_counter()
    seen = {}
    for event in train(engines.get(sys.argv[4]), engines.config(sys.argv[4], topics=100), bow, seed=1):
        seen.setdefault(type(event) is Progress, time.perf_counter() - began)
        if len(seen) == 2:
            break
    print(min(seen.values()), seen[False])


def child(name: str, *arguments: str) -> list[float]:
    code = "import benchmarks.scaling as s; import sys; getattr(s, sys.argv[2])()"
    done = subprocess.run(
        [sys.executable, "-c", code, "", name, *arguments], capture_output=True, text=True, check=True
    )
    return [float(x) for x in done.stdout.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--engine", choices=list(engines.ENGINES), default=engines.DEFAULT)
    parser.add_argument("--quick", action="store_true", help="K = 100 and 1000, two passes, no memory")
    parser.add_argument("--parts", action="store_true")
    given = parser.parse_args()
    (_, bow, _), passes = corpora.load(given.corpus), 2 if given.quick else TIMED_PASSES
    compiling.warm_up()
    print(f"{bow.D:,} documents, {bow.V:,} words, {bow.tokens:,} tokens")
    if given.parts:
        tables = {K: by_part(begin(bow, ssi.NAME, K), passes) for K in (100, 1000, 2000)}
        for name in tables[100]:
            print(f"| {name} | {' | '.join(f'{table.get(name, 0.0):.1f}' for table in tables.values())} |")
        return
    met = []

    def show(what: str, value: float, target: float, least: bool = False) -> None:
        met.append(value >= target if least else value <= target)
        print(f"{what}: {value:,.2f} (target {'at least' if least else 'at most'} {target:,g})", flush=True)

    Ks = (100, 1000) if given.quick else (100, 1000, 2000)
    by_K = turns({K: begin(bow, given.engine, K) for K in Ks}, passes)
    for K, seconds in by_K.items():
        print(f"K = {K}: {seconds / bow.tokens * 1e6:.3f} s per million tokens, one thread")
    show("K = 1000 over K = 100", by_K[1000] / by_K[100], 1.5)
    if 2000 in by_K:
        show("K = 2000 over K = 1000", by_K[2000] / by_K[1000], 1.15)
    for K in Ks[:2]:
        trainers = {n: begin(bow, given.engine, K, threads=n) for n in (1, 2)}
        by_threads = turns(trainers, passes)
        show(f"two threads over one, K = {K}", by_threads[1] / by_threads[2], 1.8, least=True)
        one, two = (t.topics() for t in trainers.values())
        print(f"   bitwise the same topics: {all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))}")
    numba.set_num_threads(1)
    hundred = trainers[1] if Ks[0] == 1000 else begin(bow, given.engine, 100)
    hundred.one_pass()
    new = drawn(bow, 100, 5000)
    began = time.perf_counter()
    for _ in fold_in_corpus(hundred.engine, hundred.config, hundred.state, new):
        pass
    show(
        "documents of 100 tokens folded in a second, one thread, K = 100",
        new.D / (time.perf_counter() - began),
        20_000,
        least=True,
    )
    first, topics = child("first_event", given.corpus, given.engine)
    show("seconds to the first event in a fresh process", first, 2.0)
    print(f"   seconds to the first topics and their measures: {topics:.2f}")
    if not given.quick:
        with TemporaryDirectory() as folder:
            made(20_000, 65_536, 150).save(Path(folder))
            memory, nonzero = child("peak_memory", folder, given.engine)
        show("MiB beyond the corpus, K = 2000, V = 65,536", memory, 1024)
        show("per cent of K x V non-zero there", 100 * nonzero, 1.0)
    print(f"met: {sum(met)} of {len(met)}")


if __name__ == "__main__":
    main()
