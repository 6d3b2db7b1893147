"""What came of an uploaded file: its documents, and the problems that it had."""

import csv
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

from inference.errors import Invalid
from webapp.models import Corpus, SourceFile, Version
from webapp.platform.storage import csv_cells, files, sealed

PROBLEMS = 100  # of a page
MOST_REPORT_BYTES = 4 << 20  # bytes of the report that are looked through for a page


def documents(version: Version, position: int) -> tuple[str, int, int]:
    """The file's name, its first document, and the one behind its last. Raises Invalid where they
    are not on record, or not together."""
    file = SourceFile.objects.filter(corpus=version.corpus_id, position=position).first()
    if file is None or file.first is None:
        raise Invalid(
            "only",
            f"There is no file {position} whose documents are on record: the list of the corpus’s"
            " files has links to those that are.",
        )
    first = min(file.first, version.documents)
    end = min(file.first + file.documents, version.documents)
    return file.name, first, end


def problems(corpus: Corpus, name: str, after: int = 0) -> tuple[list[dict], int | None]:
    """A page of the problems that reading found, in their order: file, place, message, dropped; and
    where the next one begins.

    name: of an uploaded file, whose problems and those of files in it are wanted; "" for all.
    after: a byte of the report. A page may have fewer than there is room for, or none, and others
    follow, where a long report has few of that file.
    """
    path = files.corpus_folder(corpus.pk) / "report.csv"
    if not sealed.exists(path):
        return [], None
    page = []
    # An error where it was begun amidst a row: an address that no page has
    with sealed.hold(path), path.open("rb") as file, suppress(csv.Error):
        file.seek(after)
        for row in csv.reader(_lines(file)):
            if len(row) == 4 and not (after == 0 and file.tell() and row[3] == "dropped"):
                source, place_in_file, message, dropped = map(csv_cells.unsafe, row)
                if not name or source == name or source.startswith(f"{name}/"):
                    page.append(
                        {
                            "file": source,
                            "place": place_in_file,
                            "message": message,
                            "dropped": dropped == "yes",
                        }
                    )
            if len(page) >= PROBLEMS or file.tell() - after >= MOST_REPORT_BYTES:
                end = file.tell()
                return page, end if file.read(1) else None
    return page, None


def _lines(file: BinaryIO) -> Iterator[str]:
    """One by one, so that the file is always behind the last one that was taken."""
    while line := file.readline():
        yield line.decode("utf-8", "replace")
