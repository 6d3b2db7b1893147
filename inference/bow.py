"""The bag of words: a corpus as a sparse matrix of counts, documents by words (CSR), in memory or
on disk."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.kernels import rows
from inference.kernels.transpose import transpose
from inference.runtime.arrays import offsets_of_parts
from inference.runtime.durable import rewrite
from inference.runtime.jit import njit
from inference.runtime.memory import mapped

FORMAT = 1  # of the folder: raised when the files change their meaning
_ARRAYS: dict[str, type[np.signedinteger]] = {
    "indptr": np.int64,
    "words": np.int32,
    "counts": np.int32,
}
_NUMBERS = "biuf"  # numpy's kinds of numbers that may be whole
# Written, so that they can be mapped where memory must not grow with documents
_BY_DOCUMENT = ("first_token", "lengths")
# Files where rows are sections
_SECTIONS = "sections"
_META = "meta.json"  # written last: a folder that has it is whole
_CUT = ("first_row", "indptr", "first_token", "lengths", "documents")
# Elements hashed or checked at a time: of arrays that are mapped no more than that is in memory
CHUNK = 1 << 22


class Bow:
    """Counts of words by document. Document d's words are `words[indptr[d]:indptr[d + 1]]`,
    ascending, without repeats.

    indptr: int64[D + 1]. words: int32[nnz], in 0 … V - 1; where frequent words have small numbers,
    as text/ numbers them, the default engine's table of counts is smallest and its estimate of
    memory holds. counts: int32[nnz], at least 1. V: the vocabulary's size.
    D: number of documents. tokens: sum of counts. A document without words is an empty row: numbers
    never slip. offsets: int32[tokens], the character of its document's text at which each token
    begins; tokens by document, by word, then in the text's order. None for a bag of words without a
    text.
    first_row: int64[documents + 1] where rows are sections of documents (inference.text.sections):
    those of document d are first_row[d] to first_row[d + 1] - 1; None where each row is a document.
    Pages ask `by_document()`, trainings the rows.
    Raises Invalid("corpus", …) when the arrays do not fit together.
    """

    def __init__(
        self,
        indptr: np.ndarray,
        words: np.ndarray,
        counts: np.ndarray,
        V: int,
        *,
        offsets: np.ndarray | None = None,
        first_row: np.ndarray | None = None,
        check: bool = True,
    ):
        if check:
            indptr = _whole_numbers(indptr, "indptr")
            words = _whole_numbers(words, "words")
            counts = _whole_numbers(counts, "counts")
        self.indptr = np.asanyarray(indptr, np.int64)
        self.V = int(V)
        self.words = np.asanyarray(words, np.int32)
        self.counts = np.asanyarray(counts, np.int32)
        self.offsets = offsets
        self.first_row = first_row
        if check:
            self._check()

    def by_document(self) -> "Bow":
        """A bag of words with a row for each document; itself where rows are documents. It has the
        same arrays of pairs: a document's are those of its sections, one section after the other,
        so its words ascend within a section only."""
        return self if self.first_row is None else self._by_document

    @cached_property
    def _by_document(self) -> "Bow":
        return self._whole(self.indptr[self.first_row], self.first_token[self.first_row])

    def _whole(self, indptr: np.ndarray, first_token: np.ndarray) -> "Bow":
        unchecked = Bow(indptr, self.words, self.counts, self.V, offsets=self.offsets, check=False)
        unchecked.first_token = first_token
        unchecked.tokens = self.tokens
        unchecked.digest = self.digest
        return unchecked

    def documents_of(self, rows: np.ndarray) -> np.ndarray:
        """int32: the documents of some rows; the rows themselves where these are documents."""
        return rows if self.first_row is None else self._documents[rows]

    @cached_property
    def _documents(self) -> np.ndarray:
        sizes = np.diff(np.asarray(self.first_row))
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    @property
    def D(self) -> int:
        """How many documents, or rows, it has."""
        return len(self.indptr) - 1

    @cached_property
    def tokens(self) -> int:
        """How many tokens all documents have together."""
        return int(self.counts.sum(dtype=np.int64))

    @cached_property
    def first_token(self) -> np.ndarray:
        """int64[D + 1]: where each document's tokens begin, of all tokens of the corpus in
        order."""
        return _first_tokens(self.indptr, self.counts)

    def offsets_of(self, d: int) -> np.ndarray:
        """int32: where each token of a document begins in its text, in the order of its words; only
        with `offsets`."""
        assert self.offsets is not None
        return self.offsets[self.first_token[d] : self.first_token[d + 1]]

    def words_of(self, documents: np.ndarray) -> np.ndarray:
        """int64[n]: how many different words each of some documents has. documents: int[n]. Those
        of all documents are not gone through, as a step has few of them."""
        return self.indptr[documents + 1] - self.indptr[documents]

    @cached_property
    def lengths(self) -> np.ndarray:
        """int64[D]: tokens of each document."""
        return np.diff(self.first_token)

    @cached_property
    def word_tokens(self) -> np.ndarray:
        """float64[V]: how often each word occurs in the corpus."""
        _, tokens = rows.occurrences(self.words, self.counts, self.V)
        return tokens.astype(np.float64)

    @cached_property
    def digest(self) -> str:
        """sha256 of V and the three arrays, in hexadecimal: the same for the same corpus wherever
        it lies."""
        digest = hashlib.sha256(f"bow {FORMAT} {self.V}".encode())
        for name in _ARRAYS:
            array = getattr(self, name)
            for i in range(0, len(array), CHUNK):
                digest.update(np.ascontiguousarray(array[i : i + CHUNK]).data)
        return digest.hexdigest()

    def _check(self) -> None:
        indptr = self.indptr
        words = self.words
        counts = self.counts
        begins_with_0 = indptr.ndim == 1 and len(indptr) > 0 and indptr[0] == 0
        if not begins_with_0 or np.any(indptr[1:] < indptr[:-1]):
            raise Invalid("corpus", "indptr must begin with 0 and never fall.")
        if not len(words) == len(counts) == indptr[-1]:
            raise Invalid(
                "corpus",
                f"words and counts must have indptr[-1] = {indptr[-1]} entries, got {len(words)}"
                f" and {len(counts)}.",
            )
        if len(words) == 0:
            return
        for i in range(0, len(words), CHUNK):
            end = min(i + CHUNK, len(words))
            w = words[i:end]
            counts_of_rows = counts[i:end]
            if w.min() < 0 or w.max() >= self.V:
                raise Invalid(
                    "corpus",
                    f"words must be from 0 to V - 1 = {self.V - 1}, got {w.min()} to {w.max()}.",
                )
            if counts_of_rows.min() < 1:
                raise Invalid("corpus", f"counts must be at least 1, got {counts_of_rows.min()}.")
            second = max(i, 1)  # the first pair has none before it
            may_fall = np.zeros(end - second, bool)  # at the first pair of a document
            first_rows, end_rows = np.searchsorted(indptr, (second, end))
            may_fall[indptr[first_rows:end_rows] - second] = True
            if np.any((words[second:end] <= words[second - 1 : end - 1]) & ~may_fall):
                raise Invalid("corpus", "words must ascend within a document, without repeats.")

    def only(self, rows: np.ndarray) -> "Bow":
        """A bag of as many rows, of which only those in `rows`, bool[D], have words. Without
        places."""
        lengths = np.diff(self.indptr)
        row_mask = np.repeat(rows, lengths)
        indptr = offsets_of_parts(lengths * rows)
        return Bow(
            indptr,
            self.words[row_mask],
            self.counts[row_mask],
            self.V,
            first_row=self.first_row,
            check=False,
        )

    def part(self, first: int, end: int) -> "Bow":
        """The documents first ... end - 1, numbered from 0: views of the same arrays. Without
        offsets."""
        indptr = self.indptr[first : end + 1] - self.indptr[first]
        pairs = slice(self.indptr[first], self.indptr[end])
        return Bow(indptr, self.words[pairs], self.counts[pairs], self.V, check=False)

    @classmethod
    def from_csr(cls, matrix) -> "Bow":
        """From anything with indptr, indices, data and shape, documents by words, such as scipy's
        csr_array. Counts of a word that stands in a document more than once are added up."""
        from scipy.sparse import (
            csr_array,  # here: a part of a second, of the start of every process
        )

        # Counts of eight bits would be added up in eight bits
        wide = np.result_type(matrix.data.dtype, np.int64)
        rows = csr_array(
            (matrix.data.astype(wide), matrix.indices, matrix.indptr), shape=matrix.shape, copy=True
        )
        rows.sum_duplicates()
        rows.eliminate_zeros()
        return cls(rows.indptr, rows.indices, rows.data, matrix.shape[1])

    def save(self, folder: Path) -> None:
        """Write the arrays; meta.json comes last, so a folder that has one is whole."""
        folder = Path(folder)
        _begin_anew(folder)
        for name in (*_ARRAYS, "offsets"):
            array = getattr(self, name)
            target = folder / f"{name}.npy"
            if array is None:
                target.unlink(missing_ok=True)
            elif not (
                isinstance(array, np.memmap) and Path(str(array.filename)) == target.resolve()
            ):
                np.save(target, array)
        for name in _BY_DOCUMENT:
            np.save(folder / f"{name}.npy", getattr(self, name))
        self._save_sections(folder / _SECTIONS)
        meta = {
            "format": FORMAT,
            "V": self.V,
            "D": self.D,
            "tokens": self.tokens,
            "digest": self.digest,
        }
        rewrite(folder / _META, json.dumps(meta).encode())

    def _save_sections(self, folder: Path) -> None:
        """What has a number for each document, where rows are sections."""
        shutil.rmtree(folder, ignore_errors=True)
        if self.first_row is not None:
            folder.mkdir()
            document_bow = self.by_document()
            arrays = (
                self.first_row,
                document_bow.indptr,
                document_bow.first_token,
                document_bow.lengths,
                self._documents,
            )
            for name, array in zip(_CUT, arrays, strict=True):
                np.save(folder / f"{name}.npy", array)

    def _open_sections(self, folder: Path) -> None:
        """Map what _save_sections wrote, if rows are sections: first_row, and the bag of words by
        document. folder: of the sections."""
        if not folder.is_dir():
            return
        self.first_row, indptr, first_token, lengths, self._documents = (
            np.load(folder / f"{name}.npy", mmap_mode="r") for name in _CUT
        )
        self._by_document = self._whole(indptr, first_token)
        self._by_document.lengths = lengths

    def without(self, dropped: np.ndarray, folder: Path) -> "Bow":
        """A bag without some words, written to folder: their columns are empty, and nothing is
        renumbered.

        dropped: int[n], numbers of words. Memory: a byte a word of the vocabulary, 24 bytes a row,
        and at most 28 more where rows are sections. Words, counts and offsets are mapped.
        """
        folder = Path(folder)
        _begin_anew(folder)
        keep = np.ones(self.V, bool)
        keep[dropped] = False
        indptr, tokens = _kept(keep, self.indptr, self.words, self.counts)
        pairs = int(indptr[-1])
        sizes = {"words": pairs, "counts": pairs}
        if self.offsets is not None:
            sizes["offsets"] = int(tokens)
        arrays = {
            name: mapped(folder / f"{name}.npy", np.int32, size) for name, size in sizes.items()
        }
        none = np.zeros(0, np.int32)
        offsets = (none, none) if self.offsets is None else (self.offsets, arrays["offsets"])
        _copy_kept(keep, self.words, self.counts, arrays["words"], arrays["counts"], *offsets)
        for array in arrays.values():
            array.flush()
        Bow(indptr, **arrays, V=self.V, first_row=self.first_row, check=False).save(folder)
        return Bow.open(folder)

    @classmethod
    def open(cls, folder: Path, *, sparing: bool = False) -> "Bow":
        """Memory-map a saved bag of words. Raises Invalid when it is not there, unfinished, or of
        another format.

        sparing: map what has a number for each document, too, which a training keeps in memory; a
        folder of an older version lacks some of it.
        """
        folder = Path(folder)
        try:
            meta = json.loads((folder / _META).read_text())
        except (FileNotFoundError, ValueError):
            raise Invalid("corpus", f"There is no finished bag of words in {folder}.") from None
        if meta["format"] != FORMAT:
            raise Invalid(
                "corpus",
                f"The bag of words in {folder} has format {meta['format']}; this version reads"
                f" {FORMAT}.",
            )
        # An empty array can't be memory-mapped.
        mode: Literal["r"] | None = "r" if meta["tokens"] else None
        arrays = {
            name: np.load(
                folder / f"{name}.npy",
                mmap_mode=("r" if sparing else None) if name == "indptr" else mode,
            )
            for name in _ARRAYS
        }
        offsets = (
            np.load(folder / "offsets.npy", mmap_mode=mode)
            if (folder / "offsets.npy").exists()
            else None
        )
        bow = cls(**arrays, V=meta["V"], offsets=offsets, check=False)
        bow.digest = meta["digest"]
        bow.tokens = meta["tokens"]
        if (
            sparing
            and meta["D"]
            and all((folder / f"{name}.npy").exists() for name in _BY_DOCUMENT)
        ):
            first_token, lengths = (
                np.load(folder / f"{name}.npy", mmap_mode="r") for name in _BY_DOCUMENT
            )
            bow.first_token = first_token
            bow.lengths = lengths
        bow._open_sections(folder / _SECTIONS)
        return bow


@contextmanager
def rows_written(
    folder: Path, D: int, V: int, pairs: int, tokens: int, first_row: np.ndarray | None = None
) -> Iterator[Callable]:
    """Write a bag of words of known size behind one another: gives `write(lengths, words, counts,
    offsets)`, for consecutive documents, lengths: int64, pairs of each. At the end of `with` the
    folder is whole. first_row: int64, as in Bow, where rows are sections. Memory: 24 bytes a row,
    and at most 28 more where rows are sections, besides what is being written.
    """
    folder = Path(folder)
    _begin_anew(folder)
    indptr = np.zeros(D + 1, np.int64)
    done = 0
    with ExitStack() as stack:
        files = {}
        for name, size in (("words", pairs), ("counts", pairs), ("offsets", tokens)):
            files[name] = stack.enter_context((folder / f"{name}.npy").open("wb"))
            np.lib.format.write_array_header_1_0(
                files[name], {"descr": "<i4", "fortran_order": False, "shape": (size,)}
            )

        def write(
            lengths: np.ndarray, words: np.ndarray, counts: np.ndarray, offsets: np.ndarray
        ) -> None:
            nonlocal done
            indptr[done + 1 : done + 1 + len(lengths)] = lengths
            done += len(lengths)
            for name, array in (("words", words), ("counts", counts), ("offsets", offsets)):
                array.tofile(files[name])

        yield write
    np.cumsum(indptr, out=indptr)
    arrays = {
        name: np.load(folder / f"{name}.npy", mmap_mode="r")
        for name in ("words", "counts", "offsets")
    }
    Bow(indptr, **arrays, V=V, first_row=first_row, check=False).save(folder)


def _begin_anew(folder: Path) -> None:
    """A folder that is written is no finished one, whatever it held before."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _META).unlink(missing_ok=True)


