"""Dates of other calendars as days of ours: the Buddhist one of Thailand, the solar one of Iran, the
lunar Islamic one, the eras of Japan and the years of the Republic of China.

The lunar calendar is the tabular one (civil epoch): it may differ by a day from what was observed.
"""

from collections.abc import Callable
from datetime import date

import regex

BUDDHIST_YEARS = 543  # that the Buddhist calendar is ahead of ours
BUDDHIST_FROM = 2300  # a larger year is of that calendar where Thai stands beside it
# of the calendars of Iran and Islam, in texts of the last hundred years
YEARS_NOW = 1300, 1460
CALENDARS = {
    "buddhist": "of the Buddhist calendar (2566 is 2023)",
    "jalali": "of the Iranian calendar (1402 is 2023)",
    "hijri": "of the Islamic calendar (1445 is 2023)",
}
_JALALI_MONTHS = (
    "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split(),
    "farvardin ordibehesht khordad tir mordad shahrivar mehr aban azar dey bahman esfand".split(),
)
_HIJRI_MONTHS = (
    ("محرم", "muharram", "moharram"),
    ("صفر", "safar"),
    ("ربيع الأول", "ربيع الاول", "rabi al-awwal", "rabi' al-awwal", "rabi i"),
    (
        "ربيع الثاني",
        "ربيع الآخر",
        "ربيع الاخر",
        "rabi al-thani",
        "rabi' al-thani",
        "rabi ii",
    ),
    ("جمادى الأولى", "جمادى الاولى", "jumada al-awwal", "jumada al-ula", "jumada i"),
    ("جمادى الآخرة", "جمادى الاخرة", "جمادى الثانية", "jumada al-thani", "jumada ii"),
    ("رجب", "rajab"),
    ("شعبان", "shaban", "sha'ban"),
    ("رمضان", "ramadan", "ramazan"),
    ("شوال", "shawwal"),
    ("ذو القعدة", "ذي القعدة", "dhu al-qadah", "dhu al-qi'dah", "dhul-qadah"),
    ("ذو الحجة", "ذي الحجة", "dhu al-hijjah", "dhu al-hijja", "dhul-hijjah"),
)
_JALALI = {name: n for names in _JALALI_MONTHS for n, name in enumerate(names, 1)}
_HIJRI = {name: n for n, names in enumerate(_HIJRI_MONTHS, 1) for name in names}
_ERAS = {
    "明治": 1867,
    "大正": 1911,
    "昭和": 1925,
    "平成": 1988,
    "令和": 2018,
    "民國": 1911,
    "民国": 1911,
}


def _any_of(names: dict[str, int]) -> str:
    return "|".join(regex.escape(name) for name in sorted(names, key=len, reverse=True))


_NAMED_JALALI = regex.compile(
    rf"(?:(?P<d>\d{{1,2}})(?:م|ام|اُم)?\s)?(?P<name>{_any_of(_JALALI)})(?:\sماه)?،?,?\s(?P<y>\d{{4}})",
    regex.I,
)
_NAMED_HIJRI = regex.compile(
    rf"(?:(?P<d>\d{{1,2}})\s)?(?P<name>{_any_of(_HIJRI)})،?,?\s(?P<y>\d{{3,4}})"
    r"\s?(?:هـ|ه\.?|A\.?H\.?)?",
    regex.I,
)
_ERA = regex.compile(
    rf"(?P<era>{_any_of(_ERAS)})\s?(?P<y>元|\d{{1,3}})\s?年"
    r"(?:\s?(?P<m>\d{1,2})\s?月(?:\s?(?P<d>\d{1,2})\s?[日號号])?)?"
)
_MARKS = (  # of a calendar, before or behind a date
    ("buddhist", regex.compile(r"พ\.?\s?ศ\.?\s?|\bB\.?E\.?(?!\w)\s?")),
    ("jalali", regex.compile(r"\s?(?:ه\.?\s?ش\.?|هـ\.?\s?ش\.?)$")),
    ("hijri", regex.compile(r"\s?(?:هـ|\bA\.?H\.?(?!\w))")),
)


def buddhist(year: int, month: int, day: int) -> date:
    """Raises ValueError for none."""
    return date(year - BUDDHIST_YEARS if year >= BUDDHIST_FROM else year, month, day)


def jalali(year: int, month: int, day: int) -> date:
    """By the rule of 33 years, which is right for 1178 to 1633 (1799 to 2254). Raises ValueError
    for none."""
    if not (1178 <= year <= 1633 and 1 <= month <= 12 and day >= 1):
        raise ValueError(f"no day of the Iranian calendar: {year}-{month}-{day}")
    first = _jalali_first(year, month)
    following = _jalali_first(year + month // 12, month % 12 + 1)
    if first + day > following:
        raise ValueError(f"no day of the Iranian calendar: {year}-{month}-{day}")
    return date.fromordinal(first + day - 1)


def _jalali_first(year: int, month: int) -> int:
    """The first day of a month, as date.toordinal()."""
    years = year + 1595
    days = -355668 + 365 * years + years // 33 * 8 + (years % 33 + 3) // 4
    days += (month - 1) * 31 if month < 7 else (month - 7) * 30 + 186
    return days - 364  # they are counted from 1 January of the year 0, which has 366


def hijri(year: int, month: int, day: int) -> date:
    """The tabular calendar, its epoch 16 July 622 (Julian). Raises ValueError for none."""
    if not (1 <= year <= 1600 and 1 <= month <= 12 and day >= 1):
        raise ValueError(f"no day of the Islamic calendar: {year}-{month}-{day}")
    first = _hijri_first(year, month)
    if first + day > _hijri_first(year + month // 12, month % 12 + 1):
        raise ValueError(f"no day of the Islamic calendar: {year}-{month}-{day}")
    return date.fromordinal(first + day - 1)


def _hijri_first(year: int, month: int) -> int:
    """The first day of a month, as date.toordinal(): months have 30 and 29 days in turn, and 11 of
    30 years a day more."""
    before = 29 * (month - 1) + month // 2
    return before + 354 * (year - 1) + (3 + 11 * year) // 30 + 227015


BUILDERS: dict[str, Callable[[int, int, int], date]] = {
    "buddhist": buddhist,
    "jalali": jalali,
    "hijri": hijri,
}


def build(calendar: str, year: int, month: int, day: int) -> date | None:
    """A day of that calendar (CALENDARS) as one of ours; None where there is no such day."""
    try:
        return BUILDERS[calendar](year, month, day)
    except ValueError:
        return None


def named_day(text: str) -> date | None:
    """The day that a text names by the months of Iran or of Islam, or by an era of Japan or the
    year of the Republic of China; None for anything else."""
    for form, months, calendar in (
        (_NAMED_JALALI, _JALALI, "jalali"),
        (_NAMED_HIJRI, _HIJRI, "hijri"),
    ):
        if match := form.fullmatch(text):
            month = months[match["name"].casefold()]
            return build(calendar, int(match["y"]), month, int(match["d"] or 1))
    if match := _ERA.fullmatch(text):
        year = 1 if match["y"] == "元" else int(match["y"])
        try:
            return date(_ERAS[match["era"]] + year, int(match["m"] or 1), int(match["d"] or 1))
        except ValueError:
            return None
    return None


def split_mark(text: str) -> tuple[str, str]:
    """The calendar that a mark in a text names ("" for none), and the text without the mark."""
    for calendar, mark in _MARKS:
        without = mark.sub("", text)
        if without != text:
            return calendar, without.strip()
    return "", text
