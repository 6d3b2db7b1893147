"""manage.py migrate: bring the tables of the database up to date"""

from django.core.management.commands.migrate import Command as Migrate

from webapp.platform.storage.checks import TAG


class Command(Migrate):
    """Asks our own checks alone, as our other commands do: Django's check of addresses imports
    every page, which takes longer than the tables do. `manage.py check` asks them all."""

    def get_check_kwargs(self, options):
        return super().get_check_kwargs(options) | {"tags": [TAG]}
