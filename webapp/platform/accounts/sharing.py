"""With whom a corpus is shared: people by their accounts, whoever has a link, or everybody. What
each may then do: webapp.platform.accounts.authorization."""

import secrets
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from inference.errors import Invalid
from webapp.models import Corpus, Invitation, Link, Membership, User
from webapp.platform.accounts.roles import links_that_hold
from webapp.platform.accounts.tokens import digest

MOST_LINKS = 100  # of a corpus that hold
MOST_PEOPLE = 500  # of a corpus, with those who are invited
# For which a link holds
DAYS = {
    1: "a day",
    7: "a week",
    30: "a month",
    365: "a year",
    0: "until it is revoked",
}


def make_link(corpus: Corpus, by: User, name: str, days: int) -> tuple[Link, str]:
    """The row, and the token itself (256 random bits), which can't be had again."""
    name = " ".join(name.split())
    if len(name) > 60:
        raise Invalid(
            "name", f"Describe in at most 60 characters whom the link is for; got {len(name)}."
        )
    if days not in DAYS:
        raise Invalid(
            "days",
            f"A link can last {', '.join(map(str, DAYS))} days, 0 without an end; got {days}.",
        )
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        lock(corpus)
        if links_that_hold().filter(corpus=corpus).count() >= MOST_LINKS:
            raise Invalid(
                "name",
                f"“{corpus.name}” has {MOST_LINKS} links already. Revoke one that is not needed any"
                " more.",
            )
        end = timezone.now() + timedelta(days=days) if days else None
        return (
            Link.objects.create(
                corpus=corpus, by=by, name=name, digest=digest(secret), expires_at=end
            ),
            secret,
        )


def follow(secret: str) -> Link | None:
    """The link of that token, while it holds."""
    valid = links_that_hold().filter(digest=digest(secret), corpus__in=Corpus.objects.all())
    if link := valid.first():
        Link.objects.filter(pk=link.pk).update(used_at=Now())
    return link


def revoke_link(corpus: Corpus, number: int) -> None:
    """It is asked for at each request, so this holds at once for those who followed it, too."""
    corpus.links.filter(pk=number, revoked_at=None).update(revoked_at=Now())


def add(corpus: Corpus, who: str, role: str, by: User) -> tuple[User | Invitation, bool]:
    """Give somebody a role, by the name of their account or by their e-mail address: (to whom,
    whether it was not shared with them in another role already).

    An address that no account has shown to be its own is noted, and becomes a role when one does
    (`arrived`).
    """
    who = who.strip()
    check_role(role)
    with transaction.atomic():
        lock(corpus)
        if "@" not in who:
            user = User.objects.filter(name__iexact=who, is_active=True).exclude(email=None).first()
            if user is None:
                raise Invalid(
                    "who", f"Nobody here is called “{who[:60]}”. Give their e-mail address instead."
                )
            return _give(corpus, user, role)
        try:
            validate_email(who)
        except ValidationError:
            raise Invalid("who", f"“{who[:100]}” is not an e-mail address.") from None
        if corpus.owner.email == who.lower():
            raise Invalid("who", "That is the owner, who may do everything already.")
        if (
            address := EmailAddress.objects.filter(
                email=who.lower(), verified=True, user__is_active=True
            )
            .select_related("user")
            .first()
        ):
            return _give(corpus, address.user, role)
        if not corpus.invitations.filter(email=who.lower()).exists():
            _check_room(corpus)
        return Invitation.objects.update_or_create(
            corpus=corpus, email=who.lower(), defaults={"role": role, "by": by}
        )


def _give(corpus: Corpus, user: User, role: str) -> tuple[User, bool]:
    if user.pk == corpus.owner_id:
        raise Invalid("who", "That is the owner, who may do everything already.")
    if not corpus.memberships.filter(user=user).exists():
        _check_room(corpus)
    return (
        user,
        Membership.objects.update_or_create(corpus=corpus, user=user, defaults={"role": role})[1],
    )


def _check_room(corpus: Corpus) -> None:
    """Raises Invalid where nobody more can have a role; who has one can be given another."""
    if corpus.memberships.count() + corpus.invitations.count() >= MOST_PEOPLE:
        raise Invalid(
            "who",
            f"“{corpus.name}” is shared with {MOST_PEOPLE} people, which is the most. Make it"
            " public, or use a link.",
        )


def arrived(user: User, email: str) -> None:
    """Somebody has shown that an address is theirs: what was shared with it is shared with them."""
    with transaction.atomic():
        for invitation in (
            Invitation.objects.select_for_update()
            .filter(email=email.lower())
            .select_related("corpus")
        ):
            if invitation.corpus.owner_id != user.pk:
                Membership.objects.update_or_create(
                    corpus=invitation.corpus, user=user, defaults={"role": invitation.role}
                )
            invitation.delete()


def change(corpus: Corpus, user: int, role: str) -> None:
    check_role(role)
    corpus.memberships.filter(user=user).update(role=role)


def remove(corpus: Corpus, user: int) -> None:
    corpus.memberships.filter(user=user).delete()
    Corpus.objects.filter(pk=corpus.pk, offered_to=user).update(offered_to=None)


def withdraw(corpus: Corpus, invitation: int) -> None:
    corpus.invitations.filter(pk=invitation).delete()


def publish(corpus: Corpus, on: bool) -> None:
    Corpus.objects.filter(pk=corpus.pk).update(public=on)


def check_role(role: str) -> None:
    """Raises Invalid for one that there is not."""
    if role not in Membership.Role.values:
        raise Invalid(
            "role",
            f"The role must be one of {', '.join(Membership.Role.values)}, got “{role[:20]}”.",
        )


def lock(corpus: Corpus) -> None:
    """So that two who share it at once are counted one after the other."""
    Corpus.objects.select_for_update(no_key=True).get(pk=corpus.pk)
