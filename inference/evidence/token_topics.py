"""Which topic each token has: one for all tokens of a word in a document, or in a section of it."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from inference.bow import Bow
from inference.documents import looked_at
from inference.kernels import assign
from inference.runtime.arrays import frozen


class GroupWordSums(NamedTuple):
    """Tokens of each word. of_rows: int32[R, V], int64 in collections of more tokens than fit, of
    the topics and groups that a row stands for; of_groups: int64[G, V], of all topics together."""

    of_rows: np.ndarray
    of_groups: np.ndarray


@dataclass(frozen=True, eq=False)
class TokenTopics:
    """document_bow: the bag of words, with a row for each document. topics: uint16[nnz] and
    certainty: uint8[nnz], p(k | w, d) times 255, of its pairs of a document and a word."""

    document_bow: Bow
    topics: np.ndarray
    certainty: np.ndarray

    def of_document(self, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(words int32, counts int32, topics uint16, certainty uint8) of a document's pairs, words
        ascending within a section."""
        span = slice(self.document_bow.indptr[d], self.document_bow.indptr[d + 1])
        return (
            self.document_bow.words[span],
            self.document_bow.counts[span],
            self.topics[span],
            self.certainty[span],
        )

    def word_sums(
        self, group: np.ndarray, row: np.ndarray, R: int, documents: np.ndarray | None = None
    ) -> GroupWordSums:
        """Tokens of each word in some topics and groups, and in each group.

        row: int32[G, K], in which of R rows a topic is counted in a group, -1 for none. documents:
        int32[n], those that are looked at, such as a sample; None for all. group: int32, of each of
        them, -1 for none.
        """
        bow = self.document_bow
        # Rows are many: int64 would take twice the memory
        fits_in_half = bow.first_token[-1] <= np.iinfo(np.int32).max
        dtype = np.int32 if fits_in_half else np.int64
        sums = GroupWordSums(np.zeros((R, bow.V), dtype), np.zeros((len(row), bow.V), np.int64))
        group = frozen(group, np.int32)
        row = frozen(row, np.int32)
        indptr = frozen(bow.indptr, np.int64)
        assign.add_word_sums(
            *looked_at(documents),
            group,
            row,
            indptr,
            bow.words,
            bow.counts,
            self.topics,
            *sums,
        )
        return sums
