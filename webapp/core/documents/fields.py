"""What is known of documents beside their text: dates and categories, as columns; and groups of
documents by them."""

from datetime import date
from functools import partial

import numpy as np

from inference.day_sums import in_span
from inference.errors import Invalid
from inference.runtime.arrays import frozen
from webapp.intake.metadata import (
    Category,
    Field,
    MetadataError,
    Names,
    Number,
    RangeField,
    ValueField,
)
from webapp.intake.metadata.columns import Columns, put_in_order
from webapp.intake.metadata.groups import (
    LONG_YEARS,
    MOST_GROUPS,
    NO_VALUE,
    PERIODS,
    Groups,
    TooManyPeriods,
    first_day,
    in_periods,
    months,
    numbers_of_periods,
    of_days,
    periods,
    span,
)
from webapp.models import Version
from webapp.platform.accounts import embargo
from webapp.platform.storage import files, sealed
from webapp.platform.storage.cache import cached, of_documents

__all__ = [
    "PERIODS", "Category", "Groups", "between", "by_date", "categories", "choices", "codes", "count", "countable_periods", "counts", "dated", "dates", "first_day", "first_position", "groups", "in_order", "names",
    "next_of", "numeric_fields", "of_each_day", "period", "positions", "put_in_order", "ranges", "span", "usual", "values",
]  # fmt: skip

_BLOCK = 1 << 18  # documents at a time


@cached(64)
def _columns(version_id: int) -> Columns | None:
    folder = files.version_folder(version_id) / "columns"
    with sealed.hold(folder):
        has_columns = (folder / "meta.json").exists()  # else read by a version without
        return sealed.opened(lambda: Columns(folder), folder) if has_columns else None


def _fields(version: Version, kind: type) -> list:
    """kind: a subclass of Field."""
    columns = _columns(version.pk)
    return [field for field in columns.fields if isinstance(field, kind)] if columns else []


def categories(version: Version) -> list[ValueField]:
    """Fields whose values documents share: they are chosen by a value (?in=). Under embargo without
    those that may be texts."""
    fields = _fields(version, ValueField)
    hidden = embargo.withheld(version.corpus) if fields else None
    return [
        category
        for category in fields
        if not hidden or hidden.may_count(category.name, category.values)
    ]


def names(version: Version) -> list[Names]:
    """Fields of more values than a category has, which documents share."""
    return _fields(version, Names)


def ranges(version: Version) -> list[RangeField]:
    """Fields of numbers, and of dates beside the first: they are chosen by their ends
    (?between=)."""
    return _fields(version, RangeField)


def numeric_fields(version: Version) -> list[Number]:
    """Those of the ranges that are numbers."""
    return _fields(version, Number)


def values(version: Version, field: Field) -> np.ndarray:
    """The column of a field, field.dtype[D]; what stands for none is the type's matter."""
    return _columns(version.pk).values(field)


def codes(version: Version, name: str) -> tuple[ValueField, np.ndarray]:
    """A category and its codes, int32[D]. Raises Invalid where there is no such category."""
    category = next((field for field in categories(version) if field.name == name), None)
    if category is None:
        names = ", ".join(f"“{c.name}”" for c in categories(version)) or "none"
        raise Invalid(
            "field",
            f"“{name}” is not a category of “{version.corpus.name}”. Its categories: {names}.",
        )
    return category, values(version, category)


def dates(version: Version) -> np.ndarray:
    """int32[D]: date.toordinal(), 0 for a document without one."""
    columns = _columns(version.pk)
    return columns.dates if columns else np.zeros(version.documents, np.int32)


def by_date(version: Version, newest: bool) -> np.ndarray | None:
    """The kept order of all documents, int32[D]; None where there is none (metadata.columns)."""
    columns = _columns(version.pk)
    return columns.by_date(newest) if columns else None


def dated(version: Version) -> tuple[date, date] | None:
    """The first and the last day, or None where no document has a date."""
    days = _first_and_last(version.pk)
    return (date.fromordinal(days[0]), date.fromordinal(days[1])) if days else None


