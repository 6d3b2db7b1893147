"""Dates in the forms that files have them in."""

import sys
import time
from datetime import date, timedelta

import pytest

from webapp.intake.file_formats import parse_date
from webapp.intake.metadata.calendars import jalali
from webapp.intake.metadata.dates import ambiguous, guess_order, why_none


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1790", date(1790, 1, 1)),
        ("1914-1-3", date(1914, 1, 3)),
        ("26-FEB-1987", date(1987, 2, 26)),
        ("3 January 1914", date(1914, 1, 3)),
        ("January 3, 1914", date(1914, 1, 3)),
        ("2020-05", date(2020, 5, 1)),
        ("2024-01-14T10:00:00Z", date(2024, 1, 14)),
        ("3. März 1848", date(1848, 3, 3)),
        ("14.07.1789", date(1789, 7, 14)),
        ("20200131", date(2020, 1, 31)),
        ("May 1968", date(1968, 5, 1)),
        ("Thu, 26 Feb 1987 15:01:01 GMT", date(1987, 2, 26)),
        ("Monday, January 3, 1914", date(1914, 1, 3)),
        ("le 14 juillet 1789", date(1789, 7, 14)),
        ("2024-01-14 10:00:00.5+01:00", date(2024, 1, 14)),
        ("26-FEB-1987 15:01:01.79", date(1987, 2, 26)),
        ("0476", date(476, 1, 1)),
        ("12/3/1999", None),
        ("1914-02-30", None),
        ("12345", None),
        ("-300", None),
        ("0000", None),
        ("9999-99-99", None),
        ("", None),
        ("yesterday", None),
        ("1" * 500, None),
        ("30 Foo 1999", None),
        # partial, uncertain and spans
        ("c. 1850", date(1850, 1, 1)),
        ("ca. 1850", date(1850, 1, 1)),
        ("circa May 1850", date(1850, 5, 1)),
        ("[1791]", date(1791, 1, 1)),
        ("[1791?]", date(1791, 1, 1)),
        ("um 1850", date(1850, 1, 1)),
        ("~1900", date(1900, 1, 1)),
        ("1850-1860", date(1850, 1, 1)),
        ("1850–60", date(1850, 1, 1)),
        ("1914/18", date(1914, 1, 1)),
        ("1850 to 1860", date(1850, 1, 1)),
        ("1850s", date(1850, 1, 1)),
        ("1914-08", date(1914, 8, 1)),
        ("1914/8/4", date(1914, 8, 4)),
        ("2020.05.17", date(2020, 5, 17)),
        ("20240114T100000Z", date(2024, 1, 14)),
        ("2024-W03-1", None),
        ("1 1 1999", None),
        # a number above 12 tells
        ("13/3/1999", date(1999, 3, 13)),
        ("3/13/1999", date(1999, 3, 13)),
        ("3/13/1999 14:05", date(1999, 3, 13)),
        ("13/13/1999", None),
        ("5/5/1999", date(1999, 5, 5)),
        # languages
        ("14 luglio 1789", date(1789, 7, 14)),
        ("3 de marzo de 1848", date(1848, 3, 3)),
        ("1er janvier 1900", date(1900, 1, 1)),
        ("1º de março de 1900", date(1900, 3, 1)),
        ("5 декабря 1936 г.", date(1936, 12, 5)),
        ("Март 1917", date(1917, 3, 1)),
        ("11 listopada 1918", date(1918, 11, 11)),
        ("28. října 1918", date(1918, 10, 28)),
        ("1848. március 15.", date(1848, 3, 15)),
        ("25 Μαρτίου 1821", date(1821, 3, 25)),
        ("29 Ekim 1923", date(1923, 10, 29)),
        ("5 mei 1945", date(1945, 5, 5)),
        ("17. mai 1814", date(1814, 5, 17)),
        ("6. joulukuuta 1917", date(1917, 12, 6)),
        ("1 decembrie 1918", date(1918, 12, 1)),
        ("24 серпня 1991", date(1991, 8, 24)),
        ("2006年11月3日", date(2006, 11, 3)),
        ("1999年", date(1999, 1, 1)),
        ("1945년 8월 15일", date(1945, 8, 15)),
        ("17 Agustus 1945", date(1945, 8, 17)),
        ("23 يوليو 1952", date(1952, 7, 23)),
        ("24 มิถุนายน 1932", date(1932, 6, 24)),
        ("١٩٥٢", date(1952, 1, 1)),
        ("5 d'octubre de 1900", date(1900, 10, 5)),
        # years of two digits, as computers write them, and seconds since 1970
        ("10/16/17 22:59", date(2017, 10, 16)),
        ("26-FEB-87", date(1987, 2, 26)),
        ("3 May '45", date(1945, 5, 3)),
        ("31/12/39", date(2039, 12, 31)),
        ("31/12/40", date(1940, 12, 31)),
        ("23.12.98", date(1998, 12, 23)),
        ("10/2017", date(2017, 10, 1)),
        ("Mon Oct 16 22:59:00 +0000 2017", date(2017, 10, 16)),
        ("1508194740", date(2017, 10, 16)),
        ("1508194740000", date(2017, 10, 16)),
        ("1508194740.000200", date(2017, 10, 16)),
        ("1508194740000000", date(2017, 10, 16)),
        ("20171016225900", date(2017, 10, 16)),
        # quarters, halves, weeks and months by their numbers
        ("2019-Q2", date(2019, 4, 1)),
        ("2019Q4", date(2019, 10, 1)),
        ("Q1 2019", date(2019, 1, 1)),
        ("3Q 2019", date(2019, 7, 1)),
        ("T3 2019", date(2019, 7, 1)),
        ("2. Quartal 2019", date(2019, 4, 1)),
        ("2e trimestre 2019", date(2019, 4, 1)),
        ("third quarter of 2019", date(2019, 7, 1)),
        ("2019-H2", date(2019, 7, 1)),
        ("2019m3", date(2019, 3, 1)),
        ("2019-W05", date(2019, 1, 28)),
        ("201903", date(2019, 3, 1)),
        ("Jan-98", date(1998, 1, 1)),
        ("Mar '45", date(1945, 3, 1)),
        ("2019-Q5", None),
        # other calendars, where their names stand beside the numbers
        ("12 มีนาคม 2566", date(2023, 3, 12)),
        ("๑๒ มีนาคม ๒๕๖๖", date(2023, 3, 12)),
        ("12/3/2566 พ.ศ.", None),
        ("13/3/2566 พ.ศ.", date(2023, 3, 13)),
        ("24 มิถุนายน 1932", date(1932, 6, 24)),
        ("1 فروردین 1402", date(2023, 3, 21)),
        ("۲۲ بهمن ۱۳۵۷", date(1979, 2, 11)),
        ("1 رمضان 1444", date(2023, 3, 23)),
        ("1 Muharram 1445 AH", date(2023, 7, 19)),
        ("令和5年5月3日", date(2023, 5, 3)),
        ("平成元年", date(1989, 1, 1)),
        ("民國108年5月3日", date(2019, 5, 3)),
        # what stands for no date, or for one without end
        ("9999-12-31", None),
        ("31.12.9999", None),
        ("0001-01-01", None),
        ("12/03/2566", None),
        # never guessed
        ("12/3/99", None),
        ("1.2.10", None),
        ("5.2017", None),
        ("300 BC", None),
        ("44 v. Chr.", None),
        ("99", None),
        ("2020-13", None),
        ("31 June 1999", None),
        ("\ud800", None),
        ("1999\0", None),
    ],
)
def test_dates(text, expected):
    assert parse_date(text) == expected


