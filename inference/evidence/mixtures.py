"""Which topics each document has, and how many of its tokens they hold."""

from dataclasses import dataclass

import numpy as np

from inference.bow import Bow
from inference.documents import looked_at
from inference.kernels import assign
from inference.runtime.arrays import frozen


@dataclass(frozen=True, eq=False)
class DocumentMixtures:
    """K: number of topics. doc_ptr: int64[D + 1], doc_topics: uint16, ascending in a document, and
    doc_tokens: int32: the tokens of each topic in each document. document_bow: the bag of words,
    with a row for each document."""

    K: int
    doc_ptr: np.ndarray
    doc_topics: np.ndarray
    doc_tokens: np.ndarray
    document_bow: Bow

    @property
    def columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(doc_ptr, doc_topics, doc_tokens), in the order in which kernels take them."""
        return self.doc_ptr, self.doc_topics, self.doc_tokens

    @property
    def lengths(self) -> np.ndarray:
        """int64[D]: tokens of each document, the words outside the vocabulary left out."""
        return self.document_bow.lengths

    def length(self, d: int) -> int:
        """Tokens of one document; those of all others are not looked at."""
        first_token = self.document_bow.first_token
        return int(first_token[d + 1] - first_token[d])

    def of_document(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """(topics uint16 ascending, tokens int32) of a document."""
        span = slice(self.doc_ptr[d], self.doc_ptr[d + 1])
        return self.doc_topics[span], self.doc_tokens[span]

    def tokens(self, d: int, k: int) -> int:
        """Tokens of topic k in a document."""
        topics, tokens = self.of_document(d)
        j = int(np.searchsorted(topics, k))
        return int(tokens[j]) if j < len(topics) and topics[j] == k else 0

    def holding(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """(documents int64 ascending, tokens int32) of those that have tokens of topic k: a pass
        over all mixtures."""
        entries = np.flatnonzero(self.doc_topics == k)
        documents = np.searchsorted(self.doc_ptr, entries, side="right") - 1
        return documents, self.doc_tokens[entries]

    def tokens_held(self, topics: list[int], documents: np.ndarray | None = None) -> np.ndarray:
        """int32[n]: tokens of each document that these topics hold together. documents: int32[n],
        those that are looked at; None for all."""
        return assign.tokens_held(*looked_at(documents), self.wanted(topics), *self.columns)

    def wanted(self, topics: list[int]) -> np.ndarray:
        """bool[K]: which topics these are."""
        return np.isin(np.arange(self.K), topics)

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
        -1 for none. column_of_topic: int32[K], the topic that each is counted as; a document with
        two topics that are counted as one is counted once.
        """
        column_of_topic = (
            np.arange(self.K, dtype=np.int32) if column_of_topic is None else column_of_topic
        )
        of_documents = frozen(group, np.int32)
        return assign.sums(*looked_at(documents), of_documents, G, column_of_topic, *self.columns)

    def folded(self, column_of_topic: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(doc_ptr, doc_topics, doc_tokens) with topics read as parts of others; these very arrays
        where none is. column_of_topic: int32[K]."""
        if np.array_equal(column_of_topic, np.arange(self.K)):
            return self.columns
        return assign.mixtures(
            self.doc_ptr,
            self.doc_tokens,
            column_of_topic.astype(np.uint16)[self.doc_topics],
            self.K,
        )
