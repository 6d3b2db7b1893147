"""The page that describes the API."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from webapp.api import api, page_paths
from webapp.pages.page import json_answer, page


@require_safe
def pages(request: HttpRequest) -> HttpResponse:
    """The OpenAPI description of the JSON of pages."""
    return json_answer(request, page_paths.schema(), 200)


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """Every address of the API, from its schema, as a plain page."""
    schema = api.get_openapi_schema()
    paths = [
        {"path": path, "method": method.upper(), "summary": operation["summary"], "token": method != "get",
         "parameters": [{"name": p["name"], "about": p.get("description", "")} for p in operation.get("parameters", []) if p["in"] == "query"]}
        for path, operations in schema["paths"].items() for method, operation in operations.items()
    ]  # fmt: skip
    return page(request, "account/api.html", {"paths": paths, "version": schema["info"]["version"]})