def test_what_numbers_mean_is_decided_by_the_column():
    assert guess_order(["12/3/1999", "1/2/2000", "25/12/1999"]) == "dmy"
    assert guess_order(["12/3/1999", "12-25-1999", "1999-01-02", ""]) == "mdy"
    assert guess_order(["12/3/1999", "1/2/2000"]) is None and guess_order([]) is None
    assert (
        guess_order(["25/12/1999", "12/25/1999"]) is None
        and guess_order(["10/16/17 22:59", "10/1/17 9:00"]) == "mdy"
    )
    assert guess_order(["1/1/1999", "2/1/1999", "3/1/1999", "4/1/1999"]) == "mdy"
    assert guess_order(["1/1/1999", "1/2/1999", "1/3/1999"]) == "dmy"
    assert parse_date("12/3/1999", "dmy") == date(1999, 3, 12) and parse_date(
        "12/3/1999", "mdy"
    ) == date(1999, 12, 3)
    assert parse_date("12.3.1999") == date(1999, 3, 12) and parse_date("12.3.1999", "mdy") == date(
        1999, 12, 3
    )
    assert ambiguous(["1999", "12/3/1999"]) and not ambiguous(["1999", "13/3/1999", "5/5/1999"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("300 BC", "before the year 1"),
        ("-44", "before the year 1"),
        ("12/3/1999", "two ways"),
        ("'99", "two digits"),
        ("1/2/99", "two ways"),
        ("soon", "not in a date format"),
        ("9999-12-31", "dates without end"),
        ("0001-01-01", "there is no date"),
        ("13/3/2566", "Buddhist calendar"),
    ],
)
def test_why_there_is_none(text, why):
    assert parse_date(text) is None and why in why_none(text)


