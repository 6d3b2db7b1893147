"""manage.py backup FOLDER-OR-FILE: a consistent copy of everything, while the system runs."""

from pathlib import Path

from django.core.management.base import CommandError

from inference.errors import number_of
from webapp.management.base import OwnCommand
from webapp.management.progress import Line
from webapp.platform.drawing.numbers import byte_size
from webapp.service.operations import backup


class Command(OwnCommand):
    help = (
        "Write a consistent copy of database and files, while Topograph runs; prints the file's"
        " name last."
    )

    arguments = {
        "to": {
            "type": Path,
            "metavar": "FOLDER-OR-FILE",
            "help": "in a folder the file is named by the time",
        },
    }

    def handle(self, *args, **options):
        to: Path = options["to"].absolute()
        path = to / backup.name() if to.is_dir() else to
        if path.exists():
            raise CommandError(f"{path} is there already. Name another file, or a folder.")
        if not path.parent.is_dir():
            raise CommandError(f"There is no folder {path.parent}. Make it first.")
        with Line() as line:
            try:
                done = backup.make(
                    path,
                    lambda progress: line.say(
                        progress.bytes,
                        progress.of,
                        number_of(progress.files, "file"),
                    ),
                )
            except OSError as error:
                raise CommandError(
                    f"{path} could not be written: {error.strerror}. Nothing is left of it."
                ) from None
        rows = number_of(done.rows, "row")
        stored_files = number_of(done.files, "file")
        packed = byte_size(path.stat().st_size)
        self.stderr.write(f"{rows} and {stored_files}, {byte_size(done.bytes)}, in {packed}.")
        self.stdout.write(str(path))
