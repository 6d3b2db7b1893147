"""{% selection_form selection as form %}: what templates/run/_selection.html shows of the documents of a page."""

from django import template

from webapp.documents import facets

register = template.Library()


@register.simple_tag(takes_context=True)
def selection_form(context, selection):
    return facets.form(selection, context["request"].GET)
