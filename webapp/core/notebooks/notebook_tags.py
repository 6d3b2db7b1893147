"""What the Pin button needs: the notebooks to choose from, and a chart's table as a hidden
field."""

import orjson
from django import template

from webapp.platform.accounts import authorization

register = template.Library()


@register.simple_tag(takes_context=True)
def recent_notebooks(context):
    """The notebooks that a Pin button offers."""
    return authorization.recent_notebooks(context["request"])


@register.filter
def as_json(table):
    """{"columns": […], "rows": [[…]]} as the text of a hidden field."""
    return orjson.dumps(table, option=orjson.OPT_SERIALIZE_NUMPY).decode()
