"""The language of each text as a field, by which texts are chosen, compared and trained apart."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from inference.text import name_of
from webapp.intake.readers import Document, Problem

FIELD = "language"


def language_fields(items: Iterable[Document | Problem]) -> Iterator[Document | Problem]:
    """With the name of each text's language, or “unknown”; a document that says its language keeps
    what it says. Whole texts, before they are cut: sections of one have one language."""
    for item in items:
        if isinstance(item, Document) and not item.metadata.get(FIELD):
            item = replace(item, metadata=item.metadata | {FIELD: name_of(item.text)})
        yield item
