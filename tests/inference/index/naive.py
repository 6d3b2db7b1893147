"""A search by going through every document, word by word."""

import math
from types import SimpleNamespace

import numpy as np
import regex
import Stemmer

from inference.text.starts import Starts

PIECE = regex.compile(r"[\p{L}\p{M}\p{Nd}]+")


def spans(text: str) -> list[tuple[int, int, str]]:
    return [(*match.span(), match.group().lower()) for match in PIECE.finditer(text)]


def cut(text: str) -> list[str]:
    return [word for _, _, word in spans(text)]


def stream(documents: list[tuple[str, str]]) -> SimpleNamespace:
    """Of (title, text): what inference.text.Stream gives, in memory; every second piece has bits
    above its number."""
    numbers: dict[str, int] = {}
    arrays = {}
    for field, i in (("title_", 0), ("", 1)):
        found = [
            [
                (numbers.setdefault(m.group().lower(), len(numbers)), m.start())
                for m in PIECE.finditer(d[i])
            ]
            for d in documents
        ]
        flat = [pair for pieces in found for pair in pieces]
        words = np.array(
            [word | (j % 2) << 29 | (j % 4 == 3) << 30 for j, (word, _) in enumerate(flat)],
            np.int32,
        )
        lengths = np.array([len(pieces) for pieces in found], np.int32)
        starts = Starts.packed(np.array([s for _, s in flat], np.int32), lengths)
        arrays |= {field + "words": words, field + "lengths": lengths, field + "starts": starts}
    return SimpleNamespace(lexicon=list(numbers), **arrays)


class Naive:
    """Queries are given as trees: ("all", …), ("any", …), ("not", one), or ("stem" | "exact",
    [words]), ("begin", word)."""

    def __init__(self, documents: list[tuple[str, str]], language: str, cut=cut):
        self.documents = [(cut(title), cut(text)) for title, text in documents]
        self.stem = Stemmer.Stemmer(language).stemWord if language else str
        self.kept: dict = {}

    def count(self, words: list[str], how: str, wanted: list[str]) -> int:
        like = {
            "stem": lambda a, b: self.stem(a) == self.stem(b),
            "exact": str.__eq__,
            "begin": str.startswith,
        }[how]
        n = len(wanted)
        return sum(all(map(like, words[i : i + n], wanted)) for i in range(len(words) - n + 1))

    def counts(self, how: str, wanted: list[str]) -> list[int]:
        """Of each document, its title's five times."""
        key = (how, *wanted)
        if key not in self.kept:
            self.kept[key] = [
                5 * self.count(title, how, wanted) + self.count(text, how, wanted)
                for title, text in self.documents
            ]
        return self.kept[key]

    def has(self, document, tree) -> bool:
        kind, *rest = tree
        if kind == "not":
            return not self.has(document, rest[0])
        if kind in ("all", "any"):
            return {"all": all, "any": any}[kind](self.has(document, part) for part in rest)
        return any(self.count(words, kind, rest[0]) for words in document)

    def find(self, tree) -> list[int]:
        return [d for d, document in enumerate(self.documents) if self.has(document, tree)]

    def leaves(self, tree, nots: int = 0) -> list:
        """What stands under an even number of nots."""
        kind, *rest = tree
        if kind in ("all", "any", "not"):
            return [leaf for part in rest for leaf in self.leaves(part, nots + (kind == "not"))]
        return [] if nots % 2 else [tree]

    def score(self, tree, d: int) -> float:
        """BM25, straight from its formula, the title's counts five times."""
        D = len(self.documents)
        score = 0.0
        mean = sum(len(text) for _, text in self.documents) / D
        for how, wanted in self.leaves(tree):
            counts = self.counts(how, wanted)
            having = sum(count > 0 for count in counts)
            norm = 1.2 * (1 - 0.75 + 0.75 * len(self.documents[d][1]) / mean)
            score += (
                math.log(1 + (D - having + 0.5) / (having + 0.5))
                * counts[d]
                * 2.2
                / (counts[d] + norm)
            )
        return score
