"""What our commands have in common."""

import os
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError

from inference.errors import Invalid
from webapp.platform.accounts import embargo
from webapp.platform.local import migrations, servers
from webapp.platform.local.postgres import Failed
from webapp.platform.storage.checks import TAG


class OwnCommand(BaseCommand):
    """A command that asks our own checks alone: Django's check of addresses imports every page,
    which takes longer than most commands. The start of Topograph and `manage.py check` ask them
    all.

    arguments: what argparse is told of each, by its name.
    """

    requires_system_checks = (TAG,)
    needs_tables = True
    arguments: ClassVar[dict[str, dict[str, Any]]] = {}

    def add_arguments(self, parser: Any) -> None:
        for name, declared in self.arguments.items():
            parser.add_argument(name, **declared)

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            # Another database is migrated by whoever operates it
            if self.needs_tables and servers.ours:
                migrations.bring_up_to_date(dict(os.environ))
            with embargo.as_program():
                return super().execute(*args, **options)
        except (Failed, Invalid) as error:
            raise CommandError(str(error)) from None
