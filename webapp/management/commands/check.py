"""manage.py check: look for mistakes in the settings; with --readers N, say what this machine bears
and what to set"""

from django.core.management.base import CommandError
from django.core.management.commands.check import Command as Check

from webapp.service.operations import capacity


class Command(Check):
    def add_arguments(self, parser):
        super().add_arguments(parser)
        parser.add_argument(
            "--readers",
            type=int,
            metavar="N",
            help="say what this machine bears with so many at once",
        )

    def handle(self, *labels, readers=None, **options):
        super().handle(*labels, **options)
        if readers is not None:
            if readers < 1:
                raise CommandError(f"--readers must be 1 or more, got {readers}.")
            self.stdout.write("\n".join(capacity.sentences(readers)))
