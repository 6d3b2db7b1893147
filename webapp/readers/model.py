"""What readers give and take."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

ROLES = ("text", "title", "date", "id")  # of columns
MAX_FIELDS = 64  # of a document's other columns that are kept
MAX_FIELD = 1_000  # characters of each: metadata is for labels, not for texts
MAX_NAME = 100  # of a column
MAX_TITLE = 500
MAX_ID = 500
MAX_COLUMNS = 2_000
MAX_TEXT = (
    20_000_000  # characters of one document, cell or line: thirty novels; more would fill a small machine's memory
)
PREVIEW_ROWS = 6
PREVIEW_CELL = 300  # characters
SAMPLE_CHARACTERS = 4_000_000  # by which the columns are guessed, at most: a few rows may be books


class Unreadable(ValueError):
    """A whole file can't be read; the message says what was expected, what came, and what to do."""

    @property
    def message(self) -> str:
        return str(self)


@dataclass(slots=True)  # and not frozen, which would make reading a million of them a second slower: nobody changes one
class Document:
    text: str
    title: str = ""
    date: str = ""  # as it was written; parse_date reads it
    source_id: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    file: str = ""
    place: str = ""  # in the file, such as "row 12"
    headings: tuple[int, ...] = ()  # where in the text each begins, ascending; for webapp.ingest.shaping.sections
    # Of a section that webapp.ingest.shaping cut from a whole: the sections of one whole follow each other, 1 to
    # `parts`.
    part: int = 1
    parts: int = 1
    whole: str = ""  # the whole's title


@dataclass(frozen=True)
class Problem:
    file: str
    place: str
    message: str  # a sentence: what was expected, what came, what was done
    dropped: bool  # whether a document was lost by it


@dataclass(frozen=True)
class Options:
    """How a file is read. Columns are counted from 0; None where there is none."""

    format: str = "text"  # of the file that these were made for
    encoding: str = "utf-8"
    delimiter: str | None = None
    header: bool = False  # whether a row holds the names of the columns
    text: int | None = None
    title: int | None = None
    date: int | None = None
    id: int | None = None
    names: tuple[str, ...] = ()  # of the columns: how JSON objects, whose keys have no order, are read
    entry: str = ""  # of an archive: the format of its first entry, which these were made for
    sheet: str = ""  # of a spreadsheet; "" for the first
    date_order: str = ""  # what 12/3/1999 means: "dmy", "mdy", or "" where it is not known
    kinds: dict[str, str] = field(default_factory=dict)  # of the columns, by their names: webapp.metadata.TYPES
    given: bool = False  # the words are those that white space separates, as they are: of bags of words made elsewhere
    header_row: int = (
        0  # that names the columns: a line of the file or a row of the sheet, from 1; 0 for the first that is not blank
    )
    surplus: bool = False  # whether cells beyond the columns are joined to the text, which has the delimiter in it
    html: bool = False  # whether the texts hold tags and entities of HTML, which become text

    def column(self, role: str) -> str | None:
        """The name of the column that holds the text, title, date or id; None where none does."""
        place = getattr(self, role)
        return self.names[place] if place is not None and place < len(self.names) else None

    def places(self, columns: Sequence[str]) -> dict[str, Any]:
        """Role -> where a file with these columns has the column that was chosen; None where it has not."""
        chosen = {role: self.column(role) for role in ROLES}
        return {role: columns.index(column) if column in columns else None for role, column in chosen.items()}


@dataclass(frozen=True)
class Sniff:
    options: Options
    columns: list[str]  # empty for formats without columns
    rows: list[list[str]]
    problem: str | None = None  # something to look at before reading
    sheets: tuple[str, ...] = ()  # of a spreadsheet, to choose from

    @classmethod
    def from_dict(cls, value: dict) -> "Sniff":
        """What asdict and JSON made of one."""
        options = Options(**value["options"] | {"names": tuple(value["options"]["names"])})
        return cls(options, value["columns"], value["rows"], value["problem"], tuple(value["sheets"]))
