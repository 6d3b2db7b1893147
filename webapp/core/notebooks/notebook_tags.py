"""What the Pin button needs: the notebooks to choose from, and a chart's table as a hidden
field."""

import orjson
from django import template

from webapp.platform.accounts import authorization
from webapp.platform.request_context import request_context

register = template.Library()


@register.simple_tag(takes_context=True)
def recent_notebooks(context):
    """The last used notebooks; asked for once a page, however many Pin buttons it has."""
    context_of_request = request_context(context["request"])
    if context_of_request.recent_notebooks is None:
        context_of_request.recent_notebooks = authorization.notebooks(context["request"]).recent()
    return context_of_request.recent_notebooks


@register.filter
def as_json(table):
    """{"columns": […], "rows": [[…]]} as the text of a hidden field."""
    return orjson.dumps(table, option=orjson.OPT_SERIALIZE_NUMPY).decode()
