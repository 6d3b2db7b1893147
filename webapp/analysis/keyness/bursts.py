"""Whose the uses of a word mostly are, where the page says that they are one's."""

from typing import NamedTuple

import numpy as np

from inference.index import two_sets, word_units
from webapp.analysis.two_sets.word_contrast import Computed, Contrast
from webapp.core.documents import corpus_unit


class LargestUser(NamedTuple):
    """Of the uses of a word on one side. name: who has most of them, "" where that is a document, or
    where no name may be shown. part: of all uses on that side; None where it was not counted."""

    name: str = ""
    part: float | None = None


NOBODY = LargestUser()


def find_largest_users(
    contrast: Contrast, computed: Computed, s: int, rows: np.ndarray
) -> list[LargestUser]:
    """Who has most of each word that side s uses more, where one unit carries it; NOBODY of other
    words, and where documents are the units. rows: int64[n], places of the words in `computed`."""
    users = [NOBODY] * len(rows)
    carried = np.flatnonzero(computed.result.burst[rows])
    units = contrast.unit_of_documents
    if units is None or not len(carried) or not _may_be_named(contrast):
        return users
    postings = word_units.gather(contrast.counted.fields, computed.forms[rows[carried]])
    if computed.of_documents:
        postings = postings.once
    in_side = contrast.sets == (two_sets.FIRST if s == 0 else two_sets.SECOND)
    for i, place in enumerate(carried.tolist()):
        of_word = postings.some(np.array([i]))
        uses = np.where(in_side[of_word.documents], of_word.counts, 0)
        unit = units[of_word.documents]
        uses_of_units = np.bincount(np.maximum(unit, 0), weights=np.where(unit < 0, 0, uses))
        largest = int(uses_of_units.argmax())
        part = float(uses_of_units[largest] / max(uses.sum(), 1))
        users[place] = LargestUser(corpus_unit.name_of(contrast.base.version, largest), part)
    return users


def _may_be_named(contrast: Contrast) -> bool:
    """Whether units have names that may stand beside a word: under an embargo a name may be a text."""
    version = contrast.base.version
    usual = corpus_unit.unit_of(version).field
    return (
        contrast.unit.field is not None
        and usual is not None
        and usual.name == contrast.unit.field.name
        and not version.corpus.embargo
    )
