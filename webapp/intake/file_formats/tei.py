"""XML: TEI, one document a text with what its header says of it; recognised pages (ocr.py); any
other, one document per file."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import regex

from webapp.intake.file_formats import hyphens, note_marks, ocr
from webapp.intake.file_formats.base import Document, Options, Problem, Source, count_of, opened
from webapp.intake.file_formats.markup import Handler, Result, walk
from webapp.intake.file_formats.prose import Prose, line

_ROOTS = {"TEI", "TEI.2", "teiCorpus", "teiCorpus.2"}
_TEXTS = {"TEI", "TEI.2"}
_PARAGRAPHS = set(
    "p ab div div0 div1 div2 div3 div4 div5 lg sp note list table row figure quote floatingText"
    " opener closer front body back titlePage docTitle epigraph trailer castList text group"
    " argument postscript".split()
)
_LINES = set(
    "l lb item cell speaker stage byline dateline salute signed titlePart docAuthor docDate"
    " docImprint castItem label".split()
)
_LAYOUT = {  # what an element of TEI begins
    "head": Prose.heading,
    "pb": Prose.page,
    **dict.fromkeys(_PARAGRAPHS, Prose.paragraph),
    **dict.fromkeys(_LINES, Prose.line),
}
_HEADINGS = {"head", "title", "heading", "h1", "h2", "h3", "h4", "h5", "h6"}
_LEFT_OUT = {
    "teiHeader",
    "fw",
    "figDesc",
    "del",
    "facsimile",
    "sourceDoc",
    "standOff",
    "surplus",
    "witDetail",
    "rt",  # how characters are pronounced
}
_PARTS_OF_NAMES = {"forename", "surname", "nameLink", "roleName", "genName", "addName"}
_REPLACED = {"sic", "orig", "abbr"}  # within a choice: what the other one corrects or expands
_RAISED = {"sup", "superscript", "super", "raised"}  # of letters, in `rend`
_JOINED = {"left", "both"}, {"right", "both"}  # how a word says what it is attached to
# Where a header's dates are, the best first; that of the digital file, in publicationStmt, says
# nothing of the text
_DATES = ("creation", "firstEdition", "sourceDesc")
MOST_AUTHORS = 20
_EDITIONS = ("firstEdition", "digitalSource")  # types of a bibl


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    if recognised := ocr.kind_of(path, name):
        yield from ocr.read_xml(path, name, recognised, options, advance)
        return
    result = Result()
    with opened(path, name, advance) as file:
        handler = _Handler(name)
        for _ in walk(file, handler, name, result):
            yield from handler.finished
            handler.finished.clear()
    if not handler.read and not handler.finished:
        handler.finish()  # raises: nothing was in it
    if result.unknown:
        yield Problem(
            name,
            "",
            f"“{name}”: left out, as defined outside of the text, or by the file itself:"
            f" {count_of(result.unknown, 'entity', 'entities')}.",
            False,
            "entity",
            result.unknown,
        )
    if result.replaced:
        yield Problem(
            name,
            "",
            f"“{name}”: some bytes are not characters in the encoding that the file names; each is"
            " shown as \ufffd.",
            False,
            "characters",
        )


class _Handler(Handler):
    def __init__(self, name: str):
        self.name = name
        self.read = 0
        self.finished: list[Document | Problem] = []
        self.path: list[str] = []
        # Of each open element: whether it has text of its own, so that its elements are within
        # lines
        self.mixed: list[bool] = []
        self.tei = False
        self.left_out = 0  # depth of elements that are left out
        # Of each open `choice` and `app`: whether one of its readings was read
        self.readings: list[bool] = []
        self.mark: list[str] | None = None  # what may be the mark of a note, while it is open
        self.leads = False  # whether that leads to another place in the text
        self.joined = False  # whether a word said that the next one is attached to it
        self.begin()

    def begin(self) -> None:
        self.prose = Prose(self.name)
        self.title = ""
        self.language = ""
        self.authors: list[str] = []
        self.dates: dict[str, str] = {}
        self.captured: str | None = None

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self.path:
            self.tei = tag in _ROOTS
        elif self.tei and tag in _TEXTS and self.path[-1] in _ROOTS:
            self.begin()
        within = self.path[-1] if self.path else ""
        kind = attributes.get("type") if tag.startswith("bibl") else None  # an edition's
        self.path.append(kind if kind in _EDITIONS else tag)
        if self.tei and "teiHeader" in self.path:
            self._header(tag, attributes)
        if self.captured and tag in _PARTS_OF_NAMES:
            self.captured += " "
        self._end_mark()
        if self.left_out or (self.tei and (tag in _LEFT_OUT or self._is_other(tag, within))):
            self.left_out += 1
        elif self.tei:
            if tag in ("choice", "app"):
                self.readings.append(False)
            elif tag == "w":
                self._divide(attributes)
            elif self._may_mark(tag, attributes):
                self.mark = []
            is_within_word = attributes.get("break") == "no"
            if tag in _LAYOUT and not (is_within_word and tag in _LINES):
                _LAYOUT[tag](self.prose)
            if is_within_word:
                self.prose.attach()
        elif tag in _HEADINGS:
            self.prose.heading()
            if tag == "title" and not self.title and self.captured is None:
                self.captured = ""
        elif not (self.mixed and self.mixed[-1]):
            self.prose.paragraph()
        self.mixed.append(False)

    def _is_other(self, tag: str, within: str) -> bool:
        """Whether an element is another reading than the one that is read: a text has one."""
        if within == "choice" and tag in _REPLACED:
            return True
        reading = within == "choice" or (within in ("app", "rdgGrp") and tag in ("lem", "rdg"))
        if not reading or not self.readings:
            return False
        before = self.readings[-1]
        self.readings[-1] = True
        return before

    def _divide(self, attributes: dict[str, str]) -> None:
        """Words that are marked as words have a space between them, where none says otherwise."""
        to_left, to_right = _JOINED
        attached = self.joined or attributes.get("join") in to_left
        continued = attributes.get("part") in ("M", "F")
        if not attached and not continued and self.path.count("w") == 1:
            self.prose.blank()
        self.joined = attributes.get("join") in to_right

    def _may_mark(self, tag: str, attributes: dict[str, str]) -> bool:
        raised = not _RAISED.isdisjoint(
            regex.split(r"[\s:;(),#]+", attributes.get("rend", attributes.get("rendition", "")))
        )
        leads = tag == "ref" and (
            attributes.get("target", "").startswith("#") or "note" in attributes.get("type", "")
        )
        self.leads = leads
        return leads or (tag == "hi" and raised)

    def _end_mark(self) -> None:
        """Add what was raised, where it is no mark of a note."""
        if self.mark is None:
            return
        text = "".join(self.mark)
        self.mark = None
        before = self.prose.glued()
        is_mark = note_marks.is_mark(text, before) or (
            self.leads and note_marks.is_linked_number(text, before)
        )
        if not is_mark:
            self.prose.text(text)

    def _header(self, tag: str, attributes: dict[str, str]) -> None:
        if self.path[-2] == "titleStmt" and tag in ("title", "author") and self.captured is None:
            self.captured = ""
        elif tag == "date" and self.captured is None:
            stated = next(
                (attributes[key] for key in ("when", "from", "notBefore") if attributes.get(key)),
                None,
            )
            if stated:
                self._keep(tag, line(stated))
            else:
                self.captured = ""
        elif tag == "language":
            self.language = self.language or attributes.get("ident", "")

    def end(self, tag: str) -> None:
        self._end_mark()
        self.path.pop()
        mixed = self.mixed.pop()
        # What is within them has no such elements
        if self.captured is not None and tag in (
            "title",
            "author",
            "date",
        ):
            self._keep(tag, line(self.captured))
            self.captured = None
        if self.left_out:
            self.left_out -= 1
        elif self.tei:
            if tag in ("choice", "app") and self.readings:
                self.readings.pop()
            if tag == "head" or tag in _PARAGRAPHS:
                self.prose.paragraph()
            elif tag in _LINES and tag != "lb":
                self.prose.line()
        elif tag in _HEADINGS or (mixed and not (self.mixed and self.mixed[-1])):
            self.prose.paragraph()
        if (
            self.tei
            and tag in _TEXTS
            and (not self.path or self.path[-1] in _ROOTS)
            or (not self.path and not self.read)
        ):
            self.finish()

    def _keep(self, tag: str, value: str) -> None:
        if tag == "title":
            self.title = self.title or value
        elif tag == "author":
            if value and len(self.authors) < MOST_AUTHORS:
                self.authors.append(value)
        elif value:
            date_element = next((element for element in _DATES if element in self.path), "")
            if date_element and self._edition() != "digitalSource":
                self.dates.setdefault(date_element, value)

    def _edition(self) -> str:
        """The innermost element around this place that is of an edition, "" for none."""
        for element in reversed(self.path):
            if element.startswith("bibl") or element in _EDITIONS:
                return element
        return ""

    def text(self, text: str) -> None:
        if self.captured is not None and len(self.captured) < 1000:
            self.captured += text
        if self.mixed and not text.isspace():
            self.mixed[-1] = True
        if self.left_out:
            return
        if self.mark is not None:
            self.mark.append(text)
            if sum(map(len, self.mark)) > note_marks.LONGEST_MARK:
                self._end_mark()
            return
        self.prose.text(text)

    def finish(self) -> None:
        date = next(
            (self.dates[place_in_file] for place_in_file in _DATES if place_in_file in self.dates),
            "",
        )
        self.read += 1
        place_in_file = f"text {self.read}" if "teiCorpus" in self.path else ""
        if place_in_file and not self.prose.length:
            self.finished.append(
                Problem(
                    self.name,
                    place_in_file,
                    f"“{self.name}”, {place_in_file}: there is no text in it; it was left out.",
                    True,
                )
            )
            return
        metadata = {"author": "; ".join(self.authors), "language": self.language}
        document = self.prose.document(self.title, date, metadata, place_in_file)
        text, headings = hyphens.joined(document.text, document.headings)
        self.finished.append(replace(document, text=text, headings=headings))