def ranges(first: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The numbers first[i] ... first[i] + sizes[i] - 1 of every i, one after another: int64[sum of
    sizes]."""
    return np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(np.sum(sizes))


def _whole_numbers(values: np.ndarray, name: str) -> np.ndarray:
    """One of the arrays in the type that a bag of words has. Raises Invalid where a number would
    become another one."""
    values = np.asanyarray(values)
    dtype = _ARRAYS[name]
    if values.dtype == dtype:
        return values
    if values.dtype.kind in _NUMBERS:
        with np.errstate(invalid="ignore"):  # what is too large, or no number, is found out below
            converted = values.astype(dtype)
        if np.array_equal(converted, values):
            return converted
    power = np.iinfo(dtype).bits - 1  # one is the sign
    raise Invalid("corpus", f"{name} must be whole numbers below 2^{power}.")


@njit(cache=True, nogil=True)
def _first_tokens(indptr, counts):
    """int64[D + 1]: where each document's tokens begin. indptr: int64[D + 1], counts:
    int32[nnz]."""
    first_tokens = np.zeros(len(indptr), np.int64)
    for d in range(len(indptr) - 1):
        first_tokens[d + 1] = first_tokens[d]
        for j in range(indptr[d], indptr[d + 1]):
            first_tokens[d + 1] += counts[j]
    return first_tokens


@njit(cache=True, nogil=True)
def _kept(keep, indptr, words, counts):
    """int64[D + 1], indptr of the pairs whose words are kept, and int, their tokens. keep: bool[V].
    indptr: int64[D + 1], words, counts: int32[nnz]."""
    kept_indptr = np.zeros(len(indptr), np.int64)
    tokens = 0
    for d in range(len(indptr) - 1):
        kept_indptr[d + 1] = kept_indptr[d]
        for j in range(indptr[d], indptr[d + 1]):
            if keep[words[j]]:
                kept_indptr[d + 1] += 1
                tokens += counts[j]
    return kept_indptr, tokens


@njit(cache=True, nogil=True)
def _copy_kept(keep, words, counts, words_out, counts_out, offsets, offsets_out):
    """Copy the pairs whose words are kept, and the offsets of their tokens. keep: bool[V]. words,
    counts: int32[nnz]; words_out, counts_out: int32, with room for what is kept. offsets:
    int32[tokens], offsets_out: int32; both may be empty: then there are none."""
    at = token = token_out = 0
    for j in range(len(words)):
        if keep[words[j]]:
            words_out[at] = words[j]
            counts_out[at] = counts[j]
            at += 1
            if len(offsets):
                for t in range(counts[j]):
                    offsets_out[token_out + t] = offsets[token + t]
            token_out += counts[j]
        token += counts[j]


# The inverted bag of words: the documents of each word.
class Postings(NamedTuple):
    """Word w occurs in `documents[indptr[w]:indptr[w + 1]]`, ascending, `counts` times in each.

    indptr: int64[V + 1]. documents: int32[nnz]. counts: int32[nnz]. Entries are the bag of words'
    pairs in another order.
    """

    indptr: np.ndarray
    documents: np.ndarray
    counts: np.ndarray

    @classmethod
    def write(cls, folder: Path, bow: Bow) -> None:
        """Write the files that `open` maps: all of them, or none."""
        folder = Path(folder)
        new = folder.with_name(folder.name + ".new")
        new.mkdir(parents=True, exist_ok=True)
        arrays = [
            mapped(new / f"{name}.npy", np.int32, len(bow.words))
            for name in ("documents", "counts")
        ]
        np.save(new / "indptr.npy", transpose(bow.indptr, bow.words, bow.counts, bow.V, *arrays))
        new.rename(folder)

    @classmethod
    def open(cls, folder: Path) -> "Postings":
        """What `write` left in a folder, mapped."""
        folder = Path(folder)
        return cls(
            np.load(folder / "indptr.npy"),
            *(np.load(folder / f"{name}.npy", mmap_mode="r") for name in ("documents", "counts")),
        )
