"""Word (.docx): one document per file. What was deleted while changes were tracked is left out;
footnotes stand at the end."""

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace

import regex

from webapp.intake.file_formats import note_marks
from webapp.intake.file_formats.base import Document, Options, Problem, Source, Unreadable
from webapp.intake.file_formats.markup import Fields, Handler, part
from webapp.intake.file_formats.prose import Prose
from webapp.intake.file_formats.zip_document import package

# Names of Word's styles, in every language of Word
_HEADING = regex.compile(r"(heading [1-9]|title)", regex.I)
_LEFT_OUT = {
    "Fallback",
    "moveFrom",
    "del",
    "rt",  # how characters are pronounced
    "rPrChange",  # how letters, and paragraphs, were before a change that was tracked
    "pPrChange",
}


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    with package(path, name, advance) as archive:
        styles = _Styles()
        about = Fields("title", "creator", "created", "keywords", "subject")
        prose = Prose(name)
        part(archive, "word/styles.xml", styles, name)
        if not part(archive, _main(archive), _Body(prose, styles.headings), name):
            raise Unreadable(
                f"“{name}” is not a Word document: it has no text in Word’s format. Save it again"
                " as .docx."
            )
        for notes in ("word/footnotes.xml", "word/endnotes.xml"):
            part(archive, notes, _Body(prose, set()), name)
        part(archive, "docProps/core.xml", about, name)
    metadata = {
        "author": about.all("creator"),
        "keywords": about.first("keywords"),
        "subject": about.first("subject"),
    }
    created = about.first("created")[:10]
    yield replace(prose.document(about.first("title"), "", metadata), made=created)


def _main(archive: zipfile.ZipFile) -> str:
    """Some programs number it."""
    names = archive.namelist()[:10_000]
    return next(
        (name for name in names if regex.fullmatch(r"word/document\d*\.xml", name)),
        "word/document.xml",
    )


class _Styles(Handler):
    """Which paragraph styles are headings: by their names, or because they stand in the outline."""

    def __init__(self):
        self.headings = set()
        self.style = ""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "style":
            self.style = attributes.get("styleId", "")
        elif (tag == "name" and _HEADING.fullmatch(attributes.get("val", ""))) or (
            tag == "outlineLvl" and attributes.get("val", "9") < "9"
        ):
            self.headings.add(self.style)


class _Body(Handler):
    def __init__(self, prose: Prose, headings: set[str]):
        self.prose = prose
        self.headings = headings
        self.left_out = 0
        self.is_text = False
        self.in_run = False
        self.hidden = False  # whether the run's letters are hidden
        self.raised = False  # whether the run's letters are raised
        self.marked = False  # whether the run is the mark of a note, as its author wrote it

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if (
            self.left_out
            or tag in _LEFT_OUT
            or attributes.get("type") in ("separator", "continuationSeparator")
        ):
            self.left_out += 1
            return
        match tag:
            case "p":
                self.prose.paragraph()
            case "t":
                self.is_text = True
            case "r":
                self.in_run = True
            case "vanish" if self.in_run and attributes.get("val") not in ("0", "false", "off"):
                self.hidden = True
            case "vertAlign" if attributes.get("val") == "superscript":
                self.raised = True
            case "footnoteReference" | "endnoteReference":
                self.marked = attributes.get("customMarkFollows") in ("1", "true", "on")
            case "pStyle" if attributes.get("val") in self.headings:
                self.prose.heading()
            case "outlineLvl" if attributes.get("val", "9") < "9":
                self.prose.heading()
            case "tab" | "ptab":
                self.prose.text(" ")
            case "lastRenderedPageBreak":
                self.prose.page()
            case "br" if attributes.get("type") == "page":
                self.prose.page()
            case "br" | "cr":
                self.prose.line()
            case "noBreakHyphen":
                self.prose.text("-")

    def end(self, tag: str) -> None:
        if self.left_out:
            self.left_out -= 1
        elif tag == "t":
            self.is_text = False
        elif tag == "r":
            self.in_run = False
            self.hidden = False
            self.raised = False
            self.marked = False
        elif tag == "p":
            self.prose.paragraph()

    def text(self, text: str) -> None:
        if not self.is_text or self.left_out or self.hidden:
            return
        if self.marked and len(text) <= note_marks.LONGEST_MARK:
            return
        if not (self.raised and note_marks.is_mark(text, self.prose.glued())):
            self.prose.text(text)
