"""What accounts are like here, for django-allauth: who may sign up, and what somebody may be called."""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.signals import email_confirmed
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.dispatch import receiver

from webapp.models import Invitation
from webapp.services import sharing

NAME = [  # of an account: it stands on what its owner says, so it can't pretend to be another by what can't be seen
    RegexValidator(r"^[^\W_](?:[\w .’'-]*[\w.])?$", "A name is made of letters and digits, with spaces, points, apostrophes and hyphens between."),
]


class Adapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request) -> bool:
        """By a form, or by signing in elsewhere for the first time."""
        return settings.SIGNUP in ("open", "invite")

    def clean_email(self, email: str) -> str:
        """Where one must be invited: an address with which something is shared, whose account this will be."""
        if settings.SIGNUP == "invite" and self._signs_up() and not _invited(email):
            raise ValidationError("Nothing is shared with this address yet. Ask whoever invited you to share with it.")
        return super().clean_email(email)

    def _signs_up(self) -> bool:
        return bool(self.request) and not self.request.user.is_authenticated and "signup" in (self.request.resolver_match.url_name or "")


class Elsewhere(DefaultSocialAccountAdapter):
    def is_open_for_signup(self, request, sociallogin) -> bool:
        """Where one must be invited, the address that comes from elsewhere must be: no form asks for it. Without one a form does."""
        addresses = [address.email for address in sociallogin.email_addresses]
        invited = settings.SIGNUP != "invite" or not addresses or any(map(_invited, addresses))
        return invited and super().is_open_for_signup(request, sociallogin)


def _invited(email: str) -> bool:
    return Invitation.objects.filter(email=email.lower()).exists()


@receiver(email_confirmed)
def _confirmed(request, email_address, **_) -> None:
    sharing.arrived(email_address.user, email_address.email)
