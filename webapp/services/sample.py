"""The beginning of what was uploaded, read as a form says and kept beside it, so that every other choice shows at once.

A sample has a folder of its own for each way of reading, below the corpus's `sample/`: a small stream of words, and `sample.json`
with the first documents. It is read within bounded time and memory, whatever was uploaded, and is gone when the corpus is read.
"""

import hashlib
import itertools
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from inference.text import Stream, Tokeniser
from tasks import readers
from tasks.shaping import Shaping, shape, upload_of
from webapp import files
from webapp.models import Corpus, SourceFile
from webapp.queries.sample import passage_of
from webapp.services.corpora import Reading, stored

CHARACTERS, DOCUMENTS, FILES = 2_000_000, 1_000, 24
SECONDS = 2.0  # after which no document is read but the first
KEPT = 4  # ways of reading whose samples are kept: someone goes back and forth between two encodings
SHOWN, BEGINNING, FIELDS = 5, 420, 12  # documents, characters of each, fields of each
_LOOKED_AT, _DEPTH = 60, 6_000  # documents, and their characters, among which a passage is chosen


@dataclass(frozen=True)
class Sample:
    """What was read. bytes: of the uploaded files, read of `total`. seconds: that reading took, once started."""

    documents: int = 0
    characters: int = 0
    bytes: int = 0
    total: int = 0
    files: int = 0  # of `of_files`
    of_files: int = 0
    whole: bool = False  # whether it is all there is
    beginnings: bool = False  # whether of some file only the beginning was read
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    first: tuple[dict, ...] = ()  # title, date, day (ISO, or ""), fields (name, value, kind), text, more (whether the text goes on), file, place
    passage: str = ""  # in which numbers, hyphens and apostrophes can be seen at work


def taken(corpus: Corpus, reading: Reading) -> tuple[Sample, Stream | None]:
    """The sample of a draft's files, read now where it was not yet; no stream where no document came of it.

    Raises Invalid and readers.Unreadable for a table about the files that can't be used.
    """
    folder = files.corpus_folder(corpus.pk) / "sample"
    way = [reading.options, reading.shaping, _cut_as(reading.language), corpus.bytes_total]
    place = folder / hashlib.sha256(orjson.dumps(way, option=orjson.OPT_SORT_KEYS)).hexdigest()[:20]
    if not (place / "sample.json").exists():
        _read(corpus, reading, place)
    sample = Sample(**orjson.loads((place / "sample.json").read_bytes()))
    os.utime(place)
    return sample, Stream.open(place) if sample.documents else None


def forget(corpus: Corpus) -> None:
    shutil.rmtree(files.corpus_folder(corpus.pk) / "sample", ignore_errors=True)


def _cut_as(language: str) -> str:
    """Languages whose texts are cut alike share a sample."""
    return language if language in ("zh", "ja", "th", "ko", "km", "lo", "my", "tr", "az") else ""


def _read(corpus: Corpus, reading: Reading, place: Path) -> None:
    building = place.with_name(f"{place.name}-{secrets.token_hex(6)}.new")
    building.mkdir(parents=True)
    try:
        taking = _Taking(corpus, reading, building)
        (building / "sample.json").write_bytes(orjson.dumps(asdict(taking.go())))
        if not place.exists():
            try:
                building.rename(place)
            except OSError:  # another request was faster
                if not place.exists():
                    raise
    finally:
        shutil.rmtree(building, ignore_errors=True)
    there = sorted((p for p in place.parent.iterdir() if p.suffix != ".new"), key=lambda p: p.stat().st_mtime)
    for old in there[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)


