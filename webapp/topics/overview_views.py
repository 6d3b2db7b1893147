"""The overview of a run: its topics in four views, each a part of the same address."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from webapp.documents import fields
from webapp.documents.selection import Selection
from webapp.models import Run
from webapp.pages.page import address, number, page
from webapp.results import hidden_words
from webapp.server.page_cache import cached_page
from webapp.topics import grid, maps, timeline
from webapp.topics.overview import Asked, Overview

VIEWS = {"list": "List", "map": "Map", "grid": "Grid of words", "time": "Over time"}


def _view(request: HttpRequest) -> str:
    """What the address says, else the reader's last choice."""
    asked = request.GET.get("view", "")
    if asked in VIEWS:
        if request.session.get("overview") != asked:
            request.session["overview"] = asked
        return asked
    last = request.session.get("overview")
    return last if last in VIEWS else "list"


@cached_page(depends_on=_view)
def index(request: HttpRequest, run: Run, as_json: bool = False) -> HttpResponse:
    view = _view(request)
    selection = Selection.read(request.GET, run.corpus, run)
    drop = hidden_words.read(request.GET, run)
    overview = Overview(run, selection, Asked.read(request.GET, run))
    data = {
        "view": view,
        "asked": overview.asked._asdict(),
        "count": len(overview.numbers),
        "left_out": overview.left_out,
        "drop": drop,
    }
    data |= PARTS[view](request, overview)
    return page(
        request,
        "run/topics.html",
        data,
        as_json=as_json,
        run=run,
        views=[(key, name, address(request, view=key, after=None)) for key, name in VIEWS.items()],
        selection=selection,
        groups=overview.names.groups(),
        part=f"run/overview/_{view}.html",
    )


def _list(request: HttpRequest, overview: Overview) -> dict:
    found, following = overview.page(number(request, "after", 0))
    lines = overview.lines([topic["number"] for topic in found])
    for topic in found:
        topic["line"] = lines and lines["lines"][topic["number"]]
    return {
        "items": found,
        "times": lines and {"by": lines["by"], "labels": lines["labels"]},
        "next": address(request, after=following) if following else None,
    }


def _map(request: HttpRequest, overview: Overview) -> dict:
    """All topics on the map, those that were chosen marked there; below it the list of these alone."""
    everything = Overview(overview.run, overview.selection, overview.asked._replace(topics=[]))
    return {"map": maps.of(everything, overview.asked.topics)} | _list(request, overview)


def _grid(request: HttpRequest, overview: Overview) -> dict:
    words = grid.asked_words(request.GET.get("words", ""))
    order = "size" if request.GET.get("order") == "size" else ""
    return {"grid": grid.of(overview, words, not order, number(request, "after", 0)), "words": words, "order": order}


def _time(request: HttpRequest, overview: Overview) -> dict:
    run = overview.run
    unit = "tokens" if request.GET.get("unit") == "tokens" else "shares"
    return {
        "time": timeline.of(overview, request.GET.get("by", ""), number(request, "after", 0)),
        "unit": unit,
        "own_scale": request.GET.get("scale") == "own",
        "choices": fields.choices(run.version),
        "json": reverse("run_topics_json", args=[run.pk]) + address(request, view="time"),
    }


PARTS = {"list": _list, "map": _map, "grid": _grid, "time": _time}
