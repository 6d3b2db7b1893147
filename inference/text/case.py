"""How pieces of texts are written: in small letters, with a capital, in capitals, or with capitals
in other places.

Two bits of a piece (CASE) say which, above its word's number. Of those with capitals in other
places, which are few, it is kept which letters these are.
"""

import numpy as np

from inference.runtime.jit import njit
from inference.text.characters import APOSTROPHE, DIGIT, HYPHEN, LETTER, MARK, MIDDLE, Characters
from inference.text.table import is_inside

SHIFT = 27
CASE = np.int32(3 << SHIFT)
SMALL, CAPITAL, CAPITALS, MIXED = range(4)
_LETTERS = 62  # whose capitals are told apart


def mark(
    texts: list[str],
    words: np.ndarray,
    starts: np.ndarray,
    lengths: np.ndarray,
    characters: Characters,
) -> np.ndarray:
    """Set the bits CASE of the pieces of texts, `words`, which have none yet. Returns int64[n]: of
    each its capitals, bit i for its letter or digit i. starts, lengths: as TokenisedText has them."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    ends = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)))
    capitals = np.empty(len(words), np.int64)
    _mark(codes, ends, words, starts, np.cumsum(lengths, dtype=np.int64), characters, capitals)
    return capitals


def key(case: int, capitals: int) -> int:
    """One number for how a piece is written: equal where its letters are."""
    return capitals << 2 | MIXED if case == MIXED else case


@njit(cache=True, nogil=True)
def _mark(codes, text_ends, words, starts, ends, characters, capitals):
    """A piece is read up to the next one, or to what is in none."""
    classes, lower, _, inner = characters
    i = 0
    for d in range(len(ends)):
        begin = text_ends[d - 1] if d else 0
        while i < ends[d]:
            stop = begin + starts[i + 1] if i + 1 < ends[d] else text_ends[d]
            first = begin + starts[i]
            large = np.int64(0)
            n = 0
            small = False
            for j in range(first, stop):
                code = codes[j]
                kind = classes[codes[j]]
                if (
                    kind < LETTER
                    and j + 1 < stop
                    and is_inside(codes, classes, lower, inner, j, stop)
                ):
                    continue
                if kind < MARK or kind == HYPHEN:
                    break
                if kind == APOSTROPHE or kind == MIDDLE:
                    if (
                        classes[codes[j - 1]] != DIGIT
                        or j + 1 == stop
                        or classes[codes[j + 1]] != DIGIT
                    ):
                        break
                elif kind >= LETTER:
                    if lower[code] != code and n < _LETTERS:
                        large |= np.int64(1) << n
                    small = small or (kind == LETTER and lower[code] == code)
                    n += 1
            if large <= CAPITAL:
                case = large
            elif small:
                case = np.int64(MIXED)
            else:
                case = np.int64(CAPITALS)
            words[i] |= np.int32(case << SHIFT)
            capitals[i] = large
            i += 1
