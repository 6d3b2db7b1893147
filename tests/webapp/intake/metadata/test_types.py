"""Kinds of columns: guessed by their first values."""

from datetime import date

import numpy as np
import pytest

from webapp.intake import file_formats
from webapp.intake.file_formats.column_roles import guess as guess_roles
from webapp.intake.metadata import groups, guess
from webapp.intake.metadata.number import parse_number

ROWS = 30


def kind(values, name: str = "x") -> str:
    return guess([name], [[value] for value in values])[name]


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("likes", [str(1000 + 293 * i) for i in range(ROWS)], "number"),
        ("likes", [str(1850 + i) for i in range(ROWS)], "number"),
        ("word count", [str(1400 + 17 * i) for i in range(ROWS)], "number"),
        ("x", [str(1009 + 300 * i) for i in range(ROWS)], "number"),
        ("x", [str(1000 + 37 * i) for i in range(ROWS)], "number"),
        ("x", [str(1620 + 9 * i) for i in range(ROWS)], "date"),
        ("year", [str(800 + 39 * i) for i in range(ROWS)], "date"),
        ("pubYear", [str(800 + 39 * i) for i in range(ROWS)], "date"),
        ("created_utc", [str(1500000000 + 86400 * i) for i in range(ROWS)], "date"),
        ("x", [str(1500000000 + 86400 * i) for i in range(ROWS)], "number"),
    ],
)
def test_four_digits_are_years_where_they_lie_like_years_or_the_name_says_so(
    name, values, expected
):
    assert kind(values, name) == expected


@pytest.mark.parametrize("mark", ["NA", "NaN", "nan", "NULL", "None", "[deleted]", "[removed]"])
def test_marks_of_missing_values_do_not_decide_what_a_column_is(mark):
    assert kind([mark] * 12 + [str(i * 37) for i in range(12)]) == "number"
    assert kind([mark] * 12 + [f"1{i}/3/1999" for i in range(3)]) == "date"
    assert kind([mark] * ROWS) == "category"


def test_who_speaks_is_a_category_though_the_first_rows_have_another_each():
    names = [f"Member number {i}" for i in range(ROWS)]
    assert kind(names, "speaker") == kind(names[::-1], "Autor") == "category"
    assert kind(names, "remark") == "text"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", 12),
        ("-1.5e3", -1500),
        ("1,234.5", 1234.5),
        ("12 %", 12),
        ("1.234,5", 1234.5),
        ("0,25", 0.25),
        ("1 234", 1234),
        ("1'000'000", 1e6),
        ("−3", -3),
        (".5", 0.5),
        ("1e999", None),
        ("nan", None),
        ("inf", None),
        ("", None),
        ("12a", None),
        ("1,2,3", None),
        ("0x10", None),
        ("--1", None),
        ("1" * 500, None),
        ("%", None),
        ("1_000", None),
        ("12,345", 12345),
        ("٣", 3),
    ],
)
def test_numbers(text, expected):
    assert parse_number(text) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([f"{i * 1.7:.2f}" for i in range(ROWS)], "number"),
        ([str(i * 37) for i in range(ROWS)], "number"),
        ([f"{i},5 %" for i in range(ROWS)], "number"),
        ([str(i % 5) for i in range(ROWS)], "category"),
        (["Whig", "Tory"] * 15, "category"),
        ([""] * 9, "category"),
        (["yes"], "category"),
        ([f"1{i}/3/1999" for i in range(3)], "date"),
        ([str(1850 + i) for i in range(ROWS)], "date"),
        ([f"c. {1850 + i}" for i in range(ROWS)], "date"),
        ([f"19990{i % 9 + 1}01" for i in range(ROWS)], "date"),
        ([str(3000 + i) for i in range(ROWS)], "number"),
        ([str(i) for i in range(1990, 2200, 7)], "number"),
        ([f"A title of its own, number {i}" for i in range(ROWS)], "text"),
        (["A long remark, the same everywhere. " * 4] * ROWS, "text"),
        ([*[str(i) for i in range(ROWS)], "unknown"], "number"),
        ([*[str(1850 + i) for i in range(ROWS)], "undated"], "date"),
    ],
)
def test_kinds(values, expected):
    assert kind(values) == expected


def test_a_table_says_what_its_columns_are(file):
    rows = "".join(
        f"{i},{i % 12 + 1}/{i % 28 + 1}/19{i + 10},{['Whig', 'Tory'][i % 2]},{i * 3.5},{'words of a text ' * 9}\n"
        for i in range(40)
    )
    options = file_formats.sniff(*file("id,date,party,price,text\n" + rows, "a.csv")).options
    assert options.date == 1 and options.date_order == "mdy"
    assert (
        options.kinds["party"] == "category"
        and options.kinds["price"] == "number"
        and options.kinds["date"] == "date"
    )


def test_dates_that_can_be_read_in_two_ways_are_still_dates(file):
    rows = "".join(
        f"{i},{i % 9 + 1}/{i % 7 + 2}/19{i + 10},{'words of a text ' * 9}\n" for i in range(40)
    )
    options = file_formats.sniff(*file("id,when,text\n" + rows, "a.csv")).options
    assert options.date == 1 and options.date_order == ""


@pytest.mark.parametrize(
    ("name", "cells", "is_id"),
    [
        ("retweets", [str(i * 7919 % 1000) for i in range(40)], False),
        ("no", [str(i) for i in range(40)], True),
        ("row", [str(900 - i) for i in range(40)], True),
        ("tweet", [str(10**17 + i * 7919 % 1000) for i in range(40)], True),
        ("number", [str(i % 5) for i in range(40)], False),
        ("code", [f"k{i * 7 % 40}" for i in range(40)], True),
    ],
)
def test_numbers_that_repeat_or_are_in_no_order_are_no_ids(name, cells, is_id):
    rows = [[cell, "some words of a text, which differ from any title"] for cell in cells]
    assert guess_roles([name, "text"], rows)["id"] == (0 if is_id else None)


def test_the_first_decade_of_all_begins_with_the_year_1():
    days = np.array([date(5, 3, 1).toordinal(), date(12, 1, 1).toordinal()], np.int32)
    decades = groups.by_period(days, "decade")
    assert groups.span(decades, 0) == ("0001", "0009")
    assert groups.span(decades, 1) == ("0010", "0019")
