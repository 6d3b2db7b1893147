"""A file that is made while it is sent, or by a worker: its name, and its bytes piece by piece."""

from collections.abc import Iterator
from typing import NamedTuple

from webapp.core.results import provenance
from webapp.service.exports.catalogue import ExportKind
from webapp.service.exports.table_formats import FORMATS
from webapp.service.exports.tables import ExportSource

LONGEST_SET_NAME = 40  # characters, in the name of a file, of which documents were chosen


class ExportFile(NamedTuple):
    """pieces: to be pulled once."""

    name: str
    media: str
    pieces: Iterator[bytes]


def name_file(source: ExportSource, kind: ExportKind, ending: str) -> str:
    """The file's name, which says the corpus and the run, what was typed for it, and which
    documents were chosen."""
    typed = provenance.in_names(typed_for(source, kind))
    parts = [kind.name]
    if typed:
        parts.append(typed)
    selection = kind.restricted(source).selection
    if selection.has_conditions:
        parts.append("selected")
        set_name = provenance.in_names(selection.name)[:LONGEST_SET_NAME].strip("-")
        if set_name:
            parts.append(set_name)
    return provenance.file_name(source.run, f"{'-'.join(parts)}.{ending}")


def typed_for(source: ExportSource, kind: ExportKind) -> str:
    """The word or the pattern that a kind asks for; "" of the other kinds."""
    return (source.word or source.pattern) if kind.asks else ""


def describe(source: ExportSource, kind: ExportKind, ending: str) -> str:
    """What is in the file, for the list of those that a worker makes."""
    typed = typed_for(source, kind)
    sentence = f"{kind.title}, {kind.label_of(ending)}"
    if typed:
        sentence += f" of “{typed}”"
    selection = kind.restricted(source).selection
    if selection.has_conditions:
        sentence += f": {selection.sentence}"
    return sentence


def make_file(source: ExportSource, kind: ExportKind, ending: str) -> ExportFile:
    """Raises Invalid where a table can't be made as it was asked for."""
    source = kind.restricted(source)
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
    made_by = provenance.made_by(source.run) | {
        "table": kind.title,
        "documents taken": source.selection.sentence,
    }
    if kind.asks:
        topics = list(source.topics) if source.pattern else []
        made_by |= {"word": source.word, "pattern": source.pattern, "topics of hits": topics}
    return made_by
