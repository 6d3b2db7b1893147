"""XML: TEI, one document a text with what its header says of it; any other, one document per
file."""

from collections.abc import Callable, Iterator

from webapp.intake.readers.base import Document, Options, Problem, Source, opened
from webapp.intake.readers.markup import Handler, Result, walk
from webapp.intake.readers.prose import Prose, line

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
_LEFT_OUT = {"teiHeader", "fw", "figDesc", "del", "facsimile", "sourceDoc", "standOff", "surplus"}
# Where a header's dates are, the best first; that of the digital file, in publicationStmt, says
# nothing of the text
_DATES = ("creation", "firstEdition", "sourceDesc")
_EDITIONS = ("firstEdition", "digitalSource")  # types of a bibl


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
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
            f"“{name}”: {result.unknown:,} entities are defined outside of the text, or by the file"
            " itself, and were left out.",
            False,
        )
    if result.replaced:
        yield Problem(
            name,
            "",
            f"“{name}”: some bytes are not characters in the encoding that the file names; each is"
            " shown as \ufffd.",
            False,
        )


class _Handler(Handler):
    def __init__(self, name: str):
        self.name, self.read = name, 0
        self.finished: list[Document | Problem] = []
        self.path: list[str] = []
        # Of each open element: whether it has text of its own, so that its elements are within
        # lines
        self.mixed: list[bool] = []
        self.tei = False
        self.left_out = 0  # depth of elements that are left out
        self.begin()

    def begin(self) -> None:
        self.prose, self.title, self.language = Prose(self.name), "", ""
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
        if self.left_out or (
            self.tei
            and (tag in _LEFT_OUT or (within == "choice" and tag in ("sic", "orig", "abbr")))
        ):
            self.left_out += 1
        elif self.tei:
            if tag in _LAYOUT and not (tag in _LINES and attributes.get("break") == "no"):
                _LAYOUT[tag](self.prose)
        elif tag in _HEADINGS:
            self.prose.heading()
            if tag == "title" and not self.title and self.captured is None:
                self.captured = ""
        elif not (self.mixed and self.mixed[-1]):
            self.prose.paragraph()
        self.mixed.append(False)

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
        self.path.pop()
        mixed = self.mixed.pop()
        if self.captured is not None and tag in (
            "title",
            "author",
            "date",
        ):  # what is within them has no such elements
            self._keep(tag, line(self.captured))
            self.captured = None
        if self.left_out:
            self.left_out -= 1
        elif self.tei:
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
            self.authors += [value] if value and len(self.authors) < 20 else []
        elif value:
            place = next((place for place in _DATES if place in self.path), "")
            edition = next(
                (
                    name
                    for name in reversed(self.path)
                    if name.startswith("bibl") or name in _EDITIONS
                ),
                "",
            )
            if place and edition != "digitalSource":
                self.dates.setdefault(place, value)

    def text(self, text: str) -> None:
        if self.captured is not None and len(self.captured) < 1000:
            self.captured += text
        if self.mixed and not text.isspace():
            self.mixed[-1] = True
        if not self.left_out:
            self.prose.text(text)

    def finish(self) -> None:
        date = next((self.dates[place] for place in _DATES if place in self.dates), "")
        self.read += 1
        place = f"text {self.read}" if "teiCorpus" in self.path else ""
        if place and not self.prose.length:
            self.finished.append(
                Problem(
                    self.name,
                    place,
                    f"“{self.name}”, {place}: there is no text in it; it was left out.",
                    True,
                )
            )
            return
        metadata = {"author": "; ".join(self.authors), "language": self.language}
        self.finished.append(self.prose.document(self.title, date, metadata, place))
