"""The index of a token stream: documents of a query, how well each matches, and where in its
text."""

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sized
from functools import reduce
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import numpy as np

from inference.documents import numbers_of_mask
from inference.errors import Invalid
from inference.index import segments, unfollowed
from inference.index.forms import Forms
from inference.index.lists import Matches, add, either, intersection, opposite
from inference.index.query import (
    EXACT,
    AnyOf,
    Node,
    NotOf,
    Piece,
    PieceSequence,
    parse,
    sequences,
)
from inference.index.segments import NUMBER, IndexField, Scratch
from inference.runtime.arrays import frozen, offsets_of_parts
from inference.runtime.durable import rewrite
from inference.runtime.jit import njit
from inference.runtime.recent import RecentResults
from inference.runtime.threads import in_two
from inference.text.starts import Starts

FIELDS = ("text", "title")
FORMAT = 1  # of the folder: raised when the files change their meaning
# A word in a title counts as so many in the text, before counts saturate (Robertson & Zaragoza
# 2009, section 3.6)
TITLE = 5.0
SMOOTHING = 0.5  # documents, in BM25's weight of a word
# BM25's usual saturation and correction for length (ibid., section 3.4)
K1 = 1.2
B = 0.75
END = 1 << 40  # behind every text
SORTED_COST = 16  # a document that is put in order costs as much as so many looked at in a row
PHRASES = 4  # that were looked up last are kept: they are found, then ranked; 6 bytes a document
PLACES = 10_000  # of a word in a document that `places` gives: a snippet is chosen among them

# A text -> (start, end, word) of each piece: inference.text.Tokeniser.spans
Spans = Callable[[str], list[tuple[int, int, str]]]
# (field, documents int32, counts, of one of segments.COUNT_TYPES)
FieldCounts = tuple[str, np.ndarray, np.ndarray]


class Words(Iterable[str], Sized, Protocol):
    """Words by number."""

    def words(self, numbers: np.ndarray) -> list[str]:
        """Those of some numbers, in their order."""


class Tokeniser(Protocol):
    """What is read of inference.text.Tokeniser."""

    def written(self, text: str) -> list[tuple[str, int]]: ...


class Stream(Protocol):
    """What is read of inference.text.Stream. lexicon: by number. words: int32 by piece; lengths:
    int32[D]; of titles, too."""

    @property
    def lexicon(self) -> Words: ...
    def tokeniser(self) -> Tokeniser: ...

    language: str
    given: bool
    words: np.ndarray
    starts: Starts
    lengths: np.ndarray
    mixed: np.ndarray | None
    title_words: np.ndarray
    title_lengths: np.ndarray


def no_index() -> Invalid:
    """The error where a corpus has none."""
    return Invalid(
        "corpus", "This corpus was read by a version that kept no index to search. Read it again."
    )


