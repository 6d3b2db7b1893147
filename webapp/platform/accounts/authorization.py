"""Authorization: what a request may see, and what its user may do (docs/accounts.md says the same for
people).

What an address names in its path has been looked at before a view is called
(webapp.platform.accounts.admission). Views ask this module about whatever else they need, such as
the runs in ?run= or the notebook that a form chose: `corpora`, `runs` and `notebooks` are all that
a request may see. A test keeps views from asking the tables themselves
(tests/webapp/platform/accounts/test_access.py). All of it comes from one definition of who may see
a corpus: webapp.platform.accounts.roles.grants.

Whether texts may be read is another question, which webapp.platform.accounts.embargo answers. Tasks
do not ask: each works for one row, which a user with the right to do so made or queued.
"""

from typing import TypeVar

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError
from django.db.models import F, Q, QuerySet
from django.http import Http404, HttpRequest
from django.utils.functional import SimpleLazyObject

from inference.errors import Invalid
from webapp.models import ApiToken, Corpus, Course, Notebook, Notebooks, Run, Student, User
from webapp.platform.accounts.roles import EVERYBODY, Person, Role, grants, roles, with_role
from webapp.platform.request_context import request_context

LINKS = "links"  # in the session: keys of the links that were followed
T = TypeVar("T")


def person_of(request: HttpRequest) -> Person:
    """Who asks: the user who has signed in or whose token came, and the links that were followed in
    this browser.

    While accounts are off everybody may do everything, and nobody needs to be looked up.
    """
    if not settings.ACCOUNTS:
        return Person()
    return Person(
        user_id(request), () if is_of_api(request) else tuple(request.session.get(LINKS, []))
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
    visible = Corpus.objects.filter(added_to=None)
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


def is_of_api(request: HttpRequest) -> bool:
    """Whether a program asks the API, which looks at no session."""
    match = request.resolver_match
    return match is not None and "api" in match.namespaces


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
