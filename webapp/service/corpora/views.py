"""Corpora: the home page, a corpus's own page, training on it."""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from webapp.core.asked_training.forms import SeveralForm, TrainForm
from webapp.core.documents import corpus_unit, document_days, unit_sentences, unit_words
from webapp.core.results import links
from webapp.core.runs import services as runs
from webapp.core.simulate import truth
from webapp.intake import file_formats
from webapp.intake.ingest import (
    pseudonyms,
    reading_forms,
    sources,
    upload_limits,
    version_history,
)
from webapp.intake.ingest.job import progress_note
from webapp.intake.ingest.words_outside import words_outside
from webapp.models import Corpus, Job, Run, SourceFile, Upload, Version
from webapp.platform.accounts import authorization
from webapp.platform.accounts.embargo import set_embargo
from webapp.platform.jobs import roster
from webapp.platform.pages.page import back, looked_up, number, show_errors, told_at
from webapp.platform.pages.typed import (
    NO_NUMBERS,
    NO_TEXTS,
    HtmlPageResponse,
    PageQuery,
    PageResponse,
    typed,
)
from webapp.platform.server import live
from webapp.platform.server.table_files import file_name, stored_table
from webapp.platform.storage import files as paths, sealed
from webapp.service.corpora import languages, proposed_seeds, queries
from webapp.service.corpora.shapes import (
    CorpusHtml,
    CorpusPage,
    FilesHtml,
    FilesPage,
    FirstFiles,
    HomePage,
    ListedCorpus,
    ProblemsHtml,
    ProblemsPage,
    Progress,
    Repeated,
    StoredFile,
    UploadFields,
)

MOSTLY_DATED_SHARE = 0.9  # of the documents: where more have a date nothing is said of the others
REPEATED = {  # Words.duplicates
    "keep": "They are counted like all others.",
    "exact": "Exact repeats are not counted.",
    "near": "Neither kind is counted.",
}
REASONS = {  # inference.text.Vocabulary.dropped -> words for people
    "stop word": "stop words",
    "number": "numbers",
    "too short": "too short",
    "too long": "too long to be a word",
    "too rare": "in too few documents",
    "too common": "in too many documents",
    "spread evenly": "frequent, and spread evenly",
}
STAGES = {  # of a job -> what it does now
    "storing": "Files are being added",
    "looking": "Looking into the files",
    "reading": "Being read",
    "duplicates": "Looking for documents that repeat others",
    "vocabulary": "Making the vocabulary",
    "indexing": "Preparing the search",
}
NO_WORKER = (
    "No worker is running, so nothing is read or trained. Start one, and this page continues by"
    " itself."
)
NOBODY_KNOWS = (
    "We can’t tell now whether a worker is running. The work continues, and so does this page."
)


# The files that a corpus was made of, and what came of each


@typed("corpus/files.html")
def files(
    corpus: Corpus, page_query: PageQuery, *, only: str = "", after: int | None = None
) -> PageResponse[FilesPage]:
    """A page of them; only: "problems". after: a position."""
    if only not in ("", "problems"):
        raise BadRequest(f"“only” in the address must be problems, got “{only[:50]}”.")
    rows, following = queries.files(corpus, only, after)
    page = FilesPage([_show_file(file) for file in rows], page_query.following(following))
    return PageResponse(page, lambda: FilesHtml(only, corpus.files.count()))


@typed("corpus/problems.html")
def problems(
    corpus: Corpus, page_query: PageQuery, *, file: int | None = None, after: int = 0
) -> PageResponse[ProblemsPage]:
    """What reading the files found wrong, a page of it. file: the position of one of them. after: a
    place in the report."""
    name = "" if file is None else get_object_or_404(corpus.files, position=file).name
    rows, following = sources.problems(corpus, name, after)
    page = ProblemsPage(
        [file_formats.Problem(**row) for row in rows], page_query.following(following)
    )
    return PageResponse(page, lambda: ProblemsHtml(name))


def first_files(corpus: Corpus) -> FirstFiles:
    """For the corpus's own page."""
    rows, _ = queries.files(corpus, limit=queries.FILES_SHOWN)
    return FirstFiles([_show_file(file) for file in rows], corpus.files.count())


