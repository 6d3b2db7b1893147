"""What accounts are like here, for django-allauth: who may sign up, and what somebody may be
called."""

import secrets
import smtplib
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode, urlsplit

import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.account.signals import email_confirmed, user_logged_in
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base import Provider
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.db.models.functions import Now
from django.dispatch import receiver

from webapp.models import Invitation, User
from webapp.platform import logs
from webapp.platform.accounts import names, sharing, sign_on_groups
from webapp.platform.accounts.provider import GROUPS, CheckedProvider
from webapp.platform.pages import addresses

log = structlog.get_logger(__name__)

SESSIONS_AT_ONCE = 1000  # that are read from the database together
SUFFIXES = 10_000  # numbers of which one makes a name another


class Adapter(DefaultAccountAdapter):
    def send_mail(self, template_prefix: str, email: str, context: dict) -> None:
        """Letters lead to the site as its operator names it: what the Host header of a request says
        would lead elsewhere."""
        site_address = self.request.build_absolute_uri("/")
        values = {"request": self.request, "email": email, **context}
        for name, value in context.items():
            if isinstance(value, str) and value.startswith(site_address):
                path = value[len(site_address) - 1 :]
                values[name] = addresses.at_site(path)
        values["current_site"] = _Site()
        letter = self.render_mail(template_prefix, email, values)
        if settings.MAIL:
            letter_senders.submit(_deliver, letter)
        else:
            letter.send()

    def send_account_already_exists_mail(self, email: str) -> None:
        """To whoever has an account and signs up: as long as making one takes, or the time tells
        that there is one."""
        make_password(secrets.token_urlsafe())
        super().send_account_already_exists_mail(email)

    def _get_login_attempts_cache_key(self, request, **credentials) -> str:
        """Wrong passwords count for an address, by whatever Host it is asked for: allauth's key has
        that in it, port and all."""
        return credentials.get("email", "").lower()

    def get_logout_redirect_url(self, request) -> str:
        """Whoever signed in elsewhere is led there to sign out, where the operator says so. It is
        asked for before the session ends."""
        came_by = [way.get("method") for way in get_authentication_records(request, request.user)]
        if not settings.OIDC_SIGN_OUT or "socialaccount" not in came_by:
            return super().get_logout_redirect_url(request)
        back = {
            "client_id": settings.OIDC_CLIENT,
            "post_logout_redirect_uri": addresses.at_site("/"),
        }
        between = "&" if "?" in settings.OIDC_SIGN_OUT else "?"
        return f"{settings.OIDC_SIGN_OUT}{between}{urlencode(back)}"

    def is_open_for_signup(self, request) -> bool:
        """By a form, or by signing in elsewhere for the first time."""
        return settings.SIGNUP in ("open", "invite")

    def clean_email(self, email: str) -> str:
        """Where one must be invited: an address with which something is shared, whose account this
        will be."""
        if settings.SIGNUP == "invite" and self._signs_up() and not _is_invited(email):
            raise ValidationError(
                "Nothing is shared with this address yet. Ask whoever invited you to use it."
            )
        return super().clean_email(email)

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """A name that another account doesn't have, and that stands on nothing that somebody else
        said. shallow: whether the database is not asked. Raises ValidationError."""
        name = super().clean_username(username, shallow)
        if not shallow and names.is_signed(name):
            raise ValidationError(names.IS_SIGNED)
        return name

    def generate_unique_username(self, txts: list[str | None], regex: str | None = None) -> str:
        """A name for whoever signs in elsewhere for the first time, and is asked for none."""
        name = super().generate_unique_username(txts, regex)
        while names.is_signed(name):
            other_name = f"{name}{secrets.randbelow(SUFFIXES)}"
            name = super().generate_unique_username([other_name], regex)
        return name

    def _signs_up(self) -> bool:
        return (
            bool(self.request)
            and not self.request.user.is_authenticated
            and "signup" in (self.request.resolver_match.url_name or "")
        )


# Who asks for another password does not wait for the letter: the time would tell whether there is
# an account.
letter_senders = ThreadPoolExecutor(2, "letters")


def _deliver(letter: EmailMessage) -> None:
    try:
        letter.send()
    except (OSError, smtplib.SMTPException) as error:
        log.warning("an e-mail could not be sent", error=logs.error_name(error))


class _Site:
    """What templates of letters ask of a site."""

    domain = name = property(lambda self: urlsplit(settings.SITE).netloc)


class Elsewhere(DefaultSocialAccountAdapter):
    def get_provider(self, request, provider, client_id=None) -> Provider:
        """With claims that are checked, for the only kind of provider that there is."""
        found = super().get_provider(request, provider, client_id)
        if type(found) is OpenIDConnectProvider:
            return CheckedProvider(request, app=found.app)
        return found

    def is_open_for_signup(self, request, sociallogin) -> bool:
        """Where one must be invited, the address that comes from elsewhere must be, or a group: no
        form asks for it. Without an address a form does."""
        if not super().is_open_for_signup(request, sociallogin):
            return False
        if settings.SIGNUP != "invite" or sign_on_groups.are_shared_with(_groups(sociallogin)):
            return True
        addresses = [address.email for address in sociallogin.email_addresses]
        return not addresses or any(map(_is_invited, addresses))


def _groups(sociallogin: SocialLogin) -> list[str]:
    return sociallogin.account.extra_data.get(GROUPS, [])


def _is_invited(email: str) -> bool:
    return Invitation.objects.filter(email=email.lower()).exists()


@receiver(user_logged_in)
def _signed_in(user, sociallogin=None, **_) -> None:
    """By whatever else somebody signs in, nothing is said of groups."""
    if sociallogin is not None and settings.OIDC_GROUPS:
        sign_on_groups.record(user, _groups(sociallogin))


@receiver(email_confirmed)
def _confirm_address(request, email_address, **_) -> None:
    sharing.arrived(email_address.user, email_address.email)


def end_sessions(user: User) -> None:
    """All of somebody's, so that none goes on where the account is opened again. A session says
    whose it is inside alone, so each is looked at."""
    alive = Session.objects.filter(expire_date__gt=Now())
    keys = []
    for session in alive.iterator(SESSIONS_AT_ONCE):
        if session.get_decoded().get(SESSION_KEY) == str(user.pk):
            keys.append(session.pk)
    Session.objects.filter(pk__in=keys).delete()
