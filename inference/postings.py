"""The inverted bag of words: the documents of each word."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.jit import njit
from inference.memory import mapped


class Postings(NamedTuple):
    """Word w occurs in `documents[indptr[w]:indptr[w + 1]]`, ascending, `counts` times in each.

    indptr: int64[V + 1]. documents: int32[nnz]. counts: int32[nnz]. Entries are the bag of words' pairs in another
    order.
    """

    indptr: np.ndarray
    documents: np.ndarray
    counts: np.ndarray

    @classmethod
    def from_bow(cls, bow: Bow) -> "Postings":
        """In memory."""
        indptr = starts(bow)
        postings = cls(indptr, np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.int32))
        _turn(bow.indptr, bow.words, bow.counts, indptr[:-1].copy(), postings.documents, postings.counts)
        return postings

    @classmethod
    def write(cls, folder: Path, bow: Bow) -> None:
        """The same as files, which `open` maps: all of them, or none."""
        folder, new = Path(folder), Path(folder).with_name(Path(folder).name + ".new")
        new.mkdir(parents=True, exist_ok=True)
        indptr = starts(bow)
        np.save(new / "indptr.npy", indptr)
        arrays = [mapped(new / f"{name}.npy", np.int32, int(indptr[-1])) for name in ("documents", "counts")]
        _turn(bow.indptr, bow.words, bow.counts, indptr[:-1].copy(), *arrays)
        new.rename(folder)

    @classmethod
    def open(cls, folder: Path) -> "Postings":
        folder = Path(folder)
        return cls(
            np.load(folder / "indptr.npy"),
            *(np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("documents", "counts")),
        )


def starts(bow: Bow) -> np.ndarray:
    """int64[V + 1]: where each word's documents begin."""
    indptr = np.zeros(bow.V + 1, np.int64)
    _count(bow.words, indptr[1:])
    return np.cumsum(indptr)


@njit(cache=True, nogil=True)
def _count(words, out):
    for j in range(len(words)):
        out[words[j]] += 1


@njit(cache=True, nogil=True)
def _turn(indptr, words, counts, cursor, documents_out, counts_out):
    """cursor: int64[V], where each word's entries begin; moved on."""
    for d in range(len(indptr) - 1):
        for j in range(indptr[d], indptr[d + 1]):
            at = cursor[words[j]]
            documents_out[at], counts_out[at] = d, counts[j]
            cursor[words[j]] = at + 1
