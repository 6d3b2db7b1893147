"""Words by number in a hash table of our own: some 20 bytes a word besides its letters, however
many there are.

A Python dictionary takes some 150 bytes a word, and needs the interpreter's lock.
"""

import secrets
from typing import NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.kernels.rng import GAMMA
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
from inference.text.utf8 import (
    BITS_OF_ONE,
    BITS_OF_THREE,
    BITS_OF_TWO,
    FOLLOWING,
    FOUR_BYTES_FROM,
    LEAD_OF_FOUR,
    LEAD_OF_THREE,
    LEAD_OF_TWO,
    OWN_BITS,
    THREE_BYTES_FROM,
    TWO_BYTES_FROM,
)

# Longer strings are not words (base64, URLs run together); they are left out, and counted
MAX_LETTERS = 64
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
MOST_WORDS = NUMBER + 1  # whose numbers a piece can hold: raw writings have numbers, too
DONE = 0
TABLE_FULL = 1
PIECES_FULL = 2
# Places in `state`, from which `_cut` continues
_STATE_SIZE = 7
(
    _AT,  # code points that are done
    _TEXT,  # texts that are done
    _WORDS,  # words of the table
    _USED,  # bytes of their letters
    _PIECES,  # pieces that were written
    _END,  # where the last piece of the text ended; -1 for none
    _FIRST,  # pieces that were written before the text
) = range(_STATE_SIZE)
MIX = GAMMA  # a factor that spreads the bits of a number over all upper ones
MIX_SHIFT = np.uint64(29)  # spreads the upper bits of a product over the lower ones
# The upper and the lower half of an integer of 64 bits
HALF = np.uint64(32)
LOWER_HALF = np.uint64(0xFFFFFFFF)
_SLOT_SHIFT = np.uint64(20)  # the middle bits of a product depend on all of the bits below
_SEED_BITS = 64
# Room to begin with
_FIRST_SLOTS = 1 << 12
_FIRST_LETTERS = 1 << 14  # bytes
_FIRST_WORDS = 1 << 11
_LETTERS_A_PIECE = 5  # usually, with what is between two
_FEWEST_PIECES = 64
_PIECE_ARRAYS = 3  # words, starts and stops
# A short word of ASCII: a byte for each letter in two integers
_SHORT_LETTERS = 16
_BYTE = np.uint64(8)
_LAST_BYTE = np.uint64(56)  # the bits below the uppermost byte
_NEAR_FACTOR = np.uint64(3)  # so that the halves of a word with the same letters don't cancel
_NEAR_SHIFT = np.uint64(64 - _NEAR_BITS)
_ASCII = 128  # code points
_BLANK = ord(" ")
_NEW_LINE = ord("\n")
_FULL_STOP = ord(".")
_EXCLAMATION_MARK = ord("!")
_QUESTION_MARK = ord("?")
# … and the full stops, exclamation and question marks of Arabic, Urdu, Indian and Chinese scripts
_OTHER_SENTENCE_ENDS = tuple(map(ord, "…؟۔।。！？"))
# Endings that stand behind a mark of gender: Mieter*in, Mieter*innen
_IN = (ord("i"), ord("n"))
_NEN = (ord("n"), ord("e"), ord("n"))
# Its small form is another one at the end of a word
_SIGMA = ord("Σ")
_SMALL_SIGMA = ord("σ")


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

    slots: uint64, 0 or a word's number + 1 with the upper half of its hash above. odd: bool, words
    that may have to be changed to be canonical: with a character of Characters.odd, or a sigma at
    the end. seed: a hash that no one knows, so that no text can be made whose words all fall into
    one slot.
    """

    def __init__(self):
        self.slots = np.zeros(_FIRST_SLOTS, np.uint64)
        self.letters = np.zeros(_FIRST_LETTERS, np.uint8)
        self.ends = np.zeros(_FIRST_WORDS, np.uint32)
        self.odd = np.zeros(_FIRST_WORDS, bool)
        self.count = self.used = 0
        # Short words of ASCII as they were last met, by their letters in two integers: most words
        # of a text are found here.
        self.near = np.zeros((1 << _NEAR_BITS, 2), np.uint64)
        self.near_words = np.zeros(1 << _NEAR_BITS, np.int32)
        start = secrets.randbits(_SEED_BITS)
        odd_factor = secrets.randbits(_SEED_BITS) | 1
        self.seed = np.array([start, odd_factor], np.uint64)

    def add(
        self,
        codes: np.ndarray,
        text_ends: np.ndarray,
        breaks: np.ndarray,
        joins_ideographs: bool,
        characters: Characters,
    ) -> tuple[np.ndarray, ...]:
        """Cut texts into pieces and number their words.

        codes: uint32, the texts behind one another. text_ends: int64, where each ends. breaks:
        bool, at which code points a segmenter has a word begin, or empty. joins_ideographs: those
        that stand side by side are one word, up to the next of `breaks`. Returns words int32 with
        flags, starts int32 and stops int32 counted from the text's beginning, and lengths int32,
        pieces of each text."""
        lengths = np.zeros(len(text_ends), np.int32)
        pieces = len(codes) // _LETTERS_A_PIECE + _FEWEST_PIECES
        piece_arrays = tuple(np.empty(pieces, np.int32) for _ in range(_PIECE_ARRAYS))
        state = np.zeros(_STATE_SIZE, np.int64)
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
                joins_ideographs,
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
            if len(self.ends) >= MOST_WORDS:
                raise Invalid(
                    "files",
                    f"The texts have more than {MOST_WORDS:,} different words, which can't be told"
                    " apart. Are they texts?",
                )
            room = min(MOST_WORDS, len(self.ends) + len(self.ends) // 2)
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
        h ^= h >> MIX_SHIFT
    return h


@njit(cache=True, nogil=True)
def _rehash(old, new):
    """Put all words into other slots: those of the upper half of their hash, which is kept in a
    slot (`_slot`). new: uint64, zeros, of a power of two as many."""
    mask = np.uint64(len(new) - 1)
    for i in range(len(old)):
        if old[i]:
            at = _slot(old[i] >> HALF, mask)
            while new[at]:
                at = (at + np.uint64(1)) & mask
            new[at] = old[i]


@njit(cache=True, nogil=True, inline="always")
def _slot(half, mask):
    """half: the upper 32 bits of a word's hash."""
    return (half * MIX >> _SLOT_SHIFT) & mask