class Index:
    """Made by `write`, read by `open`. Documents are numbered as in the stream."""

    def __init__(
        self,
        stream: Stream,
        spans: Spans,
        forms: Forms,
        fields: dict[str, list[IndexField]],
        bounds: np.ndarray,
        made: int,
        unfollowed_words: list[IndexField | None],
    ):
        """unfollowed_words: of each segment, as inference.index.unfollowed has it; None where an
        older version wrote the segment."""
        self.made = made  # how often the folder was written: caches ask
        self.stream = stream
        self.spans = spans
        self.forms = forms
        self.fields = fields
        self.unfollowed = unfollowed_words
        self.bounds = bounds  # int64[segments + 1]: of their documents
        self.D = int(bounds[-1])
        self._phrases: RecentResults[PieceSequence, list[FieldCounts]] = RecentResults(PHRASES)

    @classmethod
    def write(
        cls,
        folder: Path,
        stream: Stream,
        language: str = "",
        *,
        extend: bool = False,
        advance: Callable[[int], None] = lambda done: None,
    ) -> None:
        """Index all of a stream. language: ISO 639-1, whose stems are matched; "" for none.

        extend: the stream is what the folder's index was made from, and more: its full segments are
        kept. advance: called with how many documents are done. Whoever has the folder open keeps
        what was there; killed, it leaves the index that there was.
        """
        folder = Path(folder)
        old = _meta(folder)
        generation = 1 + (old["made"] if old else 0)
        # The last may not be full: it is made again
        finished = old["segments"][:-1] if old and extend else []
        end = finished[-1]["end"] if finished else 0
        first_pieces = dict.fromkeys(FIELDS, 0)
        if finished:
            last_segment = folder / finished[-1]["name"]
            for field in FIELDS:
                first_pieces[field] = int(IndexField.open(last_segment / field).first[-1])
        scratch = Scratch(len(stream.lexicon))
        while end < len(stream.lengths):
            name = f"{generation}.{len(finished)}"
            end, first_pieces = _write_segment(folder / name, stream, end, first_pieces, scratch)
            finished.append({"name": name, "end": end})
            advance(end)
        name = f"{generation}.words"
        shutil.rmtree(folder / name, ignore_errors=True)
        Forms.write(folder / name, stream.lexicon, language)
        meta = {
            "format": FORMAT,
            "made": generation,
            "language": language,
            "words": name,
            "segments": finished,
        }
        rewrite(folder / "meta.json", json.dumps(meta).encode())
        names = {name, *(segment["name"] for segment in finished)}
        for path in folder.iterdir():
            if path.is_dir() and path.name not in names:
                shutil.rmtree(path)

    @classmethod
    def open(cls, folder: Path, stream: Stream, spans: Spans) -> "Index":
        """spans: of a text's words, as the stream has them. Raises Invalid("corpus", …) where there
        is none."""
        folder = Path(folder)
        while True:
            meta = _meta(folder)
            if meta is None:
                raise no_index()
            try:
                return cls._of(folder, meta, stream, spans)
            except FileNotFoundError:  # another took its place between two looks
                if meta == _meta(folder):
                    raise

    @classmethod
    def _of(cls, folder: Path, meta: dict, stream: Stream, spans: Spans) -> "Index":
        fields: dict[str, list[IndexField]] = {name: [] for name in FIELDS}
        bounds = [0]
        unfollowed_words: list[IndexField | None] = []
        for segment in meta["segments"]:
            bounds.append(segment["end"])
            path = folder / segment["name"] / unfollowed.FOLDER
            unfollowed_words.append(IndexField.open(path) if path.is_dir() else None)
            for name in FIELDS:
                fields[name].append(IndexField.open(folder / segment["name"] / name))
        forms = Forms.open(folder / meta["words"], meta["language"])
        return cls(stream, spans, forms, fields, np.array(bounds), meta["made"], unfollowed_words)

    @staticmethod
    def size(folder: Path) -> int:
        """How many documents the index in a folder has; 0 where there is none."""
        meta = _meta(Path(folder))
        return meta["segments"][-1]["end"] if meta and meta["segments"] else 0

    def parse(self, query: str) -> Node:
        """Raises Invalid("q", a sentence) for what can't be understood."""
        return parse(query, lambda text: [word for _, _, word in self.spans(text)])

    def find(self, query: str) -> np.ndarray:
        """int32, ascending: the documents that a query finds. Raises as `parse` does, and where a
        beginning has too many words."""
        matches = self._matches(self.parse(query))
        return (
            numbers_of_mask(~self._mask_of([matches.documents]))
            if matches.others
            else matches.documents
        )

    def rank(self, query: str, numbers: np.ndarray) -> np.ndarray:
        """float32: how well documents match, more for better: BM25 over the words and phrases of a
        query. numbers: ascending."""
        lengths = self._lengths(numbers)
        tokens = sum(int(field.first[-1] - field.first[0]) for field in self.fields["text"])
        mean = max(float(tokens) / max(self.D, 1), 1.0)
        scores = np.zeros(len(numbers), np.float32)
        for sequence in sequences(self.parse(query)):
            documents, total = self._total(sequence)
            without = self.D - len(documents)
            weight = np.log1p((without + SMOOTHING) / (len(documents) + SMOOTHING))
            _score(
                frozen(numbers, np.int32),
                documents,
                total,
                lengths,
                np.float32(weight),
                np.float32(K1),
                np.float32(B),
                np.float32(mean),
                scores,
            )
        return scores

    def places(self, query: str, numbers: list[int]) -> dict[int, list[np.ndarray]]:
        """Where a query's words are in each document: for each word and phrase that is in its text,
        int64[n, 2] by place, the character at which a word of it begins, and that at which the next
        piece of the text does (of the last: END)."""
        forms_of_sequences = []
        for sequence in sequences(self.parse(query)):
            forms_of_sequences.append(
                [self.forms.matching(query_piece) for query_piece in sequence.pieces]
            )
        by_document: dict[int, list[np.ndarray]] = {}
        for number in numbers:
            s = int(np.searchsorted(self.bounds, number, "right")) - 1
            first = self.fields["text"][s].first
            token_range = first[number - self.bounds[s] :][:2]
            document_words = self.stream.words[slice(*token_range)] & NUMBER
            starts = np.append(self.stream.starts.of(*token_range[:, None]), END)
            of_document = by_document[number] = []
            for forms in forms_of_sequences:
                at = _standing(document_words, forms)
                if len(at):
                    of_document.append(np.stack([starts[at], starts[at + 1]], axis=1))
        return by_document

    def extents(self, texts: list[str]) -> list[int]:
        """How many characters of each text belong to the piece that it begins with. Behind it there
        may be words that are not in the index, such as lines that many texts have.

        A piece of a script without spaces may be cut into several here, as what stands around it is
        missing: those without a gap between them are the piece."""
        joined = "\n".join(texts)  # at once: a tokeniser costs more than a word
        stop_of_start = {start: stop for start, stop, _ in self.spans(joined)}
        extents = []
        begin = 0
        for text in texts:
            end = begin + len(text)
            stop = begin
            while stop in stop_of_start and stop < end:
                stop = stop_of_start[stop]
            extents.append(stop - begin if stop > begin else len(text))
            begin = end + 1
        return extents

    def _matches(self, node: Node) -> Matches:
        if isinstance(node, PieceSequence):
            return Matches(self._having(node))
        if isinstance(node, NotOf):
            return opposite(self._matches(node.part))
        return reduce(
            either if isinstance(node, AnyOf) else intersection, map(self._matches, node.parts)
        )

    def _lists(self, sequence: PieceSequence) -> list[tuple[float, np.ndarray, np.ndarray]]:
        """(weight, documents int32 ascending, counts, of one of segments.COUNT_TYPES) of each form
        of a word in each segment's texts and titles, or of a phrase in them."""
        if len(sequence.pieces) > 1:
            phrase_places = self._phrase(sequence)
            return [(_weight(name), documents, counts) for name, documents, counts in phrase_places]
        matching_forms = self.forms.matching(sequence.pieces[0])
        lists = []
        for name, fields in self.fields.items():
            for field in fields:
                for documents, counts in field.lists(matching_forms):
                    lists.append((_weight(name), documents, counts))
        return lists

    def _having(self, sequence: PieceSequence) -> np.ndarray:
        """int32, ascending: documents with it in the text or in the title."""
        parts = sorted(
            (columns for _, columns, _ in self._lists(sequence) if len(columns)),
            key=lambda columns: int(columns[0]),
        )
        # One form of the word, in one segment after the other
        if all(a[-1] < b[0] for a, b in pairwise(parts)):
            return np.concatenate([np.zeros(0, np.int32), *parts])
        if sum(map(len, parts)) * SORTED_COST < self.D:
            documents = np.sort(np.concatenate(parts))
            return documents[np.append(True, documents[1:] != documents[:-1])]
        return numbers_of_mask(self._mask_of(parts))

    def _mask_of(self, lists: list[np.ndarray]) -> np.ndarray:
        """bool[D]: documents of some lists."""
        mask = np.zeros(self.D, bool)
        for documents in lists:
            mask[documents] = True
        return mask

    def _total(self, sequence: PieceSequence) -> tuple[np.ndarray, np.ndarray]:
        """(documents int32 ascending, float32: how often it occurs in each, in a title TITLE
        times)."""
        documents = frozen(self._having(sequence), np.int32)
        total = np.zeros(len(documents), np.float32)
        for weight, holders, counts in self._lists(sequence):
            add(documents, total, holders, counts, weight)
        return documents, total

    def _phrase(self, sequence: PieceSequence) -> list[FieldCounts]:
        """Of the documents that have all words of a phrase, those in which it really stands."""
        return self._phrases.get(sequence, lambda: list(self._verified(sequence)))

    def _verified(self, sequence: PieceSequence) -> Iterator[FieldCounts]:
        accepted = [self.forms.matching(query_piece) for query_piece in sequence.pieces]
        if not all(map(len, accepted)):
            return
        ends = offsets_of_parts(map(len, accepted))
        all_forms = np.concatenate(accepted)
        for name, columns in (("text", self.stream.words), ("title", self.stream.title_words)):
            for s, field in enumerate(self.fields[name]):
                begin = self.bounds[s]
                documents = (begin + np.flatnonzero(field.having(accepted, begin))).astype(np.int32)
                counts = np.empty(len(documents), np.uint32)
                stream_place = columns, field.first, begin
                in_two(
                    lambda some, out, stream_place=stream_place: segments.sequences(
                        *stream_place, some, all_forms, ends, out
                    ),
                    np.array_split(documents, 2),
                    np.array_split(counts, 2),
                )
                yield name, documents[counts > 0], segments.narrowed(counts[counts > 0])

    def postings(self, phrases: Iterable[str], check: Callable[[], None]) -> IndexField:
        """How often each of some phrases stands in each document's text: a field whose words are
        their numbers. check: called for each."""
        parts = [np.zeros((2, 0), np.int32)]
        for phrase in phrases:
            check()
            sequence = PieceSequence(tuple(Piece(word, EXACT) for *_, word in self.spans(phrase)))
            own_segments = [
                np.stack([documents, counts.astype(np.int32)])
                for name, documents, counts in self._verified(sequence)
                if name == "text"
            ]
            parts.append(np.concatenate([parts[0], *own_segments], axis=1))
        indptr = np.cumsum([part.shape[1] for part in parts], dtype=np.int64)
        documents, counts = np.concatenate(parts, axis=1)
        return IndexField(
            np.arange(len(parts) - 1, dtype=np.int32),
            indptr,
            documents,
            segments.narrowed(counts),
            indptr[:1],
        )

    def _lengths(self, numbers: np.ndarray) -> np.ndarray:
        """int64: pieces of the texts of documents, ascending."""
        cuts = np.searchsorted(numbers, self.bounds)
        parts = [np.zeros(0, np.int64)]
        for s, field in enumerate(self.fields["text"]):
            inside = numbers[cuts[s] : cuts[s + 1]] - self.bounds[s]
            parts.append(field.first[inside + 1] - field.first[inside])
        return np.concatenate(parts)