def _show_file(file: SourceFile) -> StoredFile:
    documents_url = problems_url = None
    if file.first is not None:
        documents = reverse("corpus_documents", args=[file.corpus_id])
        documents_url = f"{documents}?only=file:{file.position}"
    if file.problems:
        problems = reverse("corpus_problems", args=[file.corpus_id])
        problems_url = f"{problems}?file={file.position}"
    encoding = ""
    if file.documents:
        encoding = reading_forms.ENCODING_NAMES.get(file.encoding, file.encoding)
    return StoredFile(
        name=file.name,
        format=file_formats.formats.format_of(file.name).label,
        bytes=file.bytes,
        encoding=encoding,
        documents=file.documents,
        documents_url=documents_url,
        problems_url=problems_url,
        problems=file.problems,
        error=file.error,
    )


@typed("home.html")
def home(request: HttpRequest) -> HtmlPageResponse[HomePage]:
    """One's own corpora and those that are shared; ?public= those that anybody may read, which is
    all that a stranger sees."""
    return home_page(request)


def home_page(request: HttpRequest, status: int = 200) -> HtmlPageResponse[HomePage]:
    public = settings.ACCOUNTS and (
        "public" in request.GET or not authorization.has_own_list(request)
    )
    rows, following = queries.recent(
        authorization.list_corpora(request, number(request, "before"), queries.PAGE + 1, public)
    )
    user = request.user
    example = queries.example(user) if user.is_authenticated and not public else None
    page = HomePage(
        corpora=[
            ListedCorpus(corpus, count, run, _url_of_run(run) if run else "")
            for corpus, count, run in rows
        ],
        more=PageQuery(request.GET).url(before=following) if following else None,
        public=public,
        formats=file_formats.formats.list_kinds(),
        example=example,
        example_url=best_url(example) if example else None,
        example_done=bool(example and queries.has_finished_run(example)),
        first_visit=all(example is not None and corpus.pk == example.pk for corpus, _, _ in rows),
        upload=_upload_fields(),
    )
    return HtmlPageResponse(page, status=status)


def _upload_fields() -> UploadFields:
    return UploadFields(
        accept=file_formats.formats.accepted(),
        most=settings.MAX_UPLOAD,
        days_kept=upload_limits.KEPT_DAYS,
    )


def _url_of_run(run: Run) -> str:
    return reverse("run_overview" if run.status == Run.Status.DONE else "run", args=[run.pk])


def best_url(corpus: Corpus) -> str:
    """The address that shows most of a corpus: the overview of a run, else its training, else the
    corpus's own page."""
    run = queries.best_run(corpus)
    return _url_of_run(run) if run else reverse("corpus", args=[corpus.pk])


IN_FORM = ("topics",)  # of the address: what the fields of these names begin with


@typed("corpus/detail.html", progress="corpus/_progress.html")
def detail(
    corpus: Corpus,
    page_query: PageQuery,
    as_json: bool,
    *,
    engine: str = "",
    before: int | None = None,
    made: int | None = None,
    topic: list[str] = NO_TEXTS,
    concept: list[int] = NO_NUMBERS,
) -> PageResponse[CorpusPage] | HttpResponse:
    """A corpus; engine: to train with. before: where a page of its runs begins. made: the number
    of a version of the words that the reader saw being made. topic, concept: what the form proposes
    to name before a training (proposed_seeds). ?topics= is how many it begins with."""
    # On its way into another
    if not as_json and corpus.unstored and corpus.unstored.position is not None:
        return redirect("corpus", corpus.added_to_id)
    train_form = None
    initial = {name: page_query.query[name] for name in IN_FORM if name in page_query.query}
    if corpus.version and (initial or topic or concept):
        proposed = proposed_seeds.propose(corpus, topic, concept)
        train_form = TrainForm(corpus=corpus, engine=engine, proposed=proposed, initial=initial)
    return corpus_page(
        corpus, train_form, page_query=page_query, engine=engine, before=before, new_version=made
    )


