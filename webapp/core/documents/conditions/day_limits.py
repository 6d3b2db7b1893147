"""?from= ?to= days, months or years, both included: 1914, 1914-08, 1914-08-04, 1910s."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Self

import numpy as np
from django.http import QueryDict

from inference.day_sums import FOREVER
from webapp.core.documents import days, document_days
from webapp.core.documents.conditions.condition import AllDocuments, Condition, Effort, passing
from webapp.models import Version

SCANNED_PER_LOOKUP = (
    6  # documents that are read one after the other in the time that it takes to look one up
)


@dataclass(frozen=True)
class DayLimit(Condition):
    """Documents of a day or later, or of a day or earlier; a set has one of either end at most.
    text: as it was asked for."""

    PARAMETERS = ("from", "to")
    EFFORT = Effort.COLUMN
    IN_FORM = True

    end: Literal["from", "to"]
    text: str

    def __post_init__(self) -> None:
        """Raises Invalid for a text that names no day."""
        _day_of(self.text, self.end)

    @classmethod
    def read(cls, query: QueryDict, all_documents: AllDocuments) -> list[Self]:
        return cls.between(query.get("from", "").strip(), query.get("to", "").strip())

    @classmethod
    def between(cls, first: str, last: str) -> list[Self]:
        """The limits of both ends; "" for an open end. Raises Invalid for what names no day."""
        limits = []
        if first:
            limits.append(cls("from", first))
        if last:
            limits.append(cls("to", last))
        return limits

    @property
    def day(self) -> int:
        """The first or the last day of what was asked for, as an ordinal."""
        return _day_of(self.text, self.end)

    @property
    def parameter(self) -> tuple[str, str]:
        return self.end, self.text

    def sentence(self, all_documents: AllDocuments) -> str:
        return f"{self.end} {self.text}"

    def narrow(self, all_documents: AllDocuments, among: np.ndarray | None) -> np.ndarray:
        return self.find([self], all_documents, among)

    @classmethod
    def find(
        cls, conditions: Sequence[Self], all_documents: AllDocuments, among: np.ndarray | None
    ) -> np.ndarray:
        version = all_documents.version
        a, b = day_range(conditions)
        numbers_of_few_days = of_few_days(version, a, b) if among is None else None
        if numbers_of_few_days is not None:
            return np.sort(numbers_of_few_days)
        return passing(partial(_is_between, document_days.read_days(version), a, b), among)


def _day_of(text: str, end: Literal["from", "to"]) -> int:
    return days.ordinal(text, end, last=end == "to")


def day_range(limits: Sequence[DayLimit]) -> tuple[int, int]:
    """(a, b): the days a ... b - 1 that are within limits; documents without a date are of the day
    0, which none but no limits allow."""
    if not limits:
        return 0, FOREVER
    day_of = {limit.end: limit.day for limit in limits}
    first = max(day_of.get("from", 1), 1)
    end = day_of["to"] + 1 if "to" in day_of else FOREVER
    return first, max(first, end)


def of_few_days(version: Version, a: int, b: int) -> np.ndarray | None:
    """int32, in no order: the documents of the days a ... b - 1; None where they are so many that
    one looks at all documents sooner, one after the other."""
    if (
        document_days.order_by_day(version, newest=False) is None
        or document_days.count_documents(version, a, b) * SCANNED_PER_LOOKUP >= version.documents
    ):
        return None
    return document_days.documents_between(version, a, b)


def _is_between(dates: np.ndarray, a: int, b: int, documents: np.ndarray | slice) -> np.ndarray:
    return (dates[documents] >= a) & (dates[documents] < b)
