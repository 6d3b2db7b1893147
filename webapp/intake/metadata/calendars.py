"""Dates of other calendars as days of ours: the Buddhist one of Thailand, the solar one of Iran, the
lunar Islamic one, the eras of Japan and the years of the Republic of China.

The lunar calendar is the tabular one (civil epoch): it may differ by a day from what was observed.
"""

from collections.abc import Callable
from datetime import date

import regex

MONTHS = 12  # of a year
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
    rf"(?:(?P<d>\d{{1,2}})(?:م|ام|اُم)?\s)?(?P<name>{_any_of(_JALALI)})(?:\sماه)?،?,?"
    r"\s(?P<y>\d{4})",
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


class Solar:
    """The calendar of Iran. A year has six months of 31 days, then months of 30; in a cycle of 33
    years eight have a day more, each the fourth or fifth after the one before."""

    NAME = "Iranian"
    YEARS = range(1178, 1634)  # for which the rule of 33 years is right: 1799 to 2254
    DAYS = 365
    LONG_MONTHS = 6
    LONG_DAYS = 31
    SHORT_DAYS = 30
    CYCLE = 33  # years
    LEAP_YEARS = 8  # of them
    LEAP_EVERY = 4
    LEAP_PHASE = 3  # so that the first year of a cycle is a leap year
    CYCLES_FROM = -1595  # a year that begins a cycle
    EPOCH = -356_032  # its first day, as date.toordinal() would have it

    @classmethod
    def first_day(cls, year: int, month: int) -> int:
        """The first day of a month, as date.toordinal()."""
        years = year - cls.CYCLES_FROM
        leap_days = years // cls.CYCLE * cls.LEAP_YEARS
        leap_days += (years % cls.CYCLE + cls.LEAP_PHASE) // cls.LEAP_EVERY
        long_months = min(month - 1, cls.LONG_MONTHS)
        short_months = month - 1 - long_months
        days_of_months = long_months * cls.LONG_DAYS + short_months * cls.SHORT_DAYS
        return cls.EPOCH + years * cls.DAYS + leap_days + days_of_months


class Lunar:
    """The tabular Islamic calendar, its epoch 16 July 622 (Julian). Months have 30 and 29 days in
    turn, and in a cycle of 30 years eleven have a day more."""

    NAME = "Islamic"
    YEARS = range(1, 1601)
    DAYS = 354
    SHORT_DAYS = 29
    CYCLE = 30  # years
    LEAP_YEARS = 11  # of them
    LEAP_PHASE = 14  # thirtieths of a day that are over before the first year
    EPOCH = 227_015  # its first day, as date.toordinal() has it

    @classmethod
    def first_day(cls, year: int, month: int) -> int:
        """The first day of a month, as date.toordinal()."""
        leap_days = (cls.LEAP_PHASE + cls.LEAP_YEARS * (year - 1)) // cls.CYCLE
        days_of_months = cls.SHORT_DAYS * (month - 1) + month // 2
        return cls.EPOCH + (year - 1) * cls.DAYS + leap_days + days_of_months


def _day(rules: type[Solar] | type[Lunar], year: int, month: int, day: int) -> date:
    """Raises ValueError for none."""
    if year in rules.YEARS and 1 <= month <= MONTHS:
        first = rules.first_day(year, month)
        if month < MONTHS:
            following = rules.first_day(year, month + 1)
        else:
            following = rules.first_day(year + 1, 1)
        if 1 <= day <= following - first:
            return date.fromordinal(first + day - 1)
    raise ValueError(f"no day of the {rules.NAME} calendar: {year}-{month}-{day}")


def jalali(year: int, month: int, day: int) -> date:
    """Raises ValueError for none."""
    return _day(Solar, year, month, day)


def hijri(year: int, month: int, day: int) -> date:
    """Raises ValueError for none."""
    return _day(Lunar, year, month, day)


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
