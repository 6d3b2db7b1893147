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
    """Files that came together, and how they are read. sources: those of them that are still to be read."""

    options: readers.Options
    shaping: Shaping
    companions: readers.Companions
    table: tuple[Path, str] | None  # about the others
    sources: list[SourceFile]
    places: dict[str, int]  # positions by name, where one call shapes the items of all files

    def place(self, file: str, otherwise: int) -> int:
        """The position of the upload that a document's file is, or is in."""
        while self.places and file not in self.places and "/" in file:
            file = file.rpartition("/")[0]
        return self.places.get(file, otherwise)


def read_plans(reading: ReadingSettings, everything: list[SourceFile]) -> Iterator[ReadPlan]:
    """A plan for the files that a corpus was made of, and one for those of each addition."""
    additions = [{"first": 0, "options": reading.options, "shaping": reading.shaping}, *reading.added]
    for addition, end in zip(additions, [*(each["first"] for each in additions[1:]), None], strict=True):
        options, shaping = readers.Options(**addition["options"]), Shaping(**addition["shaping"])
        came = [
            source
            for source in everything
            if source.position >= addition["first"] and (end is None or source.position < end)
        ]
        uploads = [(stored_path(source), source.name) for source in came]
        sources = [source for source in came if not source.read and source.name != shaping.table]
        places = {source.name: source.position for source in came} if shaping.across else {}
        yield ReadPlan(
            options, shaping, readers.Companions.of(uploads), upload_of(uploads, shaping.table), sources, places
        )
