"""The formats of files, and which of them a file has. To add one: a module with `sniff` and `read`, and a line in FORMATS."""

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType

import regex

from webapp.readers import sandbox
from webapp.readers.companions import Companions
from webapp.readers.model import Document, Options, Problem, Sniff, Unreadable
from webapp.readers.opening import PARQUET, PDF, ZIP, Source, looks_like, plain

ROLES = ("text", "title", "date", "id")


@dataclass(frozen=True)
class Form:
    endings: tuple[str, ...]  # of names, lower case; each may be followed by .gz
    label: str  # for pages
    yields: str  # what is a document of it, for pages: formats with the same are listed together
    module: str  # of webapp.readers
    looks: str | None = None  # what its content is by its first bytes (opening.looks_like); None for text
    encoded: bool = False  # whether it is in an encoding that is guessed, and that the user may choose
    columns: bool = False  # whether its documents have fields, from which the user chooses
    sandboxed: bool = (
        False  # whether it is parsed by a library in a process of its own, because hostile bytes may end it
    )
    archive: bool = False  # whether it holds other files
    bag: bool = False  # whether it holds numbers of words, and needs a vocabulary beside it
    pattern: str = ""  # of a name, where the ending alone does not tell

    def matches(self, name: str) -> bool:
        return bool(self._compiled.search(name)) if self.pattern else name.endswith(self.endings)

    @cached_property
    def _compiled(self) -> regex.Pattern:
        return regex.compile(self.pattern)

    @cached_property
    def reader(self) -> ModuleType:
        return importlib.import_module(f"webapp.readers.{self.module}")


_FILE, _ROW, _ENTRY, _OBJECT = (
    "one document a file",
    "one document a row; you pick the columns",
    "of files in these formats",
    "one document an object",
)
_LINE, _MESSAGE = "one document a line: id, label and text, as MALLET reads it", "one document a message"
_BAG = "bags of words made elsewhere, with their vocabulary in a file beside them"
FORMATS = {  # the first that matches a file's name is its format
    "uci": Form(("docword….txt",), "bag of words (UCI)", _BAG, "uci", bag=True, pattern=r"(^|/)docword\.[^/]*txt$"),
    "text": Form((".txt",), "text", _FILE, "text", encoded=True),
    "markdown": Form((".md", ".markdown"), "Markdown", _FILE, "markdown", encoded=True, sandboxed=True),
    "html": Form((".html", ".htm", ".xhtml"), "page (HTML)", _FILE, "html", encoded=True, sandboxed=True),
    "pdf": Form((".pdf",), "PDF", _FILE, "pdf", looks=PDF, sandboxed=True),
    "docx": Form((".docx",), "Word document", _FILE, "docx", looks=ZIP, sandboxed=True),
    "odt": Form((".odt",), "OpenDocument text", _FILE, "odt", looks=ZIP, sandboxed=True),
    "epub": Form((".epub",), "book (EPUB)", _FILE, "epub", looks=ZIP, sandboxed=True),
    "xml": Form((".xml", ".tei"), "XML, TEI", _FILE, "tei", sandboxed=True),
    "csv": Form((".csv",), "table (CSV)", _ROW, "table", encoded=True, columns=True),
    "tsv": Form((".tsv", ".tab"), "table (TSV)", _ROW, "table", encoded=True, columns=True),
    "xlsx": Form((".xlsx",), "spreadsheet (Excel)", _ROW, "spreadsheet", looks=ZIP, columns=True, sandboxed=True),
    "ods": Form((".ods",), "spreadsheet (OpenDocument)", _ROW, "spreadsheet", looks=ZIP, columns=True, sandboxed=True),
    "parquet": Form((".parquet",), "table (Parquet)", _ROW, "parquet", looks=PARQUET, columns=True, sandboxed=True),
    "jsonl": Form((".jsonl", ".ndjson"), "JSON lines", _OBJECT, "jsonl", encoded=True, columns=True),
    "json": Form((".json",), "JSON", _OBJECT, "json_file", encoded=True, columns=True),
    "mail": Form((".eml", ".mbox"), "e-mail", _MESSAGE, "mail", sandboxed=True),
    "mallet": Form((".mallet",), "lines for MALLET", _LINE, "mallet", encoded=True, columns=True),
    "zip": Form((".zip",), "ZIP archive", _ENTRY, "zips", looks=ZIP, archive=True),
    "tar": Form((".tar", ".tgz"), "tar archive", _ENTRY, "tars", archive=True),
    "mtx": Form((".mtx",), "bag of words (Matrix Market)", _BAG, "mtx", bag=True),
    "ldac": Form((".ldac", ".dat"), "bag of words (LDA-C)", _BAG, "ldac", bag=True),
    "vocabulary": Form((".vocab",), "vocabulary of a bag of words", _BAG, "vocabulary", encoded=True),
}


