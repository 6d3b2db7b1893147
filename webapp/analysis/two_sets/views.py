"""Two sets of documents compared, as a page and as JSON."""

from dataclasses import replace
from functools import partial
from typing import get_args
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict

from inference.errors import Invalid
from webapp.analysis.time import trends
from webapp.analysis.time.shapes import TIME_NOTHING, TimeNothing
from webapp.analysis.two_sets import answering, compared_sets, contrasts, sets_form
from webapp.analysis.two_sets.shapes import Answering, Compared, Comparison, ComparisonHtml
from webapp.core.documents import fields
from webapp.core.documents.selection import RunSelection
from webapp.core.results.view import RunView
from webapp.platform.accounts import authorization
from webapp.platform.pages.page_query import Offer
from webapp.platform.pages.typed import Answer, PageQuery, typed


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
) -> Answer[Comparison | Compared | Answering | TimeNothing]:
    """What one set of documents is about and another is not; 202 while a worker compares them."""
    if not view.run.final:
        return Answer(TIME_NOTHING)
    page = Comparison([], [[], []], [[], []], order, selection.sentence, constant)
    try:
        sets = compared_sets.read_sides(request.GET, selection, rest)
        if sets is None and trends.grouping_field(view.run, by) is None:
            return Answer(TIME_NOTHING)  # there is nothing by which two sets could be chosen
        if sets is not None:
            by_user = authorization.user_id(request)
            answered = answering.TwoSides(*sets, constant).answered(by_user)
            compared = contrasts.compare(*sets, order, constant, answered)
            page = replace(compared, selection=selection.sentence)
    except Invalid as error:
        html = partial(_comparison_html, request, selection, page_query, page, error.message)
        return Answer(page, html, invalid=error)
    return Answer(page, partial(_comparison_html, request, selection, page_query, page, ""))


def _comparison_html(
    request: HttpRequest,
    selection: RunSelection,
    page_query: PageQuery,
    page: Comparison,
    problem: str,
) -> ComparisonHtml:
    query = request.GET
    return ComparisonHtml(
        **vars(sets_form.sets_form(query, selection.version, page_query)),
        problem=problem,
        keyness=selection.view.go("run_keyness", asked=query.urlencode()) if page.sides else "",
        effects=_effects(selection.view, query),
        compared=" compared with ".join(side.name for side in page.sides)[:150],
        orders=[
            Offer(order, page_query.url(order=order), order == page.order)
            for order in get_args(contrasts.Order)
        ],
        most=max((share for rows in page.more for row in rows for share in row.share), default=1.0),
    )


def _effects(view: RunView, query: QueryDict) -> str:
    """Where the same two values of a category are compared with other things held constant; "" for
    other sets."""
    values_of_a = [text for text in query.getlist("in_a") if text]
    values_of_b = [text for text in query.getlist("in_b") if text]
    if len(values_of_a) != 1 or len(values_of_b) != 1:
        return ""
    name, _, value_of_a = values_of_a[0].partition(":")
    other_name, _, value_of_b = values_of_b[0].partition(":")
    if name != other_name:
        return ""
    held_constant = ["spline(date)"] if fields.dated(view.run.version) else []
    # The page of effects tells how much more its a has than its b: the other way round
    parameters = {"effect": f'"{name}"', "held": held_constant, "a": value_of_b, "b": value_of_a}
    return view.go("run_effects", asked=urlencode(parameters, doseq=True))
