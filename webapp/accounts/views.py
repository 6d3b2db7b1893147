"""API tokens, and where its description is."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from inference.errors import Invalid
from webapp.accounts import authorization, quotas
from webapp.accounts import tokens as services
from webapp.drawing.numbers import bytes as size
from webapp.drawing.numbers import count
from webapp.pages.page import page

SHOWN = 100  # the newest


@require_safe
def own(request: HttpRequest) -> HttpResponse:
    """What belongs to the account: how to sign in, tokens, what it has used."""
    return page(
        request,
        "account/own.html",
        {"use": _use(request), "sso": bool(settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"])},
    )


def _use(request: HttpRequest) -> list[tuple[str, str, str]]:
    """(what, how much there is, how much there may be) of the files, documents and jobs of an account."""
    if not settings.ACCOUNTS:
        return []
    used, most = quotas.used(request.user), quotas.limits(request.user)
    said = {"bytes": ("Files", size), "documents": ("Documents", count), "jobs": ("Jobs that wait or run", count)}
    return [
        (word, of(used[name]), "" if getattr(most, name) is None else of(getattr(most, name)))
        for name, (word, of) in said.items()
    ]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """A new token is said once, in the answer to the form that made it."""
    made = wrong = ""
    if request.method == "POST":
        try:
            made = services.create(request.POST.get("name", ""), request.user)[1]
        except Invalid as error:
            wrong = error.message
    data = {"tokens": authorization.api_tokens(request)[:SHOWN], "made": made, "wrong": wrong}
    return page(request, "account/tokens.html", data, status=400 if wrong else 200)


@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    token = authorization.api_tokens(request).filter(pk=token_id).first()
    if token is None:
        raise Http404(f"There is no token {token_id}.")
    services.revoke(token)
    return redirect("tokens")
