"""A part of what was uploaded, read as a form says and kept beside it, so that every other choice
shows at once: of many files, and of the entries of an archive, some that are evenly spread; of a
file with many documents its beginning.

A sample has a folder of its own for each way of reading, below the corpus's `sample/`: a small
stream of words, and `sample.json` with the first documents. It is read within bounded time and
memory, whatever was uploaded, and is gone when the corpus is read.
"""

import contextlib
import hashlib
import itertools
import os
import secrets
import shutil
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import regex

from inference.errors import Invalid
from inference.text import Stream, Tokeniser, of_text, shares
from inference.text.language import TEXT_CHARACTERS
from webapp.intake import file_formats, metadata
from webapp.intake.file_formats import even_order, left_out
from webapp.intake.file_formats.base import MAX_DATE
from webapp.intake.ingest import looks
from webapp.intake.ingest.corpus_settings import ReadingSettings
from webapp.intake.ingest.guesses import stored_path
from webapp.intake.ingest.shaping import (
    FILES,
    FOLDERS,
    NO_NAMES,
    DatesInNames,
    PlaceInWhole,
    Shaping,
    are_parts,
    certain,
    is_another_language,
    language_column,
    order_of,
    part_of,
    said_language,
    shape,
    shares as silent_shares,
    silent,
    upload_of,
    usual_choice,
)
from webapp.intake.ingest.word_estimates import passage_of, rough
from webapp.intake.metadata.dates import why_none
from webapp.models import Corpus
from webapp.platform.storage import files

ByKind = Counter[str | None]  # of files
CHARACTERS = 2_000_000
MOST_DOCUMENTS = 1_000
# that may have many documents, or that are tried beyond MOST_SECONDS where none can be read
MOST_FILES = 24
# Entries of archives whose names are read to count documents: some tenths of a second
MOST_COUNTED_NAMES = 20_000
# Bytes by which formats tell how far they are: behind the last document they may have so many more
READ_AHEAD_BYTES = 1 << 18
MOST_SECONDS = 2.0  # after which no document is read but the first
# Characters of all files, and seconds, that are read on only to count
COUNTED_CHARACTERS = 16_000_000
AHEAD_SECONDS = 1.0
# Ways of reading whose samples are kept: someone goes back and forth between two encodings
KEPT_SAMPLES = 4
# documents, characters of each, fields of each
DOCUMENTS_SHOWN = 5
BEGINNING = 420
FIELDS = 12
FORMS = 3  # of dates that can't be read that are shown
_DIGITS = regex.compile(r"\d+")
_LETTERS = regex.compile(r"\p{L}+")
# documents, evenly spread over the sample, whose languages are found each by itself; 50 ms
FOR_LANGUAGES = 200
# documents, and their characters, among which a passage is chosen
_PASSAGE_DOCUMENTS = 60
_DEPTH = 6_000


@dataclass(frozen=True)
class Loss:
    """So many documents, rows or files that are left out, or read otherwise than they stand: what
    they are, and what to do."""

    count: int
    what: str
    mend: str

    @classmethod
    def of(cls, name: str, count: int) -> "Loss":
        kind = left_out.kind_of(name)
        return cls(count, kind.one if count == 1 else kind.many, kind.mend)


