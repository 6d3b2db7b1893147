"""What the Pin button needs: the notebooks to choose from, and a chart's table as a hidden
field."""

from django import template

from webapp.platform.accounts import authorization
from webapp.platform.drawing.tables import KeptTable, json_text

register = template.Library()


@register.simple_tag(takes_context=True)
def recent_notebooks(context):
    """The notebooks that a Pin button offers."""
    return authorization.recent_notebooks(context["request"])


@register.filter
def as_json(table: KeptTable) -> str:
    """As the text of a hidden field."""
    return json_text(table)
