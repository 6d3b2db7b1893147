"""The provider of single sign-on, as far as it is believed: what it says of somebody is checked
before django-allauth reads it, and what Topograph has no use for is not kept.

Whoever runs the provider decides who somebody is. Beyond that nothing it says is trusted: types
that the standard does not have, an address that it has not verified, a subject that differs between
the token and what it tells of the user, and names with characters that can't be seen.
"""

from typing import Any

from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.conf import settings
from django.http import HttpRequest

from webapp.platform.accounts import sign_on_groups

TEXTS = ("email", "preferred_username", "name", "given_name", "family_name")
LONGEST_TEXT = 254  # characters: of an e-mail address
LONGEST_SUBJECT = 191  # characters: as long as django-allauth keeps it
GROUPS = "groups"  # where a sign-in has the names of groups, whatever the claim is called


class CheckedProvider(OpenIDConnectProvider):
    """Like django-allauth's own, for claims that were checked."""

    def sociallogin_from_response(
        self, request: HttpRequest, response: dict[str, Any]
    ) -> SocialLogin:
        """Raises OAuth2Error where it is not known who signs in; the page then says that it
        failed."""
        return super().sociallogin_from_response(request, checked(response))


def checked(response: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a sign-in. response: "userinfo", "id_token", or both: claims by name.

    An address counts as verified where the claim is true, and in no other case: “true” and 1 are
    none. Raises OAuth2Error.
    """
    answers = [response[name] for name in ("userinfo", "id_token") if response.get(name)]
    if not answers or not all(isinstance(claims, dict) for claims in answers):
        raise OAuth2Error("The provider did not say who signs in.")
    subjects = {_subject(claims) for claims in answers}
    if len(subjects) > 1:
        raise OAuth2Error("The provider told of another person than its token.")
    kept: dict[str, Any] = {"sub": subjects.pop()}
    for name in TEXTS:
        for claims in answers:
            if name not in kept and _is_text(claims.get(name)):
                kept[name] = claims[name]
                if name == "email":
                    kept["email_verified"] = claims.get("email_verified") is True
    names = []
    if settings.OIDC_GROUPS:
        for claims in answers:
            names += sign_on_groups.claimed(claims, settings.OIDC_GROUPS)
    return {"userinfo": kept, GROUPS: sign_on_groups.bounded(list(dict.fromkeys(names)))}


def _subject(claims: dict[str, Any]) -> str:
    subject = claims.get("sub")
    if not isinstance(subject, str) or not _is_text(subject) or len(subject) > LONGEST_SUBJECT:
        raise OAuth2Error("The provider did not say who signs in.")
    return subject


def _is_text(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_TEXT and value.isprintable()
