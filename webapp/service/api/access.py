"""Who may use the API, and how often. Tokens come in a header alone, never in a cookie: no other
site can send one along."""

import hashlib

import redis
from django.http import HttpRequest
from ninja.security import HttpBearer
from ninja.throttling import SimpleRateThrottle

from webapp.models import ApiToken
from webapp.platform.request_context import request_context

ANYONE = "anyone"


class Token(HttpBearer):
    """Needs a token: for everything that changes something."""

    openapi_description = (
        "A token from /account/tokens/ or manage.py api_token, as “Authorization: Bearer"
        " topograph_…”."
    )

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        return request_context(request).api_token  # that webapp.platform.accounts.admission found


class OptionalToken(Token):
    """Reading what is public needs none; but a token that is given must be one."""

    def __call__(self, request: HttpRequest):
        return super().__call__(request) if "Authorization" in request.headers else ANYONE


class Rate(SimpleRateThrottle):
    """Requests of one token, or of one address without any."""

    scope = "api"

    def allow_request(self, request: HttpRequest) -> bool:
        """Counted in the cache that all web processes share; where that is away nobody is kept from
        reading."""
        try:
            return super().allow_request(request)
        except redis.RedisError:
            return True

    def get_cache_key(self, request: HttpRequest) -> str:
        # The address is the connection's, which is the client's where a proxy that is believed says
        # so; the library's `get_ident` would believe a header that anyone can send, another one
        # with each request.
        token = request_context(request).api_token  # the row, however the header is spelled
        caller = (
            f"token {token.pk}" if token else f"address {request.META.get('REMOTE_ADDR') or ''}"
        )
        return f"api-{hashlib.sha256(caller.encode()).hexdigest()}"


RATE = Rate("1200/min")  # twenty a second
