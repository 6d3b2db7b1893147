"""Ways in which scripts write one word: with vowel points or without, with letters of one form or
another, with one apostrophe or another within the word.

They count as one word from version 2 of the cut on (cut_rules.CUT); the words of a corpus that was
read before are as they were.
"""

import unicodedata
from functools import lru_cache

import numpy as np
import regex

CODES = 0x110000
# Vowels and other points over and under letters, and what lengthens a line (tatweel): most texts
# have none. Of Hebrew, Arabic; presentation forms of points
POINTS = (
    r"[\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7"
    r"\u0610-\u061A\u0640\u064B-\u0652\u0656-\u065F\u0670\u06D6-\u06DC\u06DF-\u06E8\u06EA-\u06ED"
    r"\uFE70-\uFE7F\uFB1E]"
)
_POINTS = regex.compile(POINTS)
# Bits of Characters.inner: of letters, and above them of the marks that may be between two of these
FOR_MARKS = 4
_CYRILLIC = 1
_HEBREW = 2
_CATALAN = 4
GENDERED = 8
_APOSTROPHES = "'\u2019\u02bc"
_QUOTES = '"\u05f4\u201c\u201d\u201e'  # gershayim, before the last letter of a Hebrew acronym
_GERESH = "\u05f3"
_DOTS = "\u00b7\u2027"  # of Catalan: paral·lel
_GENDER_MARKS = "*:_"  # of German: Mieter*innen
# Letters of Arabic and Persian that are one letter in two codes, as each language writes them
_PERSIAN_LETTERS = {"ي": "ی", "ى": "ی", "ك": "ک"}
_ARABIC_LETTERS = {"ی": "ي", "ک": "ك"}
# ISO 639 of languages that write Persian ones
_PERSIAN = {
    "fa",
    "ur",
    "ps",
    "ku",
    "ckb",
    "sd",
    "ug",
}
_COMPATIBLE = (  # first and last of characters that stand for others, for the width of a line
    (0xFF10, 0xFF19),  # full width
    (0xFF21, 0xFF3A),
    (0xFF41, 0xFF5A),
    (0xFF66, 0xFFDC),  # half width
    (0xFB1D, 0xFB4F),  # Hebrew letters with points
    (0xFB50, 0xFDFB),  # Arabic letters by their place in a word
    (0xFE80, 0xFEFC),
)
_FEMININE = regex.compile(r"(?<=\p{L})[*:_](?=in(?:nen)?$)")
_IN_CYRILLIC = regex.compile(rf"(?<=\p{{Cyrillic}})[{_APOSTROPHES}](?=\p{{Cyrillic}})")
_IN_HEBREW = regex.compile(rf"(?<=\p{{Hebrew}})[{_APOSTROPHES}{_QUOTES}](?=\p{{Hebrew}})")
_IN_CATALAN = regex.compile(rf"(?<=l)[{_DOTS}](?=l)")
_IN_WORD = regex.compile(r"(?<=[\p{L}\p{M}\p{N}])[\u2019\u02bc](?=[\p{L}\p{N}])")
# A word of a text that `fold_apostrophes` made, with the apostrophes within it
WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*")


def folded(word: str, language: str = "") -> str:
    """A word in lower case as all ways to write it have it. language: of the texts, ISO 639."""
    word = _POINTS.sub("", word.translate(_compatible()))
    word = word.translate(_letters(language))
    word = _fold_marks(word)
    word = _IN_CATALAN.sub("\u00b7", word)
    word = _FEMININE.sub("*", word) if language == "de" else word
    return unicodedata.normalize("NFC", word)


def fold_apostrophes(text: str) -> str:
    """A text with the marks within its words as vocabularies have them: “Qur'an” of “Qur’an”; ʼ
    between Cyrillic letters, a geresh between Hebrew ones. It is as long as before."""
    return _fold_marks(_IN_WORD.sub("'", text))


def apostrophe_variants(word: str) -> set[str]:
    """A word with each of the apostrophes that texts have in the place of its own."""
    return {word.translate(dict.fromkeys(map(ord, _APOSTROPHES), mark)) for mark in _APOSTROPHES}


def _fold_marks(word: str) -> str:
    """With the one apostrophe of Cyrillic and the one geresh and gershayim of Hebrew."""
    word = _IN_CYRILLIC.sub("\u02bc", word)
    return _IN_HEBREW.sub(_hebrew_mark, word)


def odd(language: str) -> list[int]:
    """Characters of which a word may have to be changed."""
    marks = "".join((_APOSTROPHES, _QUOTES, _GERESH, _DOTS, _GENDER_MARKS))
    return [*_compatible(), *_letters(language), *map(ord, marks)]


@lru_cache
def inner(language: str) -> np.ndarray:
    """uint8[CODES]: the bits of Characters.inner."""
    script_bits = np.zeros(CODES, np.uint8)
    scripts = [(_CYRILLIC, r"[\p{L}&&\p{Cyrillic}]"), (_HEBREW, r"[\p{L}&&\p{Hebrew}]")]
    if language == "de":
        scripts.append((GENDERED, r"[\p{L}&&\p{Latin}]"))
    code_points = all_characters()
    for script_bit, letters in scripts:
        for run in regex.finditer(f"{letters}+", code_points, regex.V1):
            script_bits[run.start() : run.end()] |= script_bit
    marks = [
        (_CYRILLIC, _APOSTROPHES),
        (_HEBREW, _APOSTROPHES + _QUOTES + _GERESH),
        (_CATALAN, _DOTS),
    ]
    if language == "de":
        marks.append((GENDERED, _GENDER_MARKS))
    for script_bit, characters in marks:
        script_bits[[ord(character) for character in characters]] |= script_bit << FOR_MARKS
    script_bits[[ord("l"), ord("L")]] |= _CATALAN
    return script_bits


def all_characters() -> str:
    """All code points, in their order; ten times faster than joining them."""
    return np.arange(CODES, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")


def _hebrew_mark(match: regex.Match) -> str:
    return "\u05f4" if match[0] in _QUOTES else _GERESH


@lru_cache
def _compatible() -> dict[int, str]:
    """Characters that stand for others -> these; not those that stand for several words."""
    replacements = {0x017F: "s"}  # the long s of old prints
    for first, last in _COMPATIBLE:
        for code in range(first, last + 1):
            plain = unicodedata.normalize("NFKC", chr(code))
            if plain != chr(code) and " " not in plain and _POINTS.sub("", plain):
                replacements[code] = plain
    return replacements


@lru_cache
def _letters(language: str) -> dict[int, str]:
    letters = _PERSIAN_LETTERS if language in _PERSIAN else _ARABIC_LETTERS
    return {ord(letter): instead for letter, instead in letters.items()}
