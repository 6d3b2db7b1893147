"""Deleting a corpus or a run: gone at once for everybody, and back again for a while; then, or on
request, for good.

What is deleted has a moment, `deleted_at`, which the default managers leave out (models.Present),
so that pages, the API, the sweep of jobs and tasks at work don't see it: a task notices at its next
heartbeat, and ends. What is older than KEEP_DELETED can't be brought back, and `remove_due`, which
operations.upkeep calls, takes it away: its files, its news in Redis, its rows, its partitions, in
this order. A kill at any moment leaves a row that the next sweep finds again, or a partition or a
folder without a row, which it finds, too.
"""

import re
import shutil
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from inference.errors import Invalid
from webapp.models import (
    GONE,
    Corpus,
    Export,
    Job,
    Pin,
    Reading,
    Replicate,
    Run,
    Snapshot,
    TextReader,
    TextShown,
    Upload,
    Version,
)
from webapp.platform.accounts.embargo import passage
from webapp.platform.jobs import claims, dispatch, events, kinds
from webapp.platform.server import siblings
from webapp.platform.storage import bulk, files, sealed
from webapp.platform.tries import try_each

log = structlog.get_logger(__name__)

DeletedWithCorpus = Corpus | Upload | Version | Run
Row = TypeVar("Row", Corpus, Run)
MODELS: dict[str, type[Corpus] | type[Run]] = {"corpus": Corpus, "run": Run}
REMOVED_AT_A_TIME = 20  # corpora, and runs, that are removed at a time
KINDS = {kind.model: kind for kind in kinds.KINDS}


def keeping_time() -> timedelta:
    """For how long what is deleted can be brought back."""
    return timedelta(days=settings.KEEP_DELETED)


def until(deleted_at: datetime) -> datetime:
    """Up to when what was deleted then can be brought back."""
    return deleted_at + keeping_time()


def delete_corpus(corpus: Corpus) -> None:
    """Delete a corpus with its versions, runs and files that were to be added, at one moment.
    Nothing happens where it is deleted already."""
    with transaction.atomic():
        if not Corpus.objects.filter(pk=corpus.pk).update(deleted_at=Now()):
            return
        at = Corpus.everything.values_list("deleted_at", flat=True).get(pk=corpus.pk)
        unfinished = corpus.runs.filter(status__in=kinds.TRAIN.unfinished_statuses)
        running = list(unfinished.values_list("pk", flat=True))
        for model, condition in _of_corpus(corpus):
            model.objects.filter(condition).update(deleted_at=at)
        transaction.on_commit(lambda: _tell(corpus.pk, running))


def _of_corpus(corpus: Corpus) -> list[tuple[type[DeletedWithCorpus], Q]]:
    """The rows that are deleted and come back with a corpus: its own, and drafts of files that are
    to be added."""
    of_corpus = Q(corpus=corpus.pk)
    return [
        (Corpus, Q(pk=corpus.pk) | Q(added_to=corpus.pk)),
        (Upload, of_corpus | Q(corpus__added_to=corpus.pk)),
        (Version, of_corpus),
        (Run, of_corpus),
    ]


def delete_run(run: Run) -> None:
    """Delete a run. Nothing happens where it is deleted already."""
    with transaction.atomic():
        if Run.objects.filter(pk=run.pk).update(deleted_at=Now()):
            transaction.on_commit(lambda: _tell(None, [run.pk]))


def _tell(corpus_id: int | None, runs: list[int]) -> None:
    """Open pages."""
    event = events.status_event("deleted")
    if corpus_id is not None:
        events.corpus(corpus_id, event)
    for pk in runs:
        events.run(pk, event)


def bring_back(row: Corpus | Run) -> None:
    """What was deleted is there again as it was, and work on it goes on. Raises Invalid where it
    can't be any more."""
    not_deleted = Corpus.objects.select_for_update(no_key=True)
    with transaction.atomic():
        if isinstance(row, Corpus):
            kind = "corpus"
            name = f"“{row.name}”"
            conditions = _of_corpus(row)
            if row.is_replacement:
                raise Invalid(
                    kind,
                    f"{name} was to take the place of another corpus, which may have changed since."
                    " Erase the documents there again.",
                )
            if row.added_to_id and not not_deleted.filter(pk=row.added_to_id).exists():
                raise Invalid(
                    kind,
                    f"{name} was to be added to a corpus that is deleted. Restore that corpus"
                    " first.",
                )
        else:
            kind = "run"
            name = f"Run {row.pk}"
            conditions = [(Run, Q(pk=row.pk))]
            if not not_deleted.filter(pk=row.corpus_id).exists():
                raise Invalid(
                    kind, f"{name} is of a corpus that is deleted. Restore the corpus first."
                )
        deletable = type(row).everything.select_for_update(no_key=True)
        locked = deletable.filter(pk=row.pk, deleted_at__gt=Now() - keeping_time()).first()
        if locked is None:
            raise Invalid(kind, f"{name} can’t be restored any more.")
        for model, condition in conditions:
            # A run that was deleted before stays so
            back = model.everything.filter(condition, deleted_at=locked.deleted_at)
            _go_on(KINDS[model], back)
            back.update(deleted_at=None)