@cached(64)
def _first_and_last(version_id: int) -> tuple[int, int] | None:
    first, before = _before(version_id)
    return (first, first + len(before) - 2) if first else None


def _before(version_id: int) -> tuple[int, np.ndarray]:
    """(the first day with a document, int64: of this and each later day, and of the one behind the
    last, how many documents have an earlier date). Of no dates (0, [0])."""

    def make() -> tuple[int, np.ndarray]:
        columns = _columns(version_id)
        first, documents = of_days(columns.dates) if columns else (0, np.zeros(0, np.int64))
        return first, np.concatenate([[0], np.cumsum(documents)])

    return of_documents.get_or_set(("before", version_id), make)


def positions(version: Version, a: int, b: int) -> tuple[int, int]:
    """Where the documents of the days a ... b - 1 begin and end in the order by date; a is 1 at
    least."""
    _, before = _before(version.pk)
    low, high = _places(version, a, b)
    return int(before[low]), int(before[high])


def _places(version: Version, a: int, b: int) -> tuple[int, int]:
    """Where the days a and b stand in what `_before` counts."""
    first, before = _before(version.pk)
    low, high = (min(max(day - first, 0), len(before) - 1) for day in (a, max(a, b)))
    return low, high


def count(version: Version, a: int, b: int) -> int:
    """How many documents are of the days a ... b - 1; those without a date are of the day 0."""
    return int(counts(version, np.array([[a, b]]))[0])


def counts(version: Version, spans: np.ndarray) -> np.ndarray:
    """int64[n]: the same of many. spans: int64[n, 2]."""
    first, before = _before(version.pk)
    offsets = np.clip(spans - first, 0, len(before) - 1)
    dated_documents = np.maximum(before[offsets[:, 1]] - before[offsets[:, 0]], 0)
    undated_documents = version.documents - int(before[-1])
    has_undated = (spans[:, 0] < 1) & (spans[:, 1] > 0)  # documents of the day 0
    return dated_documents + undated_documents * has_undated


def between(version: Version, a: int, b: int) -> np.ndarray:
    """int32: the documents that `count` counts, in no order. Only of a version with an order by
    date."""
    order = by_date(version, newest=False)
    assert order is not None
    low, high = positions(version, max(a, 1), b)
    has_undated = a < 1 <= b  # documents of the day 0
    if not has_undated:
        return order[low:high]
    dated_documents = int(_before(version.pk)[1][-1])
    return np.concatenate([order[low:high], order[dated_documents:]])


def first_position(version: Version, span: tuple[int, int], newest: bool) -> int:
    """Where the documents of a span of days begin in the order by date, oldest or newest first; of
    all documents 0."""
    if span[0] < 1:
        return 0
    low, high = positions(version, *span)
    return int(_before(version.pk)[1][-1]) - high if newest else low


def next_of(version: Version, span: tuple[int, int], first: int, limit: int) -> list[int]:
    """The first documents of a span of days from a number on, at most so many, ascending."""
    return in_span(frozen(dates(version), np.int32), *span, first, limit).tolist()


def of_each_day(version: Version, a: int, b: int) -> tuple[int, np.ndarray]:
    """(the first of the days a ... b - 1 that has documents, int64: documents of it and each later
    one to the last). Of no documents (0, nothing)."""
    first, before = _before(version.pk)
    low, high = _places(version, a, b)
    documents = np.diff(before[low : high + 1])
    days_with_documents = np.flatnonzero(documents)
    if not len(days_with_documents):
        return 0, np.zeros(0, np.int64)
    earliest = int(days_with_documents[0])
    latest = int(days_with_documents[-1])
    # A view would keep the rest in memory
    return first + low + earliest, documents[earliest : latest + 1].copy()


def period(version: Version) -> str | None:
    """The period that shows a corpus's dates best, None without dates: months below three years,
    decades above 300."""
    days = dated(version)
    if days is None:
        return None
    years = days[1].year - days[0].year
    if years > 300:
        return "decade"
    return "month" if years < 3 and _in_months(version.pk) else "year"


