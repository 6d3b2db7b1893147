"""The evidence of a finished training: a topic for every word of every document, and the sums that
follow from it.

Each word of a document is assigned, with all its tokens there, to the topic k with the largest p(k
| w, d), which is proportional to theta[d, k] beta[k, w]: under LDA the posterior of a token's topic
does not depend on its place in the text. Whatever a page counts is a sum of these tokens, so it can
be opened and read.
"""

import os
import secrets
import shutil
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, vstack

from inference import fold_in
from inference.bow import Bow, Postings
from inference.day_sums import DaySums
from inference.documents import looked_at
from inference.errors import Invalid
from inference.kernels import assign
from inference.kernels.transpose import transpose
from inference.runtime.arrays import frozen
from inference.runtime.memory import mapped
from inference.topics import Theta, Topics

# Each array's file and type: pairs as in the bag of words, pairs as in the postings, and a row for
# each document.
_PAIRS = {
    "topics": np.uint16,
    "certainty": np.uint8,
    "word_topics": np.uint16,
    "word_certainty": np.uint8,
}
_ROWS = {"doc_topics": np.uint16, "doc_tokens": np.int32}
# The documents of each topic, the first of an order first
_ORDERS = {
    "by_share": np.int32,
    "by_tokens": np.int32,
}
# What each word's topics hold
_WORDS = {
    "held_topics": np.uint16,
    "held_tokens": np.int64,
    "held_documents": np.int32,
}

_TOGETHER = 1_000  # documents whose sections are added up at once

