"""A corpus's pieces on disk, as they were read once. The words that count are chosen from them as
often as needed, without the texts."""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from inference.errors import Invalid
from inference.runtime.durable import rewrite, settle
from inference.text import case
from inference.text.case import CASE
from inference.text.characters import Characters
from inference.text.cut_rules import of_checkpoint
from inference.text.lexicon import Lexicon
from inference.text.starts import Starts
from inference.text.table import NUMBER
from inference.text.tokenise import TokenisedText, Tokeniser

FORMAT = 2  # raised when the files change their meaning
# The entries of each file, of which the checkpoint says how many there are
_WRITTEN = {
    "words": "i4",
    "steps": "u1",
    "far": "2i8",
    "mixed": "2i8",
    "lengths": "i4",
    "title-words": "i4",
    "title-lengths": "i4",
    "lexicon": "u4",
    "letters": "u1",
}
# Of format 1, in the place of steps, far and mixed
_BEFORE = {
    "starts": "i4",
    "title-starts": "i4",
}
_OF_PIECES = ("words", "steps", "far", "mixed")
_KINDS = {name: np.dtype(kind) for name, kind in (_WRITTEN | _BEFORE).items()}
_LEXICON = dict(
    zip(("letters", "lexicon"), (path.name for path in Lexicon.files(Path())), strict=True)
)
_TOO_MANY = (
    "The texts have more different words than can be told apart: 134 million, or 4 GB of letters."
    " Are they texts?"
)
_CHECKPOINT = "checkpoint.json"
_BLOCK = 1_000_000  # pieces in memory at a time
_DOCUMENTS = 1_000  # whose lengths are looked at first, where a block ends


class Block(NamedTuple):
    """Whole documents, `first` and following. words, starts: int32, as TokenisedText has them; ends:
    int64, where each document's pieces end."""

    first: int
    words: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


