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

from inference import Bow, Invalid
from inference.schedule import held_out_documents
from inference.text import Choice, Stream, Tokeniser, choose, stop_words

ROOT = Path(__file__).resolve().parent.parent.parent
SHARED = Path(os.environ.get("TOPOGRAPH_CORPORA", ROOT.parent / "shared" / "corpora"))
FILES = {
    "reuters": SHARED / "reuters21578.jsonl.gz",
    "arxiv": SHARED / "arxiv_50k.jsonl.gz",
    "sotu": ROOT / "webapp" / "example" / "state_of_the_union.csv.gz",
}
# abstracts that are one document
LONG = "arxiv-long"
TOGETHER = 20
FEWEST = 20  # documents of a value that counts as a label


def load(name: str, quick: bool = False) -> tuple[str, Bow, np.ndarray | None]:
    """(short name, bag of words, the true topics where they are known: float64[K, V])."""
    path = Path(name)
    if name == "synthetic":
        return name, *(synthetic(2_000, 5_000, 20) if quick else synthetic(10_000, 10_000, 100))
    if name in FILES:
        return name, read(file(name)), None
    if name == LONG:
        path = file("arxiv")
        return name, joined(read(path), labels(path, "category"), TOGETHER), None
    if path.exists():
        bow = Bow.open(path) if path.is_dir() else Bow.from_csr(csr_array(load_npz(path)))
        return path.resolve().name if path.is_dir() else path.stem, bow, None
    raise Invalid(
        "corpus",
        f"{name} is neither a file or folder nor one of {', '.join([*FILES, LONG, 'synthetic'])}.",
    )


def file(name: str) -> Path:
    """The path of one of FILES. Raises Invalid where it is missing."""
    if FILES[name].exists():
        return FILES[name]
    raise Invalid(
        "corpus",
        f"The corpus {name} is missing: there is no {FILES[name].name} in"
        f" {_said(FILES[name].parent)}.",
    )


def read(path: Path) -> Bow:
    """As the pages read it by default."""
    return read_words(path)[0]


def texts(path: Path, most: int | None = None) -> list[str]:
    """The texts of a file's documents, or of the first ones."""
    return [item.text for item in islice(_items(path), most)]


def labels(path: Path, field: str) -> np.ndarray:
    """int64[D]: the number of each document's value of a field; -1 where it has none, or one that
    fewer than FEWEST have."""
    values = [item.metadata.get(field, "") for item in _items(path)]
    often = [value for value, times in Counter(values).most_common() if value and times >= FEWEST]
    number = {value: n for n, value in enumerate(often)}
    return np.array([number.get(value, -1) for value in values])


def _items(path: Path) -> Iterator[Any]:
    """The documents of a file, as the pages read it by default."""
    from webapp.intake import readers

    return (
        item
        for item in readers.read(path, path.name, readers.sniff(path, path.name).options)
        if isinstance(item, readers.Document)
    )


def joined(bow: Bow, label: np.ndarray, n: int) -> Bow:
    """Documents of one label, as they follow each other, n at a time as one; those without a label,
    and what is left over, are not in it. label: int64[D]."""
    whole = [
        some[: len(some) // n * n].reshape(-1, n)
        for some in map(np.flatnonzero, label == np.arange(label.max() + 1)[:, None])
    ]
    members = np.concatenate(whole)
    rows = csr_array((bow.counts, bow.words, bow.indptr), shape=(bow.D, bow.V))
    group = csr_array(
        (np.ones(members.size, np.int32), members.ravel(), np.arange(0, members.size + 1, n)),
        (len(members), bow.D),
    )
    return Bow.from_csr(csr_array(group @ rows))


def read_words(path: Path, most: int | None = None) -> tuple[Bow, list[str]]:
    """As the pages read it by default, and its words by their numbers. most: only the first
    documents."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Stream.write(folder / "tokens", Tokeniser("en")) as stream:
            documents = texts(path, most)
            stream.add(documents, [""] * len(documents))
            stream.commit()
        bow, vocabulary = choose(
            Stream.open(folder / "tokens"), Choice(stop_words("en")), folder / "bow"
        )
        # In memory: the folder goes.
        copied = Bow(np.array(bow.indptr), np.array(bow.words), np.array(bow.counts), bow.V)
        return copied, list(vocabulary.words)


def synthetic(D: int, V: int, K: int, seed: int = 1) -> tuple[Bow, np.ndarray]:
    """LDA's own process, with words as frequent as in a language: few topics in a document of 100
    tokens, on average, and few words in a topic, so that the topics can be found.
    """
    random = np.random.default_rng(seed)
    frequency = 1.0 / np.arange(10, V + 10)
    beta = random.gamma(0.01 * V * frequency / frequency.sum(), size=(K, V)) + 1e-12
    beta /= beta.sum(axis=1, keepdims=True)
    rows = []
    for length in random.poisson(random.gamma(2.0, 50.0, size=D)):
        tokens = random.multinomial(length, random.dirichlet(np.full(K, 2.0 / K)))
        row = np.zeros(V, np.int64)
        for k in np.flatnonzero(tokens):
            row += random.multinomial(tokens[k], beta[k])
        used = np.flatnonzero(row)
        rows.append((used, row[used]))
    return of_rows(rows, V), beta


def of_rows(rows: list[tuple[np.ndarray, np.ndarray]], V: int) -> Bow:
    """A bag of words from each document's (words, counts)."""
    words, counts = zip(*rows, strict=True)
    return Bow(
        np.append(0, np.cumsum([len(row) for row in words])),
        np.concatenate(words),
        np.concatenate(counts),
        V,
    )


def split(bow: Bow, seed: int) -> tuple[np.ndarray, Bow]:
    """The held-out documents, and a corpus of all others in random order, without those that have
    no words.

    Random, since the online peers don't shuffle, and news or speeches in the order of their dates
    would mislead them.
    """
    held_out = held_out_documents(bow, seed)
    kept = np.setdiff1d(np.flatnonzero(np.diff(bow.indptr)), held_out)
    return held_out, taken(bow, np.random.default_rng(seed).permutation(kept))


def taken(bow: Bow, documents: np.ndarray) -> Bow:
    """Some documents, in the order that is given."""
    places = [np.arange(bow.indptr[d], bow.indptr[d + 1]) for d in documents]
    return of_rows([(bow.words[row], bow.counts[row]) for row in places], bow.V)


def setting(text: str) -> tuple[str, int | float | str]:
    """A setting as a command names it: "eta=0.2"."""
    name, _, value = text.partition("=")
    for kind in (int, float):
        with suppress(ValueError):
            return name, kind(value)
    return name, value


def _said(folder: Path) -> str:
    return (
        str(folder.relative_to(ROOT))
        if folder.is_relative_to(ROOT)
        else "../shared/corpora beside the project"
    )
