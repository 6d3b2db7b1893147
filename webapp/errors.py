"""What a reader is told when a request can't be answered; the rest is in the log, under the id of the request."""

import structlog
from django.core.exceptions import BadRequest, PermissionDenied, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from inference.errors import Invalid
from inference.index import LONGEST

log = structlog.get_logger(__name__)


def wants_json(request: HttpRequest) -> bool:
    return request.path.endswith(".json") or request.headers.get("Accept", "").startswith("application/json")


class ErrorPages:
    """Middleware: an exception of a view becomes a page, or JSON, that says what to do."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, BadRequest):
            return self._answer(request, "400.html", 400, {"message": str(error)}, str(error))
        if isinstance(error, Invalid):
            return self._answer(request, "400.html", 400, {"message": error.message, "mend": _mend(request, error)}, error.message)
        if isinstance(error, (PermissionDenied, SuspiciousOperation, Http404)):
            return None
        return broken(request, error)

    @staticmethod
    def _answer(request, template: str, status: int, context: dict, sentence: str) -> HttpResponse:
        if wants_json(request):
            return JsonResponse({"error": sentence}, status=status)
        return render(request, template, context, status=status)


def broken(request: HttpRequest, error: Exception | None = None) -> HttpResponse:
    """Also Django's handler500, for what breaks outside of a view: the error is in the log then."""
    if error is not None:
        log.error("broken", exc_info=error)
    return ErrorPages._answer(request, "500.html", 500, {}, said(request))


def said(request: HttpRequest) -> str:
    return f"Something broke on our side. Request {request.id} stands in the log."


def _mend(request: HttpRequest, error: Invalid) -> dict | None:
    """A search that was not understood, for the form in which it is mended: q, and what else the address says."""
    if error.field != "q" or request.method != "GET":
        return None
    others = [(name, value) for name, values in request.GET.lists() for value in values if name != "q" and value]
    return {"q": request.GET.get("q", "")[:LONGEST], "others": others}
