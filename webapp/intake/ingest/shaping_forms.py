"""What is done to documents before they become rows, as a part of the form of a corpus. Each field
says in a line what it does."""

from collections.abc import Sequence
from dataclasses import dataclass

from webapp.intake.ingest.asked_reading import AskedShaping
from webapp.intake.ingest.shaping import CERTAIN, Shaping, TableGuess, ordered_rules, rule_of
from webapp.intake.ingest.vocabulary_forms import choice_field
from webapp.intake.metadata.dates import ORDERS
from webapp.platform.pages.asked_forms import (
    AskedForm,
    SentBox,
    SentChoice,
    SentText,
    SentWhole,
    SentWords,
)
from webapp.platform.pages.page import told_at

SECTIONS = [
    ("", "keep each document whole"),
    ("words", "cut long ones after some number of words"),
    ("pages", "cut them by pages"),
    ("paragraphs", "cut them by paragraphs"),
    ("headings", "cut them by headings, such as chapters"),
]
PERIODS = [
    ("", "not by date"),
    ("day", "of one day"),
    ("month", "of one month"),
    ("year", "of one year"),
]
MOST_TABLES = 100  # that are offered


@dataclass(frozen=True)
class Silence:
    """A rule that recognises parts of texts whose words don't count. share: of the words."""

    name: str
    label: str
    share: float
    chosen: bool


