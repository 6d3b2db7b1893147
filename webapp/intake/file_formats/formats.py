"""The formats of files, known by their names. To add one: a module with `read`, and a line in
FORMATS."""

import importlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import regex

from webapp.intake.file_formats.base import (
    PARQUET,
    PDF,
    ZIP,
    Options,
    Sniff,
    Source,
    check_encoding,
    guess_encoding,
    head,
    nothing,
    plain,
)
from webapp.intake.file_formats.prose import preview

NO_ORDER = "Only the numbers of words are known, not their order: pages can't show texts."


@dataclass(frozen=True)
class Format:
    """A file format: how its files are known, what pages say of it, and which module reads it."""

    endings: tuple[str, ...]  # of names, lower case; each may be followed by .gz
    label: str  # for pages
    yields: str  # what is a document of it, for pages: formats with the same are listed together
    module_name: str  # in webapp.intake.file_formats
    looks: str | None = (
        None  # what its content is by its first bytes (base.looks_like); None for text
    )
    encoded: bool = (
        False  # whether it is in an encoding that is guessed, and that the user may choose
    )
    columns: bool = False  # whether its documents have fields, from which the user chooses
    # whether it is parsed by a library in a process of its own, because hostile bytes may end it
    sandboxed: bool = False
    archive: bool = False  # whether it holds other files
    bag: bool = False  # whether it holds numbers of words, and needs a vocabulary beside it
    pattern: str = ""  # of a name, where the ending alone does not tell

    def matches(self, name: str) -> bool:
        return (
            bool(regex.search(self.pattern, name)) if self.pattern else name.endswith(self.endings)
        )

    @cached_property
    def module(self) -> Any:
        """What has `read` and, where it is needed, `sniff`: the module, or of an archive its
        Archive."""
        module = importlib.import_module(f"webapp.intake.file_formats.{self.module_name}")
        return module.ARCHIVE if self.archive else module

    def sniff(
        self, source: Source, name: str, options: Options, fixed_options: dict, *companions
    ) -> Sniff:
        """What a file of this format seems to be: by its module's `sniff`, else by how its first
        documents begin."""
        if hasattr(self.module, "sniff"):
            return self.module.sniff(source, name, options, fixed_options, *companions)
        if self.encoded:
            encoding = fixed_options.get("encoding") or guess_encoding(head(source, name))
            options = replace(options, encoding=check_encoding(encoding))
        items = self.module.read(source, name, options, nothing, *companions)
        return preview(items, replace(options, given=self.bag), NO_ORDER if self.bag else None)


