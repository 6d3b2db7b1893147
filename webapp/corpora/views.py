"""Corpora: the home page, upload, how to read, a corpus's own page."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast
from urllib.parse import urlencode

import numpy as np
from django.conf import settings
from django.contrib import messages
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from inference.errors import Invalid
from webapp import readers
from webapp.accounts import authorization, quotas
from webapp.accounts import embargo as withheld
from webapp.accounts.embargo import set_embargo
from webapp.corpora import deletion, file_views, queries
from webapp.documents.selection import Selection
from webapp.ingest import (
    corpora,
    file_names,
    forms,
    guesses,
    previews,
    reading_forms,
    sample,
    upload_limits,
    uploads,
    version_history,
    vocabulary_forms,
)
from webapp.jobs import claims, kinds, roster
from webapp.models import Corpus, Run, Upload, User
from webapp.pages.errors import add_to_form, wants_json
from webapp.pages.page import corpus_or_404, next_page, number, page
from webapp.request_context import request_context
from webapp.results import links
from webapp.results.view import RunView
from webapp.runs import services as runs
from webapp.runs.services import MOST_AT_ONCE
from webapp.server import live
from webapp.simulate import truth
from webapp.storage import files, sealed

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


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """One's own corpora and those that are shared; ?public= those that anybody may read, which is all that a stranger
    sees."""
    return _home(request)


def _home(request: HttpRequest, status: int = 200) -> HttpResponse:
    public = settings.ACCOUNTS and ("public" in request.GET or not authorization.has_own_list(request))
    corpora, following = queries.recent(
        authorization.listed(request, number(request, "before"), queries.PAGE + 1, public)
    )
    more = next_page(request, before=following)
    data: dict[str, object] = {"corpora": corpora, "more": more, "public": public, "formats": readers.formats.listed()}
    example = queries.example(request.user) if request.user.is_authenticated and not public else None
    data |= {
        "example": example,
        "example_url": example and queries.leads_to(example),
        "example_done": example and queries.has_finished_run(example),
        "first_visit": not [corpus for corpus in corpora if example is None or corpus.pk != example.pk],
    }
    return page(request, "home.html", data | _accepted(), status=status)


def _accepted() -> dict:
    """For the form of uploads."""
    return {"accept": readers.formats.accepted(), "most": settings.MAX_UPLOAD}


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """Store what was uploaded as a draft; the next page shows what was understood."""
    try:
        owner = authorization.user(request)
        with received(request, owner) as sent:
            corpus = corpora.create(request.POST.get("name", ""), sent, owner, in_background=True)
            with _looking(request):
                corpora.check_readable(corpus)
    except (Invalid, upload_limits.Refused) as error:
        return _refused(request, error) or _home(request, _status(error))
    return _led(request, corpus)


@require_POST
def add(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """More files for a corpus that is ready; the next page shows what was understood of them."""
    corpus = corpus_or_404(corpus_id)
    try:
        with received(request, corpus.owner) as sent:
            draft = corpora.create_addition(corpus, sent, in_background=True)
            with _looking(request):
                corpora.check_readable(draft)
    except (Invalid, upload_limits.Refused) as error:
        return _refused(request, error) or _detail(request, corpus, forms.TrainForm(corpus=corpus), _status(error))
    return _led(request, draft)


@require_POST
def again(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """A draft of the same files, to be read in another way."""
    corpus = corpus_or_404(corpus_id)
    try:
        return _led(request, corpora.copy_as_draft(corpus))
    except Invalid as error:
        messages.error(request, error.message)
        return redirect("corpus", corpus.pk)


@require_POST
def retry(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Try the files again that could not be read, or go on storing them."""
    corpus = corpus_or_404(corpus_id)
    try:
        if corpus.unstored:
            claims.retry(kinds.STORE, corpus.pk)
        else:
            corpora.retry_failed_files(corpus)
    except Invalid as error:
        messages.error(request, error.message)
    return redirect("corpus", corpus.pk)


@contextmanager
def received(request: HttpRequest, owner: User | None) -> Iterator[list[corpora.ReceivedFile]]:
    """The files of an upload form, whichever way they came, for a corpus of that owner. Raises Invalid and
    upload_limits.Refused."""
    if ids := request.POST.get("uploads", "").split():  # that came by the tus protocol
        with uploads.claim(ids, authorization.uploader(request)) as whole:
            yield whole
        return
    sent = cast("list[TemporaryUploadedFile]", request.FILES.getlist("files"))  # settings.FILE_UPLOAD_HANDLERS
    total = sum(file.size or 0 for file in sent)
    upload_limits.check_size(total, f"The files have {total:,} bytes")
    with upload_limits.hold_quota(owner.pk if owner else None, total):
        yield [
            corpora.ReceivedFile(file_names.clean(file.name or ""), Path(file.temporary_file_path())) for file in sent
        ]


