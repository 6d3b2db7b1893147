"""What is left out of files, or read otherwise than it was written, by kinds: the preview counts each
at its top, and says what to do.

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
    "letters": Kind(
        "letter has no name in its PDF, so that its word is not whole",
        "letters have no name in their PDFs, so that words with them are not whole",
        "Export the PDF again with its fonts, or recognise its letters: ocrmypdf --force-ocr.",
    ),
    "empty page": Kind(
        "page of a PDF holds no text",
        "pages of PDFs hold no text",
        "They may be pictures. Recognise their letters first, for example with ocrmypdf.",
    ),
    "page": Kind(
        "page is damaged and is left out",
        "pages are damaged and are left out",
        "Save or download the file again.",
    ),
    "running": Kind(
        "line that runs through the pages of a file, as a header or a page number, is left out",
        "lines that run through the pages of files, as headers and page numbers, are left out",
        "Untick “Leave out lines that run through the pages” to read them.",
    ),
    "characters": Kind(
        "text has characters that could not be read as they are",
        "texts have characters that could not be read as they are",
        "The list of problems below names the first. Choose another encoding if letters are wrong.",
    ),
    "encoding": Kind(
        "text is not in the encoding of the others, and is read in its own",
        "texts are not in the encoding of the others, and are read in their own",
        "Look at their letters: the list of problems below names the first.",
    ),
    "twice": Kind(
        "letter was saved in a wrong encoding",
        "letters were saved in a wrong encoding",
        "Repair the file where it comes from.",
    ),
    "row": Kind(
        "row is broken, or has more or fewer cells than the header, and is kept",
        "rows are broken, or have more or fewer cells than the header, and are kept",
        "The list of problems below names the first.",
    ),
    "mets": Kind(
        "file (METS) says which pages are one document, and holds no text itself",
        "files (METS) say which pages are one document, and hold no text themselves",
        "Their pages are joined in this order where they are uploaded with them.",
    ),
    "midnight": Kind(
        "cell holds the time 00:00:00, as dates before 1900 come",
        "cells hold the time 00:00:00, as dates before 1900 come",
        "Excel does not know such dates: save them as text.",
    ),
    "no abstract": Kind(
        "reference has no abstract, and its title is its text",
        "references have no abstract, and their titles are their texts",
        "",
    ),
    "notice": Kind(
        "notice, or message without text, is left out",
        "notices, and messages without text, are left out",
        "Such as pictures, and who joined the chat.",
    ),
    "attachment": Kind(
        "attachment of a message is not read",
        "attachments of messages are not read",
        "Upload important ones separately.",
    ),
    "part": Kind(
        "part of a book is missing in its file, or empty",
        "parts of books are missing in their files, or empty",
        "",
    ),
    "entry": Kind(
        "entry names a word that the vocabulary does not have, and is left out",
        "entries name words that the vocabulary does not have, and are left out",
        "Is it the right vocabulary?",
    ),
    "entity": Kind(
        "entity is defined outside of its file, or by it, and is left out",
        "entities are defined outside of their files, or by them, and are left out",
        "Save the files with the characters themselves.",
    ),
    "changed": Kind(
        "more thing was read otherwise than it stands in its file",
        "more things were read otherwise than they stand in their files",
        "The list of problems below names the first.",
    ),
}
CHANGED = "changed"  # of a problem that names no kind, and by which nothing is lost


def kind_of(name: str) -> Kind:
    """The kind by its name; for one that is not known, as an older or newer version may have stored
    it, what is said of any document."""
    return KINDS.get(name, KINDS[""])
