"""Documents by a range of numbers, or of dates beside their own: ?between=price:10:20, price::<20,
sold:1914:1918-08."""

from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
from django.http import QueryDict

from inference.errors import Invalid
from webapp.core.documents import fields
from webapp.core.documents.shapes import OfferedRange
from webapp.intake.metadata import MetadataError, RangeField
from webapp.models import Version

MOST_RANGES = 20  # conditions of one address


class Range(NamedTuple):
    """low, high: as in the address, both included; "" for none, and a high one that begins with "<"
    is not included."""

    name: str
    low: str
    high: str

    @property
    def address(self) -> str:
        """name:low:high; a colon within an end, as in 1:23:45, is written %3A."""
        low, high = (end.replace("%", "%25").replace(":", "%3A") for end in (self.low, self.high))
        return f"{self.name}:{low}:{high}"

    @property
    def sentence(self) -> str:
        """price from 10 to below 20"""
        high = f"below {self.high[1:]}" if self.high.startswith("<") else self.high
        return " ".join(
            [
                self.name,
                *([f"from {self.low}"] if self.low else []),
                *([f"to {high}"] if high else []),
            ]
        )


def read(query: QueryDict, version: Version) -> list[Range]:
    """The conditions of an address, each once; of a form without JavaScript as
    ?low:price=10&high:price=20. Raises Invalid."""
    ranges = [_read(text, version) for text in query.getlist("between") if text]
    for field in fields.ranges(version):
        low = query.get(f"low:{field.name}", "").strip()
        high = query.get(f"high:{field.name}", "").strip()
        if low or high:
            ranges.append(_check_range(Range(field.name, low, high), field))
    ranges = list(dict.fromkeys(ranges))
    if len(ranges) > MOST_RANGES:
        raise Invalid(
            "between",
            f"At most {MOST_RANGES} ranges can be asked for at once; these are {len(ranges)}.",
        )
    return ranges


def _read(text: str, version: Version) -> Range:
    for field in fields.ranges(version):  # a name may have a colon in it
        ends_text = text.removeprefix(field.name + ":")
        if ends_text != text and ends_text.count(":") == 1:
            return _check_range(
                Range(field.name, *(unquote(part).strip() for part in ends_text.split(":"))), field
            )
    names = ", ".join(f"“{field.name}”" for field in fields.ranges(version)) or "none"
    raise Invalid(
        "between",
        f"“between” must be a field and its ends, such as price:10:20, got “{text[:80]}”. Fields of"
        f" numbers and dates here: {names}.",
    )


def _check_range(asked_range: Range, field: RangeField) -> Range:
    _ends(asked_range, field)
    return asked_range


def _ends(asked_range: Range, field: RangeField) -> tuple[float, float]:
    """Both ends as values of the field; an end that is not given is infinite."""
    try:
        return field.ends(asked_range.low, asked_range.high.removeprefix("<"))
    except MetadataError as error:
        raise Invalid("between", str(error)) from None


def mask(asked_range: Range, version: Version, documents: np.ndarray | slice) -> np.ndarray:
    """bool, of some documents: whose value is in the range; those without one are not."""
    field = next(field for field in fields.ranges(version) if field.name == asked_range.name)
    low, high = _ends(asked_range, field)
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
    return [
        OfferedRange(*now.get(field.name, Range(field.name, "", "")), *field.limits)
        for field in offered
    ]
