"""A bag of words from a stream of texts, in memory that does not grow with their number (distinct words excepted)."""

from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from inference.bow import Bow
from inference.errors import Invalid
from inference.postings import Postings
from inference.text.tokenise import MAX_LETTERS, Tokeniser

_BLOCK = 4_000_000  # tokens looked at together: some 200 MB at the most
REASONS = ("too short", "too long", "stop word", "too rare", "too common")


@dataclass(frozen=True)
class VocabularyOptions:
    """Which words stay. Raises Invalid for a value that can't be."""

    stop_words: frozenset[str] = frozenset()
    min_documents: int = 5  # words in fewer documents are left out
    max_share: float = 0.5  # words in more than this share of the documents are left out

    def __post_init__(self):
        if self.min_documents < 1:
            raise Invalid("min_documents", f"The least number of documents must be at least 1, got {self.min_documents}.")
        if not 0 < self.max_share <= 1:
            raise Invalid("max_share", f"The largest share of documents must be above 0 and at most 1, got {self.max_share}.")


@dataclass(frozen=True)
class Vocabulary:
    """The words that stayed, most frequent first, and what was left out.

    words: V strings. tokens, documents: int64[V], occurrences and documents with the word. dropped: by reason (REASONS)
    (different words, occurrences), reasons that left out nothing excepted.
    """

    words: list[str]
    tokens: np.ndarray
    documents: np.ndarray
    dropped: dict[str, tuple[int, int]]


