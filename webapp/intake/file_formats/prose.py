"""A text put together from the pieces of a marked-up file: lines, paragraphs, pages, and where its
headings begin."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

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
PAGE_GAP = "\n\f"
CELL_GAP = "\t"  # between the cells of a row, as browsers copy them
_LINE_ENDS = {"\n", "\n\n", PAGE_GAP}
_GLUED = 24  # characters, and pieces, that `glued` looks at
# Characters of a row that is one line: some 80 words. More are columns of a page that a table lays
# out, or speeches beside the names of their speakers
LONGEST_ROW = 500


@dataclass
class _Row:
    """Where a row of a table begins while its cells are added."""

    first_piece: int  # of Prose.pieces
    begin: int  # characters of the text before it
    first_pieces_of_cells: list[int] = field(default_factory=list)


class Prose:
    """Lines end with a line end, paragraphs with a blank line, pages with a form feed. White space
    within a line is one space, and a tab between two cells of a row."""

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
        self._rows: list[_Row] = []  # that have begun, each in a cell of the one before
        self._end_of_row = 0  # how many pieces there were behind the last row that is one line

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
            self._add(PAGE_GAP if self._page else GAPS[self._gap])
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

    def preformatted(self, raw: str) -> None:
        """Add a text whose line ends divide lines, and whose blank lines divide paragraphs."""
        first_line, *others = clean(raw).split("\n")
        while self._heading and others and not first_line.strip():
            first_line = others.pop(0)
        self.text(first_line)
        for written in others:
            if GAPS[self._gap] in _LINE_ENDS:  # nothing but white space since the last one
                self.paragraph()
            else:
                self.line()
            self.text(written)

    def glued(self) -> str:
        """The end of the line to which a piece would be attached: "" where a space or a line end is
        between them."""
        if self._gap or self._page:
            return ""
        return "".join(self.pieces[-_GLUED:])[-_GLUED:]

    def attach(self) -> None:
        """Have the next piece go on with the word before it, whatever white space is between; but
        not where a line or a paragraph has ended since, as of a note."""
        if GAPS[self._gap] not in _LINE_ENDS:
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

    def begin_table(self) -> None:
        self.paragraph()
        self._end_of_row = 0

    def begin_row(self) -> None:
        self.line()
        self._rows.append(_Row(len(self.pieces), self.length))

    def begin_cell(self) -> None:
        self.line()
        if self._rows:  # some tables have cells without rows
            self._rows[-1].first_pieces_of_cells.append(len(self.pieces))

    def end_row(self) -> None:
        """Make the row one line, with tabs between its cells, where each of several cells is a line
        or a paragraph, and all are short. Another row stays as its cells were added."""
        row = self._rows.pop()
        self.line()
        if len(self.pieces) == row.first_piece:
            return
        gaps = {
            piece
            for piece in row.first_pieces_of_cells
            if row.first_piece < piece < len(self.pieces)
        }
        follows_a_row = 0 < row.first_piece == self._end_of_row
        has_cells = bool(gaps) or (follows_a_row and len(row.first_pieces_of_cells) > 1)
        self._end_of_row = 0
        if has_cells and self._is_line(row, gaps):
            self._end_of_row = len(self.pieces)
            for gap in gaps:
                self._replace(gap, CELL_GAP)
            if follows_a_row and self.pieces[row.first_piece] != PAGE_GAP:
                self._replace(row.first_piece, "\n")

    def _is_line(self, row: _Row, gaps: set[int]) -> bool:
        """Whether a row is short and has no line ends but `gaps`, the pieces between its cells."""
        is_short = self.length - row.begin <= LONGEST_ROW
        has_heading = bool(self.headings) and self.headings[-1] >= row.begin
        if not is_short or has_heading:
            return False
        pieces = enumerate(self.pieces[row.first_piece + 1 :], row.first_piece + 1)
        line_ends = {number for number, piece in pieces if piece in _LINE_ENDS}
        return line_ends == gaps and all(self.pieces[gap] != PAGE_GAP for gap in gaps)

    def _replace(self, piece: int, gap: str) -> None:
        self.length += len(gap) - len(self.pieces[piece])
        self.pieces[piece] = gap

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
