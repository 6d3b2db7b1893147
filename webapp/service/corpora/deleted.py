"""What was deleted and can be brought back: the list of it, and what one of it was."""

from datetime import datetime
from typing import Any

from django.db.models import Count, F, Q
from django.db.models.functions import Now

from webapp.models import Corpus, Pin, Run
from webapp.service.corpora import deletion
from webapp.service.corpora.shapes import DeletedRow, Identified

PAGE = 50
# Where a page of the list begins: the moment, the kind (corpora are 1) and the number
DeletedCursor = tuple[datetime, int, int]


def page(
    corpora, runs, before: DeletedCursor | None = None
) -> tuple[list[DeletedRow], DeletedCursor | None]:
    """The last deleted first, and where the next page begins. Runs of a deleted corpus come and go
    with it.

    corpora, runs: those that the reader may bring back, querysets of everything. before: as the
    page before gave it.
    """
    since = {"deleted_at__gt": Now() - deletion.keeping_time()}
    deleted = []
    for kind, rows in (
        (1, corpora.filter(**since, added_to__deleted_at=None).select_related("added_to")),
        (0, runs.filter(**since, corpus__deleted_at=None).select_related("corpus")),
    ):
        if before:
            at, before_kind, pk = before
            further = Q(deleted_at__lt=at)
            if kind == before_kind:
                further |= Q(deleted_at=at, pk__lt=pk)
            elif kind < before_kind:
                further |= Q(deleted_at=at)
            rows = rows.filter(further)
        deleted += [
            (row.deleted_at, kind, row.pk, row)
            for row in rows.order_by("-deleted_at", "-pk")[: PAGE + 1]
        ]
    deleted.sort(key=lambda entry: entry[:3], reverse=True)
    rows = _describe_rows([row for *_, row in deleted[:PAGE]])
    return rows, deleted[PAGE - 1][:3] if len(deleted) > PAGE else None


def _describe_rows(rows: list[Corpus | Run]) -> list[DeletedRow]:
    corpora = [row.pk for row in rows if isinstance(row, Corpus)]
    with_them = Count("runs", filter=Q(runs__deleted_at=F("deleted_at")))
    runs = dict(
        Corpus.everything.filter(pk__in=corpora).annotate(n=with_them).values_list("pk", "n")
    )
    documents = dict(
        Corpus.everything.filter(pk__in=corpora).values_list("pk", "version__documents")
    )
    described = []
    for row in rows:
        if row.deleted_at is None:
            raise AssertionError("Only what is deleted is listed.")
        of_every_kind: dict[str, Any] = {
            "id": row.pk,
            "name": _name(row),
            "deleted": row.deleted_at,
            "until": deletion.until(row.deleted_at),
        }
        if isinstance(row, Corpus):
            deleted = DeletedRow(
                kind="corpus",
                adds=row.is_addition,
                of=None,
                topics=None,
                documents=documents.get(row.pk) or 0,
                runs=runs.get(row.pk, 0),
                **of_every_kind,
            )
        else:
            deleted = DeletedRow(
                kind="run",
                adds=False,
                of=Identified(row.corpus_id, row.corpus.name),
                topics=row.topics,
                documents=None,
                runs=None,
                **of_every_kind,
            )
        described.append(deleted)
    return described


def describe_row(row: Corpus | Run) -> DeletedRow:
    """A row of the list."""
    return _describe_rows([row])[0]


def _name(row: Corpus | Run) -> str:
    """Files that were to be added to a corpus, or to be read in another way, bear its name; it is
    not deleted with them."""
    if isinstance(row, Run):
        return f"Run {row.pk}"
    if row.added_to:
        return f"Files for {row.added_to.name}"
    return (
        f"A new reading of {row.name}"
        if row.is_read_anew and row.status == Corpus.Status.DRAFT
        else row.name
    )


def pins(row: Corpus | Run) -> int:
    """How many pieces of evidence in notebooks were taken from it: they stay."""
    runs = (
        list(Run.everything.filter(corpus=row.pk).values_list("pk", flat=True))
        if isinstance(row, Corpus)
        else [row.pk]
    )
    path_pattern = "|".join(f"runs/{pk}" for pk in runs)
    if isinstance(row, Corpus):
        path_pattern = f"corpora/{row.pk}|{path_pattern}" if path_pattern else f"corpora/{row.pk}"
    return Pin.objects.filter(address__regex=rf"^/({path_pattern})/", removed_at=None).count()
