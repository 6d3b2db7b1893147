"""Carrying labels and notes from another run of the corpus to this one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from inference.errors import Invalid
from webapp.accounts import authorization
from webapp.curation import label_transfer
from webapp.curation.label_transfer import Plan
from webapp.curation.shapes import CarriedPair, CarryPage
from webapp.models import Run
from webapp.pages.page import is_whole, run_or_404
from webapp.pages.typed import Answer, typed
from webapp.results.links import topic_link
from webapp.results.view import RunView


@typed("run/carry.html")
def carry(request: HttpRequest, view: RunView, *, source: int | None = None) -> Answer[CarryPage]:
    """What would be copied from another run of the corpus, and what would not."""
    there, plan = view, Plan([], [], {})
    if source is not None:
        there = RunView(_source(request, source))
        plan = label_transfer.plan(there, view)
    return Answer(
        CarryPage(
            from_=source,
            offered=label_transfer.labelled(view.run),
            pairs=[
                CarriedPair(topic_link(there, k), topic_link(view, here), similarity, sorted(plan.values.get(here, {})))
                for k, here, similarity in plan.pairs
            ],
            orphans=[topic_link(there, k) for k in plan.orphans],
            fields=sum(map(len, plan.values.values())),
        )
    )


@require_POST
def carry_over(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_or_404(run_id)
    try:
        number = request.POST.get("from", "")
        if not is_whole(number):
            raise Invalid("from", "Choose the run whose labels are to be carried over.")
        plan = label_transfer.carry(_source(request, int(number)), run)
        copied = f"{len(plan.values):,} topic{'' if len(plan.values) == 1 else 's'} took over what run {number} says."
        alone = f" {len(plan.orphans):,} of its topics have no match here." if plan.orphans else ""
        messages.success(request, copied + alone)
    except Invalid as error:
        messages.error(request, error.message)
    return redirect("run_curation", run.pk)


def _source(request: HttpRequest, pk: int) -> Run:
    """A run from an address or a form: missing is a mistake of theirs, not a page that is gone."""
    try:
        return authorization.runs(request).select_related("corpus", "version", "snapshot").get(pk=pk)
    except Run.DoesNotExist:
        raise Invalid("from", f"There is no run {pk}.") from None
