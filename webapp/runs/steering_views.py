"""Steering: change topics of a finished run, and train on from there."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from inference.errors import Invalid
from webapp.documents import facets
from webapp.models import Run
from webapp.pages.page import page, run_or_404
from webapp.results import links, topics
from webapp.results.view import RunView
from webapp.runs import steering
from webapp.runs.services import can_be_continued

WORDS = 8  # of each topic that is offered
ASKED = ("merge", "split", "together", "never")  # fields of the form, which stay filled where they can't be done
KEPT = 400  # characters of each


@require_safe
def index(request: HttpRequest, run_id: int) -> HttpResponse:
    """The form: ?topics= are ticked, and the other parameters are what its fields begin with."""
    run = run_or_404(run_id)
    view = RunView(run)
    final = run.final
    ticked = _ticked(request, run) if final else []
    words = topics.top_words(view, ticked, WORDS) if ticked else {}
    chosen = {name: set(request.GET.get(name, "").split(",")) for name in ("merge", "split")}
    context = {
        "ready": final and can_be_continued(run),
        "ticked": [
            links.topic(view, k) | {"words": words[k]} | {name: str(k) in ks for name, ks in chosen.items()}
            for k in ticked
        ],
        "others": facets.titles(view) if final and len(view.topics) <= facets.OFFERED else [],
        "asked": {name: request.GET.get(name, "")[:KEPT] for name in ASKED},
        "steered": steering.steered(run),
    }
    return page(request, "run/steer.html", context, run=run)


def _ticked(request: HttpRequest, run: Run) -> list[int]:
    return topics.numbers(",".join(request.GET.getlist("topics")).split(","), run)[: steering.MOST]


@require_POST
def train(request: HttpRequest, run_id: int) -> HttpResponse:
    run = run_or_404(run_id)
    try:
        return redirect("run", steering.start(run, steering.Wish.read(request.POST, run), request.user).pk)
    except Invalid as error:
        messages.error(request, error.message)
        sent = {name: ",".join(request.POST.getlist(name))[:KEPT] for name in ("shown", *ASKED)}
        sent["topics"] = sent.pop("shown")
        kept = urlencode({name: text for name, text in sent.items() if text})
        return redirect(reverse("run_steer", args=[run.pk]) + f"?{kept}")
