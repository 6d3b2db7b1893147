"""A person's own data: one file to take along, and the end of the account."""

from dataclasses import dataclass

from allauth.core import ratelimit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse, QueryDict, StreamingHttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from inference.errors import Invalid
from webapp.models import User
from webapp.platform.accounts import authorization
from webapp.platform.pages.typed import HtmlPageResponse, typed
from webapp.platform.server import streams
from webapp.service.own_data import contents, leaving


@dataclass(frozen=True)
class LeavePage:
    """wrong: why nothing was done. password: whether the account has one; else its name is
    typed."""

    wrong: str
    password: bool
    owned: int
    shared: list[leaving.SharedCorpus]


def _user(request: HttpRequest) -> User:
    """Whose data it is. Raises Http404 where there are no accounts, and for a student, whose class
    has all that they made."""
    if not settings.ACCOUNTS or authorization.is_student(request):
        raise Http404("Only an account of one's own can be taken along or deleted.")
    return authorization.signed_in(request)


@never_cache
@require_safe
def archive(request: HttpRequest) -> StreamingHttpResponse:
    """All that the program holds of who asks."""
    user = _user(request)
    return streams.download(contents.archive(user), "topograph-own-data.zip", "application/zip")


@never_cache
@typed("account/leave.html")
def leave(
    request: HttpRequest, posted: QueryDict | None
) -> HtmlPageResponse[LeavePage] | HttpResponse:
    """What goes with the account; POST deletes it."""
    user = _user(request)
    wrong = ""
    if posted is not None:
        try:
            _check(request, user, posted)
            leaving.leave(user)
        except Invalid as error:
            wrong = error.message
        else:
            logout(request)
            messages.success(request, "Your account is deleted.")
            return redirect("home")
    page = LeavePage(wrong, user.has_usable_password(), leaving.owned(user), leaving.shared(user))
    return HtmlPageResponse(page, status=400 if wrong else 200)


def _check(request: HttpRequest, user: User, posted: QueryDict) -> None:
    """That it is they who ask, and that they know what goes. Raises Invalid."""
    if not posted.get("sure"):
        raise Invalid("sure", "Tick that you know what is deleted.")
    if not user.has_usable_password():
        if posted.get("name", "") != user.name:
            raise Invalid("name", f"Type the name of the account, “{user.name}”.")
        return
    if not ratelimit.consume(request, action="reauthenticate", user=user):
        raise Invalid("password", "There were too many attempts. Wait a few minutes.")
    if not user.check_password(posted.get("password", "")):
        raise Invalid("password", "That is not the password of this account.")
