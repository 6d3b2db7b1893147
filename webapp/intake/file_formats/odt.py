"""OpenDocument text (.odt), as LibreOffice writes it: one document per file. Comments and what was
deleted are left out."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from webapp.intake.file_formats import note_marks
from webapp.intake.file_formats.base import Document, Options, Problem, Source, Unreadable
from webapp.intake.file_formats.markup import Fields, Handler, part
from webapp.intake.file_formats.prose import Prose
from webapp.intake.file_formats.zip_document import package, small

_LEFT_OUT = {
    "annotation",
    "tracked-changes",
    "automatic-styles",
    "font-face-decls",
    "scripts",
    "sequence-decls",
    "forms",
    "note-citation",
    "ruby-text",
    "desc",  # of a picture
    "script",
}
_TEXT_PARENTS = {"p", "h", "span", "a"}


def read(
    path: Source, name: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Document | Problem]:
    with package(path, name, advance) as archive:
        if b"encryption-data" in (small(archive, "META-INF/manifest.xml", 1 << 20) or b""):
            raise Unreadable(
                f"“{name}” is protected by a password; it was left out. Save it without one."
            )
        prose = Prose(name)
        about = Fields(
            "title", "creator", "initial-creator", "date", "creation-date", "subject", "keyword"
        )
        if not part(archive, "content.xml", _Body(prose), name):
            raise Unreadable(
                f"“{name}” is not an OpenDocument text: it has no content. Save it again as .odt."
            )
        part(archive, "meta.xml", about, name)
    metadata = {
        "author": about.first("initial-creator", "creator"),
        "subject": about.first("subject"),
        "keywords": about.all("keyword"),
    }
    created = about.first("creation-date", "date")[:10]
    yield replace(prose.document(about.first("title"), "", metadata), made=created)


class _Body(Handler):
    def __init__(self, prose: Prose):
        self.prose = prose
        self.left_out = 0
        self.style = ""
        self.raising: set[str] = set()  # styles of raised letters
        self.spans: list[bool] = []  # whether the letters of each open one are raised
        self.path: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "style":
            self.style = attributes.get("name", "")
        elif tag == "text-properties" and attributes.get("text-position", "").startswith("super"):
            self.raising.add(self.style)
        parent = self.path[-1] if self.path else ""
        self.path.append(tag)
        # Within a line it is a field that shows the title of the text
        is_title_of_picture = tag == "title" and parent not in _TEXT_PARENTS
        if self.left_out or tag in _LEFT_OUT or is_title_of_picture:
            self.left_out += 1
            return
        match tag:
            case "h":
                self.prose.heading()
            case "p" | "note-body":
                self.prose.paragraph()
            case "span":
                self.spans.append(attributes.get("style-name", "") in self.raising)
            case "s" | "tab":
                self.prose.text(" ")
            case "line-break":
                self.prose.line()
            case "soft-page-break":
                self.prose.page()

    def end(self, tag: str) -> None:
        self.path.pop()
        if self.left_out:
            self.left_out -= 1
        elif tag in ("h", "p", "note-body"):
            self.prose.paragraph()
        elif tag == "span":
            self.spans.pop()

    def text(self, text: str) -> None:
        if self.left_out:
            return
        raised = bool(self.spans) and self.spans[-1]
        if not (raised and note_marks.is_mark(text, self.prose.glued())):
            self.prose.text(text)