class CorpusBuilder:
    """`add` every text in order, then `finish`: row n of the bag of words is the n-th text, whatever it holds. Use `with`.

    Writes into `folder`: the tokens as they come (spools), then the bag of words.
    """

    def __init__(self, folder: Path, tokeniser: Tokeniser):
        self.folder, self.tokeniser = Path(folder), tokeniser
        self.folder.mkdir(parents=True, exist_ok=True)
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__  # the next word gets the next number
        self._lengths = array("q")
        self._spool_paths = {name: self.folder / f"spool-{name}" for name in ("words", "offsets")}
        self._spools = {name: path.open("wb") for name, path in self._spool_paths.items()}

    def __enter__(self) -> "CorpusBuilder":
        return self

    def __exit__(self, *_) -> None:
        """Leave no spool behind, finished or not."""
        for name, spool in self._spools.items():
            spool.close()
            self._spool_paths[name].unlink(missing_ok=True)

    def add(self, text: str) -> int:
        """Add a document; returns its number of words, those that may be left out later included."""
        words, offsets = self.tokeniser.located(text)
        if words and len(max(words, key=len)) > MAX_LETTERS:
            words = [word[: MAX_LETTERS + 1] for word in words]  # a megabyte without a space is no key to keep
        self._spools["words"].write(array("i", map(self._numbers.__getitem__, words)).tobytes())
        self._spools["offsets"].write(array("i", offsets).tobytes())
        self._lengths.append(len(words))
        return len(words)

    def finish(self, options: VocabularyOptions) -> tuple[Bow, Vocabulary]:
        """Choose the vocabulary and write the bag of words, and the same by word. Raises Invalid when no word stays."""
        for spool in self._spools.values():
            spool.close()
        tokens, documents = self._count()
        words = list(self._numbers)
        reason = self._reasons(words, documents, options)
        dropped = {
            name: (int(np.sum(reason == i)), int(tokens[reason == i].sum())) for i, name in enumerate(REASONS) if np.any(reason == i)
        }
        kept = np.flatnonzero(reason == len(REASONS))
        if not len(kept):
            raise Invalid("min_documents", _nothing_left(dropped, len(self._lengths), options))
        order = sorted(kept.tolist(), key=lambda w: (-tokens[w], words[w]))
        column = np.full(len(words), -1, np.int32)
        column[order] = np.arange(len(order), dtype=np.int32)
        self._write(column, len(order))
        vocabulary = Vocabulary([words[w] for w in order], tokens[order], documents[order], dropped)
        bow = Bow.open(self.folder)
        Postings.write(self.folder / "by_word", bow)
        return bow, vocabulary

    def _reasons(self, words: list[str], documents: np.ndarray, options: VocabularyOptions) -> np.ndarray:
        """For each word the place in REASONS of why it is left out, or len(REASONS) when it stays."""
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        stopped = np.fromiter((word in options.stop_words for word in words), bool, len(words))
        conditions = [
            lengths < self.tokeniser.min_length,
            lengths > MAX_LETTERS,
            stopped,
            documents < options.min_documents,
            documents > options.max_share * len(self._lengths),
        ]
        return np.select(conditions, list(range(len(REASONS))), len(REASONS))

    def _blocks(self) -> Iterator[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
        """(first document, word numbers, offsets, the document of each, counted from the first) in blocks of whole documents."""
        lengths = np.frombuffer(self._lengths, np.int64) if self._lengths else np.zeros(0, np.int64)
        ends = np.cumsum(lengths)
        first = 0
        with self._spool_paths["words"].open("rb") as words, self._spool_paths["offsets"].open("rb") as offsets:
            while first < len(lengths):
                before = ends[first] - lengths[first]
                last = max(first + 1, int(np.searchsorted(ends, before + _BLOCK, side="right")))
                block = (np.fromfile(spool, np.int32, int(ends[last - 1] - before)) for spool in (words, offsets))
                yield first, *block, np.repeat(np.arange(last - first), lengths[first:last])
                first = last

    def _rows(self, words: np.ndarray, document: np.ndarray, size: int):
        """Distinct (document, word) pairs in order, and how often each occurs."""
        pairs, counts = np.unique(document * np.int64(size) + words, return_counts=True)
        return *np.divmod(pairs, size), counts

    def _count(self) -> tuple[np.ndarray, np.ndarray]:
        size = len(self._numbers)
        tokens, documents = np.zeros(size, np.int64), np.zeros(size, np.int64)
        for _, words, _, document in self._blocks():
            _, word, counts = self._rows(words, document, size)
            tokens += np.bincount(words, minlength=size)
            documents += np.bincount(word, minlength=size)
        return tokens, documents

    def _write(self, column: np.ndarray, V: int) -> None:
        """Second pass: the arrays, written in blocks behind one another, then put on record by Bow.save."""
        indptr = np.zeros(len(self._lengths) + 1, np.int64)
        raw = {name: self.folder / f"{name}.raw" for name in ("words", "counts", "offsets")}
        with raw["words"].open("wb") as words_file, raw["counts"].open("wb") as counts_file, raw["offsets"].open("wb") as offsets_file:
            for first, words, offsets, document in self._blocks():
                mapped = column[words]
                stays = mapped >= 0
                mapped, document = mapped[stays], document[stays]
                row, word, counts = self._rows(mapped, document, V)
                per_row = np.bincount(row, minlength=0)
                indptr[first + 1 : first + 1 + len(per_row)] = per_row
                word.astype(np.int32).tofile(words_file)
                counts.astype(np.int32).tofile(counts_file)
                order = np.argsort(document * np.int64(V) + mapped, kind="stable")  # as _rows has them, in the text's order
                offsets[stays][order].tofile(offsets_file)
        np.cumsum(indptr, out=indptr)
        arrays = {name: np.memmap(path, np.int32, "r") if path.stat().st_size else np.zeros(0, np.int32) for name, path in raw.items()}
        Bow(indptr, **arrays, V=V, check=False).save(self.folder)
        for path in raw.values():
            path.unlink()


def _nothing_left(dropped: dict[str, tuple[int, int]], D: int, options: VocabularyOptions) -> str:
    if not dropped:
        return "The documents hold no words at all. Check that the right column and encoding were chosen."
    parts = ", ".join(f"{types:,} as {reason}" for reason, (types, _) in dropped.items())
    return (
        f"No word is left of {D:,} documents: {parts}. Words were kept if they stand in at least {options.min_documents:,} documents "
        f"and in at most {options.max_share:.0%} of them. Lower the first number, raise the second, or choose another language."
    )
