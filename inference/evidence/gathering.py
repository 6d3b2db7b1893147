"""The evidence is written: by `gather` at the end of a training; what older versions did not write,
by `complete_evidence`."""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

import numpy as np

from inference.bow import Bow, Postings
from inference.day_sums import DaySums
from inference.evidence.assigning import Assigned, assigned, rows_by_word
from inference.evidence.files import HELD, ORDERS, PAIRS, ROWS, open_mapped
from inference.kernels import assign
from inference.kernels.beta_rows import BetaRows
from inference.kernels.transpose import transpose
from inference.runtime.arrays import frozen
from inference.runtime.memory import mapped
from inference.topics import Theta, Topics

NAME_BYTES = 4  # random ones of an unfinished file's name
_TOGETHER = 1_000  # documents whose sections are added up at once


def gather(
    folder: Path,
    bow: Bow,
    postings: Postings,
    topics: Topics,
    thetas: Iterable[Theta | Assigned],
    *,
    by_document: bool = False,
    days: np.ndarray | None = None,
) -> Iterator[int]:
    """Assign all tokens, a block of rows at a time, and write the evidence; it is there when the
    last was pulled.

    folder: where to; what it holds is replaced. postings: of `bow`. thetas: of all rows, in their
    order; what other processes assigned already is written as it is. Where rows are sections, the
    topics of documents are counted when those of all rows are there.
    by_document: About.by_document, all words of a document go to its topic with the largest theta,
    the least of equals. days: int32[D], the documents' dates (DaySums). Yields how many rows are
    done. Memory: a block of `thetas`; 8 bytes a row, and some more where rows are sections; what
    topics hold of words. All else is mapped. Raises OSError where the disk is full.
    """
    folder = Path(folder)
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    beta: BetaRows | None = None
    doc_ptr = np.zeros(bow.D + 1, np.int64)
    try:
        with ExitStack() as stack:
            files: dict[str, BinaryIO] = {
                name: stack.enter_context((new / name).open("wb"))
                for name in ("topics", "certainty", *ROWS)
            }
            for block in thetas:
                if not isinstance(block, Assigned):
                    beta = beta or rows_by_word(bow, topics, by_document)
                    block = assigned(bow, topics.K, beta, block)
                for name, array in zip(
                    files,
                    (block.topics, block.certainty, block.doc_topics, block.doc_tokens),
                    strict=True,
                ):
                    array.tofile(files[name])
                end = block.first + len(block.indptr) - 1
                doc_ptr[block.first + 1 : end + 1] = doc_ptr[block.first] + block.indptr[1:]
                yield end
        _write_by_word(new, bow, postings)
        if bow.first_row is not None:
            doc_ptr = _add_up(new, bow.by_document(), topics.K)
        np.save(new / "doc_ptr.npy", doc_ptr)
        _write_orders(new, bow.by_document(), doc_ptr, topics.K)
        _write_held(new, bow, postings, topics.K)
        if days is not None and doc_ptr[-1]:
            doc_topics = np.memmap(new / "doc_topics", ROWS["doc_topics"], "r")
            doc_tokens = np.memmap(new / "doc_tokens", ROWS["doc_tokens"], "r")
            lengths = bow.by_document().lengths
            DaySums.write(new, days, topics.K, doc_ptr, doc_topics, doc_tokens, lengths)
    except OSError:  # the disk is full: what would stay there would keep it so
        shutil.rmtree(new, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)


def complete_evidence(folder: Path, bow: Bow, postings: Postings) -> None:
    """Write what an older version did not write; nothing where all is there, or no evidence. The
    same arguments as `open_evidence` has. Several processes may do it at once."""
    if not (folder / "doc_ptr.npy").exists():
        return
    doc_ptr = np.load(folder / "doc_ptr.npy", mmap_mode="r")
    if not (folder / "topic_ptr.npy").exists():
        _write_orders(folder, bow.by_document(), doc_ptr, int(np.load(folder / "K.npy")))
    if not (folder / "held_ptr.npy").exists():
        K = len(np.load(folder / "topic_ptr.npy")) - 1
        _write_held(folder, bow, postings, K)


