"""The overview of a run, and a notebook that begins with it."""

from http import HTTPStatus
from typing import Annotated, get_args

from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from inference.errors import Invalid
from webapp.analysis.families import family_cuts
from webapp.analysis.findings import (
    pinning,
    questions,
    quotations,
    renaming,
)
from webapp.analysis.findings.finding import Detail
from webapp.analysis.findings.kinds import KINDS
from webapp.analysis.findings.overview import overview
from webapp.analysis.findings.screen.overview_screen import OverviewHtml, Screen, screen
from webapp.analysis.findings.shapes import (
    DetailLink,
    FindingHtml,
    FindingsOfKind,
    OverviewPage,
)
from webapp.core.documents import unit_sentences
from webapp.core.documents.conditions import Only
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.notebooks import pin_contents, services as notebooks, views as kept
from webapp.core.results import found_again, links
from webapp.core.results.page_cache import cached_page
from webapp.core.results.view import RunView
from webapp.core.simulate import truth
from webapp.models import Notebook, Run
from webapp.platform.accounts import authorization
from webapp.platform.pages.page import back, show_errors, signature, whole_number
from webapp.platform.pages.run_links import conditions
from webapp.platform.pages.typed import PageQuery, PageResponse, typed

DETAILS: dict[Detail, str] = {
    "less": "fewer findings",
    "": "the main findings",
    "more": "more findings",
}
LONGEST_QUERY = 8_000  # characters; servers refuse longer addresses, so no page has such a one


def _detail(name: str, values: list[str]) -> Detail:
    for detail in get_args(Detail):
        if detail == values[-1]:
            return detail
    raise Invalid(name, f"“{name}” in the address must be less or more, got “{values[-1][:20]}”.")


@cached_page(depends_on=lambda request, run: found_again.may_come(run))
@typed("run/overview.html")
def detail(
    request: HttpRequest,
    run: Run,
    selection: RunSelection,
    page_query: PageQuery,
    *,
    detail: Annotated[Detail, _detail] = "",
    families: Annotated[int | None, family_cuts.read_families] = None,
) -> PageResponse[OverviewPage]:
    """What is in the documents; 202 while a worker computes it, or computes it anew, which is not
    cached."""
    untrained = run.snapshot is None or not run.snapshot.final
    renaming.ask(run, authorization.user_id(request))
    page = (
        OverviewPage("", detail, ready=False, documents=0)
        if untrained
        else overview(selection, detail, authorization.user_id(request), families)
    )
    return PageResponse(
        page,
        lambda: _html(selection, page, page_query, untrained),
        status=HTTPStatus.OK if untrained else None,
    )


def _by_kind(view: RunView, page: OverviewPage) -> dict[str, FindingsOfKind]:
    """The page's findings, in the order of KINDS; a kind without findings is not there."""
    rows_of_kind: dict[str, list[FindingHtml]] = {kind: [] for kind in KINDS}
    for row in page.findings:
        row_html = FindingHtml(
            **vars(row),
            effects=questions.effects(view, row),
            holds=questions.holds(view, row),
        )
        rows_of_kind[row.kind].append(row_html)
    return {
        kind: FindingsOfKind(kind, KINDS[kind].ON_PAGE.title, rows)
        for kind, rows in rows_of_kind.items()
        if rows
    }


def _html(
    selection: RunSelection, page: OverviewPage, page_query: PageQuery, untrained: bool
) -> OverviewHtml:
    view = selection.view
    snapshot = view.run.snapshot
    kinds = _by_kind(view, page)
    rows = [row for of_kind in kinds.values() for row in of_kind.findings]
    return OverviewHtml(
        untrained=untrained,
        renamed=snapshot.renamed_at if snapshot else None,
        named_by_words=snapshot.named_by_words if snapshot else False,
        simulated=truth.exists(view.run.corpus),
        kinds=kinds,
        screen=screen(selection, page, rows) if page.ready else Screen(),
        failed=[KINDS[kind].ON_PAGE.title for kind in page.failed],
        details=[
            DetailLink(name, page_query.url(detail=value), value == page.detail)
            for value, name in DETAILS.items()
        ],
        cuts=family_cuts.around(family_cuts.cut(view, page.families), page_query)
        if page.families
        else None,
        query=page_query.query.urlencode(),
        unit=unit_sentences.of_version(view.run.version),
        without_words=max(selection.count - page.documents, 0) if page.ready else 0,
        wordless_url=links.documents_url(
            view.run, selection.with_conditions(Only("wordless")).address()
        ),
        order_may_change=not untrained and found_again.may_come(view.run),
    )


@require_POST
def pin(request: HttpRequest) -> HttpResponse:
    """Keep a finding of the page, with passages that show it. The form names it by its kind and
    rank, such as "change-3", and has the query of the page."""
    return kept.answer_pin(request, lambda: _read_pins(request))


def _read_pins(request: HttpRequest) -> kept.SentPins:
    """Raises Invalid."""
    form = request.POST
    run = authorization.run_or_404(request, whole_number(form, "run"))
    selection, page = _read_page(request, run)
    finding = form.get("finding", "")
    row = next((row for row in page.findings if f"{row.kind}-{row.rank}" == finding), None)
    if row is None:
        raise Invalid(
            "finding", "The page has no such finding any more. Open it again, and press Pin."
        )
    repeated = quotations.repeating(selection)
    contents = pinning.contents_of_finding(selection.view, page, row, repeated)
    return kept.SentPins(contents, run.corpus)


@require_POST
def notebook(request: HttpRequest) -> HttpResponse:
    """A new notebook whose first pieces are the quotations and findings that the page shows."""
    with show_errors(request):
        run = authorization.run_or_404(request, whole_number(request.POST, "run"))
        return redirect("notebook", _begin(request, run).pk)
    return redirect(back(request, "/notebooks/"))


def _begin(request: HttpRequest, run: Run) -> Notebook:
    selection, page = _read_page(request, run)
    # Before anything is written: what is shown of texts under an embargo is counted for good
    pinned = pinning.contents_of_page(selection, page)
    pinned += [
        pin_contents.of_passage(
            run.corpus, run, quote.document, quote.plain.removesuffix(" …"), None, None
        )
        for quote in page.quotes
    ]
    set_text = f", {selection.sentence}" if selection.has_conditions else ""
    title = f"Findings in {run.corpus.name}{set_text}"[: notebooks.TITLE]
    with transaction.atomic():
        new_notebook = notebooks.create(title, signature(request), authorization.user(request))
        for content in pinned:
            notebooks.pin(new_notebook, content, "", signature(request))
    return new_notebook


def _read_page(request: HttpRequest, run: Run) -> tuple[RunSelection, OverviewPage]:
    """The set of documents and the overview of the page on which a form was sent: it has the
    page's query. Raises Invalid, also where the findings are not there yet."""
    sent_query = request.POST.get("query", "")
    if len(sent_query) > LONGEST_QUERY:
        raise Invalid("query", "The address of the page is too long. Choose fewer conditions.")
    query = QueryDict(sent_query)
    selection = Selection.read(query, RunView(run, chosen=conditions(query)))
    detail = _detail("detail", [query.get("detail", "")])
    families = family_cuts.in_address(query)
    page = overview(selection, detail, authorization.user_id(request), families)
    if not page.ready:
        raise Invalid("run", "The findings are still being computed. Try again in a moment.")
    return selection, page
