"""Days as addresses and readers name them: 1914, 1914-08, 1914-08-04, 1910s."""

import calendar
from datetime import date
from functools import lru_cache

import regex

from inference.errors import Invalid

_DECADE = regex.compile(r"(\d{3})0s", regex.ASCII)
_DATE = regex.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", regex.ASCII)


@lru_cache(256)
def ordinal(text: str, name: str, last: bool) -> int:
    """The first or last day that a date names, as an ordinal; 0 for nothing. Raises Invalid(name, …)."""
    if not text:
        return 0
    if decade := _DECADE.fullmatch(text):
        text = decade[1] + ("9" if last else "0")
    match = _DATE.fullmatch(text)
    try:
        year, month, day = (int(part) if part else None for part in match.groups())
        month = month or (12 if last else 1)
        return date(year, month, day or (calendar.monthrange(year, month)[1] if last else 1)).toordinal()
    except (AttributeError, ValueError, calendar.IllegalMonthError):
        raise Invalid(
            name, f"“{name}” must be a date such as 1914, 1914-08, 1914-08-04 or 1910s, got “{text[:50]}”."
        ) from None
