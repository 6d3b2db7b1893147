"""A training of very many words and topics by the default engine on this machine: how long it takes,
and how much memory.

    .venv/bin/python -m benchmarks.billion [--tokens N] [--topics K] [--words V] [--folder FOLDER]

Texts of 80 words are simulated from 200 topics and written to a folder, which needs 8 bytes for each
word and 4 for what a training remembers of it; by default one that is deleted at the end. A process
of its own trains on them with the settings that a run has by default, with scratch files there. First
a line of what is estimated beforehand; while it trains, lines of its progress. The first training after a change of kernels compiles them.

The last line is `tokens: N topics: K minutes: M gib: G completion: C`: of the training, by the clock;
the most memory that the process had to itself, without pages of files, which the system takes back
when it needs them; and the mean log probability of held-out words in nats.
"""

import multiprocessing
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.origin import options
from inference import Bow, Progress, Snapshot, engines, simulate, train
from inference.runtime.arrays import offsets_of_parts
from inference.schedule import Schedule

TOKENS = 100_000_000
TOPICS = 10_000
VOCABULARY = 50_000
TRUE_TOPICS = 200
WORDS = 80  # of a document
ALPHA = (2.0, 0.005)  # shape and scale: a document has a few of the topics
ETA = 0.01  # few words of the vocabulary are frequent in a topic
BLOCK = 100_000  # documents that are simulated at a time
SEED = 1
LOOK = 0.1  # seconds between two looks at the memory
GIB = 1 << 30
MINUTE = 60.0  # seconds between two lines of progress


class Measured(NamedTuple):
    """What a training took: tokens of the texts, seconds of the clock, mean log probability of
    held-out words; and bytes that the process had to itself at the most."""

    tokens: int
    seconds: float
    completion: float
    memory: int


def write_texts(folder: Path, tokens: int, vocabulary: int) -> None:
    """Simulate so many tokens or a few more, a block of documents at a time."""
    documents = 0
    written = 0
    sizes = []
    with (folder / "words").open("wb") as words, (folder / "counts").open("wb") as counts:
        while written < tokens:
            block = min(BLOCK, -(-(tokens - written) // WORDS))
            bow, _ = simulate.corpus(
                block, TRUE_TOPICS, vocabulary, WORDS, ALPHA, ETA, seed=SEED, first=documents
            )
            np.asarray(bow.words, np.int32).tofile(words)
            np.asarray(bow.counts, np.int32).tofile(counts)
            sizes.append(np.diff(bow.indptr))
            documents += bow.D
            written += bow.tokens
    np.save(folder / "indptr.npy", offsets_of_parts(np.concatenate(sizes)))


def open_texts(folder: Path, vocabulary: int) -> Bow:
    """What `write_texts` wrote, mapped."""
    indptr = np.load(folder / "indptr.npy")
    words = np.memmap(folder / "words", np.int32, "r")
    counts = np.memmap(folder / "counts", np.int32, "r")
    return Bow(indptr, words, counts, vocabulary, check=False)


def train_texts(
    folder: Path, vocabulary: int, topics: int, passes: int | None, connection: Connection
) -> None:
    """In a process of its own: sends (tokens, seconds, completion)."""
    began = time.perf_counter()
    bow = open_texts(folder, vocabulary)
    engine = engines.get(engines.DEFAULT)
    config = engines.config(engine.NAME, topics=topics, passes=passes)
    next_line = began + MINUTE
    for event in train(engine, config, bow, seed=SEED, scratch=folder):
        now = time.perf_counter()
        if isinstance(event, Progress) and now > next_line:
            minutes = (now - began) / MINUTE
            print(f"{minutes:.1f} minutes: step {event.step} of {event.steps}", flush=True)
            next_line = now + MINUTE
        if isinstance(event, Snapshot):
            completion = event.held_out
    connection.send((bow.tokens, time.perf_counter() - began, completion))


def own_memory(process: int) -> int:
    """Bytes that a process has to itself, on Linux; 0 where it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return 0
    for line in status.splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) << 10
    return 0


def measure(folder: Path, topics: int, vocabulary: int, passes: int | None = None) -> Measured:
    """Train on what `write_texts` wrote. passes: None for as many as a run has by default. Raises
    RuntimeError where the training ended otherwise."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    settings = (folder, vocabulary, topics, passes, sender)
    process = context.Process(target=train_texts, args=settings)
    process.start()
    sender.close()
    assert process.pid is not None
    memory = 0
    while process.is_alive() and not receiver.poll(LOOK):
        memory = max(memory, own_memory(process.pid))
    process.join()
    if process.exitcode:
        raise RuntimeError(f"The training ended with {process.exitcode}.")
    trained_tokens, seconds, completion = receiver.recv()
    return Measured(trained_tokens, seconds, completion, memory)


def estimate(bow: Bow, topics: int) -> str:
    """What the form of a run says beforehand, of a training alone on one core."""
    engine = engines.get(engines.DEFAULT)
    config = engines.config(engine.NAME, topics=topics).resolve(bow.D, bow.tokens)
    corpus = Schedule(bow, config, np.zeros(0, np.int64)).corpus
    minutes = engine.seconds(config, bow.tokens) / MINUTE
    memory = engine.memory_bytes(config, corpus) / GIB
    return f"estimated: minutes of one core: {minutes:.2f} gib: {memory:.2f}"


def main(folder: Path, tokens: int, topics: int, vocabulary: int) -> None:
    """Prints an estimate, lines of progress and what was measured."""
    write_texts(folder, tokens, vocabulary)
    print(estimate(open_texts(folder, vocabulary), topics), flush=True)
    measured = measure(folder, topics, vocabulary)
    figures = {
        "tokens": measured.tokens,
        "topics": topics,
        "minutes": f"{measured.seconds / MINUTE:.2f}",
        "gib": f"{measured.memory / GIB:.2f}",
        "completion": f"{measured.completion:.4f}",
    }
    print(*(f"{name}: {figure}" for name, figure in figures.items()))


if __name__ == "__main__":
    declared: dict[str, dict[str, Any]] = {
        "--tokens": {"type": int, "default": TOKENS},
        "--topics": {"type": int, "default": TOPICS},
        "--words": {"type": int, "default": VOCABULARY},
        "--folder": {"type": Path},
    }
    arguments = options(__doc__, declared).parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        main(Path(name), arguments.tokens, arguments.topics, arguments.words)
