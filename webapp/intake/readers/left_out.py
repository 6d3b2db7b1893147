"""What is left out of files, by kinds: the preview counts each at its top, and says how to have it.

To add one: a line in KINDS, and its key as `kind` of the Problem that tells of it.
"""

from typing import NamedTuple


class Kind(NamedTuple):
    """one, many: what is counted. mend: what to do, a sentence; "" where nothing can be done."""

    one: str
    many: str
    mend: str


KINDS = {
    "": Kind(
        "document could not be read and is left out",
        "documents could not be read and are left out",
        "The list of problems below names the first.",
    ),
    "file": Kind(
        "file can’t be read and is left out",
        "files can’t be read and are left out",
        "The list of problems below names the first, and what to do.",
    ),
    "too long": Kind(
        "row is longer than 20 million characters and is left out",
        "rows are longer than 20 million characters and are left out",
        "Most likely a quotation mark is opened and never closed there.",
    ),
    "empty": Kind(
        "row without a text is left out",
        "rows without a text are left out",
        "If their texts are in another column, choose it for the text.",
    ),
    "mark": Kind(
        "row has only a mark such as NA, NULL or [deleted] for its text and is left out",
        "rows have only a mark such as NA, NULL or [deleted] for their text and are left out",
        "Untick “Marks such as NA are missing values” to read them as words.",
    ),
    "no text field": Kind(
        "file has no texts where the others have them and is left out",
        "files have no texts where the others have them and are left out",
        "If the texts are in another field, choose it for the text.",
    ),
    "saved page": Kind(
        "file that a browser saved with a page, in the folder beside it, is left out",
        "files that a browser saved with pages, in the folders beside them, are left out",
        "They hold adverts, scripts and pictures. Rename the folder to read one of them.",
    ),
    "columns": Kind(
        "column is not kept",
        "columns are not kept",
        "A document keeps 64 fields. Take out columns that you don’t need to keep others.",
    ),
    "sheet": Kind(
        "sheet has no texts like the others and is not read",
        "sheets have no texts like the others and are not read",
        "Choose it as the sheet to read it.",
    ),
    "about": Kind(
        "table beside the texts names none of them and is left out",
        "tables beside the texts name none of them and are left out",
        "If it is about the texts, choose it below as the table, and its column with their names.",
    ),
}


def kind_of(name: str) -> Kind:
    """Of a kind that is not known, as an older or newer version may have stored it: what is said of
    any document."""
    return KINDS.get(name, KINDS[""])
