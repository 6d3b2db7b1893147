"""The words of a corpus by number, on disk: many millions, of which few are needed at a time."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from inference.runtime.jit import njit
from inference.text import utf8
from inference.text.table import MIX, hashed

_LETTERS = "lexicon-letters"  # a file: UTF-8
_ENDS = "lexicon-ends"  # a file: where each word ends, uint32
NEW_LINE = ord("\n")
LONGEST = 255  # characters that a length says at the most: it is one byte
_BLOCK = 1 << 18  # words that are strings of Python's at the same time


class Lexicon:
    """Word n is letters[ends[n - 1]:ends[n]] in UTF-8; no word is there twice.

    letters: uint8. ends: uint32[n]. Both may be memory maps.
    """

    def __init__(self, letters: np.ndarray, ends: np.ndarray):
        self.letters = letters
        self.ends = ends

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, number: int) -> str:
        return self.words(np.array([number]))[0]

    def words(self, numbers: np.ndarray) -> list[str]:
        """The words of some numbers, in their order."""
        numbers = np.asarray(numbers, np.int64)
        if not len(numbers):
            return []
        if numbers.min() < 0 or numbers.max() >= len(self):
            raise IndexError(
                f"words have numbers from 0 to {len(self) - 1}, got {numbers.min()} to"
                f" {numbers.max()}"
            )
        return gathered_words(self.letters, self.ends, numbers).tobytes().decode().split("\n")

    def __iter__(self) -> Iterator[str]:
        for _, words in self.blocks():
            yield from words

    def blocks(self) -> Iterator[tuple[int, list[str]]]:
        """(number of the first, words) of all, some at a time."""
        for first in range(0, len(self), _BLOCK):
            yield first, self.words(np.arange(first, min(len(self), first + _BLOCK)))

    def find(self, words: Iterable[str]) -> np.ndarray:
        """int64: the number of each word, -1 for one that is not here. One look at all letters,
        however many are sought."""
        words = list(words)
        if not words or not len(self):
            return np.full(len(words), -1)
        sought = [word.encode("utf-8", "replace") for word in words]
        letters = np.frombuffer(b"".join(sought) or b"\0", np.uint8)
        ends = np.cumsum([len(word) for word in sought], dtype=np.uint32)
        hashes = _hashes(letters, ends)
        order = np.argsort(hashes, kind="stable")
        word_numbers = np.full(len(words), -1)
        _find(self.letters, self.ends, letters, ends, hashes[order], order, word_numbers)
        return word_numbers

    def sizes(self) -> tuple[np.ndarray, np.ndarray]:
        """uint8 and uint32 by word: its length in code points (255 for more), and its first."""
        lengths = np.zeros(len(self), np.uint8)
        first = np.zeros(len(self), np.uint32)
        _sizes(self.letters, self.ends, lengths, first)
        return lengths, first

    @classmethod
    def open(cls, folder: Path, count: int) -> "Lexicon":
        """The first `count` words in a folder, memory-mapped."""
        if not count:
            return cls(np.zeros(0, np.uint8), np.zeros(0, np.uint32))
        ends = np.memmap(Path(folder) / _ENDS, np.uint32, "r", shape=(count,))
        return cls(np.memmap(Path(folder) / _LETTERS, np.uint8, "r", shape=(int(ends[-1]),)), ends)

    @staticmethod
    def files(folder: Path) -> tuple[Path, Path]:
        """The files of the letters and of the ends."""
        return Path(folder) / _LETTERS, Path(folder) / _ENDS


def gathered_words(letters: np.ndarray, ends: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """uint8, UTF-8: some words behind one another with NEW_LINE between them; no word holds one.

    letters, ends: as a Lexicon has them. numbers: int[n], of the words.
    """
    begins = np.where(numbers > 0, ends[numbers - 1], np.uint32(0)).astype(np.int64)
    sizes = ends[numbers] - begins
    letters_out = np.full(int(sizes.sum()) + len(numbers) - 1, NEW_LINE, np.uint8)
    _gather(letters, begins, sizes, letters_out)
    return letters_out


@njit(cache=True, nogil=True)
def _gather(letters, begins, sizes, gathered):
    """Copy some words, with one byte between them. letters: uint8, begins, sizes: int64[n], where
    each word is in them. gathered: uint8, is filled, but for what is between words."""
    at = 0
    for n in range(len(begins)):
        for i in range(begins[n], begins[n] + sizes[n]):
            gathered[at] = letters[i]
            at += 1
        at += 1


@njit(cache=True, nogil=True)
def _hashes(letters, ends):
    """uint64[n]: a hash of each word. letters: uint8, ends: uint32[n], where each one's letters
    end."""
    hashes = np.empty(len(ends), np.uint64)
    for n in range(len(ends)):
        hashes[n] = hashed(MIX, letters, np.int64(ends[n - 1]) if n else 0, np.int64(ends[n]))
    return hashes


@njit(cache=True, nogil=True)
def _find(letters, ends, sought, sought_ends, hashes, order, numbers):
    """hashes: uint64, ascending; order: which sought word each belongs to."""
    for n in range(len(ends)):
        a = np.int64(ends[n - 1]) if n else np.int64(0)
        b = np.int64(ends[n])
        h = hashed(MIX, letters, a, b)
        at = np.searchsorted(hashes, h)
        while at < len(hashes) and hashes[at] == h:
            word = order[at]
            begin = np.int64(sought_ends[word - 1]) if word else np.int64(0)
            if np.int64(sought_ends[word]) - begin == b - a:
                for i in range(b - a):
                    if letters[a + i] != sought[begin + i]:
                        break
                else:
                    numbers[word] = n
            at += 1


@njit(cache=True, nogil=True)
def _sizes(letters, ends, lengths, first):
    """Lengths and first characters of words. letters: uint8, UTF-8; ends: uint32[n]. lengths:
    uint8[n], in characters, 255 at the most, and first: uint32[n], code points, are filled."""
    for n in range(len(ends)):
        a = np.int64(ends[n - 1]) if n else np.int64(0)
        b = np.int64(ends[n])
        length = 0
        for i in range(a, b):
            length += letters[i] & utf8.FOLLOWING_MASK != utf8.FOLLOWING
        lengths[n] = min(length, LONGEST)
        lead = np.uint32(letters[a])
        if lead < utf8.TWO_BYTES_FROM:
            first[n] = lead
        else:
            following_bytes = 1 + (lead >= utf8.LEAD_OF_THREE) + (lead >= utf8.LEAD_OF_FOUR)
            code = lead & (utf8.OWN_BITS >> following_bytes)
            for i in range(following_bytes):
                code = code << utf8.BITS_OF_ONE | letters[a + 1 + i] & utf8.OWN_BITS
            first[n] = code
