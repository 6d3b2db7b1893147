"""A file of codes that were made elsewhere, as it comes: read in the request where it is small and
quickly read, else by a worker; the concept's page says how far that is, and what came of it."""

from django.db import transaction

from inference.errors import Invalid
from webapp.intake.file_formats import looking
from webapp.models import CodeFile, Concept, Run
from webapp.platform.jobs import claims, dispatch, kinds
from webapp.platform.jobs.heartbeat import Heartbeat, run_next
from webapp.service.codebook import imports
from webapp.service.codebook.concepts import check_no_file_waits, lock
from webapp.service.codebook.shapes import CodeFileRow

TASK = kinds.TAKE_IN.task
# Bytes that a request reads, and codes that it stores: either takes half a second. A worker does
# what is more: 24,000 codes take 5 seconds.
QUICK_AMOUNT = 1_000_000
QUICK_CODES = 2_000
WAITING = kinds.TAKE_IN.unfinished_statuses
QUICK_SECONDS = 5.0  # of a request, and of a processor, that reading may take there
# The same of a worker
MOST_SECONDS = 300.0
PROCESSOR_SECONDS = 60.0
READING_SHARE = 0.2  # of a worker's time, which reading takes; the rest is storing


def receive(concept: Concept, run: Run, content: bytes, by: str) -> str:
    """Take a file in, or have a worker do it; what is said of that. Raises Invalid."""
    imports.check(concept, content)
    check_no_file_waits(concept)
    file = _read_quickly(concept, run, content)
    with transaction.atomic():
        lock(concept)
        check_no_file_waits(concept)
        CodeFile.objects.filter(concept=concept).delete()  # one before, which failed
        if file is not None and len(file.readings) <= QUICK_CODES:
            return imports.keep(concept, run, file, by)
        row = CodeFile.objects.create(
            concept=concept, run=run, by=by, content=content, size=len(content)
        )
        dispatch.send(kinds.TAKE_IN, row.pk)
    return "A worker takes the codes in. This page says how far it is."


def _read_quickly(concept: Concept, run: Run, content: bytes) -> imports.ReadFile | None:
    """None where a worker has to read it. Raises Invalid."""
    if len(content) > QUICK_AMOUNT:
        return None
    try:
        with looking.within(QUICK_SECONDS, processor=QUICK_SECONDS):
            return imports.read(concept, run, content)
    except looking.Exhausted:
        return None


def of_concept(concept: Concept) -> CodeFileRow | None:
    row = CodeFile.objects.defer("content").filter(concept=concept).first()
    if row is None:
        return None
    return CodeFileRow(
        waits=row.status in WAITING,
        done=dispatch.progress(TASK, [row.pk]),
        said=row.said,
        error=row.error,
        notice=row.shown_notice,
    )


def read_file(key: int) -> None:
    """In a worker. After a kill it begins anew: nothing is kept of a file before all is."""
    run_next(kinds.TAKE_IN, key, _work)


def _read_long(concept: Concept, run: Run, content: bytes, beat: Heartbeat) -> imports.ReadFile:
    """Raises Invalid; ClaimLost where it is not wanted any more."""

    def is_stopped() -> bool:
        beat.check()
        return False

    try:
        with looking.within(MOST_SECONDS, is_stopped, PROCESSOR_SECONDS):
            return imports.read(concept, run, content)
    except looking.Exhausted as error:
        raise Invalid("codes", f"{error} Save the project with fewer texts.") from None


def _work(key: int, attempt: int, beat: Heartbeat) -> None:
    row = CodeFile.objects.select_related("concept__corpus", "run__version").get(pk=key)

    def advance(done: float) -> None:
        beat.check()
        dispatch.advance(TASK, [key], READING_SHARE + (1 - READING_SHARE) * done)

    with dispatch.at_work(TASK, [key]):  # the note of how far it is
        try:
            file = _read_long(row.concept, row.run, bytes(row.content), beat)
            with transaction.atomic():
                summary = imports.keep(row.concept, row.run, file, row.by, advance)
                done = {"status": CodeFile.Status.READY, "said": summary, "content": b""}
                claims.update(kinds.TAKE_IN, key, attempt, **done)
        except Invalid:
            claims.update(kinds.TAKE_IN, key, attempt, content=b"")
            raise
