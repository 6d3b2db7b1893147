"""Who wrote or spoke a document, by its columns."""

import json
import re
from collections.abc import Iterable, Mapping

from inference.answers import collection_unit
from webapp.core.documents import corpus_unit
from webapp.intake.metadata.column_names import names_people
from webapp.models import Corpus
from webapp.platform.accounts.embargo import AboutDocument
from webapp.platform.typed_text import one_line

# Columns, by their names in lower case
AUTHORS = (
    "author",
    "authors",
    "creator",
    "byline",
    "writer",
    "speaker",
)
# Columns of persons beyond those that forms call so
SPEAKERS = frozenset({"president", "candidate", "reviewer", "senator", "minister", "correspondent"})
_DIVISION = re.compile(r"[;|]")  # between several names
_MAIL_ADDRESS = re.compile(r"\s*<[^<>\s]*@[^<>\s]*>")  # behind a name


def read_authors(metadata: Mapping[str, str], speaker_column: str = "") -> tuple[str, ...]:
    """The names as they are written, () where no column has any. metadata: of a document, by
    column. speaker_column: that says who speaks in this corpus, for documents without a column of
    authors; "" where none is known."""
    fields = {name.strip().lower(): value.strip() for name, value in metadata.items()}
    name_columns = [*AUTHORS, speaker_column.strip().lower()]
    names = next((fields[name] for name in name_columns if fields.get(name)), "")
    return tuple(filter(None, map(_name_alone, _DIVISION.split(names))))


def name_authors(corpus: Corpus, documents: Iterable[AboutDocument]) -> dict[int, str]:
    """Who wrote each of some documents, "" where nobody is known, by number. documents: with their
    metadata, as `embargo.about` gives them to the reader."""
    column = speaker_column(corpus)
    return {
        document["number"]: "; ".join(read_authors(json.loads(document["metadata"]), column))
        for document in documents
    }


def speaker_column(corpus: Corpus) -> str:
    """The column that says who wrote or spoke each document, "" where none is known: what a person
    answered to “Who speaks?”, or what was found in the texts where its name is one of persons. A
    part of a column, such as the first word of a title, is nobody's name."""
    if corpus.version is None:
        return ""
    unit = corpus_unit.unit_of(corpus.version)
    if not unit.name or collection_unit.derivation(unit.name) is not None:
        return ""
    is_answer = corpus.unit == unit.name
    is_of_persons = names_people(unit.name) or unit.name.casefold() in SPEAKERS
    return unit.name if is_answer or is_of_persons else ""


def _name_alone(name: str) -> str:
    """A name without the e-mail address behind it."""
    return one_line(_MAIL_ADDRESS.sub("", name) or name)
