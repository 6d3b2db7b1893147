"""What was deleted: the list, the page after deleting, bringing back, deleting for good."""

from datetime import datetime
from typing import Annotated

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from webapp.models import Corpus, Run
from webapp.platform.accounts import authorization
from webapp.platform.pages.page import show_errors
from webapp.platform.pages.typed import HtmlPageResponse, PageQuery, PageResponse, typed
from webapp.platform.server import siblings
from webapp.service.corpora import deleted as queries, deletion
from webapp.service.corpora.shapes import DeletedItem, DeletedList, DeletedPage, DeletedRow


def _read_cursor(name: str, values: list[str]) -> queries.DeletedCursor:
    """Where a page of the list begins: "moment,kind,number", as the page before gave it."""
    try:
        moment, kind, pk = values[-1].split(",")
        at = datetime.fromisoformat(moment)
        if not 0 <= int(pk) < 2**63 or timezone.is_naive(at):
            raise ValueError
        return at, int(kind), int(pk)
    except ValueError:
        raise BadRequest(
            f"“{name}” in the address must be what the page before gave, got “{values[-1][:50]}”."
        ) from None


@typed("deleted/list.html")
def index(
    request: HttpRequest,
    page_query: PageQuery,
    *,
    after: Annotated[queries.DeletedCursor | None, _read_cursor] = None,
) -> PageResponse[DeletedList]:
    """Recently deleted, the last first."""
    rows, following = queries.page(*authorization.deletable(request), after)
    next_place = f"{following[0].isoformat()},{following[1]},{following[2]}" if following else None
    return PageResponse(DeletedList([_item(row) for row in rows], page_query.following(next_place)))


def _item(row: DeletedRow) -> DeletedItem:
    url, bring_back, for_good = (
        reverse(f"{row.kind}_{page}", args=[row.id])
        for page in ("deleted", "bring_back", "for_good")
    )
    return DeletedItem(**vars(row), url=url, bring_back=bring_back, for_good=for_good)


def _or_404(kind: str, pk: int) -> Corpus | Run:
    """A corpus or a run, deleted or not; what is deleted for good is not there any more."""
    row = deletion.MODELS[kind].everything.filter(pk=pk).first()
    if row is None or row.deleted_at and deletion.until(row.deleted_at) <= timezone.now():
        raise Http404(f"There is no {kind} {pk}.")
    return row


@require_POST
def delete(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    row = _or_404(kind, pk)
    if isinstance(row, Corpus):
        deletion.delete_corpus(row)
    else:
        deletion.delete_run(row)
    siblings.forget()
    return redirect(f"{kind}_deleted", pk)


@typed("deleted/one.html")
def deleted_page(kind: str, pk: int) -> HtmlPageResponse[DeletedPage] | HttpResponse:
    """The page after deleting: what it was, until when it can be brought back, and how."""
    row = _or_404(kind, pk)
    if not row.deleted_at:
        return redirect(kind, pk)
    return HtmlPageResponse(DeletedPage(_item(queries.describe_row(row)), queries.pins(row)))


@require_POST
def bring_back(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    row = _or_404(kind, pk)
    with show_errors(request):
        if row.deleted_at:
            deletion.bring_back(row)
        return redirect(
            "corpus_prepare" if kind == "corpus" and row.status == Corpus.Status.DRAFT else kind, pk
        )
    return redirect("deleted")


@require_POST
def for_good(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    row = _or_404(kind, pk)
    if not row.deleted_at:
        raise BadRequest("Only what is deleted can be deleted for good.")
    deletion.expire_now(row)
    name = f"“{row.name}”" if isinstance(row, Corpus) else f"Run {pk}"
    messages.success(request, f"{name} is deleted for good.")
    return redirect("deleted")
