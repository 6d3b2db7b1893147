"""What templates need beyond Django: how topics and numbers are written."""

from django import template

register = template.Library()


@register.filter
def topic_label(number: int) -> str:
    """7 -> T07: how a topic's number is shown everywhere."""
    return f"T{number:02d}"


@register.filter
def percent(share: float | None) -> str:
    """0.1234 -> 12.3%"""
    return "–" if share is None else f"{100 * share:.1f}%"
