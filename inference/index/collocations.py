"""What stands near a word's tokens in a stream: sums of every form within a window of words, of
which the association of words is made (inference.explore.association), and of two sets of windows
their keyness (inference.explore.keyness)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inference.explore.documents import frozen
from inference.index.patterns import FARTHEST
from inference.index.search import Index
from inference.index.segments import NUMBER, in_sentence
from inference.index.two_sets import FormSums, Totals
from inference.runtime.jit import njit
from inference.runtime.threads import in_two
from inference.text import starts

SMALL = 2_000_000  # forms of a lexicon up to which two threads have sums of their own: 112 MB each


class Listed(NamedTuple):
    """What is near a word, of some forms. sums, totals: as of one set, int64[n] and int64: of a
    document only the words near count; of documents with equally many of a form `longest` is the
    greatest. own: int64[n], how many pieces of the word's own tokens are the form. found: tokens of
    the word. pieces: all of its own pieces."""

    sums: FormSums
    totals: Totals
    own: np.ndarray
    found: int
    pieces: int


def together(sides: list[Listed], least: int) -> tuple[FormSums, Totals]:
    """What is near a word on two sides, of the forms that at least so many documents of both have
    near it."""
    forms = np.union1d(*(side.sums.forms for side in sides))
    table = np.zeros((6, len(forms), 2), np.int64)
    for s, side in enumerate(sides):
        table[:, np.searchsorted(forms, side.sums.forms), s] = side.sums[1:]
    kept = table[1].sum(axis=1) >= least
    return FormSums(forms[kept], *table[:, kept]), Totals(
        *np.stack([side.totals for side in sides], axis=1)
    )


class Windows:
    """Windows around the tokens of a word, which come in parts; counted by two threads with sums of
    their own.

    A window has `left` pieces before a token and `right` behind it, and ends where the document
    does; or it is all of the sentence on these sides, FARTHEST words at most.
    """

    def __init__(
        self,
        kernel: Callable[..., int],
        sums: Callable[[], tuple[np.ndarray, ...]],
        index: Index,
        pieces: int,
        left: int,
        right: int,
        sentence: bool,
    ):
        """kernel: counts windows, and adds to the sums of one thread, which `sums` makes. pieces:
        how many of the stream a token of the word has: of a phrase as many as it has words."""
        self._kernel, self.index, self.found = kernel, index, 0
        self._sums = [sums() for _ in range(2 if len(index.stream.lexicon) <= SMALL else 1)]
        sides = (FARTHEST * (left > 0), FARTHEST * (right > 0)) if sentence else (left, right)
        self.window = (pieces, *sides, sentence)

    def add(self, documents: np.ndarray, places: np.ndarray) -> None:
        """Tokens of the word: int32[n] the document of each, ascending, and int32[n] the character
        of its text at which it begins, ascending in a document. All tokens of a document come in
        one call."""
        middle = documents[len(documents) // 2 :][: len(self._sums) - 1]
        cut = np.searchsorted(documents, middle)
        self.found += sum(
            in_two(self._add, self._sums, np.split(documents, cut), np.split(places, cut))
        )

    def _add(self, sums: tuple[np.ndarray, ...], documents: np.ndarray, places: np.ndarray) -> int:
        """To the sums of one thread. Returns how many tokens there are."""
        words, found = frozen(self.index.stream.words, np.int32), 0
        cuts = np.searchsorted(documents, self.index.bounds)
        for s, field in enumerate(self.index.fields["text"]):
            some = slice(cuts[s], cuts[s + 1])
            found += self._kernel(
                words,
                self.index.stream.starts.frozen,
                frozen(field.first, np.int64),
                int(self.index.bounds[s]),
                frozen(documents[some], np.int32),
                frozen(places[some], np.int32),
                *self.window,
                *sums,
            )
        return found


class Near(Windows):
    """Counts what is near the tokens: 56 bytes for each form of a lexicon, twice for a small one. A
    piece in several windows of a document counts once, and the word's own pieces do not count."""

    def __init__(self, index: Index, pieces: int, left: int, right: int, sentence: bool = False):
        forms = len(index.stream.lexicon)

        def sums() -> tuple[np.ndarray, ...]:
            return (
                np.zeros((forms, 6), np.int64),
                np.zeros(3, np.int64),
                *np.zeros((2, forms), np.int32),
            )

        super().__init__(_near, sums, index, pieces, left, right, sentence)

    def listed(self, least: int) -> Listed:
        """The forms that at least so many documents have near the word."""
        sums, totals, owns, _ = zip(*self._sums, strict=True)
        forms = np.flatnonzero(np.sum([each[:, 1] for each in sums], axis=0) >= least).astype(
            np.int32
        )
        parts, own = (
            np.stack([each[forms] for each in sums]),
            np.stack(owns).sum(axis=0, dtype=np.int64),
        )
        table, last = parts.sum(axis=0), ((parts[:, :, 4] << 31) + parts[:, :, 5]).argmax(axis=0)
        table[:, 4:] = parts[last, np.arange(len(forms)), 4:]
        return Listed(
            FormSums(forms, *table.T),
            Totals(*np.sum(totals, axis=0)),
            own[forms],
            self.found,
            int(own.sum()),
        )


