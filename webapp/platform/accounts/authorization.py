"""Authorization: who may do what, for every address (docs/accounts.md says the same for people).

`Authorization` is a middleware that runs before every view. It takes the rule of the address from
its declaration in webapp.urls, and looks up the corpus, run or notebook that the address names. An
address without a rule is refused. What a user may not see is answered with 404, in the same words
as what does not exist. What they may see but not do is answered with 403, which says who may.

Views ask this module about whatever the address does not name, such as the runs in ?run= or the
notebook that a form chose: `corpora`, `runs` and `notebooks` are all that a request may see. A test
keeps views from asking the tables themselves (tests/webapp/platform/accounts/test_access.py). All
of it comes from one definition of who may see a corpus: webapp.platform.accounts.roles.grants.

Whether texts may be read is another question, which webapp.platform.accounts.embargo answers. Tasks
do not ask: each works for one row, which a user with the right to do so made or queued.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import partial
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.db import DatabaseError
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import ResolverMatch, reverse
from django.utils.functional import SimpleLazyObject

from inference.errors import Invalid
from webapp.models import ApiToken, Corpus, Course, Notebook, Notebooks, Run, Student, User
from webapp.platform.accounts import embargo, tokens
from webapp.platform.accounts.roles import EVERYBODY, Person, Role, grants, roles, with_role
from webapp.platform.pages.errors import wants_json
from webapp.platform.request_context import request_context

LINKS = "links"  # in the session: keys of the links that were followed
T = TypeVar("T")
SAFE = ("GET", "HEAD", "OPTIONS")


# Rules
# ---------------------------------------------------------------------------------------------------------------


class Who(Enum):
    """Who may ask for an address: which check of `Authorization` applies."""

    ANYONE = auto()  # the view shows nothing that belongs to a user, or asks this module for it
    USER = auto()  # who has signed in
    OPERATOR = auto()  # who is_staff
    # Everybody while accounts are off; while they are on there is no such address
    LOCAL = auto()
    ACCOUNTS = auto()  # the other way round; the view decides the rest
    CORPUS = auto()  # who has a role for the corpus
    NOTEBOOK = auto()  # the notebook's owner
    TOKEN = auto()  # the token's owner
    COURSE = auto()  # its teacher


@dataclass(frozen=True)
class Rule:
    """What an address asks of a user."""

    who: Who
    read: Role = Role.NONE  # the least role for GET
    write: Role = Role.NONE  # the least role for every other method
    deleted: bool = False  # the corpus or run may be deleted, as long as it can be brought back
    # It reaches what others made, beyond the run in the address: whoever trained that has no more
    # rights here
    beyond: bool = False


ANYONE = Rule(Who.ANYONE)
USER = Rule(Who.USER)
OPERATOR = Rule(Who.OPERATOR)
LOCAL = Rule(Who.LOCAL)
ACCOUNTS = Rule(Who.ACCOUNTS)
NOTEBOOK = Rule(Who.NOTEBOOK)
TOKEN = Rule(Who.TOKEN)
COURSE = Rule(Who.COURSE)


def of_corpus(read: Role, write: Role = Role.OWNER) -> Rule:
    """Who has these roles for the corpus in the address, or for that of the run in it."""
    return Rule(Who.CORPUS, read, write)


SEE = of_corpus(Role.READER)
TRAIN = of_corpus(Role.TRAINER, Role.TRAINER)
EDIT = of_corpus(Role.EDITOR, Role.EDITOR)
EDIT_BEYOND = replace(EDIT, beyond=True)
OWN = of_corpus(Role.OWNER, Role.OWNER)
OWN_DELETED = replace(OWN, deleted=True)
EDIT_DELETED = replace(EDIT, deleted=True)
ANSWER = of_corpus(Role.VIEWER, Role.VIEWER)

TRY = of_corpus(Role.READER, Role.READER)  # what is sent is not kept


def rule(match: ResolverMatch) -> Rule:
    """The rule of an address, as webapp.urls declares it: the view carries it. Raises
    ImproperlyConfigured where there is none."""
    unsaid = (
        f"Nothing says who may ask for “{match.url_name or match.route}”: declare it in"
        " webapp/urls.py."
    )
    route = getattr(match.func, "route", None)
    if route is None:
        raise ImproperlyConfigured(unsaid)
    return route.access


# What a request may see
# ----------------------------------------------------------------------------------------------


def person_of(request: HttpRequest) -> Person:
    """Who asks: the user who has signed in or whose token came, and the links that were followed in
    this browser.

    While accounts are off everybody may do everything, and nobody needs to be looked up.
    """
    if not settings.ACCOUNTS:
        return Person()
    return Person(
        user_id(request), () if _of_api(request) else tuple(request.session.get(LINKS, []))
    )


def corpora(request: HttpRequest) -> QuerySet[Corpus]:
    """The corpora that a request may see, to find some among them; for lists of all there is
    `list_corpora`."""
    return with_role(Corpus.objects.all(), person_of(request))


def corpora_of(user: User) -> QuerySet[Corpus]:
    """The corpora that a user may see, who need not be the one who asks."""
    return with_role(Corpus.objects.all(), Person(user.pk))


def runs(request: HttpRequest) -> QuerySet[Run]:
    """The runs that a request may see: those of the corpora that it may see."""
    return (
        Run.objects.filter(corpus__in=corpora(request)) if settings.ACCOUNTS else Run.objects.all()
    )


def deletable(request: HttpRequest) -> tuple[QuerySet[Corpus], QuerySet[Run]]:
    """The corpora and the runs that a request may delete and bring back, deleted ones included."""
    corpora = Corpus.everything.all()
    runs = Run.everything.all()
    person = person_of(request)
    if not settings.ACCOUNTS:
        return corpora, runs
    own_runs = Q(corpus__in=with_role(corpora, person, Role.TRAINER), by=person.user)
    edited = Q(corpus__in=with_role(corpora, person, Role.EDITOR))
    return with_role(corpora, person, Role.OWNER), runs.filter(own_runs | edited)


def notebooks(request: HttpRequest) -> Notebooks:
    """The user's own notebooks."""
    return (
        Notebook.objects.filter(owner=user_id(request))
        if settings.ACCOUNTS
        else Notebook.objects.all()
    )


