"""The unit of a corpus: the field whose texts are alike, so that they count as one in every
estimate (docs/intervals.md). A person's answer wins over what was found in the data."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import regex

from inference.answers import collection_unit as found
from inference.answers.collection_unit import Certainty, UnitField
from inference.effects import unit_documents
from inference.errors import Invalid
from inference.text.spelling import fold_apostrophes
from webapp.core.documents import fields, unit_words
from webapp.intake.metadata import Names, ValueField
from webapp.models import Corpus, Version
from webapp.platform.storage import files, sealed
from webapp.platform.storage.cache import of_documents

_WORD = regex.compile(r"[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*")
FEWEST_VALUES = found.FEWEST_VALUES  # values of a field that may be the unit
FIELDS_OFFERED = 20  # fields that a page offers, those whose texts are most alike first

# As intervals have it: for what they hold, beyond the texts at hand.
DOCUMENTS_ANSWERED = "for other documents like these"
DOCUMENTS_UNSAID = "if documents are independent of each other"


@dataclass(frozen=True)
class Unit:
    """field: whose values are independent of each other; None: documents are. said: as sentences
    have it, of intervals. certainty: how it is known; rivals: fields that might be it as well.
    method: of the search that found what each document's unit is, 0 where nobody has looked."""

    field: UnitField | None
    said: str
    certainty: Certainty = "answered"
    rivals: tuple[UnitField, ...] = ()
    method: int = 0

    @property
    def name(self) -> str:
        """The field's name, "" for documents."""
        return self.field.name if self.field else ""

    @property
    def key(self) -> tuple[int, str, Certainty]:
        """For caches: equal where each document has the same unit, and it is known in the same way.
        A version that an older program read is looked at again, by another method."""
        return (self.method, self.name, self.certainty)

    @property
    def asked(self) -> bool:
        """Whether a person should be asked."""
        return self.certainty == "likely"


def unit_of(version: Version, *compared: str) -> Unit:
    """The unit of a version's documents: the one function that every estimate asks. compared:
    fields whose values are compared, each of which would be one unit. A field that a person named
    and that this version does not have is no answer."""
    choice = found.choose(known_fields(version), compared, version.corpus.unit)
    beyond = _beyond(choice.field, version.corpus.unit)
    return Unit(choice.field, beyond, choice.certainty, choice.rivals, _method(version))


def _method(version: Version) -> int:
    return version.unit_fields.get("method", 0) if version.unit_fields else 0


def _beyond(field: UnitField | None, answer: str | None) -> str:
    """For what intervals hold."""
    if field is not None:
        return (
            f"for similar texts in general, not only for these {unit_words.values_of(field.name)}"
        )
    return DOCUMENTS_ANSWERED if answer == "" else DOCUMENTS_UNSAID


def known_fields(version: Version) -> list[UnitField]:
    """The fields that were looked at; of a version where nobody has looked yet, or where looking
    failed, those that a person may name, with nothing known of how alike their texts are."""
    if version.unit_fields is None or failed(version):
        return [_not_looked_at(field) for field in _of_columns(version)]
    return [_read_field(row) for row in version.unit_fields["fields"]]


def failed(version: Version) -> bool:
    """Whether a mistake broke the search for the unit."""
    return bool(version.unit_fields and version.unit_fields.get("failed"))


def _read_field(row: dict) -> UnitField:
    values = {name: value for name, value in row.items() if name != "file"}
    values["aliases"] = tuple(values["aliases"])
    values["coarser"] = tuple(values["coarser"])
    values["examples"] = tuple(values.get("examples", ()))  # none of an older program
    return UnitField(**values)


def _of_columns(version: Version) -> list[ValueField | Names]:
    return [*fields.categories(version), *fields.names(version)]


def _values(field: ValueField | Names) -> int:
    return field.different if isinstance(field, Names) else len(field.values)


def _not_looked_at(field: ValueField | Names) -> UnitField:
    values = _values(field)
    return UnitField(field.name, values, float(values), 1.0, 1.0, 1.0, effect=1.0, correlation=0.0)


def possible(version: Version) -> list[UnitField]:
    """Fields that a person may name, those whose texts are most alike first."""
    enough = [field for field in known_fields(version) if field.values >= FEWEST_VALUES]
    return sorted(enough, key=lambda field: (bool(field.unfit), -field.effect))[:FIELDS_OFFERED]