@dataclass(frozen=True)
class Sample:
    """What was read. seconds: that reading took, once started."""

    documents: int = 0
    of: int = 0  # documents of all files
    counted: bool = False  # whether `of` is no estimate
    characters: int = 0
    of_characters: int = 0  # of all files
    files: int = 0  # of `of_files`
    of_files: int = 0
    whole: bool = False  # whether it is all there is
    beginnings: bool = False  # whether of some file only the beginning was read
    # whether the files, or the entries of the archives, that were read are evenly spread over all
    spread: bool = False
    seconds: float = 0.0
    problems: tuple[str, ...] = ()
    # title, date, day (ISO, or ""), fields (name, value, kind), text, more (whether the text goes
    # on), file, place
    first: tuple[dict, ...] = ()
    # ISO 639-1 -> share of the letters, largest first
    languages: dict[str, float] = field(default_factory=dict)
    # ISO 639-1 -> texts, most first, of the FOR_LANGUAGES that were looked at; "": not told
    text_languages: dict[str, int] = field(default_factory=dict)
    # the same of what these texts say themselves, of those that say one
    said_languages: dict[str, int] = field(default_factory=dict)
    wrong_languages: int = 0  # of these texts, those in another language than they say
    dates: tuple[str, ...] = ()  # ISO, the earliest and the latest of those that were read
    # Rule -> share of the words (webapp.intake.ingest.shaping.silent)
    silent: dict[str, float] = field(default_factory=dict)
    certain: tuple[str, ...] = ()  # rules that are chosen by default in these texts
    dated: str = ""  # Shaping.dated that gives most files a date that have none
    name_dates: str = ""  # Shaping.name_dates that suits the files without a date of their own
    # documents without a date, in whose names is one that is not taken
    untaken_dates: int = 0
    parts: str = ""  # a title, where rows are parts of wholes
    undated: int = 0  # documents whose date could not be read; and why, with an example
    why_undated: str = ""
    # of these by their forms: (an example, how many are written like it), most frequent first
    undated_forms: tuple[tuple[str, int], ...] = ()
    without_date: int = 0  # documents that have none, where others have
    # documents by what their dates are from (file_formats.EVIDENCE; "": a column, or what they say)
    evidence: dict[str, int] = field(default_factory=dict)
    made: int = 0  # documents of which only the day is known on which their file was made
    # Kind (webapp.intake.file_formats.left_out) -> documents, rows or files
    left_out: dict[str, int] = field(default_factory=dict)
    passage: str = ""  # in which numbers, hyphens and apostrophes can be seen at work

    @property
    def losses(self) -> list[Loss]:
        """What is left out, the most first."""
        by_size = sorted(self.left_out.items(), key=lambda item: -item[1])
        return [Loss.of(name, count) for name, count in by_size]

    @property
    def has_languages(self) -> bool:
        """Whether the texts say their language themselves, as a column does."""
        names = {name for document in self.first for name, *_ in document["fields"]}
        return language_column(names) is not None

    @property
    def joins(self) -> tuple[str, ...]:
        """Fields by which documents are joined by default: pages of which a METS says so."""
        names = {name for document in self.first for name, *_ in document["fields"]}
        return (file_formats.mets.DOCUMENT,) if file_formats.mets.DOCUMENT in names else ()

    @property
    def dated_from(self) -> list[tuple[str, int]]:
        """From what the dates are, where not from a column or the texts themselves, and of how many
        documents; as pages say it."""
        return [
            (words, self.evidence[name])
            for name, words in file_formats.EVIDENCE.items()
            if self.evidence.get(name)
        ]

    @property
    def is_dated_by_names(self) -> bool:
        """Whether some dates are from names of files or folders."""
        return bool(self.evidence.keys() & {"name", "folder"})

    @property
    def refused_evidence(self) -> set[str]:
        """From what dates are not taken by default (file_formats.EVIDENCE): of few names."""
        refused = set()
        if self.name_dates in (FOLDERS, NO_NAMES):
            refused.add("name")
        if self.name_dates in (FILES, NO_NAMES):
            refused.add("folder")
        return refused

    @property
    def rough(self) -> int:
        """Documents of all files, with as many digits as an estimate has."""
        return self.of if self.counted else rough(self.of)


def take_sample(corpus: Corpus, reading: ReadingSettings) -> tuple[Sample, Stream | None]:
    """The sample of a draft's files, read now where it was not yet; no stream where no document
    came of it.

    Raises Invalid and file_formats.Unreadable for a table about the files that can't be used,
    FileNotFoundError where another request removes the sample meanwhile.
    """
    folder = files.corpus_folder(corpus.pk) / "sample"
    key = [
        [f.name for f in fields(Sample)],
        reading.options,
        reading.shaping,
        _cut_as(reading.language),
        corpus.bytes_total,
        looks.program_digest(),
    ]
    sample_folder = (
        folder / hashlib.sha256(orjson.dumps(key, option=orjson.OPT_SORT_KEYS)).hexdigest()[:20]
    )
    if not (sample_folder / "sample.json").exists():
        _read(corpus, reading, sample_folder)
    sample = Sample(**orjson.loads((sample_folder / "sample.json").read_bytes()))
    os.utime(sample_folder)
    try:
        return sample, Stream.open(sample_folder) if sample.documents else None
    except Invalid:
        if sample_folder.exists():
            raise
        raise FileNotFoundError(f"the sample {sample_folder.name} was removed meanwhile") from None