def recent_notebooks(request: HttpRequest) -> list[Notebook]:
    """The last used notebooks of the user, which Pin buttons offer, none for nobody; asked for once
    a request, however often a page and its cache need them."""
    context = request_context(request)
    if context.recent_notebooks is None:
        is_somebody = not settings.ACCOUNTS or request.user.is_authenticated
        context.recent_notebooks = notebooks(request).recent() if is_somebody else []
    return context.recent_notebooks


def api_tokens(request: HttpRequest) -> QuerySet[ApiToken]:
    """The user's own tokens."""
    return (
        ApiToken.objects.filter(user=user_id(request))
        if settings.ACCOUNTS
        else ApiToken.objects.all()
    )


def courses(request: HttpRequest) -> QuerySet[Course]:
    """Those that the user teaches; while accounts are off there are none."""
    return (
        Course.objects.filter(owner=user_id(request))
        if settings.ACCOUNTS
        else Course.objects.none()
    )


def list_corpora(
    request: HttpRequest, before: int | None, most: int, public: bool = False
) -> list[int]:
    """Keys of the newest corpora, newest first: those that the user owns, was given or follows; or,
    instead, those that are public.

    before: list corpora with smaller keys; None: from the newest on. most: how many at most.
    Each reason gives its own newest by an index, so a page costs the same however many corpora
    others have.
    """
    visible = Corpus.objects.filter(into=None)
    if not settings.ACCOUNTS:
        sources = [visible.annotate(granted=F("pk"))]
    elif public:
        sources = [visible.filter(EVERYBODY).annotate(granted=F("pk"))]
    else:
        sources = [
            grant.filter(granted__in=visible.values("pk"))
            for grant in grants(person_of(request), taught=False)
        ]
    numbers: set[int] = set()
    for source in sources:
        source = source.filter(granted__lt=before) if before is not None else source
        numbers.update(source.order_by("-granted").values_list("granted", flat=True)[:most])
    return sorted(numbers, reverse=True)[:most]


