"""What if: the same training without some words, and what readers said carried over to it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
from webapp.accounts import authorization
from webapp.curation import label_transfer
from webapp.models import Run
from webapp.pages.page import number, page, run_or_404
from webapp.results import links
from webapp.results.view import RunView
from webapp.runs import excluded_words
from webapp.runs import services as runs


@require_safe
def index(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    """Choose words to leave out: those of ?topic=, and any that are typed or stand in ?words=."""
    run = run_or_404(run_id)
    runs.warm_starter(run)  # or says that there is none
    topic = number(request, "topic")
    if topic is not None and topic >= run.topics:
        topic = None
    data = {
        "topic": None if topic is None else links.topic(RunView(run), topic),
        "words": excluded_words.offered(run, topic, request.GET.getlist("words")),
        "dropped": run.dropped,
        "parent": run.begun_with and run.begun_with.pk,
        "children": excluded_words.children(run),
    }
    return page(request, "run/without.html", data, as_json=as_json, run=run)


@require_POST
def train(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_or_404(run_id)
    typed = request.POST.get("more", "").replace(",", " ").split()
    try:
        return redirect("run", runs.without(run, [*request.POST.getlist("words"), *typed], request.user).pk)
    except Invalid as error:
        messages.error(request, error.message)
        return redirect("run_without", run.pk)


@require_safe
def carry(request: HttpRequest, run_id: int, as_json: bool = False) -> HttpResponse:
    """What would be carried over from ?source=, another run of the corpus, and what would not."""
    run = run_or_404(run_id)
    source = number(request, "source")
    data = {"from": source, "offered": excluded_words.labelled(run), "pairs": [], "orphans": [], "fields": 0}
    if source is not None:
        data |= _described(run, _source(request, source))
    return page(request, "run/carry.html", data, as_json=as_json, run=run)


@require_POST
def carry_over(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_or_404(run_id)
    try:
        text = request.POST.get("from", "")
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise Invalid("from", "Choose the run whose labels are to be carried over.")
        transfer = label_transfer.carry(_source(request, int(text)), run)
        said = (
            f"{len(transfer.values):,} topic{'' if len(transfer.values) == 1 else 's'} took over what run {text} says."
        )
        if transfer.orphans:
            said += f" {len(transfer.orphans):,} of its topics have no match here."
        messages.success(request, said)
    except Invalid as error:
        messages.error(request, error.message)
    return redirect("run_curation", run.pk)


def _described(run: Run, source: Run) -> dict:
    here, there = RunView(run), RunView(source)
    return excluded_words.described(here, there, label_transfer.plan(there, here))


def _source(request: HttpRequest, pk: int) -> Run:
    """A run from an address or a form: missing is a mistake of theirs, not a page that is gone."""
    try:
        return authorization.runs(request).select_related("corpus", "version", "snapshot").get(pk=pk)
    except Run.DoesNotExist:
        raise Invalid("from", f"There is no run {pk}.") from None
