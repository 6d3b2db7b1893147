"""Dates in the forms that files have them in."""

import calendar
import unicodedata
from collections.abc import Iterable
from datetime import date, timedelta
from functools import lru_cache

import regex

from webapp.intake.metadata import calendars, column_names
from webapp.intake.metadata.calendars import CALENDARS, MONTHS
from webapp.intake.metadata.month_names import NUMBER_OF_MONTH

LONGEST_DATE = 60  # characters
YEAR = len("1914")
ORDERS = {"dmy": "day/month/year", "mdy": "month/day/year"}
_TIME = r"(?:[T ,]+(?:\p{L}+ )?\d{1,2}[:.h]\d{2}.*|T.*)?"
_TH = r"(?:st|nd|rd|th|er|re|ste|de|e|\.|º|ª)?"
_OF = r"(?:(?:de|del|of)\s|d['’])?"
_NAME = r"(?P<name>\p{L}[\p{L}\p{M}.]*)"
_FORMS = [
    regex.compile(form)
    for form in (
        rf"(?P<y>\d{{4}})[-/.](?P<m>\d{{1,2}})(?:[-/.](?P<d>\d{{1,2}}){_TIME})?",
        r"(?P<m>\d{1,2})[-/](?P<y>\d{4})",
        (
            rf"(?:\p{{L}}{{3}} )?{_NAME} (?P<d>\d{{1,2}}) \d{{1,2}}:\d\d:\d\d (?:[+-]\d{{4}}"
            r" |\p{L}{3,5} )?(?P<y>\d{4})"
        ),
        r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})(?:T?\d{6}.*|T\d{4}.*)?",
        rf"(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?(?P<y>\d{{4}})\.?{_TIME}",
        (
            r"(?:le |el |den |am |\p{L}{2,13}\.?,?"
            rf" )?(?P<d>\d{{1,2}}){_TH}[-\s]{_OF}{_NAME},?[-\s]{_OF}(?P<y>\d{{4}})(?:"
            rf" ?(?:г|р|r)\.?|{_TIME})"
        ),
        (
            rf"(?:\p{{L}}{{2,13}}\.?, )?{_NAME} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?"
            rf" (?P<y>\d{{4}}){_TIME}"
        ),
        rf"{_NAME},?[-\s]{_OF}(?P<y>\d{{4}})(?: ?(?:г|р)\.?)?",
        rf"(?P<y>\d{{4}})[.,]? {_NAME}(?: (?P<d>\d{{1,2}})\.?)?",
        r"(?P<y>\d{4})\s?[年년](?:\s?(?P<m>\d{1,2})\s?[月월](?:\s?(?P<d>\d{1,2})\s?[日일号號])?)?.{0,20}",
        r"(?P<y>\d{4})(?:(?:\s?[-–—/]\s?| (?:to|until|bis|à|a) )(?P<end>\d{4}|\d{2})|s|er)",
    )
]
# One of them is in each of the forms: most texts have none
_YEAR = regex.compile(
    r"(?<!\d)(?:\d{4}|\d{6}|\d{8}|\d{10}|\d{13,14}|\d{16}|\d{19})(?!\d)"
    r"|^\d{1,2}[-/.\s](?:\d{1,2}|\p{L}{3,9})[-/.\s]['’]?\d\d(?!\d)|^\p{L}{3,9}\.?(?:-|\s?['’])\d\d$"
)
_NUMBERS = regex.compile(rf"(\d{{1,2}})([/.-])(\d{{1,2}})\2(\d{{4}}|\d\d){_TIME}")
_SHORT_NAME = regex.compile(rf"(\d{{1,2}})\.?[-\s]{_NAME}[-\s]['’]?(\d\d){_TIME}")
# 1.2.10 is rather the number of a version
_SHORT_POINTS = regex.compile(r"\d\d\.\d\d\.\d\d(?!\d).*")
LATEST = 2039  # what a year of two digits can be: 1940 to 2039
# since 1970: seconds, with a fraction or not, thousandths, millionths, or thousand millionths of them
_SECONDS = regex.compile(r"[1-3]\d{9}(?:\.\d{1,9}|\d{3}|\d{6}|\d{9})?", regex.ASCII)
_MONTH_DIGITS = regex.compile(r"(1[5-9]\d\d|20[0-3]\d)(0[1-9]|1[0-2])", regex.ASCII)  # 201903
_MONTH_YEAR = regex.compile(rf"{_NAME}(?:-|\s?['’])(\d\d)")  # Jan-98, as Excel writes months
_QUARTER = (
    r"(?:[QTKqtk](?P<q>[1-4])|[HSh](?P<half>[12])|(?P<ordinal>[1-4])\s?"
    r"(?:[Qq]\b|(?:st|nd|rd|th|er|e|ème|º|\.)?\s?(?i:quarter|quartal|trimestre|kvartal|kwartaal"
    r"|kwartał|kwartal))|(?P<word>(?i:first|second|third|fourth))\s(?i:quarter)"
    r"|[Ww](?P<week>[0-5]?\d)|[Mm](?P<m>1[0-2]|0?[1-9]))"
)
_QUARTERS = [
    regex.compile(form)
    for form in (
        rf"(?P<y>\d{{4}})[-/_.,]?\s?{_QUARTER}",
        rf"{_QUARTER}[-/_.,]?\s?(?:of\s|de\s|du\s)?(?P<y>\d{{4}})",
    )
]
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
# Above it stand dates that mean “without end”, such as 9999-12-31, and years of other calendars
LAST_YEAR = 2200
_EPOCH = date(1970, 1, 1)  # from which seconds are counted
MONTHS_OF_HALF = MONTHS // 2
MONTHS_OF_QUARTER = MONTHS // len(_ORDINALS)
NO_DAY = date(1, 1, 1)  # what programs write that have no date
# "c. 1850", "[1791?]", "um 1850", "~1900", "A.D. 900": what stands about a date that is not
# certain.
_ABOUT = regex.compile(
    r"^(?:[\[(<~≈?\s]|(?:c|ca|cca|circa|about|approx|around|um|etwa|vers|env|hacia|verso|ok|около|ок"
    r"|©|a\.d|ad)[.\s]\s*)+|[\])>?\s]+$",
    regex.I,
)
_BEFORE_CHRIST = regex.compile(
    r"^-\s?\d+$|\d\s*(?:b\.?\s?c\.?(?:\s?e\.?)?|v\.\s?chr\.?|av\.?\s?j\.?.?c\.?|a\.\s?c\.|до"
    r" н\.?\s?э\.?)$",
    regex.I,
)
_SHORT_SPAN = regex.compile(r"\d{4}[-/](?:1[3-9]|[2-9]\d)")
_DECADE = regex.compile(r"(\d{3})0s", regex.ASCII)
_ISO = regex.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?", regex.ASCII)
_SERIAL = regex.compile(r"[1-5]\d{4}(?:\.\d+)?", regex.ASCII)  # days since 1900: 1927 to 2064
_ISO_DAY = regex.compile(r".{4}-.{2}-.{2}")
_TWO_DIGITS = regex.compile(r"['’]?\d{2}")