def _go_on(kind: kinds.JobKind, rows) -> None:
    """Queue what was at work; an attempt that has not noticed yet loses to the next."""
    rows.filter(kind.is_at_work).update(status=Job.QUEUED)
    for pk in rows.filter(status=Job.QUEUED).values_list("pk", flat=True)[
        :1000
    ]:  # of more the sweep tells the workers
        dispatch.send(kind, pk)


def expire_now(row: Corpus | Run) -> None:
    """Let what is deleted not be brought back from now on; its rows and files go with the next
    tidying (operations.upkeep)."""
    type(row).everything.filter(pk=row.pk, deleted_at__isnull=False).update(deleted_at=GONE)


def due(model: type[Row], limit: int) -> list[Row]:
    """Rows to take away now, at most so many. One that a task still works on waits until that has
    noticed."""
    old = model.everything.filter(deleted_at__lte=Now() - keeping_time())
    at_work = _at_work(model)
    if model is Corpus:
        for part in (Upload, Version, Run):
            at_work |= Q(pk__in=part.everything.filter(_at_work(part)).values("corpus"))
    # In another order each time: those that can't go yet don't keep the others from going
    return list(old.exclude(at_work).order_by("?")[:limit])


def _at_work(model) -> Q:
    return Q(status__in=KINDS[model].active, heartbeat_at__gt=Now() - claims.STALE)


def remove_due() -> None:
    """Remove what was deleted long enough ago, or for good: runs one by one, then corpora. Raises
    ExceptionGroup where some could not be removed."""
    runs = due(Run, REMOVED_AT_A_TIME)
    corpora = due(Corpus, REMOVED_AT_A_TIME)
    try:
        try_each(
            [
                *(partial(remove, run) for run in runs),
                *(partial(_remove_with_parts, corpus) for corpus in corpora),
            ]
        )
    finally:
        if runs or corpora:
            siblings.forget()  # web processes may have their files open


def _remove_with_parts(corpus: Corpus) -> None:
    """Its runs and what was to be added to it, then itself."""
    if not claim(corpus):
        return
    for model, field in ((Run, "corpus"), (Corpus, "added_to")):
        for row_of_model in (
            model.everything.filter(**{field: corpus.pk}).order_by("pk").iterator(100)
        ):
            expire_now(row_of_model)
            remove(row_of_model)
    remove(corpus)


def claim(row: Corpus | Run) -> bool:
    """From here on it can't be brought back, whatever KEEP_DELETED says in another process; False
    where it was meanwhile."""
    return bool(
        type(row)
        .everything.filter(pk=row.pk, deleted_at__lte=Now() - keeping_time())
        .update(deleted_at=GONE)
    )


def remove(row: Corpus | Run) -> None:
    """Remove its files, events, rows and partitions, in this order. Where the store is away, all of
    it the next time."""
    if not claim(row):
        return
    if isinstance(row, Corpus):
        about = f"corpus:{row.pk}"
        versions = list(Version.everything.filter(corpus=row).values_list("pk", flat=True))
        folders = [files.corpus_folder(row.pk), *map(files.version_folder, versions)]
        partitions = [("document", row.pk), *(("word", pk) for pk in versions)]
    else:
        about = f"run:{row.pk}"
        exported = Export.objects.filter(run=row).values_list("pk", flat=True)
        replicates = Replicate._base_manager.filter(run=row).values_list("pk", flat=True)
        folders = [
            files.run_folder(row.pk),
            *map(files.export_folder, exported),
            *map(files.replicate_folder, replicates),
        ]
        partitions = [
            ("topic_word", pk)
            for pk in Snapshot.objects.filter(run=row).values_list("pk", flat=True)
        ]
    with sealed.waiting_for_store():
        for folder in folders:
            sealed.remove(folder.parent.name, int(folder.name))
            shutil.rmtree(folder, ignore_errors=True)
        for subject in [
            about,
            *(f"version:{key}" for table, key in partitions if table == "word"),
        ]:
            events.forget(subject)
        delete_rows(row)
        for table, key in partitions:
            bulk.drop(table, key)  # or, where a reader holds it, the next time
        log.info("deleted for good", part=about)


def delete_rows(row: Corpus | Run) -> None:
    """Take away the rows of a corpus that has no runs any more, or of a run: those that cascade are
    few."""
    with transaction.atomic():
        if type(row) is Corpus:
            if row.embargo:
                _shorten_passages(row)
            for reading_model in (TextShown, TextReader, Reading):
                reading_model.objects.filter(corpus=row).delete()
        row.delete()


def _shorten_passages(corpus: Corpus) -> None:
    """Passages that were pinned before a corpus came under embargo: nothing would say any more that
    it is."""
    runs = Run.everything.filter(corpus=corpus.pk).values_list("pk", flat=True)
    addresses = [f"/corpora/{corpus.pk}/", *(f"/runs/{pk}/" for pk in runs)]
    pattern = "^(" + "|".join(map(re.escape, addresses)) + ")"
    of_corpus = Q(address__regex=pattern) | Q(source__corpus_id=corpus.pk)
    for pin in Pin.objects.filter(of_corpus, kind=Pin.Kind.PASSAGE).iterator(200):
        quote = "".join(text for text, _ in passage(corpus, [(pin.quote, False)]))
        if quote != pin.quote:
            Pin.objects.filter(pk=pin.pk).update(quote=quote, start=None, end=None)
