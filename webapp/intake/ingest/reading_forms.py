"""Forms of how files are read. Each field says in a line what it does."""

import re
from collections.abc import Callable, Collection

from django import forms

from webapp.intake import file_formats, metadata
from webapp.intake.ingest import guesses
from webapp.intake.ingest.asked_reading import SentReading
from webapp.intake.ingest.corpus_settings import ReadingSettings, VocabularySettings
from webapp.intake.ingest.vocabulary_forms import NamedVocabularyForm, choice_field
from webapp.intake.metadata.calendars import CALENDARS
from webapp.intake.metadata.dates import ambiguous, may_be_of_another_calendar
from webapp.models import Corpus
from webapp.platform.pages.asked_forms import SentBox, SentChoice, SentWhole

# columns whose kind can be changed: as many are kept (webapp.intake.file_formats.base.MAX_FIELDS)
KINDS_SHOWN = 64
ENCODINGS = [
    ("utf-8", "UTF-8"), ("detect", "each file’s own, found for each file"), ("utf-16", "UTF-16"), ("utf-32", "UTF-32"),
    ("cp1252", "Western, Windows (cp1252)"), ("iso8859-15", "Western, ISO 8859-15"), ("mac_roman", "Western, old Macintosh"),
    ("cp850", "Western, DOS (cp850)"), ("cp437", "American, DOS (cp437)"), ("iso8859-14", "Celtic, ISO 8859-14"),
    ("cp1250", "Central European, Windows (cp1250)"), ("iso8859-2", "Central European, ISO 8859-2"), ("iso8859-16", "Romanian, ISO 8859-16"),
    ("mac_latin2", "Central European, old Macintosh"), ("cp852", "Central European, DOS (cp852)"), ("iso8859-3", "Esperanto and Maltese, ISO 8859-3"),
    ("cp1251", "Cyrillic, Windows (cp1251)"), ("koi8-r", "Russian, KOI8-R"), ("koi8-u", "Ukrainian, KOI8-U"), ("iso8859-5", "Cyrillic, ISO 8859-5"),
    ("cp866", "Cyrillic, DOS (cp866)"), ("mac_cyrillic", "Cyrillic, old Macintosh"), ("cp1253", "Greek, Windows (cp1253)"),
    ("iso8859-7", "Greek, ISO 8859-7"), ("cp1254", "Turkish, Windows (cp1254)"), ("cp1255", "Hebrew, Windows (cp1255)"),
    ("cp1256", "Arabic, Windows (cp1256)"), ("iso8859-6", "Arabic, ISO 8859-6"), ("cp1257", "Baltic, Windows (cp1257)"),
    ("iso8859-13", "Baltic, ISO 8859-13"), ("iso8859-4", "Baltic, ISO 8859-4"), ("cp1258", "Vietnamese, Windows (cp1258)"),
    ("cp874", "Thai, Windows (cp874)"), ("cp932", "Japanese, Shift-JIS"), ("euc_jp", "Japanese, EUC-JP"), ("iso2022_jp", "Japanese, ISO-2022-JP"),
    ("gb18030", "Chinese, GB18030"), ("big5hkscs", "Chinese, Big5"), ("hz", "Chinese, HZ"), ("cp949", "Korean, EUC-KR"),
    ("iso2022_kr", "Korean, ISO-2022-KR"), ("johab", "Korean, Johab"),
]  # fmt: skip
ENCODING_NAMES = dict(ENCODINGS) | {"utf-8-sig": "UTF-8"}
ORDERS = [("dmy", "day/month/year", "12 March 1999"), ("mdy", "month/day/year", "3 December 1999")]
KIND = "kind_"  # begins the names of fields of what a column holds; its place follows
COLUMN_KIND = re.compile(rf"{KIND}[0-9]{{1,6}}")
# What the form sends of the rows that the user saw, and its button that starts again
ROWS_SEEN = frozenset({"columns", "header_of", "propose", "other_list"})
# What it sends of pseudonyms, which replace persons before anything is read (pseudonyms.py)
PSEUDONYM_FIELDS = frozenset(
    {"pseudonyms", "pseudonym_column", "pseudonyms_counted", "keep_uploaded"}
)
EACH_DOCUMENT = "each"  # document is a unit
ALL_SHEETS = {"*": "all that have texts, the sheet as a field"}
DELIMITERS = [(",", "comma"), ("\t", "tab"), (";", "semicolon"), ("|", "vertical bar")]
# Fields whose first value is that of the options as it is
FIELDS_OF_OPTIONS = (
    "encoding", "header", "html", "missing", "surplus", "running", "lemmas", "text", "title", "date", "id", "date_order",
)  # fmt: skip
# Fields of files that have columns, and those that say how a file is cut into columns
COLUMN_FIELDS = ("text", "title", "date", "id", "date_order", "html", "unit", "missing")
CUTTING_FIELDS = ("encoding", "sheet", "header", "header_row", "delimiter", "surplus")


