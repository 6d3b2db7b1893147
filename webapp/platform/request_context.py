"""What Topograph adds to a request, in one place: `request_context(request)`, and `request.context`
in templates."""

import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest

from webapp.models import ApiToken, Notebook


@dataclass
class RequestContext:
    """Set on the way to the view; a field that nothing has set yet has its default."""

    id: str = ""  # in the log, on error pages and in X-Request-ID (server.request_log)
    began: float = field(default_factory=time.perf_counter)  # by time.perf_counter
    admission: Any = None  # the places that it holds (server.concurrency)
    # The request's work in a thread (server.concurrency)
    work: Future = field(default_factory=Future)
    # The client has gone: long work may end
    abandoned: threading.Event = field(default_factory=threading.Event)
    asked_again: bool = False  # its view failed, and was called a second time (pages.errors)
    role: int = 0  # what the reader is to the corpus of the address: accounts.roles.Role
    # Whether the run of the address is the reader's, who is no editor of the corpus
    own_run: bool = False
    api_token: ApiToken | None = None  # with which a program came (accounts.admission)
    # Stands for the CSRF token in a page that is cached (core.results.page_cache)
    csrf_placeholder: str = ""
    readings: Any = None  # what texts it shows (accounts.readings.Log)
    # None: not asked for yet (accounts.authorization.recent_notebooks)
    recent_notebooks: list[Notebook] | None = None


def request_context(request: HttpRequest) -> RequestContext:
    """The context of a request, made at the first call."""
    context = getattr(request, "context", None)
    if context is None:
        context = RequestContext()
        request.context = context  # type: ignore[attr-defined]  # Django's class declares no such field
    return context