# By word: row_ptr, row_topics, above, floor (inference.fold_in.rows)
Beta = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Evidence:
    """Memory-mapped arrays, made by `gather`.

    rows: the bag of words; bow: the same with a row for each document, which is itself where rows
    are no sections; postings: rows by word. K: number of topics. topics: uint16[nnz] and certainty:
    uint8[nnz], p(k | w, d) times 255, of the bag of words' pairs; word_topics, word_certainty: the
    same of the postings'. doc_ptr: int64[D + 1], doc_topics: uint16, doc_tokens: int32: the tokens
    of each topic in each document. topic_ptr: int64[K + 1], by_share, by_tokens: int32: the
    documents of each topic, those with the largest share of it or the most tokens first, of equals
    the lower number. held_ptr: int64[V + 1], held_topics: uint16 ascending, held_tokens: int64,
    held_documents: int32: what each topic holds of each word. day_sums: None where none were
    stored.
    """

    def __init__(
        self,
        bow: Bow,
        postings: Postings,
        doc_ptr: np.ndarray,
        topic_ptr: np.ndarray,
        held_ptr: np.ndarray,
        arrays: dict[str, np.ndarray],
        day_sums: DaySums | None = None,
    ):
        self.rows = bow
        self.bow = bow.by_document()
        self.postings = postings
        self.doc_ptr = frozen(doc_ptr, np.int64)
        self.topic_ptr = topic_ptr
        self.K = len(topic_ptr) - 1
        self.day_sums = day_sums
        self.held_ptr = held_ptr
        self.held_topics = arrays["held_topics"]
        self.held_tokens = arrays["held_tokens"]
        self.held_documents = arrays["held_documents"]
        self.by_share = arrays["by_share"]
        self.by_tokens = arrays["by_tokens"]
        self.topics = arrays["topics"]
        self.certainty = arrays["certainty"]
        self.word_topics = arrays["word_topics"]
        self.word_certainty = arrays["word_certainty"]
        self.doc_topics = arrays["doc_topics"]
        self.doc_tokens = arrays["doc_tokens"]

    @classmethod
    def open(cls, folder: Path, bow: Bow, postings: Postings) -> "Evidence":
        """Raises Invalid where there is none."""
        folder = Path(folder)
        if not (folder / "doc_ptr.npy").exists():
            raise Invalid(
                "run",
                "This run was trained by a version that kept no evidence of its tokens. Train it"
                " again.",
            )
        doc_ptr = np.load(folder / "doc_ptr.npy", mmap_mode="r")
        if not (folder / "topic_ptr.npy").exists():  # it was made before there were orders
            _rank(folder, bow.by_document(), doc_ptr, int(np.load(folder / "K.npy")))
        topic_ptr = np.load(folder / "topic_ptr.npy")
        if not (folder / "held_ptr.npy").exists():  # it was made before words had their sums
            _hold(folder, bow, postings, len(topic_ptr) - 1)
        is_empty = not doc_ptr[-1]
        types = _PAIRS | _ROWS | _ORDERS | _WORDS
        arrays = {
            name: np.asarray(_open_mapped(folder / name, dtype, is_empty))
            for name, dtype in types.items()
        }
        return cls(
            bow,
            postings,
            doc_ptr,
            topic_ptr,
            np.load(folder / "held_ptr.npy"),
            arrays,
            DaySums.open(folder),
        )

    @property
    def lengths(self) -> np.ndarray:
        """int64[D]: tokens of each document, the words outside the vocabulary left out."""
        return self.bow.lengths

    @cached_property
    def documents(self) -> np.ndarray:
        """int64[K]: documents that have any tokens of each topic."""
        return np.diff(self.topic_ptr)

    def document(self, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(words int32, counts int32, topics uint16, certainty uint8) of a document's pairs, words
        ascending within a section."""
        span = slice(self.bow.indptr[d], self.bow.indptr[d + 1])
        return self.bow.words[span], self.bow.counts[span], self.topics[span], self.certainty[span]

    def mixture(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """(topics uint16 ascending, tokens int32) of a document."""
        span = slice(self.doc_ptr[d], self.doc_ptr[d + 1])
        return self.doc_topics[span], self.doc_tokens[span]

    def holding(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """(documents int64 ascending, tokens int32) of those that have tokens of topic k: a pass
        over all mixtures."""
        at = np.flatnonzero(self.doc_topics == k)
        return np.searchsorted(self.doc_ptr, at, side="right") - 1, self.doc_tokens[at]

    def tokens(self, d: int, k: int) -> int:
        """Tokens of topic k in a document."""
        topics, tokens = self.mixture(d)
        j = int(np.searchsorted(topics, k))
        return int(tokens[j]) if j < len(topics) and topics[j] == k else 0

    def _held(self, d: int, k: int) -> tuple[int, int, float]:
        """(document, tokens of topic k, their share of its tokens)."""
        tokens = self.tokens(d, k)
        return d, tokens, tokens / int(self.bow.first_token[d + 1] - self.bow.first_token[d])

    def best(
        self,
        k: int,
        by: str,
        n: int,
        after: tuple[float, int] | None = None,
        mask: np.ndarray | None = None,
    ) -> list[tuple[int, int, float]]:
        """(document, tokens, share) of the n documents of topic k that come first by "share" or
        "tokens", of equals the lower number. after: (value, document), which they come behind, if
        it is given. mask: bool[D], those that are wanted."""
        ranked = self.by_share if by == "share" else self.by_tokens
        order = ranked[self.topic_ptr[k] : self.topic_ptr[k + 1]]

        def place(i: int) -> tuple[float, int]:
            d, tokens, share = self._held(int(order[i]), k)
            return -(share if by == "share" else tokens), d

        first = bisect_right(range(len(order)), (-after[0], after[1]), key=place) if after else 0
        best_documents: list[int] = []
        step = n
        while first < len(order) and len(best_documents) < n:
            document_batch = order[first : first + step]
            if mask is not None:
                document_batch = document_batch[mask[document_batch]]
            best_documents += document_batch.tolist()
            first += step
            step *= 2
        return [self._held(d, k) for d in best_documents[:n]]

    def word(self, w: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(documents int32 ascending, counts int32, topics uint16, certainty uint8) of a word's
        pairs; a document has one for each of its sections that have the word."""
        rows, counts, topics, certainty = self.word_rows(w)
        return self.rows.documents_of(rows), counts, topics, certainty

    def word_counts(self, w: int) -> tuple[np.ndarray, np.ndarray]:
        """(documents int32 ascending, tokens int64): the documents that have a word, each once, and
        how often."""
        documents, counts, *_ = self.word(w)
        if self.rows.first_row is None or not len(documents):
            return documents, counts.astype(np.int64)
        having, first = np.unique(documents, return_index=True)
        return having, np.add.reduceat(counts, first, dtype=np.int64)

    def having(self, w: int) -> np.ndarray:
        """int32, ascending: the documents that have a word, each once."""
        documents = self.word(w)[0]
        return documents if self.rows.first_row is None else np.unique(documents)

    def word_rows(self, w: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What `word` gives, with rows of the bag of words for documents."""
        span = slice(self.postings.indptr[w], self.postings.indptr[w + 1])
        return (
            self.postings.documents[span],
            self.postings.counts[span],
            self.word_topics[span],
            self.word_certainty[span],
        )

    def offsets(self, d: int, w: int) -> np.ndarray:
        """int32: where a word's tokens begin in the text of a document, ascending; none where the
        corpus has no texts."""
        if self.rows.first_row is None:
            return self._offsets(d, w)
        first, end = self.rows.first_row[d : d + 2].tolist()
        return np.concatenate([self._offsets(row, w) for row in range(first, end)])

    def tokens_of(self, d: int, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The tokens of some words in a document: (int32 words, int32 characters of its text at
        which each begins), by word, of each word ascending. None where the corpus has no texts.

        words: int32, ascending, each once. For many words at once: `offsets` looks for each.
        """
        first_row = self.rows.first_row
        rows = range(d, d + 1) if first_row is None else range(*first_row[d : d + 2].tolist())
        words_of_rows = []
        starts_of_rows = []
        for row in rows:
            words_of_row, starts = self._tokens_of_row(row, words)
            words_of_rows.append(words_of_row)
            starts_of_rows.append(starts)
        words_of_tokens = np.concatenate(words_of_rows)
        by_word = np.argsort(words_of_tokens, kind="stable")  # rows follow each other in the text
        return words_of_tokens[by_word], np.concatenate(starts_of_rows)[by_word]

    def _tokens_of_row(self, row: int, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        bow = self.rows
        if bow.offsets is None:
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        span = slice(bow.indptr[row], bow.indptr[row + 1])
        of_tokens = np.repeat(bow.words[span], bow.counts[span])
        is_match = np.isin(of_tokens, words)
        first = bow.first_token[row]
        starts = bow.offsets[first : first + len(of_tokens)]
        return of_tokens[is_match], starts[is_match]

    def _offsets(self, row: int, w: int) -> np.ndarray:
        bow = self.rows
        start = bow.indptr[row]
        end = bow.indptr[row + 1]
        j = int(np.searchsorted(bow.words[start:end], w))
        if bow.offsets is None or start + j == end or bow.words[start + j] != w:
            return np.zeros(0, np.int32)
        first = bow.first_token[row] + bow.counts[start : start + j].sum()
        return bow.offsets[first : first + bow.counts[start + j]]

    def places(self, rows: np.ndarray, nth: np.ndarray, w: int) -> np.ndarray:
        """int32[n]: where a word's token begins in the text of the document of each row, int32[n],
        that has it: its nth in the row, int64[n], from 0. Only of a corpus with texts."""
        bow = self.rows
        return assign.offsets_of_tokens(
            frozen(rows, np.int32),
            frozen(nth, np.int64),
            w,
            frozen(bow.indptr, np.int64),
            bow.words,
            bow.counts,
            frozen(bow.first_token, np.int64),
            bow.offsets,
        )

    def sums(
        self,
        group: np.ndarray,
        G: int,
        column_of_topic: np.ndarray | None = None,
        documents: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Tokens of each topic in each of G groups of documents, and documents that have any:
        int64[G, K] twice.

        documents: int32[n], those that are looked at; None for all. group: int32, of each of them,
        -1 for none. column_of_topic: int32[K], the topic that each is
        counted as; a document with two topics that are counted as one is counted once.
        """
        column_of_topic = (
            np.arange(self.K, dtype=np.int32) if column_of_topic is None else column_of_topic
        )
        return assign.sums(
            *looked_at(documents),
            frozen(group, np.int32),
            G,
            column_of_topic,
            self.doc_ptr,
            self.doc_topics,
            self.doc_tokens,
        )

    def folded(self, column_of_topic: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(doc_ptr, doc_topics, doc_tokens) with topics read as parts of others; these very arrays
        where none is. column_of_topic: int32[K]."""
        if np.array_equal(column_of_topic, np.arange(self.K)):
            return self.doc_ptr, self.doc_topics, self.doc_tokens
        return assign.mixtures(
            self.doc_ptr,
            self.doc_tokens,
            column_of_topic.astype(np.uint16)[self.doc_topics],
            self.K,
        )

    def word_sums(
        self,
        group: np.ndarray,
        G: int,
        slot: np.ndarray,
        T: int,
        documents: np.ndarray | None = None,
    ) -> np.ndarray:
        """Tokens of each word in each group, by topic: int64[G, T + 1, V], the last row of all
        topics together.

        slot: int32[K], in which of T rows a topic is counted, -1 for none. documents: int32[n],
        those that are looked at, such as a sample; None for all. group: int32, of each of them, -1
        for none.
        """
        bow = self.bow
        group = frozen(group, np.int32)
        return assign.word_sums(
            *looked_at(documents),
            group,
            G,
            slot,
            T,
            bow.V,
            frozen(bow.indptr, np.int64),
            bow.words,
            bow.counts,
            self.topics,
        )

    def held(self, topics: list[int], documents: np.ndarray | None = None) -> np.ndarray:
        """int32[n]: tokens of each document that these topics hold together. documents: int32[n],
        those that are looked at; None for all."""
        return assign.tokens_held(
            *looked_at(documents),
            self._wanted(topics),
            self.doc_ptr,
            self.doc_topics,
            self.doc_tokens,
        )

    def _wanted(self, topics: list[int]) -> np.ndarray:
        return np.isin(np.arange(self.K), topics)

    def at_least(
        self, topics: list[int], share: float, documents: np.ndarray | None = None
    ) -> np.ndarray:
        """int32, ascending: documents in which these topics together have tokens, and at least this
        share of them. documents: int32, ascending, those that are looked at; None for all, of which
        those of the topics are. Of a single topic those that have as much come first, so none is
        looked at but where they end."""
        if documents is not None:
            topic_tokens = self.held(topics, documents)
            topic_share = topic_tokens / np.maximum(self.lengths[documents], 1)
            return documents[(topic_tokens > 0) & (topic_share >= share)]
        if len(topics) == 1:
            return self._at_least_of(topics[0], share)
        mask = np.zeros(len(self.doc_ptr) - 1, bool)
        numbers = assign.at_least(
            np.array(topics, np.int64),
            self._wanted(topics),
            share,
            self.topic_ptr,
            self.by_share,
            self.doc_ptr,
            self.doc_topics,
            self.doc_tokens,
            frozen(self.lengths, np.int64),
            mask,
        )
        return np.sort(numbers)

    def _at_least_of(self, k: int, share: float) -> np.ndarray:
        """`at_least` of one topic, whose documents are in the order of their shares."""
        order = self.by_share[self.topic_ptr[k] : self.topic_ptr[k + 1]]

        def negative_share(i: int) -> float:
            _, _, document_share = self._held(int(order[i]), k)
            return -document_share

        end = bisect_right(range(len(order)), -share, key=negative_share)
        return np.sort(order[:end])

    def strongest(
        self, topics: list[int], group: np.ndarray, g: int, n: int
    ) -> list[tuple[int, float]]:
        """(document, share) of the n documents of a group in which these topics together have the
        largest share, of equals the lower number. group: int32[D]."""
        documents, shares = assign.strongest(
            np.array(topics, np.int64),
            self._wanted(topics),
            frozen(group, np.int32),
            g,
            n,
            self.topic_ptr,
            self.by_share,
            self.doc_ptr,
            self.doc_topics,
            self.doc_tokens,
            frozen(self.lengths, np.int64),
        )
        return [(int(documents[i]), float(shares[i])) for i in np.lexsort((documents, -shares))[:n]]

    def by_word(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(int64[V + 1], topics uint16 ascending, tokens int64, documents int32): what each word's
        topics hold of it."""
        return self.held_ptr, self.held_topics, self.held_tokens, self.held_documents

    def word_topics_of(self, words: Sequence[int], mask: np.ndarray | None = None) -> np.ndarray:
        """int64[n, K]: tokens of some words in each topic, in all documents or in those of a mask,
        bool[D]."""
        table = np.zeros((len(words), self.K), np.int64)
        for row, w in zip(table, words, strict=True):
            if mask is None:
                start = self.held_ptr[w]
                end = self.held_ptr[w + 1]
                row[self.held_topics[start:end]] = self.held_tokens[start:end]
            else:
                documents, counts, topics, _ = self.word(w)
                row[:] = np.bincount(topics, counts * mask[documents], self.K)
        return table


class Assigned(NamedTuple):
    """The topics of a block of documents' tokens, from document `first` on. topics: uint16 and
    certainty: uint8, of the bag of words' pairs. indptr: int64[n + 1], from 0 on, doc_topics:
    uint16, doc_tokens: int32: of each topic in each document."""

    first: int
    topics: np.ndarray
    certainty: np.ndarray
    indptr: np.ndarray
    doc_topics: np.ndarray
    doc_tokens: np.ndarray


def rows_by_word(bow: Bow, topics: Topics, by_document: bool) -> Beta:
    """Topics as `assigned` needs them. by_document: About.by_document."""
    if by_document:
        return assign.even(bow.V, topics.K)
    row_ptr, row_topics, above = fold_in.rows(
        topics.indptr, topics.words, topics.weights, topics.floor, np.arange(bow.V), bow.V
    )
    return row_ptr, row_topics, above, _floor(topics)


def _floor(topics: Topics) -> np.ndarray:
    """float64[K]: the topics' floors, 0 of a topic that is kept without tokens (Seeds.empty): all
    words are alike to it, and a word that no topic lists would be assigned to it."""
    if topics.used is None:
        return topics.floor
    kept_empty = ~topics.used & (topics.share == 0.0) & (np.diff(topics.indptr) == 0)
    return np.where(kept_empty, 0.0, topics.floor)


def assigned(bow: Bow, K: int, beta: Beta, theta: Theta) -> Assigned:
    """Give the tokens of a block of documents their topics."""
    end = theta.first + len(theta.indptr) - 1
    span = slice(bow.indptr[theta.first], bow.indptr[end])
    token_topics = np.empty(span.stop - span.start, np.uint16)
    certainty = np.empty(span.stop - span.start, np.uint8)
    row_ptr, row_topics, above, floor = beta
    assign.assign(
        theta.first,
        bow.indptr,
        bow.words,
        row_ptr,
        row_topics,
        above,
        floor,
        theta.indptr,
        theta.topics,
        theta.weights,
        token_topics,
        certainty,
    )
    mixtures = assign.mixtures(
        bow.indptr[theta.first : end + 1] - span.start, bow.counts[span], token_topics, K
    )
    return Assigned(theta.first, token_topics, certainty, *mixtures)


def document_tokens(
    bow: Bow, topics: Topics, thetas: Iterable[Theta], by_document: bool
) -> csr_matrix:
    """The tokens of each topic in each document, int[documents, K], as `gather` counts them; in
    memory."""
    beta = rows_by_word(bow, topics, by_document)
    blocks: list[csr_matrix] = []
    for theta in thetas:
        assignment = assigned(bow, topics.K, beta, theta)
        entries = (assignment.doc_tokens, assignment.doc_topics, assignment.indptr)
        blocks.append(csr_matrix(entries, (len(assignment.indptr) - 1, topics.K)))
    rows = vstack(blocks, format="csr")
    first_rows = bow.first_row
    if first_rows is None:
        return rows
    shape = (len(first_rows) - 1, bow.D)
    adds_sections = csr_matrix((np.ones(bow.D, np.int32), np.arange(bow.D), first_rows), shape)
    return adds_sections @ rows


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
    done. Memory does not grow with their number. Raises OSError where the disk is full.
    """
    folder = Path(folder)
    new = folder.with_name(folder.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    beta: Beta | None = None
    doc_ptr = np.zeros(bow.D + 1, np.int64)
    try:
        with ExitStack() as stack:
            files: dict[str, BinaryIO] = {
                name: stack.enter_context((new / name).open("wb"))
                for name in ("topics", "certainty", *_ROWS)
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
        _turn(new, bow, postings)
        if bow.first_row is not None:
            doc_ptr = _add_up(new, bow.by_document(), topics.K)
        np.save(new / "doc_ptr.npy", doc_ptr)
        _rank(new, bow.by_document(), doc_ptr, topics.K)
        _hold(new, bow, postings, topics.K)
        if days is not None and doc_ptr[-1]:
            doc_topics = np.memmap(new / "doc_topics", _ROWS["doc_topics"], "r")
            doc_tokens = np.memmap(new / "doc_tokens", _ROWS["doc_tokens"], "r")
            lengths = bow.by_document().lengths
            DaySums.write(new, days, topics.K, doc_ptr, doc_topics, doc_tokens, lengths)
    except OSError:  # the disk is full: what would stay there would keep it so
        shutil.rmtree(new, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)


def _open_mapped(path: Path, dtype: type, is_empty: bool) -> np.ndarray:
    """An array of a file: read-only, mapped. An empty file can't be."""
    return np.zeros(0, dtype) if is_empty else np.memmap(path, dtype, "r")


def _add_up(folder: Path, bow: Bow, K: int) -> np.ndarray:
    """Replace the tokens of each topic in each section by those in each document. bow: by document.
    Returns where each document's begin, int64[D + 1]. Memory does not grow with the corpus but for
    that."""
    doc_ptr = np.zeros(bow.D + 1, np.int64)
    topics = _open_mapped(folder / "topics", _PAIRS["topics"], not len(bow.words))
    with ExitStack() as stack:
        files = [stack.enter_context((folder / name).open("wb")) for name in _ROWS]
        for first in range(0, bow.D, _TOGETHER):
            end = min(first + _TOGETHER, bow.D)
            span = slice(bow.indptr[first], bow.indptr[end])
            indptr = bow.indptr[first : end + 1] - span.start
            ptr, *columns = assign.mixtures(indptr, bow.counts[span], topics[span], K)
            doc_ptr[first + 1 : end + 1] = doc_ptr[first] + ptr[1:]
            for file, column in zip(files, columns, strict=True):
                column.tofile(file)
    return doc_ptr


def _rank(folder: Path, bow: Bow, doc_ptr: np.ndarray, K: int) -> None:
    """The orders of each topic's documents; they are there when topic_ptr.npy is."""
    rows = int(doc_ptr[-1])
    new = {name: folder / f"{name}.{secrets.token_hex(4)}.new" for name in _ORDERS}
    doc_topics = _open_mapped(folder / "doc_topics", _ROWS["doc_topics"], not rows)
    doc_tokens = _open_mapped(folder / "doc_tokens", _ROWS["doc_tokens"], not rows)
    documents, tokens = (
        mapped(new[name], dtype, rows) if rows else np.zeros(0, dtype)
        for name, dtype in _ORDERS.items()
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
    for name, array in zip(_ORDERS, (documents, tokens), strict=True):
        if isinstance(array, np.memmap):
            array.flush()
            new[name].rename(folder / name)
    written = folder / f"topic_ptr.{secrets.token_hex(4)}.npy"
    np.save(written, topic_ptr)
    written.rename(folder / "topic_ptr.npy")


def _hold(folder: Path, bow: Bow, postings: Postings, K: int) -> None:
    """What each topic holds of each word; it is there when held_ptr.npy is."""
    word_topics = _open_mapped(folder / "word_topics", np.uint16, not len(bow.words))
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
    suffix = f"{secrets.token_hex(4)}.new"
    for (name, dtype), column in zip(_WORDS.items(), columns, strict=True):
        column.astype(dtype, copy=False).tofile(folder / f"{name}.{suffix}")
        (folder / f"{name}.{suffix}").rename(folder / name)
    np.save(folder / f"held_ptr.{suffix}.npy", ptr)
    (folder / f"held_ptr.{suffix}.npy").rename(folder / "held_ptr.npy")


def _turn(folder: Path, bow: Bow, postings: Postings) -> None:
    """Write topics and certainties once more in the order of words, as `postings` has the pairs."""
    if not len(bow.words):
        for name in ("word_topics", "word_certainty"):
            (folder / name).touch()
        return
    pairs = len(bow.words)
    topics = np.memmap(folder / "topics", _PAIRS["topics"], "r")
    certainty = np.memmap(folder / "certainty", _PAIRS["certainty"], "r")
    word_topics = mapped(folder / "word_topics", _PAIRS["topics"], pairs)
    word_certainty = mapped(folder / "word_certainty", _PAIRS["certainty"], pairs)
    assign.turn(
        bow.words, topics, certainty, postings.indptr[:-1].copy(), word_topics, word_certainty
    )
    for array in (word_topics, word_certainty):
        array.flush()
