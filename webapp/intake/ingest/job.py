"""The three jobs of a corpus: store what was uploaded, read it and choose its words; choose others
later, or read files that were added.

Each runs in a worker (tasks.corpora), and each may be killed anywhere: it continues from the
checkpoint on its row.
"""

import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from django.db import transaction

from inference.errors import Invalid
from inference.text.stream import FORMAT
from webapp.intake import file_formats
from webapp.intake.ingest import (
    guesses,
    previews,
    pseudonyms,
    storing,
    subset,
    versions,
)
from webapp.intake.ingest.checkpoints import ReadCheckpoint, StoreCheckpoint
from webapp.intake.ingest.corpus_settings import VocabularySettings
from webapp.intake.ingest.read_files import ReadAttempt
from webapp.intake.ingest.version_builder import VersionBuilder
from webapp.models import Corpus, Upload, Version
from webapp.platform.accounts import quotas
from webapp.platform.jobs import claims, dispatch, events, file_lock, kinds, scheduler
from webapp.platform.jobs.heartbeat import Heartbeat, run_next
from webapp.platform.storage import bulk, files, sealed

REFUSALS = (Invalid, file_formats.Unreadable)  # whose messages are sentences for the user
REPORT_EVERY = 0.25  # seconds between two reports of progress to open pages
NOTE_SECONDS = 3600  # for which what a job told last is shown: the longest stage is shorter

RENEW = "tasks.corpora.renew"  # the task that calls `renew`
RENEW_AGAIN = 3600  # seconds after which a corpus that was not renewed to its end is tried again


def store_upload(corpus_id: int) -> None:
    """Store the files of a queued upload, unless they are, and look into them."""
    run_next(kinds.STORE, corpus_id, _attempt_to_store, REFUSALS)


def read_corpus(corpus_id: int, when_ready: Callable[[Corpus], None]) -> None:
    """Read a queued corpus from its stored files, and make its first version.

    when_ready: called with a corpus that has been read, in the transaction that makes it ready.
    """
    run_next(kinds.READ, corpus_id, partial(_attempt_to_read, when_ready=when_ready), REFUSALS)


def build_version(version_id: int) -> None:
    """Make a queued version of a corpus, having read what files are new."""
    run_next(kinds.VECTORIZE, version_id, _attempt_to_build, REFUSALS)


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


def _attempt_to_store(corpus_id: int, attempt: int, beat: Heartbeat) -> None:
    upload = Upload.objects.select_related("corpus__parent").get(pk=corpus_id)
    progress = ProgressReporter(upload.corpus, beat)
    if upload.question is None:
        _record_files(upload, attempt, beat, progress)
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


def _record_files(
    upload: Upload, attempt: int, beat: Heartbeat, progress: "ProgressReporter"
) -> None:
    """Give each file a row, of which the next step reads it. Raises Invalid where that is not
    possible: then none has one."""

    def save(checkpoint: StoreCheckpoint) -> None:
        claims.update(kinds.STORE, upload.pk, attempt, checkpoint=asdict(checkpoint), tries=0)

    try:
        if not pseudonyms.is_written(upload):
            pseudonyms.write(upload, progress.looking)
        storing.record_files(upload, save, progress.storing)
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


def _attempt_to_read(
    corpus_id: int, attempt: int, beat: Heartbeat, when_ready: Callable[[Corpus], None]
) -> None:
    corpus = Corpus.objects.get(pk=corpus_id)
    storing.remove_received(corpus)
    if not corpus.has_own_files:
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
        built = builder.build()
    with beat.long():
        built.store_words()
        _attach_documents(corpus_id)
    with beat.long(), transaction.atomic():
        built.publish()
        Version.objects.filter(pk=version.pk).update(status=Version.Status.READY)
        claims.update(
            kinds.READ,
            corpus_id,
            attempt,
            status=Corpus.Status.READY,
            version=version,
            bytes_read=corpus.bytes_total,
            report=built.corpus_report,
        )
        when_ready(Corpus.objects.select_related("version").get(pk=corpus_id))


def _attach_documents(corpus_id: int) -> None:
    """Before the transaction that says that the corpus is ready (bulk says why). An attempt that
    was killed between the two has attached them already."""
    documents = bulk.Partition("document", corpus_id)
    if documents.is_attached():
        return
    with transaction.atomic():
        documents.attach()


def _attempt_to_build(version_id: int, attempt: int, beat: Heartbeat) -> None:
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
        built = builder.build()
    with beat.long():
        built.store_words()
    with beat.long(), transaction.atomic():
        built.publish()
        claims.update(kinds.VECTORIZE, version_id, attempt, status=Version.Status.READY)
        Corpus.objects.filter(pk=corpus.pk).update(version=version, report=built.corpus_report)


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
