"""How long questions about words take in ten million documents, which are simulated.

    .venv/bin/python -m benchmarks.words.large [--documents N] [--words N] [--repeats N]

An index of so many documents of so many words is written, of 75,777 different words of which the
w-th occurs in proportion to 1 / w. Keyness is asked of two periods, of two values of a field, of
one value and all others, and of two periods in which 50,000 authors write; then patterns: a
frequent word and any other, such a word at the end of a sentence, and two words near each other.
Of each question a line with the median seconds of the clock. Nothing is read from a disk that is
not in the page cache, and texts have no bursts of words: figures of real collections are in
docs/measurements/words.md. The last line is `keyness: A s patterns: B s at N documents`, the
longest of both.
"""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from benchmarks.origin import machine, options
from inference.answers.words import answer_words
from inference.index import Index, word_units
from inference.index.hits import Hits
from inference.index.patterns import parse
from inference.index.query import ANY_CASE
from inference.text.starts import Starts

OPTIONS = {
    "--documents": {"type": int, "default": 10_000_000},
    "--words": {"type": int, "default": 16},
    "--repeats": {"type": int, "default": 3},
}
LEXICON = 75_777  # different words of ten million short documents (docs/measurements/scaling.md)
BLOCK = 1 << 24  # words drawn at a time
LEAST = 5  # documents that have a word, as keyness asks
AUTHORS = 50_000
SEED = 64
# Shares of the documents on either side
SIDES = {
    "two periods": (0.40, 0.15),
    "two values": (0.05, 0.03),
    "a value and all others": (0.05, 0.95),
}
PATTERNS = ("w0 *", "w9 *", "w0 w1 ~9 w2")


class Collection(NamedTuple):
    """word_index: of simulated documents; lengths: int32[D], words of each."""

    word_index: Index
    lengths: np.ndarray


def simulated(folder: Path, documents: int, words: int, chance: np.random.Generator) -> Collection:
    """An index on disk. words: of a document in the mean."""
    lengths = chance.integers(1, 2 * words, documents, np.int32)
    size = int(lengths.sum(dtype=np.int64))
    with (folder / "stream").open("wb") as file:
        for begin in range(0, size, BLOCK):
            drawn = chance.random(min(BLOCK, size - begin), np.float32)
            numbers = LEXICON**drawn - 1
            np.minimum(numbers, LEXICON - 1).astype(np.int32).tofile(file)
    no_titles = np.zeros(documents, np.int32)
    stream = SimpleNamespace(
        words=np.memmap(folder / "stream", np.int32, "r"),
        starts=Starts(np.zeros(1, np.uint8), np.zeros((0, 2), np.int64)),
        lengths=lengths,
        title_words=np.zeros(0, np.int32),
        title_lengths=no_titles,
        lexicon=[f"w{number}" for number in range(LEXICON)],
        mixed=None,
    )
    Index.write(folder / "index", stream)
    return Collection(
        Index.open(folder / "index", stream, lambda text: [(0, len(text), text)]), lengths
    )


def keyness(collection: Collection, side: np.ndarray, unit: np.ndarray | None) -> None:
    """What a page asks of two sides. side: int8[D], 0, 1 or below 0; unit: int64[D] or None."""
    fields = collection.word_index.fields["text"]
    sides = word_units.sides_of(side, collection.lengths, unit)
    counted = word_units.count_words(fields, LEXICON, sides, LEAST)

    def amounts_of(rows: np.ndarray) -> np.ndarray:
        return word_units.amounts(word_units.gather(fields, counted.forms[rows]), sides)

    answer_words(sides.sizes, counted.sums, amounts_of)


def hits(collection: Collection, text: str) -> None:
    """Look for the hits of a pattern in all documents."""
    pattern = parse(text, lambda typed: [(typed, ANY_CASE)])
    everywhere = np.ones(len(collection.lengths), bool)
    Hits(collection.word_index, pattern, None, np.zeros(0, bool), everywhere, seconds=np.inf)


def timed(name: str, ask: Callable[[], object], repeats: int) -> float:
    """Prints and returns the median seconds; a first answer, which compiles, is not counted."""
    ask()
    seconds = []
    for _ in range(repeats):
        began = time.perf_counter()
        ask()
        seconds.append(time.perf_counter() - began)
    middle = float(np.median(seconds))
    print(f"{name:36} {middle:8.2f} s", flush=True)
    return middle


def main() -> None:
    arguments = options(__doc__, OPTIONS).parse_args()
    print(machine(), flush=True)
    chance = np.random.default_rng(SEED)
    with TemporaryDirectory() as folder:
        collection = simulated(Path(folder), arguments.documents, arguments.words, chance)
        documents = arguments.documents
        authors = chance.integers(0, AUTHORS, documents)
        of_keyness = []
        for name, (first, second) in SIDES.items():
            drawn = chance.random(documents, np.float32)
            side = np.where(drawn < first, 0, np.where(drawn < first + second, 1, -1))
            units: dict[str, np.ndarray | None] = {"": None}
            if name == "two periods":
                units[f", {AUTHORS:,} authors"] = authors
            for of_units, unit in units.items():
                ask = partial(keyness, collection, side.astype(np.int8), unit)
                of_keyness.append(timed(f"keyness: {name}{of_units}", ask, arguments.repeats))
        of_patterns = []
        for text in PATTERNS:
            ask = partial(hits, collection, text)
            of_patterns.append(timed(f"pattern: {text}", ask, arguments.repeats))
    print(
        f"keyness: {max(of_keyness):.2f} s patterns: {max(of_patterns):.2f} s at {documents:,} documents"
    )


if __name__ == "__main__":
    main()
