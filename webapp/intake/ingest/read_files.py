"""Files -> rows of documents, and the stream of their words: each file once, in one pass, which
another attempt can go on with.

Three things go on at once: a thread takes the documents of files, a second one cuts their texts
into words, and the task's own copies rows into Postgres. Worker processes parse large files and
hostile formats (webapp.intake.file_formats), the next files while one is taken. What a chunk of
documents adds to the files on disk is put on record in the same transaction as its rows: of a
process that is killed nothing is lost but the chunk it was at.
"""

import gc
import hashlib
import itertools
import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast

import numpy as np
import orjson
from django.db import connection, transaction

from inference.errors import Invalid
from inference.runtime.durable import settle_names
from inference.text import Stream, Tokeniser, cut_rules
from inference.text.stream import FORMAT
from webapp.intake import file_formats
from webapp.intake.ingest import subset
from webapp.intake.ingest.checkpoints import ReadCheckpoint
from webapp.intake.ingest.corpus_settings import ReadingSettings
from webapp.intake.ingest.guesses import stored_path
from webapp.intake.ingest.language_sample import LanguageSample
from webapp.intake.ingest.shaping import Shaping, blank_silent, shape, upload_with_table
from webapp.intake.metadata.dates import why_none
from webapp.models import Corpus, SourceFile
from webapp.platform import garbage
from webapp.platform.jobs.heartbeat import Heartbeat
from webapp.platform.storage import bulk, csv_cells, files

# Documents and problems that are copied at once: characters of the documents, and how many
CHUNK_CHARACTERS = 4 << 20
CHUNK_ITEMS = 20_000
DOCUMENTS_HELD = 8  # in memory, where texts are read again: each may have 20 million characters
MOST_PROBLEMS_SHOWN = 100  # of which the corpus's row keeps the sentences, for its page
REPORT_COLUMNS = ["file", "place", "problem", "dropped"]  # of report.csv

T = TypeVar("T")
_END: Any = object()  # behind the last item of an iterator


@contextmanager
def prefetched(items: Iterator[T]) -> Iterator[Iterator[T]]:
    """The items of an iterator, each made by a thread of its own while the one before it is used.
    What it raises is raised here.

    Leaving early waits for the item that is being made, and closes the iterator.
    """
    with ThreadPoolExecutor(1, "prefetch") as thread:

        def ahead() -> Iterator[T]:
            following = thread.submit(next, items, _END)
            while (item := following.result()) is not _END:
                following = thread.submit(next, items, _END)
                yield item

        try:
            yield ahead()
        finally:  # a generator ends in the thread that it began in
            thread.submit(getattr(items, "close", lambda: None)).result()


class ReadPlan(NamedTuple):
    """Files that came together, and how they are read: those that a corpus was made of in one way,
    those of each addition in another. documents: of them so far; spans: the first document, and how
    many, of each file whose documents follow each other; unread: those of the files that are still
    to be read."""

    options: file_formats.Options
    shaping: Shaping
    companions: file_formats.Companions
    documents: int
    spans: list[tuple[int, int]]
    table: tuple[Path, str] | None  # about the others
    unread: list[SourceFile]
    places: dict[str, int]  # positions by name, where one call shapes the items of all files

    def place(self, file: str, otherwise: int) -> int:
        """The position of the file that a document's file is, or is in."""
        while self.places and file not in self.places and "/" in file:
            file = file.rpartition("/")[0]
        return self.places.get(file, otherwise)


def read_plans(reading: ReadingSettings, everything: list[SourceFile]) -> Iterator[ReadPlan]:
    """A plan for the files that a corpus was made of, and one for those of each addition."""
    additions = [
        {"first": 0, "options": reading.options, "shaping": reading.shaping},
        *reading.added,
    ]
    for addition, end in zip(
        additions, [*(following["first"] for following in additions[1:]), None], strict=True
    ):
        options = file_formats.Options(**addition["options"])
        shaping = Shaping(**addition["shaping"])
        added_files = [file for file in everything if file.position >= addition["first"]]
        if end is not None:
            added_files = [file for file in added_files if file.position < end]
        paths_and_names = [(stored_path(file), file.name) for file in added_files]
        unread = [file for file in added_files if not file.read]
        unread = [file for file in unread if file.name != shaping.table]
        positions: dict[str, int] = {}
        if shaping.across:
            positions = {file.name: file.position for file in added_files}
        yield ReadPlan(
            options=options,
            shaping=shaping,
            companions=file_formats.Companions.among(paths_and_names),
            documents=sum(file.documents for file in added_files),
            spans=[(file.first, file.documents) for file in added_files if file.first is not None],
            table=upload_with_table(paths_and_names, shaping.table),
            unread=unread,
            places=positions,
        )


