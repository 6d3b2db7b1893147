"""Where words begin in scripts without spaces between words, and in Korean, whose particles are
attached to nouns.

The libraries are loaded with the first text that needs them. docs/languages.md says why these, and
how well they segment.
"""

import unicodedata
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
import regex

from inference.errors import Invalid
from inference.text.characters import CODES, classified
from inference.text.cut_rules import SEGMENTER

Cutter = Callable[[str], "list[int] | np.ndarray"]

BLOCK = 1 << 16  # characters that a library is given at once: it makes an object of every word
LONGEST_RUN = 64  # syllables of a Korean word; longer runs are cut, for no dictionary knows them
_SCRIPTS = {
    "zh": r"\p{Han}",
    # with the marks of length and of voice, which several scripts use
    "ja": r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70\uff9e\uff9f",
    "ko": r"\p{Hangul}\p{Han}",
    "th": r"\p{Thai}",
    "lo": r"\p{Lao}",
    "km": r"\p{Khmer}",
    "my": r"\p{Myanmar}",
}
SEGMENTED = frozenset(_SCRIPTS)
_INSIDE = 1  # characters of the language's scripts
_INHERITED = 2  # marks that belong to the script before them
_SYLLABLES = regex.compile(r"[가-힣]+")


@lru_cache
def segmenter(language: str, version: int = SEGMENTER) -> Callable[[str], np.ndarray] | None:
    """For a language (ISO 639-1) that needs one, a function of a text; None for all others.

    It gives int32, ascending: the characters of the text at which a word begins within its runs of
    the language's scripts; a run's first character is one, and so is the first behind it. The rest
    of the text has none. The same text gives the same places always, in time linear in its length;
    any number of threads may call it. version: of the rules (cut_rules.SEGMENTER). Raises Invalid
    for one that a newer Topograph made.
    """
    if language not in SEGMENTED:
        return None
    classes = classified([(_INHERITED, r"\p{Inherited}"), (_INSIDE, f"[{_SCRIPTS[language]}]")])
    cut = _cutter(language, version)

    def segment(text: str) -> np.ndarray:
        if text.isascii():
            return np.zeros(0, np.int32)
        kinds = classes[np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)]
        if not (kinds == _INSIDE).any():
            return np.zeros(0, np.int32)
        begins = np.zeros(len(text), bool)
        for first, last in _blocks(kinds):
            # Half a surrogate pair becomes “?”, and nothing moves
            block = text[first:last].encode("utf-8", "replace").decode()
            begins[first:last][_composed(block, cut)] = True
        begins &= kinds == _INSIDE
        begins[_edges(kinds)] = True
        return np.flatnonzero(begins).astype(np.int32)

    return segment


def _edges(kinds: np.ndarray) -> np.ndarray:
    """Where a run of the scripts begins, and where other characters follow one."""
    own_script = np.flatnonzero(kinds != _INHERITED)
    inside = np.append(False, kinds[own_script] == _INSIDE)
    return own_script[inside[1:] != inside[:-1]]


def _cutter(language: str, version: int) -> Cutter:
    """What cuts a block of text. Where a version has other rules, those of before stay here, for
    the corpora that were read with them."""
    if version > SEGMENTER:
        raise Invalid(
            "corpus",
            f"The words of this corpus were cut by a newer Topograph (segmenter {version}; this one"
            f" has {SEGMENTER}). Update Topograph.",
        )
    if language == "ko":
        return _korean
    if language == "zh":
        return _chinese
    return partial(_icu, language=language)


def _blocks(kinds: np.ndarray):
    """(first, last) of blocks that together are the text: none longer than BLOCK, and cut within a
    run only where one is longer."""
    first = 0
    length = len(kinds)
    while first < length:
        last = min(first + BLOCK, length)
        if last < length:
            outside = np.flatnonzero(kinds[first:last] == 0)
            last = first + int(outside[-1]) + 1 if len(outside) else last
        yield first, last
        first = last


def _composed(text: str, cut: Cutter) -> "list[int] | np.ndarray":
    """`cut`, of a text as the dictionaries have it: Apple's systems write characters and their
    marks apart."""
    composed = unicodedata.normalize("NFC", text)
    if len(composed) == len(text) or unicodedata.normalize("NFD", text) != text:
        return cut(text)
    lengths = np.fromiter(
        (len(unicodedata.normalize("NFD", character)) for character in composed),
        np.int64,
        len(composed),
    )
    return (np.cumsum(lengths) - lengths)[cut(composed)]


def _icu(text: str, language: str) -> np.ndarray:
    from icu4py.breakers import WordBreaker

    # Its places would count UTF-16's units
    lengths = np.fromiter(map(len, WordBreaker(text, language)), np.int64)
    return np.cumsum(lengths) - lengths


def _chinese(text: str) -> "list[int] | np.ndarray":
    """Simplified by jieba's dictionary, which has few traditional words; those by ICU's, which has
    both."""
    variants = _variants()[np.frombuffer(text.encode("utf-32-le"), np.uint32)]
    if np.count_nonzero(variants > 0) > np.count_nonzero(variants < 0):
        return _icu(text, "zh")
    import rjieba

    return [start for _, start, _ in rjieba.tokenize(text)]


@lru_cache
def _variants() -> np.ndarray:
    """int8[code points]: 1 for traditional characters, -1 for simplified ones, 0 for what both
    have.

    The old character sets tell: Big5 is Taiwan's, GB 2312 the mainland's.
    """
    script = np.zeros(CODES, np.int8)
    script[0x4E00:0xA000] = [
        _has("big5", c) - _has("gb2312", c) for c in map(chr, range(0x4E00, 0xA000))
    ]
    return script


def _has(encoding: str, character: str) -> bool:
    return bool(character.encode(encoding, "ignore"))


def _korean(text: str) -> list[int]:
    """The nouns and stems of each word, and its particles and endings. Chinese characters stay
    together."""
    breaks = []
    for match in _SYLLABLES.finditer(text):
        for start in range(match.start(), match.end(), LONGEST_RUN):
            breaks += [
                start + part
                for part in (0, *_parts(text[start : min(start + LONGEST_RUN, match.end())]))
            ]
    return breaks


@lru_cache(1 << 16)  # Korean words whose parts are kept: a text has few different ones
def _parts(word: str) -> tuple[int, ...]:
    """Where the parts of a word begin, the first excepted."""
    parts = _analysed(word)
    # The dictionary lacks the particle 이: 기능이 comes out as 기|능이. It stands where 을 does, which the
    # dictionary has.
    if word.endswith("이") and len(parts) > 1:
        with_other_particle = _analysed(word[:-1] + "을")
        if with_other_particle[-1] == ("을", "JKO"):
            return _begins(with_other_particle)
    return _begins(parts)


def _begins(parts: list[tuple[str, str]]) -> tuple[int, ...]:
    return tuple(np.cumsum([len(surface) for surface, _ in parts])[:-1].tolist())


def _analysed(word: str) -> list[tuple[str, str]]:
    return [(token.surface, token.details[0]) for token in _lindera().tokenize(word)]


@lru_cache
def _lindera():
    import lindera

    return lindera.Tokenizer(lindera.load_dictionary("embedded://ko-dic"))
