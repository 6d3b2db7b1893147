"""Error pages: what a reader is told when a request can't be answered; the log has the rest, under
the request's id."""

import sys
from http import HTTPStatus

import redis
import structlog
from asgiref.sync import async_to_sync, iscoroutinefunction
from django.core.exceptions import (
    BadRequest,
    ObjectDoesNotExist,
    PermissionDenied,
    SuspiciousOperation,
)
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string

from inference.errors import Invalid
from inference.index import LONGEST_QUERY
from webapp.models import Corpus, Notebook, Run
from webapp.platform.request_context import request_context
from webapp.platform.storage import disk
from webapp.platform.storage.copies import Damaged, Fetching
from webapp.platform.storage.s3 import StoreAway

log = structlog.get_logger(__name__)

# SQLSTATEs: a row that is not there any more was named, or one that is there already made; two
# transactions waited for each other.
CONFLICTS = ("23503", "23505", "40001", "40P01")
# SQLSTATEs: a statement or its wait for a lock took too long (settings.DATABASES)
TIMEOUTS = (
    "57014",
    "55P03",
)
API = "/api/v1/"
RETRY_SECONDS = 5  # after which a client may ask again: the embedded Postgres is back by then
DATABASE_AWAY = (
    "The database does not answer at the moment. Nothing is lost: what was stored stays stored,"
    " work that was going on continues when the database is back, and so does this page. Try again"
    " in a few seconds."
)
DATABASE_SLOW = (
    "This took the database too long, so it was stopped: the server is busy, or there is a great"
    " deal to count. Nothing is lost. Try again in a minute, or ask for less at once."
)
REDIS_AWAY = (
    "This page needs a part of this server (Redis) that does not answer at the moment. Nothing is"
    " lost. Try again in a few seconds."
)
STORE_AWAY = (
    "The store of this server’s files does not answer at the moment, and this page needs a file"
    " from it that is not on this machine. Nothing is lost. Try again in a few seconds."
)
STORE_DAMAGED = (
    "A file that this page needs is missing from the store of this server’s files, or is not what"
    " was stored there. Ask whoever runs this server to look into it: `manage.py store` says which."
)
FETCHING = (
    "A file that this page needs is on its way from the store of this server’s files to this"
    " machine."
)
OVERTAKEN = (
    "Meanwhile somebody changed or deleted what this form is about, or sent the same form, so it"
    " could not be carried out. Go back, look at what is there now, and send the form again if it"
    " is still needed."
)
DISK_FULL = (
    "The server’s disk is full, so nothing can be stored now. What was stored stays stored. Make"
    " room, or ask whoever runs this server to."
)


def wants_json(request: HttpRequest) -> bool:
    return (
        request.path.endswith(".json")
        or request.path.startswith(API)
        or request.headers.get("Accept", "").startswith("application/json")
    )


class ErrorPages:
    """Middleware: an exception of a view becomes a page, or JSON, that says what to do."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED and not answer.content:
            return self._method_refused(request, answer.headers["Allow"])
        return answer

    def _method_refused(self, request: HttpRequest, allowed: str) -> HttpResponse:
        """allowed: methods, as the header Allow has them."""
        sentence = f"This address does not answer {request.method}; it expects {allowed}."
        message = sentence
        if request.method in ("GET", "HEAD"):
            message = (
                "This address takes what a form sends, so there is nothing to show. Nothing was"
                " changed. Go back to the page that you came from."
            )
        answer = self._answer(
            request, "405.html", HTTPStatus.METHOD_NOT_ALLOWED, {"message": message}, sentence
        )
        answer.headers["Allow"] = allowed
        return answer

    def process_view(self, request: HttpRequest, view, args, kwargs) -> HttpResponse | None:
        """Postgres takes no NUL, which may come with a text that was pasted: it is taken out; no
        path of ours has one. The API refuses it, as what programs send is not pasted, and so do
        forms with a schema (webapp.platform.received)."""
        if "\0" in request.path:
            sentence = "The address contains a character that no text has (NUL). Remove it."
            return self._answer(request, "400.html", 400, {"message": sentence}, sentence)
        has_schema = getattr(getattr(view, "route", None), "schema", False)
        if not request.path.startswith(API):
            request.GET = _without_nul(request.GET)  # type: ignore[assignment]
            if not has_schema:
                request.POST = _without_nul(request.POST)  # type: ignore[assignment]
        return None

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, BadRequest):
            return self._answer(request, "400.html", 400, {"message": str(error)}, str(error))
        if isinstance(error, Invalid):
            return self._answer(
                request,
                "400.html",
                400,
                {"message": error.message, "mend": _search_form(request, error)},
                error.message,
            )
        if isinstance(error, (PermissionDenied, SuspiciousOperation, Http404)):
            return None
        return (
            unavailable(request, error) or self._overtaken(request, error) or broken(request, error)
        )

    def _overtaken(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The answer where another request, or a worker, took away meanwhile what this one was
        reading; None where it was not that."""
        if is_gone(request):
            sentence = "What this address led to was deleted a moment ago."
            return self._answer(request, "404.html", 404, {"sign_in": ""}, sentence)
        try:
            second_answer = ask_again(request, error)
        except Exception as second:
            if (answer := self.process_exception(request, second)) is None:
                raise
            return answer
        if second_answer is None and (explanation := overtaken(request, error)):
            return self._answer(request, "409.html", 409, {"message": explanation}, explanation)
        return second_answer

    @staticmethod
    def _answer(request, template: str, status: int, context: dict, sentence: str) -> HttpResponse:
        if wants_json(request):
            return JsonResponse({"error": sentence}, status=status)
        return render(request, template, context, status=status)


