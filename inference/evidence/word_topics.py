"""Which topics each word has, and in which documents."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inference.bow import Bow, Postings


@dataclass(frozen=True, eq=False)
class WordTopics:
    """K: number of topics. section_bow: the bag of words as it was trained; postings: by word, of
    it. topics: uint16[nnz] and certainty: uint8[nnz], of the postings' pairs, as TokenTopics has
    them. held_ptr: int64[V + 1], held_topics: uint16 ascending, held_tokens: int64, held_documents:
    int32: what each topic holds of each word."""

    K: int
    section_bow: Bow
    postings: Postings
    topics: np.ndarray
    certainty: np.ndarray
    held_ptr: np.ndarray
    held_topics: np.ndarray
    held_tokens: np.ndarray
    held_documents: np.ndarray

    def of_word(self, w: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(documents int32 ascending, counts int32, topics uint16, certainty uint8) of a word's
        pairs; a document has one for each of its sections that have the word."""
        rows, counts, topics, certainty = self.rows_of_word(w)
        return self.section_bow.documents_of(rows), counts, topics, certainty

    def rows_of_word(self, w: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(rows int32, counts int32, topics uint16, certainty uint8): what `of_word` gives, with
        rows of the bag of words for documents."""
        span = slice(self.postings.indptr[w], self.postings.indptr[w + 1])
        return (
            self.postings.documents[span],
            self.postings.counts[span],
            self.topics[span],
            self.certainty[span],
        )

    def document_counts(self, w: int) -> tuple[np.ndarray, np.ndarray]:
        """(documents int32 ascending, tokens int64): the documents that have a word, each once, and
        how often."""
        documents, counts, *_ = self.of_word(w)
        if self.section_bow.first_row is None or not len(documents):
            return documents, counts.astype(np.int64)
        having, first = np.unique(documents, return_index=True)
        return having, np.add.reduceat(counts, first, dtype=np.int64)

    def documents_with(self, w: int) -> np.ndarray:
        """int32, ascending: the documents that have a word, each once."""
        documents = self.of_word(w)[0]
        return documents if self.section_bow.first_row is None else np.unique(documents)

    def held_by_word(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(int64[V + 1], topics uint16 ascending, tokens int64, documents int32): what each word's
        topics hold of it."""
        return self.held_ptr, self.held_topics, self.held_tokens, self.held_documents

    def tokens_by_topic(self, words: Sequence[int], mask: np.ndarray | None = None) -> np.ndarray:
        """int64[n, K]: tokens of some words in each topic, in all documents or in those of a mask,
        bool[D]."""
        table = np.zeros((len(words), self.K), np.int64)
        for row, w in zip(table, words, strict=True):
            if mask is None:
                start = self.held_ptr[w]
                end = self.held_ptr[w + 1]
                row[self.held_topics[start:end]] = self.held_tokens[start:end]
            else:
                documents, counts, topics, _ = self.of_word(w)
                row[:] = np.bincount(topics, counts * mask[documents], self.K)
        return table