def _is_spreadsheet(options: file_formats.Options) -> bool:
    return (options.entry or options.format) in ("xlsx", "ods")


def _has_columns(sniff: file_formats.Sniff) -> bool:
    return bool(sniff.columns)


def _has_separator(sniff: file_formats.Sniff) -> bool:
    return sniff.options.delimiter is not None


def _has_header(sniff: file_formats.Sniff) -> bool:
    return _has_separator(sniff) or _is_spreadsheet(sniff.options)


# Fields that the form has for some files alone: for which
SHOWN: dict[str, Callable[[file_formats.Sniff], bool]] = {
    **dict.fromkeys(COLUMN_FIELDS, _has_columns),
    "sheet": lambda sniff: bool(sniff.sheets),
    "delimiter": _has_separator,
    "surplus": _has_separator,
    "header": _has_header,
    "header_row": _has_header,
    "encoding": lambda sniff: file_formats.formats.encoded(sniff.options),
    "running": lambda sniff: file_formats.formats.paged(sniff.options),
    "lemmas": lambda sniff: file_formats.formats.divided(sniff.options),
}


class ReadingForm(NamedVocabularyForm):
    """How a corpus is read. Fields that its format does not have are left out."""

    schema = SentReading

    text = SentChoice(label="Text", help_text="The column that holds the documents’ text.")
    title = SentChoice(required=False, label="Title")
    date = SentChoice(
        required=False,
        label="Date",
        help_text="A year, a month or a day, in any usual form.",
    )
    date_order = SentChoice(
        required=False,
        label="12/3/1999 is",
        help_text="How to read dates that are written with numbers.",
        choices=[
            ("", "not known: such dates are left out"),
            *((order, f"{words}: {said}") for order, words, said in ORDERS),
            *((name, f"day/month/year, all dates {said}") for name, said in CALENDARS.items()),
        ],
    )
    id = SentChoice(
        required=False,
        label="Id",
        help_text="Your own identifier; every export contains it.",
    )
    sheet = SentChoice(label="Sheet", help_text="Of the spreadsheet. The others are not read.")
    missing = SentBox(
        required=False,
        label="Marks such as NA are missing values",
        help_text=(
            "NA, NaN, NULL, None, [deleted], [removed] and the like, alone in a cell. If not, they"
            " are words and values as others are."
        ),
    )
    header = SentBox(
        required=False,
        label="One row has the names of the columns",
        help_text="If not, the first row is a document.",
    )
    header_row = SentWhole(
        required=False,
        label="Header is in row",
        help_text=(
            "The row with the names of the columns, counted from the top of the file. Rows above it"
            " are not read."
        ),
    )
    html = SentBox(
        required=False,
        label="The text has HTML in it",
        help_text=(
            "Tags such as <p> and entities such as &eacute; become plain text, in titles too;"
            " scripts and styles are dropped."
        ),
    )
    running = SentBox(
        required=False,
        label="Leave out lines that run through the pages",
        help_text=(
            "Headers, footers and page numbers of PDFs, and of texts whose pages end with a form"
            " feed. How many they are stands at the top."
        ),
    )
    lemmas = SentBox(
        required=False,
        label="Read lemmas instead of words",
        help_text="Of CoNLL-U and VRT, where a column has them: “go” for “went”.",
    )
    surplus = SentBox(
        required=False,
        label="Surplus cells belong to the text",
        help_text=(
            "Where a row has more cells than there are columns, because the text has the separator"
            " in it. The report of problems names these rows."
        ),
    )
    delimiter = SentChoice(
        choices=DELIMITERS, label="Columns are separated by", help_text="In the file itself."
    )
    encoding = SentChoice(
        label="Encoding", help_text="Change it where the preview shows wrong letters."
    )

    unit = SentChoice(
        required=False,
        label="Who speaks?",
        help_text=(
            "Texts of one speaker, author or source are alike: intervals and tests count each as"
            " one voice. It can be changed at any time."
        ),
    )
    train = SentBox(
        required=False,
        initial=True,
        label="Train topics as soon as it has been read",
        help_text=(
            "With the usual settings for its size; you can train again with others at any time."
        ),
    )

    def __init__(self, *args, corpus: Corpus, sniff: file_formats.Sniff, **kwargs):
        reading = _reading_before(corpus, sniff)
        initial = _initial(corpus, sniff)
        super().__init__(*args, name=corpus.name, reading=reading, initial=initial, **kwargs)
        self.options = sniff.options
        self.sniff = sniff
        for name, has_field in SHOWN.items():
            if not has_field(sniff):
                del self.fields[name]
        if guesses.keeps_columns(corpus):
            for name in CUTTING_FIELDS:
                self.fields.pop(name, None)
        if sniff.columns:
            self._offer_columns()
        if "sheet" in self.fields:
            self._offer_sheets()
        if "encoding" in self.fields:
            self._offer_encodings()

    def _offer_columns(self) -> None:
        """For each role, and for the speaker; and what each column may hold."""
        columns = list(enumerate(self.sniff.columns))
        choice_field(self, "text").choices = columns
        for name in ("title", "date", "id"):
            choice_field(self, name).choices = [("", "none"), *columns]
        choice_field(self, "unit").choices = [
            ("", "to be found in the texts"),
            (EACH_DOCUMENT, "each document for itself"),
            *((str(i), name) for i, name in columns),
        ]
        for i, name in columns[:KINDS_SHOWN]:
            self.fields[f"{KIND}{i}"] = forms.ChoiceField(
                choices=metadata.choices(),
                required=False,
                label=name,
                initial=self.options.kinds.get(name, metadata.DEFAULT.kind),
            )
        if not self["date_order"].value() and not self._two_ways():
            del self.fields["date_order"]

    def _offer_encodings(self) -> None:
        """The guessed one is among them."""
        guess = self.options.encoding
        choices = ENCODINGS
        if guess not in dict(ENCODINGS):
            choices = [(guess, guess), *ENCODINGS]
        choice_field(self, "encoding").choices = choices

    def _offer_sheets(self) -> None:
        """Sheets of a spreadsheet, or lists of objects of JSON."""
        field = choice_field(self, "sheet")
        field.choices = [(sheet, ALL_SHEETS.get(sheet, sheet)) for sheet in self.sniff.sheets]
        if not _is_spreadsheet(self.options):
            field.label = "List"
            field.help_text = "Of the objects in the file. The others are not read."

    @property
    def other_lists(self) -> list[str]:
        """The lists of objects of JSON that are not read; none for another format."""
        if "sheet" not in self.fields or _is_spreadsheet(self.options):
            return []
        read = self["sheet"].value()
        return [sheet for sheet in self.sniff.sheets if sheet != read]

    @property
    def kinds(self) -> list:
        """What each column holds that has no role: fields of this form."""
        roles = {
            str(self[role].value())
            for role in ("text", "title", "date", "id")
            if role in self.fields
        }
        kinds = [name for name in self.fields if name.startswith(KIND)]
        return [self[name] for name in kinds if name.removeprefix(KIND) not in roles]

    @property
    def chosen_unit(self) -> str | None:
        """Corpus.unit, of a valid form."""
        unit = self.cleaned_data.get("unit", "")
        if unit.isdigit():
            return self.sniff.columns[int(unit)]
        return "" if unit == EACH_DOCUMENT else None

    def _two_ways(self) -> bool:
        """Whether the first rows have a date such as 12/3/1999, or one that may be of another
        calendar, in a column that is chosen for dates."""
        return ambiguous(self._dates()) or self.other_calendar

    @property
    def other_calendar(self) -> bool:
        """Whether the first dates may be of another calendar, and nothing was said of it."""
        if self["date_order"].value() in CALENDARS:
            return False
        return may_be_of_another_calendar(self._dates())

    def _dates(self) -> list[str]:
        """What stands in the first rows in columns that are chosen for dates."""
        date_columns = {
            i for i in range(len(self.sniff.columns)) if str(self["date"].value()) == str(i)
        }
        for name in self.fields:
            if name.startswith(KIND) and metadata.type_of(self[name].value()).has_date_order:
                date_columns.add(int(name.removeprefix(KIND)))
        return [row[i] for row in self.sniff.rows for i in date_columns if i < len(row)]

    def check_names(self, others: Collection[str]) -> None:
        """The kinds of columns may be of a file that was cut into others, until the form was
        sent."""
        kinds = {name for name in self.data if COLUMN_KIND.fullmatch(name)}
        super().check_names({*others, *ROWS_SEEN, *PSEUDONYM_FIELDS, *kinds})

    def clean(self) -> None:
        super().clean()
        for role in file_formats.ROLES:
            if role in self.cleaned_data:
                self.cleaned_data[role] = _place(self.cleaned_data[role])
        chosen_columns = [self.cleaned_data.get(name) for name in ("text", "title", "id")]
        chosen_columns = [column for column in chosen_columns if column is not None]
        if len(set(chosen_columns)) < len(chosen_columns):
            self.add_error("text", "Text, title and id must be different columns.")

    def reading(self) -> ReadingSettings:
        values = self.cleaned_data
        options = {name: getattr(self.options, name) for name in self.options.__dataclass_fields__}
        # the sniff has looked there: 0 is the first row that is not blank
        options |= {
            name: values[name] for name in options.keys() & (values.keys() - {"header_row"})
        }
        options["kinds"] = dict(options["kinds"])
        for name, kind in values.items():
            if name.startswith(KIND) and kind:
                column = self.sniff.columns[int(name.removeprefix(KIND))]
                options["kinds"][column] = kind
        return self.with_options(options)


