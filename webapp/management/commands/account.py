"""manage.py account EMAIL: make an account, or change one, from the machine itself. The first one
is made so."""

import getpass
import sys

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email
from django.db import transaction

from inference.errors import Invalid
from webapp.management.base import OwnCommand
from webapp.models import GONE, Corpus, User
from webapp.platform.accounts import adapters, names, ownership, sharing, tokens


class Command(OwnCommand):
    help = (
        "Make an account, or change one. With --owner it takes over all that was made while"
        " accounts were off."
    )

    arguments = {
        "email": {"metavar": "EMAIL", "help": "to sign in with"},
        "--name": {"help": "shown to others; needed for a new account, and never changed"},
        "--owner": {
            "action": "store_true",
            "help": (
                "make the local owner this account: corpora, runs, notebooks and tokens become its"
            ),
        },
        "--same-person": {
            "action": "store_true",
            "help": (
                "labels and answers here that are signed with the name are this person’s, who gets"
                " them"
            ),
        },
        "--operator": {
            "action": "store_true",
            "help": "who may see the pages about workers, queue and disk",
        },
        "--no-operator": {"action": "store_true", "help": "who may not any more"},
        "--password": {
            "action": "store_true",
            "help": (
                "ask for another password, and end sessions and tokens; for a new account it is"
                " always asked for"
            ),
        },
        "--password-stdin": {
            "action": "store_true",
            "help": "read the password from standard input instead",
        },
        "--close": {
            "action": "store_true",
            "help": (
                "nobody can sign in to it any more; sessions and tokens end, what it owns stays"
            ),
        },
        "--open": {"action": "store_true", "help": "and can again"},
        "--hand-over": {
            "metavar": "EMAIL",
            "help": (
                "all corpora that it owns, deleted ones too, become those of this account, when"
                " somebody leaves"
            ),
        },
        **{
            f"--most-{name}": {
                "metavar": "N",
                "help": f"how many {what} it may have; “default” as all others",
            }
            for name, what in (
                ("bytes", "bytes of files"),
                ("documents", "documents"),
                ("jobs", "jobs that wait or run at once"),
                ("students", "students in its classes; above 0 it is a teacher’s"),
            )
        },
    }

    def handle(self, *args, **options):
        with transaction.atomic():
            self._change(options)

    def _change(self, options: dict) -> None:
        email = options["email"].strip().lower()
        self._check(validate_email, email, f"“{email}” is not an e-mail address.")
        old = User.objects.filter(email=email).first()
        user = self._new(email, options) if old is None else old
        if old and options["owner"] and not old.local:
            raise CommandError(
                f"{email} is an account already. Take another address for the local owner, and"
                " share with this one."
            )
        self._set_rights(user, options)
        other_password = options["password"] or options["password_stdin"]
        ends = old and (options["close"] or other_password)
        if old is None or other_password:
            user.set_password(self._password(user, options["password_stdin"]))
        user.save()
        revoked = tokens.revoke_all(user) if ends else []
        if ends:
            adapters.end_sessions(user)
        EmailAddress.objects.update_or_create(
            user=user, email=email, defaults={"verified": True, "primary": True}
        )
        sharing.arrived(user, email)
        roles = ""
        if user.is_staff:
            roles += ", operator"
        if not user.is_active:
            roles += ", closed"
        self.stdout.write(f"{user.name} <{user.email}>{roles}")
        if options["hand_over"]:
            self._hand_over(user, options["hand_over"].strip().lower())
        if revoked:
            self.stdout.write(f"Revoked tokens of the API: {', '.join(revoked)}.")

    def _new(self, email: str, options: dict) -> User:
        """An account with this address, not saved yet: another one, or the local owner's."""
        user = User.objects.local() if options["owner"] else User()
        if user.email:
            raise CommandError(f"The local owner is an account already: {user.email}.")
        if not options["name"]:
            raise CommandError(
                "Say what the account is called, which others see: --name “Ada Lovelace”."
            )
        for check in names.NAME:
            self._check(check, options["name"])
        if User.objects.filter(name__iexact=options["name"]).exclude(pk=user.pk).exists():
            raise CommandError(f"Another account is called {options['name']}.")
        # While accounts were off, the local owner signed with any name
        is_known = options["owner"] or options["same_person"]
        if not is_known and names.is_signed(options["name"]):
            raise CommandError(
                f"Labels, notes or answers here are signed with the name {options['name']}. Take"
                " another name, or add --same-person where they are this person’s."
            )
        user.name = options["name"]
        user.email = email
        return user

    def _set_rights(self, user: User, options: dict) -> None:
        if options["operator"] or options["no_operator"]:
            user.is_staff = options["operator"]
        if options["close"] or options["open"]:
            user.is_active = options["open"]
        for name in settings.MOST:
            if (number := options[f"most_{name}"]) is not None:
                if number != "default" and not number.isdigit():
                    raise CommandError(
                        f"--most-{name} must be a whole number, or “default”; got {number}."
                    )
                setattr(user, f"most_{name}", None if number == "default" else int(number))

    def _hand_over(self, user: User, email: str) -> None:
        heir = User.objects.filter(email=email, is_active=True).exclude(pk=user.pk).first()
        if heir is None:
            raise CommandError(
                f"No other account that is open has the address {email}: who is to have the corpora"
                " must have one."
            )
        corpora = (
            Corpus.everything.filter(owner=user, added_to=None)
            .exclude(deleted_at=GONE)
            .order_by("pk")
        )
        try:
            for corpus in corpora.iterator(100):
                ownership.move(corpus, heir)
                self.stdout.write(f"“{corpus.name}” ({corpus.pk}) is {heir.name}’s now.")
        except Invalid as error:
            raise CommandError(
                f"{error.message} Nothing was handed over. Give {email} more with --most-bytes and"
                " --most-documents."
            ) from None

    def _password(self, user: User, from_stdin: bool) -> str:
        password = (
            sys.stdin.readline().rstrip("\n") if from_stdin else getpass.getpass("Password: ")
        )
        if not from_stdin and getpass.getpass("Once more: ") != password:
            raise CommandError("These are two different passwords.")
        self._check(lambda value: validate_password(value, user), password)
        return password

    @staticmethod
    def _check(validator, value: str, sentence: str = "") -> None:
        try:
            validator(value)
        except ValidationError as error:
            raise CommandError(sentence or " ".join(error.messages)) from None
