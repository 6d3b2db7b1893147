"""What if: the same training without some words."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from inference.errors import Invalid
from webapp.models import Run
from webapp.pages.page import run_or_404
from webapp.pages.typed import Answer, typed
from webapp.results import links
from webapp.results.view import RunView
from webapp.runs import excluded_words
from webapp.runs import services as runs
from webapp.runs.shapes import WithoutPage

NO_WORDS: list[str] = []


@typed("run/without.html")
def index(run: Run, view: RunView, *, topic: int | None = None, words: list[str] = NO_WORDS) -> Answer[WithoutPage]:
    """Choose words to leave out: those of ?topic=, and any that are typed or stand in ?words=."""
    runs.warm_starter(run)  # or says that there is none
    if topic is not None and topic >= run.topics:
        topic = None
    page = WithoutPage(
        topic=None if topic is None else links.topic_link(view, topic),
        words=excluded_words.offered(run, topic, words),
        dropped=run.dropped,
        parent=run.begun_with.pk if run.begun_with else None,
        children=excluded_words.children(run),
    )
    return Answer(page)


@require_POST
def train(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_or_404(run_id)
    typed = request.POST.get("more", "").replace(",", " ").split()
    try:
        return redirect("run", runs.without(run, [*request.POST.getlist("words"), *typed], request.user).pk)
    except Invalid as error:
        messages.error(request, error.message)
        return redirect("run_without", run.pk)
