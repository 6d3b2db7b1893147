"""What stands near a word's tokens in a stream: sums of every form within a window of words, of
which the association of words is made (inference.explore.association), and of two sets of windows
their keyness (inference.explore.keyness)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.index.patterns import FARTHEST_WORDS
from inference.index.search import Index
from inference.index.segments import NUMBER, in_sentence
from inference.index.two_sets import FormSums, Totals
from inference.index.word_units import (
    Counted,
    FormPostings,
    Sides,
    amounts,
    count_postings,
    sides_of,
    with_own_codes,
)
from inference.runtime.arrays import frozen
from inference.runtime.jit import njit
from inference.runtime.threads import in_two
from inference.text import starts

# Pairs of a form and a document that are recorded on a side: 240 MB, and ten times as much while
# they are sorted
MOST_RECORDED = 20_000_000
# Forms of a lexicon up to which two threads have sums of their own: 48 MB each
SMALL_LEXICON_FORMS = 2_000_000


class Listed(NamedTuple):
    """What is near a word, of some forms. sums, totals: int64[n] and int64: of a document only the
    words near count. own: int64[n], how many pieces of the word's own tokens are the form. found:
    tokens of the word. pieces: all of its own pieces."""

    sums: FormSums
    totals: Totals
    own: np.ndarray
    found: int
    pieces: int


class Windows:
    """Windows around the tokens of a word, which come in parts; counted by two threads with sums of
    their own.

    A window has `left` pieces before a token and `right` behind it, and ends where the document
    does; or it is all of the sentence on these sides, FARTHEST_WORDS words at most.
    """

    def __init__(
        self,
        kernel: Callable[..., tuple[int, np.ndarray]],
        sums: Callable[[], tuple[np.ndarray, ...]],
        index: Index,
        pieces: int,
        left: int,
        right: int,
        sentence: bool,
    ):
        """kernel: counts windows, and adds to the sums of one thread, which `sums` makes. pieces:
        how many of the stream a token of the word has: of a phrase as many as it has words."""
        self._kernel = kernel
        self.index = index
        self.found = 0
        self._recorded: list[np.ndarray] = []
        self._sums = [
            sums() for _ in range(2 if len(index.stream.lexicon) <= SMALL_LEXICON_FORMS else 1)
        ]
        sides = (
            (FARTHEST_WORDS * (left > 0), FARTHEST_WORDS * (right > 0))
            if sentence
            else (left, right)
        )
        self.window = (pieces, *sides, sentence)

    def add(self, documents: np.ndarray, places: np.ndarray) -> None:
        """Tokens of the word: int32[n] the document of each, ascending, and int32[n] the character
        of its text at which it begins, ascending in a document. All tokens of a document come in
        one call. Raises Invalid where more than MOST_RECORDED were recorded."""
        middle = documents[len(documents) // 2 :][: len(self._sums) - 1]
        cut = np.searchsorted(documents, middle)
        self.found += sum(
            in_two(self._add, self._sums, np.split(documents, cut), np.split(places, cut))
        )
        if sum(map(len, self._recorded)) > MOST_RECORDED:
            raise Invalid(
                "from_a",
                f"More than {MOST_RECORDED:,} words of documents are near this word on one side."
                " Choose fewer documents, or fewer words on either side of it.",
            )

    def _add(self, sums: tuple[np.ndarray, ...], documents: np.ndarray, places: np.ndarray) -> int:
        """To the sums of one thread. Returns how many tokens there are."""
        words = frozen(self.index.stream.words, np.int32)
        added = 0
        cuts = np.searchsorted(documents, self.index.bounds)
        for s, field in enumerate(self.index.fields["text"]):
            piece_range = slice(cuts[s], cuts[s + 1])
            tokens, recorded = self._kernel(
                words,
                self.index.stream.starts.frozen,
                frozen(field.first, np.int64),
                int(self.index.bounds[s]),
                frozen(documents[piece_range], np.int32),
                frozen(places[piece_range], np.int32),
                *self.window,
                *sums,
            )
            added += tokens
            self._recorded.append(recorded)
        return added


class Near(Windows):
    """Counts what is near the tokens: 24 bytes for each form of a lexicon, twice for a small one. A
    piece in several windows of a document counts once, and the word's own pieces do not count.
    record: whether what each document has is kept, for `near_by_units`."""

    def __init__(
        self,
        index: Index,
        pieces: int,
        left: int,
        right: int,
        sentence: bool = False,
        record: bool = False,
    ):
        forms = len(index.stream.lexicon)

        def sums() -> tuple[np.ndarray, ...]:
            return (
                np.zeros((forms, 2), np.int64),
                np.zeros(2, np.int64),
                *np.zeros((2, forms), np.int32),
                np.array([record]),
            )

        super().__init__(_near, sums, index, pieces, left, right, sentence)

    def listed(self, least: int) -> Listed:
        """The forms that at least so many documents have near the word."""
        sums, totals, owns, *_ = zip(*self._sums, strict=True)
        forms = np.flatnonzero(
            np.sum([of_thread[:, 1] for of_thread in sums], axis=0) >= least
        ).astype(np.int32)
        table = np.sum([of_thread[forms] for of_thread in sums], axis=0)
        own_sums = np.stack(owns).sum(axis=0, dtype=np.int64)
        return Listed(
            FormSums(forms, *table.T),
            Totals(*np.sum(totals, axis=0)),
            own_sums[forms],
            self.found,
            int(own_sums.sum()),
        )

    @property
    def recorded(self) -> np.ndarray:
        """int32[n, 3]: a form, a document, and how often the form is near the word there."""
        return np.concatenate(self._recorded) if self._recorded else np.zeros((0, 3), np.int32)


def near_by_units(
    recorded: list[np.ndarray], unit: np.ndarray | None, least: int
) -> tuple[Sides, Counted]:
    """Sums over units of what is near a word on two sides, of the forms that at least so many
    documents of both have near it. recorded: of either side, as Near has it; a document may be on
    both. unit: int[D], whose each document is, below 0 for one that stands for itself; None: all
    do."""
    sides, forms, postings = _postings_near(recorded, unit)
    return sides, count_postings(forms, postings, sides, least)


def near_amounts(
    recorded: list[np.ndarray], unit: np.ndarray | None, some_forms: np.ndarray
) -> np.ndarray:
    """float64[U, n]: what each unit of `near_by_units` has of some forms, on either side together.
    recorded, unit: as there. some_forms: int[n], of those that it counts."""
    sides, forms, postings = _postings_near(recorded, unit)
    return amounts(postings.some(np.searchsorted(forms, some_forms)), sides)


def _postings_near(
    recorded: list[np.ndarray], unit: np.ndarray | None
) -> tuple[Sides, np.ndarray, FormPostings]:
    """The sides, the forms near the word, and what documents have of each: a document that is on
    both sides is two, of one unit."""
    side = np.repeat([0, 1], [len(rows) for rows in recorded])
    form, document, count = np.concatenate(recorded).astype(np.int64).T
    order = np.lexsort((side, document, form))  # threads record in any order
    documents, number = np.unique(document, return_inverse=True)
    half = 2 * number + side
    lengths = np.bincount(half, weights=count, minlength=2 * len(documents))
    codes = np.arange(len(documents)) if unit is None else with_own_codes(unit[documents])
    sides = sides_of(np.arange(len(lengths)) % 2, lengths, np.repeat(codes, 2))
    forms, first = np.unique(form[order], return_index=True)
    indptr = np.append(first, len(form)).astype(np.int64)
    postings = FormPostings(indptr, half[order].astype(np.int32), count[order].astype(np.int32))
    return sides, forms, postings


class FormPairs(Windows):
    """Counts which of n forms, at most 127, are in the same windows. Each token has a window of its
    own, which has all but its own pieces: where two windows overlap, both have what is there. So
    does a pattern of three words (inference.index.patterns).

    windows: int64[n, n], windows that have both forms; on the diagonal, that have one. documents:
    int64[n, n], documents with such a window.
    """

    def __init__(
        self, index: Index, pieces: int, left: int, right: int, sentence: bool, forms: np.ndarray
    ):
        column_of_form = np.full(len(index.stream.lexicon), -1, np.int8)
        column_of_form[forms] = np.arange(len(forms))

        def sums() -> tuple[np.ndarray, ...]:
            return column_of_form, *np.zeros((2, len(forms), len(forms)), np.int64)

        super().__init__(_pairs, sums, index, pieces, left, right, sentence)

    @property
    def windows(self) -> np.ndarray:
        """int64[n, n]: see the class."""
        return np.sum([windows for _, windows, _ in self._sums], axis=0)

    @property
    def documents(self) -> np.ndarray:
        """int64[n, n]: see the class."""
        return np.sum([documents for *_, documents in self._sums], axis=0)


@njit(cache=True, nogil=True)
def _tokens(steps, low, high, documents, match_starts, j, at):
    """The tokens of a document, whose pieces are low … high - 1, from the j-th place on. at[:n]:
    pieces at which they begin, and `high` behind them. Returns n, and the first place of the next
    document."""
    characters = np.empty(high - low, np.int32)
    n = 0
    i = 0
    d = documents[j]
    starts.begin(steps, low, high, characters)
    while j < len(documents) and documents[j] == d:
        i += np.searchsorted(characters[i:], match_starts[j])
        if i < len(characters) and characters[i] == match_starts[j]:
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
    match_starts,
    match_length,
    left,
    right,
    sentence,
    sums,
    totals,
    in_matches,
    in_document,
    record,
):
    """Adds to sums, totals and in_matches, int64[forms], what of each form is part of a match
    itself. match_starts: int32, the characters at which matches begin; match_length: their words.
    Returns how many of match_starts are beginnings of words, and int32[n, 3]: forms, documents and
    counts, where they are recorded.

    document: the number of the first of the segment. in_document: int32[forms], all 0: of each form
    in the windows of one document. record: bool[1], whether they are recorded."""
    near_tokens = 0
    j = 0
    recorded = np.empty((0, 3), np.int32)
    rows = 0
    at = np.empty(len(documents) + 1, np.int64)
    met = np.empty(len(in_document), np.int32)
    while j < len(documents):
        d = documents[j]
        low = first[d - document]
        high = first[d - document + 1]
        n, j = _tokens(steps, low, high, documents, match_starts, j, at)
        near_tokens += n
        done = low
        forms = 0
        for t in range(n):
            end = min(at[t] + match_length, high)
            # The next token's window goes on there
            begin = max(at[t] - left, done)
            stop = min(end + right, at[t + 1])
            if sentence:
                begin, stop = in_sentence(words, at[t], end, begin, stop)
            done = min(stop, at[t + 1])
            for i in range(begin, done):
                w = words[i] & NUMBER
                if at[t] <= i < end:
                    in_matches[w] += 1
                    continue
                if not in_document[w]:
                    met[forms] = w
                    forms += 1
                in_document[w] += 1
        near = in_document[met[:forms]].sum()
        if record[0] and rows + forms > len(recorded):
            longer = np.empty((2 * (rows + forms), 3), np.int32)
            longer[:rows] = recorded[:rows]
            recorded = longer
        for w in met[:forms]:
            row = sums[w]
            count = np.int64(in_document[w])
            row[0] += count
            row[1] += 1
            in_document[w] = 0
            if record[0]:
                recorded[rows, 0] = w
                recorded[rows, 1] = d
                recorded[rows, 2] = count
                rows += 1
        totals[0] += near > 0
        totals[1] += near
    return near_tokens, recorded[:rows]


@njit(cache=True, nogil=True)
def _pairs(
    words,
    steps,
    first,
    document,
    documents,
    match_starts,
    match_length,
    left,
    right,
    sentence,
    column_of_form,
    windows,
    having,
):
    """Adds to windows and having; how many of match_starts are beginnings of words. column_of_form:
    int8[forms], of each form in windows, -1 where it is none of these."""
    pair_count = 0
    j = 0
    at = np.empty(len(documents) + 1, np.int64)
    met = np.empty(len(windows), np.bool_)
    last = np.full(windows.shape, -1)  # document of each pair
    while j < len(documents):
        d = documents[j]
        low = first[d - document]
        high = first[d - document + 1]
        n, j = _tokens(steps, low, high, documents, match_starts, j, at)
        pair_count += n
        for t in range(n):
            end = min(at[t] + match_length, high)
            begin = max(at[t] - left, low)
            stop = min(end + right, high)
            if sentence:
                begin, stop = in_sentence(words, at[t], end, begin, stop)
            met[:] = False
            for i in range(begin, stop):
                k = column_of_form[words[i] & NUMBER]
                if k >= 0 and not at[t] <= i < end:
                    met[k] = True
            pairs_met = np.flatnonzero(met)
            for row in pairs_met:
                for column in pairs_met:
                    windows[row, column] += 1
                    having[row, column] += last[row, column] != d
                    last[row, column] = d
    return pair_count, np.empty((0, 3), np.int32)