def _without_nul(query: QueryDict) -> QueryDict:
    if not any("\0" in text for name, texts in query.lists() for text in (name, *texts)):
        return query
    cleaned = QueryDict(mutable=True)
    for name, texts in query.lists():
        cleaned.setlist(name.replace("\0", ""), [text.replace("\0", "") for text in texts])
    return cleaned


def missing(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's handler404."""
    return ErrorPages._answer(
        request,
        "404.html",
        404,
        {},
        "There is nothing at this address, or nothing that you may see.",
    )


def overtaken(request: HttpRequest, error: Exception) -> str:
    """What to say of a form whose rows another request deleted, changed or made meanwhile; "" where
    it was not that."""
    state = getattr(error.__cause__, "sqlstate", None) if isinstance(error, DatabaseError) else None
    if request.method in ("GET", "HEAD") or not (
        isinstance(error, ObjectDoesNotExist) or state in CONFLICTS
    ):
        return ""
    log.warning("overtaken", exc_info=error)
    return OVERTAKEN


def ask_again(request: HttpRequest, error: Exception) -> HttpResponse | None:
    """The view's second answer to a request that can be answered twice, as what it read may have
    been replaced while it did: a sample of a draft, a run that stores other topics. None for the
    second error, and for other forms."""
    context = request_context(request)
    match = request.resolver_match
    if context.asked_again or match is None:
        return None
    route = getattr(match.func, "route", None)
    if request.method not in ("GET", "HEAD") and not (route is not None and route.repeatable):
        return None
    context.asked_again = True
    log.warning("asked again", exc_info=error)
    # Those of files and streams are coroutines; Django calls a handler of exceptions in a thread
    view = async_to_sync(match.func) if iscoroutinefunction(match.func) else match.func
    return view(request, *match.args, **match.kwargs)


def is_gone(request: HttpRequest) -> bool:
    """Whether a corpus, run or notebook that the address names is not there any more for who
    asks."""
    if (match := request.resolver_match) is None:
        return False
    route = getattr(match.func, "route", None)
    deleted_too = route is not None and route.access.deleted
    models = (
        ("corpus_id", Corpus),
        ("run_id", Run),
        ("other", Run),
        ("notebook_id", Notebook),
    )
    for name, model in models:
        if name not in match.kwargs:
            continue
        manager = model._base_manager if deleted_too else model.objects
        if not manager.filter(pk=match.kwargs[name]).exists():
            return True
    return False


def broken(request: HttpRequest, error: Exception | None = None) -> HttpResponse:
    """Also Django's handler500, for what breaks outside of a view: the error is in the log then."""
    answer = unavailable(request, error or sys.exc_info()[1])
    if answer is not None:
        return answer
    if error is not None:
        log.error("broken", exc_info=error)
    return ErrorPages._answer(request, "500.html", 500, {}, broken_sentence(request))


def broken_sentence(request: HttpRequest) -> str:
    return (
        f"Something went wrong on our side. Request {request_context(request).id} is in the"
        " server’s log."
    )


def unavailable(
    request: HttpRequest, error: BaseException | None, json: bool = False
) -> HttpResponse | None:
    """503, and when to ask again, for an exception that says that a server is away or slow, or a
    disk full."""
    slow = (
        isinstance(error, OperationalError)
        and getattr(error.__cause__, "sqlstate", None) in TIMEOUTS
    )
    causes = (  # the first that holds
        (disk.is_full(error), DISK_FULL),
        (is_away(error), DATABASE_AWAY),
        (isinstance(error, redis.RedisError), REDIS_AWAY),
        (isinstance(error, Fetching), f"{FETCHING} {error}"),
        (isinstance(error, Damaged), STORE_DAMAGED),
        (isinstance(error, StoreAway), STORE_AWAY),
        (slow, DATABASE_SLOW),
    )
    sentence = next((sentence for holds, sentence in causes if holds), None)
    if sentence is None:
        return None
    log.warning("not available", exc_info=error)
    response: HttpResponse
    if json or wants_json(request):
        response = JsonResponse({"error": sentence}, status=503)
    else:
        retry_seconds = (
            RETRY_SECONDS if request.method == "GET" and sentence is not DATABASE_SLOW else None
        )
        context = {
            "sentence": sentence,
            "path": request.get_full_path(),
            "again": retry_seconds,
            "request": request,
        }
        response = HttpResponse(render_to_string("503.html", context), status=503)
    response["Retry-After"] = str(RETRY_SECONDS)
    response["Cache-Control"] = "no-store"
    return response


def is_away(error: BaseException | None) -> bool:
    """Whether Postgres can't be reached, is starting, stopping or recovering, or takes no more
    connections.

    An error without an SQLSTATE was not the server's, but that it could not be asked (Appendix A of
    PostgreSQL's manual).
    """
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state[:2] in ("08", "53") or state[:3] == "57P"


def _search_form(
    request: HttpRequest, error: Invalid
) -> dict[str, str | list[tuple[str, str]]] | None:
    """In which a search that was not understood is corrected. others: the other parameters of the
    address."""
    if error.field != "q" or request.method != "GET":
        return None
    other_fields = []
    for name, values in request.GET.lists():
        if name != "q":
            other_fields += [(name, value) for value in values if value]
    return {"q": request.GET.get("q", "")[:LONGEST_QUERY], "others": other_fields}
