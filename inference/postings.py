"""The inverted bag of words: the documents of each word."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.kernels.transpose import transpose
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
        documents, counts = np.empty(len(bow.words), np.int32), np.empty(len(bow.words), np.int32)
        return cls(transpose(bow.indptr, bow.words, bow.counts, bow.V, documents, counts), documents, counts)

    @classmethod
    def write(cls, folder: Path, bow: Bow) -> None:
        """The same as files, which `open` maps: all of them, or none."""
        folder, new = Path(folder), Path(folder).with_name(Path(folder).name + ".new")
        new.mkdir(parents=True, exist_ok=True)
        arrays = [mapped(new / f"{name}.npy", np.int32, len(bow.words)) for name in ("documents", "counts")]
        np.save(new / "indptr.npy", transpose(bow.indptr, bow.words, bow.counts, bow.V, *arrays))
        new.rename(folder)

    @classmethod
    def open(cls, folder: Path) -> "Postings":
        folder = Path(folder)
        return cls(
            np.load(folder / "indptr.npy"),
            *(np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("documents", "counts")),
        )
