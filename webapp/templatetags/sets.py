"""{% the_set selection as set %}: the documents that a page shows, for templates/run/_selection.html."""

from django import template

from webapp.queries import facets

register = template.Library()


@register.simple_tag(takes_context=True)
def the_set(context, selection):
    return facets.form(selection, context["request"].GET)
