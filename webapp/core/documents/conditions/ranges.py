"""?between=price:10:20, a field of numbers, or of dates beside the first, and its ends: price::<20,
sold:1914:1918-08; may be repeated. A form without JavaScript asks ?low:price=10&high:price=20, which is
read, too."""

from dataclasses import dataclass
from functools import partial
from typing import Self
from urllib.parse import unquote

import numpy as np
from django.http import QueryDict

from inference.errors import Invalid
from webapp.core.documents import fields
from webapp.core.documents.conditions.condition import AllDocuments, Condition, Effort, passing
from webapp.core.documents.shapes import OfferedRange
from webapp.intake.metadata import MetadataError, RangeField
from webapp.models import Version

MOST_RANGES = 20  # conditions of one address


@dataclass(frozen=True)
class Range(Condition):
    """Documents whose value of a field is within a range. name: of the field. low, high: as in the
    address, both included; "" for none, and a high one that begins with "<" is not included."""

    PARAMETERS = ("between",)
    FORM_FIELDS = ("low:", "high:")
    EFFORT = Effort.COLUMN
    IN_FORM = True

    name: str
    low: str
    high: str

    @classmethod
    def read(cls, query: QueryDict, all_documents: AllDocuments) -> list[Self]:
        version = all_documents.version
        ranges = [cls(*_parse(text, version)) for text in query.getlist("between") if text]
        for field in fields.ranges(version):
            low = query.get(f"low:{field.name}", "").strip()
            high = query.get(f"high:{field.name}", "").strip()
            if low or high:
                _ends(field, low, high)
                ranges.append(cls(field.name, low, high))
        ranges = list(dict.fromkeys(ranges))
        if len(ranges) > MOST_RANGES:
            raise Invalid(
                "between",
                f"At most {MOST_RANGES} ranges can be asked for at once; these are {len(ranges)}.",
            )
        return ranges

    @property
    def address(self) -> str:
        """name:low:high; a colon within an end, as in 1:23:45, is written %3A."""
        low, high = (end.replace("%", "%25").replace(":", "%3A") for end in (self.low, self.high))
        return f"{self.name}:{low}:{high}"

    @property
    def parameter(self) -> tuple[str, str]:
        return "between", self.address

    def sentence(self, all_documents: AllDocuments) -> str:
        """price from 10 to below 20"""
        parts = [self.name]
        if self.low:
            parts.append(f"from {self.low}")
        if self.high.startswith("<"):
            parts.append(f"to below {self.high[1:]}")
        elif self.high:
            parts.append(f"to {self.high}")
        return " ".join(parts)

    def narrow(self, all_documents: AllDocuments, among: np.ndarray | None) -> np.ndarray:
        return passing(partial(mask, self, all_documents.version), among)


def _parse(text: str, version: Version) -> tuple[str, str, str]:
    """ "price:10:<20" -> ("price", "10", "<20")."""
    for field in fields.ranges(version):  # a name may have a colon in it
        ends_text = text.removeprefix(field.name + ":")
        if ends_text != text and ends_text.count(":") == 1:
            low, high = (unquote(end).strip() for end in ends_text.split(":"))
            _ends(field, low, high)
            return field.name, low, high
    names = ", ".join(f"“{field.name}”" for field in fields.ranges(version)) or "none"
    raise Invalid(
        "between",
        f"“between” must be a field and its ends, such as price:10:20, got “{text[:80]}”. Fields of"
        f" numbers and dates here: {names}.",
    )


def _ends(field: RangeField, low: str, high: str) -> tuple[float, float]:
    """Both ends as values of the field; an end that is not given is infinite. Raises Invalid."""
    try:
        return field.ends(low, high.removeprefix("<"))
    except MetadataError as error:
        raise Invalid("between", str(error)) from None


def mask(asked_range: Range, version: Version, documents: np.ndarray | slice) -> np.ndarray:
    """bool, of some documents: whose value is in the range; those without one are not."""
    field = next(field for field in fields.ranges(version) if field.name == asked_range.name)
    low, high = _ends(field, asked_range.low, asked_range.high)
    values = fields.values(version, field)[documents]
    return (
        (values >= low)
        & (values < high if asked_range.high.startswith("<") else values <= high)
        & field.known(values)
    )


def offered_ranges(version: Version, chosen_ranges: list[Range]) -> list[OfferedRange]:
    """The first fields for the form, and others that are chosen: it would take these off."""
    now = {chosen_range.name: chosen_range for chosen_range in reversed(chosen_ranges)}
    range_fields = fields.ranges(version)
    offered = range_fields[:MOST_RANGES] + [
        field for field in range_fields[MOST_RANGES:] if field.name in now
    ]
    nothing = Range("", "", "")
    return [
        OfferedRange(
            field.name,
            now.get(field.name, nothing).low,
            now.get(field.name, nothing).high,
            *field.limits,
        )
        for field in offered
    ]
