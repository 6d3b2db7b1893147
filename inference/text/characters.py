"""How the tokeniser treats each character: tables over all code points, made once a process from
Unicode's properties."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import regex

from inference.runtime.arrays import frozen
from inference.text import cut_rules, spelling

CODES = spelling.CODES
# Classes. From LETTER on: what a piece may begin with.
(
    OTHER,
    SPACE,
    MARK,
    JOINER,
    SKIPPED,
    HYPHEN,
    APOSTROPHE,
    MIDDLE,
    LETTER,
    DIGIT,
    IDEOGRAPH,
    KATAKANA,
) = range(12)
_SETS = [  # later lines win
    (SPACE, r"[\s\p{Cc}]"),
    (LETTER, r"\p{L}"),
    (DIGIT, r"\p{Nd}"),
    (IDEOGRAPH, r"[\p{L}&&[\p{Han}\p{Hiragana}]]"),
    (IDEOGRAPH, "〇"),
    (KATAKANA, r"[\p{L}&&\p{WB=Katakana}]"),
    # The half-width voicing marks of katakana are letters by category
    (
        MARK,
        r"[\p{M}\uFF9E\uFF9F]",
    ),
    # Soft hyphens, marks of direction: as if they were not there (UAX #29, WB4)
    (
        SKIPPED,
        r"\p{WB=Format}",
    ),
    (JOINER, r"[\u200C\u200D]"),
    (HYPHEN, r"[-\u2010\u2011]"),
    (APOSTROPHE, r"['\u2019\u02BC]"),
    (MIDDLE, r"[.,]"),  # between digits
]
# Of printers: ﬁ, ﬂ, ﬀ
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}


class Characters(NamedTuple):
    """classes: uint8. lower: uint32, the lower case where it is one character. odd: bool, whether a
    word with it may have to be changed to be canonical. inner: uint8, bits that a mark within a
    word has in common with the characters on both of its sides. All of CODES."""

    classes: np.ndarray
    lower: np.ndarray
    odd: np.ndarray
    inner: np.ndarray


@lru_cache
def characters(turkic: bool = False, language: str = "", cut: int = cut_rules.CUT) -> Characters:
    """The classes of characters in texts. turkic: Turkish and Azeri, where I is the capital of ı,
    and İ of i (Unicode, SpecialCasing). language, cut: as the tokeniser has them."""
    classes = classified(_SETS if cut == 1 else [*_SETS, (SKIPPED, spelling.POINTS)])
    lower = np.arange(CODES, dtype=np.uint32)
    odd = np.zeros(CODES, bool)
    for run in regex.finditer(r"[\p{Lu}\p{Lt}]+", spelling.all_characters()):
        for code in range(*run.span()):
            small = chr(code).lower()
            lower[code], odd[code] = (ord(small), False) if len(small) == 1 else (code, True)
    if turkic:
        lower[ord("I")] = ord("ı")
        lower[ord("İ")] = ord("i")
    for code in np.flatnonzero(classes >= MARK).tolist():
        character = chr(code)
        if unicodedata.combining(character):
            odd[code] = True
        elif parts := unicodedata.decomposition(character):
            odd[code] |= unicodedata.normalize("NFC", character) != character
            # What composes with a letter before it, classes of combining aside
            if parts[0] != "<" and " " in parts:
                odd[int(parts.split()[1], 16)] = True
    odd[list(_LIGATURES)] = True
    odd[0x1160:0x1200] = True  # vowels and finals of Korean: they compose into syllables
    inner = np.zeros(CODES, np.uint8)
    if cut > 1:
        odd[spelling.odd(language)] = True
        inner = spelling.inner(language)
    return Characters(
        frozen(classes, np.uint8),
        frozen(lower, np.uint32),
        frozen(odd, np.bool_),
        frozen(inner, np.uint8),
    )


@lru_cache
def characters_as_given() -> Characters:
    """The classes of characters where words stand between white space as they are: controls and
    lone surrogates are white space, too."""
    classes = classified([(SPACE, r"[\s\p{Cc}\p{Cs}]")], LETTER)
    lower = frozen(np.arange(CODES), np.uint32)
    odd = frozen(np.zeros(CODES), np.bool_)
    inner = frozen(np.zeros(CODES), np.uint8)
    return Characters(frozen(classes, np.uint8), lower, odd, inner)


def canonical(word: str, turkic: bool = False) -> str:
    """A word in simple lower case as the lexicon has it: lower case, normal form C, printers'
    ligatures as letters, a sigma at its end in its final form."""
    word = unicodedata.normalize("NFC", word)
    if turkic:
        word = word.replace("ı\u0307", "i")  # İ in two characters
    word = unicodedata.normalize("NFC", word.lower().translate(_LIGATURES))
    return word[:-1] + "ς" if len(word) > 1 and word[-1] == "σ" else word


def classified(sets: Iterable[tuple[int, str]], default: int = OTHER) -> np.ndarray:
    """uint8[CODES]: the class of each character by the last of the sets (class, pattern) that has
    it."""
    classes = np.full(CODES, default, np.uint8)
    all_characters = spelling.all_characters()
    for number, pattern in sets:
        for run in regex.finditer(f"(?:{pattern})+", all_characters, regex.V1):
            classes[run.start() : run.end()] = number
    return classes
