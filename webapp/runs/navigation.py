"""The rooms of a run: one link each, and which of them the reader is in; and the tour through those of the example."""

from django import template
from django.urls import reverse
from django.utils.html import format_html

from webapp.ingest.corpora import EXAMPLE_NAME
from webapp.models import Run

register = template.Library()

ALSO = {"run_documents": ["run_whole"]}  # addresses that are in a room, and not below its own


@register.simple_tag(takes_context=True)
def room(context, url_name: str, name: str, key: str = ""):
    """A link to a page of `run`. It is current on that page and on those below it; the run's own page has all below it."""
    url = reverse(url_name, kwargs={"run_id": context["run"].pk})
    path = context["request"].path
    below = url_name != "run" and path.startswith(
        (url, *(reverse(name, args=[context["run"].pk, 0]).removesuffix("0/") for name in ALSO.get(url_name, ())))
    )
    current = format_html(' aria-current="{}"', "page" if path == url else "true") if path == url or below else ""
    shortcut = format_html(' data-key="{}"', key) if key else ""
    if url_name == "run_topics" and "hidden_words" in context:
        url += context["hidden_words"].query  # words left out of view stay so
    return format_html('<a href="{}" data-name="{}"{}{}>{}</a>', url, name, current, shortcut, name)


@register.simple_tag(takes_context=True)
def tour(context):
    """A button that begins the tour, on every page of a finished run of the example; by tour.js it offers itself on two."""
    run = context.get("run")
    if not isinstance(run, Run) or run.status != Run.Status.DONE or run.corpus.name != EXAMPLE_NAME:
        return ""
    offered = context["request"].path in (reverse(name, args=[run.pk]) for name in ("run", "run_topics"))
    return format_html(
        '<button class="quiet" type="button" data-tour="{}" hidden>Take the tour</button>', "offer" if offered else ""
    )
