"""The day of each document: how many documents days have, and which these are. A day is
date.toordinal(); 0 stands for no date."""

from datetime import date

import numpy as np

from inference.day_sums import in_span
from inference.runtime.arrays import frozen
from webapp.core.documents.fields import open_columns
from webapp.intake.metadata.groups import of_days
from webapp.models import Version
from webapp.platform.storage.cache import cached, of_documents


def read_days(version: Version) -> np.ndarray:
    """int32[D]: date.toordinal(), 0 for a document without one."""
    columns = open_columns(version.pk)
    return columns.dates if columns else np.zeros(version.documents, np.int32)


def order_by_day(version: Version, newest: bool) -> np.ndarray | None:
    """The kept order of all documents, int32[D]; None where there is none (metadata.columns)."""
    columns = open_columns(version.pk)
    return columns.by_date(newest) if columns else None


def first_and_last(version: Version) -> tuple[date, date] | None:
    """The first and the last day, or None where no document has a date."""
    days = first_and_last_day(version.pk)
    return (date.fromordinal(days[0]), date.fromordinal(days[1])) if days else None


@cached(64)
def first_and_last_day(version_id: int) -> tuple[int, int] | None:
    """The same as numbers."""
    first, before = documents_before(version_id)
    return (first, first + len(before) - 2) if first else None


def documents_before(version_id: int) -> tuple[int, np.ndarray]:
    """(the first day with a document, int64: of this and each later day, and of the one behind the
    last, how many documents have an earlier date). Of no dates (0, [0])."""

    def make() -> tuple[int, np.ndarray]:
        columns = open_columns(version_id)
        first, documents = of_days(columns.dates) if columns else (0, np.zeros(0, np.int64))
        return first, np.concatenate([[0], np.cumsum(documents)])

    return of_documents.get_or_set(("before", version_id), make)


def count_dated(version: Version) -> int:
    """How many documents have a date."""
    _, before = documents_before(version.pk)
    return int(before[-1])


def places_of_days(version: Version, a: int, b: int) -> tuple[int, int]:
    """Where the documents of the days a ... b - 1 begin and end in the order by date; a is 1 at
    least."""
    _, before = documents_before(version.pk)
    low, high = _places(version, a, b)
    return int(before[low]), int(before[high])


def _places(version: Version, a: int, b: int) -> tuple[int, int]:
    """Where the days a and b stand in what `documents_before` counts."""
    first, before = documents_before(version.pk)
    low, high = (min(max(day - first, 0), len(before) - 1) for day in (a, max(a, b)))
    return low, high


def count_documents(version: Version, a: int, b: int) -> int:
    """How many documents are of the days a ... b - 1; those without a date are of the day 0."""
    return int(count_in_spans(version, np.array([[a, b]]))[0])


def count_in_spans(version: Version, spans: np.ndarray) -> np.ndarray:
    """int64[n]: the same of many. spans: int64[n, 2]."""
    first, before = documents_before(version.pk)
    offsets = np.clip(spans - first, 0, len(before) - 1)
    dated_documents = np.maximum(before[offsets[:, 1]] - before[offsets[:, 0]], 0)
    undated_documents = version.documents - int(before[-1])
    has_undated = (spans[:, 0] < 1) & (spans[:, 1] > 0)  # documents of the day 0
    return dated_documents + undated_documents * has_undated


def documents_between(version: Version, a: int, b: int) -> np.ndarray:
    """int32: the documents that `count_documents` counts, in no order. Only of a version with an order by
    date."""
    order = order_by_day(version, newest=False)
    assert order is not None
    low, high = places_of_days(version, max(a, 1), b)
    has_undated = a < 1 <= b  # documents of the day 0
    if not has_undated:
        return order[low:high]
    dated_documents = int(documents_before(version.pk)[1][-1])
    return np.concatenate([order[low:high], order[dated_documents:]])


def first_place(version: Version, span: tuple[int, int], newest: bool) -> int:
    """Where the documents of a span of days begin in the order by date, oldest or newest first; of
    all documents 0."""
    if span[0] < 1:
        return 0
    low, high = places_of_days(version, *span)
    return int(documents_before(version.pk)[1][-1]) - high if newest else low


def next_documents(version: Version, span: tuple[int, int], first: int, limit: int) -> list[int]:
    """The first documents of a span of days from a number on, at most so many, ascending."""
    return in_span(frozen(read_days(version), np.int32), *span, first, limit).tolist()


def count_by_day(version: Version, a: int, b: int) -> tuple[int, np.ndarray]:
    """(the first of the days a ... b - 1 that has documents, int64: documents of it and each later
    one to the last). Of no documents (0, nothing)."""
    first, before = documents_before(version.pk)
    low, high = _places(version, a, b)
    documents = np.diff(before[low : high + 1])
    days_with_documents = np.flatnonzero(documents)
    if not len(days_with_documents):
        return 0, np.zeros(0, np.int64)
    earliest = int(days_with_documents[0])
    latest = int(days_with_documents[-1])
    # A view would keep the rest in memory
    return first + low + earliest, documents[earliest : latest + 1].copy()