def has_own_list(request: HttpRequest) -> bool:
    """Whether a request may have corpora to list besides those that are public."""
    return person_of(request) != Person()


def role(request: HttpRequest, corpora: QuerySet[Corpus]) -> Role:
    """What a request's user is to the corpus that a query finds; NONE also where it finds none.

    corpora: a query for at most one corpus.
    """
    if not settings.ACCOUNTS:
        return Role.OWNER
    person = person_of(request)
    return max(
        (granted.get(person, Role.NONE) for granted in roles(corpora, person).values()),
        default=Role.NONE,
    )


def may(request: HttpRequest, corpus_id: int, needed: Role) -> bool:
    """Whether a request's user has a role for a corpus that the address does not name."""
    return role(request, Corpus.objects.filter(pk=corpus_id)) >= needed


def user(request: HttpRequest) -> User | None:
    """The user who has signed in, or whose token came; None for nobody."""
    return request.user if isinstance(request.user, User) else None


def signed_in(request: HttpRequest) -> User:
    """The user of a request that nobody else may make (rule USER). Raises PermissionDenied where
    nobody has signed in."""
    signed_in = user(request)
    if signed_in is None:
        raise PermissionDenied("Nobody has signed in.")
    return signed_in


def is_student(request: HttpRequest) -> bool:
    """Whether the account was made by a course: it has no address to sign in with
    (webapp.service.courses)."""
    return settings.ACCOUNTS and request.user.is_authenticated and request.user.email is None


def student(request: HttpRequest) -> Student | None:
    """The student who has signed in; None for everybody else."""
    return (
        Student.objects.select_related("user", "course__owner", "course__corpus").get(
            pk=user_id(request)
        )
        if is_student(request)
        else None
    )


def shareable(request: HttpRequest, what: T) -> T:
    """What is to be shared with people whom nobody here knows. Raises Invalid for a student."""
    if is_student(request):
        raise Invalid(
            "act",
            "Who joined a class can’t share. Hand in your notebook; your teacher reads your texts,"
            " too.",
        )
    return what


def user_id(request: HttpRequest) -> int | None:
    """The user's primary key; None for nobody."""
    return request.user.pk if request.user.is_authenticated else None


def uploader(request: HttpRequest) -> int | None:
    """The user whose uploads a request may begin and continue; None, which stands for every user,
    only while accounts are off.

    Raises PermissionDenied where nobody has signed in.
    """
    if not settings.ACCOUNTS:
        return None
    signed_in = user_id(request)
    if signed_in is None:
        raise PermissionDenied("Nobody has signed in.")
    return signed_in


# Who may still see it, while a connection stays open
# -----------------------------------------------------------------


@dataclass(frozen=True)
class Follower:
    """Who follows the events of a corpus or of a run over a connection that stays open: all that is
    needed to ask again whether they may."""

    corpus: int | None
    run: int | None
    user: int | None = None
    session: str | None = None  # its key
    proof: str = ""  # the session's hash of the user's password: it changes with the password
    links: tuple[int, ...] = ()


def follower(request: HttpRequest, corpus: int | None = None, run: int | None = None) -> Follower:
    """Whom a request opens a connection for. The middleware has let the request in."""
    if not settings.ACCOUNTS:
        return Follower(corpus, run)
    session = request.session
    person = person_of(request)
    return Follower(
        corpus,
        run,
        person.user,
        session.session_key,
        session.get(HASH_SESSION_KEY, ""),
        person.links,
    )


