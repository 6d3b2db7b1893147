"""API tokens: made, looked up, revoked."""

import hashlib
import secrets
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from inference.errors import Invalid
from webapp.models import ApiToken, User

PREFIX = "topograph_"  # so that a token which lies about can be told for what it is
MOST_TOKENS = 100  # of a user that are not revoked: a page lists them all


def create(name: str, user: User | None = None) -> tuple[ApiToken, str]:
    """The row, by default the local owner's, and the token itself, which can't be had again."""
    name = " ".join(name.split())
    if not name or len(name) > 60:
        raise Invalid(
            "name", f"Describe in 1 to 60 characters what the token is for; got {len(name)}."
        )
    user = user or User.objects.local()
    if holding(user).count() >= MOST_TOKENS:
        raise Invalid(
            "name",
            f"You have {MOST_TOKENS} tokens, which is the most. Revoke one that is not needed any"
            " more.",
        )
    secret = PREFIX + secrets.token_urlsafe(32)
    return ApiToken.objects.create(user=user, name=name, digest=digest(secret)), secret


def find(secret: str) -> ApiToken | None:
    """The token that this is, unless it was revoked, or its user may not sign in."""
    token = (
        ApiToken.objects.select_related("user")
        .filter(digest=digest(secret), revoked_at=None, user__is_active=True)
        .first()
    )
    if token:
        # The last use is kept to the minute: not a write for each request
        stale = Q(used_at=None) | Q(used_at__lt=timezone.now() - timedelta(minutes=1))
        ApiToken.objects.filter(stale, pk=token.pk).update(used_at=Now())
    return token


def revoke(token: ApiToken) -> None:
    ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=Now())


def holding(user: User) -> QuerySet[ApiToken]:
    """A user's tokens that are not revoked, the newest first."""
    return ApiToken.objects.filter(user=user, revoked_at=None).order_by("-pk")


def revoke_all(user: User) -> list[str]:
    """A user's; returns their names."""
    names = list(holding(user).values_list("name", flat=True))
    holding(user).update(revoked_at=Now())
    return names


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
