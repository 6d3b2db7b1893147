"""Who may do what: the one place that decides, for every address there is (docs/accounts.md says the same for people).

`Gate` stands before every view. It takes the rule of the address from its declaration in webapp.urls, and the corpus, run
or notebook by what stands in the address; an address without a rule is refused. What one may not see is not there: the
answer is the same 404 as for a number that nobody has. What one may see but not do is 403, with who may.

Views ask here, too, for whatever the address does not name: the runs of ?run=, a form's notebook. `corpora`, `runs` and `notebooks`
are all that a request may see; tests/webapp/accounts/test_access.py keeps views from asking the tables themselves.

Whether texts may be read is another question: webapp.accounts.embargo. Tasks ask nothing: each works for one row, which somebody who
might made or queued, and its parents and versions are of the same corpus, or were allowed when it was made.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import IntEnum
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db import DatabaseError
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import ResolverMatch, reverse
from django.utils.functional import SimpleLazyObject

from webapp.accounts import tokens
from webapp.models import ApiToken, Corpus, Link, Membership, Notebook, Run, User
from webapp.pages.errors import wants_json
from webapp.request_context import request_context

LINKS = "links"  # in the session: numbers of the links that were followed
SAFE = ("GET", "HEAD", "OPTIONS")


class Role(IntEnum):
    """What somebody is to a corpus; each may do what those before it may."""

    NONE = 0
    READER = 1  # anybody, where it is public or a link was followed: sees all of it
    VIEWER = 2  # and may be counted as a reader of the reading test, and make a part of it a corpus of their own
    EDITOR = 3  # and may change, add to and train it
    OWNER = 4  # and may share, withhold and delete it


MEMBERS = {Membership.Role.VIEWER: Role.VIEWER, Membership.Role.EDITOR: Role.EDITOR}


# Rules ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rule:
    kind: str
    read: Role = Role.NONE  # that GET needs
    write: Role = Role.NONE  # that all else needs
    deleted: bool = False  # also of what is deleted, and can still be brought back


ANYONE = Rule("anyone")  # shows nothing of anybody's, or only what its view asks for here
USER = Rule("user")  # whoever has signed in
OPERATOR = Rule("operator")  # is_staff
LOCAL = Rule("local")  # while accounts are off
ACCOUNTS = Rule("accounts")  # while they are on; who else may do what there, its views decide
NOTEBOOK = Rule("notebook")  # whose it is
TOKEN = Rule("token")  # whose it is


def of_corpus(read: Role, write: Role = Role.OWNER) -> Rule:
    """Of the corpus in the address, or that of the run in it. No view of ours takes a POST that is not said here."""
    return Rule("corpus", read, write)


SEE = of_corpus(Role.READER)
EDIT = of_corpus(Role.EDITOR, Role.EDITOR)
OWN = of_corpus(Role.OWNER, Role.OWNER)
OWN_DELETED, EDIT_DELETED = replace(OWN, deleted=True), replace(EDIT, deleted=True)
ANSWER = of_corpus(Role.VIEWER, Role.VIEWER)

TRY = of_corpus(Role.READER, Role.READER)  # nothing of what is sent is kept


def rule(match: ResolverMatch) -> Rule:
    """Of an address, as webapp.urls declares it: its view carries it. Raises ImproperlyConfigured where there is none."""
    route = getattr(match.func, "route", None)
    if route is None:
        raise ImproperlyConfigured(
            f"Nothing says who may ask for “{match.url_name or match.route}”: declare it in webapp/urls.py."
        )
    return route.access


# What a request may see ----------------------------------------------------------------------------------------------


def corpora(request: HttpRequest) -> QuerySet[Corpus]:
    """All that it may see. To look some up among them; for lists of all there is `listed`."""
    return corpora_of(user_id(request), _links(request)) if settings.ACCOUNTS else Corpus.objects.all()


def corpora_of(user: int | None, links: Collection[int] = ()) -> QuerySet[Corpus]:
    """All that a user may see, signed in or not, who followed these links."""
    if not settings.ACCOUNTS:
        return Corpus.objects.all()
    seen = Q(public=True)
    if user:
        seen |= Q(owner=user) | Q(pk__in=Membership.objects.filter(user=user).values("corpus"))
    if links:
        seen |= Q(pk__in=_valid(links).values("corpus"))
    return Corpus.objects.filter(seen)


def runs(request: HttpRequest) -> QuerySet[Run]:
    return Run.objects.filter(corpus__in=corpora(request)) if settings.ACCOUNTS else Run.objects.all()


def deletable(request: HttpRequest) -> tuple[QuerySet[Corpus], QuerySet[Run]]:
    """Of everything, deleted or not: corpora and runs that it may delete, and bring back."""
    corpora, runs = Corpus.everything.all(), Run.everything.all()
    if not settings.ACCOUNTS:
        return corpora, runs
    user = user_id(request)
    edited = Membership.objects.filter(user=user, role=Membership.Role.EDITOR).values("corpus")
    return corpora.filter(owner=user), runs.filter(Q(corpus__owner=user) | Q(corpus__in=edited))


def notebooks(request: HttpRequest) -> QuerySet[Notebook]:
    """One's own."""
    return Notebook.objects.filter(owner=user_id(request)) if settings.ACCOUNTS else Notebook.objects.all()


