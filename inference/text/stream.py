"""A corpus's pieces on disk, as they were read once. The words that count are chosen from them as often as needed,
without the texts."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from inference.durable import rewrite
from inference.errors import Invalid
from inference.text.lexicon import Lexicon
from inference.text.tokenise import Tokeniser

FORMAT = 1  # raised when the files change their meaning
_TEXTS, _TITLES = ("words", "starts", "lengths"), ("title-words", "title-starts", "title-lengths")
_CHECKPOINT = "checkpoint.json"
_BLOCK = 1_000_000  # pieces in memory at a time


class Block(NamedTuple):
    """Whole documents, `first` and following. words, starts: int32, as Pieces; ends: int64, where each document's
    pieces end."""

    first: int
    words: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


class Stream:
    """words, starts: int32[tokens], lengths: int32[D], as Pieces has them, mapped; title_words, title_starts,
    title_lengths likewise. Titles share the lexicon and count no words.
    """

    def __init__(self, folder: Path, checkpoint: dict):
        self.folder, self.checkpoint = Path(folder), checkpoint
        self.D, self.tokens = checkpoint["D"], checkpoint["words"]
        self.language, self.given = checkpoint["language"], checkpoint["given"]
        self.words, self.starts, self.lengths, self.title_words, self.title_starts, self.title_lengths = (
            np.memmap(self.folder / name, np.int32, "r", shape=(checkpoint[name],))
            if checkpoint[name]
            else np.zeros(0, np.int32)
            for name in (*_TEXTS, *_TITLES)
        )
        self.lexicon = Lexicon.open(self.folder, checkpoint["lexicon"])

    @classmethod
    def open(cls, folder: Path) -> "Stream":
        """As of the last commit. Raises Invalid when there is none, or of another format."""
        try:
            checkpoint = json.loads((Path(folder) / _CHECKPOINT).read_text())
        except (FileNotFoundError, ValueError):
            raise Invalid("corpus", f"There is no stream of words in {folder}.") from None
        if checkpoint["format"] != FORMAT:
            raise Invalid(
                "corpus",
                f"The stream of words in {folder} has format {checkpoint['format']}; this version reads {FORMAT}.",
            )
        return cls(folder, checkpoint)

    @staticmethod
    def write(folder: Path, tokeniser: Tokeniser, resume: dict | None = None) -> "Writer":
        """A writer, for `with`. resume: what `commit` returned; later pieces are forgotten. None: begin again.

        The tokeniser must not have been used yet: its words are read from the folder.
        """
        return Writer(Path(folder), tokeniser, resume)

    @staticmethod
    def sizes(checkpoint: dict, prefix: str = "") -> dict[str, int]:
        """Bytes of each of its files, as of what `commit` returned: they only grow."""
        letters, ends = (path.name for path in Lexicon.files(Path()))
        sizes = {name: 4 * checkpoint[name] for name in (*_TEXTS, *_TITLES)}
        sizes |= {letters: checkpoint["letters"], ends: 4 * checkpoint["lexicon"]}
        return {prefix + name: size for name, size in sizes.items()}

    def blocks(self, documents: int | None = None, size: int = _BLOCK, places: bool = True) -> Iterator[Block]:
        """The documents in order, some at a time, read rather than mapped: memory stays flat. documents: the first so
        many.
        places: whether `starts` are wanted, too; else they are empty."""
        documents = self.D if documents is None else min(documents, self.D)
        first = 0
        with open(self.folder / "words", "rb") as words, open(self.folder / "starts", "rb") as starts:
            while first < documents:
                lengths = self.lengths[first : min(documents, first + size)].astype(np.int64)
                lengths = lengths[: max(1, int(np.searchsorted(np.cumsum(lengths), size, side="right")))]
                end = int(lengths.sum())
                at = np.fromfile(starts, np.int32, end if places else 0)
                yield Block(first, np.fromfile(words, np.int32, end), at, np.cumsum(lengths, dtype=np.int64))
                first += len(lengths)


class Writer:
    """Appends documents; what was not committed is forgotten when it is opened again."""

    def __init__(self, folder: Path, tokeniser: Tokeniser, resume: dict | None):
        self.folder, self.tokeniser = folder, tokeniser
        anew: dict[str, Any] = {
            "format": FORMAT, "language": tokeniser.language, "given": tokeniser.given, "D": 0, "lexicon": 0, "letters": 0,
            **dict.fromkeys((*_TEXTS, *_TITLES), 0),
        }  # fmt: skip
        self._checkpoint: dict[str, Any] = anew if resume is None else resume
        if (self._checkpoint["language"], self._checkpoint["given"]) != (tokeniser.language, tokeniser.given):
            raise Invalid(
                "language", "The words of a corpus can't be cut in two ways: its stream was begun with other settings."
            )
        self.D: int = self._checkpoint["D"]

    def __enter__(self) -> "Writer":
        at = self._checkpoint
        self.folder.mkdir(parents=True, exist_ok=True)
        if at["lexicon"]:
            self.tokeniser.know(Lexicon.open(self.folder, at["lexicon"]))
        letters, ends = Lexicon.files(self.folder)
        sizes = {name: (self.folder / name, 4 * at[name]) for name in (*_TEXTS, *_TITLES)}
        sizes |= {"letters": (letters, at["letters"]), "lexicon": (ends, 4 * at["lexicon"])}
        self._files = {name: _opened(path, size) for name, (path, size) in sizes.items()}
        self._keep()
        return self

    def __exit__(self, *_) -> None:
        for file in self._files.values():
            file.close()

    def add(self, texts: list[str], titles: list[str]) -> np.ndarray:
        """Append documents. Returns int32: the pieces of each text."""
        of_texts, of_titles = self.tokeniser.pieces(texts), self.tokeniser.pieces(titles)
        for names, pieces in ((_TEXTS, of_texts), (_TITLES, of_titles)):
            for name, array in zip(names, (pieces.words, pieces.starts, pieces.lengths), strict=True):
                array.tofile(self._files[name])
        self.D += len(texts)
        return of_texts.lengths

    def commit(self) -> dict:
        """Put all that was added on disk. Returns the checkpoint, from which writing can be taken up again; it is
        JSON."""
        new = self.tokeniser.since(self._checkpoint["lexicon"])
        if self._checkpoint["letters"] + len(new.letters) >= 1 << 32:
            raise Invalid(
                "files", "The texts have more different words than can be told apart: 4 GB of letters. Are they texts?"
            )
        np.asarray(new.letters).tofile(self._files["letters"])
        (new.ends + np.uint32(self._checkpoint["letters"])).tofile(self._files["lexicon"])
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())
        at = {name: self._files[name].tell() // 4 for name in (*_TEXTS, *_TITLES, "lexicon")}
        self._checkpoint = self._checkpoint | at | {"letters": self._files["letters"].tell(), "D": self.D}
        self._keep()
        return self._checkpoint

    def _keep(self) -> None:
        rewrite(self.folder / _CHECKPOINT, json.dumps(self._checkpoint).encode())


def _opened(path: Path, size: int):
    """For appending behind the first `size` bytes. Raises Invalid where there are fewer."""
    if not size:
        # Whoever has it mapped keeps what it was: cut short under them, it would end their process
        path.unlink(missing_ok=True)
    path.touch()
    if path.stat().st_size < size:
        raise Invalid(
            "corpus", f"{path.name} of the stream of words has {path.stat().st_size} bytes, expected at least {size}."
        )
    os.truncate(path, size)
    file = path.open("r+b")
    file.seek(size)
    return file


# A sample of documents, evenly spread over a long stream: enough to show within a second what a choice of words
# gives.
MOST = 1_500_000  # pieces: some 8 MB of English


class Spread:
    """What `count` asks of a stream; all of its documents where they have at most so many pieces.

    D: documents that are here; numbers: int64, theirs in the stream; lengths: int32, their words. whole: whether they are all. Memory: 8 bytes a
    document of the stream, and 8 a piece that is here.
    """

    def __init__(self, stream: Stream, most: int = MOST):
        self.lexicon = stream.lexicon
        ends = np.cumsum(stream.lengths, dtype=np.int64)
        total = int(ends[-1]) if len(ends) else 0
        step = max(1, -(-total // most))
        numbers = np.arange(step // 2, len(ends), step) if len(ends) > step else np.arange(min(1, len(ends)))
        self.whole = len(numbers) == len(ends)
        # Where documents differ much in length, the ones that were met may have more than was asked for.
        lengths = stream.lengths[numbers].astype(np.int64)
        numbers = numbers[: max(1, int(np.searchsorted(np.cumsum(lengths), 2 * most, side="right")))]
        self.D, self.numbers, self.lengths = len(numbers), numbers, stream.lengths[numbers]
        spans = [slice(int(ends[d]) - int(stream.lengths[d]), int(ends[d])) for d in numbers]
        self._words, self._starts = (
            np.concatenate([array[span] for span in spans]) if spans else np.zeros(0, np.int32)
            for array in (stream.words, stream.starts)
        )
        self._ends = np.cumsum(stream.lengths[numbers], dtype=np.int64)

    @property
    def tokens(self) -> int:
        return len(self._words)

    def blocks(self, documents: int | None = None, places: bool = True) -> Iterator[Block]:
        """All at once, with places. documents: as Stream.blocks has it; must be D."""
        if self.D:
            yield Block(0, self._words, self._starts, self._ends)