@njit(cache=True, nogil=True)
def _simple(classes, lower):
    """uint8[_ASCII]: the lower case of ASCII's letters and digits where it is ASCII, too; 0 for all
    else."""
    folded = np.zeros(_ASCII, np.uint8)
    for code in range(1, _ASCII):
        if (classes[code] == LETTER or classes[code] == DIGIT) and lower[code] < _ASCII:
            folded[code] = lower[code]
    return folded


@njit(cache=True, nogil=True, inline="always")
def _ends_sentence(code):
    """Whether a character ends sentences."""
    if code < _ASCII:
        return code == _FULL_STOP or code == _EXCLAMATION_MARK or code == _QUESTION_MARK
    return code in _OTHER_SENTENCE_ENDS


@njit(cache=True, nogil=True, inline="always")
def _flag(codes, classes, before, i):
    """What is between a piece that begins at i and the one that ended at `before`, -1 for none. A
    word that the end of a line breaks has a hyphen."""
    if before < 0 or i == before or (i == before + 1 and codes[before] == _BLANK):
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
        lines += code == _NEW_LINE
        if lines > 1:
            return AFTER_PARAGRAPH
        if not (between == SPACE or between == JOINER or between == SKIPPED):
            flag |= AFTER_SENTENCE if _ends_sentence(code) else AFTER_BREAK
    return AFTER_HYPHEN if broken and lines else flag


@njit(cache=True, nogil=True)
def _spells(codes, lower, begin, end, letters):
    """Whether these letters, code points in lower case, stand from `begin` on, before `end`."""
    if begin + len(letters) > end:
        return False
    for i in range(len(letters)):
        if lower[codes[begin + i]] != letters[i]:
            return False
    return True


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
    behind = j + 1
    if not _spells(codes, lower, behind, end, _IN):
        return False
    behind += len(_IN)
    if _spells(codes, lower, behind, end, _NEN):
        behind += len(_NEN)
    if behind >= end:
        return True
    kind = classes[codes[behind]]
    return kind < MARK or kind == HYPHEN or kind == APOSTROPHE or kind == MIDDLE


@njit(cache=True, nogil=True)
def _cut(codes, text_ends, breaks, joins_ideographs, characters, known, state, cut_words, lengths):
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
            limit_of_short = min(end, i + _SHORT_LETTERS)
            while stop < limit_of_short and codes[stop] < _ASCII:
                low = simple[codes[stop]]
                if low == 0:
                    break
                high_key = high_key << _BYTE | low_key >> _LAST_BYTE
                low_key = low_key << _BYTE | np.uint64(low)
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
            near_slot = np.int64((low_key ^ high_key * _NEAR_FACTOR) * MIX >> _NEAR_SHIFT)
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
                        (joins_ideographs and character_class >= IDEOGRAPH and kind >= IDEOGRAPH)
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
            letter_count = 0
            strange = False
            code = np.uint32(0)
            h = seed[0]
            for p in range(i, stop):
                if classes[codes[p]] == SKIPPED:
                    continue
                if letter_count > MAX_LETTERS:
                    break
                code = lower[codes[p]]
                if odd_codes[code]:
                    strange = True
                h = (h ^ np.uint64(code)) * seed[1]
                h ^= h >> MIX_SHIFT
                letter_count += 1
                if code < TWO_BYTES_FROM:
                    room[size] = code
                else:
                    if code < THREE_BYTES_FROM:
                        room[size] = LEAD_OF_TWO | code >> BITS_OF_ONE
                    else:
                        if code < FOUR_BYTES_FROM:
                            room[size] = LEAD_OF_THREE | code >> BITS_OF_TWO
                        else:
                            room[size] = LEAD_OF_FOUR | code >> BITS_OF_THREE
                            size += 1
                            room[size] = FOLLOWING | code >> BITS_OF_TWO & OWN_BITS
                        size += 1
                        room[size] = FOLLOWING | code >> BITS_OF_ONE & OWN_BITS
                    size += 1
                    room[size] = FOLLOWING | code & OWN_BITS
                size += 1
            h = (h ^ h >> HALF) * MIX
            half = h >> HALF
            at = _slot(half, mask)
            while True:
                slot = slots[at]
                if slot == 0:
                    word = count
                    slots[at] = half << HALF | np.uint64(word + 1)
                    letters[used : used + size] = room[:size]
                    used += size
                    ends[word] = used
                    # A small sigma at the end of a word has a form of its own, where case is
                    # changed; a word that was cut is no word.
                    odd[word] = (
                        strange
                        or (code == _SMALL_SIGMA and lower[_SIGMA] == code and letter_count > 1)
                    ) and letter_count <= MAX_LETTERS
                    count += 1
                    break
                if slot >> HALF == half:
                    word = np.int64(slot & LOWER_HALF) - 1
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