def codes(version: Version, field: UnitField) -> np.ndarray:
    """int32[D]: the value of each document, -1 for none."""
    row = _row(version, field.name)
    if row is not None:
        return of_documents.get_or_set(
            ("unit codes", version.pk, _method(version), field.name),
            lambda: _codes_of_file(version, row["file"]),
        )
    column = next(column for column in _of_columns(version) if column.name == field.name)
    return fields.values(version, column)


def _row(version: Version, name: str) -> dict | None:
    rows: Iterable[dict] = version.unit_fields["fields"] if version.unit_fields else ()
    return next((row for row in rows if row["name"] == name and row["file"]), None)


def _codes_of_file(version: Version, name: str) -> np.ndarray:
    folder = files.version_folder(version.pk) / "units"
    with sealed.hold(folder):
        return np.fromfile(folder / name, np.int32)


def documents(version: Version, unit: Unit) -> unit_documents.Units:
    """The documents in their units."""
    field = unit.field
    if field is None:
        return unit_documents.documents(version.documents)
    return of_documents.get_or_set(
        ("units", version.pk, _method(version), field.name),
        lambda: unit_documents.by_code(codes(version, field)),
    )


def unit_codes(version: Version, *compared: str) -> np.ndarray | None:
    """int32[D]: the unit of each document, -1 for a document that is one by itself; None where
    every document is."""
    field = unit_of(version, *compared).field
    return None if field is None else codes(version, field)


def name_of(version: Version, code: int) -> str:
    """What the documents of one unit say who it is; "" where no field of values does."""
    field = unit_of(version).field
    if field is None or code < 0:
        return ""
    columns = [column for column in fields.categories(version) if column.name in field.names]
    if not columns:
        return ""
    values = fields.values(version, columns[0])[codes(version, field) == code]
    values = values[values >= 0]
    return columns[0].values[int(np.bincount(values).argmax())] if len(values) else ""


def words_of_values(version: Version) -> list[frozenset[str]]:
    """The words, in small letters, of the values of the unit, and of each field that it is nested
    in. Where apostrophes join pieces, both the word and the pieces: which of them a vocabulary has
    is its choice."""
    field = unit_of(version).field
    if field is None:
        return []
    names = {*field.names, *field.coarser}
    return [
        words_and_pieces(" ".join(column.values))
        for column in fields.categories(version)
        if column.name in names
    ]


def speaker_fields(version: Version) -> tuple[str, ...]:
    """The names of the fields whose values say who speaks, or that may be such, ascending; () where
    each document is its own unit."""
    unit = unit_of(version)
    if unit.field is None:
        return ()
    return tuple(sorted({name for field in (unit.field, *unit.rivals) for name in field.names}))


def names_somebody(version: Version) -> Callable[[str], bool]:
    """Whether a phrase is a value, or part of one, of one of the `speaker_fields`: "Ada Lovelace"
    of "Ada Lovelace <ada@example.org>"."""
    names = speaker_fields(version)
    if not names:
        return lambda phrase: False
    values: list[str] = []
    for column in fields.categories(version):
        if column.name in names:
            values += column.values
    text = "\n".join(f" {_lower_words(value)} " for value in values)
    return lambda phrase: f" {_lower_words(phrase)} " in text


def _lower_words(text: str) -> str:
    """The pieces of its words, in small letters."""
    return " ".join(_find_words(text)).replace("'", " ")


def words_and_pieces(text: str) -> frozenset[str]:
    """The words of a text in small letters, and the pieces into which apostrophes divide them."""
    words = _find_words(text)
    pieces = [piece for word in words for piece in word.split("'")]
    return frozenset([*words, *pieces])


def _find_words(text: str) -> list[str]:
    return _WORD.findall(fold_apostrophes(text).casefold())


def choose(corpus: Corpus, name: str | None) -> None:
    """Keep what a person said: a field's name, "" for each document, None for nobody knows. Raises
    Invalid for another field."""
    if name and (corpus.version is None or _chosen_field(corpus.version, name) is None):
        raise Invalid(
            "unit",
            f"“{name[:50]}” is no field of at least {FEWEST_VALUES} values that documents share."
            " Choose another, or documents.",
        )
    Corpus.objects.filter(pk=corpus.pk).update(unit=name)


def _chosen_field(version: Version, name: str) -> UnitField | None:
    field = found.field_named(known_fields(version), name)
    return field if field is not None and field.values >= FEWEST_VALUES else None
