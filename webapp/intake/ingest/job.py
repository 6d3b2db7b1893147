"""The three jobs of a corpus: store what was uploaded, read it and choose its words; choose others
later, or read files that were added.

Each runs in a worker (tasks.corpora), and each may be killed anywhere: it continues from the
checkpoint on its row.
"""

import shutil
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from datetime import date
from functools import partial

import numpy as np
import orjson
from django.db import transaction

from inference.errors import Invalid
from inference.index import Index
from inference.runtime.durable import settle
from inference.text import Stream, choose, duplicates
from inference.text.stream import FORMAT
from webapp.intake import file_formats
from webapp.intake.ingest import (
    guesses,
    previews,
    pseudonyms,
    storing,
    subset,
    unit_search,
    versions,
)
from webapp.intake.ingest.checkpoints import ReadCheckpoint, StoreCheckpoint
from webapp.intake.ingest.corpus_settings import ReadingSettings, VocabularySettings
from webapp.intake.ingest.language_sample import LanguageSample
from webapp.intake.ingest.read_files import ReadAttempt
from webapp.intake.metadata import columns
from webapp.models import Corpus, Upload, Version
from webapp.platform.accounts import quotas
from webapp.platform.jobs import claims, dispatch, events, file_lock, kinds, scheduler
from webapp.platform.jobs.heartbeat import Heartbeat, run_next
from webapp.platform.storage import bulk, files, sealed

REFUSALS = (Invalid, file_formats.Unreadable)  # whose messages are sentences for the user
REPORT_EVERY = 0.25  # seconds between two reports of progress to open pages
NOTE_SECONDS = 3600  # for which what a job told last is shown: the longest stage is shorter

# Seconds after which what did not come to its end is tried again
RENEW = "tasks.corpora.renew"
RENEW_AGAIN = 3600


