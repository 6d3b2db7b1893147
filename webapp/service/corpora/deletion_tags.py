"""{% kept_for %}: for how long what is deleted can be brought back, as a sentence."""

from django import template
from django.conf import settings

register = template.Library()


@register.simple_tag
def kept_for() -> str:
    if not settings.KEEP_DELETED:
        return "It cannot be restored."
    days = f"{settings.KEEP_DELETED:g} day{'' if settings.KEEP_DELETED == 1 else 's'}"
    return f"You can restore it for {days}; after that it is permanently deleted."
