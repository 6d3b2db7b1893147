"""The page that describes the API."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from webapp.platform.pages.page import json_answer
from webapp.platform.pages.typed import HtmlPageResponse, typed
from webapp.service.api import api, page_paths


@require_safe
def pages(request: HttpRequest) -> HttpResponse:
    """The OpenAPI description of the JSON of pages."""
    return json_answer(request, page_paths.schema(), 200)


@dataclass(frozen=True)
class Operation:
    """What the API does at an address. parameters: of the query string, (name, description). token:
    whether it needs one."""

    path: str
    method: str
    summary: str
    token: bool
    parameters: list[tuple[str, str]]


@dataclass(frozen=True)
class ReferencePage:
    """The whole API, by its schema."""

    operations: list[Operation]
    version: str


@typed("account/api.html")
def reference() -> HtmlPageResponse[ReferencePage]:
    """Every address of the API, from its schema, as a plain page."""
    schema = api.get_openapi_schema()
    operations = [
        Operation(
            path,
            method.upper(),
            operation["summary"],
            method != "get",
            [
                (p["name"], p.get("description", ""))
                for p in operation.get("parameters", [])
                if p["in"] == "query"
            ],
        )
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    ]
    return HtmlPageResponse(ReferencePage(operations, schema["info"]["version"]))
