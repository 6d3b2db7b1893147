"""One's own account, and the API tokens that it has."""

from dataclasses import dataclass

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from inference.errors import Invalid
from webapp.models import ApiToken
from webapp.platform.accounts import authorization, quotas, tokens as services
from webapp.platform.drawing.numbers import byte_size, count
from webapp.platform.pages.typed import HtmlPageResponse, typed

TOKENS_SHOWN = 100  # the newest


@dataclass(frozen=True)
class Used:
    """How much there is of something, and how much there may be; "" without a limit."""

    what: str
    used: str
    most: str


@dataclass(frozen=True)
class AccountPage:
    """sso: whether one can sign in with an account elsewhere. teaches: whether it may have
    classes."""

    use: list[Used]
    sso: bool
    teaches: bool


@dataclass(frozen=True)
class TokensPage:
    """made: the new token, which is shown once. wrong: why none was made."""

    tokens: QuerySet[ApiToken]
    made: str
    wrong: str


@typed("account/own.html")
def own_account(request: HttpRequest) -> HtmlPageResponse[AccountPage] | HttpResponse:
    """What belongs to the account: how to sign in, tokens, what it has used. A student's is the
    page of the class."""
    if authorization.is_student(request):
        return redirect("class")
    return HtmlPageResponse(
        AccountPage(
            use=_use(request),
            sso=bool(settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]),
            teaches=settings.ACCOUNTS
            and bool(quotas.limits(authorization.signed_in(request)).students),
        )
    )


def _use(request: HttpRequest) -> list[Used]:
    """How much of their files, documents and jobs an account uses."""
    if not settings.ACCOUNTS:
        return []
    user = authorization.signed_in(request)
    used = quotas.used(user)
    user_limits = quotas.limits(user)
    kinds = {
        "bytes": ("Files", byte_size),
        "documents": ("Documents", count),
        "jobs": ("Jobs that wait or run", count),
    }
    rows = []
    for name, (subject, written) in kinds.items():
        limit = getattr(user_limits, name)
        rows.append(Used(subject, written(used[name]), "" if limit is None else written(limit)))
    return rows


@never_cache
@typed("account/tokens.html")
def tokens(request: HttpRequest, posted: QueryDict | None) -> HtmlPageResponse[TokensPage]:
    """A new token is shown once, in the answer to the form that made it."""
    new_token = wrong = ""
    if posted is not None:
        try:
            new_token = services.create(posted.get("name", ""), authorization.signed_in(request))[1]
        except Invalid as error:
            wrong = error.message
    return HtmlPageResponse(
        TokensPage(authorization.api_tokens(request)[:TOKENS_SHOWN], new_token, wrong),
        status=400 if wrong else 200,
    )


@require_POST
def revoke(request: HttpRequest, token_id: int) -> HttpResponse:
    token = authorization.api_tokens(request).filter(pk=token_id).first()
    if token is None:
        raise Http404(f"There is no token {token_id}.")
    services.revoke(token)
    return redirect("tokens")
