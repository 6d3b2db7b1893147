"""The words of a stream in alphabetical order and by stem, on disk: they turn a typed word into the
numbers of the words that it matches."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import regex
import Stemmer

from inference.errors import Invalid
from inference.index.patterns import ANY, EXPRESSION, match_whole, unmarked
from inference.index.query import BEGIN, EXACT, Piece
from inference.text.forms import STEMS

# Words that a beginning may stand for: each has documents of its own to be gone through
MOST_COMPLETIONS = 2_000
_BATCH = 100_000  # words stemmed at a time
_SLICE = 1 << 12  # words that are compared with an expression between two looks at the clock


@dataclass(frozen=True)
class Sorted:
    """Distinct strings in the order of their UTF-8 bytes. text: uint8, all of them in a row; ends:
    int64[n + 1]."""

    text: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, i: int) -> bytes:
        return self.text[self.ends[i] : self.ends[i + 1]].tobytes()

    def first(self, text: bytes) -> int:
        """The place of the first that is not less than a text."""
        return bisect_left(range(len(self)), text, key=self.__getitem__)

    def at(self, text: bytes) -> int | None:
        """The number of a form; None where it is not there."""
        i = self.first(text)
        return i if i < len(self) and self[i] == text else None

    def between(self, prefix: bytes) -> tuple[int, int]:
        """Those that begin so: the first, and the one behind the last."""
        return self.first(prefix), self.first(prefix + b"\xff")  # no UTF-8 has 0xff

    @classmethod
    def from_strings(cls, strings: pa.LargeStringArray) -> "Sorted":
        """strings: sorted, without nulls."""
        _, ends, text = strings.buffers()
        ends = np.frombuffer(ends, np.int64)[strings.offset : strings.offset + len(strings) + 1]
        return cls(np.frombuffer(text or b"", np.uint8)[ends[0] : ends[-1]], ends - ends[0])


class Forms(NamedTuple):
    """words: in order; numbers: int32[L], of each in the lexicon. stems: in order; groups: int64[S
    + 1]; members: int32[L], the words of stem s at members[groups[s]:groups[s + 1]]. Without a
    stemmer for the language a word is its own stem."""

    words: Sorted
    numbers: np.ndarray
    stems: Sorted
    groups: np.ndarray
    members: np.ndarray
    language: str

    @classmethod
    def write(cls, folder: Path, words: Iterable[str], language: str) -> None:
        """words: of the lexicon, by number."""
        folder.mkdir(parents=True)
        all_words = _strings(words)
        order = pc.array_sort_indices(all_words)
        _save(
            folder,
            "words",
            Sorted.from_strings(all_words.take(order)),
            numbers=order.to_numpy().astype(np.int32),
        )
        if language not in STEMS:
            return
        stemmed = _strings(_stemmed(all_words, language))
        order = pc.array_sort_indices(stemmed)
        in_order = stemmed.take(order)
        first = np.ones(len(in_order), bool)
        first[1:] = pc.not_equal(in_order[1:], in_order[:-1]).to_numpy(zero_copy_only=False)
        groups = np.append(np.flatnonzero(first), len(in_order))
        distinct = in_order.take(pa.array(groups[:-1]))
        _save(
            folder,
            "stems",
            Sorted.from_strings(distinct),
            groups=groups,
            members=order.to_numpy().astype(np.int32),
        )

    @classmethod
    def open(cls, folder: Path, language: str) -> "Forms":
        """The forms of an index, in its language, mapped."""

        def mapped(name: str) -> np.ndarray:
            return np.load(folder / f"{name}.npy", mmap_mode="r")

        words = Sorted(mapped("words_text"), mapped("words_ends"))
        numbers = mapped("numbers")
        if not (folder / "groups.npy").exists():
            return cls(words, numbers, words, np.arange(len(words) + 1), numbers, "")
        return cls(
            words,
            numbers,
            Sorted(mapped("stems_text"), mapped("stems_ends")),
            mapped("groups"),
            mapped("members"),
            language,
        )

    def matching(self, piece: Piece) -> np.ndarray:
        """int32, ascending: the words that a piece of a query matches. Raises Invalid where a
        beginning has too many."""
        if piece.how == BEGIN:
            low, high = self.words.between(piece.word.encode())
            if high - low > MOST_COMPLETIONS:
                raise Invalid(
                    "q",
                    f"{high - low:,} different words begin with “{piece.word}”, at most"
                    f" {MOST_COMPLETIONS:,} can be"
                    " searched for: write more of it.",
                )
            return np.sort(self.numbers[low:high])
        if piece.how == EXACT:
            at = self.words.at(piece.word.encode())
            return np.zeros(0, np.int32) if at is None else np.array(self.numbers[at : at + 1])
        stem = piece.word
        if self.language:
            stem = Stemmer.Stemmer(STEMS[self.language]).stemWord(piece.word)
        return self.of_stem(stem)

    def of_stem(self, stem: str) -> np.ndarray:
        """int32, ascending: the words that have this stem."""
        at = self.stems.at(stem.encode())
        if at is None:
            return np.zeros(0, np.int32)
        return np.sort(self.members[self.groups[at] : self.groups[at + 1]])

    def like(self, piece: Piece, until: float) -> np.ndarray:
        """int32: the words that a piece of a pattern matches. until: of time.monotonic(), when it
        must have ended. Raises Invalid."""
        if piece == ANY or piece.how == EXACT and piece.marks:
            return self.numbers if piece == ANY else self.matching(piece)
        word = piece.word
        if not piece.marks:
            word = unmarked(pa.array([word], pa.large_string()))[0].as_py()
        literal = [""] if piece.how == EXPRESSION else regex.split(r"([*?])", word)
        low, high = self.words.between(literal[0].encode()) if piece.marks else (0, len(self.words))
        expression = (
            "".join({"*": ".*", "?": "."}.get(part) or regex.escape(part) for part in literal)
            or word
        )
        parts = [np.zeros(0, np.int32)]
        text = pa.py_buffer(self.words.text)
        for i in range(low, high, _SLICE):
            ends = self.words.ends[i : min(high, i + _SLICE) + 1]
            words = pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), text)
            if not piece.marks:
                words = unmarked(words)
            matches = match_whole(words, expression)
            parts.append(self.numbers[i : i + len(matches)][matches.to_numpy(zero_copy_only=False)])
            if monotonic() > until:
                raise Invalid(
                    "pattern",
                    f"Looking for the words of “{piece.word}” takes too long. Write a simpler one.",
                )
        return np.concatenate(parts)


def _strings(words: Iterable[str]) -> pa.LargeStringArray:
    words = iter(words)
    chunks = []
    while batch := list(islice(words, _BATCH)):
        chunks.append(pa.array(batch, pa.large_string()))
    return pa.concat_arrays(chunks) if chunks else pa.array([], pa.large_string())


def _stemmed(words: pa.LargeStringArray, language: str) -> Iterable[str]:
    stemmer = Stemmer.Stemmer(STEMS[language])  # one a call: they are not for several threads
    for i in range(0, len(words), _BATCH):
        yield from stemmer.stemWords(words[i : i + _BATCH].to_pylist())


def _save(folder: Path, name: str, strings: Sorted, **arrays: np.ndarray) -> None:
    for key, array in {
        f"{name}_text": strings.text,
        f"{name}_ends": strings.ends,
        **arrays,
    }.items():
        np.save(folder / f"{key}.npy", array)
