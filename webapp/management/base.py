"""What our commands have in common."""

from django.core.management.base import BaseCommand

from webapp.storage.checks import TAG


class OwnCommand(BaseCommand):
    """A command that asks our own checks alone: Django's check of addresses imports every page, which takes longer than
    most commands. The start of Topograph and `manage.py check` ask them all."""

    requires_system_checks = (TAG,)
