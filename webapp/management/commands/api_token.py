"""manage.py api_token NAME: a token for a program that uses the API. It is printed once."""

from django.core.management.base import CommandError

from webapp.management.base import OwnCommand
from webapp.models import ApiToken
from webapp.platform.accounts import tokens


class Command(OwnCommand):
    help = "Make a token for the API and print it; --list shows all, --revoke ID ends one."

    arguments = {
        "name": {"nargs": "?", "metavar": "NAME", "help": "what it is for"},
        "--list": {
            "action": "store_true",
            "help": "all tokens: number, name, when made, last used, revoked",
        },
        "--revoke": {
            "type": int,
            "metavar": "ID",
            "help": "the number of a token that shall not work any more",
        },
    }

    def handle(self, *args, **options):
        if options["list"]:
            for token in ApiToken.objects.all():
                used = token.used_at or "never used"
                ended = f", revoked {token.revoked_at}" if token.revoked_at else ""
                self.stdout.write(
                    f"{token.pk}  {token.name}  made {token.created_at}, {used}{ended}"
                )
        elif options["revoke"] is not None:
            revoked = ApiToken.objects.filter(pk=options["revoke"]).first()
            if revoked is None:
                raise CommandError(f"There is no token {options['revoke']}.")
            tokens.revoke(revoked)
        elif options["name"]:
            self.stdout.write(tokens.create(options["name"])[1])
        else:
            raise CommandError("Say what the token is for: manage.py api_token NAME.")
