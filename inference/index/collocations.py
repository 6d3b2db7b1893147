"""What stands near a word's tokens in a stream: tokens and documents of every form within a window of words, of which
the association of words is made (inference.explore.association)."""

from typing import NamedTuple

import numpy as np

from inference.explore.documents import frozen
from inference.index.search import Index
from inference.index.segments import NUMBER
from inference.jit import njit


class Listed(NamedTuple):
    """Of some forms, int32[n], ascending: tokens near a word, documents that have these, and how many pieces of the
    word's own tokens are the form, int64[n]. window: all tokens near the word. found: its tokens. pieces: all of its
    own pieces."""

    forms: np.ndarray
    tokens: np.ndarray
    documents: np.ndarray
    own: np.ndarray
    window: int
    found: int
    pieces: int


class Near:
    """Counts what is near the tokens of a word, which come in parts: 16 bytes for each form of a lexicon.

    A window has `left` pieces before a token and `right` behind it, and ends where the document does. A piece in several
    windows of a document counts once, and the word's own pieces do not count.
    """

    def __init__(self, index: Index, pieces: int, left: int, right: int):
        """pieces: how many of the stream a token of the word has: of a phrase as many as it has words."""
        self.index, self.window, self.found = index, (pieces, left, right), 0
        self.tokens, self.documents, self.own, self._last = np.zeros((4, len(index.stream.lexicon)), np.int32)
        self._last.fill(-1)

    def add(self, documents: np.ndarray, places: np.ndarray) -> None:
        """Tokens of the word: int32[n] the document of each, ascending, and int32[n] the character of its text at which
        it begins, ascending in a document. All tokens of a document come in one call."""
        words, starts = (frozen(array, np.int32) for array in (self.index.stream.words, self.index.stream.starts))
        cuts = np.searchsorted(documents, self.index.bounds)
        for s, field in enumerate(self.index.fields["text"]):
            some = slice(cuts[s], cuts[s + 1])
            self.found += _near(
                words, starts, frozen(field.first, np.int64), int(self.index.bounds[s]),
                frozen(documents[some], np.int32), frozen(places[some], np.int32), *self.window,
                self.tokens, self.documents, self.own, self._last,
            )  # fmt: skip

    def listed(self, least: int) -> Listed:
        """The forms that at least so many documents have near the word."""
        forms = np.flatnonzero(self.documents >= least).astype(np.int32)
        tokens, documents, own = (array[forms].astype(np.int64) for array in (self.tokens, self.documents, self.own))
        window, pieces = (int(array.sum(dtype=np.int64)) for array in (self.tokens, self.own))
        return Listed(forms, tokens, documents, own, window, self.found, pieces)


@njit(cache=True, nogil=True)
def _near(words, starts, first, document, documents, places, pieces, left, right, tokens, having, own, last):
    """Adds to tokens, having and own; how many of the places are beginnings of pieces. document: the number of the first
    of the segment. last: the document in which each form was counted last."""
    found, j = 0, 0
    at = np.empty(len(documents) + 1, np.int64)
    while j < len(documents):
        d, n = documents[j], 0
        i, high = first[d - document], first[d - document + 1]
        done = i
        while j < len(documents) and documents[j] == d:
            i += np.searchsorted(starts[i:high], places[j])
            if i < high and starts[i] == places[j]:
                at[n] = i
                n += 1
            j += 1
        found += n
        at[n] = high
        for t in range(n):
            end = min(at[t] + pieces, high)
            begin, done = max(at[t] - left, done), min(end + right, at[t + 1])  # the next token's window goes on there
            for i in range(begin, done):
                w = words[i] & NUMBER
                if at[t] <= i < end:
                    own[w] += 1
                    continue
                tokens[w] += 1
                if last[w] != d:
                    last[w] = d
                    having[w] += 1
    return found
