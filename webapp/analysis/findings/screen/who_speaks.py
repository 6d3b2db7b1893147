"""Who the texts of a set are by, as the line below the heading says it: "by 42 presidents"."""

import numpy as np

from webapp.analysis.findings.sentences import briefly
from webapp.core.documents import corpus_unit, fields, sums, unit_sentences, unit_words
from webapp.core.documents.selection import RunSelection
from webapp.intake.metadata import Names, ValueField
from webapp.intake.metadata.column_names import names_people
from webapp.models import Version
from webapp.platform.drawing.numbers import count

LEAST_SHARE = 0.05  # of the words, that who has most of them must have to be named


def say_who_speaks(selection: RunSelection) -> str:
    """How many speak, and who has most of the words; "" where no column says who, or where all of
    the set is by one. Where the texts are compared by another column, "in 64 groups by “package”",
    the persons who wrote them are counted before it."""
    field = _speaker_field(selection.version)
    if field is None:
        return ""
    said = _say_values(selection, field)
    persons = _persons_field(selection.version, field)
    said_persons = "" if persons is None else _say_how_many(selection, persons)
    return ", ".join(filter(None, [said_persons, said]))


def _say_values(selection: RunSelection, field: ValueField | Names) -> str:
    """How many values of a column the set has, and which has most of the words. Under embargo none
    is named, as the value may be a text."""
    if isinstance(field, Names):
        return _say_how_many_names(selection, field)
    sums_by_speaker = sums.of_selection(selection, field.name)
    words = sums_by_speaker.all_tokens
    with_speakers = _say_number(field, int(np.count_nonzero(words)))
    if not with_speakers:
        return ""
    are_persons = field.name.casefold() in unit_words.PLURALS
    largest = int(words.argmax())
    share = float(words[largest] / words.sum())
    if share < LEAST_SHARE or selection.corpus.embargo:
        return with_speakers
    name = sums_by_speaker.labels[largest]
    if are_persons:
        return f"{with_speakers}, most by {name} ({briefly(share)} of the words)"
    return f"{with_speakers}, most words in {name} ({briefly(share)})"


def _say_how_many(selection: RunSelection, field: ValueField | Names) -> str:
    """ "by 42 presidents", "in 64 groups by “package”"; "" where it is one, or is not counted."""
    if isinstance(field, Names):
        return _say_how_many_names(selection, field)
    words = sums.of_selection(selection, field.name).all_tokens
    return _say_number(field, int(np.count_nonzero(words)))


def _say_how_many_names(selection: RunSelection, field: Names) -> str:
    """Of a column of more names than are counted by; "" of a set: to count who speaks in it would
    read the column of all documents."""
    return "" if selection.has_conditions else _say_number(field, field.different)


def _say_number(field: ValueField | Names, different: int) -> str:
    """ "by 42 presidents"; "" where it is one."""
    if different < 2:
        return ""
    if field.name.casefold() in unit_words.PLURALS:
        return f"by {count(different)} {unit_words.values_of(field.name)}"
    return f"in {count(different)} groups by {unit_words.column(field.name)}"


def _persons_field(
    version: Version, speaker_field: ValueField | Names
) -> ValueField | Names | None:
    """The column of the persons who wrote the texts, where these are compared by another one."""
    if speaker_field.name.casefold() in unit_words.PLURALS:
        return None
    columns: list[ValueField | Names] = [*fields.categories(version), *fields.names(version)]
    of_persons = (
        field
        for field in columns
        if field.name.casefold() in unit_words.PLURALS and names_people(field.name)
    )
    return next(of_persons, None)


def _speaker_field(version: Version) -> ValueField | Names | None:
    """The column of who speaks: that of the unit; where the texts are by too few to be units, the
    one that makes them most alike; else one that is called as those are who speak."""
    columns: dict[str, ValueField | Names] = {}
    columns.update((field.name, field) for field in fields.categories(version))
    columns.update((field.name, field) for field in fields.names(version))
    unit = corpus_unit.unit_of(version).field or unit_sentences.alike_of_few_values(version)
    if unit is not None:
        return columns.get(unit.name)
    named_so = (field for name, field in columns.items() if name.casefold() in unit_words.PLURALS)
    return next(named_so, None)
