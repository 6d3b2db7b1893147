"""Dates in the forms that files have them in."""

from datetime import date

import regex

_MONTHS = {
    name: number
    for number, names in enumerate(
        "jan january januar janvier enero gennaio|feb february februar février fevrier febrero febbraio|mar march märz maerz mars marzo|"
        "apr april avril abril aprile|may mai mayo maggio|jun june juni juin junio giugno|jul july juli juillet julio luglio|"
        "aug august août aout agosto|sep sept september septembre septiembre settembre|oct october okt oktober octobre octubre ottobre|"
        "nov november novembre noviembre|dec december dez dezember décembre decembre diciembre dicembre".split("|"), 1,
    )
    for name in names.split()
}  # fmt: skip
_FORMS = [
    regex.compile(r"(?P<y>\d{4})"),
    regex.compile(r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})(?:[-/.](?P<d>\d{1,2})(?:[T ].*)?)?"),
    regex.compile(r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})"),
    regex.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"),
    regex.compile(r"(?:\p{L}{2,9}\.?,? )?(?P<d>\d{1,2})(?:st|nd|rd|th|\.)?[- ](?:de )?(?P<name>\p{L}+)\.?,?[- ](?:de )?(?P<y>\d{4})(?:[ T].*)?"),
    regex.compile(r"(?:\p{L}{2,9}\.?, )?(?P<name>\p{L}+)\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})"),
    regex.compile(r"(?P<name>\p{L}+)\.?,?[- ](?P<y>\d{4})"),
]


def parse_date(text: str) -> date | None:
    """The day that a text names; the first of the year or month where it names no more. None for anything else.

    12/3/1999 is None: it is the twelfth of March to some and the third of December to others.
    """
    text = text.strip()
    if not 4 <= len(text) <= 60:
        return None
    for form in _FORMS:
        if match := form.fullmatch(text):
            parts = match.groupdict()
            name = parts.get("name")
            month = _MONTHS.get(name.lower()) if name else int(parts.get("m") or 1)
            try:
                return date(int(parts["y"]), month, int(parts.get("d") or 1)) if month else None
            except ValueError:
                continue
    return None
