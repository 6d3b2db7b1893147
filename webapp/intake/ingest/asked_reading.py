"""How files are to be read, as it is asked for: the one schema for the form, programs and the
command. What is wrong is refused with the same field and sentence, whichever way it comes. What
depends on the files, such as which columns there are, is checked by the forms of the page, which
all three use (previews.propose)."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from inference.errors import Invalid
from webapp.intake import file_formats
from webapp.intake.ingest.shaping import is_rule
from webapp.intake.ingest.shaping.options import MAX_PATTERN, MOST_FIELDS
from webapp.platform.received import SENTENCE, Received, is_text, words_typed
from webapp.platform.typed_text import as_counted

MOST_STOP_WORDS = 10_000
LONGEST_WORD = 200  # letters
MOST_DOCUMENTS = 1_000_000
MOST_SECTION_WORDS = 1_000_000
SHORTEST_SECTION = 50  # words: a topic in fewer says little
MOST_NAMING_COLUMNS = 1_000  # columns that name persons
LONGEST_NAME = 200  # characters: of a corpus, as the database keeps it
LONGEST_COLUMN = 1_000  # characters: of a column, a sheet or a file
# Texts without spaces at their ends; those of columns, sheets and files may have some
STRIPPED = frozenset({"name", "marker", "pattern", "key"})
# Fields that say something else when they are left empty than when they are not sent
EMPTY_IS_NONE = frozenset({"header_row", "length", "least"})


def _in_lines(text: str) -> list[str]:
    """Phrases of a text that has each on a line of its own."""
    return text.splitlines()


def _between_commas(text: str) -> list[str]:
    names = [part.strip() for part in text.split(",")]
    return [name for name in names if name]


# How a text is read, by the field that is a list
LISTS = {
    "extra_stop_words": words_typed,
    "phrases": _in_lines,
    "join": _between_commas,
}


class _Asked(Received):
    @classmethod
    def from_text(cls, name: str, sent: Any) -> Any:
        """The value of a field as it was sent: as of every schema, but a text of several words is
        divided, an empty list is sent as nothing, and a form that was not touched has the place of
        a column as a number."""
        annotation = cls.model_fields[name].annotation
        if not isinstance(sent, str):
            return str(sent) if type(sent) is int and annotation == str | None else sent
        if name in EMPTY_IS_NONE and not sent.strip():
            return None
        if name in LISTS:
            divide = LISTS[name]
            # What is no text comes whole, for the schema to refuse
            return divide(sent) if is_text(sent) else [sent]
        if name in STRIPPED:
            return sent.strip()
        if not sent and annotation == list[str] | None:
            return []
        return super().from_text(name, sent)

    def chosen(self) -> dict[str, Any]:
        """What was asked for, by name."""
        return {name: value for name, value in self if value is not None}

    @classmethod
    def of_texts(cls, texts: Mapping[str, Any]) -> Self:
        """What a command asks for: texts, several texts, and boxes by their names. Raises
        Invalid."""
        values = {}
        for name, text in texts.items():
            values[name] = cls.from_text(name, text) if name in cls.model_fields else text
        return cls.read(values)


def _distinct_words(words: list[str] | None) -> list[str] | None:
    """In lower case, in the order of the alphabet."""
    if words is None:
        return None
    distinct = {word.strip().lower() for word in words} - {""}
    if (longest := max(map(len, distinct), default=0)) > LONGEST_WORD:
        raise PydanticCustomError(
            SENTENCE, f"A word has at most {LONGEST_WORD} letters; one of these has {longest:,}"
        )
    return sorted(distinct)


class AskedWords(_Asked):
    """Which words count; what is left out is as the page proposes it."""

    language: str | None = Field(
        None,
        max_length=20,
        description="ISO 639-1, such as en, or empty for none or another; by default it is detected",
    )
    also: list[str] | None = Field(
        None, max_length=100, description="other languages whose stop words are left out, too"
    )
    min_documents: int | None = Field(
        None, ge=1, le=MOST_DOCUMENTS, description="words in fewer documents are left out"
    )
    max_share: float | None = Field(
        None, gt=0, le=100, description="words in a larger percentage of documents are left out"
    )
    spread_evenly: bool | None = Field(
        None, description="whether frequent words count that are spread evenly"
    )
    section_words: int | None = Field(
        None,
        ge=0,
        le=MOST_SECTION_WORDS,
        description="words of a section, in which long documents are read; 0: none is cut",
    )
    extra_stop_words: list[str] | None = Field(
        None, max_length=MOST_STOP_WORDS, description="more words to leave out"
    )
    kept_words: list[str] | None = Field(
        None,
        max_length=MOST_STOP_WORDS,
        description="words that count although they are stop words or too frequent",
    )
    min_length: int | None = Field(None, ge=1, le=20, description="of a word, in letters")
    numbers: bool | None = Field(None, description="whether what begins with a digit counts")
    hyphens: Literal["split", "join"] | None = Field(None, description="what well-known counts as")
    apostrophes: Literal["clitics", "split", "join"] | None = Field(
        None, description="what l’homme and Qur’an count as"
    )
    variants: bool | None = Field(
        None, description="whether different spellings of a word count as one"
    )
    apart: list[str] | None = Field(
        None, max_length=MOST_STOP_WORDS, description="spellings that count apart nevertheless"
    )
    phrases: list[str] | None = Field(
        None, max_length=MOST_STOP_WORDS, description="two or more words that count as one"
    )
    duplicates: Literal["keep", "exact", "near"] | None = Field(
        None, description="which documents that repeat an earlier one don’t count"
    )
    forms: Literal["written", "lemmas", "stems"] | None = Field(
        None, description="whether words count as written or as their forms"
    )

    @field_validator("extra_stop_words", "kept_words", "apart")
    @classmethod
    def _words(cls, words: list[str] | None) -> list[str] | None:
        return _distinct_words(words)

    @field_validator("section_words")
    @classmethod
    def _section(cls, words: int | None) -> int | None:
        if words is not None and 0 < words < SHORTEST_SECTION:
            raise PydanticCustomError(
                SENTENCE, f"A section has at least {SHORTEST_SECTION} words; 0 for none"
            )
        return words

    @field_validator("phrases")
    @classmethod
    def _phrases(cls, phrases: list[str] | None) -> list[str] | None:
        """Each once, as it is counted, with one space between its words."""
        if phrases is None:
            return None
        written = [" ".join(as_counted(phrase).replace("_", " ").split()) for phrase in phrases]
        return list(dict.fromkeys(phrase for phrase in written if phrase))


class NamedWords(AskedWords):
    """Which words count, of a corpus that is named with them."""

    name: str | None = Field(None, min_length=1, max_length=LONGEST_NAME)


class AskedShaping(_Asked):
    """What is done to documents before they become rows; what is left out is as the page proposes
    it."""

    sections: Literal["", "words", "pages", "paragraphs", "headings"] | None = Field(
        None, description="by what long documents are cut"
    )
    length: int | None = Field(
        None, ge=1, le=MOST_SECTION_WORDS, description="words or pages of a section"
    )
    least: int | None = Field(
        None,
        ge=0,
        le=MOST_SECTION_WORDS,
        description="words of the shortest paragraph or chapter",
    )
    marker: str | None = Field(None, max_length=100, description="what a heading begins with")
    join: list[str] | None = Field(
        None,
        max_length=MOST_FIELDS,
        description="fields: documents that have the same values become one",
    )
    period: Literal["", "day", "month", "year"] | None = Field(
        None, description="of their date, by which documents become one"
    )
    parts: bool | None = Field(None, description="whether parts are joined to wholes")
    names: bool | None = Field(None, description="whether names of folders and files are fields")
    pattern: str | None = Field(
        None, max_length=MAX_PATTERN, description="of the files’ names: {year}_{author}.txt"
    )
    dated: Literal["", "dmy", "mdy"] | None = Field(
        None, description="how dates in the first lines of files are read, empty for not at all"
    )
    name_dates: Literal["", "files", "folders", "none"] | None = Field(
        None,
        description=(
            "whose names give dates to files without another; empty: those of files and folders"
        ),
    )
    made: bool | None = Field(
        None, description="whether files without another date have the day on which they were made"
    )
    each_language: bool | None = Field(
        None, description="whether the language of each text becomes the field “language”"
    )
    languages_anew: bool | None = Field(
        None, description="whether it is found of texts that say their language, too"
    )
    table: str | None = Field(
        None, max_length=LONGEST_COLUMN, description="a file that is a table about the others"
    )
    key: str | None = Field(
        None, max_length=LONGEST_COLUMN, description="its column with their names"
    )
    silent: list[str] | None = Field(
        None, max_length=100, description="rules for parts of texts whose words don’t count"
    )

    @field_validator("join")
    @classmethod
    def _distinct(cls, names: list[str] | None) -> list[str] | None:
        if names is None:
            return None
        return list(dict.fromkeys(name.strip() for name in names if name.strip()))

    @field_validator("silent")
    @classmethod
    def _rules(cls, names: list[str] | None) -> list[str] | None:
        for name in names or []:
            if not is_rule(name):
                raise PydanticCustomError(
                    SENTENCE, "There is no rule “{name}”", {"name": name[:40]}
                )
        return names


class AskedReading(AskedWords, AskedShaping):
    """How files are read; what is left out is as the page proposes it. A column is given by its
    name, or by its number from 1, and empty for none."""

    text: str | None = Field(None, max_length=LONGEST_COLUMN, description="the column of the texts")
    title: str | None = Field(None, max_length=LONGEST_COLUMN, description="the column of titles")
    date: str | None = Field(None, max_length=LONGEST_COLUMN, description="the column of dates")
    id: str | None = Field(
        None, max_length=LONGEST_COLUMN, description="the column of your own ids"
    )
    unit: str | None = Field(
        None,
        max_length=LONGEST_COLUMN,
        description="who speaks: a column, each for each document, empty for as it is found",
    )
    date_order: str | None = Field(
        None, max_length=20, description="what 12/3/1999 is: dmy, mdy, or another calendar"
    )
    sheet: str | None = Field(
        None, max_length=LONGEST_COLUMN, description="of a spreadsheet, or a list of JSON"
    )
    missing: bool | None = Field(None, description="whether marks such as NA are missing values")
    header: bool | None = Field(None, description="whether a row has the names of the columns")
    header_row: int | None = Field(
        None, ge=1, le=file_formats.HEADER_ROWS, description="which row that is, from 1"
    )
    html: bool | None = Field(None, description="whether the texts have HTML in them")
    running: bool | None = Field(
        None, description="whether lines that run through the pages are left out"
    )
    lemmas: bool | None = Field(None, description="whether lemmas are read instead of words")
    surplus: bool | None = Field(None, description="whether surplus cells belong to the text")
    delimiter: str | None = Field(None, max_length=1, description="what separates the columns")
    encoding: str | None = Field(None, max_length=40, description="such as utf-8")


class SentReading(AskedReading, NamedWords):
    """What the form of a draft sends."""

    train: bool | None = None


class AskedPseudonyms(_Asked):
    """Whether persons get pseudonyms before anything is read, as the tick of the page asks."""

    pseudonyms: bool | None = Field(
        None, description="whether persons get pseudonyms before anything is read"
    )
    pseudonym_column: list[str] | None = Field(
        None,
        max_length=MOST_NAMING_COLUMNS,
        description="columns that name persons; left out: those that the page proposes",
    )
    keep_uploaded: bool | None = Field(
        None, description="whether what was uploaded stays as a draft of its own"
    )

    @property
    def has_persons_replaced(self) -> bool:
        """Raises Invalid where it is said how, but not that they are."""
        if self.pseudonyms:
            return True
        for name in ("pseudonym_column", "keep_uploaded"):
            if getattr(self, name):
                raise Invalid(
                    name, "This says how persons get pseudonyms: ask for pseudonyms, too."
                )
        return False


class AskedFiles(AskedReading, AskedPseudonyms):
    """How the files of a draft are read, and whether persons in them get pseudonyms before."""

    def chosen(self) -> dict[str, Any]:
        """What was asked for of reading, by name."""
        asked = super().chosen()
        return {name: asked[name] for name in asked if name in AskedReading.model_fields}
