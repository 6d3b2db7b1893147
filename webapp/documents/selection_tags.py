"""{% the_set selection as set %}: the documents that a page shows, for templates/run/_selection.html. {% dropped run %}: words left out of view."""

from django import template

from webapp.documents import facets
from webapp.results import hidden_words

register = template.Library()


@register.simple_tag(takes_context=True)
def the_set(context, selection):
    return facets.form(selection, context["request"].GET)


@register.simple_tag
def dropped(run) -> str:
    """What the address of a run's topics ends in, so that it drops the same words."""
    return hidden_words.address(run)
