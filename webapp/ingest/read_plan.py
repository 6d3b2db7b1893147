"""How the files of a corpus are read: those it was made of in one way, those of each addition in another."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from webapp import readers
from webapp.ingest.guesses import stored_path
from webapp.ingest.settings import ReadingSettings
from webapp.ingest.shaping import Shaping, upload_of
from webapp.models import SourceFile


class ReadPlan(NamedTuple):
    """Files that came together, and how they are read. unread: those of them that are still to be read."""

    options: readers.Options
    shaping: Shaping
    companions: readers.Companions
    table: tuple[Path, str] | None  # about the others
    unread: list[SourceFile]
    places: dict[str, int]  # positions by name, where one call shapes the items of all files

    def place(self, file: str, otherwise: int) -> int:
        """The position of the file that a document's file is, or is in."""
        while self.places and file not in self.places and "/" in file:
            file = file.rpartition("/")[0]
        return self.places.get(file, otherwise)


def read_plans(reading: ReadingSettings, everything: list[SourceFile]) -> Iterator[ReadPlan]:
    """A plan for the files that a corpus was made of, and one for those of each addition."""
    additions = [{"first": 0, "options": reading.options, "shaping": reading.shaping}, *reading.added]
    for addition, end in zip(additions, [*(each["first"] for each in additions[1:]), None], strict=True):
        options, shaping = readers.Options(**addition["options"]), Shaping(**addition["shaping"])
        came = [
            file for file in everything if file.position >= addition["first"] and (end is None or file.position < end)
        ]
        named = [(stored_path(file), file.name) for file in came]
        unread = [file for file in came if not file.read and file.name != shaping.table]
        places = {file.name: file.position for file in came} if shaping.across else {}
        yield ReadPlan(
            options, shaping, readers.Companions.among(named), upload_of(named, shaping.table), unread, places
        )