# The words of a corpus -> a version of it: vocabulary, bag of words, columns of what is known of
# each document. No text is read.
class VersionBuilder:
    """Makes a version's files and rows; `publish`, in the transaction that makes it ready, shows
    them."""

    def __init__(
        self,
        version: Version,
        checkpoint: ReadCheckpoint,
        check: Callable[[], None],
        report_stage: Callable[[str], None],
    ):
        self.version = version
        self.checkpoint = checkpoint
        self.check = check
        self.source = files.corpus_folder(version.corpus_id)
        self.folder = files.version_folder(version.pk)
        shutil.rmtree(self.folder, ignore_errors=True)  # of an attempt that was killed
        self.folder.mkdir(parents=True)
        self.stream = Stream.open(self.source / "tokens")
        self.settings = VocabularySettings.from_dict(version.settings).alike_in(
            self.stream, self.stream.given
        )
        with ThreadPoolExecutor(
            1
        ) as index_thread:  # on the other core: the index knows of no choice
            indexed = index_thread.submit(self._index)
            report_stage("duplicates")
            exact, near = self._duplicates()
            check()
            self.corpus_report = self._corpus_report(exact, near)
            report_stage("vocabulary")
            left_out = None
            if self.settings.duplicates == "exact":
                left_out = exact >= 0
            elif self.settings.duplicates == "near":
                left_out = (exact >= 0) | (near >= 0)
            # They are among left_out: found once
            choice = replace(self.settings.choice(), duplicates="keep")
            self.bow, self.vocabulary = choose(
                self.stream, choice, self.folder / "bow", left_out=left_out
            )
            check()
            self._columns()
            self.unit_fields = unit_search.find_guarded(version, self.stream.D, self.bow)
            report_stage("indexing")
            indexed.result()
        sealed_files = [self.source / name for name in sealed.ITEMS["corpora"]]
        settle(self.folder, *sealed_files)  # before a row says that they are there
        self.stored = sealed.put(
            *sealed_files, *(self.folder / name for name in sealed.ITEMS["versions"])
        )

    def _duplicates(self) -> tuple[np.ndarray, np.ndarray]:
        """For each document the first one that it repeats, exactly and nearly, -1 for none; found
        once for the same documents."""
        path = self.source / "duplicates.npz"
        if path.exists():
            with np.load(path) as arrays:
                if len(arrays["exact"]) == self.stream.D:
                    return arrays["exact"], arrays["near"]
        exact, near = duplicates.find(self.stream, self.source)
        new = path.with_suffix(".new.npz")
        np.savez(new, exact=exact, near=near)
        new.replace(path)
        return exact, near

    def _corpus_report(self, exact: np.ndarray, near: np.ndarray) -> dict:
        """What the corpus's page says of reading."""
        repeated, first = bulk.repeated_ids(self.version.corpus_id)
        return {
            "repeated_ids": repeated,
            "repeated_ids_first": first,
            "words_read": self.checkpoint.words,
            "problem_counts": self.checkpoint.problem_counts,
            "problems": self.checkpoint.problems,
            "text_languages": LanguageSample(**self.checkpoint.languages).counts(),
            "duplicates": {
                "exact": int(np.count_nonzero(exact >= 0)),
                "near": int(np.count_nonzero((near >= 0) & (exact < 0))),
            },
        }

    def _columns(self) -> None:
        options = file_formats.Options(
            **ReadingSettings.from_dict(self.version.corpus.settings).options
        )
        with (
            columns.Writer(self.folder / "columns", options.kinds) as writer,
            (self.source / "fields.jsonl").open("rb") as lines,
        ):
            for number, line in enumerate(lines):
                day, metadata, *orders = orjson.loads(line)
                order = orders[0] if orders else options.date_order  # of an older version's lines
                writer.add(number, date.fromordinal(day) if day else None, metadata, order)
            writer.finish(self.stream.D)

    def _index(self) -> None:
        """The search of the corpus; it is as it was where no document came since."""
        folder = self.source / "index"
        if Index.size(folder) < self.stream.D:
            Index.write(
                folder,
                self.stream,
                self.stream.language,
                extend=True,
                advance=lambda _: self.check(),
            )

    def _phrases_left_out(self) -> list[str]:
        """The chosen phrases that no text has, or that the thresholds leave out."""
        phrases = self.version.settings.get("phrases", [])
        words = set(self.vocabulary.words) if phrases else set()
        return [phrase for phrase in phrases if phrase.replace(" ", "_") not in words]

    def publish(self) -> None:
        """In the transaction that says that it is ready."""
        partition = bulk.Partition("word", self.version.pk)
        partition.create()
        with partition.writer() as write:
            for number, word in enumerate(self.vocabulary.words):
                write(
                    number,
                    word,
                    int(self.vocabulary.tokens[number]),
                    int(self.vocabulary.documents[number]),
                )
        partition.attach()
        sealed.record(self.stored)
        Version.objects.filter(pk=self.version.pk).update(
            settings=self.version.settings | {"alike": self.settings.alike},
            documents=self.stream.D,
            tokens=self.bow.tokens,
            vocabulary=self.bow.V,
            unit_fields=self.unit_fields,
            report={
                "without_words": int(np.count_nonzero(np.diff(self.bow.by_document().indptr) == 0)),
                "rows": self.bow.D,
                "cut": 0
                if self.bow.first_row is None
                else int(np.count_nonzero(np.diff(self.bow.first_row) > 1)),
                "dropped": {
                    reason: list(map(int, counts))
                    for reason, counts in self.vocabulary.dropped.items()
                },
                "phrases_left_out": self._phrases_left_out(),
                "digest": self.bow.digest,
            },
        )


def store_upload(corpus_id: int) -> None:
    """Store the files of a queued upload, unless they are, and look into them."""
    run_next(kinds.STORE, corpus_id, _store_upload, REFUSALS)


def read_corpus(corpus_id: int, when_ready: Callable[[Corpus], None]) -> None:
    """Read a queued corpus from its stored files, and make its first version.

    when_ready: called with a corpus that has been read, in the transaction that makes it ready.
    """
    run_next(kinds.READ, corpus_id, partial(_read_corpus, when_ready=when_ready), REFUSALS)


