"""Words that differ between groups or times and say nothing of a subject: what stands on nearly all
texts of one who speaks, and the names of months and days."""

import numpy as np
from scipy.sparse import csc_matrix, spmatrix

from inference.answers import trivial
from inference.text.calendar_names import calendar_names
from webapp.core.documents import document_days
from webapp.models import Version


def of_who_speaks(has: spmatrix, unit: np.ndarray, days: np.ndarray) -> set[int]:
    """Columns of words that stand on nearly all documents of one who speaks: signatures, addresses,
    forms. has: documents x words, nonzero where a document has the word; unit: int[n], -1 for none;
    days: int[n], date.toordinal(), 0 for none."""
    furniture = trivial.furniture(csc_matrix(has), unit, days)
    return {one_word.word for one_word in furniture}


def of_the_calendar(version: Version, words: list[str]) -> set[int]:
    """Columns of words that name a month or a day of the week, in the languages of the texts, where
    documents have dates: they say when a text was written."""
    if document_days.first_and_last(version) is None:
        return set()
    languages = [version.settings.get("language") or "", *version.settings.get("also", ())]
    names = frozenset[str]().union(*map(calendar_names, languages))
    return {column for column, word in enumerate(words) if word.casefold() in names}