def remove_samples(corpus: Corpus) -> None:
    looks.remove(corpus)
    shutil.rmtree(files.corpus_folder(corpus.pk) / "sample", ignore_errors=True)


def cut_alike(first: str, second: str) -> bool:
    """Whether texts are cut into words in the same way, whichever of two languages they are said to
    be in."""
    return _cut_as(first) == _cut_as(second)


def _cut_as(language: str) -> str:
    """Languages whose texts are cut alike share a sample."""
    return language if language in ("zh", "ja", "th", "ko", "km", "lo", "my", "tr", "az") else ""


def _read(corpus: Corpus, reading: ReadingSettings, sample_folder: Path) -> None:
    building = sample_folder.with_name(f"{sample_folder.name}-{secrets.token_hex(6)}.new")
    building.mkdir(parents=True)
    try:
        sampler = _Sampler(corpus, reading, building)
        sample = sampler.run()
        # It unpacks to more, or has more documents, than its bytes would have it
        if sampler.fits and not sample.whole:
            shutil.rmtree(building)
            building.mkdir()
            sample = _Sampler(corpus, reading, building, fits=False).run()
        (building / "sample.json").write_bytes(orjson.dumps(asdict(sample)))
        if not sample_folder.exists():
            try:
                building.rename(sample_folder)
            except OSError:  # another request was faster
                if not sample_folder.exists():
                    raise
    finally:
        shutil.rmtree(building, ignore_errors=True)
    for old in sorted(
        (p for p in sample_folder.parent.iterdir() if p.suffix != ".new"), key=_last_used
    )[:-KEPT_SAMPLES]:
        shutil.rmtree(old, ignore_errors=True)


def _last_used(sample_folder: Path) -> float:
    """When a sample was last asked for; 0 where another request has just removed it."""
    try:
        return sample_folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0


class _File(NamedTuple):
    """What is needed here of a SourceFile: there may be a hundred thousand."""

    name: str
    path: str
    bytes: int


