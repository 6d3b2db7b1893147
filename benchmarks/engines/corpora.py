"""The corpora of the benchmark, by name or file; and what everybody trains on."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array, load_npz

from benchmarks.origin import EXAMPLE, ROOT
from inference import Bow, Invalid
from inference.schedule import held_out_documents
from inference.text import Stream, Tokeniser, VocabularyChoice, choose, stop_words

SHARED = Path(os.environ.get("TOPOGRAPH_CORPORA", ROOT.parent / "shared" / "corpora"))
FILES = {
    "reuters": SHARED / "reuters21578.jsonl.gz",
    "arxiv": SHARED / "arxiv_50k.jsonl.gz",
    "sotu": EXAMPLE,
    "peps": SHARED / "peps.csv.gz",
}
LONG = "arxiv-long"
TOGETHER = 20  # abstracts that are one of its documents
FEWEST = 20  # documents of a value that counts as a label
SYNTHETIC = (10_000, 10_000, 100)  # D, V, K
QUICK_SYNTHETIC = (2_000, 5_000, 20)
SYNTHETIC_SEED = 1
# Of simulated texts: words as frequent as in a language, few of them in a topic
FIRST_RANK = 10
WEIGHT_OF_TOPIC = 0.01  # the sum of a topic's prior is so many times V
LEAST_WEIGHT = 1e-12
LENGTH_SHAPE = 2.0  # gamma, with the scale a mean of 100 tokens
LENGTH_SCALE = 50.0
TOPICS_OF_DOCUMENT = 2.0  # the sum of a document's prior


def load(name: str, quick: bool = False) -> tuple[str, Bow, np.ndarray | None]:
    """(short name, bag of words, the true topics where they are known: float64[K, V])."""
    path = Path(name)
    if name == "synthetic":
        D, V, K = QUICK_SYNTHETIC if quick else SYNTHETIC
        return name, *synthetic(D, V, K)
    if name in FILES:
        return name, read(file(name)), None
    if name == LONG:
        path = file("arxiv")
        return name, joined(read(path), labels(path, "category"), TOGETHER), None
    if path.is_dir():
        return path.resolve().name, Bow.open(path), None
    if path.exists():
        return path.stem, Bow.from_csr(csr_array(load_npz(path))), None
    names = ", ".join([*FILES, LONG, "synthetic"])
    raise Invalid("corpus", f"{name} is neither a file or folder nor one of {names}.")


def file(name: str) -> Path:
    """The path of one of FILES. Raises Invalid where it is missing."""
    path = FILES[name]
    if not path.exists():
        where = _folder_name(path.parent)
        raise Invalid(
            "corpus", f"The corpus {name} is missing: there is no {path.name} in {where}."
        )
    return path


def read(path: Path) -> Bow:
    """The bag of words of a file, as the pages read it by default."""
    return read_words(path)[0]


def texts(path: Path, most: int | None = None) -> list[str]:
    """The texts of a file's documents, or of the first ones."""
    return [item.text for item in islice(_items(path), most)]


def values(path: Path, field: str) -> list[str]:
    """The value of a field of each document, "" where it has none."""
    return [item.metadata.get(field, "") for item in _items(path)]


def labels(path: Path, field: str) -> np.ndarray:
    """int64[D]: the number of each document's value of a field; -1 where it has none, or one that
    fewer than FEWEST have."""
    of_documents = values(path, field)
    counted = Counter(of_documents).most_common()
    frequent = [value for value, times in counted if value and times >= FEWEST]
    number_of = {value: number for number, value in enumerate(frequent)}
    return np.array([number_of.get(value, -1) for value in of_documents])


def _items(path: Path) -> Iterator[Any]:
    """The documents of a file, as the pages read it by default."""
    from webapp.intake import file_formats

    options = file_formats.sniff(path, path.name).options
    for item in file_formats.read(path, path.name, options):
        if isinstance(item, file_formats.Document):
            yield item