def corpus_page(
    corpus: Corpus,
    train_form: TrainForm | None,
    several_form: SeveralForm | None = None,
    *,
    page_query: PageQuery | None = None,
    engine: str = "",
    before: int | None = None,
    new_version: int | None = None,
    status: int = 200,
) -> PageResponse[CorpusPage]:
    """Answer with the corpus's own page. train_form, several_form: as they came, where they are
    shown again. new_version: the number of the one that was just made, which the page announces."""
    page = _state(corpus)
    dropped = [(REASONS.get(reason, reason), *counts) for reason, counts in page.dropped.items()]

    def html() -> CorpusHtml:
        rows, following = queries.runs(corpus, before)
        done = [run.id for run in rows if run.status == Run.Status.DONE][: runs.MOST_AT_ONCE]
        return CorpusHtml(
            progress=_progress(corpus, page),
            train_form=train_form or TrainForm(corpus=corpus, engine=engine),
            several_form=several_form or SeveralForm(corpus=corpus),
            runs=rows,
            done=len(done),
            side_by_side="?" + urlencode({"run": done}, doseq=True) if len(done) > 2 else "",
            more=page_query.url(before=following) if page_query and following else None,
            dropped=dropped,
            outside=words_outside(corpus.version) if corpus.version else None,
            problems=corpus.report.get("problems", [])[:20],
            versions=version_history.list_versions(corpus),
            repeated=_count_repeated(corpus),
            speaking=(
                [field.name for field in corpus_unit.possible(corpus.version)]
                if corpus.version
                else []
            ),
            unit=unit_sentences.of_version(corpus.version) if corpus.version else None,
            additions=list(
                corpus.additions.exclude(upload__status=Upload.Status.JOINING).order_by("pk")[
                    : queries.ADDITIONS_SHOWN
                ]
            ),
            failed=corpus.files.exclude(error="").count(),
            made=truth.exists(corpus),
            pseudonyms=pseudonyms.sentence(corpus),
            without_words=corpus.version.report.get("without_words", 0) if corpus.version else 0,
            files=first_files(corpus),
            upload=_upload_fields(),
            languages=languages.say(corpus),
            unsaid_languages=languages.say_unsaid(corpus),
            partly_dated=_say_partly_dated(corpus.version, page.dated),
            just_made=_if_newest(corpus, new_version),
        )

    return PageResponse(page, html, status)


def _state(corpus: Corpus) -> CorpusPage:
    upload = corpus.unstored
    run = queries.first_run(corpus)
    stored = (upload.checkpoint or {}) if upload else {}
    return CorpusPage(
        **vars(queries.about(corpus)),
        error=upload.error if upload else corpus.error,
        notice=upload.shown_notice if upload else corpus.shown_notice,
        bytes_read=stored.get("bytes", 0) if upload else corpus.bytes_read,
        bytes_total=corpus.bytes_total,
        documents_read=corpus.documents_read,
        dropped=(corpus.version.report if corpus.version else {}).get("dropped", {}),
        problem_counts=corpus.report.get("problem_counts", {}),
        arriving=upload is not None,
        files_stored=stored.get("files", 0),
        making=queries.making(corpus),
        run=reverse("run", args=[run.pk]) if run else None,
        workers=roster.count_workers(),
    )


def _say_partly_dated(version: Version | None, dated: list[str] | None) -> str:
    """How many documents have a date, where a tenth or more have none though others have; "" else.
    dated: the first and the last day."""
    if version is None or dated is None:
        return ""
    with_date = document_days.count_dated(version)
    if with_date > MOSTLY_DATED_SHARE * version.documents:
        return ""
    first, last = dated
    days = f"of {first}" if first == last else f"from {first} to {last}"
    have = "has a date" if with_date == 1 else "have dates"
    return (
        f"{with_date:,} of {version.documents:,} documents {have}, {days}. The others are in no"
        " chart over time."
    )


def _progress(corpus: Corpus, page: CorpusPage) -> Progress:
    """How far it is, as the row says, and while a worker is at it what that told last."""
    upload = corpus.unstored
    version = page.making
    kind = "reading"
    if version:
        kind = "choosing"
    elif upload:
        kind = "looking" if upload.question else "storing"
    waits = (version.status if version else page.status) == Job.QUEUED
    works = page.status == "reading" or bool(version)
    note = progress_note(corpus) if works and not waits else {}
    if waits:
        stage = "Waiting for a worker"
    elif kind == "storing":
        stage = "Files are being stored"
    else:
        stage = STAGES.get(note.get("stage", ""), "Being made" if version else STAGES[kind])
    if version:
        stage = f"Version {version.number:,}: {stage[0].lower()}{stage[1:]}"
    read = note.get("bytes_read", page.bytes_read)
    notice = version.notice if version else page.notice
    if not notice and page.workers is None:
        notice = NOBODY_KNOWS
    elif not notice and page.workers == 0:
        notice = NO_WORKER
    return Progress(
        kind=kind,
        stage=stage,
        bytes=read,
        files=note.get("files", page.files_stored),
        documents=note.get("documents", page.documents_read),
        words=note.get("words", corpus.progress.get("words")),
        bar=kind != "looking" and not (version and read >= corpus.bytes_total),
        state=kind if waits or works else page.status,
        then=_next_address(corpus, page),
        notice=notice,
    )


