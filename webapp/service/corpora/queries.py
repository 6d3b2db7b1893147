"""Corpora, for the home page and their own."""

from django.db.models import Count, Q

from inference import engines
from webapp.core.documents import document_days, fields
from webapp.core.results import topic_kinds
from webapp.intake.ingest import version_history
from webapp.intake.ingest.corpora import EXAMPLE_NAME
from webapp.models import Corpus, Metric, Run, SourceFile, User
from webapp.platform.jobs import kinds
from webapp.service.corpora.shapes import CorpusFacts, NewVersion, RunRow

PAGE = 30
FILES_SHOWN = 10  # of a corpus's uploaded files, on its own page
ADDITIONS_SHOWN = 10  # uploads that wait to be added


def recent(numbers: list[int]) -> tuple[list[tuple[Corpus, int, Run | None]], int | None]:
    """A page of the corpora with these numbers (one more than a page, where there are so many:
    webapp.platform.accounts.authorization.list_corpora), newest first, each with how many runs it
    has and the newest of them; and where the next page begins."""
    corpora = (
        Corpus.objects.filter(pk__in=numbers)
        .annotate(run_count=Count("runs", filter=Q(runs__deleted_at=None)))
        .select_related("version", "owner", "upload")
    )
    page = list(corpora.defer("report", "settings").order_by("-pk"))
    latest = Run.objects.filter(corpus__in=page[:PAGE]).order_by("corpus", "-pk").distinct("corpus")
    by_corpus = {run.corpus_id: run for run in latest}
    rows: list[tuple[Corpus, int, Run | None]] = []
    for corpus in page[:PAGE]:
        rows.append((corpus, corpus.run_count, by_corpus.get(corpus.pk)))
    return rows, page[PAGE - 1].pk if len(page) > PAGE else None


def example(owner: User) -> Corpus | None:
    """The newest corpus of an owner that is the shipped example, unless it could not be read."""
    own_copies = Corpus.objects.filter(owner=owner, name=EXAMPLE_NAME, parent=None).exclude(
        status=Corpus.Status.FAILED
    )
    return own_copies.order_by("-pk").first()


def has_finished_run(corpus: Corpus) -> bool:
    return corpus.runs.filter(status=Run.Status.DONE).exists()


def best_run(corpus: Corpus) -> Run | None:
    """The run that shows most of a corpus: the first that is done, as later ones may be variants of
    it; else the newest that waits or is at work."""
    runs_of_corpus = Run.objects.filter(corpus=corpus).order_by("-pk")
    done = runs_of_corpus.filter(status=Run.Status.DONE).last()
    return done or runs_of_corpus.filter(status__in=kinds.TRAIN.unfinished_statuses).first()


def first_run(corpus: Corpus) -> Run | None:
    """The run that was begun by itself when the corpus had been read."""
    is_wanted = corpus.train_settings is not None and corpus.status == Corpus.Status.READY
    return Run.objects.filter(corpus=corpus).order_by("pk").first() if is_wanted else None


def files(
    corpus: Corpus, only: str = "", after: int | None = None, limit: int = 100
) -> tuple[list[SourceFile], int | None]:
    """A page of a corpus's files, and the position behind which the next one begins. only:
    "problems", those that have some."""
    rows = corpus.files.order_by("position")
    if only == "problems":
        rows = rows.filter(Q(problems__gt=0) | ~Q(error=""))
    if after is not None:
        rows = rows.filter(position__gt=after)
    page = list(rows[: limit + 1])
    return page[:limit], page[limit - 1].position if len(page) > limit else None


def runs(corpus: Corpus, before: int | None = None) -> tuple[list[RunRow], int | None]:
    """A page of a corpus's runs, newest first, each with its last measures; and where the next page
    begins."""
    runs_of_corpus = corpus.runs.select_related("version", "by", "snapshot").order_by("-pk")
    if before is not None:
        runs_of_corpus = runs_of_corpus.filter(pk__lt=before)
    page = list(runs_of_corpus[: PAGE + 1])
    last = (
        Metric.objects.filter(run__in=page[:PAGE])
        .order_by("run", "-step")
        .distinct("run")
        .defer("topic_coherence")
    )
    by_run = {metric.run_id: metric for metric in last}
    done = [run for run in page[:PAGE] if run.status == Run.Status.DONE]
    clear_topics = topic_kinds.count_clear(done)

    def described(run: Run) -> RunRow:
        metric = by_run.get(run.pk)
        return RunRow(
            id=run.pk,
            status=run.status,
            by=run.by.name if run.by else "",
            engine=engines.get(run.engine).ABOUT.label,
            K=run.topics,
            version=run.version.number,
            created=run.created_at,
            held_out=metric.held_out if metric else None,
            clear=clear_topics.get(run.pk),
        )

    rows = [described(run) for run in page[:PAGE]]
    return rows, page[PAGE - 1].pk if len(page) > PAGE else None


def about(corpus: Corpus) -> CorpusFacts:
    """A corpus; its fields are known when it is ready."""
    version = corpus.version if corpus.status == Corpus.Status.READY else None
    categories = []
    dated = None
    if version:
        categories = [category.name for category in fields.categories(version)]
        dated = document_days.first_and_last(version)
    return CorpusFacts(
        id=corpus.pk,
        name=corpus.name,
        documents=corpus.documents,
        tokens=corpus.tokens,
        vocabulary=corpus.vocabulary,
        embargo=corpus.embargo,
        status=corpus.stage,
        created=corpus.created_at,
        categories=categories,
        dated=[day.isoformat() for day in dated] if dated else None,
    )


def making(corpus: Corpus) -> NewVersion | None:
    """The version of a corpus that is ready that is being made, or waits to be."""
    version = version_history.making(corpus) if corpus.status == Corpus.Status.READY else None
    if version is None:
        return None
    return NewVersion(version.number, version.status, version.error, version.shown_notice)
