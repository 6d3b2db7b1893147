"""manage.py verify PATH: train a run again from its bundle, or check a deposit and train its run
again, and say whether all is the same bit for bit. Needs no servers."""

from pathlib import Path

from django.core.management.base import CommandError

from inference import deposited
from inference.verify import (
    FIRST_TOPICS_MISSING,
    began_with_another,
    has_bag,
    other_engine,
    other_versions,
    verify,
)
from webapp.management.base import OwnCommand


class Command(OwnCommand):
    needs_tables = False
    help = (
        "Train a run again from its bundle, or from the folder of a deposit, whose files are"
        " checked first; and compare bit for bit."
    )

    arguments = {
        "bundle": {
            "type": Path,
            "metavar": "PATH",
            "help": "the bundle, a zip; or the folder of a deposit",
        },
    }

    def handle(self, *args, **options):
        path = (
            self._deposited(options["bundle"]) if options["bundle"].is_dir() else options["bundle"]
        )
        if path is None:
            return
        for name, (their_version, our_version) in other_versions(path).items():
            self.stdout.write(
                f"Note: it was trained with {name} {their_version}; here it is {our_version}."
            )
        if older := other_engine(path):
            self.stdout.write(f"Note: {older}")
        wrong = 0
        for finding in verify(path):
            self.stdout.write(f"{'the same ' if finding.same else 'DIFFERENT'}  {finding.what}")
            wrong += not finding.same
        if wrong:
            raise CommandError(f"The run is not the same bit for bit. {older}".rstrip())
        self.stdout.write("The run is the same, bit for bit.")

    def _deposited(self, folder: Path) -> Path | None:
        """Checks the files of a deposit; its bundle, where this Topograph can train that again."""
        if deposited.main(folder):
            raise CommandError("The deposit is not as it was made.")
        bundle = folder / "bundle.zip"
        if not has_bag(bundle):
            self.stdout.write(
                "The run can't be trained again from here: the bag of words is not in the deposit."
            )
        elif began_with_another(bundle):
            self.stdout.write(FIRST_TOPICS_MISSING)
        elif differences := [*other_versions(bundle), *filter(None, [other_engine(bundle)])]:
            self.stdout.write(
                f"The run was not trained again, as versions differ: {', '.join(differences)}. Train it"
                f" with: verify {bundle}"
            )
        else:
            return bundle
        return None
