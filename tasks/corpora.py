"""The tasks of a corpus: store its files, read them and choose its words; choose others later, or read files that were added."""

import time
from collections.abc import Callable
from dataclasses import asdict

from django.db import InterfaceError, OperationalError, transaction

from inference.errors import Invalid
from tasks.celery import app
from webapp import readers
from webapp.accounts import quotas
from webapp.ingest import read_files, storing, subset, vectorize, versions
from webapp.jobs import claims, events, kinds, scheduler
from webapp.jobs.file_lock import LockHeld, file_lock
from webapp.jobs.heartbeat import Heartbeat
from webapp.models import Corpus, Version
from webapp.storage import bulk, disk, files

TRANSIENT = (OperationalError, InterfaceError, LockHeld)
TELL_EVERY = 0.25  # seconds between two pieces of news


@app.task(name="tasks.corpora.ingest")
def ingest(corpus_id: int) -> None:
    """Store the files of a queued corpus that have just come; or read it from its stored files, and make its first version."""
    _work(kinds.INGEST, corpus_id, _ingest)


@app.task(name="tasks.corpora.choose")
def choose(version_id: int) -> None:
    """Make a queued version of a corpus, having read what files are new."""
    _work(kinds.VECTORIZE, version_id, _choose)


def _work(kind: kinds.JobKind, pk: int, go: Callable[[int, int, Heartbeat], None]) -> None:
    taken = scheduler.claim_next_job(kind, pk)
    if taken is None:
        return
    pk, attempt = taken
    corpus_id = pk if kind is kinds.INGEST else Version.everything.values_list("corpus", flat=True).get(pk=pk)
    try:
        with Heartbeat(kind, pk, attempt) as beat, file_lock(files.corpus_folder(corpus_id)):
            go(pk, attempt, beat)
    except claims.ClaimLost:
        return
    except TRANSIENT as error:
        if not disk.is_full(error):
            raise  # the heartbeat stops here, and the sweep queues the job again when Postgres is back
        claims.wait_for_disk(kind, pk, attempt)
    except (Invalid, readers.Unreadable) as error:
        claims.fail(kind, pk, attempt, str(error))
    except Exception:
        claims.crash(kind, pk, attempt)


def _ingest(corpus_id: int, attempt: int, beat: Heartbeat) -> None:
    corpus = Corpus.objects.get(pk=corpus_id)
    if corpus.arriving:
        return _store(corpus, attempt, beat)
    storing.forget(corpus)
    if corpus.provenance:
        corpus.bytes_total = subset.size(corpus)
        claims.update(kinds.INGEST, corpus_id, attempt, bytes_total=corpus.bytes_total)
    news = News(corpus)

    def keep(mark: read_files.Mark) -> None:
        quotas.check_documents(corpus, mark.documents)
        claims.update(
            kinds.INGEST,
            corpus_id,
            attempt,
            progress=asdict(mark),
            bytes_read=mark.bytes,
            documents_read=mark.documents,
            tries=0,
        )
        news.reading(mark)

    mark = read_files.Read(corpus, beat, keep).go()
    corpus.versions.all().delete()  # of an attempt that was killed
    version = versions.begin(corpus, versions.Words.of(corpus.settings), status=Version.Status.CHOOSING)
    with beat.long():
        made = vectorize.Making(version, mark, beat.check, news.stage)
    with beat.long(), transaction.atomic():
        made.publish()
        Version.objects.filter(pk=version.pk).update(status=Version.Status.READY)
        bulk.Partition("document", corpus_id).attach()
        claims.update(
            kinds.INGEST,
            corpus_id,
            attempt,
            status=Corpus.Status.READY,
            version=version,
            bytes_read=corpus.bytes_total,
            report=made.found,
        )


def _store(corpus: Corpus, attempt: int, beat: Heartbeat) -> None:
    """Store files that have come; then they wait for their owner to say how they are read."""
    news = News(corpus)

    def keep(mark: storing.Mark) -> None:
        claims.update(kinds.INGEST, corpus.pk, attempt, arriving=asdict(mark), bytes_read=mark.bytes, tries=0)

    try:
        storing.store(corpus, keep, _ticking(beat, news))
        with beat.long(), transaction.atomic():
            claims.update(kinds.INGEST, corpus.pk, attempt, status=Corpus.Status.DRAFT, **storing.finish(corpus))
    except Invalid:  # there is nothing to go on with
        with transaction.atomic():
            claims.update(kinds.INGEST, corpus.pk, attempt, arriving={})
            corpus.files.all().delete()
        raise


def _choose(version_id: int, attempt: int, beat: Heartbeat) -> None:
    version = Version.objects.select_related("corpus").get(pk=version_id)
    corpus, news = version.corpus, News(version.corpus)

    def keep(mark: read_files.Mark) -> None:
        quotas.check_documents(corpus, mark.documents)
        Corpus.objects.filter(pk=corpus.pk).update(
            progress=asdict(mark), bytes_read=mark.bytes, documents_read=mark.documents
        )
        claims.update(kinds.VECTORIZE, version_id, attempt, tries=0)
        news.reading(mark)

    storing.join(corpus, _ticking(beat, news))
    mark = read_files.Read(corpus, beat, keep).go()
    with beat.long():
        made = vectorize.Making(version, mark, beat.check, news.stage)
    with beat.long(), transaction.atomic():
        made.publish()
        claims.update(kinds.VECTORIZE, version_id, attempt, status=Version.Status.READY)
        Corpus.objects.filter(pk=corpus.pk).update(version=version, report=made.found)


def _ticking(beat: Heartbeat, news: "News") -> Callable[[storing.Mark], None]:
    """What hears of every step of storing."""

    def tick(mark: storing.Mark) -> None:
        beat.check()
        news.storing(mark)

    return tick


class News:
    """Tells open pages how far it is, not too often."""

    def __init__(self, corpus: Corpus):
        self.corpus, self.told_at, self.last = corpus, 0.0, {}

    def storing(self, mark: storing.Mark) -> None:
        self.last = {"bytes_read": mark.bytes, "bytes_total": self.corpus.bytes_total, "files": mark.files}
        self._tell("storing")

    def reading(self, mark: read_files.Mark) -> None:
        self.last = {
            "bytes_read": mark.bytes,
            "bytes_total": self.corpus.bytes_total,
            "documents": mark.documents,
            "words": mark.words,
        }
        self._tell("reading")

    def _tell(self, stage: str) -> None:
        now = time.monotonic()
        if now - self.told_at >= TELL_EVERY:
            self.told_at = now
            self.stage(stage)

    def stage(self, stage: str) -> None:
        """stage: storing, reading, duplicates, vocabulary or indexing."""
        events.corpus(self.corpus.pk, {"type": "progress", "stage": stage} | self.last)