def _add_up(folder: Path, bow: Bow, K: int) -> np.ndarray:
    """Replace the tokens of each topic in each section by those in each document. bow: by document.
    Returns where each document's begin, int64[D + 1]: of the documents nothing else is in
    memory."""
    doc_ptr = np.zeros(bow.D + 1, np.int64)
    topics = open_mapped(folder / "topics", PAIRS["topics"], not len(bow.words))
    with ExitStack() as stack:
        files = [stack.enter_context((folder / name).open("wb")) for name in ROWS]
        for first in range(0, bow.D, _TOGETHER):
            end = min(first + _TOGETHER, bow.D)
            span = slice(bow.indptr[first], bow.indptr[end])
            indptr = bow.indptr[first : end + 1] - span.start
            ptr, *columns = assign.mixtures(indptr, bow.counts[span], topics[span], K)
            doc_ptr[first + 1 : end + 1] = doc_ptr[first] + ptr[1:]
            for file, column in zip(files, columns, strict=True):
                column.tofile(file)
    return doc_ptr


def _write_orders(folder: Path, bow: Bow, doc_ptr: np.ndarray, K: int) -> None:
    """The orders of each topic's documents; they are there when topic_ptr.npy is."""
    rows = int(doc_ptr[-1])
    new = {name: _unfinished(folder / name) for name in ORDERS}
    doc_topics = open_mapped(folder / "doc_topics", ROWS["doc_topics"], not rows)
    doc_tokens = open_mapped(folder / "doc_tokens", ROWS["doc_tokens"], not rows)
    documents, tokens = (
        mapped(new[name], dtype, rows) if rows else np.zeros(0, dtype)
        for name, dtype in ORDERS.items()
    )
    topic_ptr = transpose(frozen(doc_ptr, np.int64), doc_topics, doc_tokens, K, documents, tokens)
    cuts = np.searchsorted(topic_ptr, np.linspace(0, rows, (os.cpu_count() or 1) + 1))
    cuts[0] = 0
    cuts[-1] = K
    lengths = frozen(bow.lengths, np.int64)
    with ThreadPoolExecutor(len(cuts) - 1) as pool:
        list(
            pool.map(
                lambda first, last: assign.rank(first, last, topic_ptr, lengths, documents, tokens),
                cuts[:-1],
                cuts[1:],
            )
        )
    for name, array in zip(ORDERS, (documents, tokens), strict=True):
        if isinstance(array, np.memmap):
            array.flush()
            new[name].rename(folder / name)
    _save(folder / "topic_ptr.npy", topic_ptr)


def _write_held(folder: Path, bow: Bow, postings: Postings, K: int) -> None:
    """What each topic holds of each word; it is there when held_ptr.npy is."""
    word_topics = open_mapped(folder / "word_topics", PAIRS["word_topics"], not len(bow.words))
    of_row = np.zeros(0, np.int32)
    if bow.first_row is not None:
        of_row = bow.documents_of(np.arange(bow.D))
    ptr, *columns = assign.by_word(
        postings.indptr,
        word_topics,
        postings.counts,
        postings.documents,
        frozen(of_row, np.int32),
        K,
    )
    for (name, dtype), column in zip(HELD.items(), columns, strict=True):
        new_column = _unfinished(folder / name)
        column.astype(dtype, copy=False).tofile(new_column)
        new_column.rename(folder / name)
    _save(folder / "held_ptr.npy", ptr)


def _save(path: Path, array: np.ndarray) -> None:
    """An array's file, which is there when it is whole."""
    new = _unfinished(path)
    with new.open("wb") as file:
        np.save(file, array)
    new.rename(path)


def _unfinished(path: Path) -> Path:
    """A name beside a file's that no other process takes: what is written under it is renamed when
    it is whole, as several may complete the evidence of an older version at once."""
    return path.with_name(f"{path.name}.{secrets.token_hex(NAME_BYTES)}.new")


def _write_by_word(folder: Path, bow: Bow, postings: Postings) -> None:
    """Write topics and certainties once more in the order of words, as `postings` has the pairs."""
    if not len(bow.words):
        for name in ("word_topics", "word_certainty"):
            (folder / name).touch()
        return
    pairs = len(bow.words)
    topics = np.memmap(folder / "topics", PAIRS["topics"], "r")
    certainty = np.memmap(folder / "certainty", PAIRS["certainty"], "r")
    word_topics = mapped(folder / "word_topics", PAIRS["word_topics"], pairs)
    word_certainty = mapped(folder / "word_certainty", PAIRS["word_certainty"], pairs)
    assign.turn(
        bow.words, topics, certainty, postings.indptr[:-1].copy(), word_topics, word_certainty
    )
    for array in (word_topics, word_certainty):
        array.flush()
