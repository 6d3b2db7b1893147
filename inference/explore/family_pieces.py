"""A sample of the texts in pieces of some hundred words, and where words and phrases are used in
these: what families of topics are named by.

Whole documents do not tell: a report of 10,000 words has most words of its subjects somewhere, and
a family would be called by a word that is on one of its pages.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from inference.documents import even_step
from inference.evidence import Evidence
from inference.explore.following import equal_spans
from inference.explore.neighbours import GAP_CHARACTERS
from inference.runtime.arrays import frozen
from inference.runtime.jit import njit

MOST_DOCUMENTS = 10_000  # that are looked at, evenly over all
MOST_TOKENS = 4_000_000  # in these: of long documents fewer are looked at
LEAST_DOCUMENTS = 256  # however long they are
SPANS = 3  # of time, with as many documents each
_SHIFT = 32  # bits of a character's number, in what orders tokens by document and character


class Uses(NamedTuple):
    """Where a word or phrase is used. piece: int32[m], of each use; topics: uint16[m, words], of
    each of its words there."""

    piece: np.ndarray
    topics: np.ndarray


class Tokens(NamedTuple):
    """The tokens of some documents. piece: int32[T], of each; topic: uint16[T]; word: int32[T];
    start: int64[T], which orders them by document and character. document: int32[pieces], the place
    of each piece's document among those that are looked at."""

    piece: np.ndarray
    topic: np.ndarray
    word: np.ndarray
    start: np.ndarray
    document: np.ndarray


def spans_of_time(days: np.ndarray) -> np.ndarray:
    """int32[D]: which of SPANS each document is of; those without a date are one more, behind the
    others. days: int32[D], 0 for no date."""
    spans = equal_spans(days, SPANS)
    undated = spans.max(initial=-1) + 1
    return np.where(spans < 0, np.int32(undated), spans)


class FamilyPieces:
    """The pieces of the documents that are looked at.

    pieces: how many. piece, topic: int64[n], of every topic that a piece has; tokens: float64[n], of
    this topic there; span: int32[n], the time of the piece, one of `spans`.
    """

    def __init__(
        self, evidence: Evidence, days: np.ndarray, lengths: Mapping[int, int], characters: int
    ):
        """days: int32[D], of each document, 0 for no date. lengths: letters of each word that will
        be asked for, by its number. characters: of a piece; 0 where documents are whole."""
        bow = evidence.document_bow
        documents = _looked_at(evidence)
        offsets = np.zeros(0, np.int32)
        if characters and bow.offsets is not None:
            offsets = bow.offsets
        tokens = Tokens(
            *_cut(
                documents,
                frozen(bow.indptr, np.int64),
                frozen(bow.words, np.int32),
                frozen(bow.counts, np.int32),
                frozen(bow.first_token, np.int64),
                frozen(offsets, np.int32),
                frozen(evidence.token_topics.topics, np.uint16),
                max(characters, 1),
            )
        )
        entries, tokens_of_entry = np.unique(
            tokens.piece.astype(np.int64) * evidence.K + tokens.topic, return_counts=True
        )
        self.pieces = len(tokens.document)
        self.piece = entries // evidence.K
        self.topic = entries % evidence.K
        self.tokens = tokens_of_entry.astype(np.float64)
        spans = spans_of_time(days)
        self.spans = int(spans.max(initial=0)) + 1
        self.span = spans[documents[tokens.document]][self.piece]
        self._index_words(tokens, lengths, bow.V, has_texts=len(offsets) > 0)

    def _index_words(
        self, tokens: Tokens, lengths: Mapping[int, int], V: int, *, has_texts: bool
    ) -> None:
        """Where each word that will be asked for is used, in the order of the texts."""
        order = np.argsort(tokens.start, kind="stable")
        self._word = tokens.word[order]
        self._piece = tokens.piece[order]
        self._topic = tokens.topic[order]
        letters = np.zeros(V, np.int64)
        letters[list(lengths)] = list(lengths.values())
        start = tokens.start[order]
        gap = start[1:] - start[:-1] - letters[self._word[:-1]]
        # Whether the next counted word follows as the next word of a phrase does
        self._is_followed = (gap >= 0) & (gap <= GAP_CHARACTERS) & has_texts
        is_asked_for = np.zeros(V, bool)
        is_asked_for[list(lengths)] = True
        places = np.flatnonzero(is_asked_for[self._word])
        by_word = places[np.argsort(self._word[places], kind="stable")]
        words = sorted(lengths)
        begins = np.searchsorted(self._word[by_word], words)
        ends = np.searchsorted(self._word[by_word], words, side="right")
        self._places = {
            word: by_word[begin:end]
            for word, begin, end in zip(words, begins.tolist(), ends.tolist(), strict=True)
        }

    def uses(self, words: Sequence[int]) -> Uses:
        """Of a word, or of words that follow each other. Each is one of those that could be asked
        for."""
        places = self._places[words[0]]
        for further, word in enumerate(words[1:], 1):
            places = places[places + further < len(self._word)]
            is_next = self._is_followed[places + further - 1] & (
                self._word[places + further] == word
            )
            places = places[is_next]
        topics = np.stack([self._topic[places + i] for i in range(len(words))], axis=1)
        return Uses(self._piece[places], topics)


def _looked_at(evidence: Evidence) -> np.ndarray:
    """int64[n], ascending: documents, evenly over all."""
    D = len(evidence.lengths)
    documents = np.arange(0, D, even_step(D, MOST_DOCUMENTS))
    tokens = int(evidence.lengths[documents].sum())
    if tokens > MOST_TOKENS and len(documents) > LEAST_DOCUMENTS:
        fewer = max(LEAST_DOCUMENTS, len(documents) * MOST_TOKENS // tokens)
        documents = documents[:: even_step(len(documents), fewer)]
    return documents.astype(np.int64)


@njit(cache=True, nogil=True)
def _cut(documents, indptr, words, counts, first_token, offsets, topics, characters):
    """Tokens, of some documents of a bag of words: indptr, words, counts, first_token, offsets;
    topics: of its pairs. Without offsets each document is a piece."""
    has_texts = len(offsets) > 0
    total = 0
    pieces_of_all = 0
    for d in documents:
        last = np.int64(0)
        token = first_token[d]
        for pair in range(indptr[d], indptr[d + 1]):
            if has_texts:
                last = max(last, np.int64(offsets[token + counts[pair] - 1]))
            token += counts[pair]
        total += token - first_token[d]
        pieces_of_all += last // characters + 1
    piece_of_token = np.zeros(total, np.int32)
    topic_of_token = np.zeros(total, np.uint16)
    word_of_token = np.zeros(total, np.int32)
    start = np.zeros(total, np.int64)
    document = np.zeros(pieces_of_all, np.int32)
    filled = 0
    base = 0
    for i in range(len(documents)):
        d = documents[i]
        last_piece = np.int64(0)
        token = first_token[d]
        for pair in range(indptr[d], indptr[d + 1]):
            for t in range(counts[pair]):
                offset = np.int64(offsets[token + t]) if has_texts else np.int64(0)
                piece = offset // characters
                last_piece = max(last_piece, piece)
                piece_of_token[filled] = base + piece
                topic_of_token[filled] = topics[pair]
                word_of_token[filled] = words[pair]
                start[filled] = (np.int64(i) << _SHIFT) + offset
                filled += 1
            token += counts[pair]
        document[base : base + last_piece + 1] = i
        base += int(last_piece) + 1
    return piece_of_token, topic_of_token, word_of_token, start, document
