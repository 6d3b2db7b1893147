"""The navigation of a run, its tabs and which of them is current; and the tour through the pages of the example."""

from django import template
from django.urls import reverse
from django.utils.html import format_html

from inference import engines
from webapp import routes
from webapp.ingest.corpora import EXAMPLE_NAME
from webapp.models import Run
from webapp.request_context import request_context
from webapp.results.hidden_words import HiddenWords
from webapp.routes import Route
from webapp.runs import services

register = template.Library()


@register.filter
def can_be_gone_on_from(run: Run) -> bool:
    """Whether another run can begin with this one's topics."""
    return services.can_be_gone_on_from(run)


@register.filter
def engine_label(run: Run) -> str:
    """What its engine is called."""
    return engines.get(run.engine).LABEL


@register.simple_tag(takes_context=True)
def tabs(context) -> list[dict]:
    """Of `run`: a link to each page that webapp.urls declares with a tab, as far as the reader may open it.

    Where two have a tab of one name, the first that the reader may open has it.
    """
    request, run = context["request"], context["run"]
    shown, here = {}, routes.of(request.resolver_match)
    for route in routes.declared():
        if route.tab and route.tab.name not in shown and request_context(request).role >= route.access.read:
            shown[route.tab.name] = _link(route, here, request.path, run, context.get("hidden_words"))
    return list(shown.values())


def _link(route: Route, here: Route, path: str, run: Run, hidden: HiddenWords | None) -> dict:
    """The tab is current on its page and on those below it; the run's own page has all below it."""
    url = reverse(route.name, args=[run.pk])
    below = route.name != "run" and (path.startswith(url) or here.under == route.name)
    current = "page" if path == url else "true" if below else ""
    if route.name == "run_topics" and hidden:
        url += hidden.query  # words left out of view stay so
    return {"url": url, "name": route.tab.name, "key": route.tab.key, "current": current}


@register.simple_tag(takes_context=True)
def tour(context):
    """A button that begins the tour, on every page of a finished run of the example; by tour.js it offers itself on
    two."""
    run = context.get("run")
    if not isinstance(run, Run) or run.status != Run.Status.DONE or run.corpus.name != EXAMPLE_NAME:
        return ""
    offered = context["request"].path in (reverse(name, args=[run.pk]) for name in ("run", "run_topics"))
    return format_html(
        '<button class="quiet" type="button" data-tour="{}" hidden>Take the tour</button>', "offer" if offered else ""
    )
