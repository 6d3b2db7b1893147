"""Training again from a finished run: from its topics as they were changed (steering), or without some words."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from inference.errors import Invalid
from webapp.documents import facets
from webapp.models import Run
from webapp.pages.page import looked_up, told
from webapp.pages.typed import Answer, HtmlAnswer, typed
from webapp.results import links
from webapp.results.topics import numbers, top_words
from webapp.results.view import RunView
from webapp.runs import excluded_words, steering
from webapp.runs import services as runs
from webapp.runs.shapes import SteerPage, TickedTopic, WithoutPage

WORDS = 8  # of each topic that is offered
ASKED = ("merge", "split", "together", "never")  # fields of the form, which stay filled where they can't be done
KEPT = 400  # characters of each
NONE: list[str] = []


@typed("run/steer.html")
def index(
    run: Run,
    view: RunView,
    *,
    topics: list[str] = NONE,
    merge: str = "",
    split: str = "",
    together: str = "",
    never: str = "",
) -> HtmlAnswer[SteerPage]:
    """The form: ?topics= are ticked, and the other parameters are what its fields begin with."""
    ticked = numbers(",".join(topics).split(","), run)[: steering.MOST] if run.final else []
    words = top_words(view, ticked, WORDS) if ticked else {}
    merged, parted = merge.split(","), split.split(",")
    page = SteerPage(
        ready=run.final and runs.can_be_continued(run),
        ticked=[
            TickedTopic(
                **vars(links.topic_link(view, k)), words=words[k], merge=str(k) in merged, split=str(k) in parted
            )
            for k in ticked
        ],
        others=run.final and 0 < len(view.topics) <= facets.OFFERED,
        together=together[:KEPT],
        never=never[:KEPT],
        steered=steering.steered(run),
    )
    return HtmlAnswer(page)


@require_POST
@looked_up
def train(request: HttpRequest, run: Run) -> HttpResponse:
    try:
        return redirect("run", steering.start(run, steering.Wish.read(request.POST, run), request.user).pk)
    except Invalid as error:
        messages.error(request, error.message)
        sent = {name: ",".join(request.POST.getlist(name))[:KEPT] for name in ("shown", *ASKED)}
        sent["topics"] = sent.pop("shown")
        kept = urlencode({name: text for name, text in sent.items() if text})
        return redirect(reverse("run_steer", args=[run.pk]) + f"?{kept}")


@typed("run/without.html")
def without(run: Run, view: RunView, *, topic: int | None = None, words: list[str] = NONE) -> Answer[WithoutPage]:
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
@looked_up
def train_without(request: HttpRequest, run: Run) -> HttpResponse:
    more = request.POST.get("more", "").replace(",", " ").split()
    with told(request):
        return redirect("run", runs.without(run, [*request.POST.getlist("words"), *more], request.user).pk)
    return redirect("run_without", run.pk)