class ShapingForm(AskedForm):
    """Valid where webapp.intake.ingest.shaping.Shaping is; `shaping()` is what it says. It is sent
    with a ReadingForm, which refuses what is no field of either."""

    schema = AskedShaping

    sections = SentChoice(
        required=False,
        choices=SECTIONS,
        label="Sections",
        help_text=(
            "A book is about many things, each of its sections about a few. Pages can still sum the"
            " sections up to the whole book."
        ),
    )
    length = SentWhole(
        required=False,
        label="Words or pages of a section",
        help_text=(
            "Leave it empty for about 1,000 words or 10 pages. A section ends at the end of a"
            " paragraph or sentence."
        ),
    )
    least = SentWhole(
        required=False,
        label="Shortest paragraph or chapter, in words",
        help_text="A shorter one is joined to the next.",
    )
    marker = SentText(
        required=False,
        label="A heading begins with",
        help_text=(
            "Such as CHAPTER, at the beginning of a line. Headings that the file marks, and lines"
            " that begin with #, are known."
        ),
    )
    join = SentText(
        required=False,
        label="Join those with the same",
        help_text=(
            "Fields, separated by commas. With “author”, all documents of an author become one."
            " Leave it empty to join none."
        ),
    )
    period = SentChoice(
        required=False,
        choices=PERIODS,
        label="Join by date",
        help_text="In addition to the fields above, or on its own.",
    )
    parts = SentBox(required=False, label="Join parts to wholes")
    names = SentBox(
        required=False,
        label="Names of folders and files are fields",
        help_text="letters/1901/boston.txt: folder 1 is letters, folder 2 is 1901.",
    )
    pattern = SentText(
        required=False,
        label="Pattern of the files’ names",
        help_text=(
            "{year}_{author}.txt makes fields of 1901_adams.txt. {title}, {date}, {year} and {id}"
            " are the document’s own; {} is ignored."
        ),
    )
    dated = SentChoice(
        required=False,
        choices=[
            ("", "are not read"),
            *((order, f"are read, numbers as {label}") for order, label in ORDERS.items()),
        ],
        label="Dates in the first lines of files",
        help_text=(
            "“Berlin, den 12. Mai 1999”, or a date on a line of its own. Files that have another"
            " date keep it."
        ),
    )
    name_dates = SentChoice(
        required=False,
        choices=[
            ("", "of files and folders are taken"),
            ("files", "of files are taken"),
            ("folders", "of folders are taken"),
            ("none", "are not taken"),
        ],
        label="Dates in names",
        help_text=(
            "1901_adams.txt, letters/1901-05-03/adams.txt. Files that have another date keep it. A"
            " number in a few names is rarely a year."
        ),
    )
    made = SentBox(
        required=False,
        label="Files without another date have the day on which they were made",
        help_text=(
            "As PDF, Word and OpenDocument files say it. It may be many years after the text was"
            " written."
        ),
    )
    each_language = SentBox(
        required=False,
        label="Find the language of each text",
        help_text=(
            "It becomes the field “language”, by which texts are chosen, compared, and trained one"
            " language at a time. A text that is too short to tell is “unknown”."
        ),
    )
    languages_anew = SentBox(
        required=False,
        label="Also of texts that say their language",
        help_text=(
            "For pages that all say the same, in whatever language they are. A text in which no"
            " language is found keeps what it says."
        ),
    )
    table = SentChoice(
        required=False,
        label="The file",
        help_text=(
            "Its columns become titles, dates and fields of the files that its rows name. Its first"
            " row must hold the names of the columns."
        ),
    )
    key = SentText(
        required=False,
        label="Its column with their names",
        help_text="With or without folder and extension, or the documents’ ids.",
    )

    silent = SentWords(required=False, label="Words that don’t count")

    def __init__(
        self,
        *args,
        shaping: Shaping | None,
        tables: Sequence[str] = (),
        guess: TableGuess | None = None,
        **kwargs,
    ):
        """shaping: what was chosen before, None for nothing. tables: names of files that may be the
        table; guess: which seems to be. Both are offered, and nothing else is taken."""
        shaping = shaping or Shaping(silent=CERTAIN)
        table = shaping.table or (guess.name if guess else "")
        key = shaping.key or (guess.key if guess else "")
        initial = {
            "sections": shaping.sections,
            "length": shaping.length or None,
            "least": shaping.least,
            "marker": shaping.marker,
            "join": ", ".join(shaping.join),
            "period": shaping.period,
            "parts": shaping.parts,
            "names": shaping.names,
            "dated": shaping.dated,
            "name_dates": shaping.name_dates,
            "made": shaping.made,
            "each_language": shaping.each_language,
            "languages_anew": shaping.languages_anew,
            "pattern": shaping.pattern,
            "table": table,
            "key": key,
            "silent": list(shaping.silent),
        }
        super().__init__(*args, **kwargs | {"initial": initial})
        offered = dict.fromkeys(name for name in [table, *tables[:MOST_TABLES]] if name)
        self.guess = guess
        self.offers_tables = bool(offered)
        self.unshown = ["silent"] if offered else ["silent", "table", "key"]
        choice_field(self, "table").choices = [
            ("", "there is none"),
            *((name, name) for name in offered),
        ]

    @property
    def shapes(self) -> bool:
        """Whether it does anything, so that it is not to be overlooked."""
        return any(
            self[name].value()
            for name in ("sections", "join", "period", "names", "dated", "pattern", "table")
        )

    def silences(self, shares: dict[str, float]) -> list[Silence]:
        """The rules that recognise something, or are chosen. shares: of
        webapp.intake.ingest.shaping.rule_shares."""
        chosen_lines = set(self["silent"].value() or [])
        return [
            Silence(name, rule_of(name).label, shares.get(name, 0.0), name in chosen_lines)
            for name in ordered_rules({*chosen_lines, *shares})
        ]

    def clean(self) -> None:
        super().clean()
        if not self.errors:
            with told_at(self):
                self._shaping = self._made()

    def _made(self) -> Shaping:
        values = dict(self.cleaned_data)
        values["join"] = tuple(values["join"])
        values["length"] = values["length"] or 0
        values["least"] = Shaping.least if values["least"] is None else values["least"]
        if values["sections"] not in ("words", "pages"):
            values["length"] = 0  # of no use, and not to be wrong
        if not values["table"]:
            values["key"] = ""
        return Shaping(**values)

    def shaping(self) -> Shaping:
        """What a form that is valid asks for."""
        return self._shaping
