"""Patterns matched word by word in plain Python: the twin of inference.index.hits."""

import re
import unicodedata
from fnmatch import fnmatchcase

from inference.index.patterns import ANY, EXPRESSION, GLOB, Element, PatternPart
from inference.index.query import ANY_CASE, Piece


class Written(str):
    """A word as the lexicon has it, and how it is written in a text."""

    text: str

    def __new__(cls, word: str, text: str):
        made = super().__new__(cls, word)
        made.text = text
        return made


def case(text: str) -> int:
    """inference.text.case.key of a word that is written so: in small letters, with a capital, in
    capitals, or with which ones."""
    letters = [c for c in unicodedata.normalize("NFC", text) if c.isalnum()]
    large = [i for i, c in enumerate(letters) if c != c.lower()]
    if large in ([], [0]):
        return len(large)
    return (
        2
        if all(i in large or not c.isalpha() for i, c in enumerate(letters))
        else sum(4 << i for i in large) + 3
    )


def accepts(element: Element, word: str) -> bool:
    return any(_like(piece, word) for piece in element.words)


def _like(piece: Piece, word: str) -> bool:
    if piece == ANY:
        return True
    if piece.case != ANY_CASE and piece.case != case(word.text):
        return False
    asked = piece.word
    if not piece.marks:
        asked = plain(asked)
        word = plain(word)
    if piece.how == GLOB:
        return fnmatchcase(word, asked)
    return bool(re.fullmatch(asked, word, re.I)) if piece.how == EXPRESSION else word == asked


def plain(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")


def ends(elements: tuple[Element, ...], words: list[str], i: int) -> set[int]:
    """Behind which words a match may end that begins at word i."""
    if not elements:
        return {i}
    found = set()
    first = elements[0]
    for times in range(first.most + 1):
        if times >= first.least:
            found |= ends(elements[1:], words, i + times)
        if i + times == len(words) or not accepts(first, words[i + times]):
            break
    return found


def matches(part: PatternPart, words: list[str]) -> list[tuple[int, int]]:
    """Every (begin, end) of a part."""
    return [(i, end) for i in range(len(words)) for end in ends(part.elements, words, i) if end > i]


def hits(
    pattern: tuple[PatternPart, ...],
    words: list[str],
    held: set[int] | None = None,
    sentences: list[int] | None = None,
) -> list[tuple[int, int]]:
    """The matches that count. held: words of which a match must have one; None for all. sentences:
    which each word is in."""
    every = [matches(part, words) for part in pattern]
    found = []
    i = 0
    while i < len(words):
        longest = max((end for begin, end in every[0] if begin == i), default=None)
        if longest is None:
            i += 1
            continue
        near = all(
            any(
                (0 < b - (longest - 1) <= part.within or 0 < i - (e - 1) <= part.within)
                and not (
                    part.sentence
                    and len(
                        {
                            (sentences or [0] * len(words))[j]
                            for j in {*range(i, longest), *range(b, e)}
                        }
                    )
                    > 1
                )
                for b, e in others
            )
            for part, others in zip(pattern[1:], every[1:], strict=True)
        )
        if near and (held is None or held & set(range(i, longest))):
            found.append((i, longest))
        i = longest
    return found
