"""The unit of a corpus: who speaks, which source; documents of one unit depend on each other
(inference.effects)."""

from dataclasses import dataclass

from inference.effects import units
from inference.errors import Invalid
from webapp.core.documents import fields
from webapp.intake.metadata import Field
from webapp.models import Corpus, Version
from webapp.platform.storage.cache import of_documents

LEAST = 10  # values of a field that may be the unit: of fewer nobody knows how they vary


@dataclass(frozen=True)
class Unit:
    """field: whose values are independent of each other; None: documents are. said: as sentences
    have it, of intervals."""

    field: Field | None
    said: str


def possible(version: Version) -> list[Field]:
    """Fields that may say it, those first that do by their names, of these and of the others the
    coarsest."""
    names = fields.names(version)
    listed = [(f, len(f.values)) for f in fields.categories(version)] + [
        (f, f.different) for f in names
    ]
    known = [(not fields.speaks(f.name), n, f) for f, n in listed if n >= LEAST]
    return [field for *_, field in sorted(known, key=lambda one: one[:2])]


def unit_of(version: Version, *compared: str) -> Unit:
    """Of a version's documents. compared: fields whose values are compared, each of which would be
    one unit: then documents are. So they are where nobody has said it, or the version has no such
    column; the sentence says so."""
    name = version.corpus.unit
    if name == "":
        return Unit(None, "for other documents like these")
    field = next((f for f in possible(version) if f.name == name), None) if name else None
    if field is None or name in compared:
        return Unit(None, "if documents are independent of each other")
    return Unit(field, f"for other values of “{name}” like these")


def documents(version: Version, unit: Unit) -> units.Units:
    """The documents in their units."""
    field = unit.field
    if field is None:
        return units.documents(version.documents)
    return of_documents.get_or_set(
        ("units", version.pk, field.name), lambda: units.by_code(fields.values(version, field))
    )


def choose(corpus: Corpus, name: str | None) -> None:
    """Keep who speaks: a field's name, "" for each document, None for nobody knows. Raises Invalid
    for another field."""
    if name and (
        corpus.version is None or name not in [field.name for field in possible(corpus.version)]
    ):
        raise Invalid(
            "unit",
            f"“{name[:50]}” is no field of at least {LEAST} values that documents share. Choose"
            " another, or documents.",
        )
    Corpus.objects.filter(pk=corpus.pk).update(unit=name)
