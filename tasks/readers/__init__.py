"""From files to documents: one module per format. A file is data; nothing in it is run, followed or trusted.

`sniff` says what a file seems to be and how it would be read; `read` yields its documents, and its problems: one bad row
does not lose the rest.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from tasks.readers import archive, jsonl, table, text
from tasks.readers.dates import parse_date
from tasks.readers.model import Document, Options, Problem, Sniff, Unreadable
from tasks.readers.opening import extension, looks_like

__all__ = ["FORMATS", "Document", "Options", "Problem", "Sniff", "Unreadable", "parse_date", "read", "sniff"]

FORMATS = {"text": text, "csv": table, "tsv": table, "jsonl": jsonl, "zip": archive}
_BY_EXTENSION = {".txt": "text", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".zip": "zip"}


def sniff(path: Path, name: str, **known) -> Sniff:
    """What a file seems to be, by its name and its first bytes; `known` options are not guessed but taken.

    Raises Unreadable when nothing can be read from it.
    """
    form = known.pop("format", None) or _format(path, name)
    return FORMATS[form].sniff(path, name, Options(format=form), known)


def read(path: Path, name: str, options: Options, advance: Callable[[int], None] = lambda n: None) -> Iterator[Document | Problem]:
    """The documents of a file in their order, and what is wrong with it.

    `advance` is told how many more bytes of the file have been read. Raises Unreadable when the file can't be read on.
    """
    form = _format(path, name)
    return FORMATS[form].read(path, name, replace(options, format=form), advance)


def _format(path: Path, name: str) -> str:
    """The format, by the file's name; its first bytes must not say that it is something else."""
    if path.stat().st_size == 0:
        raise Unreadable(f"“{name}” is empty (0 bytes). Choose a file that has text in it.")
    found = _BY_EXTENSION.get(extension(name))
    if found is None:
        raise Unreadable(
            f"“{name}” has an ending that is not known here. Files can be .txt, .csv, .tsv, .jsonl (each also with .gz) and .zip."
        )
    looks = looks_like(path, name)
    if looks and not (found == "zip" and looks == "a ZIP archive"):
        expected = {"text": "plain text", "zip": "a ZIP archive"}.get(found, f"text in the form .{found}")
        raise Unreadable(f"“{name}” was expected to be {expected}, but its content is {looks}. Give it its right ending, or save it as text.")
    if found == "zip" and not looks:
        raise Unreadable(f"“{name}” ends in .zip, but its content is no ZIP archive. Pack it again.")
    return found