def _led(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """To the page that says how the files are read, or to the one that says how far storing them is."""
    url = reverse("corpus" if corpus.unstored else "corpus_prepare", args=[corpus.pk])
    return JsonResponse({"url": url}, status=201) if wants_json(request) else redirect(url)


def _looking(request: HttpRequest) -> AbstractContextManager[None]:
    """Bounds what a request may spend on looking into files, and ends that when nobody waits for it any more."""
    return readers.looking.within(readers.looking.PAGE_SECONDS, request_context(request).abandoned.is_set)


def _status(error: Invalid | upload_limits.Refused) -> int:
    """400: what came can't be used. 413: it could, were there room."""
    if isinstance(error, upload_limits.Refused):
        return error.status
    return 413 if isinstance(error, quotas.Over) else 400


def _refused(request: HttpRequest, error: Invalid | upload_limits.Refused) -> HttpResponse | None:
    """The answer to a script; None where the page itself is shown again, with the sentence on it."""
    if wants_json(request):
        return JsonResponse({"error": str(error)}, status=_status(error))
    messages.error(request, str(error))
    return None


@require_POST
def example(request: HttpRequest) -> HttpResponse:
    """To the reader's own example; it is made where there is none."""
    owner = authorization.user(request)
    corpus = owner and queries.example(owner) or corpora.create_example(owner)
    return redirect(queries.leads_to(corpus))


@require_http_methods(["GET", "HEAD", "POST"])
def prepare(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """What was understood of the files, and what the options would give; POST has them read, or shows that again."""
    corpus = corpus_or_404(corpus_id)
    if corpus.unstored or corpus.status not in corpora.UNREAD:
        return redirect("corpus", corpus.pk)
    if corpus.provenance:
        return _prepare_part(request, corpus)
    with _looking(request):
        return _prepare_files(request, corpus)


def _prepare_files(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    data, previewing = previews.read_choices(request, corpus.upload)
    table, known = "", previews.known_options(data, corpus)
    try:
        shaping = previews.shaping_form(corpus, data)
        table = shaping["table"].value() or ""
        try:
            sniff, refused = guesses.sniff(corpus, table, **known), None
        except readers.Unreadable as error:
            if not data and not corpus.settings.get("options"):
                raise
            sniff, refused = guesses.sniff(corpus, ""), error
    except readers.looking.Abandoned:  # a preview that the next one, or the reading, has replaced
        return redirect("corpus", corpus.pk)
    except readers.looking.Exhausted:
        corpora.look_by_worker(corpus, guesses.Question(table, known))
        return redirect("corpus", corpus.pk)
    except readers.Unreadable as error:
        return _nothing_to_read(request, corpus, str(error))
    if not data:
        sniff = guesses.keep_chosen_columns(sniff, corpus.settings.get("options", {}))
    kind = reading_forms.AddingForm if corpus.into_id else reading_forms.ReadingForm
    form = kind(previews.complete_columns(data, sniff) if data else None, corpus=corpus, sniff=sniff)
    if refused:
        where = "header_row" if known.get("header_row", 1) > 1 else "encoding"
        form.add_error(where if where in form.fields else None, str(refused))
    if data and not previewing and form.is_valid() and shaping.is_valid():
        reading = replace(form.reading(), shaping=asdict(shaping.shaping()))
        try:
            if reading.shaping["table"]:
                sample.take_sample(corpus, reading)  # a table that can't be used is said now, not when all is read
            return redirect("corpus", _begun(corpus, form, reading).pk)
        except (readers.Unreadable, readers.looking.Exhausted) as error:
            shaping.add_error("table", str(error))
        except Invalid as error:
            add_to_form(shaping if error.field in shaping.fields else form, error)
    shown = {
        "corpus": corpus,
        "form": form,
        "shaping": shaping,
        "sniff": sniff,
        "withheld": withheld.sentence(corpus),
        "kept": request.method != "POST" and data is not None,
    } | file_views.first(corpus)
    if corpus.into:
        shown["differing"] = previews.differing_columns(corpus.into, sniff)
    wrong = form.errors or shaping.errors
    return page(
        request,
        "corpus/prepare.html",
        shown | previews.preview_draft(corpus, form, shaping),
        status=400 if wrong and not previewing else 200,
    )


def _begun(corpus: Corpus, form: reading_forms.ReadingForm, reading: corpora.ReadingSettings) -> Corpus:
    """Have a draft read; returns the corpus that its documents come to. Raises Invalid."""
    if into := corpus.into:
        corpora.add_files(corpus, reading)
        return into
    corpus.name = form.cleaned_data["name"]
    corpora.read(corpus, reading, trains={} if form.cleaned_data["train"] else None)
    sample.remove_samples(corpus)
    return corpus


def _nothing_to_read(request: HttpRequest, corpus: Corpus, why: str) -> HttpResponse:
    """Of files of which none can be read."""
    if into := corpus.into:
        deletion.corpus(corpus)
        messages.error(request, f"Nothing was added. {why}")
        return redirect("corpus", into.pk)
    Corpus.objects.filter(pk=corpus.pk, status=Corpus.Status.DRAFT).update(status=Corpus.Status.FAILED, error=why)
    return redirect("corpus", corpus.pk)


def _prepare_part(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """A part of another corpus that failed, with other words."""
    form = vocabulary_forms.NamedVocabularyForm(
        request.POST or None, name=corpus.name, reading=corpora.ReadingSettings(**corpus.settings)
    )
    if request.method == "POST" and form.is_valid():
        corpus.name = form.cleaned_data["name"]
        try:
            corpora.read(corpus, form.with_options(corpus.settings["options"]))
            return redirect("corpus", corpus.pk)
        except Invalid as error:
            add_to_form(form, error)
    data = {
        "corpus": corpus,
        "form": form,
        "sentence": corpus.provenance["sentence"],
        "count": corpus.provenance["documents"],
    }
    data["languages"] = form.languages(None)
    return page(request, "corpus/subset.html", data, status=400 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def subset(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Make a set of documents, which the address describes, a corpus of its own."""
    corpus = corpus_or_404(corpus_id)
    run = authorization.run_or_404(request, number(request, "run")) if request.GET.get("run") else None
    if run and run.corpus_id != corpus.pk:
        raise Http404(f"Run {run.pk} is not of corpus {corpus.pk}.")
    if corpus.status != Corpus.Status.READY:
        raise Invalid("corpus", f"“{corpus.name}” is not ready: its documents can't be chosen from yet.")
    selection = Selection.read(request.GET, RunView(run) if run else corpus)
    if not selection or not selection.count:
        raise Invalid(
            "set",
            "A separate corpus holds some of the documents, not all or none. Choose some in the list of documents.",
        )
    name = f"{corpus.name}: {selection.sentence.removeprefix('documents ')}"[:200]
    form = vocabulary_forms.NamedVocabularyForm(
        request.POST or None, name=name, reading=corpora.ReadingSettings(**corpus.settings)
    )
    if request.method == "POST" and form.is_valid():
        provenance = {
            "sentence": selection.sentence,
            "parameters": selection.parameters,
            "run": run.pk if run and selection.topics else None,
        }
        reading = form.with_options(corpus.settings.get("options", {}))
        return redirect(
            "corpus",
            corpora.create_subset(
                corpus,
                np.flatnonzero(selection.mask),
                form.cleaned_data["name"],
                reading,
                provenance,
                authorization.user(request),
            ).pk,
        )
    data = {
        "corpus": corpus,
        "form": form,
        "sentence": selection.sentence,
        "count": selection.count,
        "languages": form.languages(None),
    }
    return page(request, "corpus/subset.html", data, status=400 if form.errors else 200)


@require_safe
def detail(request: HttpRequest, corpus_id: int, as_json: bool = False) -> HttpResponse:
    corpus = corpus_or_404(corpus_id)
    state = queries.state(corpus, roster.count_workers())
    if as_json:
        return page(request, "", state, as_json=True)
    if corpus.unstored and corpus.unstored.position is not None:  # on its way into another
        return redirect("corpus", corpus.into_id)
    return _detail(request, corpus, forms.TrainForm(corpus=corpus, engine=request.GET.get("engine", "")), state=state)


def _detail(
    request: HttpRequest,
    corpus: Corpus,
    train_form: forms.TrainForm,
    status: int = 200,
    state: dict | None = None,
    several_form: forms.SeveralForm | None = None,
) -> HttpResponse:
    state = state or queries.state(corpus, None)
    runs, following = queries.runs(corpus, number(request, "before"))
    done = [run["id"] for run in runs if run["status"] == Run.Status.DONE][:MOST_AT_ONCE]
    dropped = [
        (REASONS.get(reason, reason), *counts)
        for reason, counts in (corpus.version.report if corpus.version else {}).get("dropped", {}).items()
    ]
    return page(
        request,
        "corpus/detail.html",
        {
            "corpus": corpus,
            "state": state,
            "train_form": train_form,
            "several_form": several_form or forms.SeveralForm(corpus=corpus),
            "runs": runs,
            "several_engines": len({run["engine"] for run in runs}) > 1,
            "side_by_side": "?" + urlencode({"run": done}, doseq=True) if len(done) > 2 else "",
            "done": len(done),
            "more": next_page(request, before=following),
            "dropped": dropped,
            "problems": corpus.report.get("problems", [])[:20],
            "problem_counts": corpus.report.get("problem_counts", {}),
            "versions": version_history.listed(corpus),
            "repeated": _repeated(corpus),
            "additions": list(
                corpus.additions.exclude(upload__status=Upload.Status.JOINING).order_by("pk")[: queries.ADDITIONS_SHOWN]
            ),
            "failed": corpus.files.exclude(error="").count(),
            "made": truth.exists(corpus),
            "without_words": corpus.version.report.get("without_words", 0) if corpus.version else 0,
        }
        | file_views.first(corpus)
        | _accepted(),
        status=status,
    )


def _repeated(corpus: Corpus) -> dict:
    """Documents that repeat others, and what was chosen to do with them."""
    repeated = corpus.report.get("duplicates", {})
    return repeated | {
        "said": REPEATED.get(str((corpus.version.settings if corpus.version else {}).get("duplicates")), "")
    }


@require_POST
def train(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Create a run and go and watch it."""
    corpus = corpus_or_404(corpus_id)
    form = forms.TrainForm(request.POST, corpus=corpus)
    if form.is_valid():
        try:
            run = runs.create(form.chosen_version(), by=authorization.user(request), **form.settings())
            return redirect("run", run.pk)
        except Invalid as error:
            add_to_form(form, error)
    return _detail(request, corpus, form, status=400)


@require_POST
def train_several(request: HttpRequest, corpus_id: int) -> HttpResponse:
    """Create a run for each engine that is marked, or none, and go and watch them side by side."""
    corpus = corpus_or_404(corpus_id)
    form = forms.SeveralForm(request.POST, corpus=corpus)
    if form.is_valid():
        chosen = form.cleaned_data
        try:
            made = runs.create_several(
                form.chosen_version(),
                chosen["engines"],
                topics=chosen["topics"],
                seed=chosen["seed"],
                by=authorization.user(request),
            )
            return redirect(links.compare_url(made))
        except Invalid as error:
            add_to_form(form, error)
    return _detail(request, corpus, forms.TrainForm(corpus=corpus), status=400, several_form=form)


@require_POST
def embargo(request: HttpRequest, corpus_id: int) -> HttpResponse:
    corpus = corpus_or_404(corpus_id)
    on = request.POST.get("embargo") == "1"
    try:
        set_embargo(corpus, on)
        messages.success(request, "The texts are under embargo." if on else "The texts can be read again.")
    except Invalid as error:
        messages.error(request, error.message)
    return redirect("corpus", corpus.pk)


@require_safe
def report(request: HttpRequest, corpus_id: int) -> FileResponse:
    """Every file and document that was dropped or repaired, with the reason and the place."""
    corpus = corpus_or_404(corpus_id)
    path = files.corpus_folder(corpus.pk) / "report.csv"
    if corpus.status != Corpus.Status.READY or not sealed.exists(path):
        raise Http404("This corpus has no report: it has not been read yet.")
    return FileResponse(
        sealed.opened(lambda: path.open("rb"), path),
        as_attachment=True,
        filename=f"corpus-{corpus.pk}-report.csv",
        content_type="text/csv",
    )


@require_safe
async def watch(request: HttpRequest, corpus_id: int) -> StreamingHttpResponse:
    if not await Corpus.objects.filter(pk=corpus_id).aexists():
        raise Http404(f"There is no corpus {corpus_id}.")
    return live.response(request, corpus=corpus_id)
