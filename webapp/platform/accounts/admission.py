"""A middleware that lets a request in, or refuses it, by the rule of its address.

It runs before every view, takes the rule from the declaration in webapp.urls, and looks up the
corpus, run or notebook that the address names. An address without a rule is refused. What a user
may not see is answered with 404, in the same words as what does not exist. What they may see but
not do is answered with 403, which says who may.
"""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from webapp.models import Corpus, Run
from webapp.platform.accounts import embargo, tokens
from webapp.platform.accounts.access_rules import Rule, Who, rule_of
from webapp.platform.accounts.authorization import (
    api_tokens,
    courses,
    is_of_api,
    is_student,
    notebooks,
    person_of,
    role,
    user_id,
)
from webapp.platform.accounts.roles import Role
from webapp.platform.pages.errors import wants_json
from webapp.platform.request_context import request_context

SAFE = ("GET", "HEAD", "OPTIONS")


class AdmissionMiddleware:
    """Middleware: refuses every request that the rule of its address does not allow, before a view
    is called.

    Sets the role in the request's context (webapp.platform.request_context): the user's role for
    the corpus of the address.
    """

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view, args, kwargs) -> HttpResponse | None:
        match = request.resolver_match
        if match is None:
            raise AssertionError("A view is called for an address that was resolved.")
        needed = rule_of(match)
        request_context(request).role = Role.NONE
        takes_token = is_of_api(request) or (needed.by_token and _has_token(request))
        if takes_token and (refused := _by_token(request)):
            return refused
        embargo.read_by(partial(person_of, request))
        check = CHECKS[needed.who]
        if not settings.ACCOUNTS and needed.who not in BY_ACCOUNTS:
            request_context(request).role = Role.OWNER
            return None
        return check(request, needed, kwargs)


# Checks
# ------------------------------------------------------------------------------------------------------------

# Of a request, the rule of its address, and what the path names: the answer that refuses it, or None
Check = Callable[[HttpRequest, Rule, dict], HttpResponse | None]


def _check_local(request: HttpRequest, needed: Rule, path: dict) -> HttpResponse | None:
    return _missing(request) if settings.ACCOUNTS else None


def _check_accounts(request: HttpRequest, needed: Rule, path: dict) -> HttpResponse | None:
    """None where accounts are on, and for a student where the rule says so."""
    if not settings.ACCOUNTS:
        return _missing(request)
    if is_student(request) and not needed.students:
        return _missing(request)
    return None


def _check_nothing(request: HttpRequest, needed: Rule, path: dict) -> None:
    return None


def _check_user(request: HttpRequest, needed: Rule, path: dict) -> HttpResponse | None:
    return None if request.user.is_authenticated else _sign_in(request)


def _check_operator(request: HttpRequest, needed: Rule, path: dict) -> HttpResponse | None:
    if refused := _check_user(request, needed, path):
        return refused
    if request.user.is_staff:
        return None
    return _refuse(request, "This page is for whoever runs this Topograph.")


def _check_corpus(request: HttpRequest, needed: Rule, path: dict) -> HttpResponse | None:
    """None where every corpus and run in the address allows the request, and then its context says
    what the reader is to them."""
    if (
        is_of_api(request)
        and request.method not in SAFE
        and request_context(request).api_token is None
    ):
        return _refuse_unknown()
    least = needed.read if request.method in SAFE else needed.write
    standings = []
    for corpus, run in _named_in_address(request, needed, path):
        standing = _standing(request, corpus, run)
        if standing.role == Role.NONE:
            return _missing(request)
        if standing.role_for(needed) < least:
            return _only(request, corpus, least)
        standings.append(standing)
    context = request_context(request)
    context.role = min(standing.role for standing in standings)
    context.own_run = standings[-1].is_own_run
    return None


def _check_owned(own_rows: Callable[[HttpRequest], QuerySet], name: str) -> Check:
    """The check of an address that names a row by `name`: it is one of the user's own."""

    def check(request: HttpRequest, needed: Rule, path: dict) -> HttpResponse | None:
        if refused := _check_user(request, needed, path):
            return refused
        return None if own_rows(request).filter(pk=path[name]).exists() else _missing(request)

    return check


CHECKS: dict[Who, Check] = {
    Who.ANYONE: _check_nothing,
    Who.USER: _check_user,
    Who.OPERATOR: _check_operator,
    Who.LOCAL: _check_local,
    Who.ACCOUNTS: _check_accounts,
    Who.CORPUS: _check_corpus,
    Who.NOTEBOOK: _check_owned(notebooks, "notebook_id"),
    Who.TOKEN: _check_owned(api_tokens, "token_id"),
    Who.COURSE: _check_owned(courses, "course_id"),
}
if CHECKS.keys() != set(Who):
    raise ImproperlyConfigured(f"Nothing says how to check {set(Who) - CHECKS.keys()}.")
# Whether there are accounts decides whether there are these addresses; while there are none, all
# others are the local owner's, whatever their check
BY_ACCOUNTS = (Who.LOCAL, Who.ACCOUNTS)


class _Standing(NamedTuple):
    """What a reader is to a corpus that an address names. is_own_run: they train there, and the run
    of the address is theirs."""

    role: Role
    is_own_run: bool

    def role_for(self, needed: Rule) -> Role:
        """A trainer is an editor of their own runs, but for what goes beyond the run."""
        return Role.EDITOR if self.is_own_run and not needed.beyond else self.role


