"""A file that is made while it is sent, or by a worker: its name, and its bytes piece by piece."""

from collections.abc import Iterator
from typing import NamedTuple

from webapp.core.results import provenance
from webapp.service.exports.catalogue import ExportKind
from webapp.service.exports.table_formats import FORMATS
from webapp.service.exports.tables import ExportSource


class ExportFile(NamedTuple):
    """pieces: to be pulled once."""

    name: str
    media: str
    pieces: Iterator[bytes]


def name_file(source: ExportSource, kind: ExportKind, ending: str) -> str:
    """The file's name, which says the corpus and the run, and whether documents were chosen."""
    selected = "-selected" if kind.selected and source.selection else ""
    return provenance.file_name(source.run, f"{kind.name}{selected}.{ending}")


def make_file(source: ExportSource, kind: ExportKind, ending: str) -> ExportFile:
    """Raises Invalid where a table can't be made as it was asked for."""
    name = name_file(source, kind, ending)
    media = kind.media_of(ending)
    if kind.table:
        write = FORMATS[ending].write
        return ExportFile(name, media, write(kind.table(source), _made_by(source, kind)))
    if kind.file is None:
        raise AssertionError(f"“{kind.name}” is neither a table nor a file.")
    return ExportFile(name, media, kind.file(source))


def _made_by(source: ExportSource, kind: ExportKind) -> dict:
    """What JSON and Parquet files say of how they were made."""
    return provenance.made_by(source.run) | {
        "table": kind.title,
        "documents taken": source.selection.sentence,
    }
