"""Each request gets an id (the header X-Request-ID, and on error pages), one line in the log, and
its place in the metrics.

The line holds the name of the route and numbers, never the address itself, which may hold words,
searches and the secrets of shared links.
"""

import logging
import secrets
import time
from typing import Any

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django_structlog.middlewares import RequestMiddleware

from webapp.platform import logs
from webapp.platform.request_context import request_context
from webapp.platform.server import metrics

log = structlog.get_logger(__name__)

HEADER = "X-Request-ID"
# Requested under whatever name the machine or container has
PROBES = (
    "/healthz",
    "/readyz",
    "/metrics",
)
# Of a view -> key of the line
LOGGED_ARGUMENTS = {
    "corpus_id": "corpus",
    "run_id": "run",
    "notebook_id": "notebook",
}


class RequestLog(RequestMiddleware):
    """django-structlog's middleware, with an id that is checked, a line that says nothing of what
    was asked, and no thread of its own."""

    async def __acall__(self, request: HttpRequest) -> HttpResponse:
        self.prepare(request)
        answer: Any = self.get_response(request)
        response: HttpResponse = await answer
        self.handle_response(request, response)
        return response

    def prepare(self, request: HttpRequest) -> None:
        structlog.contextvars.clear_contextvars()
        context = request_context(request)
        id_of_client = request.headers.get(HEADER, "")
        context.id = (
            id_of_client if logs.REQUEST_ID.fullmatch(id_of_client) else secrets.token_hex(8)
        )
        structlog.contextvars.bind_contextvars(request_id=context.id)
        if request.path in PROBES:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0].strip(".*") or "localhost"

    def handle_response(self, request: HttpRequest, response: HttpResponse) -> None:
        context = request_context(request)
        response[HEADER] = context.id
        seconds = time.perf_counter() - context.began
        route = route_name(request, response)
        metrics.observe(route, request.method or "", response.status_code, seconds)
        if route in metrics.QUIET and response.status_code < 500:
            return
        level = logging.ERROR if response.status_code >= 500 else logging.INFO
        log.log(
            level,
            "request",
            route=route,
            method=request.method,
            status=response.status_code,
            ms=round(1000 * seconds, 1),
            **_numbers(request),
        )

    @staticmethod
    def format_request(request: HttpRequest) -> str:
        return ""  # for a line that the library writes: the address must not be in it

    @staticmethod
    def bind_user_id(request: HttpRequest) -> None:
        """Nothing: at the beginning of a request the user is not known yet; `_numbers` adds the
        user at its end."""


def route_name(request: HttpRequest, response: HttpResponse | None = None) -> str:
    """The route's name in webapp.urls or in the API: one of few, whatever is requested."""
    if (match := request.resolver_match) is not None:
        return match.view_name or "unnamed"
    static = response is not None and request.path.startswith(f"/{settings.STATIC_URL.strip('/')}/")
    return "static" if static else "none"


def _numbers(request: HttpRequest) -> dict[str, int]:
    """The corpus, run, notebook and user of a request, as far as they are known."""
    arguments = request.resolver_match.kwargs if request.resolver_match is not None else {}
    numbers = {}
    for name, key in LOGGED_ARGUMENTS.items():
        value = arguments.get(name)
        if isinstance(value, int):
            numbers[key] = value
    # Only where the user was looked up anyway: no query for a line
    user = getattr(request, "_cached_user", None)
    if user is not None and user.pk is not None:
        numbers["user"] = user.pk
    return numbers
