"""Word (.docx): one document per file. What was deleted while changes were tracked is left out;
footnotes stand at the end."""

import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

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
_RULES_ABOVE_NOTES = ("separator", "continuationSeparator")  # which are themselves notes of a type
_BREAKS = {"p": Prose.paragraph, "cr": Prose.line, "lastRenderedPageBreak": Prose.page}
_CHARACTERS = {"tab": " ", "ptab": " ", "noBreakHyphen": "-"}
_REFERENCES = ("footnoteReference", "endnoteReference")
_ON = ("1", "true", "on")
_OFF = ("0", "false", "off")


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
        self.headings: set[str] = set()
        self.style = ""  # the id of the one that is described

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "style":
            self.style = attributes.get("styleId", "")
        elif _is_outlined(tag, attributes) or _is_name_of_heading(tag, attributes):
            self.headings.add(self.style)


def _is_name_of_heading(tag: str, attributes: dict[str, str]) -> bool:
    return tag == "name" and bool(_HEADING.fullmatch(attributes.get("val", "")))


@dataclass
class _Run:
    """What is said of some letters before they come."""

    is_hidden: bool = False
    is_raised: bool = False
    is_own_mark: bool = False  # the mark of a note that its author wrote, instead of a number


class _Body(Handler):
    """Adds the text of a document, or of its notes, to a prose. headings: styles of headings, by
    their ids."""

    def __init__(self, prose: Prose, headings: set[str]):
        self.prose = prose
        self.headings = headings
        self.left_out = 0  # elements that have begun, from the one on that is left out
        self.is_text = False
        self.in_run = False
        self.run = _Run()

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.left_out or _is_left_out(tag, attributes):
            self.left_out += 1
        elif tag in _BREAKS:
            _BREAKS[tag](self.prose)
        elif tag in _CHARACTERS:
            self.prose.text(_CHARACTERS[tag])
        elif tag == "br":
            self._break(attributes.get("type"))
        elif tag == "t":
            self.is_text = True
        elif tag == "r":
            self.in_run = True
        elif _is_outlined(tag, attributes) or self._is_heading(tag, attributes):
            self.prose.heading()
        else:
            self._describe_run(tag, attributes)

    def _break(self, kind: str | None) -> None:
        if kind == "page":
            self.prose.page()
        else:
            self.prose.line()

    def _is_heading(self, tag: str, attributes: dict[str, str]) -> bool:
        return tag == "pStyle" and attributes.get("val") in self.headings

    def _describe_run(self, tag: str, attributes: dict[str, str]) -> None:
        value = attributes.get("val")
        if tag == "vanish" and self.in_run and value not in _OFF:
            self.run.is_hidden = True
        elif tag == "vertAlign" and value == "superscript":
            self.run.is_raised = True
        elif tag in _REFERENCES:
            self.run.is_own_mark = attributes.get("customMarkFollows") in _ON

    def end(self, tag: str) -> None:
        if self.left_out:
            self.left_out -= 1
        elif tag == "t":
            self.is_text = False
        elif tag == "r":
            self.in_run = False
            self.run = _Run()
        elif tag == "p":
            self.prose.paragraph()

    def text(self, text: str) -> None:
        if not self.is_text or self.left_out or self.run.is_hidden:
            return
        if self.run.is_own_mark and len(text) <= note_marks.LONGEST_MARK:
            return
        if self.run.is_raised and note_marks.is_mark(text, self.prose.glued()):
            return
        self.prose.text(text)


def _is_left_out(tag: str, attributes: dict[str, str]) -> bool:
    return tag in _LEFT_OUT or attributes.get("type") in _RULES_ABOVE_NOTES


def _is_outlined(tag: str, attributes: dict[str, str]) -> bool:
    """Whether it gives a paragraph a level of the outline; 9 is that of plain text."""
    return tag == "outlineLvl" and attributes.get("val", "9") < "9"
