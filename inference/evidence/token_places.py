"""Where tokens stand in the texts. There are none where the corpus has no texts."""

from dataclasses import dataclass

import numpy as np

from inference.bow import Bow
from inference.kernels import assign
from inference.runtime.arrays import frozen


@dataclass(frozen=True, eq=False)
class TokenPlaces:
    """section_bow: the bag of words as it was trained, with a row for each section."""

    section_bow: Bow

    def offsets(self, d: int, w: int) -> np.ndarray:
        """int32: where a word's tokens begin in the text of a document, ascending; none where the
        corpus has no texts."""
        if self.section_bow.first_row is None:
            return self._offsets_in_row(d, w)
        first, end = self.section_bow.first_row[d : d + 2].tolist()
        return np.concatenate([self._offsets_in_row(row, w) for row in range(first, end)])

    def _offsets_in_row(self, row: int, w: int) -> np.ndarray:
        bow = self.section_bow
        start = bow.indptr[row]
        end = bow.indptr[row + 1]
        j = int(np.searchsorted(bow.words[start:end], w))
        if bow.offsets is None or start + j == end or bow.words[start + j] != w:
            return np.zeros(0, np.int32)
        first = bow.first_token[row] + bow.counts[start : start + j].sum()
        return bow.offsets[first : first + bow.counts[start + j]]

    def of_words(self, d: int, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The tokens of some words in a document: (int32 words, int32 characters of its text at
        which each begins), by word, of each word ascending. None where the corpus has no texts.

        words: int32, ascending, each once. For many words at once: `offsets` looks for each.
        """
        first_row = self.section_bow.first_row
        rows = range(d, d + 1) if first_row is None else range(*first_row[d : d + 2].tolist())
        words_of_rows = []
        starts_of_rows = []
        for row in rows:
            words_of_row, starts = self._words_in_row(row, words)
            words_of_rows.append(words_of_row)
            starts_of_rows.append(starts)
        words_of_tokens = np.concatenate(words_of_rows)
        by_word = np.argsort(words_of_tokens, kind="stable")  # rows follow each other in the text
        return words_of_tokens[by_word], np.concatenate(starts_of_rows)[by_word]

    def _words_in_row(self, row: int, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        bow = self.section_bow
        if bow.offsets is None:
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        span = slice(bow.indptr[row], bow.indptr[row + 1])
        of_tokens = np.repeat(bow.words[span], bow.counts[span])
        is_match = np.isin(of_tokens, words)
        first = bow.first_token[row]
        starts = bow.offsets[first : first + len(of_tokens)]
        return of_tokens[is_match], starts[is_match]

    def of_rows(self, rows: np.ndarray, nth: np.ndarray, w: int) -> np.ndarray:
        """int32[n]: where a word's token begins in the text of the document of each row that has
        it, in characters. rows: int32[n]; nth: int64[n], which of the row's tokens of the word,
        from 0; w: the word. Only of a corpus with texts."""
        bow = self.section_bow
        indptr = frozen(bow.indptr, np.int64)
        first_token = frozen(bow.first_token, np.int64)
        return assign.offsets_of_tokens(
            frozen(rows, np.int32),
            frozen(nth, np.int64),
            w,
            indptr,
            bow.words,
            bow.counts,
            first_token,
            bow.offsets,
        )
