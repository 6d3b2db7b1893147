"""Which documents a set has: the condition that lists its documents comes first, and the others are
asked of these alone."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol

import numpy as np

from inference.documents import numbers_of_mask
from inference.runtime.arrays import frozen
from webapp.core.documents import conditions, fields, ranges, search
from webapp.core.results import evidence
from webapp.core.results.view import RunView
from webapp.intake.ingest import repeats, sources
from webapp.models import Corpus, Version

SCANNED_PER_LOOKUP = (
    6  # documents that are read one after the other in the time that it takes to look one up
)

# Numbers of documents, or all of them -> bool: which of them meet a condition
Test = Callable[[np.ndarray | slice], np.ndarray]


class Conditions(Protocol):
    """What a set's documents must meet, as webapp.core.documents.selection.Selection has it."""

    corpus: Corpus
    version: Version
    q: str
    topics: list[tuple[int, float]]
    values: list[tuple[str, str]]
    between: list[ranges.Range]
    only: list[str]
    matches: list[str]
    days: tuple[int, int]

    @property
    def run_view(self) -> RunView: ...

    @property
    def dates(self) -> tuple[int, int]: ...


def numbers(selection: Conditions) -> np.ndarray:
    """int32, ascending, read-only: the documents of a set that has a condition."""
    version = selection.version
    numbers = None
    tests = list(_tests(selection, version))
    if selection.q:
        numbers = search.open_index(selection.corpus).find(selection.q)
        numbers = numbers[: np.searchsorted(numbers, version.documents)]  # others were added later
    for topic, percent in selection.topics:
        parts = selection.run_view.labels.parts(topic)
        numbers = evidence.of(selection.run_view.run).at_least(parts, percent / 100, numbers)
    if any(selection.days):
        a, b = selection.dates
        numbers_of_few_days = of_few_days(version, a, b) if numbers is None else None
        if numbers_of_few_days is None:
            tests.append(partial(_from_to, fields.dates(version), a, b))
        else:
            numbers = np.sort(numbers_of_few_days)
    for test in tests:
        numbers = numbers_of_mask(test(slice(None))) if numbers is None else numbers[test(numbers)]
    for text in selection.matches:  # a pass over the texts of what is left
        among = np.full(version.documents, numbers is None)
        among[[] if numbers is None else numbers] = True
        numbers = search.matching(selection.corpus, text, among)
    assert numbers is not None
    return frozen(numbers, np.int32)


def of_few_days(version: Version, a: int, b: int) -> np.ndarray | None:
    """int32, in no order: the documents of the days a ... b - 1; None where they are so many that
    one looks at all documents sooner, one after the other."""
    if (
        fields.by_date(version, newest=False) is None
        or fields.count(version, a, b) * SCANNED_PER_LOOKUP >= version.documents
    ):
        return None
    return fields.between(version, a, b)


def _tests(selection: Conditions, version: Version) -> Iterator[Test]:
    """A test for each condition that lists no documents."""
    for name in dict.fromkeys(name for name, _ in selection.values):
        category, codes = fields.codes(version, name)
        values = [value for field_name, value in selection.values if field_name == name]
        # The last, which is also the place -1: no value
        accepted = np.zeros(len(category.values) + 1, bool)
        accepted[[category.values.index(value) for value in values]] = True
        yield partial(_accepted_rows, codes, accepted)
    for between in selection.between:
        yield partial(ranges.mask, between, version)
    for name in selection.only:
        if name == "wordless":
            yield partial(_without_words, evidence.bow(version.pk).indptr)
        elif name in conditions.ONLY:
            yield repeats.repeating(version, name).__getitem__
        else:
            _, first, end = sources.documents(version, conditions.file_position(name))
            yield partial(_from_to, np.arange(version.documents, dtype=np.int32), first, end)


def _accepted_rows(
    codes: np.ndarray, accepted: np.ndarray, documents: np.ndarray | slice
) -> np.ndarray:
    return accepted[codes[documents]]


def _without_words(indptr: np.ndarray, documents: np.ndarray | slice) -> np.ndarray:
    return indptr[1:][documents] == indptr[:-1][documents]


def _from_to(values: np.ndarray, a: int, b: int, documents: np.ndarray | slice) -> np.ndarray:
    return (values[documents] >= a) & (values[documents] < b)