def _write_segment(
    folder: Path, stream: Stream, begin: int, first_pieces: dict[str, int], scratch: Scratch
) -> tuple[int, dict[str, int]]:
    """Write the documents of a stream from number `begin` on into a folder, as many as a segment
    takes, one at least. first_pieces: at which pieces of the stream's texts and titles those of
    `begin` begin. Returns both of the document behind the segment: its number, and its pieces."""
    shutil.rmtree(folder, ignore_errors=True)  # of a writer that was killed
    columns = {
        "text": (stream.words, stream.lengths),
        "title": (stream.title_words, stream.title_lengths),
    }
    offsets = {
        field: offsets_of_parts(lengths[begin : begin + segments.DOCUMENTS])
        for field, (_, lengths) in columns.items()
    }
    sizes = offsets["text"] + offsets["title"]  # of so many documents, in pieces
    count = max(1, int(np.searchsorted(sizes, segments.SEGMENT, "right")) - 1)
    next_pieces = {}
    for field, (words, _) in columns.items():
        first = first_pieces[field] + offsets[field][: count + 1]
        written = IndexField.from_stream(words, first, begin, scratch)
        written.save(folder / field)
        if field == "text":
            unfollowed_words = unfollowed.of_segment(words, first, begin, written, scratch.words)
            unfollowed_words.save(folder / unfollowed.FOLDER)
        next_pieces[field] = int(first[-1])
    return begin + count, next_pieces