class _Taking:
    def __init__(self, corpus: Corpus, reading: Reading, folder: Path):
        self.reading, self.folder = reading, folder
        self.options = readers.Options(**reading.options)
        self.shaping = Shaping(**reading.shaping)
        everything = list(corpus.files.all())
        uploads = [(stored(source), source.name) for source in everything]
        self.companions = readers.Companions.of(uploads)
        self.table = upload_of(uploads, self.shaping.table) if self.shaping.table else None
        sources = [source for source in everything if source.name != self.shaping.table]
        step = max(1, len(sources) // FILES)
        self.sources = sources[::step][:FILES]
        self.of_files, self.total = len(sources), sum(source.bytes for source in sources)
        self.problems: list[str] = []
        self.characters = self.bytes = self.documents = self.files = 0
        self.at = self.upto = 0  # bytes: where the document that was read last begins and ends, as far as the reader tells
        self.cut_short = self.ended = False

    def go(self) -> Sample:
        Tokeniser(self.reading.language, given=self.options.given).pieces(["a word"])  # loads what takes long once in a process
        tokeniser = Tokeniser(self.reading.language, given=self.options.given)
        began = time.monotonic()
        self.until = began + SECONDS
        first, texts = [], []
        with Stream.write(self.folder, tokeniser) as stream:
            for document in itertools.islice(self._shaped(), DOCUMENTS):
                text = document.text[:CHARACTERS]
                if len(first) < SHOWN:
                    first.append(_shown(document, self.options))
                if len(texts) < _LOOKED_AT:
                    texts.append(text[:_DEPTH])
                stream.add([text], [document.title])
                self.documents += 1
                if not self.ended:  # the last one may be a section, and the others of its whole were not read
                    self.bytes = round(self.at + (self.upto - self.at) * document.part / document.parts)
            stream.commit()
        whole = not self.cut_short and self.files == self.of_files and self.documents < DOCUMENTS
        return Sample(
            documents=self.documents,
            characters=self.characters,
            bytes=self.total if whole else min(self.bytes, self.total),
            total=self.total,
            files=self.files,
            of_files=self.of_files,
            whole=whole,
            beginnings=not whole and (self.cut_short or not self.ended),
            seconds=time.monotonic() - began,
            problems=tuple(self.problems),
            first=tuple(first),
            passage=passage_of(texts),
        )

    def _shaped(self) -> Iterator[readers.Document]:
        items = self._items()
        for item in shape(items, self.shaping, self.folder, self.table):
            if isinstance(item, readers.Document):
                yield item
            elif len(self.problems) < SHOWN:
                self.problems.append(item.message)

    def _items(self) -> Iterator[readers.Document | readers.Problem]:
        """Of each file an equal part of what may still be read."""
        documents = done = 0
        for i, source in enumerate(self.sources):
            left = len(self.sources) - i
            characters_now, documents_now = self.characters, documents
            most, many = (CHARACTERS - self.characters) // left, max(1, (DOCUMENTS - documents) // left)
            if most <= 0 or documents >= DOCUMENTS or (documents and time.monotonic() > self.until):
                self.cut_short = True
                break
            read = 0

            def advance(count: int) -> None:
                nonlocal read
                read += count

            self.files += 1
            try:
                for item in self._of(source, advance):
                    if isinstance(item, readers.Document):
                        documents += 1
                        self.characters += len(item.text)
                        self.at, self.upto = self.upto, done + min(read, source.bytes)
                    yield item
                    if self.characters - characters_now >= most or documents - documents_now >= many or time.monotonic() > self.until:
                        if read < source.bytes:
                            self.cut_short = True
                            break
                else:
                    read = source.bytes
            except readers.Unreadable as error:
                read = source.bytes
                self.problems.append(str(error))
            done += min(read, source.bytes)
        self.bytes, self.ended = done, True

    def _of(self, source: SourceFile, advance) -> Iterator[readers.Document | readers.Problem]:
        return readers.read(stored(source), source.name, self.options, advance, self.companions)


def _shown(document: readers.Document, options: readers.Options) -> dict:
    day = readers.parse_date(document.date, options.date_order or None)
    return {
        "title": document.title,
        "date": document.date[:60],
        "day": day.isoformat() if day else "",
        "fields": [(name, value, options.kinds.get(name, "category")) for name, value in document.metadata.items()][:FIELDS],
        "text": document.text[:BEGINNING],
        "more": len(document.text) > BEGINNING,
        "file": document.file,
        "place": document.place,
        "part": document.part,
        "parts": document.parts,
    }
