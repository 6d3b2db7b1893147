"""How many topics: the page, its press, and its file."""

from functools import partial

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from webapp.analysis.how_many import page as pages, picture
from webapp.analysis.how_many.shapes import HowMany, HowManyAsked
from webapp.core.results import provenance
from webapp.core.results.view import RunView
from webapp.core.runs import how_many
from webapp.models import Run
from webapp.platform.pages.page import check_act, looked_up, show_errors
from webapp.platform.pages.typed import PageResponse, typed
from webapp.platform.server.table_files import table_answer, table_to_come

NOT_YET = "The short trainings are not there yet. Begin them on the page, or ask again later."


@typed(
    {HowMany: "run/how_many.html", HowManyAsked: "run/how_many_asked.html"},
    progress="run/_how_many_progress.html",
)
def detail(view: RunView, *, complete: bool = False) -> PageResponse[HowMany | HowManyAsked]:
    """What fewer and more topics would change; complete: of all of the run's topics. 202 while they
    are trained."""
    page = pages.answer(view, complete)
    if isinstance(page, HowManyAsked):
        return PageResponse(page)
    return PageResponse(page, partial(picture.draw, page))


@require_POST
@looked_up
def train(request: HttpRequest, run: Run) -> HttpResponse:
    """Begin the short trainings, or end those that are not done."""
    act = request.POST.get("act", "")
    check_act(act, ("train", "cancel"))
    with show_errors(request):
        if act == "train":
            how_many.begin(run)
        else:
            how_many.cancel(run)
    return redirect("run_how_many", run.pk)


@require_safe
@looked_up
def csv(request: HttpRequest, run: Run) -> HttpResponse:
    """A row for each topic of each number of topics."""
    table = pages.table(RunView(run))
    if table is None:
        return table_to_come(NOT_YET)
    return table_answer(table, provenance.file_name(run, "how-many-topics.csv"))
