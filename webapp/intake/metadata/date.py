"""Date: a field of dates beside the documents' own. int32, date.toordinal(), 0 for a document that
has none."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from webapp.intake.metadata import column_names
from webapp.intake.metadata.dates import are_years, day_of, looks_like, parse_date
from webapp.intake.metadata.field import MOSTLY_SHARE, Arguments, MetadataError, RangeField, mostly
from webapp.intake.metadata.groups import LONG_YEARS, Groups, TooManyPeriods, by_period, span
from webapp.intake.metadata.number import RangeWriter

DAYS_OF_A_YEAR = 365  # about
# Of digits that may be a date: a year, a day, a day with its time
LENGTHS = {len("1914"), len("19140804"), len("19140804123000")}
BY_MONTHS = 3  # years up to which months are counted
NAMED_DATE_SHARE = 0.5  # of the values of a column that is named as one of dates


def looks_like_dates(values: Sequence[str], name: str, share: float) -> bool:
    """Whether that share of a column's values, of which none is empty, are dates. Seconds since
    1970 and months as 201903 are only where its name says so."""
    if column_names.names_dates(name):
        return mostly(lambda text: parse_date(text, "dmy") is not None, values, share)
    return mostly(looks_like, values, share) and are_years(values, name)


@dataclass(frozen=True)
class Date(RangeField):
    """first, last: date.toordinal(); documents: how many have one."""

    kind = "date"
    label = "date"
    priority = 4
    has_date_order = True
    stored_as = "dates"
    file_prefix = "date-"
    missing = 0
    writer = RangeWriter

    first: int
    last: int
    documents: int

    @classmethod
    def claims(cls, values: list[str], name: str) -> bool:
        """Numbers of four digits are years only where all are of our era and lie like years, or the
        name says so; those of other lengths only days, or seconds where the name says so."""
        if column_names.names_dates(name):
            return looks_like_dates(values, name, NAMED_DATE_SHARE)
        if not looks_like_dates(values, name, MOSTLY_SHARE):
            return False
        return all(len(value) in LENGTHS for value in values if value.isdigit())

    @staticmethod
    def parse(text: str, date_order: str) -> int | None:
        day = parse_date(text, date_order or None)
        return day.toordinal() if day else None

    @classmethod
    def summary(cls, low: float, high: float, is_integral: bool, documents: int) -> Arguments:
        return {"first": low, "last": high, "documents": documents}

    @property
    def limits(self) -> tuple[str, str]:
        first, last = (
            f"{datetime.date.fromordinal(day).year:04d}" for day in (self.first, self.last)
        )
        return first, last

    def ends(self, low: str, high: str) -> tuple[float, float]:
        try:
            first = day_of(low, last=False) if low else 0
            last = day_of(high, last=True) if high else 0
        except ValueError as error:
            raise MetadataError(f"“between” {error}") from None
        return first or -inf, last or inf

    def known(self, values: np.ndarray) -> np.ndarray:
        return values > 0

    @property
    def _period_length(self) -> str:
        years = (self.last - self.first) / DAYS_OF_A_YEAR
        if years > LONG_YEARS:
            return "decade"
        return "year" if years > BY_MONTHS else "month"

    def groups(self, values: np.ndarray) -> Groups:
        """By months, years or decades, and named as the field."""
        try:
            periods = by_period(values, self._period_length)
        except TooManyPeriods as error:
            raise MetadataError(str(error)) from None
        return periods._replace(
            by=self.name,
            bounds=tuple(span(periods, i) for i in range(len(periods.labels))),
            starts=None,
            days=None,
        )
