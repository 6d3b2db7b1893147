"""A topic in pieces of its documents, some hundred words each: how much of it is near a word or
phrase.

Whole documents do not tell: a page of 10,000 words has nearly every word of its topic somewhere,
and one such page may hold a third of the topic.
"""

from collections.abc import Sequence

import numpy as np

from inference.documents import even_step
from inference.evidence import Evidence
from inference.explore.neighbours import GAP_CHARACTERS
from inference.runtime.arrays import ABOVE_ZERO, frozen
from inference.runtime.jit import njit

MOST_DOCUMENTS = 4_000  # of a topic that are looked at, evenly over its own
MOST_TOKENS = 1_000_000  # of all topics in these: of long documents fewer are looked at
LEAST_DOCUMENTS = 64  # however long they are
MOST_OF_DOCUMENT = 0.05  # of the topic, that one document counts for
# Of the tokens of the topic in the piece where a token of it usually is: pieces with fewer are about
# something else, and what name they have near says nothing
ABOUT_TOPIC = 0.25
LEAST_PART = 0.25  # of the documents that a topic is in: what fewer repeat is their detail
FEWEST = (3, 10)  # documents: in a topic of hundreds, ten are enough
ROUNDING = 1e-6  # twenty equal documents are twenty
_SHIFT = 32  # bits of a character's number, in what orders tokens by document and character


class PieceTable:
    """weight: float64[n], the part of the topic that is in each piece; a document counts for
    MOST_OF_DOCUMENT of the topic at most. document: int32[n], the piece's, of those looked at.
    least_documents: of the topic, that a word or phrase must be in to stand for it."""

    def __init__(
        self, evidence: Evidence, k: int, characters: int, words: Sequence[int], lengths: np.ndarray
    ):
        """Of topic k. characters: of a piece; 0 where documents are whole. words: numbers of those
        that will be asked for; lengths: int32[V], letters of each."""
        bow = evidence.document_bow
        self._column = {word: column for column, word in enumerate(words)}
        column_of_word = np.full(bow.V, -1, np.int32)
        column_of_word[list(words)] = np.arange(len(words))
        offsets = bow.offsets if characters and bow.offsets is not None else np.zeros(0, np.int32)
        tokens, self.document, piece_of_token, column, start = _gathered(
            _looked_at(evidence, k),
            frozen(bow.indptr, np.int64),
            frozen(bow.words, np.int32),
            frozen(bow.counts, np.int32),
            frozen(bow.first_token, np.int64),
            frozen(offsets, np.int32),
            frozen(evidence.token_topics.topics, np.uint16),
            k,
            column_of_word,
            max(characters, 1),
        )
        self.weight = weigh_pieces(tokens, self.document)
        self.least_documents = least_documents(self.weight, self.document)
        order = np.argsort(start, kind="stable")
        self._piece = piece_of_token[order]
        self._token = column[order]
        start = start[order]
        end = start + np.asarray(lengths)[list(words)].astype(np.int64)[self._token]
        gap = start[1:] - end[:-1]
        # whether the next token follows as the next word of a phrase does
        self._is_followed = (gap >= 0) & (gap <= GAP_CHARACTERS) & (len(offsets) > 0)

    def of_word(self, word: int) -> np.ndarray:
        """bool[n]: the pieces that have a word as the topic's."""
        return self._having(self._piece[self._token == self._column[word]])

    def of_phrase(self, words: Sequence[int]) -> np.ndarray:
        """bool[n]: the pieces where a phrase begins, all of its words the topic's."""
        columns = [self._column[word] for word in words]
        begins = np.ones(max(len(self._token) - len(columns) + 1, 0), bool)
        for position, column in enumerate(columns):
            begins &= self._token[position : position + len(begins)] == column
            if position + 1 < len(columns):
                begins &= self._is_followed[position : position + len(begins)]
        return self._having(self._piece[: len(begins)][begins])

    def covered(self, has: np.ndarray) -> float:
        """The part of the topic that is in some pieces. has: bool[n]."""
        return float(has @ self.weight)

    def documents(self, has: np.ndarray) -> int:
        """How many documents that are about the topic some pieces are of. has: bool[n]."""
        return len(np.unique(self.document[has & (self.weight > 0)]))

    def _having(self, piece_numbers: np.ndarray) -> np.ndarray:
        has = np.zeros(len(self.weight), bool)
        has[piece_numbers] = True
        return has


