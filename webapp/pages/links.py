"""Links that change a part of the page's own address, and forms that keep the rest of it."""

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from webapp.pages.page import address

register = template.Library()


@register.simple_tag(takes_context=True)
def here(context, **changes) -> str:
    """{% here sort="share" after="" %}: this page with other parameters; an empty one is left out."""
    return address(context["request"], **changes)


@register.simple_tag(takes_context=True)
def kept(context, *names: str) -> SafeString:
    """Hidden fields for all parameters of the address but those named: a GET form keeps what it does not ask for."""
    found = [(k, v) for k, values in context["request"].GET.lists() for v in values if k not in names and v]
    return format_html_join("", '<input type="hidden" name="{}" value="{}">', found)
