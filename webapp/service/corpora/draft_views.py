"""What comes in by a form: files for a new corpus, or for one that is ready; the same files again;
the example. Then how they are read, before they are: the page that asks, and the same for a part of
another corpus.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import cast

import numpy as np
from django.contrib import messages
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from inference.errors import Invalid
from webapp.core.asked_training.forms import TrainForm
from webapp.core.documents.selection import Selection
from webapp.core.results.view import RunView
from webapp.intake import file_formats
from webapp.intake.ingest import (
    corpora,
    file_names,
    upload_limits,
    uploads,
)
from webapp.intake.ingest.vocabulary_forms import NamedVocabularyForm
from webapp.models import Corpus, Provenance, User
from webapp.platform.accounts import authorization, quotas
from webapp.platform.jobs import claims, kinds
from webapp.platform.pages.errors import wants_json
from webapp.platform.pages.page import looked_up, show_errors, told_at
from webapp.platform.pages.typed import HtmlPageResponse, typed
from webapp.platform.request_context import request_context
from webapp.service.corpora import draft_preparation, queries, views
from webapp.service.corpora.shapes import PreparePage, SubsetPage


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """Store what was uploaded as a draft; the next page shows what was understood."""
    try:
        owner = authorization.user(request)
        with received(request, owner) as received_files:
            corpus = corpora.create(
                request.POST.get("name", ""), received_files, owner, in_background=True
            )
        # Looking takes seconds, for which others of this user need not wait: the quota is kept by now
        with looked_into(request):
            corpora.check_readable(corpus)
    except (Invalid, upload_limits.Refused) as error:
        return _answer_refused(request, error) or views.home.respond(
            request, views.home_page(request, _status(error))
        )
    return _lead_on(request, corpus)


@require_POST
@looked_up
def add(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """More files for a corpus that is ready; the next page shows what was understood of them."""
    try:
        with received_for(request, corpus) as received_files:
            draft = corpora.create_addition(corpus, received_files, in_background=True)
        with looked_into(request):
            corpora.check_readable(draft)
    except (Invalid, upload_limits.Refused) as error:
        return _answer_refused(request, error) or views.detail.respond(
            request,
            views.corpus_page(corpus, TrainForm(corpus=corpus), status=_status(error)),
            corpus=corpus,
        )
    return _lead_on(request, draft)


@require_POST
@looked_up
def begin_again(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """A draft of the same files, to be read in another way."""
    with show_errors(request):
        return _lead_on(request, corpora.copy_as_draft(corpus))
    return redirect("corpus", corpus.pk)


@require_POST
@looked_up
def retry(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """Try the files again that could not be read, or go on storing them."""
    with show_errors(request):
        if corpus.unstored:
            claims.retry(kinds.STORE, corpus.pk)
        else:
            corpora.retry_failed_files(corpus)
    return redirect("corpus", corpus.pk)


@contextmanager
def received(request: HttpRequest, owner: User | None) -> Iterator[list[corpora.ReceivedFile]]:
    """The files of an upload form, whichever way they came, for a corpus of that owner. Raises
    Invalid and upload_limits.Refused."""
    if ids := request.POST.get("uploads", "").split():  # that came by the tus protocol
        with uploads.claim(ids, authorization.uploader(request)) as claimed:
            yield claimed
        return
    # settings.FILE_UPLOAD_HANDLERS
    sent_files = cast("list[TemporaryUploadedFile]", request.FILES.getlist("files"))
    total = sum(file.size or 0 for file in sent_files)
    upload_limits.check_size(total, f"The files have {total:,} bytes")
    with upload_limits.hold_quota(owner.pk if owner else None, total):
        yield [
            corpora.ReceivedFile(
                file_names.clean(file.name or ""), Path(file.temporary_file_path())
            )
            for file in sent_files
        ]


@contextmanager
def received_for(request: HttpRequest, corpus: Corpus) -> Iterator[list[corpora.ReceivedFile]]:
    """The files of a form that adds to a corpus. It is locked before its owner, as whoever changes
    a corpus does (quotas): two who lock in another order wait for each other. Raises Invalid and
    upload_limits.Refused."""
    with transaction.atomic():
        current = corpora.lock_for_draft(corpus.pk)
        with received(request, current.owner) as received_files:
            yield received_files


def _lead_on(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """To the page that says how the files are read, or to the one that says how far storing them
    is."""
    url = reverse("corpus" if corpus.unstored else "corpus_prepare", args=[corpus.pk])
    return JsonResponse({"url": url}, status=201) if wants_json(request) else redirect(url)


def _status(error: Invalid | upload_limits.Refused) -> int:
    """400: what came can't be used. 413: it could, were there room."""
    if isinstance(error, upload_limits.Refused):
        return error.status
    return 413 if isinstance(error, quotas.Over) else 400