def _meta(folder: Path) -> dict | None:
    try:
        meta = json.loads((folder / "meta.json").read_text())
    except FileNotFoundError:
        return None
    return meta if meta["format"] == FORMAT else None


def _weight(field: str) -> float:
    """What a use in a title or in a text counts."""
    return TITLE if field == "title" else 1.0


def _standing(pieces: np.ndarray, accepted: list[np.ndarray]) -> np.ndarray:
    """Places of a document's pieces that are part of a word or phrase, at most PLACES occurrences
    of it."""
    n = len(accepted)
    if len(pieces) < n:
        return np.zeros(0, np.int64)
    begins = np.ones(len(pieces) - n + 1, bool)
    for p, forms_of_piece in enumerate(accepted):
        begins &= np.isin(pieces[p : len(pieces) - n + 1 + p], forms_of_piece)
    return np.unique(np.flatnonzero(begins)[:PLACES][:, None] + np.arange(n))


@njit(cache=True, nogil=True)
def _score(numbers, documents, total, lengths, weight, saturation, length_weight, mean, scores):
    """Add to the scores of those of `numbers` that are among `documents`, both ascending, what
    their totals are worth."""
    j = 0
    for i in range(len(numbers)):
        while j < len(documents) and documents[j] < numbers[i]:
            j += 1
        if j < len(documents) and documents[j] == numbers[i]:
            scores[i] += (
                weight
                * total[j]
                * (saturation + 1)
                / (total[j] + saturation * (1 - length_weight + length_weight * lengths[i] / mean))
            )