def joined(bow: Bow, label: np.ndarray, n: int) -> Bow:
    """Documents of one label, as they follow each other, n at a time as one; those without a label,
    and what is left over, are not in it. label: int64[D]."""
    groups_of_labels = []
    for value in range(label.max() + 1):
        documents = np.flatnonzero(label == value)
        used = len(documents) // n * n
        groups_of_labels.append(documents[:used].reshape(-1, n))
    members = np.concatenate(groups_of_labels)
    rows = csr_array((bow.counts, bow.words, bow.indptr), shape=(bow.D, bow.V))
    ones = np.ones(members.size, np.int32)
    begins = np.arange(0, members.size + 1, n)
    is_member = csr_array((ones, members.ravel(), begins), (len(members), bow.D))
    return Bow.from_csr(csr_array(is_member @ rows))


def read_words(path: Path, most: int | None = None) -> tuple[Bow, list[str]]:
    """The bag of words of a file, as the pages read it by default, and its words by their numbers.
    most: only the first documents."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Stream.write(folder / "tokens", Tokeniser("en")) as stream:
            documents = texts(path, most)
            stream.add(documents, [""] * len(documents))
            stream.commit()
        choice = VocabularyChoice(stop_words("en"))
        bow, vocabulary = choose(Stream.open(folder / "tokens"), choice, folder / "bow")
        # In memory: the folder goes.
        copied = Bow(np.array(bow.indptr), np.array(bow.words), np.array(bow.counts), bow.V)
        return copied, list(vocabulary.words)


def synthetic(D: int, V: int, K: int) -> tuple[Bow, np.ndarray]:
    """LDA's own process, with words as frequent as in a language: few topics in a document of 100
    tokens, on average, and few words in a topic, so that the topics can be found.
    """
    random = np.random.default_rng(SYNTHETIC_SEED)
    frequency = 1.0 / np.arange(FIRST_RANK, V + FIRST_RANK)
    prior = WEIGHT_OF_TOPIC * V * frequency / frequency.sum()
    beta = random.gamma(prior, size=(K, V)) + LEAST_WEIGHT
    beta /= beta.sum(axis=1, keepdims=True)
    alpha = np.full(K, TOPICS_OF_DOCUMENT / K)
    means = random.gamma(LENGTH_SHAPE, LENGTH_SCALE, size=D)
    rows = []
    for length in random.poisson(means):
        tokens = random.multinomial(length, random.dirichlet(alpha))
        row = np.zeros(V, np.int64)
        for k in np.flatnonzero(tokens):
            row += random.multinomial(tokens[k], beta[k])
        used = np.flatnonzero(row)
        rows.append((used, row[used]))
    return of_rows(rows, V), beta


def of_rows(rows: list[tuple[np.ndarray, np.ndarray]], V: int) -> Bow:
    """A bag of words from each document's (words, counts), int[n] each."""
    words, counts = zip(*rows, strict=True)
    ends = np.cumsum([len(row) for row in words])
    return Bow(np.append(0, ends), np.concatenate(words), np.concatenate(counts), V)


def split(bow: Bow, seed: int) -> tuple[np.ndarray, Bow]:
    """The held-out documents, and a corpus of all others in random order, without those that have
    no words.

    Random, since the online peers don't shuffle, and news or speeches in the order of their dates
    would mislead them.
    """
    held_out = held_out_documents(bow, seed)
    with_words = np.flatnonzero(np.diff(bow.indptr))
    trained_on = np.setdiff1d(with_words, held_out)
    return held_out, taken(bow, np.random.default_rng(seed).permutation(trained_on))


def taken(bow: Bow, documents: np.ndarray) -> Bow:
    """Some documents, in the order that is given."""
    rows = []
    for d in documents:
        row = slice(bow.indptr[d], bow.indptr[d + 1])
        rows.append((bow.words[row], bow.counts[row]))
    return of_rows(rows, bow.V)


def setting(text: str) -> tuple[str, int | float | str]:
    """A setting as a command names it: "eta=0.2"."""
    name, _, value = text.partition("=")
    for kind in (int, float):
        with suppress(ValueError):
            return name, kind(value)
    return name, value


def _folder_name(folder: Path) -> str:
    """What a message calls the folder: no paths of this machine."""
    if folder.is_relative_to(ROOT):
        return str(folder.relative_to(ROOT))
    return "../shared/corpora beside the project"
