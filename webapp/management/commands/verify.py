"""manage.py verify BUNDLE: train a run again from its bundle, and say whether it is the same bit for bit. Needs no
servers."""

from pathlib import Path

from django.core.management.base import CommandError

from inference.verify import other_engine, other_versions, verify
from webapp.management.base import OwnCommand


class Command(OwnCommand):
    needs_tables = False
    help = "Train a run again from the bundle from its page “Files”, and compare bit for bit."

    arguments = {
        "bundle": {"type": Path, "metavar": "BUNDLE", "help": "the zip"},
    }

    def handle(self, *args, **given):
        for name, (there, here) in other_versions(given["bundle"]).items():
            self.stdout.write(f"Note: it was trained with {name} {there}; here it is {here}.")
        if older := other_engine(given["bundle"]):
            self.stdout.write(f"Note: {older}")
        wrong = 0
        for finding in verify(given["bundle"]):
            self.stdout.write(f"{'the same ' if finding.same else 'DIFFERENT'}  {finding.what}")
            wrong += not finding.same
        if wrong:
            raise CommandError(f"The run is not the same bit for bit. {older}".rstrip())
        self.stdout.write("The run is the same, bit for bit.")
