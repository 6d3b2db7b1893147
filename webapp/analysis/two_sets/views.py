"""Two sets of documents compared, as a page and as JSON."""

from dataclasses import replace
from functools import partial
from typing import get_args
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_safe

from inference.errors import Invalid
from webapp.analysis.time import trends
from webapp.analysis.time.shapes import TIME_NOTHING, TimeNothing
from webapp.analysis.two_sets import (
    answering,
    compared_sets,
    contrasts,
    sets_form,
    topics_table,
)
from webapp.analysis.two_sets.conclusion import (
    conclude,
    conclude_without_larger,
    pin_comparison,
)
from webapp.analysis.two_sets.printed import print_topics
from webapp.analysis.two_sets.shapes import Answering, Compared, Comparison, ComparisonHtml
from webapp.core.documents import document_days
from webapp.core.documents.selection import RunSelection, Selection
from webapp.core.results import provenance
from webapp.core.results.view import RunView
from webapp.models import Run
from webapp.platform.accounts import authorization
from webapp.platform.pages.not_yet import NotYet
from webapp.platform.pages.page import looked_up
from webapp.platform.pages.page_query import Offer
from webapp.platform.pages.typed import PageQuery, PageResponse, typed
from webapp.platform.server.table_files import table_answer, table_to_come


@typed(
    {
        Comparison: "two_sets/compare.html",
        Compared: "two_sets/compare.html",
        Answering: "two_sets/answering.html",
        TimeNothing: "time/nothing.html",
    }
)
def compare(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    page_query: PageQuery,
    *,
    by: str = "",
    order: contrasts.Order = "difference",
    rest: bool = False,
    constant: contrasts.Constant = "",
) -> PageResponse[Comparison | Compared | Answering | TimeNothing]:
    """What one set of documents is about and another is not; 202 while a worker compares them."""
    if not view.run.final:
        return PageResponse(TIME_NOTHING)
    page = Comparison(
        sides=[],
        more=[[], []],
        words=[[], []],
        order=order,
        selection=selection.sentence,
        constant=constant,
    )
    try:
        sets = compared_sets.read_sides(request.GET, selection, rest)
        if sets is None and trends.grouping_field(view.run, by) is None:
            return PageResponse(TIME_NOTHING)  # there is nothing by which two sets could be chosen
        if sets is not None:
            asker = authorization.user_id(request)
            two_set_answers = answering.TwoSides(*sets, constant).answers_of_worker(asker)
            compared = contrasts.compare(*sets, order, constant, two_set_answers)
            page = replace(compared, selection=selection.sentence)
    except Invalid as error:
        html = partial(_comparison_html, request, selection, page_query, page, error.message)
        return PageResponse(page, html, invalid=error)
    return PageResponse(page, partial(_comparison_html, request, selection, page_query, page, ""))


@require_safe
@looked_up
def csv(request: HttpRequest, run: Run) -> HttpResponse:
    """All topics of two sets, in the order of their numbers."""
    if not run.final:
        raise Http404(f"Run {run.pk} is {run.status}; it has counted no topics yet.")
    question = compare.asked(request.GET)
    constant: contrasts.Constant = question["constant"]
    selection = Selection.read(request.GET, RunView(run))
    sets = compared_sets.read_sides(request.GET, selection, question["rest"])
    if sets is None:
        raise Http404(compared_sets.NO_SETS)
    try:
        asker = authorization.user_id(request)
        two_set_answers = answering.TwoSides(*sets, constant).answers_of_worker(asker)
    except NotYet as waiting:
        return table_to_come(
            "A worker compares both sets. Ask again in a while.", waiting.page.has_failed
        )
    table = topics_table.table(*sets, constant, two_set_answers)
    return table_answer(table, provenance.file_name(run, "two-sets.csv"))


def _comparison_html(
    request: HttpRequest,
    selection: RunSelection,
    page_query: PageQuery,
    page: Comparison,
    problem: str,
) -> ComparisonHtml:
    query = request.GET
    return ComparisonHtml(
        **vars(sets_form.sets_form(query, selection.version, page_query, proposes=True)),
        problem=problem,
        csv=selection.view.go("run_compare_csv", asked=query.urlencode()),
        keyness=selection.view.go("run_keyness", asked=query.urlencode()) if page.sides else "",
        effects=address_of_effects(selection.view, query),
        printed=print_topics(page),
        conclusion=conclude(page),
        without_larger=[conclude_without_larger(page, side) for side in range(2)],
        pinned=pin_comparison(page),
        orders=[
            Offer(order, page_query.url(order=order), order == page.order)
            for order in get_args(contrasts.Order)
        ],
        most=max((share for rows in page.more for row in rows for share in row.share), default=1.0),
    )


def address_of_effects(view: RunView, query: QueryDict) -> str:
    """Where the same two values of a category are compared with other things held constant; "" for
    other sets."""
    values_of_a = [text for text in query.getlist("in_a") if text]
    values_of_b = [text for text in query.getlist("in_b") if text]
    if len(values_of_a) != 1 or len(values_of_b) != 1:
        return ""
    try:
        ((name, value_of_a),) = _values(view, values_of_a[0])
        ((other_name, value_of_b),) = _values(view, values_of_b[0])
    except Invalid:  # the page says so
        return ""
    if name != other_name:
        return ""
    held_constant = ["spline(date)"] if document_days.first_and_last(view.run.version) else []
    effect = '"' + name.replace('"', '""') + '"'
    parameters = {"effect": effect, "held": held_constant, "a": value_of_a, "b": value_of_b}
    return view.go("run_effects", asked=urlencode(parameters, doseq=True))


def _values(view: RunView, text: str) -> list[tuple[str, str]]:
    """A category and its value, as an address writes them. Raises Invalid."""
    return Selection.read(QueryDict(urlencode({"in": text})), view).values
