"""Django's ASGI handler, with fewer ways between the loop and a request's thread.

Behind the gate all of ours is synchronous: middleware, views, templates. Django's handler would leave the thread again for each view and
each hook of a middleware that comes before one, and return to it: ten handovers, in each of which the loop or the thread waits for Python's
lock. Here a request enters its thread at the gate and leaves it with the answer. A view that is a coroutine still runs on the loop.
"""

from csp.middleware import CSPMiddleware
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest, HttpResponse


class Handler(ASGIHandler):
    def load_middleware(self, is_async: bool = True) -> None:
        BaseHandler.load_middleware(
            self, is_async=False
        )  # from the view on outwards, up to the gate, which is asynchronous
        self._middleware_chain = self._middleware_chain.awaitable  # which Django made synchronous in the end


class ContentSecurityPolicy(CSPMiddleware):
    """It only looks at headers: a thread for that costs more than it does."""

    async def __acall__(self, request: HttpRequest) -> HttpResponse:
        self.process_request(request)
        return self.process_response(request, await self.get_response(request))
