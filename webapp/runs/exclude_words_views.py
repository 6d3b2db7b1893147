"""What if: the same training without some words."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
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