class Stream:
    """words: int32[tokens], as TokenisedText has them, with how they are written (case.CASE), and lengths:
    int32[D], mapped; title_words, title_lengths likewise, without that. starts: where words begin.
    mixed: int64[n, 2], of words with capitals not at the beginning alone their places, ascending,
    and capitals (case.mark); None where an older version read the texts. Titles share the lexicon
    and count no words.
    """

    def __init__(self, folder: Path, checkpoint: dict):
        if checkpoint["lexicon"] > NUMBER:  # format 1 had room for more
            raise Invalid("corpus", _TOO_MANY)
        self.folder = Path(folder)
        self.checkpoint = checkpoint
        self.D = checkpoint["D"]
        self.tokens = checkpoint["words"]
        self.language = checkpoint["language"]
        self.given = checkpoint["given"]
        self.rules = of_checkpoint(checkpoint)
        self.words = self._mapped("words")
        self.lengths = self._mapped("lengths")
        self.title_words = self._mapped("title-words")
        self.title_lengths = self._mapped("title-lengths")
        self.starts = Starts(
            self._mapped("steps" if "steps" in checkpoint else "starts"), self._mapped("far")
        )
        self.mixed = self._mapped("mixed") if "mixed" in checkpoint else None
        self.lexicon = Lexicon.open(self.folder, checkpoint["lexicon"])

    def tokeniser(self) -> Tokeniser:
        """A new one that cuts texts as these were cut."""
        return Tokeniser(self.language, self.given, self.rules)

    def _mapped(self, name: str) -> np.ndarray:
        count = self.checkpoint.get(name, 0)
        return (
            np.memmap(self.folder / name, _KINDS[name], "r", shape=(count,))
            if count
            else np.zeros(0, _KINDS[name])
        )

    @classmethod
    def open(cls, folder: Path) -> "Stream":
        """The stream as its last commit left it. Raises Invalid when there is none, or of a newer
        format."""
        try:
            checkpoint = json.loads((Path(folder) / _CHECKPOINT).read_text())
        except (FileNotFoundError, ValueError):
            raise Invalid("corpus", f"There is no stream of words in {folder}.") from None
        if checkpoint["format"] > FORMAT:
            raise Invalid(
                "corpus",
                f"The stream of words in {folder} has format {checkpoint['format']}; this version"
                f" reads {FORMAT}.",
            )
        return cls(folder, checkpoint)

    @staticmethod
    def write(folder: Path, tokeniser: Tokeniser, resume: dict | None = None) -> "Writer":
        """A writer, for `with`. resume: what `commit` returned; later pieces are forgotten. None:
        begin again.

        The tokeniser must not have been used yet: its words are read from the folder.
        """
        return Writer(Path(folder), tokeniser, resume)

    @staticmethod
    def sizes(checkpoint: dict, prefix: str = "") -> dict[str, int]:
        """Bytes of each of its files, as of what `commit` returned: they only grow."""
        stored_arrays = {
            name: kind.itemsize * checkpoint[name]
            for name, kind in _KINDS.items()
            if name in checkpoint
        }
        return {prefix + _LEXICON.get(name, name): size for name, size in stored_arrays.items()}

    @staticmethod
    def renew(folder: Path, checkpoint: dict, texts: Iterable[list[str]]) -> dict:
        """Bring a stream, as of what `commit` returned, from an older format to this one. Returns
        what `commit` would. texts: of its documents, in order, with all that its pieces were cut
        of. Killed, it leaves a stream that can be read; its old files stay for who has them on
        record (`remove_old`)."""
        stream = Stream(folder, checkpoint)
        paths = {name: Path(folder, f"{name}.new") for name in _OF_PIECES}
        characters = stream.tokeniser().characters
        d = 0
        next_piece = 0
        with ExitStack() as closing:
            anew = {name: closing.enter_context(path.open("wb")) for name, path in paths.items()}
            for text_batch in texts:
                lengths = stream.lengths[d : d + len(text_batch)]
                ends = next_piece + np.cumsum(lengths, dtype=np.int64)
                words = stream.words[next_piece : ends[-1]] & ~CASE
                starts = stream.starts.of(ends - lengths, ends)
                for name, array in _columns(
                    text_batch,
                    TokenisedText(words, starts, starts, lengths),
                    characters,
                    next_piece,
                ).items():
                    array.tofile(anew[name])
                d = d + len(text_batch)
                next_piece = int(ends[-1])
        if d != stream.D:
            raise Invalid(
                "corpus",
                f"The stream of words has {stream.D:,} documents, and {d:,} texts are there.",
            )
        checkpoint = {name: value for name, value in checkpoint.items() if name not in _BEFORE} | {
            "format": FORMAT
        }
        checkpoint |= {
            name: path.stat().st_size // _KINDS[name].itemsize for name, path in paths.items()
        }
        for name, path in paths.items():  # whoever has the file mapped that there was keeps it
            path.replace(stream.folder / name)
        settle(stream.folder)
        rewrite(stream.folder / _CHECKPOINT, json.dumps(checkpoint).encode())
        settle(stream.folder)
        return checkpoint

    @staticmethod
    def remove_old(folder: Path) -> None:
        """What this format does not have."""
        for name in _BEFORE:
            (Path(folder) / name).unlink(missing_ok=True)

    def blocks(
        self, documents: int | None = None, size: int = _BLOCK, places: bool = True
    ) -> Iterator[Block]:
        """The documents in order, some at a time, read rather than mapped: memory stays flat.
        documents: the first so many.
        places: whether `starts` are wanted, too; else they are empty."""
        documents = self.D if documents is None else min(documents, self.D)
        first = 0
        at = 0
        with open(self.folder / "words", "rb") as words:
            while first < documents:
                ends = self._block_ends(first, min(documents, first + size), size)
                begins = at + np.append(0, ends[:-1])
                starts = self.starts.of(begins, at + ends) if places else np.zeros(0, np.int32)
                yield Block(
                    first, np.fromfile(words, np.int32, int(ends[-1])) & ~CASE, starts, ends
                )
                first = first + len(ends)
                at = at + int(ends[-1])

    def pieces_of(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The `words` of some documents, one behind the other, and the `ends` of these, as a Block
        has them. numbers: int[n], of the documents; at least one."""
        lengths = self.lengths[numbers]
        stops = np.cumsum(self.lengths, dtype=np.int64)[numbers]
        texts = [
            self.words[stop - length : stop]
            for stop, length in zip(stops.tolist(), lengths.tolist(), strict=True)
        ]
        return np.concatenate(texts) & ~CASE, np.cumsum(lengths, dtype=np.int64)

    def _block_ends(self, first: int, end: int, size: int) -> np.ndarray:
        """int64: where the documents of a block end, from its beginning: those from `first` on that
        have `size` pieces together at most, and one at least, before `end`."""
        looked_at = _DOCUMENTS
        while True:
            lengths = self.lengths[first : min(end, first + looked_at)]
            ends = np.cumsum(lengths, dtype=np.int64)
            if ends[-1] > size or first + looked_at >= end:
                return ends[: max(1, int(np.searchsorted(ends, size, side="right")))]
            looked_at *= 2


class Writer:
    """Appends documents; what was not committed is forgotten when it is opened again."""

    def __init__(self, folder: Path, tokeniser: Tokeniser, resume: dict | None):
        self.folder = folder
        self.tokeniser = tokeniser
        anew: dict[str, Any] = {
            "format": FORMAT,
            "language": tokeniser.language,
            "given": tokeniser.given,
            "cut": tokeniser.rules.cut,
            "segmenter": tokeniser.rules.segmenter,
            "D": 0,
            **dict.fromkeys(_WRITTEN, 0),
        }
        self._checkpoint: dict[str, Any] = anew if resume is None else resume
        settings_of_stream = (
            self._checkpoint["language"],
            self._checkpoint["given"],
            of_checkpoint(self._checkpoint),
        )
        if settings_of_stream != (tokeniser.language, tokeniser.given, tokeniser.rules):
            raise Invalid(
                "language",
                "The words of a corpus can't be cut in two ways: its stream was begun with other"
                " settings.",
            )
        if self._checkpoint["format"] < FORMAT:
            raise Invalid(
                "corpus",
                "Documents are added to a stream of an older version when it has been renewed.",
            )
        self.D: int = self._checkpoint["D"]

    def __enter__(self) -> "Writer":
        at = self._checkpoint
        self.folder.mkdir(parents=True, exist_ok=True)
        if at["lexicon"]:
            self.tokeniser.know(Lexicon.open(self.folder, at["lexicon"]))
        self._files = {
            name: _opened(self.folder / _LEXICON.get(name, name), _KINDS[name].itemsize * at[name])
            for name in _WRITTEN
        }
        self._keep()
        return self

    def __exit__(self, *_) -> None:
        for file in self._files.values():
            file.close()

    def add(self, texts: list[str], titles: list[str]) -> np.ndarray:
        """Append documents. Returns int32: the pieces of each text."""
        of_texts = self.tokeniser.pieces(texts)
        of_titles = self.tokeniser.pieces(titles)
        columns = _columns(
            texts,
            of_texts,
            self.tokeniser.characters,
            self._files["words"].tell() // _KINDS["words"].itemsize,
        ) | {
            "lengths": of_texts.lengths,
            "title-words": of_titles.words,
            "title-lengths": of_titles.lengths,
        }
        for name, array in columns.items():
            array.tofile(self._files[name])
        self.D += len(texts)
        return of_texts.lengths

    def commit(self) -> dict:
        """Put all that was added on disk. Returns the checkpoint, from which writing can be taken
        up again; it is JSON."""
        new = self.tokeniser.since(self._checkpoint["lexicon"])
        if (
            self._checkpoint["letters"] + len(new.letters) >= 1 << 32
            or self.tokeniser.count > NUMBER
        ):
            raise Invalid("files", _TOO_MANY)
        np.asarray(new.letters).tofile(self._files["letters"])
        (new.ends + np.uint32(self._checkpoint["letters"])).tofile(self._files["lexicon"])
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())
        at = {name: file.tell() // _KINDS[name].itemsize for name, file in self._files.items()}
        self._checkpoint = self._checkpoint | at | {"D": self.D}
        self._keep()
        return self._checkpoint

    def _keep(self) -> None:
        rewrite(self.folder / _CHECKPOINT, json.dumps(self._checkpoint).encode())


def _columns(
    texts: list[str], pieces: TokenisedText, characters: Characters, first_token: int
) -> dict[str, np.ndarray]:
    """What is kept of texts in the files by piece. first_token: of the first among all."""
    capitals = case.mark(texts, pieces.words, pieces.starts, pieces.lengths, characters)
    mixed = np.flatnonzero(pieces.words & CASE == CASE)
    steps, far = Starts.packed(pieces.starts, pieces.lengths, first_token)
    return dict(
        zip(
            _OF_PIECES,
            (pieces.words, steps, far, np.stack([first_token + mixed, capitals[mixed]], 1)),
            strict=True,
        )
    )


def _opened(path: Path, size: int):
    """For appending behind the first `size` bytes. Raises Invalid where there are fewer."""
    if not size:
        # Whoever has it mapped keeps what it was: cut short under them, it would end their process
        path.unlink(missing_ok=True)
    path.touch()
    if path.stat().st_size < size:
        raise Invalid(
            "corpus",
            f"{path.name} of the stream of words has {path.stat().st_size} bytes, expected at least"
            f" {size}.",
        )
    os.truncate(path, size)
    file = path.open("r+b")
    file.seek(size)
    return file


# A sample of documents, evenly spread over a long stream: enough to show within a second what a
# choice of words gives.
MOST_SAMPLE_PIECES = 1_500_000  # pieces: some 8 MB of English


class Spread:
    """What `count` asks of a stream; all of its documents where they have at most so many pieces.

    D: documents that are here; numbers: int64, theirs in the stream; lengths: int32, their words.
    whole: whether they are all. Memory: 8 bytes a document of the stream, and 8 a piece that is
    here.
    """

    def __init__(self, stream: Stream, limit: int = MOST_SAMPLE_PIECES):
        self.lexicon = stream.lexicon
        ends = np.cumsum(stream.lengths, dtype=np.int64)
        total = int(ends[-1]) if len(ends) else 0
        step = max(1, -(-total // limit))
        numbers = (
            np.arange(step // 2, len(ends), step)
            if len(ends) > step
            else np.arange(min(1, len(ends)))
        )
        self.whole = len(numbers) == len(ends)
        # Where documents differ much in length, the ones that were met may have more than was asked
        # for.
        lengths = stream.lengths[numbers].astype(np.int64)
        numbers = numbers[
            : max(1, int(np.searchsorted(np.cumsum(lengths), 2 * limit, side="right")))
        ]
        self.D = len(numbers)
        self.numbers = numbers
        self.lengths = stream.lengths[numbers]
        ends = ends[numbers]
        begins = ends - self.lengths
        spans = [stream.words[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)]
        self._words = np.concatenate([np.zeros(0, np.int32), *spans]) & ~CASE
        self._starts = stream.starts.of(begins, ends)
        self._ends = np.cumsum(self.lengths, dtype=np.int64)

    @property
    def tokens(self) -> int:
        """Words of all its documents, stop words included."""
        return len(self._words)

    def blocks(self, documents: int | None = None, places: bool = True) -> Iterator[Block]:
        """All at once, with places. documents: as Stream.blocks has it; must be D."""
        if self.D:
            yield Block(0, self._words, self._starts, self._ends)
