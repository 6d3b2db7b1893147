"""What was deleted: the list, the page after deleting, bringing back, deleting for good."""

from datetime import datetime

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
from webapp.accounts import authorization
from webapp.corpora import deleted as queries
from webapp.corpora import deletion
from webapp.models import Corpus, Run
from webapp.pages.page import address, page
from webapp.server import siblings


@require_safe
def index(request: HttpRequest, as_json: bool = False) -> HttpResponse:
    """Recently deleted, the last first."""
    deleted, following = queries.page(*authorization.deletable(request), _place(request))
    more = (
        address(request, after=",".join((following[0].isoformat(), str(following[1]), str(following[2]))))
        if following
        else None
    )
    return page(request, "deleted/list.html", {"deleted": deleted, "next": more}, as_json=as_json)


def _place(request: HttpRequest) -> tuple[datetime, int, int] | None:
    text = request.GET.get("after", "")
    if not text:
        return None
    try:
        moment, kind, pk = text.split(",")
        at = datetime.fromisoformat(moment)
        if not 0 <= int(pk) < 2**63 or timezone.is_naive(at):
            raise ValueError
        return at, int(kind), int(pk)
    except ValueError:
        raise BadRequest(f"“after” in the address must be what the page before gave, got “{text[:50]}”.") from None


def _or_404(kind: str, pk: int) -> Corpus | Run:
    """A corpus or a run, deleted or not; what is deleted for good is not there any more."""
    row = deletion.MODELS[kind].everything.filter(pk=pk).first()
    if row is None or row.deleted_at and deletion.until(row.deleted_at) <= timezone.now():
        raise Http404(f"There is no {kind} {pk}.")
    return row


@require_POST
def delete(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    row = _or_404(kind, pk)
    getattr(deletion, kind)(row)
    siblings.forget()
    return redirect(f"{kind}_deleted", pk)


@require_safe
def one(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    """The page after deleting: what it was, until when it can be brought back, and how."""
    row = _or_404(kind, pk)
    if not row.deleted_at:
        return redirect(kind, pk)
    return page(request, "deleted/one.html", {"row": queries.one(row)})


@require_POST
def bring_back(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    row = _or_404(kind, pk)
    if row.deleted_at:
        try:
            deletion.bring_back(row)
        except Invalid as error:
            messages.error(request, error.message)
            return redirect("deleted")
    draft = kind == "corpus" and row.status == Corpus.Status.DRAFT
    return redirect("corpus_prepare" if draft else kind, pk)


@require_POST
def for_good(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    row = _or_404(kind, pk)
    if not row.deleted_at:
        raise BadRequest("Only what is deleted can be deleted for good.")
    deletion.for_good(row)
    name = f"“{row.name}”" if isinstance(row, Corpus) else f"Run {pk}"
    messages.success(request, f"{name} is deleted for good.")
    return redirect("deleted")