class Pairs(Windows):
    """Counts which of n forms, at most 127, are in the same windows. Each token has a window of its
    own, which has all but its own pieces: where two windows overlap, both have what is there. So
    does a pattern of three words (inference.index.patterns).

    windows: int64[n, n], windows that have both forms; on the diagonal, that have one. documents:
    int64[n, n], documents with such a window.
    """

    def __init__(
        self, index: Index, pieces: int, left: int, right: int, sentence: bool, forms: np.ndarray
    ):
        place = np.full(len(index.stream.lexicon), -1, np.int8)
        place[forms] = np.arange(len(forms))

        def sums() -> tuple[np.ndarray, ...]:
            return place, *np.zeros((2, len(forms), len(forms)), np.int64)

        super().__init__(_pairs, sums, index, pieces, left, right, sentence)

    @property
    def windows(self) -> np.ndarray:
        return np.sum([windows for _, windows, _ in self._sums], axis=0)

    @property
    def documents(self) -> np.ndarray:
        return np.sum([documents for *_, documents in self._sums], axis=0)


@njit(cache=True, nogil=True)
def _tokens(steps, low, high, documents, places, j, at):
    """The tokens of a document, whose pieces are low … high - 1, from the j-th place on. at[:n]:
    pieces at which they begin, and `high` behind them. Returns n, and the first place of the next
    document."""
    characters, n, i, d = np.empty(high - low, np.int32), 0, 0, documents[j]
    starts.begin(steps, low, high, characters)
    while j < len(documents) and documents[j] == d:
        i += np.searchsorted(characters[i:], places[j])
        if i < len(characters) and characters[i] == places[j]:
            at[n] = low + i
            n += 1
        j += 1
    at[n] = high
    return n, j


@njit(cache=True, nogil=True)
def _near(
    words,
    steps,
    first,
    document,
    documents,
    places,
    pieces,
    left,
    right,
    sentence,
    sums,
    totals,
    own,
    here,
):
    """Adds to sums, totals and own; how many of the places are beginnings of pieces. document: the
    number of the first of the segment. here: int32[forms], all 0: of each form in the windows of
    one document."""
    found, j = 0, 0
    at, met = np.empty(len(documents) + 1, np.int64), np.empty(len(here), np.int32)
    while j < len(documents):
        low, high = first[documents[j] - document], first[documents[j] - document + 1]
        n, j = _tokens(steps, low, high, documents, places, j, at)
        found += n
        done, forms = low, 0
        for t in range(n):
            end = min(at[t] + pieces, high)
            begin, stop = (
                max(at[t] - left, done),
                min(end + right, at[t + 1]),
            )  # the next token's window goes on there
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
            if c > row[4] or c == row[4] and near > row[5]:
                row[4], row[5] = c, near
            here[w] = 0
        totals[0] += near > 0
        totals[1] += near
        totals[2] += near * near
    return found


@njit(cache=True, nogil=True)
def _pairs(
    words,
    steps,
    first,
    document,
    documents,
    places,
    pieces,
    left,
    right,
    sentence,
    place,
    windows,
    having,
):
    """Adds to windows and having; how many of the places are beginnings of pieces. place:
    int8[forms], of each form in windows, -1 where it is none of these."""
    found, j = 0, 0
    at, met = np.empty(len(documents) + 1, np.int64), np.empty(len(windows), np.bool_)
    last = np.full(windows.shape, -1)  # document of each pair
    while j < len(documents):
        d = documents[j]
        low, high = first[d - document], first[d - document + 1]
        n, j = _tokens(steps, low, high, documents, places, j, at)
        found += n
        for t in range(n):
            end = min(at[t] + pieces, high)
            begin, stop = max(at[t] - left, low), min(end + right, high)
            if sentence:
                begin, stop = in_sentence(words, at[t], end, begin, stop)
            met[:] = False
            for i in range(begin, stop):
                k = place[words[i] & NUMBER]
                if k >= 0 and not at[t] <= i < end:
                    met[k] = True
            both = np.flatnonzero(met)
            for a in both:
                for b in both:
                    windows[a, b] += 1
                    having[a, b] += last[a, b] != d
                    last[a, b] = d
    return found
