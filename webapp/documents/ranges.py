"""Documents by a range of numbers, or of dates beside their own: ?between=price:10:20, price::<20, sold:1914:1918-08."""

from datetime import date
from typing import NamedTuple

import numpy as np
from django.http import QueryDict

from inference.errors import Invalid
from webapp.documents import days, fields
from webapp.models import Version
from webapp.storage.columns import Days, Number

MOST = 20  # conditions of one address


class Range(NamedTuple):
    """low, high: as in the address, both included; "" for none, and a high one that begins with "<" is not included."""

    name: str
    low: str
    high: str

    @property
    def address(self) -> str:
        return f"{self.name}:{self.low}:{self.high}"

    @property
    def sentence(self) -> str:
        """price from 10 to below 20"""
        high = f"below {self.high[1:]}" if self.high.startswith("<") else self.high
        return " ".join([self.name, *([f"from {self.low}"] if self.low else []), *([f"to {high}"] if high else [])])


def read(query: QueryDict, version: Version) -> list[Range]:
    """The conditions of an address, each once; of a form without JavaScript as ?low:price=10&high:price=20. Raises Invalid."""
    wanted = [_read(text, version) for text in query.getlist("between") if text]
    for field in fields.ranges(version):
        low, high = query.get(f"low:{field.name}", "").strip(), query.get(f"high:{field.name}", "").strip()
        if low or high:
            wanted.append(_checked(Range(field.name, low, high), field))
    wanted = list(dict.fromkeys(wanted))
    if len(wanted) > MOST:
        raise Invalid("between", f"At most {MOST} ranges can be asked for at once; these are {len(wanted)}.")
    return wanted


def _read(text: str, version: Version) -> Range:
    for field in fields.ranges(version):  # a name may have a colon in it
        rest = text.removeprefix(field.name + ":")
        if rest != text and rest.count(":") == 1:
            return _checked(Range(field.name, *(part.strip() for part in rest.split(":"))), field)
    names = ", ".join(f"“{field.name}”" for field in fields.ranges(version)) or "none"
    raise Invalid(
        "between",
        f"“between” must be a field and its ends, such as price:10:20, got “{text[:80]}”. Fields of numbers and dates here: {names}.",
    )


def _checked(wanted: Range, field: Number | Days) -> Range:
    _ends(wanted, field)
    return wanted


def _ends(wanted: Range, field: Number | Days) -> tuple[float, float]:
    """Both ends as numbers, or as date.toordinal(); an end that is not given is infinite."""
    low, high = wanted.low, wanted.high.removeprefix("<")
    if isinstance(field, Days):
        return days.ordinal(low, "between", last=False) or -np.inf, days.ordinal(high, "between", last=True) or np.inf
    try:
        ends = float(low or "-inf"), float(high or "inf")
    except ValueError:
        ends = (np.nan, np.nan)
    if np.isnan(ends).any():
        raise Invalid(
            "between",
            f"The ends of “{wanted.name}” must be numbers such as 10 or 2.5, got “{wanted.low[:40]}” and “{wanted.high[:40]}”.",
        )
    return ends


def mask(wanted: Range, version: Version) -> np.ndarray:
    """bool[D]: documents whose value is in the range; those without one are not."""
    field = next(field for field in fields.ranges(version) if field.name == wanted.name)
    low, high = _ends(wanted, field)
    values = fields.values(version, field)
    inside = (values >= low) & (values < high if wanted.high.startswith("<") else values <= high)
    return inside & (values > 0) if isinstance(field, Days) else inside


def shown(version: Version, chosen: list[Range]) -> list[dict]:
    """Each field for the form: name, the range chosen of it, and its ends."""
    fields_shown = []
    for field in fields.ranges(version)[:MOST]:
        now = next((one for one in chosen if one.name == field.name), Range(field.name, "", ""))
        if isinstance(field, Days):
            ends = tuple(f"{date.fromordinal(day).year:04d}" for day in (field.first, field.last))
        else:
            ends = tuple(fields.written(value) for value in (field.low, field.high))
        fields_shown.append({"name": field.name, "low": now.low, "high": now.high, "least": ends[0], "most": ends[1]})
    return fields_shown