def by_name(name: str) -> str | None:
    lower = plain(name.replace("\\", "/")).lower()
    return next((key for key, form in FORMATS.items() if form.matches(lower)), None)


def label(name: str) -> str:
    """What a file is by its name, for pages."""
    form = by_name(name)
    return FORMATS[form].label if form else "unknown"


def encoded(options: Options) -> bool:
    """Whether an encoding can be chosen for files that are read so."""
    form = FORMATS.get(options.entry or options.format)
    return form is None or form.encoded


def single(name: str) -> bool:
    """Whether a file is one document, by its name. A file of TEI may be several."""
    form = by_name(name)
    return form is not None and form != "xml" and FORMATS[form].yields == _FILE


def tabular(name: str) -> bool:
    """Whether a file has columns, by its name."""
    form = FORMATS.get(by_name(name) or "")
    return bool(form and form.columns)


def accepted() -> str:
    """What a file chooser is told: ".txt,.csv,…"."""
    endings = [ending for form in FORMATS.values() for ending in form.endings if ending.startswith(".")]
    return ",".join([*endings, ".gz"])


def listed() -> list[tuple[str, str]]:
    """(endings, what is a document of them), for pages; each kind once, in the order of FORMATS."""
    kinds: dict[str, list[str]] = {}
    for kind in (_FILE, _ROW, _OBJECT, _MESSAGE, _LINE, _ENTRY):
        kinds[kind] = []
    for form in FORMATS.values():
        kinds.setdefault(form.yields, []).extend(form.endings)
    return [(" ".join(endings), kind) for kind, endings in kinds.items()] + [(".gz", "any of them, compressed")]


def sentence() -> str:
    endings = " ".join(endings for endings, _ in listed()).split()[:-1]
    return f"Files can be {', '.join(endings[:-1])} and {endings[-1]}, each also with .gz."


def of(source: Source, name: str) -> str:
    """The format, by the file's name; its first bytes must not say that it is something else, or Unreadable is raised."""
    if source.stat().st_size == 0:
        raise Unreadable(f"“{name}” is empty (0 bytes). Choose a file that has text in it.")
    found = by_name(name)
    if found is None:
        raise Unreadable(f"“{name}” has an ending that is not known here. {sentence()}")
    form = FORMATS[found]
    if found == "tar":  # may begin with anything: its reader tells
        return found
    looks = looks_like(source, name)
    if looks == form.looks:
        return found
    if form.looks:
        content = looks or "something else"
        raise Unreadable(
            f"“{name}” is no {form.label}, though its ending says so: its content is {content}. Give it its right ending, or save it again."
        )
    expected = "plain text" if found == "text" else f"text in the form {form.endings[0]}"
    raise Unreadable(
        f"“{name}” was expected to be {expected}, but its content is {looks}. Give it its right ending, or save it as text."
    )


def sniff(source: Source, name: str, known: dict, companions: Companions) -> Sniff:
    if bag := companions.bag_of(name):
        source, name = bag
    key = of(source, name)
    form, options = FORMATS[key], Options(format=key)
    if form.archive or form.bag:
        return form.reader.sniff(source, name, options, known, companions)
    if form.sandboxed:
        return sandbox.sniff(source, name, key, options, known)
    return form.reader.sniff(source, name, options, known)


def read(
    source: Source, name: str, options: Options, advance: Callable[[int], None], companions: Companions
) -> Iterator[Document | Problem]:
    if companions.bag_of(name):
        advance(source.stat().st_size)
        return
    key = of(source, name)
    form = FORMATS[key]
    if form.columns and key != (options.entry or options.format):
        options = _refitted(source, name, options, companions)
    if form.archive or form.bag:
        yield from form.reader.read(source, name, options, advance, companions)
    elif form.sandboxed:
        yield from sandbox.read(source, name, key, options, advance)
    else:
        yield from form.reader.read(source, name, options, advance)


def _refitted(source: Source, name: str, options: Options, companions: Companions) -> Options:
    """Options for a file of another format than they were made for: what it seems to be, and the chosen columns by their names."""
    found = sniff(source, name, {"encoding": options.encoding} if encoded(options) else {}, companions).options
    if options.text is None or options.names[options.text] not in found.names:
        return found
    chosen = {role: options.names[i] for role in ROLES if (i := getattr(options, role)) is not None}
    return replace(
        found, **{role: found.names.index(chosen[role]) if chosen.get(role) in found.names else None for role in ROLES}
    )
