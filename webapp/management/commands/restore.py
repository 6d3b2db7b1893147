"""manage.py restore FILE: take up a backup, in an empty state folder or database."""

from pathlib import Path

from django.core.management.base import CommandError

from inference.errors import number_of
from webapp.management.base import OwnCommand
from webapp.management.progress import Line
from webapp.platform.local import folder, servers
from webapp.service.operations import restore


class Command(OwnCommand):
    needs_tables = False
    help = "Restore a backup, after looking through all of it, where nothing runs and nothing is."

    arguments = {
        "file": {"type": Path, "metavar": "FILE", "help": "as backup made it"},
        "--check": {"action": "store_true", "help": "only look through it, and say what it holds"},
        "--overwrite": {"action": "store_true", "help": "delete what is here, if something is"},
    }

    def handle(self, *args, **options):
        path: Path = options["file"].absolute()
        try:
            size = path.stat().st_size
        except OSError as error:
            raise CommandError(f"{path} can’t be read: {error.strerror}.") from None
        if not options["check"] and not servers.ours and folder.locked():
            raise CommandError(
                f"Topograph is running with the state folder {folder.data()}. Stop it first."
            )
        with Line() as line:
            seen = 0

            def tell(count: int) -> None:
                nonlocal seen
                seen += count
                line.say(seen, 0, f"of a file of {size:,} bytes, compressed")

            try:
                if options["check"]:
                    backup = restore.check(path, tell)
                else:
                    backup = restore.restore(path, overwrite=options["overwrite"], tell=tell)
            except OSError as error:
                raise CommandError(
                    f"It broke off: {error.strerror}. No row of it is there; restore it again, with"
                    " --overwrite."
                ) from None
        moment = backup["made"][: len("2026-11-27T21:00:00")].replace("T", " ")
        corpora = number_of(backup["corpora"], "corpus", "corpora")
        runs = number_of(backup["runs"], "run")
        rows = number_of(backup["rows"], "row")
        content = f"{corpora} and {runs}, in {rows}, as of {moment} UTC"
        verdict = "The backup is whole" if options["check"] else "Restored"
        self.stdout.write(f"{verdict}: {content}.")