def build_version(version_id: int) -> None:
    """Make a queued version of a corpus, having read what files are new."""
    run_next(kinds.VECTORIZE, version_id, _build_version, REFUSALS)


def renew_one() -> None:
    """Ask a worker to `renew` a corpus that an older version read, where there is nothing else to
    do."""
    old = Corpus.objects.filter(
        status=Corpus.Status.READY, progress__stream__format__lt=FORMAT
    ).order_by("pk")
    for pk in old.values_list("pk", flat=True) if scheduler.idle() else ():
        if events.client().set(f"renewed:{pk}", 1, nx=True, ex=RENEW_AGAIN):
            return dispatch.ask(RENEW, [pk], None)


def renew(corpus_id: int) -> None:
    """In a worker: have the words of a corpus in the format of this version, unless a job is at
    work there."""
    folder = files.corpus_folder(corpus_id)

    def save(checkpoint: ReadCheckpoint) -> None:
        stored = sealed.put(folder / "tokens")
        with transaction.atomic():
            sealed.record(stored)
            Corpus.objects.filter(pk=corpus_id).update(progress=asdict(checkpoint))

    with dispatch.at_work(RENEW, [corpus_id]), file_lock.if_free(folder) as free:
        corpus = Corpus.objects.filter(pk=corpus_id, status=Corpus.Status.READY).first()
        if free and corpus:
            ReadAttempt(
                corpus, Heartbeat(kinds.READ, corpus_id, 0), save
            ).renew()  # it does not beat


def _store_upload(corpus_id: int, attempt: int, beat: Heartbeat) -> None:
    upload = Upload.objects.select_related("corpus__parent").get(pk=corpus_id)
    progress = ProgressReporter(upload.corpus, beat)
    if upload.question is None:
        _store(upload, attempt, beat, progress)
    # What the files seem to be, for the prepare page, which need not wait for it then
    guesses.look_long(
        upload.corpus, guesses.FilesQuestion(**upload.question or {}), progress.looking
    )
    reading = pseudonyms.following_reading(upload)
    with transaction.atomic():
        claims.update(
            kinds.STORE,
            corpus_id,
            attempt,
            status=Upload.Status.STORED,
            checkpoint={},
            question=None,
        )
        if reading:
            pseudonyms.read_by_itself(upload, reading)


def _store(upload: Upload, attempt: int, beat: Heartbeat, progress: "ProgressReporter") -> None:
    def save(checkpoint: StoreCheckpoint) -> None:
        claims.update(kinds.STORE, upload.pk, attempt, checkpoint=asdict(checkpoint), tries=0)

    try:
        if not pseudonyms.is_written(upload):
            pseudonyms.write(upload, progress.looking)
        storing.store(upload, save, progress.storing)
        upload.question = asdict(
            guesses.FilesQuestion(known=previews.known_options(None, upload.corpus))
        )
        with beat.long(), transaction.atomic():
            storing.finish(upload)
            claims.update(kinds.STORE, upload.pk, attempt, checkpoint={}, question=upload.question)
    except Invalid:  # there is nothing to go on with
        with transaction.atomic():
            claims.update(kinds.STORE, upload.pk, attempt, checkpoint=None)
            upload.corpus.files.all().delete()
        raise


