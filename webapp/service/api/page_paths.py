"""The OpenAPI description of the .json addresses of pages: parameters from the signatures of views,
answers from their types."""

from functools import cache
from typing import Any

from pydantic import TypeAdapter

from inference.runtime.versions import topograph
from webapp.platform import routes
from webapp.platform.pages.typed import Parameter


@cache
def schema() -> dict[str, Any]:
    """The whole document. All types are described in one call, so that two of one name in two
    packages stay apart."""
    pages = [(route, view) for route, view in routes.views() if route.json is not None]
    inputs = [(route.name, "serialization", TypeAdapter(route.json)) for route, _ in pages]
    answers, shared = TypeAdapter.json_schemas(inputs, ref_template="#/components/schemas/{model}")  # type: ignore[arg-type]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Topograph: the JSON of pages", "version": topograph()},
        "paths": {
            f"/{routes.readable(route)}.json": {
                "get": _operation(route, view, answers[route.name, "serialization"])
            }
            for route, view in pages
        },
        "components": {"schemas": shared.get("$defs", {})},
    }


def _operation(route: routes.Route, view: Any, answer: dict[str, Any]) -> dict[str, Any]:
    declared: dict[str, Parameter] = getattr(view, "parameters", {})
    return {
        "operationId": f"{route.name}_json",
        "summary": (view.__doc__ or route.name).strip().partition("\n")[0],
        "parameters": [
            *(
                {"in": "path", "name": name, "required": True, "schema": {"type": kind}}
                for name, kind in routes.arguments(route).items()
            ),
            *(
                {
                    "in": "query",
                    "name": parameter.name,
                    "schema": TypeAdapter(parameter.type).json_schema(),
                }
                for parameter in declared.values()
            ),
        ],
        "responses": {
            "200": {"description": "The page", "content": {"application/json": {"schema": answer}}}
        },
    }
