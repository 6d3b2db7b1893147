"""Who may see a corpus, and what they are to it: the one definition, which every check of a right is made of (`grants`)."""

from collections import defaultdict
from enum import IntEnum
from functools import reduce
from operator import or_
from typing import NamedTuple

from django.conf import settings
from django.db.models import BigIntegerField, Exists, Expression, F, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, Coalesce, Now

from webapp.models import Corpus, Link, Membership


class Role(IntEnum):
    """What a user is to a corpus. Each role may do what the roles before it may, and more."""

    NONE = 0
    READER = 1  # sees everything: anybody, where the corpus is public or a link was followed
    VIEWER = 2  # answers intrusion tests, and makes a part of the corpus a corpus of their own
    EDITOR = 3  # changes the corpus, adds files and trains
    OWNER = 4  # shares the corpus, puts it under embargo and deletes it


NOBODY = Cast(None, BigIntegerField())


class Person(NamedTuple):
    """Whose rights are asked for. user: the primary key of who has signed in, or None; links: keys of the links that were followed."""

    user: int | None = None
    links: tuple[int, ...] = ()


GRANTED = {"owner": Role.OWNER, "editor": Role.EDITOR, "viewer": Role.VIEWER, "reader": Role.READER}
# Of a corpus: the one that is shared. Files that are to be added to a corpus are that one's.
SHARED = Coalesce("into", "pk")


def grants(*people: Person, least: Role = Role.READER) -> list[QuerySet]:
    """The only definition of who may see a corpus: a query for each reason that applies to these people or to everybody.

    least: leave out the reasons that give a lesser role.
    A row is a grant: `granted` (the corpus), `to_user` and `to_link` (both None: everybody) and `as_role` (a name in GRANTED).
    Deleted corpora are among them; whoever combines grants with corpora says which of those count.
    """
    users = {person.user for person in people if person.user}
    links = {link for person in people for link in person.links}
    reasons = []

    def add(
        reason: QuerySet, corpus: str, role: Expression, user: Expression = NOBODY, link: Expression = NOBODY
    ) -> None:
        as_role = Cast(role, TextField())
        reasons.append(reason.order_by().annotate(granted=F(corpus), to_user=user, to_link=link, as_role=as_role))

    if users:
        add(Corpus.everything.filter(owner__in=users), "pk", Value("owner"), user=F("owner_id"))
        names = [name for name, role in GRANTED.items() if role >= least]
        add(Membership.objects.filter(user__in=users, role__in=names), "corpus_id", F("role"), user=F("user_id"))
    if links and least <= Role.READER:
        valid = Q(expires_at=None) | Q(expires_at__gt=Now())
        add(Link.objects.filter(valid, pk__in=links, revoked_at=None), "corpus_id", Value("reader"), link=F("pk"))
    if least <= Role.READER:
        add(Corpus.everything.filter(public=True), "pk", Value("reader"))
    return reasons


def granted(corpora: QuerySet[Corpus], *people: Person) -> dict[int, dict[Person, Role]]:
    """What each of some people is to each of some corpora, by one query: shared corpus (SHARED) -> person -> role, at least READER."""
    shared = corpora.order_by().values_list(SHARED)
    first, *others = (
        grant.filter(granted__in=shared).values_list("granted", "to_user", "to_link", "as_role")
        for grant in grants(*people)
    )
    roles: dict[int, dict[Person, Role]] = {}
    by_user, by_link = defaultdict(set), defaultdict(set)
    for person in people:
        by_user[person.user].add(person)
        for link in person.links:
            by_link[link].add(person)
    for corpus, user, link, name in first.union(*others, all=True):
        to = by_user[user] if user else by_link[link] if link else people
        own = roles.setdefault(corpus, {})
        own.update((person, max(GRANTED[name], own.get(person, Role.NONE))) for person in to)
    return roles


def with_role(corpora: QuerySet[Corpus], person: Person, least: Role = Role.READER) -> QuerySet[Corpus]:
    """Those of some corpora in which a person has at least a role."""
    if not settings.ACCOUNTS:
        return corpora
    reasons = [Q(Exists(grant.filter(granted=OuterRef("shared")))) for grant in grants(person, least=least)]
    return corpora.alias(shared=SHARED).filter(reduce(or_, reasons)) if reasons else corpora.none()