def still(followers: Collection[Follower]) -> set[Follower]:
    """The followers who may still see what they follow, by four queries, however many there
    are.

    A user and followed links count as long as the session does from which they come.
    """
    of_run = dict(
        Run.objects.filter(pk__in={f.run for f in followers if f.run}).values_list("pk", "corpus")
    )
    corpus_of_follower = {
        follower: follower.corpus or of_run.get(follower.run or 0) or 0 for follower in followers
    }
    corpora = Corpus.objects.filter(pk__in=set(corpus_of_follower.values()))
    if not settings.ACCOUNTS:
        existing = set(corpora.values_list("pk", flat=True))
        return {follower for follower, pk in corpus_of_follower.items() if pk in existing}
    users = User.objects.filter(is_active=True).in_bulk({f.user for f in followers if f.user})
    proofs = {pk: user.get_session_auth_hash() for pk, user in users.items()}
    keys = {f.session for f in followers if f.session}
    sessions = set(
        Session.objects.filter(pk__in=keys, expire_date__gt=Now()).values_list("pk", flat=True)
    )
    people = {}
    for follower in followers:
        has_session = follower.session in sessions
        if follower.user and not (has_session and proofs.get(follower.user) == follower.proof):
            continue
        people[follower] = Person(follower.user, follower.links if has_session else ())
    granted = roles(corpora, *set(people.values()))
    still_granted = set()
    for follower, person in people.items():
        if person in granted.get(corpus_of_follower[follower], {}):
            still_granted.add(follower)
    return still_granted


def _address(request: HttpRequest) -> str:
    """The name of the address in webapp.urls."""
    return (request.resolver_match and request.resolver_match.url_name) or ""


def _of_api(request: HttpRequest) -> bool:
    match = request.resolver_match
    return match is not None and "api" in match.namespaces


# The middleware
# ------------------------------------------------------------------------------------------------------


class Authorization:
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
        needed = rule(match)
        request_context(request).role = Role.NONE
        if (_of_api(request) or _program_uploads(request)) and (refused := _by_token(request)):
            return refused
        embargo.read_by(partial(person_of, request))
        if needed.who is Who.LOCAL:
            return _missing(request) if settings.ACCOUNTS else None
        if needed.who is Who.ACCOUNTS:
            return self._refuse_accounts(request)
        if not settings.ACCOUNTS:
            request_context(request).role = Role.OWNER
            return None
        if needed.who is Who.ANYONE:
            return None
        if needed.who is Who.CORPUS:
            return self._admit_to_corpus(request, needed, kwargs)
        if not request.user.is_authenticated:
            return _sign_in(request)
        if needed.who is Who.USER:
            return None
        if needed.who is Who.OPERATOR:
            if request.user.is_staff:
                return None
            return _refuse(request, "This page is for whoever runs this Topograph.")
        return self._refuse_owned(request, needed.who, kwargs)

    def _refuse_accounts(self, request: HttpRequest) -> HttpResponse | None:
        """None where accounts are on; a student may use only the addresses that a student needs."""
        if not settings.ACCOUNTS:
            return _missing(request)
        if is_student(request) and _address(request) not in ("account_logout", "share"):
            return _missing(request)
        return None

    def _refuse_owned(self, request: HttpRequest, who: Who, kwargs: dict) -> HttpResponse | None:
        """None where the notebook, token or course of the address is the user's own."""
        if who is Who.NOTEBOOK:
            is_own = notebooks(request).filter(pk=kwargs["notebook_id"]).exists()
        elif who is Who.TOKEN:
            is_own = api_tokens(request).filter(pk=kwargs["token_id"]).exists()
        elif who is Who.COURSE:
            is_own = courses(request).filter(pk=kwargs["course_id"]).exists()
        else:
            raise AssertionError(f"Nothing says how to check {who}.")
        return None if is_own else _missing(request)

    def _admit_to_corpus(
        self, request: HttpRequest, needed: Rule, kwargs: dict
    ) -> HttpResponse | None:
        """The answer that refuses the request; None where every corpus and run in the address
        allows it, and then the request's context says what the reader is to them."""
        if (
            _of_api(request)
            and request.method not in SAFE
            and request_context(request).api_token is None
        ):
            return _refuse_unknown()
        least = needed.read if request.method in SAFE else needed.write
        standings = []
        for corpus, run in _named_in_address(request, needed, kwargs):
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


