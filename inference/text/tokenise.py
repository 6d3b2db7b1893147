"""Texts to numbered pieces."""

from typing import NamedTuple

import numpy as np

from inference.runtime.jit import njit
from inference.text import case, characters, spelling
from inference.text.cut_rules import NEWEST, CutRules
from inference.text.lexicon import NEW_LINE, Lexicon, gathered_words
from inference.text.segment import segmenter
from inference.text.table import NUMBER, WordTable

SPACE = ord(" ")
BLOCK = 4_000_000  # code points that are cut at a time


class TokenisedText(NamedTuple):
    """The pieces of some texts behind one another.

    words: int32, the number in the lexicon in the low 27 bits (table.NUMBER), and what is between a
    piece and the one before: AFTER_HYPHEN or AFTER_APOSTROPHE (that alone), AFTER_BREAK
    (punctuation; or AFTER_SENTENCE or AFTER_PARAGRAPH, an empty line), none of them (white space,
    or nothing). starts, stops: int32, its characters in its text. lengths: int32, pieces of each
    text.
    """

    words: np.ndarray
    starts: np.ndarray
    stops: np.ndarray
    lengths: np.ndarray


class Tokeniser:
    """Cuts texts at the finest grain and numbers the words: what counts as a word is chosen later
    (choose.py).

    A piece is a letter or a digit, then letters, marks, digits and joiners; a point, a comma or an
    apostrophe between two digits keeps a number whole. Each ideograph is a piece, and each run of
    katakana, where the language has no segmenter. Words are in lower case and in normal form C;
    what is longer than 64 letters is cut at 65, and never a word. language: ISO 639-1, or "".
    given: words are the strings between white space, as they are. rules: a corpus keeps those that
    it was read with.
    """

    def __init__(self, language: str = "", given: bool = False, rules: CutRules = NEWEST):
        self.language = language
        self.given = given
        self.rules = rules
        self._turkic = language in ("tr", "az") and not given
        self.characters = (
            characters.characters_as_given()
            if given
            else characters.characters(self._turkic, language, rules.cut)
        )
        self._segment = None if given else segmenter(language, rules.segmenter)
        # Their segmenters say where words of ideographs begin
        self._joins_ideographs = language in ("zh", "ja", "ko")
        self._table = WordTable()
        # Of the table's words: the number of the canonical word, -1 where it has none yet
        self._ids = np.zeros(0, np.int32)
        self._sources = np.zeros(0, np.int32)  # of canonical words: the table's
        self.count = 0  # words so far

    @property
    def lexicon(self) -> Lexicon:
        """The words so far, in memory."""
        return self.since(0)

    def since(self, first: int) -> Lexicon:
        """The words from number `first` on, as a lexicon of their own."""
        numbers = self._sources[first : self.count]
        if not len(numbers):
            return Lexicon(np.zeros(0, np.uint8), np.zeros(0, np.uint32))
        table = self._table
        letters = gathered_words(table.letters, table.ends, numbers)
        sizes = table.ends[numbers] - np.where(numbers > 0, table.ends[numbers - 1], np.uint32(0))
        return Lexicon(letters[letters != NEW_LINE], np.cumsum(sizes, dtype=np.uint32))

    def know(self, lexicon: Lexicon) -> None:
        """Begin with the words of a lexicon, under its numbers."""
        if self.count:
            raise ValueError("a tokeniser that has cut a text can't begin with other words")
        for _, words in lexicon.blocks():
            entries = self._entries(words)
            self._room()
            _give_numbers(entries, entries, self._ids, self._sources, self.count)
            self.count += len(words)

    def pieces(self, texts: list[str]) -> TokenisedText:
        """The pieces of texts; new words get the next numbers."""
        ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
        blocks: list[TokenisedText] = []
        first = 0
        while first < len(texts) or not blocks:
            before = int(ends[first - 1]) if first else 0
            end = max(first + 1, int(np.searchsorted(ends, before + BLOCK, side="right")))
            blocks.append(self._pieces(texts[first:end], ends[first:end] - before))
            first = end
        return (
            blocks[0]
            if len(blocks) == 1
            else TokenisedText(*map(np.concatenate, zip(*blocks, strict=True)))
        )

    def spans(self, text: str) -> list[tuple[int, int, str]]:
        """(start, end, word) of every piece, in their order: it is text[start:end], as it was
        written."""
        text_pieces = self.pieces([text])
        numbers, at = np.unique(text_pieces.words & NUMBER, return_inverse=True)
        words = _words(self._table, self._sources[numbers])
        return [
            (a, b, words[i])
            for a, b, i in zip(
                text_pieces.starts.tolist(), text_pieces.stops.tolist(), at.tolist(), strict=True
            )
        ]

    def written(self, text: str) -> list[tuple[str, int]]:
        """The word of every piece, and how it is written (case.key)."""
        text_pieces = self.pieces([text])
        capitals = case.mark(
            [text], text_pieces.words, text_pieces.starts, text_pieces.lengths, self.characters
        )
        cases = map(
            case.key, (text_pieces.words >> case.SHIFT & case.MIXED).tolist(), capitals.tolist()
        )
        return list(
            zip(_words(self._table, self._sources[text_pieces.words & NUMBER]), cases, strict=True)
        )

    def _pieces(self, texts: list[str], ends: np.ndarray) -> TokenisedText:
        codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
        words, starts, stops, lengths = self._table.add(
            codes, ends, self._breaks(texts, ends), self._joins_ideographs, self.characters
        )
        self._canonise()
        _translate(words, self._ids)
        return TokenisedText(words, starts, stops, lengths)

    def _breaks(self, texts: list[str], ends: np.ndarray) -> np.ndarray:
        if self._segment is None:
            return np.zeros(0, bool)
        breaks = np.zeros(int(ends[-1]) + 1 if len(ends) else 1, bool)
        for text, end in zip(texts, ends.tolist(), strict=True):
            breaks[np.array(self._segment(text), np.int64) + (end - len(text))] = True
        return breaks

    def _canonise(self) -> None:
        """Give canonical words to what came new into the table, in the order in which it came."""
        first = len(self._ids)
        end = self._table.count
        canonical = np.arange(first, end)
        strange = np.flatnonzero(self._table.odd[first:end])
        if len(strange):
            raw = _words(self._table, first + strange)
            canonical[strange] = self._entries([self._canonical(word) for word in raw])
        self._room()
        self.count = _give_numbers(
            np.arange(first, end), canonical, self._ids, self._sources, self.count
        )

    def _canonical(self, word: str) -> str:
        word = characters.canonical(word, self._turkic)
        return word if self.rules.cut == 1 else spelling.folded(word, self.language)

    def _entries(self, words: list[str]) -> np.ndarray:
        """int64: the places of words in the table, as they are."""
        joined = np.frombuffer(" ".join([*words, ""]).encode("utf-32-le"), np.uint32)
        ends = np.flatnonzero(joined == SPACE) + 1
        return self._table.add(
            joined, ends, np.zeros(0, bool), False, characters.characters_as_given()
        )[0].astype(np.int64)

    def _room(self) -> None:
        """Make room for as many words as the table has."""
        word_count = len(self._ids)
        count = self._table.count
        self._ids.resize(count, refcheck=False)
        self._ids[word_count:] = -1
        self._sources.resize(count, refcheck=False)


def _words(table: WordTable, numbers: np.ndarray) -> list[str]:
    return Lexicon(table.letters, table.ends[: table.count]).words(numbers)


@njit(cache=True, nogil=True)
def _give_numbers(entries, canonical, ids, sources, count):
    """Number words of the table in their order: those with one canonical word get the same number,
    a new canonical word the next. Returns how many canonical words there are then, int.

    entries: int64[n], the words, and canonical: int64[n], the canonical word of each, both by place
    in the table. ids: int32, the number of each word of the table, -1 for none yet, and sources:
    int32, the canonical word of each number, are filled. count: int, canonical words before.
    """
    for i in range(len(entries)):
        if ids[canonical[i]] < 0:
            ids[canonical[i]] = count
            sources[count] = canonical[i]
            count += 1
        ids[entries[i]] = ids[canonical[i]]
    return count


@njit(cache=True, nogil=True)
def _translate(words, ids):
    """Give words of a stream their numbers in the lexicon, in place. words: int32, numbers with
    flags; ids: int32, of each number the new one."""
    for i in range(len(words)):
        words[i] = words[i] & ~NUMBER | ids[words[i] & NUMBER]