@lru_cache(1 << 16)
def parse_date(text: str, order: str | None = None) -> date | None:
    """The day that a text names; the first of the year, the quarter, the month or the span where it
    names no more. None for anything else, and for a date that stands for “without end”.

    order: "dmy" or "mdy", what 12/3/1999 means; without it, it is None: the twelfth of March to
    some, the third of December to others. One of CALENDARS: numbers are of that calendar.
    """
    day = _read(text, order)
    return day if day is not None and day.year <= LAST_YEAR and day != NO_DAY else None


def _read(text: str, order: str | None) -> date | None:
    if order not in CALENDARS and _ISO_DAY.fullmatch(text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            if text.replace("-", "").isdecimal():
                return None
    text = text.strip()
    if not YEAR <= len(text) <= LONGEST_DATE:
        return None
    calendar_name = order if order in CALENDARS else ""
    if order in CALENDARS:
        order = "dmy"
    if any(map(str.isalpha, text)):
        if named_date := calendars.named_day(text):
            return named_date
        marked_calendar, text = calendars.split_mark(text)
        calendar_name = marked_calendar or calendar_name
    if not _YEAR.search(text) or _BEFORE_CHRIST.search(text):
        return None
    text = _ABOUT.sub("", text)
    if _SECONDS.fullmatch(text):
        return _EPOCH + timedelta(seconds=int(text[:10]))
    if len(text) == YEAR and text.isdecimal():
        return _date(text, "1", "1", calendar_name)
    if match := _MONTH_DIGITS.fullmatch(text):
        return _date(match[1], match[2], "1", calendar_name)
    if match := _NUMBERS.fullmatch(text):
        first, mark, second, year = match.groups()
        if len(year) < YEAR and mark == "." and not _SHORT_POINTS.fullmatch(text):
            return None
        return _numbers(first, mark, second, year, order, calendar_name)
    if match := _SHORT_NAME.fullmatch(text):
        day, name, year = match.groups()
        month = month_of(name)
        return _date(_full(year), month, day) if month else None
    if match := _MONTH_YEAR.fullmatch(text):
        month = month_of(match[1])
        return _date(_full(match[2]), month, 1) if month else None
    for form in _QUARTERS:
        if match := form.fullmatch(text):
            return _numbered_part_of_year(match)
    return _by_forms(text, calendar_name)


def _by_forms(text: str, calendar_name: str) -> date | None:
    for form in _FORMS:
        if match := form.fullmatch(text):
            parts = match.groupdict()
            name = parts.get("name")
            if (end := parts.get("end")) and int(end) <= int(parts["y"][-len(end) :]):
                continue
            month = month_of(name) if name else parts.get("m") or 1
            if not month:
                continue
            # Thai names of months stand beside years of the Buddhist calendar
            of_thai = "buddhist" if name and "\u0e00" <= name[0] <= "\u0e7f" else ""
            day = _date(parts["y"], month, parts.get("d") or 1, calendar_name or of_thai)
            if day:
                return day
    return None


def _numbered_part_of_year(match: regex.Match) -> date | None:
    """The first day of a quarter, a half year, a week or a month that is said by its number."""
    year = int(match["y"])
    if match["week"]:
        try:
            return date.fromisocalendar(year, int(match["week"]), 1)
        except ValueError:
            return None
    if match["half"]:
        return _date(match["y"], (int(match["half"]) - 1) * MONTHS_OF_HALF + 1, 1)
    if match["m"]:
        return _date(match["y"], match["m"], 1)
    word = match["word"]
    number = _ORDINALS[word.lower()] if word else int(match["q"] or match["ordinal"])
    return _date(match["y"], (number - 1) * MONTHS_OF_QUARTER + 1, 1)


def _full(year: str) -> str:
    """A year of four digits; one of two is in the hundred years that end with LATEST."""
    return year if len(year) == YEAR else str(LATEST - (LATEST - int(year)) % 100)


def _date(year: str, month: str | int, day: str | int, calendar_name: str = "") -> date | None:
    """calendar_name: of CALENDARS, "" for ours."""
    if calendar_name:
        return calendars.build(calendar_name, int(year), int(month), int(day))
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _numbers(
    first: str, mark: str, second: str, year: str, order: str | None, calendar_name: str
) -> date | None:
    """Points stand in dates that begin with the day; otherwise a number above 12 tells, or the
    order that was chosen."""
    if int(first) > MONTHS or int(second) > MONTHS:
        order = "dmy" if int(first) > MONTHS else "mdy"
    elif mark == ".":
        order = order or "dmy"
    if order is None and first != second:
        return None
    year = _full(year)
    if order == "mdy":
        return _date(year, first, second, calendar_name)
    return _date(year, second, first, calendar_name)


@lru_cache(1 << 10)
def month_of(name: str) -> int | None:
    """The number of a month by its name, in any of the languages, or its short name."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    letters = "".join(
        character
        for character in decomposed
        if unicodedata.category(character) != "Mn" or "\u0e00" < character < "\u0e7f"
    )
    plain = letters.replace("ł", "l").replace("ı", "i")
    return NUMBER_OF_MONTH.get(plain) or NUMBER_OF_MONTH.get(plain.rstrip("."))


def guess_order(values: Iterable[str]) -> str | None:
    """What 12/3/1999 means in a column, by all its values: "dmy" or "mdy"; None where they do not
    tell.

    A number above 12 is a day; in a series of months the day is 1.
    """
    first = []  # numbers of each date
    second = []
    for value in values:
        match = _NUMBERS.fullmatch(value.strip())
        if match is None:
            continue
        first_number, mark, second_number, _ = match.groups()
        if mark != ".":
            first.append(int(first_number))
            second.append(int(second_number))
    days_first = any(number > MONTHS for number in first)
    days_second = any(number > MONTHS for number in second)
    if days_first and days_second:
        return None
    if days_first or days_second:
        return "dmy" if days_first else "mdy"
    ones_first = set(first) == {1}
    ones_second = set(second) == {1}
    if len(first) > 2 and ones_first != ones_second:
        return "dmy" if ones_first else "mdy"
    return None


def ambiguous(values: Iterable[str]) -> bool:
    """Whether one of them can be read in two ways."""
    return any(
        parse_date(value) is None and parse_date(value, "dmy") is not None for value in values
    )


def may_be_of_another_calendar(values: Iterable[str]) -> bool:
    """Whether one of them has a year of the Buddhist calendar, or all are days in years that are
    now in the calendars of Iran and Islam, and long ago in ours."""
    days = [day for value in values if (day := _read(value, "dmy"))]
    last_buddhist = LATEST + calendars.BUDDHIST_YEARS
    if any(calendars.BUDDHIST_FROM <= day.year <= last_buddhist for day in days):
        return True
    first, last = calendars.YEARS_NOW
    exact = [day for day in days if (day.month, day.day) != (1, 1)]
    return 2 * len(exact) > len(days) and all(first <= day.year <= last for day in days)


def looks_like(text: str) -> bool:
    """Whether a text is a date for a guess at a column: in either order, as each reads what the
    other does; not 1914-50, which is a span only where one knows of dates, nor 201903 nor seconds
    since 1970, which may be any number."""
    plain = text.strip()
    return (
        parse_date(text, "dmy") is not None
        and not _SHORT_SPAN.fullmatch(text)
        and not _SECONDS.fullmatch(plain)
        and not _MONTH_DIGITS.fullmatch(plain)
    )


# Where years lie that no name calls so: before, nobody printed, and texts of one collection are not
# four hundred years apart
FIRST_YEAR = 1400
YEARS_APART = 400


def are_years(values: Iterable[str], name: str) -> bool:
    """Whether those of a column's values that are four digits and nothing else are years: where the
    column's name says so, or where they lie like years and the name says nothing else."""
    years = [int(value) for value in values if len(value) == YEAR and value.isdecimal()]
    if not years or column_names.names_dates(name):
        return True
    if column_names.names_counts(name):
        return False
    return (
        FIRST_YEAR <= min(years) <= max(years) <= LATEST and max(years) - min(years) <= YEARS_APART
    )


def why_none(text: str) -> str:
    """Why a text is no date for us, as the end of a sentence."""
    day = _read(text, "dmy")
    if _BEFORE_CHRIST.search(text.strip()):
        return "is before the year 1, and years before Christ can’t be kept"
    if parse_date(text, "dmy"):
        return "can be read in two ways; choose which number is the day"
    if day == NO_DAY:
        return "is what programs write where there is no date"
    if day and calendars.BUDDHIST_FROM <= day.year <= LATEST + calendars.BUDDHIST_YEARS:
        return "has a year of the Buddhist calendar, it seems; choose how dates are written"
    if day:
        return f"is after the year {LAST_YEAR}, as databases write dates without end"
    if _SERIAL.fullmatch(text.strip()):
        return "may be a number of days, as spreadsheets keep dates; give the cells a date’s format"
    if _TWO_DIGITS.fullmatch(text.strip()):
        return "is a year of two digits alone, and could be any number"
    return "is not in a date format that we know"


@lru_cache(256)
def day_of(text: str, last: bool) -> int:
    """The first or last day, as date.toordinal(), that a date in an address names: 1914, 1914-08,
    1914-08-04, 1910s.

    Raises ValueError with the end of a sentence for anything else.
    """
    if decade := _DECADE.fullmatch(text):
        text = decade[1] + ("9" if last else "0")
    try:
        match = _ISO.fullmatch(text)
        if match is None:
            raise ValueError
        year, month, day = (int(digits or 0) for digits in match.groups())
        if not month:
            month = MONTHS if last else 1
        if not day:
            day = calendar.monthrange(year, month)[1] if last else 1
        return date(year, month, day).toordinal()
    except (ValueError, calendar.IllegalMonthError):
        raise ValueError(
            "must be a date such as 1914, 1914-08, 1914-08-04 or 1910s, got"
            f" “{text[:LONGEST_DATE]}”."
        ) from None