def api_tokens(request: HttpRequest) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user_id(request)) if settings.ACCOUNTS else ApiToken.objects.all()


def listed(request: HttpRequest, before: int | None, most: int, public: bool = False) -> list[int]:
    """Numbers of the newest corpora, below `before`: one's own, shared and followed ones; or those that are public.

    Each source gives its own newest by an index, so a page costs the same however many corpora others have.
    """
    shown = Corpus.objects.filter(into=None)

    def newest(found: QuerySet, key: str) -> list[int]:
        found = found.filter(**{f"{key}__lt": before}) if before is not None else found
        return list(found.order_by(f"-{key}").values_list(key, flat=True)[:most])

    if not settings.ACCOUNTS:
        return newest(shown, "pk")
    if public:
        return newest(shown.filter(public=True), "pk")
    numbers = set()
    if user := user_id(request):
        numbers.update(newest(shown.filter(owner=user), "pk"))
        numbers.update(newest(Membership.objects.filter(user=user, corpus__in=shown), "corpus_id"))
    if links := _links(request):
        numbers.update(newest(_valid(links).filter(corpus__in=shown), "corpus_id"))
    return sorted(numbers, reverse=True)[:most]


def has_own_list(request: HttpRequest) -> bool:
    """Whether there may be corpora to list besides those that are public."""
    return bool(user_id(request) or _links(request))


def role(request: HttpRequest, found: QuerySet[Corpus]) -> Role:
    """What the request's user is to the one corpus of a query; NONE where there is no such corpus, too.

    A draft of files that are to be added to a corpus is that one's.
    """
    if not settings.ACCOUNTS:
        return Role.OWNER
    user = user_id(request)
    member = Membership.objects.filter(corpus=OuterRef("of"), user=user).values("role")
    linked = Exists(_valid(_links(request)).filter(corpus=OuterRef("of")))
    row = (
        found.order_by()
        .annotate(of=Coalesce("into", "pk"))
        .annotate(member=Subquery(member), linked=linked)
        .values_list("owner", "public", "member", "linked")
        .first()
    )
    if row is None:
        return Role.NONE
    owner, public, membership, linked = row
    if user and owner == user:
        return Role.OWNER
    return MEMBERS.get(membership) or (Role.READER if public or linked else Role.NONE)


def may(request: HttpRequest, corpus_id: int, needed: Role) -> bool:
    """Of a corpus that the address does not name."""
    return role(request, Corpus.objects.filter(pk=corpus_id)) >= needed


def user_id(request: HttpRequest) -> int | None:
    return request.user.pk if request.user.is_authenticated else None


def uploader(request: HttpRequest) -> int | None:
    """Whose uploads a request may make and go on with; None, anybody's, while accounts are off. Raises PermissionDenied."""
    if not settings.ACCOUNTS:
        return None
    if (user := user_id(request)) is None:
        raise PermissionDenied("Nobody has signed in.")
    return user


# Once more, while an answer lasts ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reader:
    """Who follows a corpus, or a run, over a connection that stays open: all that is needed to ask again whether they may."""

    corpus: int | None
    run: int | None
    user: int | None = None
    session: str | None = None  # its key
    proof: str = ""  # in that session: changes with the password
    links: tuple[int, ...] = ()


def reader(request: HttpRequest, corpus: int | None = None, run: int | None = None) -> Reader:
    """Whoever the gate has just let in."""
    if not settings.ACCOUNTS:
        return Reader(corpus, run)
    session = request.session
    return Reader(
        corpus, run, user_id(request), session.session_key, session.get(HASH_SESSION_KEY, ""), tuple(_links(request))
    )


