"""What is compared: amounts of each topic (or word) in each document, summed over groups of
documents."""

from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_matrix

from inference import documents
from inference.runtime.arrays import frozen
from inference.runtime.jit import njit


class Outcome(Protocol):
    """columns: T, of topics or words. documents: D."""

    @property
    def columns(self) -> int:
        """T: how many amounts each document has."""
        ...

    @property
    def sizes(self) -> np.ndarray:
        """float64[D]: words of each document, or 1 where documents are counted; 0 of one that has
        nothing to say."""
        ...

    def summed(self, group: np.ndarray, groups: int) -> np.ndarray:
        """float64[groups, T]: amounts of the documents of each group. group: int[D], -1 for a
        document that is in none."""
        ...

    def only(self, column: int) -> "Outcome":
        """One column of it."""
        ...


class AmountTable(NamedTuple):
    """amounts: float64 csr[D, T], such as 1 where a document has a word; sizes: float64[D]."""

    amounts: csr_matrix
    sizes: np.ndarray

    @property
    def columns(self) -> int:
        """T, the amounts that each document has."""
        return self.amounts.shape[1]

    def summed(self, group: np.ndarray, groups: int) -> np.ndarray:
        """float64[groups, T]. group: int[D]; see Outcome."""
        in_group = np.flatnonzero(group >= 0)
        member = csr_matrix(
            (np.ones(len(in_group)), (group[in_group], in_group)), shape=(groups, len(self.sizes))
        )
        return (member @ self.amounts).toarray()

    def only(self, column: int) -> "AmountTable":
        """See Outcome."""
        return AmountTable(self.amounts[:, [column]].tocsr(), self.sizes)


class CountedTopics(NamedTuple):
    """Words of topics, as a run's evidence has them. doc_ptr: int64[D + 1]; doc_topics: uint16[m]
    and doc_tokens: int32[m], the topics of each document and their words; lengths: int64[D].
    column_of_topic: int32[K], where each topic is counted, -1 for none; columns: T."""

    doc_ptr: np.ndarray
    doc_topics: np.ndarray
    doc_tokens: np.ndarray
    lengths: np.ndarray
    column_of_topic: np.ndarray
    columns: int

    @property
    def sizes(self) -> np.ndarray:
        """float64[D]: words."""
        return np.asarray(self.lengths, float)

    def summed(self, group: np.ndarray, groups: int) -> np.ndarray:
        """float64[groups, T]. group: int[D]; see Outcome. One pass over the documents' topics."""
        arrays = documents.arrays(self.doc_ptr, self.doc_topics, self.doc_tokens, self.lengths)
        group = frozen(np.asarray(group), np.int32)
        column_of_topic = frozen(np.asarray(self.column_of_topic), np.int32)
        return _summed(group, groups, *arrays[:3], column_of_topic, self.columns)

    def only(self, column: int) -> "CountedTopics":
        """See Outcome."""
        is_counted = np.asarray(self.column_of_topic) == column
        only_column = np.where(is_counted, 0, -1).astype(np.int32)
        return self._replace(column_of_topic=only_column, columns=1)


@njit(cache=True, nogil=True)
def _summed(group, groups, doc_ptr, doc_topics, doc_tokens, column_of_topic, columns):
    """float64[groups, columns]: tokens of each group, by column. group: int32[D], -1 for none.
    doc_ptr: int64[D + 1], doc_topics: uint16, doc_tokens: int32, the topics of documents.
    column_of_topic: int32[K], -1 for none."""
    amounts = np.zeros((groups, columns))
    for document in range(len(group)):
        row = group[document]
        if row < 0:
            continue
        for entry in range(doc_ptr[document], doc_ptr[document + 1]):
            column = column_of_topic[doc_topics[entry]]
            if column >= 0:
                amounts[row, column] += doc_tokens[entry]
    return amounts
