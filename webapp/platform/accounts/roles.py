"""Who may see a corpus, and what they are to it: the one definition, which every check of a right
is made of (`grants`, EVERYBODY)."""

from collections import defaultdict
from datetime import timedelta
from enum import IntEnum
from functools import lru_cache, reduce
from itertools import islice
from operator import or_
from typing import NamedTuple

from django.conf import settings
from django.db.models import (
    BigIntegerField,
    Case,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    TextField,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce, Now

from webapp.models import Corpus, GroupRole, Link, Membership
from webapp.platform.storage.sql import tuples


class Role(IntEnum):
    """What a user is to a corpus. Each role may do what the roles before it may, and more."""

    NONE = 0
    READER = 1  # sees everything: anybody, where the corpus is public or a link was followed
    VIEWER = 2  # answers intrusion tests, and makes a part of the corpus a corpus of their own
    TRAINER = 3  # trains, and is an editor of the runs that they trained themselves (authorization)
    EDITOR = 4  # changes the corpus and all its runs, and adds files
    OWNER = 5  # shares the corpus, puts it under embargo and deletes it


NOBODY = Cast(Value(None), BigIntegerField())


class Person(NamedTuple):
    """Whose rights are asked for. user: the primary key of who has signed in, or None; links: keys
    of the links that were followed."""

    user: int | None = None
    links: tuple[int, ...] = ()


GRANTED = {role.name.lower() if role else "": role for role in reversed(Role)}
# Corpora that everybody may read, signed in or not. Files that are to be added to one are not among
# them.
EVERYBODY = Q(public=True)
# Of a corpus: the one whose grants count. Files that are to be added to a corpus are shared with
# people as that one is.
SHARED_CORPUS = Coalesce("added_to", "pk")


def grants(*people: Person, least: Role = Role.READER, taught: bool = True) -> list[QuerySet]:
    """The only definition of to whom a corpus is open that is not open to EVERYBODY: a query for
    each reason that applies.

    least: leave out the reasons that give a lesser role. taught: with what students have, whose
    teacher reads it.
    A row is a grant: `granted` (the corpus), `to_user` or `to_link`, and `as_role` (a name in
    GRANTED). Deleted corpora are among them; whoever combines grants with corpora says which of
    those count.

    `grants_as_sql` keeps the SQL with numbers below 0 in the places of primary keys. So each reason
    names the people once, and has no number below 0 of its own.
    """
    users = {person.user for person in people if person.user}
    links = {link for person in people for link in person.links}
    reasons = []
    if users:
        members = Membership.objects.filter(
            user__in=users, role__in=[name for name, role in GRANTED.items() if role >= least]
        )
        reasons.append(
            _rows(
                Corpus.everything.filter(owner__in=users),
                F("pk"),
                Value("owner"),
                user=F("owner_id"),
            )
        )
        reasons.append(_rows(members, F("corpus_id"), F("role"), user=F("user_id")))
        in_groups = GroupRole.objects.filter(
            group__members__user__in=users,
            group__members__seen_at__gt=Now() - timedelta(days=settings.GROUP_DAYS),
            role__in=[name for name, role in GRANTED.items() if role >= least],
        )
        reasons.append(
            _rows(in_groups, F("corpus_id"), F("role"), user=F("group__members__user_id"))
        )
        if taught and least <= Role.VIEWER:
            of_students = Corpus.everything.filter(owner__student__course__owner__in=users)
            reasons.append(
                _rows(
                    of_students,
                    F("pk"),
                    Value("viewer"),
                    user=F("owner__student__course__owner_id"),
                )
            )
    if links and least <= Role.READER:
        followed = links_that_hold().filter(pk__in=links)
        reasons.append(_rows(followed, F("corpus_id"), Value("reader"), link=F("pk")))
    return reasons


def links_that_hold() -> QuerySet[Link]:
    """Links that are neither revoked nor at their end."""
    has_not_ended = Q(expires_at=None) | Q(expires_at__gt=Now())
    return Link.objects.filter(has_not_ended, revoked_at=None)


def _rows(
    reason: QuerySet,
    corpus: Combinable,
    role: Combinable,
    *,
    user: Combinable = NOBODY,
    link: Combinable = NOBODY,
) -> QuerySet:
    return reason.order_by().annotate(
        granted=corpus, to_user=user, to_link=link, as_role=Cast(role, TextField())
    )


@lru_cache(100)
def grants_as_sql(corpora: int, users: int, links: int) -> tuple[str, tuple]:
    """The grants of so many people for so many corpora, as SQL: Django takes longer to write it
    than Postgres to answer. Parameters below 0 are places: -1 of the first corpus; users are behind
    the corpora, and links behind the users."""
    placeholders = iter(range(-1, -1 - corpora - users - links, -1))
    corpus_places = list(islice(placeholders, corpora))
    people = [*map(Person, islice(placeholders, users)), Person(links=tuple(placeholders))]
    columns = ("granted", "to_user", "to_link", "as_role")
    reasons = grants(*people)
    first, *further_parts = (
        grant.filter(granted__in=corpus_places).values_list(*columns) for grant in reasons
    )
    sql, parameters = (
        first.union(*further_parts, all=True) if further_parts else first
    ).query.sql_with_params()
    # One reason is for links, all others are for users
    reasons_for_users = len(reasons) - bool(links)
    expected = len(reasons) * corpora + reasons_for_users * users + links
    if sum(map(is_place, parameters)) != expected:
        raise AssertionError("A number below 0 in the SQL of grants is not the place of a key.")
    return sql, parameters


def is_place(parameter: object) -> bool:
    """Whether a parameter of `grants_as_sql` stands for a primary key."""
    return isinstance(parameter, int) and parameter < 0


def roles(corpora: QuerySet[Corpus], *people: Person) -> dict[int, dict[Person, Role]]:
    """What each of some people is to each of some corpora, by two queries: primary key -> person ->
    role, people without one left out."""
    open_to_all = Case(When(EVERYBODY, then=Value("reader")), default=Value(""))
    rows = corpora.order_by().values_list("pk", SHARED_CORPUS, open_to_all)
    open_to = {corpus: (whose, GRANTED[name]) for corpus, whose, name in rows}
    by_user = defaultdict(set)
    by_link = defaultdict(set)
    for person in people:
        if person.user is not None:
            by_user[person.user].add(person)
        for link in person.links:
            by_link[link].add(person)
    granted: dict[int, dict[Person, Role]] = defaultdict(dict)  # by the corpus that is shared
    shared = {whose for whose, _ in open_to.values()}
    if shared and (by_user or by_link):
        sql, parameters = grants_as_sql(len(shared), len(by_user), len(by_link))
        numbers = [*shared, *by_user, *by_link]
        bound_parameters = [numbers[-1 - p] if is_place(p) else p for p in parameters]
        for whose, user, link, name in tuples(sql, bound_parameters):
            for person in by_user[user] if user is not None else by_link[link]:
                granted[whose][person] = max(GRANTED[name], granted[whose].get(person, Role.NONE))
    roles_of_corpora: dict[int, dict[Person, Role]] = {}
    for corpus, (whose, everybodys) in open_to.items():
        roles_of_people = roles_of_corpora[corpus] = {}
        for person in people:
            role = max(everybodys, granted[whose].get(person, Role.NONE))
            if role:
                roles_of_people[person] = role
    return roles_of_corpora


def with_role(
    corpora: QuerySet[Corpus], person: Person, least: Role = Role.READER
) -> QuerySet[Corpus]:
    """Those of some corpora in which a person has at least a role."""
    if not settings.ACCOUNTS:
        return corpora
    reasons = [
        Q(Exists(grant.filter(granted=OuterRef("shared")))) for grant in grants(person, least=least)
    ]
    if least <= Role.READER:
        reasons.append(EVERYBODY)
    return (
        corpora.alias(shared=SHARED_CORPUS).filter(reduce(or_, reasons))
        if reasons
        else corpora.none()
    )
