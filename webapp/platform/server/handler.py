"""Django's ASGI handler, with fewer handovers between the event loop and a request's thread.

Behind the concurrency limiter everything is synchronous: middleware, views, templates. Django's
handler would leave the thread for each view, and for each hook of a middleware that runs before it,
and return to it: ten handovers, and in each the loop or the thread waits for Python's lock. Here a
request enters its thread behind the limiter and leaves it with the response. A view that is a
coroutine still runs on the loop.
"""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from csp.middleware import CSPMiddleware
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest, HttpResponse

from webapp.platform.server.bodies import bound_bodies, defer_bodies
from webapp.platform.server.loopback_only import loopback_only


class OneThreadHandler(ASGIHandler):
    """Runs the synchronous middleware and the view of a request in one go in one thread."""

    def load_middleware(self, is_async: bool = True) -> None:
        # Synchronous from the view outwards up to the concurrency limiter, which is asynchronous.
        BaseHandler.load_middleware(self, is_async=False)
        # Django wraps the whole chain as synchronous in the end
        chain: Any = vars(self)["_middleware_chain"]
        self._middleware_chain = chain.awaitable


def whole_application() -> Callable[[dict, Callable, Callable], Awaitable[None]]:
    """What uvicorn asks: the handler behind the bounds on where requests come from and what they
    send."""
    return loopback_only(defer_bodies(bound_bodies(OneThreadHandler()), "/uploads/"))


class ContentSecurityPolicy(CSPMiddleware):
    """django-csp's middleware on the event loop: it only sets a header, and a thread would cost
    more than that."""

    async def __acall__(self, request: HttpRequest) -> HttpResponse:
        self.process_request(request)
        answer: Any = self.get_response(request)
        response = self.process_response(request, await answer)
        return cast("HttpResponse", response)
