"""The language of each text as a field, by which texts are chosen, compared and trained apart."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from inference.text import LANGUAGES, language_code, language_name, language_of
from webapp.intake.file_formats import Document, Problem

FIELD = "language"
COLUMNS = (FIELD, "lang")  # that say the language of a text, in lower case; the first is preferred
# What a text says of these is believed: they are written nearly alike
HARDLY_TOLD_APART = (frozenset({"bs", "hr", "sr"}), frozenset({"id", "ms"}))


def language_column(names: Iterable[str]) -> str | None:
    """Which of some columns says the language of a text; None where none does."""
    by_lower_name = {name.strip().lower(): name for name in names}
    present = [by_lower_name[name] for name in COLUMNS if name in by_lower_name]
    return present[0] if present else None


def said_language(metadata: Mapping[str, str]) -> str:
    """The language (ISO 639-1) that a document says it is in; "" where it says none that we
    know."""
    column = _saying_column(metadata)
    return language_code(metadata[column]) if column else ""


def is_another_language(said: str, found: str) -> bool:
    """Whether a text that says one language is in another one (ISO 639-1; "" for not known)."""
    if not said or not found or said == found:
        return False
    return not any({said, found} <= alike for alike in HARDLY_TOLD_APART)


def language_fields(
    items: Iterable[Document | Problem], anew: bool
) -> Iterator[Document | Problem]:
    """With the name of each text's language, or “unknown”; a document that says its language keeps
    what it says, unless `anew` and its text is in another. Whole texts, before they are cut:
    sections of one have one language."""
    for item in items:
        if isinstance(item, Document):
            item = replace(item, metadata=_with_language(item, anew))
        yield item


def _with_language(document: Document, anew: bool) -> dict[str, str]:
    metadata = document.metadata
    column = _saying_column(metadata)
    if column is None:
        return {**metadata, FIELD: language_name(document.text)}
    said = metadata[column]
    is_the_field = column.strip().lower() == FIELD
    if is_the_field and not anew:
        return metadata
    language = language_code(said)
    found = language_of(document.text) if anew else ""
    if is_another_language(language, found) or (found and not language):
        language = found
    # From another column, so that one field has the language of every text, said or found
    field = column if is_the_field else FIELD
    return {**metadata, field: LANGUAGES.get(language, said)}


def _saying_column(metadata: Mapping[str, str]) -> str | None:
    """Which field says the language of a document; None where none does."""
    return language_column(name for name, value in metadata.items() if value)
