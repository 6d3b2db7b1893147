"""What comes in by a form: files for a new corpus, or for one that is ready; the same files again; the example."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from django.contrib import messages
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from inference.errors import Invalid
from webapp.accounts import authorization, quotas
from webapp.corpora import queries
from webapp.corpora.prepare_views import looked_into
from webapp.corpora.views import best_url, corpus_page, detail, home, home_page
from webapp.ingest import corpora, file_names, upload_limits, uploads
from webapp.ingest.forms import TrainForm
from webapp.jobs import claims, kinds
from webapp.models import Corpus, User
from webapp.pages.errors import wants_json
from webapp.pages.page import looked_up, told


@require_POST
def upload(request: HttpRequest) -> HttpResponse:
    """Store what was uploaded as a draft; the next page shows what was understood."""
    try:
        owner = authorization.user(request)
        with received(request, owner) as sent:
            corpus = corpora.create(request.POST.get("name", ""), sent, owner, in_background=True)
            with looked_into(request):
                corpora.check_readable(corpus)
    except (Invalid, upload_limits.Refused) as error:
        return _refused(request, error) or home.answered(request, home_page(request, _status(error)))
    return _led(request, corpus)


@require_POST
@looked_up
def add(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """More files for a corpus that is ready; the next page shows what was understood of them."""
    try:
        with received(request, corpus.owner) as sent:
            draft = corpora.create_addition(corpus, sent, in_background=True)
            with looked_into(request):
                corpora.check_readable(draft)
    except (Invalid, upload_limits.Refused) as error:
        if refused := _refused(request, error):
            return refused
        answer = corpus_page(corpus, TrainForm(corpus=corpus), status=_status(error))
        return detail.answered(request, answer, corpus=corpus)
    return _led(request, draft)


@require_POST
@looked_up
def again(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """A draft of the same files, to be read in another way."""
    with told(request):
        return _led(request, corpora.copy_as_draft(corpus))
    return redirect("corpus", corpus.pk)


@require_POST
@looked_up
def retry(request: HttpRequest, corpus: Corpus) -> HttpResponse:
    """Try the files again that could not be read, or go on storing them."""
    with told(request):
        if corpus.unstored:
            claims.retry(kinds.STORE, corpus.pk)
        else:
            corpora.retry_failed_files(corpus)
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
    return redirect(best_url(owner and queries.example(owner) or corpora.create_example(owner)))