@pytest.mark.parametrize(
    ("text", "calendar", "expected"),
    [
        ("2566-03-12", "buddhist", date(2023, 3, 12)),
        ("12/3/2566", "buddhist", date(2023, 3, 12)),
        ("1402-02-31", "jalali", date(2023, 5, 21)),
        ("1402/1/1", "jalali", date(2023, 3, 21)),
        ("1399-12-30", "jalali", date(2021, 3, 20)),
        ("1400-12-30", "jalali", None),
        ("1445-01-01", "hijri", date(2023, 7, 19)),
        ("1/9/1444", "hijri", date(2023, 3, 23)),
        ("1402-13-01", "jalali", None),
    ],
)
def test_numbers_of_a_chosen_calendar(text, calendar, expected):
    assert parse_date(text, calendar) == expected


def test_the_calendar_of_iran_goes_on_day_by_day():
    """Every day of 200 years, in months of 31, 30 and 29 or 30 days, without a gap."""
    day = jalali(1250, 1, 1)
    for year in range(1250, 1450):
        leap = (jalali(year + 1, 1, 1) - jalali(year, 1, 1)).days == 366
        for month in range(1, 13):
            length = 31 if month <= 6 else 30 if month < 12 or leap else 29
            for number in range(1, length + 1):
                assert jalali(year, month, number) == day
                day += timedelta(days=1)


def count_calls(function, *arguments) -> int:
    """How many functions are called, those written in C among them."""
    calls = []
    sys.setprofile(lambda frame, event, detail: calls.append(event) if "call" in event else None)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return len(calls)


def test_a_plain_day_is_compared_with_no_other_form():
    """Tables have millions of them: a day such as 1712-03-14 is read before any other form is looked
    for."""
    read_anew = parse_date.__wrapped__  # not what was kept of an earlier call
    plain = count_calls(read_anew, "1712-03-14")
    assert 2 * plain < count_calls(read_anew, "14/3/1712")
    assert 2 * plain < count_calls(read_anew, "14 March 1712")


def test_hostile_texts_take_no_time():
    started = time.perf_counter()
    for text in (
        "1" * 60,
        "1." * 30,
        "a" * 59 + "1",
        "[" * 60,
        "c. " * 20,
        "1 " * 30,
        "1999 " * 12,
        "Jan " * 15,
        "12/12/" * 10,
        "ー1" * 30,
    ):
        parse_date(text), why_none(text)
    assert time.perf_counter() - started < 0.5
