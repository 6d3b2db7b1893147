"""Template tags for links and forms that change a part of the page's query string and keep the
rest."""

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from webapp.platform.pages.page import address

register = template.Library()


@register.simple_tag(takes_context=True)
def here(context, **changes) -> str:
    """{% here sort="share" after="" %}: this page with other parameters; an empty one is left
    out."""
    return address(context["request"], **changes)


@register.simple_tag(takes_context=True)
def kept(context, *names: str) -> SafeString:
    """Hidden fields for all parameters of the address but those named: a GET form keeps what it
    does not ask for."""
    query = context["request"].GET.lists()
    parameters: list[tuple[str, str]] = []
    for name, values in query:
        if name not in names:
            parameters += [(name, value) for value in values if value]
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', parameters)


@register.simple_tag(takes_context=True)
def go(context, name: str, *arguments, **query) -> str:
    """{% go "run_topics" %}: another page of this run, with the set that is chosen."""
    address_of = context["go"]
    return address_of(name, *arguments, **query)
