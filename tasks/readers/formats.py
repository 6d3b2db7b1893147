"""The formats of single files, and which of them a file has."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from tasks.readers import jsonl, table, text
from tasks.readers.model import Document, Options, Problem, Sniff, Unreadable
from tasks.readers.opening import Source, extension, looks_like

FORMATS = {"text": text, "csv": table, "tsv": table, "jsonl": jsonl}
ROLES = ("text", "title", "date", "id")
_BY_EXTENSION = {".txt": "text", ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".zip": "zip"}


def by_name(name: str) -> str | None:
    return _BY_EXTENSION.get(extension(name))


def of(source: Source, name: str) -> str:
    """The format, by the file's name; its first bytes must not say that it is something else, or Unreadable is raised."""
    if source.stat().st_size == 0:
        raise Unreadable(f"“{name}” is empty (0 bytes). Choose a file that has text in it.")
    found = by_name(name)
    if found is None:
        raise Unreadable(
            f"“{name}” has an ending that is not known here. Files can be .txt, .csv, .tsv, .jsonl and .zip, each also with .gz."
        )
    looks = looks_like(source, name)
    if found == "zip" and not looks:
        raise Unreadable(f"“{name}” ends in .zip, but its content is no ZIP archive. Pack it again.")
    if looks and not (found == "zip" and looks == "a ZIP archive"):
        expected = {"text": "plain text", "zip": "a ZIP archive"}.get(found, f"text in the form .{found}")
        raise Unreadable(f"“{name}” was expected to be {expected}, but its content is {looks}. Give it its right ending, or save it as text.")
    return found


def sniff(source: Source, name: str, form: str, known: dict) -> Sniff:
    return FORMATS[form].sniff(source, name, Options(format=form), known)


def read(source: Source, name: str, form: str, options: Options, advance: Callable[[int], None]) -> Iterator[Document | Problem]:
    if form != "text" and form != (options.entry or options.format):
        options = _refitted(source, name, form, options)
    return FORMATS[form].read(source, name, options, advance)


def _refitted(source: Source, name: str, form: str, options: Options) -> Options:
    """Options for a file of another format than they were made for: what it seems to be, and the chosen columns by their names."""
    found = sniff(source, name, form, {"encoding": options.encoding}).options
    if options.text is None or options.names[options.text] not in found.names:
        return found
    chosen = {role: options.names[i] for role in ROLES if (i := getattr(options, role)) is not None}
    return replace(found, **{role: found.names.index(chosen[role]) if chosen.get(role) in found.names else None for role in ROLES})
