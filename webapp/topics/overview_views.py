"""The overview of a run: its topics in four views, each a part of the same address."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from webapp.documents import fields
from webapp.documents.selection import Selection
from webapp.drawing.numbers import HUE_NAMES
from webapp.models import Run
from webapp.pages.page import address, next_page, number, page
from webapp.results import hidden_words
from webapp.results.view import RunView
from webapp.server.page_cache import cached_page
from webapp.topics import grid, maps, timeline
from webapp.topics.overview import PAGE, Overview, Wanted

BELOW = 20  # topics that the map lists below itself, unless some were chosen on it
VIEWS = {"list": "List", "map": "Map", "grid": "Grid of words", "time": "Over time"}


def _view(request: HttpRequest, run: Run) -> str:
    """What the address says, else the reader's last choice."""
    chosen = request.GET.get("view", "")
    if chosen in VIEWS:
        if request.session.get("overview") != chosen:
            request.session["overview"] = chosen
        return chosen
    last = request.session.get("overview")
    return last if last in VIEWS else "list"


@cached_page(depends_on=_view)
def index(request: HttpRequest, run: Run, as_json: bool = False) -> HttpResponse:
    shown_as = _view(request, run)
    view = RunView(run, hidden_words.read(request.GET, run))
    selection = Selection.read(request.GET, view)
    overview = Overview(selection, Wanted.read(request.GET, run))
    data = {
        "view": shown_as,
        "asked": overview.wanted._asdict(),
        "count": len(overview.numbers),
        "left_out": overview.left_out,
        "drop": view.hidden_words.described(),
    }
    data |= PARTS[shown_as](request, overview)
    return page(
        request,
        "run/topics.html",
        data,
        as_json=as_json,
        run=run,
        hidden_words=view.hidden_words,
        views=[(key, name, address(request, view=key, after=None)) for key, name in VIEWS.items()],
        selection=selection,
        groups=overview.labels.groups(),
        hue_names=HUE_NAMES,
        part=f"run/overview/_{shown_as}.html",
    )


def _list(request: HttpRequest, overview: Overview, rows: int = PAGE) -> dict:
    after = number(request, "after", 0) or 0
    listed, following = overview.page(after, rows)
    lines = overview.lines([topic["number"] for topic in listed])
    for topic in listed:
        topic["line"] = lines and lines["lines"][topic["number"]]
    return {
        "items": listed,
        "first": after + 1,
        "last": after + len(listed),
        "times": lines and {"by": lines["by"], "labels": lines["labels"]},
        "previous": address(request, after=max(0, after - rows) or None) if after else None,
        "next": next_page(request, after=following),
    }


def _map(request: HttpRequest, overview: Overview) -> dict:
    """All topics on the map, those that were chosen marked there; below it the list of these alone."""
    everything = Overview(overview.selection, overview.wanted._replace(topics=[]))
    return {"map": maps.of(everything, overview.wanted.topics)} | _list(
        request, overview, PAGE if overview.wanted.topics else BELOW
    )


def _grid(request: HttpRequest, overview: Overview) -> dict:
    words = grid.read_words(request.GET.get("words", ""))
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
