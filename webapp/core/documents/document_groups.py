"""Groups of documents: by periods, categories, or ranges of numbers and dates."""

from datetime import date
from functools import partial

import numpy as np

from inference.errors import Invalid
from webapp.core.documents import document_days, fields
from webapp.core.documents.fields import open_columns
from webapp.intake.metadata import MetadataError
from webapp.intake.metadata.groups import (
    LONG_YEARS,
    MOST_GROUPS,
    NO_VALUE,
    PERIODS,
    Groups,
    TooManyPeriods,
    in_periods,
    months,
    numbers_of_periods,
    periods,
)
from webapp.models import Version
from webapp.platform.storage.cache import cached, of_documents

_BLOCK = 1 << 18  # documents at a time


def best_period(version: Version) -> str | None:
    """The period that shows a corpus's dates best, None without dates: months below three years,
    decades above 300."""
    days = document_days.first_and_last(version)
    if days is None:
        return None
    years = days[1].year - days[0].year
    if years > 300:
        return "decade"
    return "month" if years < 3 and has_months(version.pk) else "year"


@cached(64)
def has_months(version_id: int) -> bool:
    """Whether the dates of a version say more than a year: a year alone is read as its first of
    January."""
    first, before = document_days.documents_before(version_id)
    return bool((months(first + np.flatnonzero(np.diff(before))) % 12).any())


def read_groups(version: Version, by: str) -> Groups:
    """Documents by "year", "decade", "month", or a field. Raises Invalid where the corpus has no
    such thing."""
    try:
        if by in PERIODS:
            if document_days.first_and_last(version) is None:
                raise Invalid("field", f"No document of “{version.corpus.name}” has a date.")
            return _periods(version.pk, by)
        if any(field.name == by for field in fields.ranges(version)):
            return _groups(version.pk, by)
        category, codes_of_documents = fields.codes(version, by)
        return category.groups(codes_of_documents)
    except (MetadataError, TooManyPeriods) as error:
        raise Invalid("field", str(error)) from None


def _periods(version_id: int, by: str) -> Groups:
    labels, starts = _bounds(version_id, by)
    days = open_columns(version_id).dates
    group = partial(
        of_documents.get_or_set, ("period", version_id, by), partial(in_periods, days, starts)
    )
    return Groups(by, labels, group, starts=starts, days=days)


@cached(64)
def _bounds(version_id: int, by: str) -> tuple[list[str], np.ndarray]:
    days = document_days.first_and_last_day(version_id)
    assert days is not None  # `read_groups` looked
    return periods(days[0], days[1], by)


def _groups(version_id: int, name: str) -> Groups:
    columns = open_columns(version_id)
    field = columns.field(name)
    return of_documents.get_or_set(
        ("ranges", version_id, name), lambda: field.groups(columns.values(field))
    )


def order_groups(version: Version, groups: Groups, group_numbers: list[int]) -> list[int]:
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
    columns = open_columns(version_id)
    category = columns.field(name)
    codes = columns.values(category)
    first = np.full(len(category.values), date.max.toordinal(), np.int32)
    for a in range(0, len(codes), _BLOCK):
        values = codes[a : a + _BLOCK]
        days = columns.dates[a : a + _BLOCK]
        has_both = (values != NO_VALUE) & (days > 0)
        np.minimum.at(first, values[has_both], days[has_both])
    return first.tolist()


def usual_grouping(version: Version) -> str | None:
    """By what a page groups documents that was not asked: a period, else the first category, else
    the first field of numbers; None where there is none of them."""
    by = best_period(version)
    days = document_days.first_and_last(version)
    if by == "year" and days is not None and days[1].year - days[0].year > LONG_YEARS:
        return "decade"
    if by is not None:
        return by
    return next(
        (field.name for field in (*fields.categories(version), *fields.ranges(version))), None
    )


def countable_periods(version: Version) -> list[str]:
    """Periods of which there are not too many to be counted by; none without dates."""
    return list(_countable(version))


def _countable(version: Version) -> dict[str, int]:
    """Period -> how many there are from the first day to the last, where these are not too many."""
    days = document_days.first_and_last(version)
    if not days:
        return {}
    first, last = (day.toordinal() for day in days)
    counts = {by: len(numbers_of_periods(first, last, by)) for by in PERIODS}
    return {by: count for by, count in counts.items() if count <= MOST_GROUPS}


def possible_groupings(version: Version) -> list[str]:
    """What a corpus's documents can be grouped by: periods that give at least two groups and not
    too many, months where dates say more than a year; then its categories, then its fields of
    numbers and of other dates."""
    periods = [by for by, count in _countable(version).items() if count > 1]
    if "month" in periods and not has_months(version.pk):
        periods.remove("month")
    return periods + [
        field.name for field in (*fields.categories(version), *fields.ranges(version))
    ]