@cached(64)
def _in_months(version_id: int) -> bool:
    """Whether dates say more than a year: a year alone is read as its first of January."""
    first, before = _before(version_id)
    return bool((months(first + np.flatnonzero(np.diff(before))) % 12).any())


def groups(version: Version, by: str) -> Groups:
    """Documents by "year", "decade", "month", or a field. Raises Invalid where the corpus has no
    such thing."""
    try:
        if by in PERIODS:
            if _first_and_last(version.pk) is None:
                raise Invalid("field", f"No document of “{version.corpus.name}” has a date.")
            return _periods(version.pk, by)
        if any(field.name == by for field in ranges(version)):
            return _groups(version.pk, by)
        category, codes_of_documents = codes(version, by)
        return category.groups(codes_of_documents)
    except (MetadataError, TooManyPeriods) as error:
        raise Invalid("field", str(error)) from None


def _periods(version_id: int, by: str) -> Groups:
    labels, starts = _bounds(version_id, by)

    days = _columns(version_id).dates
    group = partial(
        of_documents.get_or_set, ("period", version_id, by), partial(in_periods, days, starts)
    )
    return Groups(by, labels, group, starts=starts, days=days)


@cached(64)
def _bounds(version_id: int, by: str) -> tuple[list[str], np.ndarray]:
    days = _first_and_last(version_id)
    assert days is not None  # `groups` looked
    return periods(days[0], days[1], by)


def _groups(version_id: int, name: str) -> Groups:
    columns = _columns(version_id)
    field = columns.field(name)
    return of_documents.get_or_set(
        ("ranges", version_id, name), lambda: field.groups(columns.values(field))
    )


def in_order(version: Version, groups: Groups, group_numbers: list[int]) -> list[int]:
    """Places of a category's values as a reader looks for them: by the day of the first document of
    each, those without one last, then by name. Periods and ranges have an order of their own."""
    if groups.in_time or groups.bounds:
        return group_numbers
    first = _first_days(version.pk, groups.by)
    return sorted(group_numbers, key=lambda i: (first[i], groups.labels[i].casefold()))


@cached(64)
def _first_days(version_id: int, name: str) -> list[int]:
    """date.toordinal() of each value's first document; that of date.max for a value without a
    date."""
    columns = _columns(version_id)
    category = columns.field(name)
    codes = columns.values(category)
    first = np.full(len(category.values), date.max.toordinal(), np.int32)
    for a in range(0, len(codes), _BLOCK):
        values = codes[a : a + _BLOCK]
        days = columns.dates[a : a + _BLOCK]
        has_both = (values != NO_VALUE) & (days > 0)
        np.minimum.at(first, values[has_both], days[has_both])
    return first.tolist()


def usual(version: Version) -> str | None:
    """By what a page groups documents that was not asked: a period, else the first category, else
    the first field of numbers; None where there is none of them."""
    by = period(version)
    days = dated(version)
    if by == "year" and days is not None and days[1].year - days[0].year > LONG_YEARS:
        return "decade"
    if by is not None:
        return by
    return next((field.name for field in (*categories(version), *ranges(version))), None)


def countable_periods(version: Version) -> list[str]:
    """Periods of which there are not too many to be counted by; none without dates."""
    return list(_countable(version))


def _countable(version: Version) -> dict[str, int]:
    """Period -> how many there are from the first day to the last, where these are not too many."""
    days = dated(version)
    if not days:
        return {}
    first, last = (day.toordinal() for day in days)
    counts = {by: len(numbers_of_periods(first, last, by)) for by in PERIODS}
    return {by: count for by, count in counts.items() if count <= MOST_GROUPS}


def choices(version: Version) -> list[str]:
    """What a corpus's documents can be grouped by: periods that give at least two groups and not
    too many, months where dates say more than a year; then its categories, then its fields of
    numbers and of other dates."""
    periods = [by for by, count in _countable(version).items() if count > 1]
    if "month" in periods and not _in_months(version.pk):
        periods.remove("month")
    return periods + [field.name for field in (*categories(version), *ranges(version))]