def still(readers: Collection[Reader]) -> set[Reader]:
    """Those of them who may still read, by six queries, however many they are. Who signed in counts as long as that session holds."""
    of = dict(Run.objects.filter(pk__in={r.run for r in readers if r.run}).values_list("pk", "corpus"))
    asked = {reader: reader.corpus or of.get(reader.run) for reader in readers}
    rows = Corpus.objects.filter(pk__in={pk for pk in asked.values() if pk}).values_list(
        "pk", "owner", "public", "into"
    )
    corpora = {pk: (owner, public, into or pk) for pk, owner, public, into in rows}
    if not settings.ACCOUNTS:
        return {reader for reader, pk in asked.items() if pk in corpora}
    shared = {pk for _, _, pk in corpora.values()}
    users = User.objects.filter(is_active=True).in_bulk({r.user for r in readers if r.user})
    proofs = {pk: user.get_session_auth_hash() for pk, user in users.items()}
    sessions = set(
        Session.objects.filter(pk__in={r.session for r in readers if r.session}, expire_date__gt=Now()).values_list(
            "pk", flat=True
        )
    )
    members = set(Membership.objects.filter(user__in=users, corpus__in=shared).values_list("user", "corpus"))
    links = set(
        _valid([number for r in readers for number in r.links]).filter(corpus__in=shared).values_list("pk", "corpus")
    )

    def may(reader: Reader, pk: int | None) -> bool:
        if pk not in corpora or (
            reader.user and (reader.session not in sessions or proofs.get(reader.user) != reader.proof)
        ):
            return False
        owner, public, shared = corpora[pk]
        if public or (reader.user and (owner == reader.user or (reader.user, shared) in members)):
            return True
        return reader.session in sessions and any((number, shared) in links for number in reader.links)

    return {reader for reader, pk in asked.items() if may(reader, pk)}


def _links(request: HttpRequest) -> list[int]:
    """Links that were followed in this browser; whether each still holds, its row says."""
    return [] if _of_api(request) else request.session.get(LINKS, [])


def _valid(links: list[int]) -> QuerySet[Link]:
    return Link.objects.filter(Q(expires_at=None) | Q(expires_at__gt=Now()), pk__in=links, revoked_at=None).order_by()


def _of_api(request: HttpRequest) -> bool:
    return "api" in request.resolver_match.namespaces


# The gate ------------------------------------------------------------------------------------------------------------