class _Documents:
    """What a sample keeps of its documents."""

    def __init__(self, options: file_formats.Options):
        self.options = options
        self.first: list[dict] = []  # as they are shown
        self.texts: list[str] = []  # of the first, as far as a passage is chosen of them
        self.beginnings: list[str] = []  # of all, as far as a language is told by them
        self.said: list[str] = []  # the language of each (ISO 639-1), "" where it says none
        self.parts: list[PlaceInWhole | None] = []  # of documents that were not shaped
        self.days: list[date] = []
        self.undated: list[str] = []  # dates that could not be read
        self.without_date = 0
        self.made = 0  # of these, those whose file says when it was made
        self.evidence: Counter[str] = Counter()  # what dates are from
        # of files that have no date of their own
        self.dates_in_names: list[DatesInNames] = []
        self.untaken_dates = 0
        self.heads: list[str] = []  # texts in which a date may stand: they have none, and no place

    def add(self, document: file_formats.Document, text: str) -> None:
        """text: of the document, as far as it is read."""
        if len(self.first) < DOCUMENTS_SHOWN:
            self.first.append(_show_document(document, self.options))
        if len(self.texts) < _PASSAGE_DOCUMENTS:
            self.texts.append(text[:_DEPTH])
        self.beginnings.append(text[:TEXT_CHARACTERS])
        self.said.append(said_language(document.metadata))
        self._add_date(document)
        if not document.place and document.part == 1:
            self._add_names(document)
        if not (document.date.strip() or document.place):
            self.heads.append(text[:_DEPTH])

    def _add_names(self, document: file_formats.Document) -> None:
        """Of a file that is a document, or the first section of one."""
        is_dated = bool(document.date.strip())
        if is_dated and document.dated not in file_formats.EVIDENCE:
            return
        in_names = DatesInNames.of_file(document.file)
        self.dates_in_names.append(in_names)
        self.untaken_dates += not is_dated and any(in_names)

    def _add_date(self, document: file_formats.Document) -> None:
        written_date = document.date.strip()
        day = file_formats.parse_date(document.date, self.options.date_order or None)
        if day:
            self.days.append(day)
            self.evidence[document.dated] += 1
        elif written_date:
            self.undated.append(written_date)
        else:
            self.without_date += 1
            self.made += bool(document.made)

    def described(self) -> dict[str, Any]:
        """The fields of a Sample that say of what kind its documents are."""
        dated = ""
        if len(self.heads) * 2 > len(self.beginnings):
            dated = order_of(self.heads)
        why_undated = ""
        if self.undated:
            why_undated = f"“{self.undated[0][:MAX_DATE]}” {why_none(self.undated[0])}"
        has_dates = bool(self.days or self.undated)
        return {
            "first": tuple(self.first),
            "languages": shares(self.texts),
            **self._described_languages(),
            "silent": silent_shares(self.texts),
            "certain": certain(self.texts),
            "dated": dated,
            "name_dates": usual_choice(self.dates_in_names),
            "untaken_dates": self.untaken_dates,
            "dates": (min(self.days).isoformat(), max(self.days).isoformat()) if self.days else (),
            "parts": self.first[0]["title"] if are_parts(self.parts) else "",
            "undated": len(self.undated),
            "why_undated": why_undated,
            "undated_forms": _forms(self.undated),
            "without_date": self.without_date if has_dates else 0,
            "evidence": dict(self.evidence),
            "made": self.made,
            "passage": passage_of(self.texts),
        }

    def _described_languages(self) -> dict[str, Any]:
        """The fields of a Sample that say in which languages some of the texts are, evenly spread,
        and in which they say that they are."""
        step = max(1, -(-len(self.beginnings) // FOR_LANGUAGES))
        found = [of_text(text) for text in self.beginnings[::step]]
        said = self.said[::step]
        pairs = zip(said, found, strict=True)
        return {
            "text_languages": dict(Counter(found).most_common()),
            "said_languages": dict(Counter(filter(None, said)).most_common()),
            "wrong_languages": sum(itertools.starmap(is_another_language, pairs)),
        }


class _FileCount:
    """What was read of a file. characters_wanted, documents_wanted: its part of the sample; what is
    behind them is only counted."""

    def __init__(self, source: _File, characters_wanted: int, documents_wanted: int):
        self.source = source
        self.characters_wanted = characters_wanted
        self.documents_wanted = documents_wanted
        self.is_single = file_formats.single(source.name)
        self.packed = file_formats.packed_share(stored_path(source), source.name)
        self.read = 0  # bytes
        self.position = 0  # the byte behind the last document, as far as it is known
        self.size = 0  # bytes of its documents
        self.beginnings = 0  # documents, or wholes of which a part was read
        self.characters = 0
        # When the rest began to be only counted, and what the sample has of the file
        self.counting_since: float | None = None
        self.sampled_beginnings = 0
        self.sampled_characters = 0

    def advance(self, count: int) -> None:
        """So many more bytes are read."""
        self.read += count

    def add(self, document: file_formats.Document, begins: bool) -> None:
        """begins: whether it is a text of its own, or the first part of one."""
        self.beginnings += begins
        self.characters += len(document.text)
        self.size += _bytes(document)

    def note_position(self) -> None:
        """Where the document that was read last may end."""
        self.position = min(self.read, self.source.bytes)
        if not self.is_single:
            behind_documents = max(self.read - READ_AHEAD_BYTES, round(self.size * self.packed))
            self.position = min(self.position, behind_documents)

    def has(self, further: int = 0) -> bool:
        """Whether its part was read, and so many characters or documents more."""
        return (
            self.characters >= self.characters_wanted + further
            or self.beginnings >= self.documents_wanted + further
        )

    def begin_counting(self) -> None:
        """The sample has its part: the rest of the file is only counted."""
        self._note_sampled()
        self.counting_since = time.monotonic()

    def end(self) -> None:
        """No more of it is read."""
        if self.counting_since is None:
            self._note_sampled()

    def _note_sampled(self) -> None:
        self.sampled_beginnings = self.beginnings
        self.sampled_characters = self.characters

    @property
    def seconds_counted(self) -> float:
        """For how long the rest is counted."""
        return 0.0 if self.counting_since is None else time.monotonic() - self.counting_since


class _Sampler:
    def __init__(self, corpus: Corpus, reading: ReadingSettings, folder: Path, fits: bool = True):
        """fits: whether all may be read, where its bytes are few."""
        self.reading = reading
        self.folder = folder
        self.options = file_formats.Options(**reading.options)
        self.shaping = Shaping(**reading.shaping)
        everything = [_File(*row) for row in corpus.files.values_list("name", "path", "bytes")]
        self.companions = file_formats.Companions(
            lambda: ((stored_path(source), source.name) for source in everything)
        )
        self.table = None
        if self.shaping.table:
            paths_and_names = [(stored_path(source), source.name) for source in everything]
            self.table = upload_of(paths_and_names, self.shaping.table)
        sources = [source for source in everything if source.name != self.shaping.table]
        self.of_files = len(sources)
        self.total = sum(source.bytes for source in sources)
        self.fits = fits and self.total <= CHARACTERS and len(sources) < MOST_DOCUMENTS
        self.shaped = bool(self.shaping.joins or self.shaping.sections)
        self.files_are_single = all(file_formats.single(source.name) for source in sources)
        self.single = self.files_are_single and not self.shaped
        # Documents that are joined lie side by side
        self.spread = not self.fits and not self.shaping.joins
        self.sources = sources if self.fits else self._choose_files(sources)
        self.kinds = ByKind()  # bytes of all files, by kind
        for source in sources:
            self.kinds[self._kind(source)] += source.bytes
        # Of them those that were read, some only to count, and documents and characters in these
        self.read = ByKind()
        self.found = ByKind()
        self.characters_of = ByKind()
        # Of the documents those that are in the sample, and what they became
        self.taken: defaultdict[str | None, float] = defaultdict(float)
        self.documents_of = ByKind()
        self.kind: str | None = None  # of the file that is read
        self.unreadable = 0
        self.lost = 0  # files, or entries of archives, of which nothing could be read
        self.names_read: set[str] = set()  # of files, and entries, with documents
        # Whether there was a document that may be one of several of a file, or of an archive that
        # can't be spread
        self.has_several = False
        self.problems: list[str] = []
        self.left_out: Counter[str] = Counter()
        # In the sample, so far
        self.characters = 0
        self.documents = 0
        self.files = 0
        self.counting_seconds = 0.0  # of what is read on only to count
        self.cut_short = False  # whether a limit ended a file, or left files out
        self.ended = False  # whether all files that were to be read are
        self.enough = False  # whether the sample has all that it needs: the rest is counted

    def run(self) -> Sample:
        # Loads what takes long once in a process
        Tokeniser(self.reading.language, given=self.options.given).pieces(["a word"])
        tokeniser = Tokeniser(self.reading.language, given=self.options.given)
        began = time.monotonic()
        self.until = began + MOST_SECONDS
        items = self._items()
        documents = self._write(items, tokeniser)
        seconds = time.monotonic() - began - self.counting_seconds
        is_complete = not self.cut_short and self.files == self.of_files and self.ended
        beginnings = not is_complete and (self.cut_short or not self.ended) and self.has_several
        self.enough = True
        deque(items, 0)  # which only counts from here on
        has_read_all = self.read.total() >= self.total and not self.shaped
        of_documents = self.documents
        of_characters = self.characters
        counted_names = None
        if not is_complete:
            # Without the count it is a sample all the same
            with contextlib.suppress(file_formats.looking.Exhausted, file_formats.Unreadable):
                counted_names = self._count_names()
            of_documents = self._estimate(counted_names)
            of_characters = max(of_characters, round(self._of_all(self.characters_of)))
        has_counted = self.single or has_read_all or (counted_names is not None and not self.lost)
        return Sample(
            documents=self.documents,
            of=of_documents,
            counted=is_complete or has_counted,
            characters=self.characters,
            of_characters=of_characters,
            files=self.files,
            of_files=self.of_files,
            whole=is_complete,
            beginnings=beginnings,
            spread=not is_complete and self._is_spread(),
            seconds=seconds,
            problems=tuple(self.problems),
            left_out=dict(self.left_out),
            **documents.described(),
        )

    def _write(
        self, items: Iterator[file_formats.Document | file_formats.Problem], tokeniser: Tokeniser
    ) -> _Documents:
        """Cut the documents of the sample into words, and keep what is said of them."""
        documents = _Documents(self.options)
        last: file_formats.Document | None = None
        with Stream.write(self.folder, tokeniser) as stream:
            for document in itertools.islice(self._shaped(items), MOST_DOCUMENTS):
                text = document.text[:CHARACTERS]
                documents.add(document, text)
                if not self.shaped:
                    documents.parts.append(part_of(document))
                stream.add([silent(text, self.shaping.silent)], [document.title])
                self.characters += len(text)
                self.documents += 1
                self.documents_of[self.kind] += 1
                last = document
            stream.commit()
        # The last one may be a section, and others of its whole are to come
        if last is not None and not self.ended:
            self.taken[self.kind] += last.part / last.parts - 1
            self.has_several |= last.part < last.parts
        return documents

    def _note(self, problem: file_formats.Problem) -> None:
        """Count what is left out or changed by a problem, and keep the first ones as they are
        said."""
        self.left_out[problem.counted_as] += problem.count
        self.lost += problem.dropped and file_formats.kind(problem.file) is not None
        if len(self.problems) < DOCUMENTS_SHOWN:
            self.problems.append(problem.message)

    def _kind(self, source: _File) -> str | None:
        """Files that are alike in how many bytes a document has; all, where documents are joined
        across them."""
        return None if self.shaping.joins else file_formats.kind(source.name)

    def _begins(self, document: file_formats.Document) -> bool:
        """Whether it is a text of its own, or the first part of one."""
        part = part_of(document) if self.shaping.parts else None
        return part is None or part.number == 1

    def _choose_files(self, sources: list[_File]) -> list[_File]:
        """Files that are read as long as there is room, evenly spread over all; of those that may
        have many documents a few, in their order."""
        if self.spread and self.files_are_single:
            return [sources[place] for place in even_order(len(sources))]
        count = min(len(sources), MOST_FILES)
        return [sources[turn * len(sources) // count] for turn in range(count)]

    def _is_spread(self) -> bool:
        """Whether what was read is spread evenly over several files, or entries of archives."""
        are_even = self.files_are_single or any(map(self._reads_evenly, self.sources))
        return self.spread and len(self.names_read) > 1 and are_even

    def _reads_evenly(self, source: _File) -> bool:
        """Whether a file is an archive whose entries are read in an even order."""
        return self.spread and file_formats.can_be_spread(stored_path(source), source.name)

    def _count_names(self) -> int | None:
        """Documents of all files by their names, and those of their entries: where each is one.
        None where that is not so, or there are too many. Raises Unreadable and looking.Exhausted."""
        if self.shaped or self.has_several or len(self.sources) < self.of_files:
            return None
        names_left = MOST_COUNTED_NAMES
        documents = 0
        for source in self.sources:
            if file_formats.single(source.name):
                documents += 1
                continue
            if not self._reads_evenly(source):
                return None
            inside = file_formats.count_single(stored_path(source), source.name, names_left)
            if inside is None:
                return None
            names_left -= inside.names
            documents += inside.documents
        return documents

    def _estimate(self, counted_names: int | None) -> int:
        """Documents of all files: where each is one, as many as files, else by bytes, of each kind
        of file that was read by its own. counted_names: of `_count_names`."""
        if self.single:
            return max(self.documents, self.of_files - self.unreadable)
        if counted_names is not None:
            readable = self.documents / max(1, self.documents + self.lost)
            return max(self.documents, round(counted_names * readable))
        became = {
            kind: n * self.documents_of[kind] / (self.taken[kind] or 1)
            for kind, n in self.found.items()
        }
        return max(self.documents, round(self._of_all(became)))

    def _of_all(self, counts: Mapping[str | None, float]) -> float:
        """How many there are in all files, about. counts: by kind of file, in those bytes of it
        that were read."""
        read_kinds = {kind: size for kind, size in self.kinds.items() if self.read[kind]}
        guess = sum(
            counts.get(kind, 0) * size / self.read[kind] for kind, size in read_kinds.items()
        )
        return guess * self.total / max(1, sum(read_kinds.values()))

    def _shaped(
        self, items: Iterator[file_formats.Document | file_formats.Problem]
    ) -> Iterator[file_formats.Document]:
        for item in shape(
            items,
            self.shaping,
            self.folder,
            self.table,
            order=self.options.date_order,
            running=self.options.running,
        ):
            if isinstance(item, file_formats.Document):
                yield item
            else:
                self._note(item)

    def _items(self) -> Iterator[file_formats.Document | file_formats.Problem]:
        """Documents and problems of all files, an equal part of what may still be read of each; as
        much as there is, where all fits, or each file is one document. What is behind that is read
        on for a while, and only counted: the first documents may be shorter than the others."""
        sampled = 0
        characters = 0
        for i, source in enumerate(self.sources):
            left = 1 if self.fits or self.files_are_single else len(self.sources) - i
            characters_left = (CHARACTERS - characters) // left
            documents_left = max(1, (MOST_DOCUMENTS - sampled) // left)
            # Where no file can be read, as of scans, it is said of those that were tried
            has_tried = sampled or i >= MOST_FILES
            is_late = has_tried and time.monotonic() > self.until
            if characters_left <= 0 or sampled >= MOST_DOCUMENTS or self.enough or is_late:
                self.cut_short = True
                break
            count = _FileCount(source, characters_left, documents_left)
            yield from self._items_of_file(count)
            sampled += count.sampled_beginnings
            characters += count.sampled_characters
        self.ended = True

    def _items_of_file(
        self, count: _FileCount
    ) -> Iterator[file_formats.Document | file_formats.Problem]:
        """Those of a file's part of the sample; the rest is counted, unless the part is from
        everywhere in it."""
        ahead = COUNTED_CHARACTERS // max(1, len(self.sources))
        if self._reads_evenly(count.source):
            ahead = 0
        self.kind = self._kind(count.source)
        self.files += 1
        try:
            with self._wanted(count, ahead):
                yield from self._items_read(count, ahead)
        except file_formats.Unreadable as error:
            count.position = count.source.bytes
            self.unreadable += 1
            self.lost += 1
            self.left_out[error.kind] += 1
            self.problems.append(str(error))
        count.end()
        self.counting_seconds += count.seconds_counted
        self.read[self.kind] += count.position
        self.found[self.kind] += count.beginnings
        self.characters_of[self.kind] += count.characters

    @contextlib.contextmanager
    def _wanted(self, count: _FileCount, ahead: int) -> Iterator[None]:
        """Tells the modules of formats how much of a file is wanted, and whether from everywhere."""
        characters = count.characters_wanted
        documents = count.documents_wanted
        with contextlib.ExitStack() as stack:
            stack.enter_context(file_formats.looking.first(characters + ahead, documents + ahead))
            if self.spread:
                stack.enter_context(file_formats.looking.spread(characters, documents))
            yield

    def _items_read(
        self, count: _FileCount, ahead: int
    ) -> Iterator[file_formats.Document | file_formats.Problem]:
        """ahead: characters, and documents, behind its part that are counted at most."""
        source = count.source
        ahead_seconds = AHEAD_SECONDS / max(1, len(self.sources))
        is_in_order = not self._reads_evenly(source)
        for item in file_formats.read(
            stored_path(source), source.name, self.options, count.advance, self.companions
        ):
            is_document = isinstance(item, file_formats.Document)
            begins = False
            if isinstance(item, file_formats.Document):
                begins = self._begins(item)
                count.add(item, begins)
                self.names_read.add(item.file)
                is_entry = item.file != source.name
                self.has_several |= bool(item.place) or (is_entry and is_in_order)
            count.note_position()
            if count.counting_since is None:
                self.taken[self.kind] += begins
                yield item
                if self.enough or count.has() or time.monotonic() > self.until:
                    count.begin_counting()
            else:
                self.cut_short = self.cut_short or is_document
            has_counted = count.seconds_counted > ahead_seconds or count.has(ahead)
            if not is_in_order and count.counting_since is not None:
                has_counted = True
            if has_counted and count.position < source.bytes:
                self.cut_short = True
                return
        count.position = source.bytes


def _forms(undated: list[str]) -> tuple[tuple[str, int], ...]:
    """What could not be read as a date, by how it is written: an example of each form, and how many
    are written so."""
    examples: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for text in undated:
        form = _LETTERS.sub("a", _DIGITS.sub("9", text))
        examples.setdefault(form, text[:MAX_DATE])
        counts[form] += 1
    return tuple((examples[form], count) for form, count in counts.most_common(FORMS))


def _bytes(document: file_formats.Document) -> int:
    """At least, in a file that is not compressed."""
    return sum(
        len(part.encode("utf-8", "replace"))
        for part in (document.text, document.title, document.date, *document.metadata.values())
    )


def _show_document(document: file_formats.Document, options: file_formats.Options) -> dict:
    day = file_formats.parse_date(document.date, options.date_order or None)
    fields = [
        (name, value, options.kinds.get(name, metadata.DEFAULT.kind))
        for name, value in document.metadata.items()
    ]
    return {
        "title": document.title,
        "date": document.date[:MAX_DATE],
        "day": day.isoformat() if day else "",
        "fields": fields[:FIELDS],
        "text": document.text[:BEGINNING],
        "more": len(document.text) > BEGINNING,
        "file": document.file,
        "place": document.place,
        "part": document.part,
        "parts": document.parts,
    }
