"""What is known of documents beside their text: the types of metadata, and the registry of them.

A type is one class in one module: how a column of it is guessed, what a text of it means, how its
values are stored, chosen, grouped and shown. To add one: a module with the class
(webapp.intake.metadata.field says what it must have) and its name in TYPES.
"""

from collections.abc import Iterable

from webapp.intake.metadata.category import Category, Names
from webapp.intake.metadata.date import Date
from webapp.intake.metadata.dates import guess_order
from webapp.intake.metadata.field import Field, MetadataError, RangeField, ValueField
from webapp.intake.metadata.missing import are_codes, is_missing
from webapp.intake.metadata.number import Number
from webapp.intake.metadata.text import Text

__all__ = [
    "DEFAULT", "TYPES", "Category", "Date", "Field", "MetadataError", "Names", "Number",
    "RangeField", "Text", "ValueField", "choices", "describe", "guess", "stored", "type_of",
]  # fmt: skip

# In the order in which pages offer them
TYPES: tuple[type[Field], ...] = (
    Category,
    Number,
    Date,
    Text,
)
DEFAULT = Category  # of a column that no type claims, or of which nothing was said


def type_of(kind: str | None) -> type[Field]:
    """The type of a kind (webapp.intake.file_formats.Options.kinds); DEFAULT for one that is not
    known."""
    return next((field_type for field_type in TYPES if field_type.kind == kind), DEFAULT)


def stored() -> list[type[Field]]:
    """Types of which columns are kept."""
    return [*(field_type for field_type in TYPES if field_type.writer), Names]


def choices() -> list[tuple[str, str]]:
    """(kind, label) of each type, for forms."""
    return [(field_type.kind, field_type.label) for field_type in TYPES]


def guess(columns: list[str], rows: list[list[str]]) -> dict[str, str]:
    """The kind of each column, by its first values: that of the type with the highest priority that
    claims them."""
    return {name: _guess(_values(rows, i), name) for i, name in enumerate(columns)}


def _values(rows: list[list[str]], i: int) -> list[str]:
    """The values of a column, in the rows that reach so far."""
    return [row[i].strip() for row in rows if i < len(row)]


def _guess(values: list[str], name: str) -> str:
    filled = [value for value in values if not is_missing(value)]
    if not filled:
        return DEFAULT.kind
    claiming = [field_type for field_type in TYPES if field_type.claims(filled, name)]
    return max(claiming, key=lambda field_type: field_type.priority, default=DEFAULT).kind


def date_order(columns: Iterable[int], rows: list[list[str]]) -> str:
    """What 12/3/1999 means in these columns of dates: "dmy", "mdy", or "" where they do not
    tell."""
    values = [row[i] for i in columns for row in rows if i < len(row)]
    return guess_order(values) or ""


def describe(columns: list[str], rows: list[list[str]], date: int | None) -> dict:
    """The options that say what the values are: kinds, and the order of dates. date: the column
    that holds the documents' date."""
    kinds = guess(columns, rows)
    codes = [name for i, name in enumerate(columns) if are_codes(_values(rows, i))]
    dates = {i for i, name in enumerate(columns) if type_of(kinds[name]).has_date_order}
    if date is not None:
        dates.add(date)
    return {
        "kinds": kinds,
        "date_order": date_order(sorted(dates), rows),
        "codes": tuple(codes),
    }
