"""An account that its owner deletes: what others lose is named first; then it closes at once, and
goes when all that it owned is gone."""

from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from inference.errors import Invalid
from webapp.models import GONE, Corpus, Course, GroupRole, Invitation, Membership, User
from webapp.platform.accounts import adapters, tokens
from webapp.platform.accounts.roles import links_that_hold
from webapp.platform.tries import try_each
from webapp.service.corpora import deletion

ACCOUNTS_AT_A_TIME = 20  # accounts that are taken away at a time
CORPORA_LISTED = 200  # corpora that the page names


@dataclass(frozen=True)
class SharedCorpus:
    """people, groups: with whom it is shared; links: that hold; parts: corpora that others made of
    it."""

    name: str
    pk: int
    public: bool
    people: int
    groups: int
    links: int
    parts: int


def shared(user: User) -> list[SharedCorpus]:
    """Corpora of a user that others would lose, at most CORPORA_LISTED: one query, however many
    there are."""
    owned_corpora = Corpus.objects.filter(owner=user, added_to=None)
    with_readers = owned_corpora.annotate(
        people=_count(Membership.objects.all()) + _count(Invitation.objects.all()),
        groups=_count(GroupRole.objects.all()),
        holding=_count(links_that_hold()),
        taken=_count(Corpus.objects.exclude(owner=user), "parent"),
    )
    has_readers = Q(public=True) | Q(people__gt=0) | Q(groups__gt=0) | Q(holding__gt=0)
    has_parts = Q(taken__gt=0)
    return [
        SharedCorpus(
            name=corpus.name,
            pk=corpus.pk,
            public=corpus.public,
            people=corpus.people,
            groups=corpus.groups,
            links=corpus.holding,
            parts=corpus.taken,
        )
        for corpus in with_readers.filter(has_readers | has_parts).order_by("pk")[:CORPORA_LISTED]
    ]


def _count(rows: QuerySet, field: str = "corpus") -> Coalesce:
    """How many of some rows have each corpus of another query in a field."""
    of_corpus = rows.filter(**{field: OuterRef("pk")}).order_by().values(field)
    return Coalesce(Subquery(of_corpus.annotate(number=Count("pk")).values("number")), 0)


def owned(user: User) -> int:
    """How many corpora go with the account."""
    return Corpus.everything.filter(owner=user, added_to=None).exclude(deleted_at=GONE).count()


def leave(user: User) -> None:
    """Close an account for good. From here on nobody signs in to it, and no token works.

    Raises Invalid for the local owner, and for a teacher whose classes have not ended.
    """
    if user.local:
        raise Invalid(
            "account",
            "This account owns what is made at the machine itself. Whoever runs this Topograph can"
            " close it.",
        )
    if Course.objects.filter(owner=user).exists():
        raise Invalid(
            "account", "You teach a class whose students have accounts of it. End the class first."
        )
    with transaction.atomic():
        User.objects.filter(pk=user.pk).update(is_active=False, leaving_at=Now())
        tokens.revoke_all(user)
        user.notebooks.update(token=None)
        for corpus in Corpus.objects.filter(owner=user, added_to=None).iterator(100):
            deletion.delete_corpus(corpus)
            deletion.expire_now(corpus)
    adapters.end_sessions(user)


def remove_left() -> None:
    """Accounts that were left, some at a time: each goes when its corpora are gone. Trainings on
    other people's corpora stay, without a name. It can be repeated."""
    left = User.objects.filter(is_active=False, leaving_at__isnull=False)
    # In another order each time: those that can't go yet don't keep the others from going
    try_each(partial(_remove, user) for user in left.order_by("?")[:ACCOUNTS_AT_A_TIME])


def _remove(user: User) -> None:
    remaining = Corpus.everything.filter(owner=user)
    for corpus in remaining.filter(added_to=None).exclude(deleted_at=GONE)[:100]:
        deletion.delete_corpus(corpus)
        deletion.expire_now(corpus)
    if not remaining.exists():
        user.delete()