def plan_of_documents(plans: list[ReadPlan], documents: int) -> np.ndarray:
    """int64[documents]: by which of the plans each of the first so many documents was read; the
    first plan where there is no file of it, as of a part of another corpus.

    Files that were tried again have their documents behind those of later plans. Of a file whose
    documents do not follow each other nothing says which they are: these are taken in the order of
    the plans.
    """
    unknown = -1
    plan_of = np.full(documents, unknown)
    elsewhere = []  # how many documents of each plan are in no span
    for number, plan in enumerate(plans):
        for first, count in plan.spans:
            plan_of[first : first + count] = number
        elsewhere.append(plan.documents - sum(count for _, count in plan.spans))
    in_order = np.repeat(np.arange(len(plans)), elsewhere)
    places = np.flatnonzero(plan_of == unknown)
    plan_of[places] = 0
    known = min(len(places), len(in_order))
    plan_of[places[:known]] = in_order[:known]
    return plan_of


class Failure(NamedTuple):
    """A file of which nothing, or nothing more, can be read."""

    position: int
    file: str
    message: str
    items: int  # of it that came before


Item = file_formats.Document | file_formats.Problem | Failure


@dataclass
class Chunk:
    """Documents, their files and dates, and problems; where reading was behind them; then what the
    second thread adds."""

    # As in a ReadCheckpoint: the position of the file, its items that are behind, the bytes of the
    # files before it, and of all that was read
    file: int
    items: int
    before: int
    bytes: int = 0
    documents: list[file_formats.Document] = field(default_factory=list)
    # Their texts, with spaces for what does not count
    counted: list[str] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)  # of their files
    days: list[date | None] = field(default_factory=list)
    # Of dates among the fields of each: Options.date_order
    orders: list[str] = field(default_factory=list)
    problems: list[file_formats.Problem] = field(default_factory=list)
    counts: dict[int, list[int]] = field(default_factory=dict)  # position -> documents, problems
    encodings: dict[int, str] = field(default_factory=dict)  # position -> in which it is
    # Position -> why it can't be read on, and the items before
    failed: dict[int, tuple[str, int]] = field(default_factory=dict)
    checkpoint: ReadCheckpoint = field(default_factory=ReadCheckpoint)
    words: list[int] = field(default_factory=list)  # of each document