_FILE = "one document per file"
_ROW = "one document per row; you choose the columns"
_ENTRY = "of files in these formats"
_OBJECT = "one document per object"
_LINE = "one document per line: id, label and text, as MALLET reads it"
_MESSAGE = "one document per message"
_TURN = "one document per file, or per turn where speakers are named"
_REFERENCE = "one document per reference, its abstract the text"
_TEXT = "one document per text in the file"
_BAG = "bags of words made elsewhere, with their vocabulary in a file beside them"
FORMATS = {  # the first that matches a file's name is its format
    "uci": Format(
        ("docword….txt",),
        "bag of words (UCI)",
        _BAG,
        "uci",
        bag=True,
        pattern=r"(^|/)docword\.[^/]*txt$",
    ),
    "whatsapp": Format(
        ("WhatsApp Chat….txt",),
        "chat (WhatsApp)",
        _MESSAGE,
        "whatsapp",
        encoded=True,
        pattern=r"(^|/)(whatsapp[ _-]?chat[^/]*|_chat)\.txt$",
    ),
    "text": Format((".txt",), "text", _FILE, "text", encoded=True),
    "markdown": Format(
        (".md", ".markdown"), "Markdown", _FILE, "markdown", encoded=True, sandboxed=True
    ),
    "html": Format(
        (".html", ".htm", ".xhtml"), "page (HTML)", _FILE, "html", encoded=True, sandboxed=True
    ),
    "hocr": Format(
        (".hocr",), "recognised pages (hOCR)", _FILE, "ocr", encoded=True, sandboxed=True
    ),
    "pdf": Format((".pdf",), "PDF", _FILE, "pdf", looks=PDF, sandboxed=True),
    "docx": Format((".docx",), "Word document", _FILE, "docx", looks=ZIP, sandboxed=True),
    "rtf": Format((".rtf",), "rich text (RTF)", _FILE, "rtf", sandboxed=True),
    "odt": Format((".odt",), "OpenDocument text", _FILE, "odt", looks=ZIP, sandboxed=True),
    "epub": Format((".epub",), "book (EPUB)", _FILE, "epub", looks=ZIP, sandboxed=True),
    "xml": Format((".xml", ".tei"), "XML, TEI, ALTO, PAGE", _FILE, "tei", sandboxed=True),
    "csv": Format((".csv",), "table (CSV)", _ROW, "table", encoded=True, columns=True),
    "tsv": Format((".tsv", ".tab"), "table (TSV)", _ROW, "table", encoded=True, columns=True),
    "xlsx": Format(
        (".xlsx",),
        "spreadsheet (Excel)",
        _ROW,
        "spreadsheet",
        looks=ZIP,
        columns=True,
        sandboxed=True,
    ),
    "ods": Format(
        (".ods",),
        "spreadsheet (OpenDocument)",
        _ROW,
        "spreadsheet",
        looks=ZIP,
        columns=True,
        sandboxed=True,
    ),
    "parquet": Format(
        (".parquet",),
        "table (Parquet)",
        _ROW,
        "parquet",
        looks=PARQUET,
        columns=True,
        sandboxed=True,
    ),
    "jsonl": Format(
        (".jsonl", ".ndjson"), "JSON lines", _OBJECT, "jsonl", encoded=True, columns=True
    ),
    "json": Format((".json",), "JSON", _OBJECT, "json_file", encoded=True, columns=True),
    "subtitles": Format(
        (".srt", ".vtt"), "subtitles", _TURN, "subtitles", encoded=True, sandboxed=True
    ),
    "references": Format(
        (".ris", ".bib"), "references", _REFERENCE, "references", encoded=True, sandboxed=True
    ),
    "zotero": Format(
        (".rdf",), "library (Zotero RDF)", _REFERENCE, "zotero", columns=True, sandboxed=True
    ),
    "tagged": Format(
        (".conllu", ".conll", ".vrt"),
        "words (CoNLL-U, VRT)",
        _TEXT,
        "tagged",
        encoded=True,
        sandboxed=True,
    ),
    "posts": Format(
        ("tweets.js",),
        "posts of an archive of X",
        _OBJECT,
        "json_file",
        encoded=True,
        columns=True,
        pattern=r"(^|/)(?:deleted-|community-|note-)?tweets?(?:-part\d+)?\.js$",
    ),
    "mail": Format((".eml", ".mbox"), "e-mail", _MESSAGE, "mail", sandboxed=True),
    "mallet": Format((".mallet",), "lines for MALLET", _LINE, "mallet", encoded=True, columns=True),
    "zip": Format((".zip",), "ZIP archive", _ENTRY, "zips", looks=ZIP, archive=True),
    "tar": Format((".tar", ".tgz"), "tar archive", _ENTRY, "tars", archive=True),
    "mtx": Format((".mtx",), "bag of words (Matrix Market)", _BAG, "mtx", bag=True),
    "ldac": Format((".ldac", ".dat"), "bag of words (LDA-C)", _BAG, "ldac", bag=True),
    "vocabulary": Format(
        (".vocab",), "vocabulary of a bag of words", _BAG, "vocabulary", encoded=True
    ),
}


def by_name(name: str) -> str | None:
    """The format that a name says; of a name without an ending text, until its content is looked
    into (dispatch.format_of)."""
    lower = plain(name.replace("\\", "/")).lower()
    key = next((key for key, file_format in FORMATS.items() if file_format.matches(lower)), None)
    return "text" if key is None and bare(name) else key


