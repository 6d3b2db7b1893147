"""The .json addresses of pages in the API's OpenAPI: parameters from the signatures of views, answers from their types."""

from typing import Any

from pydantic import TypeAdapter

from webapp import routes

REF = "#/components/schemas/{model}"


def described() -> tuple[dict[str, Any], dict[str, Any]]:
    """(paths, schemas) of the pages whose view says its type."""
    typed = [(route, view) for route, view in routes.views() if hasattr(view, "shape")]
    keys = [(route.name, "serialization", TypeAdapter(view.shape)) for route, view in typed]
    schemas, shared = TypeAdapter.json_schemas(keys, ref_template=REF)
    paths = {}
    for route, view in typed:
        answer = schemas[route.name, "serialization"]
        paths[f"/{routes.readable(route)}.json"] = {"get": {
            "operationId": f"{route.name}_json",
            "summary": (view.__doc__ or route.name).strip().split("\n")[0],
            "parameters": [_of_query(p) for p in view.parameters.values()] + [_of_path(name) for name in routes.arguments(route)],
            "responses": {"200": {"description": "The page", "content": {"application/json": {"schema": answer}}}},
        }}  # fmt: skip
    return paths, shared.get("$defs", {})


def _of_query(parameter: Any) -> dict[str, Any]:
    return {"in": "query", "name": parameter.name, "schema": TypeAdapter(parameter.type).json_schema()}


def _of_path(name: str) -> dict[str, Any]:
    return {"in": "path", "name": name, "required": True, "schema": {"type": "integer"}}
