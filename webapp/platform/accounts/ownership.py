"""A corpus that goes to another owner: offered by the one, taken by the other, whose quota then
pays for it; or moved by the operator."""

from django.db import transaction
from django.db.models import Q

from inference.errors import Invalid
from webapp.models import Corpus, Membership, User
from webapp.platform.accounts import quotas


def offer(corpus: Corpus, user: int) -> User:
    """To somebody with whom it is shared; it stays its owner's until they take it. Raises
    Invalid."""
    with transaction.atomic():
        Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
        member = (
            corpus.memberships.filter(user=user, user__is_active=True, user__student=None)
            .select_related("user")
            .first()
        )
        if member is None:
            raise Invalid(
                "owner",
                "A corpus can be handed over to somebody with whom it is shared, but not to a"
                " student. Share it first.",
            )
        Corpus.objects.filter(pk=corpus.pk).update(offered_to=member.user)
    return member.user


def withdraw(corpus: Corpus, user: User | None = None) -> None:
    """End the offer; that to one user alone where it is they who decline it."""
    Corpus.objects.filter(pk=corpus.pk, **({"offered_to": user} if user else {})).update(
        offered_to=None
    )


def take(corpus: Corpus, user: User) -> None:
    """By whom it was offered to; who owned it before is an editor then. Raises Invalid."""
    with transaction.atomic():
        row = Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
        if row.offered_to_id != user.pk or not row.memberships.filter(user=user).exists():
            raise Invalid("owner", f"“{row.name}” is not offered to you any more.")
        before = row.owner
        _move(row, user)
        Membership.objects.update_or_create(
            corpus=row, user=before, defaults={"role": Membership.Role.EDITOR}
        )


def move(corpus: Corpus, user: User) -> None:
    """By the operator, without asking anybody. Raises Invalid."""
    with transaction.atomic():
        _move(Corpus.everything.select_for_update(no_key=True).get(pk=corpus.pk), user)


def _move(corpus: Corpus, user: User) -> None:
    """With the drafts of what is to be added. Links, members and runs stay as they are."""
    quotas.check_corpus(user, corpus)
    Corpus.everything.filter(Q(pk=corpus.pk) | Q(added_to=corpus.pk)).update(
        owner=user, offered_to=None
    )
    Membership.objects.filter(
        Q(corpus=corpus.pk) | Q(corpus__added_to=corpus.pk), user=user
    ).delete()