def format_of(name: str) -> Format:
    """The format that a name says; one without endings, which nothing reads, where it says none."""
    return FORMATS.get(by_name(name) or "", Format((), "unknown", "", ""))


def bare(name: str) -> bool:
    """Whether a name has no ending, as "letter 3" and "alt.atheism/49960" have none."""
    last = plain(name.replace("\\", "/")).rpartition("/")[2]
    return bool(last) and "." not in last


def encoded(options: Options) -> bool:
    """Whether an encoding can be chosen for files that are read so."""
    file_format = FORMATS.get(options.entry or options.format)
    return file_format is None or file_format.encoded


def paged(options: Options) -> bool:
    """Whether files that are read so may have pages, and lines that run through these."""
    return (options.entry or options.format) in ("pdf", "text", "xml", "hocr", "zip", "tar")


def divided(options: Options) -> bool:
    """Whether files that are read so are divided into words, which may have lemmas."""
    return (options.entry or options.format) == "tagged"


def single(name: str) -> bool:
    """Whether a file is one document, by its name. A file of TEI may be several."""
    file_format = format_of(name)
    return file_format.yields == _FILE and file_format is not FORMATS["xml"] and not bare(name)


# Formats that can't be read, and what to do
_INSTEAD = {
    ".doc": "Save it as .docx, in Word or LibreOffice (File, Save as).",
    ".dot": "Save it as .docx, in Word or LibreOffice (File, Save as).",
    ".wpd": "Save it as .docx or .odt, in LibreOffice (File, Save as).",
    ".pages": "Export it as Word or EPUB (File, Export to).",
    ".xls": "Save it as .xlsx or .csv, in Excel or LibreOffice (File, Save as).",
    ".ppt": "Export it as PDF.",
    ".pptx": "Export it as PDF.",
    ".djvu": "Export its text (djvutxt book.djvu book.txt), or convert it to PDF.",
    ".mobi": "Convert it to EPUB, for example with Calibre.",
    ".azw3": "Convert it to EPUB, for example with Calibre.",
    ".msg": "Save it as .eml, in the program for e-mail.",
    ".pst": "Export its messages as .mbox or .eml.",
    ".rar": "Pack it as .zip.",
    ".7z": "Pack it as .zip.",
    ".bz2": "Pack it as .zip, or compress it with gzip.",
    ".xz": "Pack it as .zip, or compress it with gzip.",
    ".rdata": 'Save the table as CSV: write.csv(table, "table.csv").',
    ".rds": 'Save the table as CSV: write.csv(table, "table.csv").',
    ".dta": "Export it as CSV: export delimited.",
    ".sav": "Export it as CSV.",
}


def instead(name: str) -> str | None:
    """What to do with a file of a format that is known and can't be read; None for any other."""
    return _INSTEAD.get("." + name.lower().rpartition(".")[2])


def accepted() -> str:
    """What a file chooser is told: ".txt,.csv,…"."""
    endings = [
        ending
        for file_format in FORMATS.values()
        for ending in file_format.endings
        if ending.startswith(".")
    ]
    return ",".join([*endings, ".gz"])


def list_kinds() -> list[tuple[str, str]]:
    """(endings, what is a document of them), for pages; each kind once, in the order of FORMATS."""
    kinds: dict[str, list[str]] = {
        kind: []
        for kind in (_FILE, _ROW, _OBJECT, _MESSAGE, _TURN, _REFERENCE, _TEXT, _LINE, _ENTRY)
    }
    for file_format in FORMATS.values():
        kinds.setdefault(file_format.yields, []).extend(file_format.endings)
    return [(" ".join(endings), kind) for kind, endings in kinds.items()] + [
        (".gz", "any of them, compressed")
    ]


def sentence() -> str:
    endings = " ".join(endings for endings, _ in list_kinds()).split()[:-1]
    return f"Files can be {', '.join(endings[:-1])} and {endings[-1]}, each also with .gz."
