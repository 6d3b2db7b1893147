"""What is done to documents between their files and their rows: the user's choice, kept on the
corpus as a dict."""

from dataclasses import dataclass

from inference.errors import Invalid
from webapp.intake.ingest.shaping.file_name_fields import NAME_DATES, Pattern
from webapp.intake.ingest.shaping.silent import ordered_rules
from webapp.intake.metadata.dates import ORDERS

SECTIONS = ("", "words", "pages", "paragraphs", "headings")
PERIODS = ("", "year", "month", "day")
# Of a section by default; pages: Mimno et al. 2012, section 4, cut books by ten
LENGTHS = {
    "words": 1000,
    "pages": 10,
}
MOST_FIELDS = 8  # that documents are joined by
MAX_PATTERN = 500  # characters


@dataclass(frozen=True)
class Shaping:
    """The default leaves documents as they were read. Raises Invalid naming the field."""

    sections: str = ""  # by what long documents are cut: words, pages, paragraphs, headings
    length: int = 0  # words or pages of a section; 0: LENGTHS
    # Words of a paragraph or of a heading's section: shorter ones are put to the next
    least: int = 50
    marker: str = ""  # a line that begins with it is a heading, besides those that the file has
    join: tuple[str, ...] = ()  # fields of metadata: documents that have the same values become one
    period: str = ""  # of their date, besides: year, month, day
    parts: bool = False  # rows that are parts of a whole become one (parts.py)
    names: bool = False  # folders and names of files become fields
    pattern: str = ""  # of names of files, such as {year}_{author}.txt (file_name_fields.py)
    table: str = ""  # name of the uploaded file that is a table about the others
    key: str = ""  # its column with their names or ids
    # Order of the dates in first lines, by which files without another date have one: dmy, mdy; "":
    # not looked for
    dated: str = ""
    # Whose names give dates to files without another: "" those of files and folders, files,
    # folders, none
    name_dates: str = ""
    # Whether files without another date have the one on which they were made, as they say it
    made: bool = False
    each_language: bool = False  # whether the language of each text becomes the field “language”
    # Whether it is found of texts that say theirs, too: what is found counts more
    languages_anew: bool = False
    silent: tuple[str, ...] = ()  # rules for parts of texts whose words don't count (silent.py)

    def __post_init__(self):
        # JSON has no tuples.
        object.__setattr__(self, "join", tuple(self.join))
        object.__setattr__(self, "silent", ordered_rules(self.silent))
        shortest = 50 if self.sections == "words" else 1  # words: a topic in fewer says little
        wrong = {  # field -> what is wrong with it, if that applies
            "dated": (
                self.dated not in ("", *ORDERS),
                f"Dates are read as {' or '.join(ORDERS)}, not as “{self.dated[:40]}”.",
            ),
            "name_dates": (
                self.name_dates not in NAME_DATES,
                f"Dates in names are of {', '.join(NAME_DATES[1:])}, not of"
                f" “{self.name_dates[:40]}”.",
            ),
            "sections": (
                self.sections not in SECTIONS,
                f"Documents are cut by {', '.join(SECTIONS[1:])}, not by “{self.sections[:40]}”.",
            ),
            "period": (
                self.period not in PERIODS,
                f"Documents are joined by {', '.join(PERIODS[1:])}, not by “{self.period[:40]}”.",
            ),
            "length": (
                self.length and not shortest <= self.length <= 1_000_000,
                (
                    f"A section has from {shortest} to 1,000,000 {self.sections or 'words'}, not"
                    f" {self.length:,}."
                ),
            ),
            "least": (
                not 0 <= self.least <= 1_000_000,
                f"The least length is from 0 to 1,000,000 words, not {self.least:,}.",
            ),
            "join": (
                len(self.join) > MOST_FIELDS,
                f"Documents can be joined by {MOST_FIELDS} fields; these are {len(self.join)}.",
            ),
            "pattern": (
                len(self.pattern) > MAX_PATTERN,
                (
                    f"A pattern has at most {MAX_PATTERN} characters; this one has"
                    f" {len(self.pattern):,}."
                ),
            ),
            "table": (
                bool(self.table) != bool(self.key),
                (
                    "A table about the files needs both: which file it is, and its column with"
                    " their names."
                ),
            ),
        }
        for name, (applies, sentence) in wrong.items():
            if applies:
                raise Invalid(name, sentence)
        if self.pattern:
            Pattern(self.pattern)

    @property
    def size(self) -> int:
        """Words or pages of a section."""
        return self.length or LENGTHS.get(self.sections, 0)

    @property
    def joins(self) -> bool:
        return bool(self.join or self.period or self.parts)

    @property
    def across(self) -> bool:
        """Whether a document depends on others, or on other files: then none can be read, or read
        again, by itself."""
        return self.joins or bool(self.table)
