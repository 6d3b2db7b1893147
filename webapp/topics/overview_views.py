"""The overview of a run: its topics in four views, each a part of the same address."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest

from webapp.documents import fields
from webapp.documents.selection import RunSelection
from webapp.drawing.numbers import HUE_NAMES
from webapp.models import Run
from webapp.pages.typed import Answer, Here, typed
from webapp.results.view import RunView
from webapp.server.page_cache import cached_page
from webapp.topics import grid, maps, timeline
from webapp.topics.overview import PAGE, Overview, read_wanted
from webapp.topics.shapes import OverviewHtml, Sparkline, TopicRow, TopicsGrid, TopicsList, TopicsMap, TopicsTime

BELOW = 20  # topics that the map lists below itself, unless some were chosen on it
VIEWS = {"list": "List", "map": "Map", "grid": "Grid of words", "time": "Over time"}


def _shown_as(request: HttpRequest, run: Run) -> str:
    """What the address says; on the page, and not in its data, else the reader's last choice."""
    chosen = request.GET.get("view", "")
    if request.path.endswith(".json"):
        return chosen if chosen in VIEWS else "list"
    if chosen in VIEWS:
        if request.session.get("overview") != chosen:
            request.session["overview"] = chosen
        return chosen
    last = request.session.get("overview")
    return last if last in VIEWS else "list"


@cached_page(depends_on=_shown_as)
@typed("run/topics.html")
def index(
    request: HttpRequest,
    view: RunView,
    selection: RunSelection,
    here: Here,
    *,
    after: int = 0,
    words: str = "",
    order: str = "",
    by: str = "",
    unit: str = "",
    scale: str = "",
) -> Answer[TopicsList | TopicsMap | TopicsTime | TopicsGrid]:
    """A run's topics: a list, a map, a grid of words, or charts over time."""
    shown_as = _shown_as(request, view.run)
    overview = Overview(selection, read_wanted(request.GET, view.run))
    frame: dict[str, Any] = {
        "view": shown_as,
        "asked": overview.wanted,
        "count": len(overview.numbers),
        "left_out": overview.left_out,
        "drop": view.hidden_words.described(),
    }
    page: TopicsList | TopicsTime | TopicsGrid
    if shown_as == "grid":
        typed_words, order = grid.read_words(words), "size" if order == "size" else ""
        page = TopicsGrid(
            **frame, grid=grid.word_grid(overview, typed_words, not order, after), words=typed_words, order=order
        )
    elif shown_as == "time":
        page = TopicsTime(
            **frame,
            time=timeline.over_time(overview, by, after),
            unit="tokens" if unit == "tokens" else "shares",
            own_scale=scale == "own",
            choices=fields.choices(view.run.version),
            json=view.go("run_topics_json") + here.url(view="time", after=after or None),
        )
    elif shown_as == "map":
        everything = Overview(selection, replace(overview.wanted, topics=[]))
        listed = _list(overview, here, after, PAGE if overview.wanted.topics else BELOW)
        page = TopicsMap(**frame, **listed, map=maps.topic_map(everything, overview.wanted.topics))
    else:
        page = TopicsList(**frame, **_list(overview, here, after, PAGE))
    return Answer(
        page,
        lambda: OverviewHtml(
            views=[(key, name, here.url(view=key)) for key, name in VIEWS.items()],
            groups=overview.labels.groups(),
            hue_names=list(HUE_NAMES),
            part=f"run/overview/_{shown_as}.html",
        ),
    )


def _list(overview: Overview, here: Here, after: int, rows: int) -> dict[str, Any]:
    """The fields of TopicsList that are its own."""
    listed, following = overview.page(after, rows)
    times, lines = overview.lines([topic.number for topic in listed]) or (None, dict[int, Sparkline]())
    return {
        "items": [TopicRow(**vars(topic), line=lines.get(topic.number)) for topic in listed],
        "first": after + 1,
        "last": after + len(listed),
        "times": times,
        "previous": here.url(after=max(0, after - rows) or None) if after else None,
        "next": here.following(following),
    }