def _standing(
    request: HttpRequest, corpus: QuerySet[Corpus], run: QuerySet[Run] | None
) -> _Standing:
    """corpus, run: queries for at most one of each; no run where the address names a corpus."""
    has = role(request, corpus)
    is_own_run = (
        has == Role.TRAINER and run is not None and run.filter(by=user_id(request)).exists()
    )
    return _Standing(has, is_own_run)


def _named_in_address(
    request: HttpRequest, needed: Rule, kwargs: dict
) -> list[tuple[QuerySet[Corpus], QuerySet[Run] | None]]:
    """The corpora that an address names, itself or by a run, each with the run; most addresses name
    one."""
    corpora, runs = (
        (Corpus.everything, Run.everything) if needed.deleted else (Corpus.objects, Run.objects)
    )
    of_runs = [runs.filter(pk=kwargs[name]) for name in ("run_id", "other") if name in kwargs]
    named: list[tuple[QuerySet[Corpus], QuerySet[Run] | None]] = [
        (corpora.filter(pk__in=run_rows.values("corpus")), run_rows) for run_rows in of_runs
    ]
    if "corpus_id" in kwargs:
        named.insert(0, (corpora.filter(pk=kwargs["corpus_id"]), None))
    if not named:
        match = request.resolver_match
        raise ImproperlyConfigured(
            f"“{match.route if match else request.path}” has the rule of a corpus, and names none."
        )
    return named


def _has_token(request: HttpRequest) -> bool:
    """Whether a program asks, with a token in place of a session."""
    return request.headers.get("Authorization", "").lower().startswith("bearer ")


def _by_token(request: HttpRequest) -> HttpResponse | None:
    """Sets the user of a program's request to the token's. A cookie does not count, as another site
    could make a browser send it.

    Returns the answer for a token that is not known.
    """
    request_context(request).api_token = None
    if not (header := request.headers.get("Authorization", "")):
        if settings.ACCOUNTS:
            request.user = AnonymousUser()
        return None
    scheme, _, secret = header.partition(" ")
    token = tokens.find(secret.strip()) if scheme.lower() == "bearer" else None
    if token is None:
        return _refuse_unknown()
    request_context(request).api_token = token
    request.user = token.user
    return None


# Refusals
# ------------------------------------------------------------------------------------------------------------

UNKNOWN = (
    "This needs a token that is known and not revoked: “Authorization: Bearer topograph_…”. Make"
    " one at /account/tokens/."
)
NEEDED = {  # the least role -> a sentence that says who has it
    Role.VIEWER: "Only people with whom its owner shared “{name}” may do this",
    Role.TRAINER: "Only the owner of “{name}”, its editors and those who may train may do this",
    Role.EDITOR: (
        "Only the owner and the editors of “{name}” may do this, and with a run whoever trained it"
    ),
    Role.OWNER: "Only the owner of “{name}” may do this",
}


def _refuse_unknown() -> HttpResponse:
    """401, for a program without a token, or with one that is not known."""
    return JsonResponse(
        {"error": UNKNOWN}, status=HTTPStatus.UNAUTHORIZED, headers={"WWW-Authenticate": "Bearer"}
    )


def _missing(request: HttpRequest) -> HttpResponse:
    """404, in the same words for what does not exist and for what the user may not see."""
    if _as_data(request):
        return JsonResponse(
            {"error": "Nothing is at this address, or you may not see it."},
            status=HTTPStatus.NOT_FOUND,
        )
    return render(
        request, "404.html", {"sign_in": _address_to_sign_in(request)}, status=HTTPStatus.NOT_FOUND
    )


def _only(request: HttpRequest, corpus: QuerySet[Corpus], least: Role) -> HttpResponse:
    """403 for who may see the corpus, but lacks the role; 401 for a program that sent no token."""
    name, owner = corpus.values_list("name", "owner__name").get()
    if is_of_api(request) and request_context(request).api_token is None:
        return _refuse_unknown()
    return _refuse(
        request,
        f"{NEEDED[least].format(name=name)}. You may read it; ask {owner}, who owns it, for more.",
    )


def _refuse(
    request: HttpRequest, sentence: str, to_programs: int = HTTPStatus.FORBIDDEN
) -> HttpResponse:
    if _as_data(request):
        return JsonResponse({"error": sentence}, status=to_programs)
    return render(
        request,
        "403.html",
        {"why": sentence, "sign_in": _address_to_sign_in(request)},
        status=HTTPStatus.FORBIDDEN,
    )


def _sign_in(request: HttpRequest) -> HttpResponse:
    """For who has not signed in: leads to the page to do so, which leads back; 401 for programs."""
    if request.method in ("GET", "HEAD") and not _as_data(request):
        return redirect(_address_to_sign_in(request))
    return _refuse(request, "Sign in first.", to_programs=HTTPStatus.UNAUTHORIZED)


def _address_to_sign_in(request: HttpRequest) -> str:
    if not settings.ACCOUNTS or request.user.is_authenticated:
        return ""
    back = request.get_full_path() if request.method in ("GET", "HEAD") else reverse("home")
    return f"{reverse('account_login')}?{urlencode({'next': back})}"


def _as_data(request: HttpRequest) -> bool:
    return wants_json(request) or is_of_api(request) or "Tus-Resumable" in request.headers
