"""A text put together from the pieces of a marked-up file: lines, paragraphs, pages, and where its
headings begin."""

import itertools
from collections.abc import Iterable

from webapp.intake.file_formats.base import (
    MAX_FIELD,
    MAX_ID,
    MAX_NAME,
    MAX_TEXT,
    MAX_TITLE,
    PREVIEW_CELL,
    PREVIEW_ROWS,
    Document,
    Options,
    Problem,
    Sniff,
    Unreadable,
    clean,
    stem,
)

GAPS = ("", " ", "\n", "\n\n")  # between two pieces of a text: by how far they are apart
_GLUED = 24  # characters, and pieces, that `glued` looks at


class Prose:
    """Lines end with a line end, paragraphs with a blank line, pages with a form feed. White space
    within a line is one space."""

    def __init__(self, name: str):
        self.name = name
        self.pieces: list[str] = []
        self.headings: list[int] = []
        self.length = 0
        self._gap = 0
        self._page = False
        self._heading = False
        self._is_attached = False  # whether the next piece goes on with the word before it
        self.flat = False  # whether a page's text was added without its layout

    def text(self, raw: str) -> None:
        words = " ".join(clean(raw).split())
        if self._is_attached:
            if words:
                self._attach(words, raw[-1].isspace())
            return
        if not words:
            self._gap = max(self._gap, 1 if raw else 0)
            return
        if raw[0].isspace():
            self._gap = max(self._gap, 1)
        if self.length:
            self._add("\n\f" if self._page else GAPS[self._gap])
        if self._heading:
            self.headings.append(self.length)
        self._add(words)
        self._gap = int(raw[-1].isspace())
        self._page = False
        self._heading = False

    def _add(self, text: str) -> None:
        self.pieces.append(text)
        self.length += len(text)
        if self.length > MAX_TEXT:
            raise Unreadable(
                f"“{self.name}” is longer than {MAX_TEXT:,} characters; it was left out. Cut it"
                " into parts."
            )

    def glued(self) -> str:
        """The end of the line to which a piece would be attached: "" where a space or a line end is
        between them."""
        if self._gap or self._page:
            return ""
        return "".join(self.pieces[-_GLUED:])[-_GLUED:]

    def attach(self) -> None:
        """Have the next piece go on with the word before it, whatever white space is between."""
        self._gap = 0
        self._is_attached = True

    def _attach(self, words: str, is_blank_behind: bool) -> None:
        """Add the rest of a word, and what stands behind it: there a page begins that begins within
        the word."""
        rest_of_word, _, further_words = words.partition(" ")
        self._is_attached = False
        self._add(rest_of_word)
        self._gap = int(bool(further_words) or is_blank_behind)
        if further_words:
            self.text(further_words + " " * is_blank_behind)

    def blank(self) -> None:
        """A space before the next piece, where there is nothing else."""
        self._gap = max(self._gap, 1)

    def line(self) -> None:
        self._gap = max(self._gap, 2)
        self._heading = False
        self._is_attached = False

    def paragraph(self) -> None:
        self._gap = 3
        self._heading = False
        self._is_attached = False

    def heading(self) -> None:
        self.paragraph()
        self._heading = True

    def page(self) -> None:
        self._page = True

    def document(
        self,
        title: str = "",
        date: str = "",
        metadata: dict[str, str] | None = None,
        place_in_file: str = "",
    ) -> Document:
        return document(
            "".join(self.pieces),
            self.name,
            title,
            date,
            metadata,
            place_in_file,
            tuple(self.headings),
        )


def document(
    text: str,
    name: str,
    title: str = "",
    date: str = "",
    metadata: dict[str, str] | None = None,
    place_in_file: str = "",
    headings: tuple[int, ...] = (),
) -> Document:
    """A file's one document. text: clean. Raises Unreadable where it is empty."""
    if not text.strip():
        raise Unreadable(f"“{name}” has no text in it; it was left out.")
    fields_with_text = {
        line(key)[:MAX_NAME]: line(value)[:MAX_FIELD]
        for key, value in (metadata or {}).items()
        if line(value)
    }
    return Document(
        text,
        (line(title) or stem(name))[:MAX_TITLE],
        line(date)[:60],
        clean(name)[:MAX_ID],
        fields_with_text,
        name,
        place_in_file,
        headings,
    )


def line(text: str) -> str:
    return " ".join(clean(text).split())


def preview(
    items: Iterable[Document | Problem], options: Options, problem: str | None = None
) -> Sniff:
    """What was understood of a file of texts: how the first ones begin. Raises what reading
    raises."""
    first = [
        item for item in itertools.islice(items, 2 * PREVIEW_ROWS) if isinstance(item, Document)
    ]
    rows = []
    for item in first[:PREVIEW_ROWS]:
        beginning = line(item.text[: 2 * PREVIEW_CELL])
        rows.append([f"{item.title}: {beginning}"[:PREVIEW_CELL]])
    return Sniff(options, [], rows, problem)