def _read_corpus(
    corpus_id: int, attempt: int, beat: Heartbeat, when_ready: Callable[[Corpus], None]
) -> None:
    corpus = Corpus.objects.get(pk=corpus_id)
    storing.remove_received(corpus)
    if corpus.provenance:
        corpus.bytes_total = subset.size(corpus)
        claims.update(kinds.READ, corpus_id, attempt, bytes_total=corpus.bytes_total)
    progress = ProgressReporter(corpus, beat)

    def save(checkpoint: ReadCheckpoint) -> None:
        quotas.check_documents(corpus, checkpoint.documents)
        claims.update(
            kinds.READ,
            corpus_id,
            attempt,
            progress=asdict(checkpoint),
            bytes_read=checkpoint.bytes,
            documents_read=checkpoint.documents,
            tries=0,
        )
        progress.reading(checkpoint)

    checkpoint = ReadAttempt(corpus, beat, save).run()
    corpus.versions.all().delete()  # of an attempt that was killed
    version = versions.create(
        corpus, VocabularySettings.from_dict(corpus.settings), status=Version.Status.CHOOSING
    )
    with beat.long():
        builder = VersionBuilder(version, checkpoint, beat.check, progress.report_stage)
    with beat.long(), transaction.atomic():
        documents = bulk.Partition("document", corpus_id)
        documents.index()
        builder.publish()
        Version.objects.filter(pk=version.pk).update(status=Version.Status.READY)
        documents.attach()
        claims.update(
            kinds.READ,
            corpus_id,
            attempt,
            status=Corpus.Status.READY,
            version=version,
            bytes_read=corpus.bytes_total,
            report=builder.corpus_report,
        )
        when_ready(Corpus.objects.select_related("version").get(pk=corpus_id))


def _build_version(version_id: int, attempt: int, beat: Heartbeat) -> None:
    version = Version.objects.select_related("corpus").get(pk=version_id)
    corpus = version.corpus
    progress = ProgressReporter(corpus, beat)

    def save(checkpoint: ReadCheckpoint) -> None:
        quotas.check_documents(corpus, checkpoint.documents)
        Corpus.objects.filter(pk=corpus.pk).update(
            progress=asdict(checkpoint),
            bytes_read=checkpoint.bytes,
            documents_read=checkpoint.documents,
        )
        claims.update(kinds.VECTORIZE, version_id, attempt, tries=0)
        progress.reading(checkpoint)

    storing.join_additions(corpus, progress.storing)
    checkpoint = ReadAttempt(corpus, beat, save).run()
    with beat.long():
        builder = VersionBuilder(version, checkpoint, beat.check, progress.report_stage)
    with beat.long(), transaction.atomic():
        builder.publish()
        claims.update(kinds.VECTORIZE, version_id, attempt, status=Version.Status.READY)
        Corpus.objects.filter(pk=corpus.pk).update(version=version, report=builder.corpus_report)


def progress_note(corpus: Corpus) -> dict:
    """What the job with a corpus told last: stage, and as far as it knows bytes_read, bytes_total,
    documents, words, files. Empty where nothing is known."""
    return events.note(f"progress:corpus:{corpus.pk}")


class ProgressReporter:
    """Tells open pages how far a job is, at most once in REPORT_EVERY."""

    def __init__(self, corpus: Corpus, beat: Heartbeat):
        self.corpus = corpus
        self.beat = beat
        self.reported_at = 0.0
        self.last: dict[str, int] = {}
        # In the place of an older job's
        events.leave_note(f"progress:corpus:{corpus.pk}", {}, NOTE_SECONDS)

    def storing(self, checkpoint: StoreCheckpoint) -> None:
        """Called at every step. Raises where the job is not this attempt's any more."""
        self.beat.check()
        self._report("storing", bytes_read=checkpoint.bytes, files=checkpoint.files)

    def looking(self) -> bool:
        """Renews the heartbeat as `check` does, and is never True (`stopped` of
        guesses.look_long)."""
        self.beat.check()
        self._report("looking")
        return False

    def reading(self, checkpoint: ReadCheckpoint) -> None:
        self._report(
            "reading",
            bytes_read=checkpoint.bytes,
            documents=checkpoint.documents,
            words=checkpoint.words,
        )

    def _report(self, stage: str, **counts: int) -> None:
        self.last = counts | {"bytes_total": self.corpus.bytes_total} if counts else self.last
        now = time.monotonic()
        if now - self.reported_at >= REPORT_EVERY:
            self.reported_at = now
            self.report_stage(stage)

    def report_stage(self, stage: str) -> None:
        """stage: storing, looking, reading, duplicates, vocabulary or indexing."""
        progress = {"stage": stage} | self.last
        events.corpus(self.corpus.pk, {"type": "progress"} | progress)
        events.leave_note(f"progress:corpus:{self.corpus.pk}", progress, NOTE_SECONDS)