def _next_address(corpus: Corpus, page: CorpusPage) -> str:
    """Where a page that follows the work goes when the work is done; "" to stay as it is.

    Only the first reading leads to the run that trains by itself. A later version of the words has
    no run yet: whoever waited for it would read old results as those of the new words."""
    if page.status == "draft":
        return reverse("corpus_prepare", args=[corpus.pk])
    if corpus.versions.count() > 1:
        newest = _newest_version(corpus)
        return "" if newest is None else f"{reverse('corpus', args=[corpus.pk])}?made={newest}"
    if page.run:
        return f"{page.run}#lead"
    return ""


def _newest_version(corpus: Corpus) -> int | None:
    """The number of the version of the words in use, None where a later one waits or failed."""
    if corpus.version is None:
        return None
    later_versions = corpus.versions.filter(number__gt=corpus.version.number)
    return None if later_versions.exists() else corpus.version.number


def _if_newest(corpus: Corpus, new_version: int | None) -> int | None:
    """The number of a version that was just made; None where it is not the newest any more."""
    is_newest = new_version is not None and new_version == _newest_version(corpus)
    return new_version if is_newest else None


def _count_repeated(corpus: Corpus) -> Repeated:
    repeated = corpus.report.get("duplicates", {})
    choice = corpus.version.settings.get("duplicates") if corpus.version else None
    return Repeated(
        repeated.get("exact", 0), repeated.get("near", 0), REPEATED.get(str(choice), "")
    )


@require_POST
@looked_up
def train(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """Create a run and go and watch it; with ?count only say how often its seeds are in the
    texts."""
    form = TrainForm(request.POST, corpus=corpus)
    if form.is_valid() and "count" in request.POST:
        return detail.respond(request, corpus_page(corpus, form), corpus=corpus)
    if form.is_valid():
        with told_at(form):
            return redirect(
                "run",
                runs.create(
                    form.chosen_version(), by=authorization.user(request), **form.settings()
                ).pk,
            )
    return detail.respond(request, corpus_page(corpus, form, status=400), corpus=corpus)


@require_POST
@looked_up
def train_several(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """Create a run for each engine that is marked, or none, and go and watch them side by side."""
    form = SeveralForm(request.POST, corpus=corpus)
    if form.is_valid():
        with told_at(form):
            new_runs = runs.create_several(
                form.chosen_version(),
                form.cleaned_data["engines"],
                topics=form.topics,
                seed=form.asked.seed,
                by=authorization.user(request),
            )
            return redirect(links.compare_url(new_runs))
    return detail.respond(
        request, corpus_page(corpus, TrainForm(corpus=corpus), form, status=400), corpus=corpus
    )


@require_POST
@looked_up
def embargo(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    on = request.POST.get("embargo") == "1"
    with show_errors(request):
        set_embargo(corpus, on)
        messages.success(
            request, "The texts are under embargo." if on else "The texts can be read again."
        )
    return redirect("corpus", corpus.pk)


def _say_unit(field: str | None) -> str:
    """What was chosen as who speaks. field: "" for each document, None for not known."""
    if field is None:
        return "Topograph looks in the texts for who speaks, for the intervals of all runs."
    if not field:
        return "In the intervals of all runs, each document now counts as a speaker of its own."
    return (
        "In the intervals of all runs, documents with the same"
        f" {unit_words.column(field)} now count as one speaker’s."
    )


@require_POST
@looked_up
def unit(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """Keep who speaks. unit: "=" and a field's name, "" for each document, "?" for not known."""
    with show_errors(request):
        choice = request.POST.get("unit", "?")
        field = None if choice == "?" else choice.removeprefix("=")
        corpus_unit.choose(corpus, field)
        messages.success(request, _say_unit(field))
    return redirect(back(request, reverse("corpus", args=[corpus.pk])))


@require_safe
@looked_up
def report(request: HttpRequest, corpus: Corpus) -> FileResponse:
    """Every file and document that was dropped or repaired, with the reason and the place."""
    path = paths.corpus_folder(corpus.pk) / "report.csv"
    if corpus.status != Corpus.Status.READY or not sealed.exists(path):
        raise Http404("This corpus has no report: it has not been read yet.")
    report_file = sealed.opened(lambda: path.open("rb"), path)
    return stored_table(report_file, file_name(f"corpus-{corpus.pk}-report"))


@require_safe
async def watch(request: HttpRequest, corpus_id: int) -> StreamingHttpResponse:
    if not await Corpus.objects.filter(pk=corpus_id).aexists():
        raise Http404(f"There is no corpus {corpus_id}.")
    return live.response(request, corpus=corpus_id)
