"""The language of each text as a field, by which texts are chosen, compared and trained apart."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from inference.text import LANGUAGES, code_of, name_of
from webapp.intake.file_formats import Document, Problem

FIELD = "language"
COLUMNS = (FIELD, "lang")  # that say the language of a text, in lower case; the first is preferred


def language_column(names: Iterable[str]) -> str | None:
    """Which of some columns says the language of a text; None where none does."""
    by_lower_name = {name.strip().lower(): name for name in names}
    present = [by_lower_name[name] for name in COLUMNS if name in by_lower_name]
    return present[0] if present else None


def language_fields(items: Iterable[Document | Problem]) -> Iterator[Document | Problem]:
    """With the name of each text's language, or “unknown”; a document that says its language keeps
    what it says. Whole texts, before they are cut: sections of one have one language."""
    for item in items:
        if isinstance(item, Document):
            item = replace(item, metadata=_with_language(item))
        yield item


def _with_language(document: Document) -> dict[str, str]:
    metadata = document.metadata
    column = language_column(name for name, value in metadata.items() if value)
    if column is None:
        return {**metadata, FIELD: name_of(document.text)}
    if column.strip().lower() == FIELD:
        return metadata
    # From another column, so that one field has the language of every text, said or found
    said = metadata[column]
    return {**metadata, FIELD: LANGUAGES.get(code_of(said), said)}
