"""Corpora, for the home page and their own."""

from django.db.models import Count, Q
from django.urls import reverse

from inference import engines
from webapp.documents import fields
from webapp.ingest import version_history
from webapp.ingest.corpora import EXAMPLE_NAME
from webapp.jobs import kinds
from webapp.models import Corpus, Metric, Run, SourceFile, User
from webapp.runs.queries import overview_url

PAGE = 30
FILES_SHOWN = 10  # of a corpus's uploaded files, on its own page
FILES_PAGE = 100
ADDITIONS_SHOWN = 10  # uploads that wait to be added


def recent(numbers: list[int]) -> tuple[list[Corpus], int | None]:
    """A page of the corpora with these numbers (one more than a page, where there are so many:
    webapp.accounts.authorization.listed), newest first, each with `run_count`, `latest_run` and its address; and where the next page
    begins."""
    corpora = (
        Corpus.objects.filter(pk__in=numbers)
        .annotate(run_count=Count("runs", filter=Q(runs__deleted_at=None)))
        .select_related("version", "owner", "upload")
    )
    page = list(corpora.defer("report", "settings").order_by("-pk"))
    latest = Run.objects.filter(corpus__in=page[:PAGE]).order_by("corpus", "-pk").distinct("corpus")
    by_corpus = {run.corpus_id: run for run in latest}
    for corpus in page:
        corpus.latest_run = run = by_corpus.get(corpus.pk)
        done = run is not None and run.status == Run.Status.DONE
        corpus.latest_run_url = (overview_url(run) if done else reverse("run", args=[run.pk])) if run else ""
    return page[:PAGE], page[PAGE - 1].pk if len(page) > PAGE else None


def example(owner: User) -> Corpus | None:
    """The newest corpus of an owner that is the shipped example, unless it could not be read."""
    mine = Corpus.objects.filter(owner=owner, name=EXAMPLE_NAME, parent=None).exclude(status=Corpus.Status.FAILED)
    return mine.order_by("-pk").first()


def has_finished_run(corpus: Corpus) -> bool:
    return corpus.runs.filter(status=Run.Status.DONE).exists()


def leads_to(corpus: Corpus) -> str:
    """The address that shows most of a corpus: the overview of its newest run that is done, else the training of the
    newest that waits or is at work, else its own page."""
    listed = Run.objects.filter(corpus=corpus).order_by("-pk")
    if done := listed.filter(status=Run.Status.DONE).first():
        return overview_url(done)
    begun = listed.filter(status__in=(Run.Status.QUEUED, *kinds.TRAIN.active)).first()
    return reverse("run", args=[begun.pk]) if begun else reverse("corpus", args=[corpus.pk])


def _trained(corpus: Corpus) -> str | None:
    """Where the run is watched that was begun when the corpus had been read."""
    run = Run.objects.filter(corpus=corpus).order_by("pk").first() if corpus.trains is not None else None
    return reverse("run", args=[run.pk]) if run else None


def files(
    corpus: Corpus, only: str = "", after: int | None = None, limit: int = FILES_PAGE
) -> tuple[list[SourceFile], int | None]:
    """A page of a corpus's files, and the position behind which the next one begins. only: "problems", those that have
    some."""
    listed = corpus.files.order_by("position")
    if only == "problems":
        listed = listed.filter(Q(problems__gt=0) | ~Q(error=""))
    if after is not None:
        listed = listed.filter(position__gt=after)
    page = list(listed[: limit + 1])
    return page[:limit], page[limit - 1].position if len(page) > limit else None


def runs(corpus: Corpus, before: int | None = None) -> tuple[list[dict], int | None]:
    """A page of a corpus's runs, newest first, each with its last measures; and where the next page begins."""
    listed = corpus.runs.select_related("version").order_by("-pk")
    if before is not None:
        listed = listed.filter(pk__lt=before)
    page = list(listed[: PAGE + 1])
    last = Metric.objects.filter(run__in=page[:PAGE]).order_by("run", "-step").distinct("run").defer("topic_coherence")
    by_run = {metric.run_id: metric for metric in last}
    rows = [
        {
            "id": run.pk,
            "status": run.status,
            "engine": engines.get(run.engine).LABEL,
            "K": run.topics,
            "version": run.version.number,
            "created": run.created_at,
            "held_out": by_run[run.pk].held_out if run.pk in by_run else None,
            "coherence": by_run[run.pk].coherence if run.pk in by_run else None,
        }
        for run in page[:PAGE]
    ]
    return rows, page[PAGE - 1].pk if len(page) > PAGE else None


def about(corpus: Corpus) -> dict:
    """A corpus, in the shape webapp.api.shapes.Corpus; its fields are known when it is ready."""
    version = corpus.version if corpus.status == Corpus.Status.READY else None
    dated = fields.dated(version) if version else None
    names = ("id", "name", "documents", "tokens", "vocabulary", "embargo")
    return {name: getattr(corpus, name) for name in names} | {
        "status": corpus.stage,
        "created": corpus.created_at,
        "categories": [category.name for category in fields.categories(version)] if version else [],
        "dated": [day.isoformat() for day in dated] if dated else None,
    }


def state(corpus: Corpus, workers: int | None) -> dict:
    """corpus.json: all that its page shows while it is being read, and its numbers after."""
    upload = corpus.unstored
    stored = (upload.checkpoint or {}) if upload else {}
    return about(corpus) | {
        "error": upload.error if upload else corpus.error,
        "bytes_read": stored.get("bytes", 0) if upload else corpus.bytes_read,
        "bytes_total": corpus.bytes_total,
        "documents_read": corpus.documents_read,
        "dropped": (corpus.version.report if corpus.version else {}).get("dropped", {}),
        "problem_counts": corpus.report.get("problem_counts", {}),
        "arriving": upload is not None,
        "files_stored": stored.get("files", 0),
        "making": _making(corpus),
        "run": _trained(corpus) if corpus.status == Corpus.Status.READY else None,
        "workers": workers,
    }


def _making(corpus: Corpus) -> dict | None:
    """The version of a corpus that is ready that is being made, or waits to be."""
    version = version_history.making(corpus) if corpus.status == Corpus.Status.READY else None
    return {"number": version.number, "status": version.status, "error": version.error} if version else None
