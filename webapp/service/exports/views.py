"""Taking a run away: the page that lists what can be taken, small files, and large ones that a
worker makes."""

from itertools import groupby
from operator import attrgetter

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
from webapp.analysis.families import family_cuts
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results.provenance import file_name
from webapp.core.results.view import RunView
from webapp.models import Export, Run
from webapp.platform.accounts import authorization, embargo, readings
from webapp.platform.drawing.numbers import byte_size
from webapp.platform.pages.page import (
    back,
    looked_up,
    published,
    show_errors,
    told_at,
    unchecked_published_run,
    unchecked_run,
)
from webapp.platform.pages.typed import HtmlPageResponse, PageResponse, typed
from webapp.platform.server import resumable, streams
from webapp.service.exports import kept, methods as written_methods, sizes
from webapp.service.exports.catalogue import EXPORT_KINDS, ExportKind, find_kind
from webapp.service.exports.deposit_form import DepositForm
from webapp.service.exports.export_query import read_source, write_query
from webapp.service.exports.making import ExportFile, make_file
from webapp.service.exports.shapes import (
    DepositPage,
    FileLink,
    FileRow,
    KindGroup,
    MadeFile,
    MethodsPage,
    OfferedKind,
    TakePage,
)
from webapp.service.exports.tables import ExportSource


@typed("run/take.html", made="run/_take_made.html")
def index(request: HttpRequest, run: Run, selection: RunSelection) -> PageResponse[TakePage]:
    """The files of a run, and those that a worker makes or has made for this user."""
    ready = [kind for kind in EXPORT_KINDS.values() if kind.is_ready(run)]
    return PageResponse(
        TakePage(
            groups=[
                KindGroup(name, [_offer_kind(run, kind, selection) for kind in kinds])
                for name, kinds in groupby(ready, attrgetter("group"))
            ],
            documents=selection.sentence,
            made=[
                _show_file(selection.view, export)
                for export in kept.of_user(run, authorization.user_id(request))
            ],
        )
    )


def _offer_kind(run: Run, kind: ExportKind, selection: RunSelection) -> OfferedKind:
    """A kind with the addresses of its files; a set of documents stays in those that it
    restricts."""
    return OfferedKind(
        name=kind.name,
        title=kind.title,
        sentence=kind.sentence,
        selected=kind.selected and selection.has_conditions,
        asks=kind.asks,
        rows=[
            _row(run, kind, selection, by) for by in (kind.choices(run) if kind.choices else [""])
        ],
    )


def _row(run: Run, kind: ExportKind, selection: RunSelection, by: str) -> FileRow:
    chosen_families = dict(selection.view.chosen).get("families")
    families = None
    if chosen_families:
        families = family_cuts.read_families("families", [chosen_families])
    requested = kind.restricted(ExportSource(run, selection, by=by, families=families))
    files = [_file_link(requested, kind, ending) for ending in kind.endings]
    # Of a large table Parquet comes first: the smallest and quickest
    files.sort(key=lambda file: file.large and file.ending != "parquet")
    refused = [file for file in files if file.refused]
    why = ""
    if refused:
        why = refused[0].refused
    if 0 < len(refused) < len(files):
        why = f"As {', '.join(file.label for file in refused)}: {why}"
    return FileRow(by, files, why)


def _file_link(source: ExportSource, kind: ExportKind, ending: str) -> FileLink:
    query = write_query(kind, source)
    path = url = reverse("export", args=[source.run.pk, f"{kind.name}.{ending}"])
    if query:
        url = f"{path}?{query}"
    expected = _expected_bytes(kind, ending, source)
    large = sizes.needs_worker(expected)
    return FileLink(
        ending=ending,
        label=kind.label_of(ending),
        path=path,
        url=url,
        file=f"{kind.name}.{ending}",
        large=large,
        bytes=expected if large else None,
        refused=sizes.refusal(kind, expected),
    )


def _expected_bytes(kind: ExportKind, ending: str, source: ExportSource) -> int:
    """0 where the run, of an older version, lacks what the file is made of: asking for it says
    so."""
    try:
        return sizes.expected_bytes(kind, ending, source)
    except Invalid:
        return 0


def _show_file(view: RunView, export: Export) -> MadeFile:
    ready = export.status == Export.Status.READY
    return MadeFile(
        id=export.pk,
        file=export.file,
        sentence=export.sentence,
        status=export.status,
        bytes=export.bytes,
        expected=export.expected,
        error=export.error,
        notice=export.shown_notice,
        asked=export.created_at,
        until=kept.until(export) if ready else None,
        sha256=export.sha256,
        url=view.go("export_kept", export.pk, export.name) if ready else None,
        again=view.go("export_again", export.pk),
        delete=view.go("export_delete", export.pk),
    )


