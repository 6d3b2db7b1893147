"""Words by number in a hash table of our own: some 20 bytes a word besides its letters, however
many there are.

A Python dictionary takes some 150 bytes a word, and needs the interpreter's lock.
"""

import secrets
from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.runtime.jit import njit
from inference.text import spelling
from inference.text.characters import (
    APOSTROPHE,
    DIGIT,
    HYPHEN,
    IDEOGRAPH,
    JOINER,
    KATAKANA,
    LETTER,
    MARK,
    MIDDLE,
    OTHER,
    SKIPPED,
    SPACE,
    Characters,
)

MAX_LETTERS = (
    64  # longer strings are not words (base64, URLs run together); they are left out, and counted
)
# The bits of a piece that are its word's number; two above them say how it is written (case.py)
NUMBER = (1 << 27) - 1
AFTER_HYPHEN = np.int32(1 << 29)
AFTER_APOSTROPHE = np.int32(1 << 30)
AFTER_BREAK = np.int32(-(1 << 31))
# Breaks, too, which have the bit of AFTER_BREAK and so are below zero. Streams of older versions
# have neither
AFTER_PARAGRAPH = AFTER_BREAK | AFTER_HYPHEN
AFTER_SENTENCE = AFTER_BREAK | AFTER_APOSTROPHE
GENDERED = np.uint8(spelling.GENDERED)  # of Characters.inner
FOR_MARKS = np.uint8(spelling.FOR_MARKS)
_ROOM = 4 * (MAX_LETTERS + 1)  # bytes that a word may take
_FULL_SHARE = 0.7  # share of the slots from which on the table is made larger
_NEAR_BITS = 14  # bits: some 300 kB, which stay in a core's own cache
_MOST_LETTER_BYTES = 1 << 32  # bytes of letters
_MOST_WORDS = NUMBER + 1  # whose numbers a piece can hold: raw writings have numbers, too
DONE = 0
TABLE_FULL = 1
PIECES_FULL = 2
# Places in `state`.
_AT, _TEXT, _WORDS, _USED, _PIECES, _END, _FIRST = range(7)
MIX = np.uint64(0x9E3779B97F4A7C15)  # of splitmix64


class Known(NamedTuple):
    """The arrays of a WordTable, as kernels take them."""

    slots: np.ndarray
    letters: np.ndarray
    ends: np.ndarray
    odd: np.ndarray
    near: np.ndarray
    near_words: np.ndarray
    seed: np.ndarray