def _place(column: str) -> int | None:
    """The place of a column that is chosen, which the form sends; None for none."""
    return int(column) if column else None


def _reading_before(corpus: Corpus, sniff: file_formats.Sniff) -> ReadingSettings:
    """How the corpus was to be read last; at first in the language of its texts."""
    if corpus.settings:
        return ReadingSettings(**corpus.settings)
    language, _ = guesses.guess_language(sniff)
    return ReadingSettings(language=language)


def _initial(corpus: Corpus, sniff: file_formats.Sniff) -> dict:
    """What the form shows first."""
    options = sniff.options
    initial = {name: getattr(options, name) for name in FIELDS_OF_OPTIONS}
    initial |= {
        "sheet": options.sheet or next(iter(sniff.sheets), ""),
        "header_row": options.header_row or 1,
        "delimiter": options.delimiter or ",",
        "unit": "",
    }
    if corpus.unit == "":
        initial["unit"] = EACH_DOCUMENT
    elif corpus.unit in sniff.columns:
        initial["unit"] = sniff.columns.index(corpus.unit)
    return initial


class AddingForm(ReadingForm):
    """How files are read that are added to a corpus: which words count is chosen already."""

    def __init__(self, *args, corpus: Corpus, **kwargs):
        super().__init__(*args, corpus=corpus, **kwargs)
        self.before = VocabularySettings.from_dict(corpus.settings)
        for name in ("train", "unit", *NamedVocabularyForm.base_fields):
            self.fields.pop(name, None)

    def words(self) -> VocabularySettings:
        return self.before
