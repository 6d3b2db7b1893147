"""Taking a run away: the page that lists what can be taken, and the files."""

from asgiref.sync import sync_to_async
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from webapp import exports
from webapp.accounts import embargo
from webapp.documents.selection import Selection
from webapp.exports import Form
from webapp.exports import methods as written_methods
from webapp.exports.formats import FORMATS
from webapp.models import Run
from webapp.pages.page import page, run_or_404
from webapp.results.view import RunView
from webapp.server import streams


@require_safe
def index(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    run = run_or_404(run_id)
    selection = Selection.read(request.GET, run.corpus, RunView(run))
    groups: dict[str, list[dict]] = {}
    for form in exports.FORMS.values():
        if exports.ready(run, form):
            groups.setdefault(form.group, []).append(_listed(run, form, selection))
    data = {
        "groups": [{"name": name, "forms": forms} for name, forms in groups.items()],
        "documents": selection.sentence,
    }
    return page(request, "run/take.html", data, as_json=as_json, run=run, selection=selection)


def _listed(run: Run, form: Form, selection: Selection) -> dict:
    """A form with the addresses of its files; a set of documents stays in those that it restricts."""
    choices = form.choices(run) if form.choices else [""]
    return {
        "name": form.name,
        "title": form.title,
        "sentence": form.sentence,
        "selected": form.selected and bool(selection),
        "asks": form.asks,
        "rows": [
            {"by": by, "files": [_link(run, form, ending, selection, by) for ending in form.endings]} for by in choices
        ],
    }


def _link(run: Run, form: Form, ending: str, selection: Selection, by: str) -> dict:
    query = selection.address(by=by) if form.selected else ""
    path = reverse("export", args=[run.pk, f"{form.name}.{ending}"])
    label = FORMATS[ending].label if form.table else ""
    return {"ending": ending, "label": label or ending, "path": path, "url": path + query.rstrip("?")}


@require_safe
def methods(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    run = _published(run_id)
    return page(request, "run/methods.html", written_methods.written(run), as_json=as_json, run=run)


@require_safe
def bib(request: HttpRequest, run_id: int) -> HttpResponse:
    run = _published(run_id)
    headers = {"Content-Disposition": f'attachment; filename="{exports.file_name(run, "methods.bib")}"'}
    return HttpResponse(
        written_methods.bibtex(run), content_type="application/x-bibtex; charset=utf-8", headers=headers
    )


def _published(run_id: int) -> Run:
    run = run_or_404(run_id)
    if run.snapshot_id is None:
        raise Http404(f"Run {run_id} has not published any topics yet.")
    return run


@require_safe
async def file(request: HttpRequest, run_id: int, file: str) -> StreamingHttpResponse:
    export = await sync_to_async(_file)(request, run_id, file)
    headers = {
        "Content-Disposition": f'attachment; filename="{export.name}"',
        # Django 5.2's GZipMiddleware makes each piece of an async stream a gzip file of its own; browsers read the
        # first.
        "Content-Encoding": "identity",
    }
    return StreamingHttpResponse(streams.in_one_thread(export.pieces), content_type=export.media, headers=headers)


def _file(request: HttpRequest, run_id: int, file: str) -> exports.File:
    run = run_or_404(run_id)
    form = exports.find(file)
    if form is None:
        raise Http404(f"A run has no file “{file}”.")
    if form[0].texts:
        embargo.refuse(run.corpus, f"“{file}”")
    if not exports.ready(run, form[0]):
        raise Http404(f"Run {run_id} has not stored these results yet.")
    return exports.made(exports.wanted(run, request.GET), *form)
