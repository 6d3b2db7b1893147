"""What stands near a word's tokens in a stream: sums of every form within a window of words, of which the association of
words is made (inference.explore.association), and of two sets of windows their keyness (inference.explore.keyness)."""

from typing import NamedTuple

import numpy as np

from inference.explore.documents import frozen
from inference.index.patterns import FARTHEST
from inference.index.search import Index
from inference.index.segments import NUMBER, in_sentence
from inference.index.two_sets import FormSums, Totals
from inference.jit import njit
from inference.text import starts


class Listed(NamedTuple):
    """What is near a word, of some forms. sums, totals: as of one set, int64[n] and int64: of a document only the words near
    count. own: int64[n], how many pieces of the word's own tokens are the form. found: tokens of the word. pieces: all
    of its own pieces."""

    sums: FormSums
    totals: Totals
    own: np.ndarray
    found: int
    pieces: int


def together(sides: list[Listed], least: int) -> tuple[FormSums, Totals]:
    """What is near a word on two sides, of the forms that at least so many documents of both have near it."""
    forms = np.union1d(*(side.sums.forms for side in sides))
    table = np.zeros((6, len(forms), 2), np.int64)
    for s, side in enumerate(sides):
        table[:, np.searchsorted(forms, side.sums.forms), s] = side.sums[1:]
    kept = table[1].sum(axis=1) >= least
    return FormSums(forms[kept], *table[:, kept]), Totals(*np.stack([side.totals for side in sides], axis=1))


class Near:
    """Counts what is near the tokens of a word, which come in parts: 56 bytes for each form of a lexicon.

    A window has `left` pieces before a token and `right` behind it, and ends where the document does; or it is all of the sentence on these
    sides, FARTHEST words at most. A piece in several windows of a document counts once, and the word's own pieces do not count.
    """

    def __init__(self, index: Index, pieces: int, left: int, right: int, sentence: bool = False):
        """pieces: how many of the stream a token of the word has: of a phrase as many as it has words."""
        self.index, self.found = index, 0
        self.window = (pieces, left, right) if not sentence else (pieces, FARTHEST * (left > 0), FARTHEST * (right > 0))
        self.sentence = sentence
        self.sums, self.totals = np.zeros((len(index.stream.lexicon), 6), np.int64), np.zeros(3, np.int64)
        self.own, self._here = np.zeros((2, len(index.stream.lexicon)), np.int32)

    def add(self, documents: np.ndarray, places: np.ndarray) -> None:
        """Tokens of the word: int32[n] the document of each, ascending, and int32[n] the character of its text at which
        it begins, ascending in a document. All tokens of a document come in one call."""
        words = frozen(self.index.stream.words, np.int32)
        cuts = np.searchsorted(documents, self.index.bounds)
        for s, field in enumerate(self.index.fields["text"]):
            some = slice(cuts[s], cuts[s + 1])
            self.found += _near(
                words, self.index.stream.starts.frozen, frozen(field.first, np.int64), int(self.index.bounds[s]),
                frozen(documents[some], np.int32), frozen(places[some], np.int32), *self.window,
                self.sentence, self.sums, self.totals, self.own, self._here,
            )  # fmt: skip

    def listed(self, least: int) -> Listed:
        """The forms that at least so many documents have near the word."""
        forms = np.flatnonzero(self.sums[:, 1] >= least).astype(np.int32)
        own, pieces = self.own[forms].astype(np.int64), int(self.own.sum(dtype=np.int64))
        return Listed(FormSums(forms, *self.sums[forms].T), Totals(*self.totals), own, self.found, pieces)


@njit(cache=True, nogil=True)
def _near(words, steps, first, document, documents, places, pieces, left, right, sentence, sums, totals, own, here):
    """Adds to sums, totals and own; how many of the places are beginnings of pieces. document: the number of the first
    of the segment. here: int32[forms], all 0: of each form in the windows of one document."""
    found, j, characters = 0, 0, np.empty(0, np.int32)
    at, met = np.empty(len(documents) + 1, np.int64), np.empty(len(here), np.int32)
    while j < len(documents):
        d, n = documents[j], 0
        low, high = first[d - document], first[d - document + 1]
        done, forms, i = low, 0, 0
        if high - low > len(characters):
            characters = np.empty(high - low, np.int32)
        starts.begin(steps, low, high, characters)
        while j < len(documents) and documents[j] == d:
            i += np.searchsorted(characters[i : high - low], places[j])
            if low + i < high and characters[i] == places[j]:
                at[n] = low + i
                n += 1
            j += 1
        found += n
        at[n] = high
        for t in range(n):
            end = min(at[t] + pieces, high)
            begin, stop = max(at[t] - left, done), min(end + right, at[t + 1])  # the next token's window goes on there
            if sentence:
                begin, stop = in_sentence(words, at[t], end, begin, stop)
            done = min(stop, at[t + 1])
            for i in range(begin, done):
                w = words[i] & NUMBER
                if at[t] <= i < end:
                    own[w] += 1
                    continue
                if not here[w]:
                    met[forms] = w
                    forms += 1
                here[w] += 1
        near = here[met[:forms]].sum()
        for w in met[:forms]:
            row, c = sums[w], np.int64(here[w])
            row[0] += c
            row[1] += 1
            row[2] += c * c
            row[3] += c * near
            if c > row[4]:
                row[4], row[5] = c, near
            here[w] = 0
        totals[0] += near > 0
        totals[1] += near
        totals[2] += near * near
    return found