@require_POST
@looked_up
def make(request: HttpRequest, run: Run) -> HttpResponse:
    """Have a worker make a file."""
    query = request.POST.copy()
    for name in ("csrfmiddlewaretoken", "file", "next"):
        query.pop(name, None)
    with show_errors(request):
        kept.ask(run, authorization.signed_in(request), request.POST.get("file", ""), query)
    selection = Selection.read(query, RunView(run))
    return redirect(reverse("run_take", args=[run.pk]) + selection.address().rstrip("?") + "#made")


@require_POST
def make_again(request: HttpRequest, run_id: int, export_id: int) -> HttpResponse:
    """Make a file again where that failed."""
    with show_errors(request):
        if not kept.retry(_own_export_or_404(request, unchecked_run(run_id), export_id)):
            messages.error(request, "That file has not failed, or not any more.")
    return _to_made(request, run_id)


@require_POST
def delete(request: HttpRequest, run_id: int, export_id: int) -> HttpResponse:
    kept.delete(_own_export_or_404(request, unchecked_run(run_id), export_id))
    return _to_made(request, run_id)


def _to_made(request: HttpRequest, run_id: int) -> HttpResponse:
    return redirect(back(request, reverse("run_take", args=[run_id]) + "#made"))


def _own_export_or_404(request: HttpRequest, run: Run, export_id: int) -> Export:
    """Only whoever asked for a file may have it, and only as long as they may see the run."""
    export = run.exports.filter(pk=export_id, by=authorization.user_id(request)).first()
    if export is None:
        raise Http404(
            "This file is not kept any more, or is somebody else’s. The page Files makes it again."
        )
    return export


@require_safe
async def download(
    request: HttpRequest, run_id: int, export_id: int, name: str
) -> HttpResponseBase:
    """A file that a worker made; a download that was cut off can go on."""
    return await sync_to_async(_download)(request, run_id, export_id)


def _download(request: HttpRequest, run_id: int, export_id: int) -> HttpResponseBase:
    run = unchecked_run(run_id)
    export = _own_export_or_404(request, run, export_id)
    kind, ending = kept.find_kind(export.file) or (None, "")
    if kind is None or export.status != Export.Status.READY:
        raise Http404("This file is not made yet. The page Files says how far it is.")
    if kind.texts:
        embargo.refuse(run.corpus, f"“{export.file}”")
    _note(run, kind, export.file)
    try:
        return resumable.download(
            request,
            kept.path(export),
            etag=export.sha256,
            name=export.name,
            media=kind.media_of(ending),
        )
    except FileNotFoundError:
        raise Http404("This file is gone. The page Files makes it again.") from None


@typed("run/deposit.html")
def deposit(
    request: HttpRequest, run: Run, posted: QueryDict | None
) -> HtmlPageResponse[DepositPage] | HttpResponse:
    """The form of what is asked of who makes a deposit; POST has a worker make it."""
    user = authorization.signed_in(request)
    form = DepositForm(posted, published(run), user.pk)
    if posted is not None and form.is_valid():
        with told_at(form):
            kept.ask(run, user, "deposit.zip", posted)
            return redirect(reverse("run_take", args=[run.pk]) + "#made")
    return HtmlPageResponse(
        DepositPage(form, run.corpus.embargo), status=400 if form.errors else 200
    )


@typed("run/methods.html")
def methods(run: Run) -> PageResponse[MethodsPage]:
    """How the run was made, in sentences for a paper."""
    return PageResponse(written_methods.written(published(run)))


@require_safe
def bib(request: HttpRequest, run_id: int) -> HttpResponse:
    run = unchecked_published_run(run_id)
    return HttpResponse(
        written_methods.bibtex(run),
        content_type="application/x-bibtex; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{file_name(run, "methods.bib")}"'},
    )


@require_safe
async def file(request: HttpRequest, run_id: int, file: str) -> StreamingHttpResponse:
    export = await sync_to_async(_file)(request, run_id, file)
    return streams.download(export.pieces, export.name, export.media)


def _file(request: HttpRequest, run_id: int, file: str) -> ExportFile:
    run = unchecked_run(run_id)
    kind_and_ending = find_kind(file)
    if kind_and_ending is None:
        raise Http404(f"A run has no file “{file}”.")
    kind, ending = kind_and_ending
    if kind.texts:
        embargo.refuse(run.corpus, f"“{file}”")
    if not kind.is_ready(run):
        raise Http404(f"Run {run_id} has not stored these results yet.")
    requested = read_source(run, request.GET)
    expected = sizes.expected_bytes(kind, ending, requested)
    if sizes.needs_worker(expected):
        instead = (
            sizes.refusal(kind, expected)
            or "A worker makes it first: the page Files of the run has a button for it."
        )
        raise Invalid(
            "file",
            f"“{file}” would have about {byte_size(expected)}, too much to be made while it is sent."
            f" {instead}",
        )
    _note(run, kind, file)
    return make_file(requested, kind, ending)


def _note(run: Run, kind: ExportKind, name: str) -> None:
    """For the record of reading, of a file with texts or passages."""
    if kind.texts or kind.passages:
        readings.note_file(run.corpus, name)
