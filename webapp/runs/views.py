"""Runs: watching one train, and what can be done to it."""

from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
from webapp.ingest import forms, version_history
from webapp.jobs import roster
from webapp.models import Run
from webapp.pages.page import number, page, run_or_404
from webapp.results.view import RunView
from webapp.runs import queries, series
from webapp.runs import services as runs
from webapp.server import live
from webapp.simulate import truth


@require_safe
def detail(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    run = run_or_404(run_id)
    state = queries.state(run, roster.count_workers(), number(request, "step"))
    if as_json:
        return page(request, "", state, as_json=True)
    columns = series.offered(series.COLUMNS, [run.engine])
    data = {
        "run": run,
        "corpus": run.corpus,
        "settings": forms.described(run),
        "state": state,
        "map": {"width": queries.WIDTH, "height": queries.HEIGHT},
        "last_step": state["forming"]["steps"][-1] if state["forming"]["steps"] else None,
        "pinned": "step" in request.GET,
        "columns": columns,
        "charts": series.offered(series.CHARTS, [run.engine]),
        "measured": series.table(state["metrics"], columns)[::-1],
        "older": version_history.said(run),
        "made": truth.exists(run.corpus),
    }
    return page(request, "run/detail.html", data)


@require_safe
def forming(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    """The topics at a step: as JSON alone, as the run's page asks for them while its slider moves; else that page."""
    if not as_json:
        return detail(request, run_id)
    return page(request, "", queries.forming(RunView(run_or_404(run_id)), number(request, "step")), as_json=True)


@require_safe
async def watch(request: HttpRequest, run_id: int) -> HttpResponse:
    if not await Run.objects.filter(pk=run_id).aexists():
        raise Http404(f"There is no run {run_id}.")
    return live.response(request, run=run_id)


@require_POST
def stop(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_or_404(run_id)
    runs.stop(run)
    return redirect("run", run.pk)


@require_POST
def cancel(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_or_404(run_id)
    runs.cancel(run)
    return redirect("run", run.pk)


@require_POST
def train_again(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_or_404(run_id)
    try:
        return redirect("run", runs.train_again(run, request.user).pk)
    except Invalid as error:
        raise BadRequest(error.message) from None


@require_POST
def continue_with(request: HttpRequest, run_id: int) -> HttpResponse:
    """Continue from this run’s topics on the newest version of its corpus."""
    run = run_or_404(run_id)
    return redirect("run", runs.continue_with(run, run.corpus.version, request.user).pk)