class WordTable:
    """Words in UTF-8 in the order in which they came: word n is letters[ends[n - 1]:ends[n]].

    slots: uint64, 0 or a word's number + 1 with half of its hash above. odd: bool, words with odd
    characters. seed: a hash that no one knows, so that no text can be made whose words all fall
    into one slot.
    """

    def __init__(self):
        self.slots = np.zeros(1 << 12, np.uint64)
        self.letters = np.zeros(1 << 14, np.uint8)
        self.ends = np.zeros(1 << 11, np.uint32)
        self.odd = np.zeros(1 << 11, bool)
        self.count = self.used = 0
        # Short words of ASCII as they were last met, by their letters in two integers: most words
        # of a text are found here.
        self.near = np.zeros((1 << _NEAR_BITS, 2), np.uint64)
        self.near_words = np.zeros(1 << _NEAR_BITS, np.int32)
        self.seed = np.array([secrets.randbits(64), secrets.randbits(64) | 1], np.uint64)

    def add(
        self,
        codes: np.ndarray,
        text_ends: np.ndarray,
        breaks: np.ndarray,
        are_sentences: bool,
        characters: Characters,
    ) -> tuple[np.ndarray, ...]:
        """Cut texts into pieces and number their words.

        codes: uint32, the texts behind one another. text_ends: int64, where each ends. breaks:
        bool, at which code points a segmenter has a word begin, or empty. are_sentences: ideographs
        that stand side by side are one word between them. Returns words int32 with flags, starts
        int32 and stops int32 counted from the text's beginning, and lengths int32, pieces of each
        text."""
        lengths = np.zeros(len(text_ends), np.int32)
        piece_arrays = tuple(np.empty(len(codes) // 5 + 64, np.int32) for _ in range(3))
        state = np.zeros(7, np.int64)
        state[_WORDS] = self.count
        state[_USED] = self.used
        state[_END] = -1
        while True:
            known_words = Known(
                self.slots, self.letters, self.ends, self.odd, self.near, self.near_words, self.seed
            )
            outcome = _cut(
                codes,
                text_ends,
                breaks,
                are_sentences,
                characters,
                known_words,
                state,
                piece_arrays,
                lengths,
            )
            self.count = int(state[_WORDS])
            self.used = int(state[_USED])
            if outcome == DONE:
                return *(array[: state[_PIECES]] for array in piece_arrays), lengths
            if outcome == TABLE_FULL:
                self._grow()
            else:
                for array in piece_arrays:
                    array.resize(min(len(codes), 2 * len(array)), refcheck=False)

    def _grow(self) -> None:
        """Room for at least one word more. Resizing asks the system for more pages behind the old:
        nothing is held twice."""
        if self.count >= len(self.ends):
            if len(self.ends) >= _MOST_WORDS:
                raise Invalid(
                    "files",
                    f"The texts have more than {_MOST_WORDS:,} different words, which can't be told"
                    " apart. Are they texts?",
                )
            room = min(_MOST_WORDS, len(self.ends) + len(self.ends) // 2)
            for array in (self.ends, self.odd):
                array.resize(room, refcheck=False)
        if self.used + _ROOM > len(self.letters):
            if len(self.letters) >= _MOST_LETTER_BYTES - _ROOM:
                raise Invalid(
                    "files",
                    "The texts have more different words than can be told apart: 4 GB of letters."
                    " Are they texts?",
                )
            self.letters.resize(
                min(_MOST_LETTER_BYTES, len(self.letters) + len(self.letters) // 2), refcheck=False
            )
        if self.count >= int(_FULL_SHARE * len(self.slots)):
            slots = np.zeros(2 * len(self.slots), np.uint64)
            _rehash(self.slots, slots)
            self.slots = slots


@njit(cache=True, nogil=True, inline="always")
def hashed(seed, numbers, a, b):
    """uint64, of numbers[a:b], of 32 bits."""
    h = seed
    for i in range(a, b):
        h = (h ^ np.uint64(np.uint32(numbers[i]))) * MIX
        h ^= h >> np.uint64(29)
    return h


@njit(cache=True, nogil=True)
def _rehash(old, new):
    """The place in a slot is by the lower half of the hash kept in it, mixed: see `_slot`."""
    mask = np.uint64(len(new) - 1)
    for i in range(len(old)):
        if old[i]:
            at = _slot(old[i] >> np.uint64(32), mask)
            while new[at]:
                at = (at + np.uint64(1)) & mask
            new[at] = old[i]


@njit(cache=True, nogil=True, inline="always")
def _slot(half, mask):
    """half: the upper 32 bits of a word's hash."""
    return (half * MIX >> np.uint64(20)) & mask


@njit(cache=True, nogil=True)
def _simple(classes, lower):
    """uint8[128]: the lower case of ASCII's letters and digits where it is ASCII, too; 0 for all
    else."""
    folded = np.zeros(128, np.uint8)
    for code in range(1, 128):
        if (classes[code] == LETTER or classes[code] == DIGIT) and lower[code] < 128:
            folded[code] = lower[code]
    return folded


@njit(cache=True, nogil=True, inline="always")
def _ends_sentence(code):
    """Whether a character ends sentences: . ! ? …, and those of Arabic, Indian and Chinese
    scripts."""
    if code < 128:
        return code == 46 or code == 33 or code == 63
    return code in (0x2026, 0x061F, 0x06D4, 0x0964, 0x3002, 0xFF01, 0xFF1F)


@njit(cache=True, nogil=True, inline="always")
def _flag(codes, classes, before, i):
    """What is between a piece that begins at i and the one that ended at `before`, -1 for none. A
    word that the end of a line breaks has a hyphen."""
    if before < 0 or i == before or (i == before + 1 and codes[before] == 32):
        return np.int32(0)
    between = classes[codes[before]]
    if i == before + 1 and between == HYPHEN:
        return AFTER_HYPHEN
    if i == before + 1 and between == APOSTROPHE:
        return AFTER_APOSTROPHE
    lines = 0
    flag = np.int32(0)
    broken = between == HYPHEN
    for g in range(before, i):
        code = codes[g]
        between = classes[code]
        broken = broken and (g == before or between == SPACE)
        lines += code == 10
        if lines > 1:
            return AFTER_PARAGRAPH
        if not (between == SPACE or between == JOINER or between == SKIPPED):
            flag |= AFTER_SENTENCE if _ends_sentence(code) else AFTER_BREAK
    return AFTER_HYPHEN if broken and lines else flag


@njit(cache=True, nogil=True, inline="always")
def is_inside(codes, classes, lower, inner, j, end):
    """Whether the mark at j, which is behind a character of its word, is inside of the word:
    об'єднання, צה"ל, paral·lel, Mieter*innen."""
    mark = inner[codes[j]] >> FOR_MARKS
    if mark == 0 or j + 1 >= end:
        return False
    shared = inner[codes[j - 1]] & mark & inner[codes[j + 1]]
    if shared == 0:
        return False
    if shared != GENDERED:
        return True
    # “in” or “innen” must follow, and end the word
    if j + 2 >= end or lower[codes[j + 1]] != 105 or lower[codes[j + 2]] != 110:
        return False
    behind = j + 3
    if (
        j + 5 < end
        and lower[codes[j + 3]] == 110
        and lower[codes[j + 4]] == 101
        and lower[codes[j + 5]] == 110
    ):
        behind = j + 6
    if behind >= end:
        return True
    kind = classes[codes[behind]]
    return kind < MARK or kind == HYPHEN or kind == APOSTROPHE or kind == MIDDLE


@njit(cache=True, nogil=True)
def _cut(codes, text_ends, breaks, together, characters, known, state, cut_words, lengths):
    """Continue from `state` until all is done or something is full: DONE, TABLE_FULL or
    PIECES_FULL. cut_words: (words, starts, stops), filled, as is lengths.

    One long kernel for speed: cut into functions by its comments (a short word, where it ends, its
    letters, its number) it gave the same bits and took 1.5 to 1.7 times as long on the example's
    texts, inlined by numba or not.
    """
    classes, lower, odd_codes, inner = characters
    slots, letters, ends, odd, near, near_words, seed = known
    words, starts, stops = cut_words
    segmented = len(breaks) > 0
    room = np.empty(_ROOM, np.uint8)
    mask = np.uint64(len(slots) - 1)
    limit = min(len(ends), int(_FULL_SHARE * len(slots)))
    count = state[_WORDS]
    used = state[_USED]
    piece_count = state[_PIECES]
    before = state[_END]
    i = state[_AT]
    first = state[_FIRST]
    simple = _simple(classes, lower)
    for text in range(state[_TEXT], len(text_ends)):
        begin = text_ends[text - 1] if text else 0
        end = text_ends[text]
        while i < end:
            kind = classes[codes[i]]
            if kind < LETTER:
                i += 1
                continue
            outcome = DONE
            if count >= limit or used + _ROOM > len(letters):
                outcome = TABLE_FULL
            elif piece_count >= len(words):
                outcome = PIECES_FULL
            if outcome != DONE:
                state[_AT] = i
                state[_TEXT] = text
                state[_WORDS] = count
                state[_USED] = used
                state[_PIECES] = piece_count
                state[_END] = before
                state[_FIRST] = first
                return outcome
            # A short word of ASCII that was met lately.
            low_key = np.uint64(0)
            high_key = np.uint64(0)
            stop = i
            limit_of_short = min(end, i + 16)
            while stop < limit_of_short and codes[stop] < 128:
                low = simple[codes[stop]]
                if low == 0:
                    break
                high_key = high_key << np.uint64(8) | low_key >> np.uint64(56)
                low_key = low_key << np.uint64(8) | np.uint64(low)
                stop += 1
            short = stop > i
            if short and stop < end:
                behind = classes[codes[stop]]
                short = (
                    behind == SPACE
                    or behind == OTHER
                    or behind == HYPHEN
                    or (
                        (behind == MIDDLE or behind == APOSTROPHE)
                        and classes[codes[stop - 1]] != DIGIT
                    )
                ) and not is_inside(codes, classes, lower, inner, stop, end)
            near_slot = np.int64(
                (low_key ^ high_key * np.uint64(3)) * MIX >> np.uint64(64 - _NEAR_BITS)
            )
            if short and near[near_slot, 0] == low_key and near[near_slot, 1] == high_key:
                words[piece_count] = near_words[near_slot] | _flag(codes, classes, before, i)
                starts[piece_count] = i - begin
                stops[piece_count] = stop - begin
                piece_count += 1
                before = i = stop
                continue
            # Where it ends.
            stop = i + 1
            j = i + 1
            while j < end:
                character_class = classes[codes[j]]
                if character_class >= LETTER:
                    if segmented and breaks[j]:
                        break
                    if (character_class >= IDEOGRAPH or kind >= IDEOGRAPH) and not (
                        (together and character_class >= IDEOGRAPH and kind >= IDEOGRAPH)
                        or (character_class == KATAKANA and kind == KATAKANA)
                    ):
                        break
                    stop = j + 1
                elif character_class == MARK:
                    stop = j + 1
                elif is_inside(codes, classes, lower, inner, j, end):
                    pass
                elif character_class == MIDDLE or character_class == APOSTROPHE:
                    if not (
                        classes[codes[j - 1]] == DIGIT
                        and j + 1 < end
                        and classes[codes[j + 1]] == DIGIT
                    ):
                        break
                elif character_class != JOINER and character_class != SKIPPED:
                    break
                j += 1
            # Its letters and their hash.
            size = 0
            used_bytes = 0
            strange = False
            code = np.uint32(0)
            h = seed[0]
            for p in range(i, stop):
                if classes[codes[p]] == SKIPPED:
                    continue
                if used_bytes > MAX_LETTERS:
                    break
                code = lower[codes[p]]
                if odd_codes[code]:
                    strange = True
                h = (h ^ np.uint64(code)) * seed[1]
                h ^= h >> np.uint64(29)
                used_bytes += 1
                if code < 0x80:
                    room[size] = code
                    size += 1
                elif code < 0x800:
                    room[size] = 0xC0 | code >> 6
                    room[size + 1] = 0x80 | code & 0x3F
                    size += 2
                elif code < 0x10000:
                    room[size] = 0xE0 | code >> 12
                    room[size + 1] = 0x80 | code >> 6 & 0x3F
                    room[size + 2] = 0x80 | code & 0x3F
                    size += 3
                else:
                    room[size] = 0xF0 | code >> 18
                    room[size + 1] = 0x80 | code >> 12 & 0x3F
                    room[size + 2] = 0x80 | code >> 6 & 0x3F
                    room[size + 3] = 0x80 | code & 0x3F
                    size += 4
            h = (h ^ h >> np.uint64(32)) * MIX
            half = h >> np.uint64(32)
            at = _slot(half, mask)
            while True:
                slot = slots[at]
                if slot == 0:
                    word = count
                    slots[at] = half << np.uint64(32) | np.uint64(word + 1)
                    letters[used : used + size] = room[:size]
                    used += size
                    ends[word] = used
                    # A small sigma at the end of a word has a form of its own, where case is
                    # changed; a word that was cut is no word.
                    odd[word] = (
                        strange or (code == 0x3C3 and lower[0x3A3] == code and used_bytes > 1)
                    ) and used_bytes <= MAX_LETTERS
                    count += 1
                    break
                if slot >> np.uint64(32) == half:
                    word = np.int64(slot & np.uint64(0xFFFFFFFF)) - 1
                    a = np.int64(ends[word - 1]) if word else 0
                    if np.int64(ends[word]) - a == size:
                        for p in range(size):
                            if letters[a + p] != room[p]:
                                break
                        else:
                            break
                at = (at + np.uint64(1)) & mask
            words[piece_count] = np.int32(word) | _flag(codes, classes, before, i)
            if short:
                near[near_slot, 0] = low_key
                near[near_slot, 1] = high_key
                near_words[near_slot] = word
            starts[piece_count] = i - begin
            stops[piece_count] = stop - begin
            piece_count += 1
            before = stop
            i = stop
        lengths[text] = piece_count - first
        first = piece_count
        before = -1
        i = end
    state[_WORDS] = count
    state[_USED] = used
    state[_PIECES] = piece_count
    return DONE
