"""Groups of the provider of single sign-on: those that somebody is in, as it said at their last
sign-in, and the roles that owners give to them (docs/accounts.md).

What the provider says takes the place of what it said before, so that whoever leaves a group loses
its roles at the next sign-in; what is older than a session gives none (roles.grants), so that
tokens and open pages do not outlast it.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from inference.errors import Invalid
from webapp.models import Corpus, GroupMember, GroupRole, SignOnGroup, User
from webapp.platform.accounts import sharing

MOST_GROUPS = 1_000  # of a person that are kept; those with which something is shared come first
MOST_SAID = 200_000  # that are looked at
LONGEST_NAME = 255  # characters of a name
MOST_OF_CORPUS = 100  # groups with which a corpus is shared
NAMES_AT_A_TIME = 5_000  # names that are looked up at a time


def claimed(claims: dict[str, Any], name: str) -> list[str]:
    """The groups in what a provider says of somebody, without repetition.

    name: of the claim; with points it may lead into others, as "realm_access.roles" does. One name
    counts as a list of one. Whatever is no name of a group is left out: numbers, lists, nothing,
    names that are empty, too long, or have characters that can't be seen.
    """
    value = claims.get(name)
    if value is None:
        value = claims
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        return []
    return list(dict.fromkeys(_names(value[:MOST_SAID])))


def _names(values: list) -> Iterator[str]:
    for value in values:
        if isinstance(value, str) and _is_name(value.strip()):
            yield value.strip()


def _is_name(text: str) -> bool:
    return 0 < len(text) <= LONGEST_NAME and text.isprintable()


def bounded(names: list[str]) -> list[str]:
    """At most MOST_GROUPS of them; first the operators' group and those with which something is
    shared."""
    if len(names) <= MOST_GROUPS:
        return names
    used = {settings.OIDC_OPERATORS}
    for first in range(0, len(names), NAMES_AT_A_TIME):
        roles = GroupRole.objects.filter(group__name__in=names[first : first + NAMES_AT_A_TIME])
        used.update(roles.values_list("group__name", flat=True))
    return sorted(names, key=lambda name: name not in used)[:MOST_GROUPS]


def record(user: User, names: list[str]) -> None:
    """Somebody has signed in, and is in these groups, and in no other."""
    with transaction.atomic():
        # In one order, so that two who sign in at once don't wait for each other
        rows = [SignOnGroup(name=name) for name in sorted(names)]
        SignOnGroup.objects.bulk_create(rows, ignore_conflicts=True)
        members = GroupMember.objects.filter(user=user)
        members.exclude(group__name__in=names).delete()
        now = timezone.now()
        GroupMember.objects.bulk_create(
            [
                GroupMember(user=user, group=group, seen_at=now)
                for group in SignOnGroup.objects.filter(name__in=names).order_by("pk")
            ],
            update_conflicts=True,
            update_fields=["seen_at"],
            unique_fields=["user", "group"],
        )
        if settings.OIDC_OPERATORS:
            User.objects.filter(pk=user.pk).update(is_staff=settings.OIDC_OPERATORS in names)


def of(user: User) -> list[str]:
    """By name."""
    rows = SignOnGroup.objects.filter(members__user=user).order_by("name")
    return list(rows.values_list("name", flat=True))


def are_shared_with(names: list[str]) -> bool:
    """Whether something is shared with one of some groups."""
    return GroupRole.objects.filter(group__name__in=names).exists()


def share(corpus: Corpus, name: str, role: str) -> None:
    """Give everybody in a group a role, or another one. Raises Invalid."""
    name = name.strip()
    if not settings.OIDC_GROUPS:
        raise Invalid("group", "No groups are known here: the operator has not named their claim.")
    sharing.check_role(role)
    if not _is_name(name):
        raise Invalid(
            "group",
            f"Type the name of a group as the sign-on has it, at most {LONGEST_NAME} characters.",
        )
    with transaction.atomic():
        sharing.lock(corpus)
        # A group that has a role can be given another where there is no room for more
        others = corpus.group_roles.exclude(group__name=name)
        if others.count() >= MOST_OF_CORPUS:
            raise Invalid(
                "group",
                f"“{corpus.name}” is shared with {MOST_OF_CORPUS} groups, which is the most.",
            )
        group, _ = SignOnGroup.objects.get_or_create(name=name)
        GroupRole.objects.update_or_create(corpus=corpus, group=group, defaults={"role": role})


def unshare(corpus: Corpus, number: int) -> None:
    """number: of the row that gives the role."""
    corpus.group_roles.filter(pk=number).delete()


def remove_old() -> None:
    """What was said too long ago to give a role, and groups of nobody with which nothing is
    shared."""
    GroupMember.objects.filter(seen_at__lt=Now() - timedelta(days=settings.GROUP_DAYS)).delete()
    SignOnGroup.objects.filter(members=None, roles=None).delete()
