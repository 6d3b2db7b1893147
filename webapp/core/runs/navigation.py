"""The navigation of a run: its rooms, its menus and which of their links is current; and the tour
through the pages of the example."""

from typing import NamedTuple

from django import template
from django.urls import reverse
from django.utils.html import format_html

from inference import engines
from webapp.core.asked_training.stored_steering import Steering
from webapp.core.documents import document_days
from webapp.core.results.hidden_words import HiddenWords
from webapp.core.runs import services, steering
from webapp.intake.ingest.corpora import EXAMPLE_NAME
from webapp.models import Run
from webapp.platform import routes
from webapp.platform.pages.run_links import RunLinks
from webapp.platform.request_context import request_context

register = template.Library()

DROPPED = 10  # words that are named
TIME = "Time"  # the tab of that name in webapp.urls
GROUPS = "Groups"


@register.filter
def can_be_continued(run: Run) -> bool:
    """Whether another run can begin with this one's topics."""
    return services.can_be_continued(run)


@register.filter
def steered(run: Run) -> str:
    """What was changed of the topics with which it began: "T03 and T07 merged; T05 split in
    two"."""
    changes = list(steering.sentences(run))
    if run.dropped:
        changes.append(f"without {', '.join(run.dropped[:DROPPED])}")
    return "; ".join(changes)


@register.filter
def joins_other_seeds(run: Run) -> bool:
    """Whether it began with its parent's topics and those of the trainings with other seeds."""
    return bool(Steering.of_run(run).consensus)


@register.filter
def engine_label(run: Run) -> str:
    """What its engine is called."""
    return engines.get(run.engine).ABOUT.label


class NavigationLink(NamedTuple):
    url: str
    name: str
    key: str
    current: str  # of aria-current
    menu: str


@register.simple_tag(takes_context=True)
def rooms(context) -> list[NavigationLink]:
    """Links of `run` to each page that webapp.urls declares with a tab of its own, as far as the
    reader may open it."""
    return [link for link in _links(context) if not link.menu]


@register.simple_tag(takes_context=True)
def menus(context) -> list[tuple[str, list[NavigationLink]]]:
    """The name of each menu of `run`, in the order of webapp.urls, and its links."""
    links_of_menu: dict[str, list[NavigationLink]] = {}
    for link in _links(context):
        if link.menu:
            links_of_menu.setdefault(link.menu, []).append(link)
    return list(links_of_menu.items())


def _links(context) -> list[NavigationLink]:
    """Where two have a tab of one name, the first that the reader may open has it."""
    request = context["request"]
    go = context["go"]
    hidden = _hidden_words(context)
    this_route = routes.declared_for(request.resolver_match)
    role = request_context(request).role
    links: dict[str, NavigationLink] = {}
    for route in routes.declared():
        tab = route.tab
        if tab and tab.name not in links and role >= route.access.read:
            links[tab.name] = _link(route, tab, this_route, request.path, go, hidden)
    if TIME in links:
        links[TIME] = links[TIME]._replace(name=time_room(context))
    return list(links.values())


@register.simple_tag(takes_context=True)
def time_room(context) -> str:
    """What the room of time is called: that of groups where no document has a date."""
    is_dated = document_days.first_and_last_day(context["run"].version_id) is not None
    return TIME if is_dated else GROUPS


def _hidden_words(context) -> HiddenWords | None:
    """Those of the run's view, which a page has by itself or by its set of documents."""
    view = context.get("view")
    selection = context.get("selection")
    if view is None and selection is not None:
        view = selection.view
    return view.hidden_words if view else None


def _link(
    route: routes.Route,
    tab: routes.Tab,
    this_route: routes.Route | None,
    path: str,
    go: RunLinks,
    hidden: HiddenWords | None,
) -> NavigationLink:
    """The tab is current on its page and on those below it."""
    url = reverse(route.name, args=[go.run])
    is_below = path.startswith(url)
    if this_route is not None and this_route.under == route.name:
        is_below = True
    current = ""
    if path == url:
        current = "page"
    elif is_below:
        current = "true"
    drop = ""
    if hidden and route.name == "run_topics":
        drop = hidden.drop  # words that are hidden stay so
    return NavigationLink(
        url=go(route.name, drop=drop), name=tab.name, key=tab.key, current=current, menu=tab.menu
    )


@register.simple_tag(takes_context=True)
def tour(context, label: str = "Take the tour"):
    """A button that begins the tour, on the pages of a finished run of the example; tour.js shows
    it."""
    run = context.get("run")
    if not isinstance(run, Run) or run.status != Run.Status.DONE or run.corpus.name != EXAMPLE_NAME:
        return ""
    return format_html(
        '<button class="quiet off-paper" type="button" data-tour hidden>{}</button>', label
    )
