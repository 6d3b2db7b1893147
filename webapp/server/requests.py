"""One line in the log for each request, under an id that the answer carries too (X-Request-ID, error pages), and its place in the metrics.

The line holds the name of the address and numbers in it, never the address itself: words, searches and the secrets of shared links stand there.
"""

import secrets
import time

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django_structlog.middlewares import RequestMiddleware

from webapp import logs
from webapp.server import metrics

log = structlog.get_logger(__name__)

HEADER = "X-Request-ID"
PROBES = ("/healthz", "/readyz", "/metrics")  # asked by whatever name the machine or container has
IN_ADDRESS = {
    "corpus_id": "corpus",
    "run_id": "run",
    "notebook_id": "notebook",
}  # argument of a view -> key of the line


class Requests(RequestMiddleware):
    """django-structlog's, with an id that is checked, a line that says nothing of what was asked, and no thread of its own."""

    async def __acall__(self, request: HttpRequest) -> HttpResponse:
        self.prepare(request)
        response = await self.get_response(request)
        self.handle_response(request, response)
        return response

    def prepare(self, request: HttpRequest) -> None:
        structlog.contextvars.clear_contextvars()
        request.began = time.perf_counter()
        request.id = (
            given if logs.REQUEST_ID.fullmatch(given := request.headers.get(HEADER, "")) else secrets.token_hex(8)
        )
        structlog.contextvars.bind_contextvars(request_id=request.id)
        if request.path in PROBES:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0].strip(".*") or "localhost"

    def handle_response(self, request: HttpRequest, response: HttpResponse) -> None:
        response[HEADER] = request.id
        took, route = time.perf_counter() - request.began, name(request, response)
        metrics.answered(route, request.method, response.status_code, took)
        if route not in metrics.QUIET or response.status_code >= 500:
            level = log.error if response.status_code >= 500 else log.info
            level(
                "request",
                route=route,
                method=request.method,
                status=response.status_code,
                ms=round(1000 * took, 1),
                **_about(request),
            )

    @staticmethod
    def format_request(request: HttpRequest) -> str:
        return ""  # of a line that the library writes: the address does not belong there

    @staticmethod
    def bind_user_id(request: HttpRequest) -> None:
        """Not at the beginning, where nobody knows yet who it is: `_about` does it."""


def name(request: HttpRequest, response: HttpResponse | None = None) -> str:
    """Of the address, in webapp.urls; of the API's addresses theirs; few, whatever is asked for."""
    match = request.resolver_match
    if match is not None:
        return match.view_name or "unnamed"
    if response is not None and request.path.startswith(f"/{settings.STATIC_URL.strip('/')}/"):
        return "static"
    return "none"


def _about(request: HttpRequest) -> dict:
    found = {}
    if request.resolver_match is not None:
        found = {
            key: value
            for argument, key in IN_ADDRESS.items()
            if isinstance(value := request.resolver_match.kwargs.get(argument), int)
        }
    user = getattr(request, "_cached_user", None)  # only where somebody asked who it is: no query for a line
    if user is not None and user.pk is not None:
        found["user"] = user.pk
    return found