@contextmanager
def _looked_through_once() -> Iterator[None]:
    """Python's search for unreachable objects passes over those that there are by now: documents
    are many small objects, which have it look through all others again and again. A worker's process
    passes over them from its start (webapp.platform.garbage), and goes on doing so."""
    if garbage.start_is_passed_over():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class ReadAttempt:
    """One attempt at what is not read yet of a corpus. `save(checkpoint)` is called in the
    transaction of each chunk's rows."""

    def __init__(self, corpus: Corpus, beat: Heartbeat, save: Callable[[ReadCheckpoint], None]):
        self.corpus = corpus
        self.beat = beat
        self.save = save
        self.folder = files.corpus_folder(corpus.pk)
        self.reading = ReadingSettings.from_dict(corpus.settings)
        self.checkpoint = ReadCheckpoint(**corpus.progress)  # of what is on record
        self._last = self.checkpoint  # of what is in the files on disk, a chunk or two ahead
        self.plans = list(read_plans(self.reading, list(corpus.files.all())))
        self.plan = self.plans[0]  # of the files that are read now
        self.encodings: dict[int, str] = {}  # of files that were begun since the last chunk
        self.before = self.checkpoint.before  # bytes of the files before the one that is read
        self.bytes = self.before  # that were read

    def run(self) -> ReadCheckpoint:
        """Read to the end. Raises Invalid where no document came of it."""
        self.renew()
        is_any_unread = any(plan.unread for plan in self.plans) or self._is_unfinished_copy()
        if not is_any_unread:
            return self.checkpoint
        # Not the checkpoint's: an attempt at this addition may have been killed
        documents_before = self.corpus.version.documents if self.corpus.version else 0
        partition = self._prepare()
        are_tokens = self.reading.options.get("given", False)
        rules = cut_rules.of_checkpoint(self.checkpoint.stream or None)
        tokeniser = Tokeniser(self.reading.language, are_tokens, rules)
        with (
            _looked_through_once(),
            Stream.write(self.folder / "tokens", tokeniser, self.checkpoint.stream) as self.stream,
            self._grown("report.csv") as self.report,
            self._grown("fields.jsonl") as self.fields,
            prefetched(self._chunks()) as chunks,
            prefetched(map(self.write_words, chunks)) as written,
        ):
            settle_names([self.folder / "tokens", self.folder, self.folder.parent])
            for chunk in written:
                self.beat.check()
                self.copy_rows(partition, chunk)
        with transaction.atomic():
            self.corpus.files.update(read=True)
            self.checkpoint = replace(
                self.checkpoint, file=-1, items=0, before=self.bytes, bytes=self.bytes
            )
            self.save(self.checkpoint)
        if self.checkpoint.documents == documents_before:
            why = self.checkpoint.problems[-1]["message"] if self.checkpoint.problems else ""
            raise Invalid(
                "files", f"No document could be read from what was uploaded. {why}".strip()
            )
        return self.checkpoint

    def _is_unfinished_copy(self) -> bool:
        """Whether it is copied from another corpus, and not to its end."""
        is_unfinished = self.checkpoint.file >= 0 or not self.checkpoint.documents
        return not self.corpus.has_own_files and is_unfinished

    def _prepare(self) -> bulk.Partition:
        """Where rows of documents go. Nothing is left of an attempt that was killed, or of a reading
        with other options."""
        shutil.rmtree(self.folder / "shaping", ignore_errors=True)
        (self.folder / "shaping").mkdir(parents=True)
        partition = bulk.Partition("document", self.corpus.pk)
        if not self.checkpoint.documents:
            bulk.drop_left("document", self.corpus.pk)
            partition.create()
            shutil.rmtree(self.folder / "index", ignore_errors=True)
            (self.folder / "duplicates.npz").unlink(missing_ok=True)
        return partition

    def renew(self) -> None:
        """Have the words that an older version read in the format of this one."""
        stream = self.checkpoint.stream
        if not stream or stream["format"] == FORMAT:
            return
        with transaction.atomic():  # as long as the cursor is open
            now = Stream.renew(self.folder / "tokens", stream, self._counted(stream["D"]))
        self.checkpoint = self._last = replace(self.checkpoint, stream=now)
        self.save(self.checkpoint)
        with bulk.removing() as may:
            if may:  # else a backup has them
                Stream.remove_old(self.folder / "tokens")

    def _counted(self, documents: int) -> Iterator[list[str]]:
        """The texts of the first so many documents, with spaces for what does not count."""
        plan_of = plan_of_documents(self.plans, documents)
        with connection.chunked_cursor() as cursor:
            cursor.execute(
                f"SELECT number, text FROM document_{self.corpus.pk:d} WHERE number < %s ORDER BY number",
                [documents],
            )
            while rows := cursor.fetchmany(DOCUMENTS_HELD):
                self.beat.check()
                yield [
                    blank_silent(text, self.plans[plan_of[number]].shaping.silent)
                    for number, text in rows
                ]

    def _grown(self, name: str) -> BinaryIO:
        """A file that grows with the chunks, cut back to what is on record."""
        path = self.folder / name
        path.touch()
        os.truncate(path, self.checkpoint.sizes.get(name, 0))
        return path.open("ab")

    # In the first thread: files are cut into documents.

    def _chunks(self) -> Iterator[Chunk]:
        """What is still to be read, some megabytes at a time."""
        chunk = Chunk(self.checkpoint.file, self.checkpoint.items, self.before)
        size = 0
        try:
            for chunk.file, chunk.items, item in self._items():
                position = self.plan.place(item.file, chunk.file)
                chunk.counts.setdefault(position, [0, 0])[
                    not isinstance(item, file_formats.Document)
                ] += 1
                if isinstance(item, file_formats.Document):
                    chunk.documents.append(item)
                    chunk.counted.append(blank_silent(item.text, self.plan.shaping.silent))
                    chunk.positions.append(position)
                    chunk.days.append(self._day(item, chunk) if item.date else None)
                    chunk.orders.append(self.plan.options.date_order)
                    size += len(item.text) + len(item.title)
                elif isinstance(item, file_formats.Problem):
                    chunk.problems.append(item)
                else:
                    chunk.failed[item.position] = (
                        item.message,
                        item.items if self.plan.shaping.across else chunk.items - 1,
                    )
                    chunk.problems.append(file_formats.Problem(item.file, "", item.message, True))
                chunk.before = self.before
                if (
                    size >= CHUNK_CHARACTERS
                    or len(chunk.documents) + len(chunk.problems) >= CHUNK_ITEMS
                ):
                    yield self._completed(chunk)
                    chunk = Chunk(chunk.file, chunk.items, self.before)
                    size = 0
            yield self._completed(chunk)
        finally:
            connection.close()  # this thread's own

    def _completed(self, chunk: Chunk) -> Chunk:
        encodings = self.encodings
        self.encodings = {}
        return replace(chunk, bytes=self.bytes, encodings=encodings)

    def _day(self, document: file_formats.Document, chunk: Chunk) -> date | None:
        """A date that can't be read is a problem, and the document stays."""
        day = file_formats.parse_date(document.date, self.plan.options.date_order or None)
        if day is None:
            where = (
                f"“{document.file}”, {document.place}" if document.place else f"“{document.file}”"
            )
            chunk.problems.append(
                file_formats.Problem(
                    document.file,
                    document.place,
                    f"{where}: its date “{document.date}” {why_none(document.date)}; it was kept"
                    " without a date.",
                    False,
                )
            )
        return day

    def _items(self) -> Iterator[tuple[int, int, Item]]:
        """(file, items of it so far, item), those left out that are on record. A file that can't be
        read on gives a Failure."""
        if not self.corpus.has_own_files:
            yield from self._off_record(
                0, subset.documents(self.corpus, self._advance), self.checkpoint.items
            )
            return
        for plan in self.plans:
            self.plan = plan
            unread = plan.unread
            if unread and plan.shaping.across:
                first = unread[0].position
                items = itertools.chain.from_iterable(
                    itertools.starmap(self._items_of, self._begun(plan))
                )
                self.before = self.bytes
                yield from self._off_record(
                    first,
                    self._shaped(items),
                    self.checkpoint.items if self.checkpoint.file == first else 0,
                )
                continue
            for file, reading in self._begun(plan):
                self.before = self.bytes
                skip = (
                    self.checkpoint.items if file.position == self.checkpoint.file else file.items
                )
                yield from self._off_record(
                    file.position, self._shaped(self._items_of(file, reading)), skip
                )

    def _begun(self, plan: ReadPlan) -> Iterator[tuple[SourceFile, file_formats.Reading]]:
        """The files that are to be read, one after the other, while worker processes read the next
        ones."""

        def readings() -> Iterator[file_formats.Reading]:
            for file in plan.unread:
                reading = file_formats.Reading(
                    stored_path(file), file.name, plan.options, plan.companions
                )
                reading.begin()
                yield reading

        return zip(plan.unread, file_formats.in_order(readings()), strict=True)

    def _off_record(
        self, file: int, items: Iterator[Item], skip: int
    ) -> Iterator[tuple[int, int, Item]]:
        """The items of a file that are not on record yet: those behind the first `skip`, each with
        the file and how many items of it are behind.

        A Failure among the first ones is given, too: a worker process that is killed may give less
        of a file than the one that was killed before it.
        """
        for n, item in enumerate(items, 1):
            is_early_failure = (
                n < skip and isinstance(item, Failure) and not self.plan.shaping.across
            )
            if n > skip or is_early_failure:
                yield file, max(n, skip), item

    def _shaped(self, items: Iterator[Item]) -> Iterator[Item]:
        """Documents as they will be rows, of the files of the current plan."""
        plan = self.plan
        return shape(
            # A Failure is handed on as it is.
            cast("Iterator[file_formats.Document | file_formats.Problem]", items),
            plan.shaping,
            self.folder / "shaping",
            plan.table,
            self._advance,
            plan.options.date_order,
            plan.options.running,
        )

    def _items_of(self, file: SourceFile, reading: file_formats.Reading) -> Iterator[Item]:
        """The items of a file; where it can't be read on, a Failure at the end."""
        # Items on record are passed over here where they are shaped across files, else behind that
        behind = file.items if self.plan.shaping.across else 0
        n = 0
        try:
            if encoding := file_formats.encoding(stored_path(file), file.name, self.plan.options):
                self.encodings[file.position] = encoding
            for n, item in enumerate(reading.items(self._advance), 1):
                if n > behind:
                    yield item
        except file_formats.Unreadable as error:
            yield Failure(file.position, file.name, str(error), n)

    def _advance(self, count: int) -> None:
        self.bytes += count
        self.beat.tick()  # a large file may give no document for long

    # In the second thread: texts are cut into words.

    def write_words(self, chunk: Chunk) -> Chunk:
        """Append the chunk's words, fields and problems to the files on disk."""
        chunk.words = self.stream.add(chunk.counted, [d.title for d in chunk.documents]).tolist()
        for document, day, order in zip(chunk.documents, chunk.days, chunk.orders, strict=True):
            self.fields.write(
                orjson.dumps(
                    [day.toordinal() if day else 0, document.metadata, order],
                    option=orjson.OPT_APPEND_NEWLINE,
                )
            )
        rows = [[p.file, p.place, p.message, "yes" if p.dropped else "no"] for p in chunk.problems]
        self.report.write(csv_cells.lines(rows if self.report.tell() else [REPORT_COLUMNS, *rows]))
        for file in (self.report, self.fields):
            file.flush()
            os.fsync(file.fileno())
        before = self._last
        texts = (document.text for document in chunk.documents)
        languages = LanguageSample(**before.languages).with_texts(before.documents, texts)
        problems = Counter(before.problem_counts)
        problems.update("dropped" if p.dropped else "repaired" for p in chunk.problems)
        chunk.checkpoint = self._last = ReadCheckpoint(
            documents=before.documents + len(chunk.documents),
            words=before.words + sum(chunk.words),
            file=chunk.file,
            items=chunk.items,
            before=chunk.before,
            bytes=chunk.bytes,
            stream=self.stream.commit(),
            sizes={"report.csv": self.report.tell(), "fields.jsonl": self.fields.tell()},
            problem_counts=dict(problems),
            # All of them are in report.csv
            problems=[*before.problems, *map(asdict, chunk.problems)][:MOST_PROBLEMS_SHOWN],
            languages=asdict(languages),
        )
        return chunk

    # In the task's own thread: rows are copied.

    def copy_rows(self, partition: bulk.Partition, chunk: Chunk) -> None:
        """Write the chunk's documents and its checkpoint to the database, in one transaction."""
        with transaction.atomic():
            with partition.writer() as write:
                for i, document in enumerate(chunk.documents):
                    write(
                        self.checkpoint.documents + i,
                        document.source_id,
                        document.file,
                        document.place,
                        document.title,
                        document.date,
                        chunk.days[i],
                        orjson.dumps(document.metadata).decode(),
                        document.text,
                        hashlib.sha256(document.text.encode()).digest(),
                        chunk.words[i],
                        document.part,
                        document.parts,
                        document.whole,
                    )
            for position, (error, items) in chunk.failed.items():
                self.corpus.files.filter(position=position).update(error=error, items=items)
            bulk.count_files(self.corpus.pk, chunk.counts, self._spans(chunk), chunk.encodings)
            self.corpus.files.filter(read=False, position__lt=chunk.file).update(read=True)
            self.save(chunk.checkpoint)
        self.checkpoint = chunk.checkpoint

    def _spans(self, chunk: Chunk) -> dict[int, tuple[int, int]]:
        """The first and the last document of each file that has any in a chunk."""
        spans: dict[int, tuple[int, int]] = {}
        for number, position in enumerate(chunk.positions, self.checkpoint.documents):
            spans[position] = (spans.get(position, (number,))[0], number)
        return spans
