"""Who the texts of a set are by, as the line below the heading says it: "by 42 presidents"."""

import numpy as np

from webapp.analysis.findings.sentences import briefly
from webapp.core.documents import corpus_unit, fields, sums, unit_sentences, unit_words
from webapp.core.documents.selection import RunSelection
from webapp.intake.metadata import Names, ValueField
from webapp.models import Version
from webapp.platform.drawing.numbers import count

LEAST_SHARE = 0.05  # of the words, that who has most of them must have to be named


def say_who_speaks(selection: RunSelection) -> str:
    """How many speak, and who has most of the words; "" where no column says who, or where all of
    the set is by one. Under embargo nobody is named, as the value may be a text."""
    field = _speaker_field(selection.version)
    if field is None:
        return ""
    are_persons = field.name.casefold() in unit_words.PLURALS
    preposition = "by" if are_persons else "with"
    values = unit_words.values_of(field.name)
    if isinstance(field, Names):
        if selection.has_conditions:
            return ""  # to count who speaks in a set would read the column of all documents
        return f"{preposition} {count(field.different)} {values}"
    sums_by_speaker = sums.of_selection(selection, field.name)
    words = sums_by_speaker.all_tokens
    speakers = int(np.count_nonzero(words))
    if speakers < 2:
        return ""
    with_speakers = f"{preposition} {count(speakers)} {values}"
    largest = int(words.argmax())
    share = float(words[largest] / words.sum())
    if share < LEAST_SHARE or selection.corpus.embargo:
        return with_speakers
    name = sums_by_speaker.labels[largest]
    if are_persons:
        return f"{with_speakers}, most by {name} ({briefly(share)} of the words)"
    return f"{with_speakers}, most words in {name} ({briefly(share)})"


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