class Gate:
    """Middleware: no view is called that its address's rule does not allow."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not settings.ACCOUNTS:
            request.user = SimpleLazyObject(User.objects.local)
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view, args, kwargs) -> HttpResponse | None:
        needed = rule(request.resolver_match)
        request_context(request).role = Role.NONE
        if (_of_api(request) or _program_uploads(request)) and (refused := _by_token(request)):
            return refused
        if needed.kind in ("local", "accounts"):
            return None if settings.ACCOUNTS == (needed.kind == "accounts") else _missing(request)
        if not settings.ACCOUNTS:
            request_context(request).role = Role.OWNER
            return None
        return getattr(self, f"_{needed.kind}")(request, needed, kwargs)

    def _anyone(self, request, needed, kwargs) -> None:
        return None

    def _user(self, request, needed, kwargs) -> HttpResponse | None:
        return None if request.user.is_authenticated else _sign_in(request)

    def _operator(self, request, needed, kwargs) -> HttpResponse | None:
        if not request.user.is_authenticated:
            return _sign_in(request)
        return None if request.user.is_staff else _forbidden(request, "This page is for whoever runs this Topograph.")

    def _notebook(self, request, needed, kwargs) -> HttpResponse | None:
        if not request.user.is_authenticated:
            return _sign_in(request)
        return None if notebooks(request).filter(pk=kwargs["notebook_id"]).exists() else _missing(request)

    def _token(self, request, needed, kwargs) -> HttpResponse | None:
        if not request.user.is_authenticated:
            return _sign_in(request)
        return None if api_tokens(request).filter(pk=kwargs["token_id"]).exists() else _missing(request)

    def _corpus(self, request, needed, kwargs) -> HttpResponse | None:
        """Each corpus and run in the address must allow it; most have one."""
        least = needed.read if request.method in SAFE else needed.write
        corpora, runs = (Corpus.everything, Run.everything) if needed.deleted else (Corpus.objects, Run.objects)
        found = [corpora.filter(pk=kwargs["corpus_id"])] if "corpus_id" in kwargs else []
        found += [
            corpora.filter(pk__in=runs.filter(pk=kwargs[name]).values("corpus"))
            for name in ("run_id", "other")
            if name in kwargs
        ]
        if not found:
            raise ImproperlyConfigured(f"“{request.resolver_match.route}” has the rule of a corpus, and names none.")
        for corpus in found:
            has = role(request, corpus)
            if has == Role.NONE:
                return _missing(request)
            if has < least:
                return _only(request, corpus, least)
            context = request_context(request)
            context.role = min(has, context.role or has)
        return None


def _program_uploads(request: HttpRequest) -> bool:
    """By the tus protocol with a token in place of a session; a browser has one, whatever else a proxy makes it send."""
    return request.resolver_match.url_name in ("uploads", "upload") and request.headers.get(
        "Authorization", ""
    ).lower().startswith("bearer ")


def _by_token(request: HttpRequest) -> HttpResponse | None:
    """Of a program: its user is the token's, never the cookie's, so that no other site can send one along."""
    request_context(request).api_token = None
    header = request.headers.get("Authorization", "")
    if not header:
        if settings.ACCOUNTS:
            request.user = AnonymousUser()
        return None
    scheme, _, secret = header.partition(" ")
    token = tokens.find(secret.strip()) if scheme.lower() == "bearer" else None
    if token is None:
        return JsonResponse({"error": UNKNOWN}, status=401, headers={"WWW-Authenticate": "Bearer"})
    request_context(request).api_token, request.user = token, token.user
    return None


# Refusals ------------------------------------------------------------------------------------------------------------

UNKNOWN = "This needs a token that is known and not revoked: “Authorization: Bearer topograph_…”. Make one at /account/tokens/."
NEEDED = {  # role -> who has it
    Role.VIEWER: "Only people with whom its owner shared “{name}” may do this",
    Role.EDITOR: "Only the owner and the editors of “{name}” may do this",
    Role.OWNER: "Only the owner of “{name}” may do this",
}


def _missing(request: HttpRequest) -> HttpResponse:
    """The same for what is not there and what one may not see."""
    if _as_data(request):
        return JsonResponse({"error": "There is nothing at this address, or nothing that you may see."}, status=404)
    return render(request, "404.html", {"sign_in": _address_to_sign_in(request)}, status=404)


def _only(request: HttpRequest, corpus: QuerySet[Corpus], least: Role) -> HttpResponse:
    name, owner = corpus.values_list("name", "owner__name").get()
    if _of_api(request) and request_context(request).api_token is None:
        return JsonResponse({"error": UNKNOWN}, status=401, headers={"WWW-Authenticate": "Bearer"})
    return _forbidden(
        request, f"{NEEDED[least].format(name=name)}. You may read it; ask {owner}, who owns it, for more."
    )


def _forbidden(request: HttpRequest, sentence: str) -> HttpResponse:
    if _as_data(request):
        return JsonResponse({"error": sentence}, status=403)
    return render(request, "403.html", {"why": sentence, "sign_in": _address_to_sign_in(request)}, status=403)


def _sign_in(request: HttpRequest) -> HttpResponse:
    """To those who have not: the page to do so, which leads back."""
    if request.method in ("GET", "HEAD") and not _as_data(request):
        return redirect(_address_to_sign_in(request))
    if _as_data(request):
        return JsonResponse({"error": "Sign in first."}, status=401)
    return render(request, "403.html", {"why": "Sign in first.", "sign_in": _address_to_sign_in(request)}, status=403)


def _address_to_sign_in(request: HttpRequest) -> str:
    if not settings.ACCOUNTS or request.user.is_authenticated:
        return ""
    back = request.get_full_path() if request.method in ("GET", "HEAD") else reverse("home")
    return f"{reverse('account_login')}?{urlencode({'next': back})}"


def _as_data(request: HttpRequest) -> bool:
    return wants_json(request) or _of_api(request) or "Tus-Resumable" in request.headers


# For views and templates ----------------------------------------------------------------------------------------------


def run_or_404(request: HttpRequest, pk: int) -> Run:
    """A run that the address does not name in its path."""
    found = runs(request).select_related("corpus__version", "version").filter(pk=pk).first()
    if found is None:
        raise Http404(f"There is no run {pk}.")
    return found


def corpus_or_404(request: HttpRequest, pk: int) -> Corpus:
    found = corpora(request).select_related("version").filter(pk=pk).first()
    if found is None:
        raise Http404(f"There is no corpus {pk}.")
    return found


class May:
    """What may be done to the corpus of a page, for templates that show forms only to those who can use them."""

    def __init__(self, request: HttpRequest):
        has = Role(request_context(request).role)  # NONE: an error before this middleware
        self.answer, self.edit, self.own = has >= Role.VIEWER, has >= Role.EDITOR, has >= Role.OWNER
        self.add = self.keep = not settings.ACCOUNTS or request.user.is_authenticated  # corpora; notebooks


def in_templates(request: HttpRequest) -> dict:
    """With accounts off nothing of it asks the database; else who is signed in stands on every page, but for error pages without one."""
    user = getattr(request, "user", AnonymousUser())
    try:
        bool(settings.ACCOUNTS and user.is_authenticated)
    except DatabaseError:
        user = AnonymousUser()
    found = {"may": SimpleLazyObject(lambda: May(request)), "accounts": settings.ACCOUNTS, "user": user}
    return found | {"signup": settings.SIGNUP != "closed"}