def _program_uploads(request: HttpRequest) -> bool:
    """Whether a program uploads by the tus protocol, with a token in place of a session."""
    return _address(request) in ("uploads", "upload") and request.headers.get(
        "Authorization", ""
    ).lower().startswith("bearer ")


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
    return JsonResponse({"error": UNKNOWN}, status=401, headers={"WWW-Authenticate": "Bearer"})


def _missing(request: HttpRequest) -> HttpResponse:
    """404, in the same words for what does not exist and for what the user may not see."""
    if _as_data(request):
        return JsonResponse(
            {"error": "Nothing is at this address, or you may not see it."}, status=404
        )
    return render(request, "404.html", {"sign_in": _address_to_sign_in(request)}, status=404)


def _only(request: HttpRequest, corpus: QuerySet[Corpus], least: Role) -> HttpResponse:
    """403 for who may see the corpus, but lacks the role; 401 for a program that sent no token."""
    name, owner = corpus.values_list("name", "owner__name").get()
    if _of_api(request) and request_context(request).api_token is None:
        return _refuse_unknown()
    return _refuse(
        request,
        f"{NEEDED[least].format(name=name)}. You may read it; ask {owner}, who owns it, for more.",
    )


def _refuse(request: HttpRequest, sentence: str, to_programs: int = 403) -> HttpResponse:
    if _as_data(request):
        return JsonResponse({"error": sentence}, status=to_programs)
    return render(
        request, "403.html", {"why": sentence, "sign_in": _address_to_sign_in(request)}, status=403
    )


def _sign_in(request: HttpRequest) -> HttpResponse:
    """For who has not signed in: leads to the page to do so, which leads back; 401 for programs."""
    if request.method in ("GET", "HEAD") and not _as_data(request):
        return redirect(_address_to_sign_in(request))
    return _refuse(request, "Sign in first.", to_programs=401)


def _address_to_sign_in(request: HttpRequest) -> str:
    if not settings.ACCOUNTS or request.user.is_authenticated:
        return ""
    back = request.get_full_path() if request.method in ("GET", "HEAD") else reverse("home")
    return f"{reverse('account_login')}?{urlencode({'next': back})}"


def _as_data(request: HttpRequest) -> bool:
    return wants_json(request) or _of_api(request) or "Tus-Resumable" in request.headers


# For views and templates
# ----------------------------------------------------------------------------------------------


def run_or_404(request: HttpRequest, pk: int) -> Run:
    """A run that the address does not name in its path. Raises Http404."""
    run = runs(request).select_related("corpus__version", "version").filter(pk=pk).first()
    if run is None:
        raise Http404(f"There is no run {pk}.")
    return run


def corpus_or_404(request: HttpRequest, pk: int) -> Corpus:
    """A corpus that the address does not name in its path. Raises Http404."""
    corpus = corpora(request).select_related("version").filter(pk=pk).first()
    if corpus is None:
        raise Http404(f"There is no corpus {pk}.")
    return corpus


class May:
    """What the user may do to the corpus of a page: templates show forms only to those who can use
    them."""

    def __init__(self, request: HttpRequest):
        role = Role(request_context(request).role)  # NONE: an error came before the middleware
        self.answer = role >= Role.VIEWER
        self.train = role >= Role.TRAINER
        self.edit_corpus = role >= Role.EDITOR
        self.own = role >= Role.OWNER
        self.edit = self.edit_corpus or request_context(request).own_run
        # Corpora; notebooks
        self.add = self.keep = not settings.ACCOUNTS or request.user.is_authenticated


def in_templates(request: HttpRequest) -> dict:
    """Context processor: `may`, `accounts`, `user` and `signup`. While accounts are off it asks the
    database nothing.

    On an error page while the database does not answer the user is anonymous.
    """
    user = getattr(request, "user", AnonymousUser())
    try:
        bool(settings.ACCOUNTS and user.is_authenticated)
    except DatabaseError:
        user = AnonymousUser()
    return {
        "may": SimpleLazyObject(lambda: May(request)),
        "accounts": settings.ACCOUNTS,
        "user": user,
        "signup": settings.SIGNUP != "closed",
    }
