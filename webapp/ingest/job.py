"""The three jobs of a corpus: store what was uploaded, read it and choose its words; choose others later, or read
files that were added.

Each runs in a worker (tasks.corpora), and each may be killed anywhere: it continues from the checkpoint on its row.
"""

import time
from collections.abc import Callable
from dataclasses import asdict
from functools import partial

from django.db import transaction

from inference.errors import Invalid
from webapp import readers
from webapp.accounts import quotas
from webapp.ingest import guesses, previews, storing, subset, versions
from webapp.ingest.checkpoints import ReadCheckpoint, StoreCheckpoint
from webapp.ingest.read_files import ReadAttempt
from webapp.ingest.settings import VocabularySettings
from webapp.ingest.vectorize import VersionBuilder
from webapp.jobs import claims, events, kinds
from webapp.jobs.heartbeat import Heartbeat
from webapp.jobs.running import run_next
from webapp.models import Corpus, Upload, Version
from webapp.storage import bulk

REFUSALS = (Invalid, readers.Unreadable)  # whose messages are sentences for the user
REPORT_EVERY = 0.25  # seconds between two reports of progress to open pages
NOTE_SECONDS = 3600  # for which what a job told last is shown: the longest stage is shorter


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


def _store_upload(corpus_id: int, attempt: int, beat: Heartbeat) -> None:
    upload = Upload.objects.select_related("corpus__parent").get(pk=corpus_id)
    progress = ProgressReporter(upload.corpus)
    if upload.question is None:
        _store(upload, attempt, beat, progress)
    _look(upload, beat, progress)
    claims.update(kinds.STORE, corpus_id, attempt, status=Upload.Status.STORED, checkpoint={}, question=None)


def _store(upload: Upload, attempt: int, beat: Heartbeat, progress: "ProgressReporter") -> None:
    def save(checkpoint: StoreCheckpoint) -> None:
        claims.update(kinds.STORE, upload.pk, attempt, checkpoint=asdict(checkpoint), tries=0)

    try:
        storing.store(upload, save, _reporter(beat, progress))
        upload.question = asdict(guesses.Question(known=previews.known_options(None, upload.corpus)))
        with beat.long(), transaction.atomic():
            storing.finish(upload)
            claims.update(kinds.STORE, upload.pk, attempt, checkpoint={}, question=upload.question)
    except Invalid:  # there is nothing to go on with
        with transaction.atomic():
            claims.update(kinds.STORE, upload.pk, attempt, checkpoint=None)
            upload.corpus.files.all().delete()
        raise


def _look(upload: Upload, beat: Heartbeat, progress: "ProgressReporter") -> None:
    """Find out what the stored files seem to be, for the prepare page, which need not wait for it then."""

    def stopped() -> bool:
        beat.check()
        progress.looking()
        return False

    guesses.look_long(upload.corpus, guesses.Question(**upload.question or {}), stopped)


def _read_corpus(corpus_id: int, attempt: int, beat: Heartbeat, when_ready: Callable[[Corpus], None]) -> None:
    corpus = Corpus.objects.get(pk=corpus_id)
    storing.remove_received(corpus)
    if corpus.provenance:
        corpus.bytes_total = subset.size(corpus)
        claims.update(kinds.READ, corpus_id, attempt, bytes_total=corpus.bytes_total)
    progress = ProgressReporter(corpus)

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
    version = versions.create(corpus, VocabularySettings.from_dict(corpus.settings), status=Version.Status.CHOOSING)
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
    corpus, progress = version.corpus, ProgressReporter(version.corpus)

    def save(checkpoint: ReadCheckpoint) -> None:
        quotas.check_documents(corpus, checkpoint.documents)
        Corpus.objects.filter(pk=corpus.pk).update(
            progress=asdict(checkpoint), bytes_read=checkpoint.bytes, documents_read=checkpoint.documents
        )
        claims.update(kinds.VECTORIZE, version_id, attempt, tries=0)
        progress.reading(checkpoint)

    storing.join_additions(corpus, _reporter(beat, progress))
    checkpoint = ReadAttempt(corpus, beat, save).run()
    with beat.long():
        builder = VersionBuilder(version, checkpoint, beat.check, progress.report_stage)
    with beat.long(), transaction.atomic():
        builder.publish()
        claims.update(kinds.VECTORIZE, version_id, attempt, status=Version.Status.READY)
        Corpus.objects.filter(pk=corpus.pk).update(version=version, report=builder.corpus_report)


def _reporter(beat: Heartbeat, progress: "ProgressReporter") -> Callable[[StoreCheckpoint], None]:
    """Called at every step of storing."""

    def report(checkpoint: StoreCheckpoint) -> None:
        beat.check()
        progress.storing(checkpoint)

    return report


def progress_note(corpus: Corpus) -> dict:
    """What the job with a corpus told last: stage, and as far as it knows bytes_read, bytes_total, documents, words, files.
    Empty where nothing is known."""
    return events.note(f"progress:corpus:{corpus.pk}")


class ProgressReporter:
    """Tells open pages how far a job is, at most once in REPORT_EVERY."""

    def __init__(self, corpus: Corpus):
        self.corpus, self.reported_at = corpus, 0.0
        self.last: dict[str, int] = {}
        events.leave_note(f"progress:corpus:{corpus.pk}", {}, NOTE_SECONDS)  # in the place of an older job's

    def storing(self, checkpoint: StoreCheckpoint) -> None:
        self.last = {"bytes_read": checkpoint.bytes, "bytes_total": self.corpus.bytes_total, "files": checkpoint.files}
        self._report("storing")

    def looking(self) -> None:
        self._report("looking")

    def reading(self, checkpoint: ReadCheckpoint) -> None:
        self.last = {
            "bytes_read": checkpoint.bytes,
            "bytes_total": self.corpus.bytes_total,
            "documents": checkpoint.documents,
            "words": checkpoint.words,
        }
        self._report("reading")

    def _report(self, stage: str) -> None:
        now = time.monotonic()
        if now - self.reported_at >= REPORT_EVERY:
            self.reported_at = now
            self.report_stage(stage)

    def report_stage(self, stage: str) -> None:
        """stage: storing, looking, reading, duplicates, vocabulary or indexing."""
        told = {"stage": stage} | self.last
        events.corpus(self.corpus.pk, {"type": "progress"} | told)
        events.leave_note(f"progress:corpus:{self.corpus.pk}", told, NOTE_SECONDS)