def _looked_at(evidence: Evidence, k: int) -> np.ndarray:
    """int64[n], ascending: documents of topic k."""
    begin, end = evidence.topic_documents.topic_ptr[k : k + 2].tolist()
    most_first = evidence.topic_documents.by_tokens[begin:end]
    documents = most_first[:: even_step(len(most_first), MOST_DOCUMENTS)]
    tokens = int(evidence.lengths[documents].sum())
    if tokens > MOST_TOKENS and len(documents) > LEAST_DOCUMENTS:
        fewer = max(LEAST_DOCUMENTS, len(documents) * MOST_TOKENS // tokens)
        documents = documents[:: even_step(len(documents), fewer)]
    return np.sort(documents).astype(np.int64)


def weigh_pieces(tokens: np.ndarray, document: np.ndarray) -> np.ndarray:
    """float64[n], with a sum of 1, of pieces with so many of the topic's tokens, int64[n].

    A document counts for MOST_OF_DOCUMENT of the topic at most before anything is asked of its
    pieces, so that one long report does not decide what a piece about the topic is.
    """
    of_document = np.bincount(document, weights=tokens)
    largest = MOST_OF_DOCUMENT * of_document.sum()
    counted_share = np.minimum(1.0, largest / np.maximum(of_document, 1.0))
    counted_tokens = tokens * counted_share[document]
    usual = float((tokens * counted_tokens).sum()) / max(float(counted_tokens.sum()), 1.0)
    weight = np.where(tokens >= ABOUT_TOPIC * usual, counted_tokens, 0.0)
    return weight / max(float(weight.sum()), ABOVE_ZERO)


def least_documents(weight: np.ndarray, document: np.ndarray) -> int:
    """A LEAST_PART of as many documents as the topic is in, each counted by its weight (the inverse
    of Simpson's index), within FEWEST; no more than are about the topic, as in a corpus of two
    books."""
    of_document = np.bincount(document, weights=weight)
    documents = 1.0 / max(float((of_document**2).sum()), ABOVE_ZERO) + ROUNDING
    fewest = int(np.clip(LEAST_PART * documents, *FEWEST))
    return min(fewest, int(np.count_nonzero(of_document)))


@njit(cache=True, nogil=True)
def _gathered(
    documents, indptr, words, counts, first_token, offsets, topics, k, column_of_word, characters
):
    """Of the tokens of topic k in some documents: (tokens of each piece that has any int64[n], its
    document int32[n]; and of each token of a word that is asked for its piece int32[m], the word's
    column int32[m], and where it begins int64[m], which ascends over documents). Without offsets each
    document is a piece."""
    has_texts = len(offsets) > 0
    wanted_tokens = 0
    pieces_of_all = 0
    for d in documents:
        last = np.int64(0)
        token = first_token[d]
        for pair in range(indptr[d], indptr[d + 1]):
            if topics[pair] == k:
                if column_of_word[words[pair]] >= 0:
                    wanted_tokens += counts[pair]
                if has_texts:
                    last = max(last, np.int64(offsets[token + counts[pair] - 1]))
            token += counts[pair]
        pieces_of_all += last // characters + 1
    tokens = np.zeros(pieces_of_all, np.int64)
    document = np.zeros(pieces_of_all, np.int32)
    piece_of_token = np.zeros(wanted_tokens, np.int32)
    column = np.zeros(wanted_tokens, np.int32)
    start = np.zeros(wanted_tokens, np.int64)
    filled = 0
    base = 0
    for i in range(len(documents)):
        d = documents[i]
        last = np.int64(0)
        token = first_token[d]
        for pair in range(indptr[d], indptr[d + 1]):
            if topics[pair] == k:
                of_word = column_of_word[words[pair]]
                for t in range(counts[pair]):
                    offset = np.int64(offsets[token + t]) if has_texts else np.int64(0)
                    nth = offset // characters
                    last = max(last, nth)
                    tokens[base + nth] += 1
                    if of_word >= 0:
                        piece_of_token[filled] = base + nth
                        column[filled] = of_word
                        start[filled] = (np.int64(i) << _SHIFT) + offset
                        filled += 1
            token += counts[pair]
        document[base : base + last + 1] = i
        base += int(last) + 1
    # pieces without any of the topic's tokens are left out
    number_of_piece = np.zeros(base, np.int32)
    n = 0
    for j in range(base):
        number_of_piece[j] = n
        if tokens[j] > 0:
            tokens[n] = tokens[j]
            document[n] = document[j]
            n += 1
    return tokens[:n].copy(), document[:n].copy(), number_of_piece[piece_of_token], column, start
