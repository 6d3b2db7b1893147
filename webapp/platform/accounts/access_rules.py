"""What an address asks of whoever comes: the rules with which webapp/urls.py declares each. Nothing
else says who may come in; webapp.platform.accounts.admission applies them."""

from dataclasses import dataclass, replace
from enum import Enum, auto

from django.core.exceptions import ImproperlyConfigured
from django.urls import ResolverMatch

from webapp.platform.accounts.roles import Role


class Who(Enum):
    """Who may ask for an address: which check of `admission.CHECKS` applies."""

    ANYONE = auto()  # the view shows nothing that belongs to a user, or asks `authorization` for it
    USER = auto()  # who has signed in
    OPERATOR = auto()  # who is_staff
    # Everybody while accounts are off; while they are on there is no such address
    LOCAL = auto()
    # The other way round; for who joined a class only where the rule says so (`Rule.students`). The
    # view decides the rest
    ACCOUNTS = auto()
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
    # Of ACCOUNTS alone: also for who joined a class, and has no address to sign in with
    students: bool = False
    # A program may come with a token in place of a session; to the API it comes with nothing else
    by_token: bool = False

    def __post_init__(self) -> None:
        if self.students and self.who is not Who.ACCOUNTS:
            raise ImproperlyConfigured("“students” is said of addresses of ACCOUNTS alone.")


ANYONE = Rule(Who.ANYONE)
USER = Rule(Who.USER)
OPERATOR = Rule(Who.OPERATOR)
LOCAL = Rule(Who.LOCAL)
UPLOAD = replace(USER, by_token=True)
ACCOUNTS = Rule(Who.ACCOUNTS)
ACCOUNTS_AND_STUDENTS = replace(ACCOUNTS, students=True)
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


def rule_of(match: ResolverMatch) -> Rule:
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
