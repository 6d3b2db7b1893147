"""The API's one object: its parts, and its errors, each a sentence."""

import json
from functools import cache
from http import HTTPStatus
from typing import Any

import structlog
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import (
    AuthenticationError,
    HttpError,
    Throttled,
    ValidationError,
    ValidationErrorContext,
)
from ninja.openapi.schema import OpenAPISchema
from ninja.parser import Parser
from ninja.renderers import BaseRenderer

from inference.errors import Invalid
from inference.runtime.versions import topograph
from webapp.platform import received
from webapp.platform.accounts.admission import UNKNOWN
from webapp.platform.pages import errors
from webapp.platform.pages.not_yet import NotYet
from webapp.platform.pages.page import as_bytes
from webapp.service.api import corpora, engines, runs
from webapp.service.api.access import RATE, OptionalToken
from webapp.service.api.checks import with_checks


class Renderer(BaseRenderer):
    """Writes JSON as pages do."""

    media_type = "application/json"

    def render(self, request: HttpRequest, data: object, *, response_status: int) -> bytes:
        return as_bytes(data)


log = structlog.get_logger(__name__)


class StrictParser(Parser):
    """JSON whose numbers the schema of what comes in judges: as forms and commands are judged."""

    def parse_body(self, request: HttpRequest) -> Any:
        return json.loads(request.body, parse_constant=received.constant, parse_int=received.number)


class Api(NinjaAPI):
    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict | None = None
    ) -> OpenAPISchema:
        """Made once for each prefix, as that takes a quarter of a second of the processor: to be
        read only."""
        return self._schema(path_prefix or self.get_root_path(path_params or {}))

    def validation_error_from_error_contexts(
        self, error_contexts: list[ValidationErrorContext]
    ) -> ValidationError:
        """With what was sent, which ninja leaves out: the sentence says what came."""
        refused = super().validation_error_from_error_contexts(error_contexts)
        values = []
        for context in error_contexts:
            values += [error["input"] for error in context.pydantic_validation_error.errors()]
        for error, value in zip(refused.errors, values, strict=True):
            error["input"] = value
        return refused

    # There is one object, for as long as the program runs
    @cache  # noqa: B019
    def _schema(self, path_prefix: str) -> OpenAPISchema:
        """What is public may be read without a token: the schema says so."""
        schema = super().get_openapi_schema(path_prefix=path_prefix)
        for operation in (
            declared for path in schema["paths"].values() for declared in path.values()
        ):
            if {OptionalToken.__name__: []} in operation.get("security", ()):
                operation["security"].append({})
        return schema


api = Api(
    title="Topograph",
    version=topograph(),
    description=(
        "The topics of a text collection, and what they were found in. Topics and documents are"
        " numbered from 0."
    ),
    docs_url=None,  # ninja's own page comes from elsewhere; docs/api.md and /api/ are ours
    urls_namespace="api",
    auth=OptionalToken(),
    throttle=[RATE],
    renderer=Renderer(),
    parser=StrictParser(),
)
for router in (corpora.router, runs.router, engines.router):
    router.add_decorator(with_checks, mode="view")
api.add_router("/corpora", corpora.router, tags=["corpora"])
api.add_router("/runs", runs.router, tags=["runs"])
api.add_router("/engines", engines.router, tags=["engines"])


def _error(request: HttpRequest, sentence: str, status: int, **further) -> HttpResponse:
    response = api.create_response(request, {"error": sentence} | further, status=status)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(NotYet)
def waiting(request, error):
    return api.create_response(request, error.page, status=HTTPStatus.ACCEPTED)


@api.exception_handler(Http404)
def missing(request, error):
    return _error(request, str(error) or "There is nothing at this address.", 404)


@api.exception_handler(Invalid)
def invalid(request, error):
    return _error(request, error.message, 400, field=error.field)


@api.exception_handler(BadRequest)
def bad(request, error):
    return _error(request, str(error), 400)


@api.exception_handler(ValidationError)
def unreadable(request, error):
    return invalid(request, received.refusal(error.errors[0]))


@api.exception_handler(AuthenticationError)
def unknown(request, error):
    return _error(request, UNKNOWN, 401)


@api.exception_handler(Throttled)
def fast(request, error):
    response = _error(request, f"Too many requests: at most {RATE.rate} each. Wait a little.", 429)
    if error.wait:
        response["Retry-After"] = str(max(1, round(error.wait)))
    return response


@api.exception_handler(HttpError)
def refused(request, error):
    return _error(request, f"{str(error).rstrip('.')}.", error.status_code)


@api.exception_handler(Exception)
def broken(request, error):
    if (answer := errors.unavailable(request, error, json=True)) is not None:
        return answer
    if errors.is_gone(request):
        return missing(request, Http404())
    if (answer := errors.ask_again(request, error)) is not None:
        return answer
    if sentence := errors.overtaken(request, error):
        return _error(request, sentence, 409)
    log.error("broken", exc_info=error)
    return _error(request, errors.broken_sentence(request), 500)