def _answer_refused(
    request: HttpRequest, error: Invalid | upload_limits.Refused
) -> HttpResponse | None:
    """The answer to a script; None where the page itself is shown again, with the sentence on
    it."""
    if wants_json(request):
        return JsonResponse({"error": str(error)}, status=_status(error))
    messages.error(request, str(error))
    return None


@require_POST
def example(request: HttpRequest) -> HttpResponse:
    """To the reader's own example; it is made where there is none."""
    owner = authorization.user(request)
    with show_errors(request):
        corpus = owner and queries.example(owner) or corpora.create_example(owner)
        return redirect(views.best_url(corpus))
    return redirect("home")


def looked_into(request: HttpRequest) -> AbstractContextManager[None]:
    """Bounds what a request may spend on looking into files, and ends that when nobody waits for it
    any more."""
    return file_formats.looking.within(
        file_formats.looking.PAGE_SECONDS, request_context(request).abandoned.is_set
    )


@typed({PreparePage: "corpus/prepare.html", SubsetPage: "corpus/subset.html"})
def prepare(
    request: HttpRequest, corpus: Corpus, posted: QueryDict | None
) -> HtmlPageResponse[PreparePage | SubsetPage] | HttpResponse:
    """What was understood of the files, and what the options would give; POST has them read, or
    shows that again."""
    if corpus.unstored or corpus.status not in corpora.UNREAD:
        return redirect("corpus", corpus.pk)
    if not corpus.has_own_files:
        return _prepare_part(corpus, posted)
    with looked_into(request):
        return draft_preparation.respond(request, corpus)


def _prepare_part(
    corpus: Corpus, posted: QueryDict | None
) -> HtmlPageResponse[PreparePage | SubsetPage] | HttpResponse:
    """A part of another corpus that failed, with other words."""
    form = NamedVocabularyForm(
        posted or None, name=corpus.name, reading=corpora.ReadingSettings(**corpus.settings)
    )
    if posted is not None and form.is_valid():
        corpus.name = form.cleaned_data["name"]
        with told_at(form):
            corpora.read(corpus, form.with_options(corpus.settings["options"]))
            return redirect("corpus", corpus.pk)
    page = SubsetPage(
        form=form,
        languages=form.languages(None),
        sentence=corpus.provenance["sentence"],
        count=corpus.provenance["documents"],
    )
    return HtmlPageResponse(page, status=400 if form.errors else 200)


@typed("corpus/subset.html")
def subset(
    request: HttpRequest, corpus: Corpus, posted: QueryDict | None, *, run: int | None = None
) -> HtmlPageResponse[SubsetPage] | HttpResponse:
    """Make a set of documents, which the address describes, a corpus of its own. run: by whose
    topics."""
    view = RunView(authorization.run_or_404(request, run)) if run is not None else None
    if view and view.run.corpus_id != corpus.pk:
        raise Http404(f"Run {run} is not of corpus {corpus.pk}.")
    if corpus.status != Corpus.Status.READY:
        raise Invalid(
            "corpus", f"“{corpus.name}” is not ready: its documents can't be chosen from yet."
        )
    selection = Selection.read(request.GET, view or corpus)
    numbers = selection.numbers  # None: all documents
    if numbers is None or not len(numbers):
        raise Invalid(
            "set",
            "A separate corpus holds some of the documents, not all or none. Choose some in the"
            " list of documents.",
        )
    name = f"{corpus.name}: {selection.sentence.removeprefix('documents ')}"[:200]
    form = NamedVocabularyForm(
        posted or None, name=name, reading=corpora.ReadingSettings(**corpus.settings)
    )
    if posted is not None and form.is_valid():
        provenance: Provenance = {
            "sentence": selection.sentence,
            "parameters": selection.parameters,
            "run": run if selection.topics else None,
        }
        return redirect(
            "corpus",
            corpora.create_subset(
                corpus,
                numbers.astype(np.int64),
                form.cleaned_data["name"],
                form.with_options(corpus.settings.get("options", {})),
                provenance,
                authorization.user(request),
            ).pk,
        )
    page = SubsetPage(
        form=form,
        languages=form.languages(None),
        sentence=selection.sentence,
        count=selection.count,
    )
    return HtmlPageResponse(page, status=400 if form.errors else 200)
